import { describe, expect, it } from '@jest/globals';
import { buildSummary, SUMMARY_BYTES } from '../../src/report/summary.js';
import { call, recordOf, reportOf, result, text } from './builders.js';

describe('buildSummary', () => {
  const session = { type: 'session', sessionId: 's', model: 'Model <1>' } as const;

  it('puts reason and remedy on top of a failure', () => {
    const summary = buildSummary(
      recordOf(reportOf(session, text('Half.')), {
        verdict: { status: 'failure', reason: 'timeout', detail: 'It was ended at the time limit.' },
        stderr: 'last words',
      }),
      'full',
    );
    const places = [
      'failed (<code>timeout</code>)',
      'What happened',
      'What to do',
      '#### Answer',
      'Half.',
      'last words',
    ];
    const found = places.map((place) => summary.indexOf(place));
    expect(found.every((place) => place >= 0)).toBe(true);
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(summary).toContain('<details open><summary>Diagnostics');
  });

  it('has the numbers that are known, and no others', () => {
    const summary = buildSummary(
      recordOf(reportOf(session, { ...result(), costUsd: 0.5 } as never)),
      'compact',
    );
    expect(summary).toContain('| Time | Model | Tool calls | Cost |');
    expect(summary).toContain('| 1 min | Model &#60;1&#62; | 0 | $0.5000 |');
  });

  it('stays below the limit and keeps its tags closed, whatever there is to tell', () => {
    const long = 'é'.repeat(100);
    const calls = Array.from({ length: 3000 }, (_, index) =>
      call(String(index), { target: long, state: 'denied', message: long }),
    );
    const record = recordOf(reportOf(session, ...calls, text('x'.repeat(2_000_000)), result()), {
      stderr: long.repeat(1000),
    });
    for (const room of [SUMMARY_BYTES, 200_000, 50_000, 10_000, 1000]) {
      const summary = buildSummary(record, 'full', room);
      expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(room);
      expect(summary.match(/<details/g)?.length).toBe(summary.match(/<\/details>/g)?.length);
      expect((summary.match(/^`{3,}/gm)?.length ?? 0) % 2).toBe(0);
      expect(summary).toContain('done');
    }
  });

  it('says where the whole answer is when it shows only a part', () => {
    const record = recordOf(reportOf(text('x'.repeat(500_000)), result()));
    expect(buildSummary(record, 'full')).toContain('The whole answer is in <code>/tmp/result.md</code>');
  });
});
