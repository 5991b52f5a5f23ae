import { describe, expect, it } from '@jest/globals';
import { buildAnnotations } from '../../src/report/annotations.js';
import { call, recordOf, reportOf, result } from './builders.js';

describe('buildAnnotations', () => {
  it('has nothing to say of a run without trouble', () => {
    expect(buildAnnotations(recordOf(reportOf(result())))).toEqual([]);
  });

  it('has one error for a failure, with reason and remedy', () => {
    const verdict = {
      status: 'failure',
      reason: 'timeout',
      detail: 'After 30 minutes.\n::error::x',
    } as const;
    expect(buildAnnotations(recordOf(reportOf(), { verdict }))).toEqual([
      {
        level: 'error',
        title: 'Cursor Agent: timeout',
        text: [
          'The agent did not finish in time.',
          'After 30 minutes.',
          ':\\:error::x',
          'Raise `timeout-minutes`, give it a smaller task, or tell it in the prompt not to run the command that takes so long.',
        ].join('\n'),
      },
    ]);
  });

  it('warns once of records nobody knows, and leaves denied calls to the log and the summary', () => {
    const report = reportOf(
      call('1', { state: 'denied', target: 'git push' }),
      call('2', { state: 'denied', target: 'git push' }),
      { type: 'unknown', line: 4, why: 'record', label: 'dance/started', sample: '{}' },
      { type: 'unknown', line: 5, why: 'text', label: 'text', sample: 'chatter' },
      result(),
    );
    expect(buildAnnotations(recordOf(report)).map(({ level, text }) => [level, text])).toEqual([
      [
        'warning',
        expect.stringMatching(/^Parts of the agent’s stream are not known[^\n]*\ndance\/started × 1$/),
      ],
    ]);
  });

  it('stays within ten warnings and one error, and within what GitHub shows of each', () => {
    const calls = Array.from({ length: 50 }, (_, index) =>
      call(String(index), {
        state: 'denied',
        target: `${index} ${'x'.repeat(5000)}`,
        message: 'y'.repeat(5000),
      }),
    );
    const verdict = { status: 'failure', reason: 'denied', detail: 'z'.repeat(10_000) } as const;
    const notes = Array.from({ length: 30 }, (_, index) => `note ${index}`);
    const all = buildAnnotations(recordOf(reportOf(...calls), { verdict, notes }));
    expect(all.filter(({ level }) => level === 'warning')).toHaveLength(10);
    expect(all.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(all.at(-2)?.text).toBe('21 more warnings; all of them are in the job summary.');
    for (const { text } of all) expect(text.length).toBeLessThan(4096);
  });
});
