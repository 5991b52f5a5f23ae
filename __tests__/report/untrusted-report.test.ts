import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseReport } from '../../src/report/read-reports.js';
import { MAX_FINDINGS, MAX_LINE, MAX_PATH } from '../../src/report/findings.js';
import { FindingSchema, FindingsSchema } from '../../src/report/model.js';
import { HEAD, finding, reportWith, reviewReport } from '../publish/reports.js';

const read = (report: unknown) => parseReport(JSON.stringify(report));
const why = (report: unknown) => {
  const result = read(report);
  return result.kind === 'unread' ? result.why : '';
};

describe('a report that is not trusted', () => {
  it('is read as far as it is published', () => {
    expect(read(reviewReport([finding()]))).toMatchObject({
      kind: 'read',
      run: {
        verdict: { status: 'success' },
        review: { findings: [finding()] },
        change: { head: HEAD, pullRequest: 7 },
      },
    });
  });

  it('is refused whole if a part of it is wrong', () => {
    const review = (given: object) => reviewReport([finding(given)]);
    expect(why(review({ startLine: 5, endLine: 4 }))).toContain('endLine');
    expect(why(review({ startLine: 0 }))).toContain('startLine');
    expect(why(review({ startLine: 1.5 }))).toContain('startLine');
    expect(why(review({ severity: 'fatal' }))).toContain('severity');
    expect(why(review({ path: '' }))).toContain('path');
    expect(why(review({ path: 'x'.repeat(5000) }))).toContain('path');
    expect(why(review({ title: { toString: 1 } }))).toContain('title');
    expect(
      why({ ...reportWith(), verdict: { status: 'failure', reason: 'constructor', detail: '' } }),
    ).toContain('verdict');
    expect(why([])).toContain('no version');
    expect(why(null)).toContain('no version');
  });

  it('is not refused for what an agent can answer: the same bounds hold there', () => {
    const bounds = [
      { path: 'x'.repeat(MAX_PATH) },
      { startLine: MAX_LINE, endLine: MAX_LINE },
      { title: 'x'.repeat(1000), body: 'y'.repeat(100_000), suggestion: 'z'.repeat(100_000) },
    ];
    for (const bound of bounds) {
      expect(FindingSchema.safeParse(finding(bound)).success).toBe(true);
      expect(why(reviewReport([finding(bound)]))).toBe('');
    }
    const beyond = [{ path: 'x'.repeat(MAX_PATH + 1) }, { endLine: MAX_LINE + 1 }, { endLine: 1e300 }];
    for (const more of beyond) expect(FindingSchema.safeParse(finding(more)).success).toBe(false);
    const many = (count: number) => Array.from({ length: count }, () => finding());
    expect(why(reviewReport(many(MAX_FINDINGS)))).toBe('');
    const answer = { summary: '', findings: many(MAX_FINDINGS + 1) };
    expect(FindingsSchema.safeParse(answer).success).toBe(false);
  });

  it('is not refused for a number that an agent made up', () => {
    const usage = { inputTokens: -1, outputTokens: 1e300, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const record = reportWith();
    const report = { ...(record['report'] as object), durationMs: -5, costUsd: -0.5, usage };
    expect(read({ ...record, report })).toMatchObject({
      run: { durationMs: 0, costUsd: 0, tokens: { input: 0, output: 0 } },
    });
  });

  it('cannot change what objects are', () => {
    const text = JSON.stringify(reviewReport([finding()]));
    const result = parseReport(
      text.replace('{', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},'),
    );
    expect(result.kind).toBe('read');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(JSON.stringify(result)).not.toContain('polluted');
  });

  it('has its commits only where they are commits, and no suggestion nobody could read', () => {
    const change = { base: 'main', head: `${HEAD}\n`, pullRequest: 7 };
    expect(read(reportWith({ change }))).toMatchObject({ run: { change: { pullRequest: 7 } } });
    expect(JSON.stringify(read(reportWith({ change })))).not.toContain('main');
    expect(JSON.stringify(read(reviewReport([finding({ suggestion: 'x'.repeat(10_001) })])))).not.toContain(
      'xxx',
    );
  });

  it('is never more than refused, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.jsonValue().map((extra) => JSON.stringify({ ...reportWith(), report: extra })),
        ),
        (text) => {
          expect(parseReport(text).kind).toBe('unread');
        },
      ),
    );
  });
});
