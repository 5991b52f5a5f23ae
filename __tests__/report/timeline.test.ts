import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buildGantt, timeShares } from '../../src/report/timeline.js';
import { call, reportOf } from './builders.js';
import { anyText } from './hostile-text.js';

const tasks = (gantt: string) => gantt.split('\n').filter((line) => / :/.test(line));

describe('buildGantt', () => {
  it('has a bar a call by kind, marked where it went wrong', () => {
    const report = reportOf(
      call('1', { kind: 'read', target: 'a.ts' }),
      call('2', { target: 'npm: test;' }),
      call('3', { target: 'npm test', state: 'failed', message: 'exit 1' }),
    );
    expect(buildGantt(report, 60_000).split('\n')).toEqual([
      'gantt',
      '  dateFormat YYYY-MM-DD HH:mm:ss.SSS',
      '  axisFormat %M:%S',
      '  tickInterval 10second',
      '  section read',
      '  1 a.ts :2000-01-01 00:00:00.000, 2000-01-01 00:00:00.500',
      '  section shell',
      '  2 npm test :2000-01-01 00:00:01.000, 2000-01-01 00:00:01.500',
      '  3 npm test :crit, 2000-01-01 00:00:02.000, 2000-01-01 00:00:02.500',
    ]);
  });

  it('is left out where it says nothing', () => {
    expect(buildGantt(reportOf(call('1'), call('2')), 60_000)).toBe('');
    expect(buildGantt(reportOf(), 60_000)).toBe('');
  });

  it.each([1e10, 1e20, 1e308])('is left out if an agent claims that a call took %p ms', (durationMs) => {
    const report = reportOf(call('1'), call('2'), call('3'));
    const tools = report.tools.map((tool) => ({ ...tool, durationMs }));
    expect(buildGantt({ ...report, tools }, 60_000)).toBe('');
    expect(buildGantt(report, durationMs)).toBe('');
  });

  it('puts neighbours together when there are many', () => {
    const calls = Array.from({ length: 5000 }, (_, index) =>
      call(String(index), {
        kind: index % 3 === 0 ? 'read' : 'shell',
        state: index % 7 === 0 ? 'failed' : 'ok',
      }),
    );
    const gantt = buildGantt(reportOf(...calls), 5_000_000);
    expect(tasks(gantt).length).toBeLessThanOrEqual(30);
    expect(gantt.length).toBeLessThan(5000);
  });

  it('has the same lines, whatever the calls are aimed at', () => {
    fc.assert(
      fc.property(anyText, (target) => {
        const gantt = buildGantt(reportOf(...['1', '2', '3'].map((id) => call(id, { target }))), 60_000);
        expect(gantt.split('\n')).toHaveLength(8);
        for (const line of tasks(gantt))
          expect(line).toMatch(/^ {2}\d [\p{L}\p{N} ./()+=…-]*:2000-[\d :.,-]+$/u);
      }),
    );
  });
});

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
