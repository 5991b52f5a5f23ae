import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { timeShares } from '../../src/report/timeline.js';
import { call, reportOf } from './builders.js';

describe('timeShares', () => {
  it('tells the time of each kind, and what is left for the model', () => {
    const report = reportOf(call('1'), call('2', { kind: 'read' }));
    Object.assign(report.tools[0]!, { startMs: 0, durationMs: 4000 });
    Object.assign(report.tools[1]!, { startMs: 2000, durationMs: 4000 });
    report.totals.shell!.durationMs = 4000;
    report.totals.read!.durationMs = 4000;
    expect(timeShares(report, 10_000)).toEqual([
      { what: 'model and waiting', ms: 4000, share: 0.4 },
      { what: 'shell', calls: 1, ms: 4000, share: 0.4 },
      { what: 'read', calls: 1, ms: 4000, share: 0.4 },
    ]);
  });
});

describe('shares of time', () => {
  it('count calls of one kind that run side by side once', () => {
    const report = reportOf(call('1'), call('2'));
    Object.assign(report.tools[0]!, { startMs: 0, durationMs: 6000 });
    Object.assign(report.tools[1]!, { startMs: 0, durationMs: 4000 });
    report.totals.shell!.durationMs = 10_000;
    expect(timeShares(report, 8000)).toEqual([
      { what: 'model and waiting', ms: 2000, share: 0.25 },
      { what: 'shell', calls: 2, ms: 6000, share: 0.75 },
    ]);
  });

  it('count a call that never ended until the end of the run', () => {
    const report = reportOf({
      type: 'tool-started',
      callId: '1',
      tool: { name: 'shell', kind: 'shell', target: 'sleep 9', paths: [], isKnown: true },
    });
    report.tools[0]!.startMs = 2500;
    expect(timeShares(report, 10_000)).toEqual([
      { what: 'model and waiting', ms: 2500, share: 0.25 },
      { what: 'shell', calls: 1, ms: 7500, share: 0.75 },
    ]);
    report.tools[0]!.background = true;
    expect(timeShares(report, 10_000)[0]).toMatchObject({ what: 'model and waiting', share: 1 });
  });

  it('never exceed the whole, whatever the agent claims', () => {
    const span = fc.record({
      startMs: fc.integer({ min: 0, max: 10_000 }),
      durationMs: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
      background: fc.constantFrom(true, undefined),
    });
    fc.assert(
      fc.property(fc.array(span, { minLength: 1 }), fc.integer({ min: 0, max: 20_000 }), (spans, totalMs) => {
        const report = reportOf(...spans.map((_, index) => call(String(index))));
        report.tools.forEach((tool, index) => Object.assign(tool, spans[index]));
        report.totals.shell!.durationMs = spans.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 1e5);
        for (const { share } of timeShares(report, totalMs)) {
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
