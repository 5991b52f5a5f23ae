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
