import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readHunks } from '../../src/git/diff.js';
import {
  lineAnnotations,
  MAX_CHARACTERS,
  MAX_PER_LEVEL,
  writeComment,
} from '../../src/publish/publication-text.js';
import { digest } from '../../src/github/marker.js';
import { mergeReports, withPlaces } from '../../src/publish/publication.js';
import { planReview } from '../../src/publish/review-plan.js';
import { SEVERITIES } from '../../src/report/findings.js';
import type { Finding, RunRecord } from '../../src/report/model.js';
import { anyText } from '../report/hostile-text.js';
import { finding, HEAD, mergePlaced, PATCH, reportWith, reviewReport, shardOf } from './reports.js';

const LINKS = {
  repositoryUrl: 'https://github.example/acme/project',
  runUrl: 'https://github.example/run',
};
const merged = (reports: unknown[], minimumSeverity: (typeof SEVERITIES)[number] = 'info') =>
  mergePlaced(
    reports.map((report, index) => shardOf(report, `shard-${index}`)),
    { minimumSeverity, expectedReports: undefined },
  );
const planOf = (findings: Finding[]) =>
  planReview({
    publication: merged([reviewReport(findings)]),
    links: LINKS,
    key: digest('key'),
    reviewEvent: 'auto',
    maxComments: 10,
    files: new Map([['src/pay.ts', readHunks(PATCH)]]),
    commit: HEAD,
    earlier: [],
    remark: '',
  });

describe('what is published', () => {
  it('is a whole review if the run failed only for its findings, and incomplete after any other failure', () => {
    const textAfter = (reason: 'findings' | 'denied') =>
      writeComment(
        merged([reviewReport([finding()], { verdict: { status: 'failure', reason, detail: 'x' } })]),
        LINKS,
      ).text;
    expect(textAfter('findings')).toMatch(/### 💬 .*: 1 high/);
    expect(textAfter('findings')).not.toContain('[!CAUTION]');
    expect(textAfter('denied')).toMatch(/### ❌ .*: failed; 1 high[\s\S]*\[!CAUTION\]/);
  });

  it('links to what the documents say about the reason of a failure', () => {
    const failed = merged([reportWith({ verdict: { status: 'failure', reason: 'crashed', detail: 'x' } })]);
    const documentsUrl = 'https://github.com/o/cursor-agent-action/blob/v1.2.3/docs';
    expect(writeComment(failed, { ...LINKS, documentsUrl }).text).toContain(
      `[More about this](${documentsUrl}/troubleshooting.md#crashed)`,
    );
    expect(writeComment(failed, LINKS).text).not.toContain('More about this');
  });

  it('counts for each run what counts, and not what is set aside', () => {
    const one = [finding(), finding({ path: 'invented.ts' })];
    const shards = [one, [finding({ title: 'Another' })]].map((each, index) =>
      shardOf(reviewReport(each), `shard-${index}`),
    );
    const request = { minimumSeverity: 'info', expectedReports: undefined } as const;
    const { text } = writeComment(
      withPlaces(mergeReports(shards, request), (each) => ({
        ...each,
        place: each.path === 'invented.ts' ? 'no-such-path' : 'in-change',
      })),
      LINKS,
    );
    expect(text).toContain('| <code>shard-0</code> | ✅ done | 1 |');
  });

  it('says in one line how the change was verified', () => {
    const exit = { kind: 'exited' as const, code: 0 };
    const verified = (state: 'passed' | 'failed', code: number) => ({
      state,
      rounds: [
        {
          results: [{ command: 'npm test', exit: { ...exit, code }, durationMs: 9, output: 'secret' }],
          notRun: 0,
        },
      ],
    });
    const textOf = (verification: RunRecord['verification'], more: Partial<RunRecord> = {}) =>
      writeComment(merged([reportWith({ ...(verification ? { verification } : {}), ...more })]), LINKS).text;
    expect(textOf(verified('passed', 0))).toContain('\n\n1 command passed on the changed code.\n\n');
    expect(textOf(verified('failed', 1))).toContain(
      '**This change is not verified.** A command failed on the changed code.',
    );
    expect(textOf(verified('failed', 1))).not.toContain('secret');
    const none = { state: 'none' as const, why: 'no `command`', rounds: [] };
    expect(textOf(none)).not.toContain('verified');
    expect(planOf([]).body).not.toContain('verified');
  });

  it('counts what the run left out because it was dismissed', () => {
    const report = reviewReport([finding()]) as { review: object };
    const publication = merged([{ ...report, review: { ...report.review, dismissed: 2 } }]);
    expect(publication).toMatchObject({ dismissed: 2 });
    const { text } = writeComment(publication, LINKS);
    expect(text).toContain('2 findings on lines where a user with write access dismissed one.');
  });

  it('links the page of the run, by an address of this repository whatever the report says', () => {
    const textWith = (pageUrl: string) =>
      writeComment(merged([reviewReport([finding()], { pageUrl })]), LINKS).text;
    const link =
      '<a href="https://github.example/acme/project/actions/runs/7/artifacts/42">every tool call</a>';
    expect(textWith('https://github.example/acme/project/actions/runs/7/artifacts/42')).toContain(link);
    expect(textWith('https://evil.example/x/actions/runs/7/artifacts/42')).toContain(link);
    expect(textWith('https://evil.example/x')).not.toMatch(/evil|every tool call/);
  });

  it('is short enough, whatever is in the report', () => {
    const anyFinding = fc.record({
      path: fc.constantFrom('src/pay.ts', '../x', 'a'.repeat(2000)),
      line: fc.integer({ min: 1, max: 50 }),
      severity: fc.constantFrom(...SEVERITIES),
      title: anyText,
      body: anyText,
      times: fc.constantFrom(1, 50, 400),
    });
    fc.assert(
      fc.property(fc.array(anyFinding, { maxLength: 6 }), anyText, (given, words) => {
        const findings = given.flatMap(({ line, times, body, ...rest }) =>
          Array.from({ length: times }, (_, index) =>
            finding({
              ...rest,
              title: `${rest.title} ${index}`,
              startLine: line,
              endLine: line,
              body: body.repeat(20),
            }),
          ),
        );
        const comment = writeComment(
          merged([
            reviewReport(findings.slice(0, 600)),
            reportWith({ verdict: { status: 'failure', reason: 'crashed', detail: words } }),
          ]),
          LINKS,
        );
        const plan = planOf(findings.slice(0, 600));
        for (const text of [
          comment.text,
          plan.body,
          plan.without(plan.comments).body,
          ...plan.comments.map(({ body }) => body),
        ])
          expect(text.length).toBeLessThanOrEqual(MAX_CHARACTERS);
      }),
      { numRuns: 8 },
    );
  });

  it('becomes shorter step by step, and says so', () => {
    const findings = Array.from({ length: 300 }, (_, index) =>
      finding({ title: `Number ${index}`, startLine: index + 1, endLine: index + 1, body: 'x'.repeat(3000) }),
    );
    const { text, omitted } = writeComment(merged([reviewReport(findings)]), LINKS);
    expect(omitted).toBeGreaterThan(0);
    expect(text).toContain(`${omitted} more findings did not fit.`);
    expect(text).toContain(LINKS.runUrl);
    const invisible = planOf([finding({ body: '\u202e'.repeat(20_000) })]);
    expect(invisible.comments[0]?.body.length).toBeLessThan(MAX_CHARACTERS);
    expect(invisible.comments[0]?.body).toContain('U+202E');
  });

  it('has the findings of very many runs, rather than the first words of each', () => {
    const reports = Array.from({ length: 500 }, (_, index) =>
      reviewReport([finding({ title: `Found by ${index}`, startLine: index + 1, endLine: index + 1 })]),
    );
    const { text, omitted } = writeComment(merged(reports), LINKS);
    expect(text).toContain('What 500 runs answered is in their reports.');
    expect([...text.matchAll(/Found by \d/g)]).toHaveLength(500 - omitted);
    expect(omitted).toBeLessThan(500);
  });

  it('names places with links only where they are places', () => {
    const { text } = writeComment(
      merged([
        reviewReport([
          finding({ path: 'src/a b"c.ts', startLine: 3, endLine: 5 }),
          finding({ path: '/etc/passwd' }),
          finding({ path: 'a/../b' }),
        ]),
      ]),
      LINKS,
    );
    expect([...text.matchAll(/href="([^"]*blob[^"]*)"/g)].map(([, link]) => link)).toEqual([
      `https://github.example/acme/project/blob/${HEAD}/src/a%20b%22c.ts#L3-L5`,
    ]);
  });

  it('counts what is below the minimum, and keeps the gravest of duplicates', () => {
    const publication = merged(
      [
        reviewReport([finding({ severity: 'low' }), finding({ title: 'Other', severity: 'info' })]),
        reviewReport([finding({ severity: 'critical', title: 'the CARD number is logged!' })]),
      ],
      'high',
    );
    expect(publication.findings.map(({ severity }) => severity)).toEqual(['critical']);
    expect(publication.belowMinimum).toBe(1);
  });
});

describe('annotations', () => {
  it('are ten of a level, the gravest first, and point only at files of the repository', () => {
    const findings = SEVERITIES.flatMap((severity) =>
      Array.from({ length: 8 }, (_, index) => finding({ severity, title: `${severity} ${index}` })),
    );
    const publication = merged([
      reviewReport([finding({ path: '../up', severity: 'critical' }), ...findings]),
    ]);
    const annotations = lineAnnotations(publication);
    const of = (level: string) => annotations.filter((each) => each.level === level);
    expect([of('error').length, of('warning').length, of('notice').length]).toEqual([
      MAX_PER_LEVEL,
      8,
      MAX_PER_LEVEL,
    ]);
    expect(publication.findings.length - annotations.length).toBe(41 - 28);
    expect(
      annotations.filter(({ place }) => place === undefined).map(({ text }) => text.split('\n')[0]),
    ).toEqual(['../up:12']);
  });
});
