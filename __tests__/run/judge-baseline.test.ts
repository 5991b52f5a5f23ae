import { describe, expect, it } from '@jest/globals';
import { failureLines } from '../../src/report/failure-lines.js';
import { judgeBaseline, notReproducedText } from '../../src/run/judge-baseline.js';
import type { RanCommands } from '../../src/run/verify-commands.js';

const LOG = failureLines('not ok 1 - adds two numbers\nsrc/a.ts(3,5): error TS2322: It is not assignable');
const ran = (code: number, output = ''): RanCommands => ({
  output,
  round: {
    results: [{ command: 'npm test', exit: { kind: 'exited', code }, durationMs: 5, output }],
    notRun: 0,
  },
});
const passes = [ran(0), ran(0), ran(0)];
const judged = (runs: RanCommands[], more: Partial<Parameters<typeof judgeBaseline>[0]> = {}) =>
  judgeBaseline({ failures: LOG, isWhole: true, isCut: false, runs, ...more });

describe('a failure of CI', () => {
  it.each<[string, RanCommands[], object, string]>([
    ['a failing test of its log', [ran(1, 'ok 1 - a\nnot ok 2 - adds two numbers\n')], {}, 'reproduced'],
    ['an error of its log', [ran(2, 'src/a.ts(3,5): error TS2322: It is not assignable')], {}, 'reproduced'],
    ['it at the second time', [ran(0), ran(1, 'not ok 1 - adds two numbers')], {}, 'reproduced'],
    ['nothing, three times', passes, {}, 'not-reproduced'],
    ['nothing, of which only once was time', [ran(0)], { isCut: true }, 'not-comparable'],
    ['nothing, but not all of it was run', passes, { isWhole: false }, 'not-comparable'],
    ['another failure', [ran(1, 'not ok 1 - subtracts')], {}, 'not-comparable'],
    ['a failure without words', [ran(1)], {}, 'not-comparable'],
    [
      'the test passing, and another failing',
      [ran(1, 'ok 1 - adds two numbers\nnot ok 2 - b')],
      {},
      'not-comparable',
    ],
    ['exit 127', [ran(127, 'not ok 1 - adds two numbers')], {}, 'not-comparable'],
    ['exit 126', [ran(126, 'not ok 1 - adds two numbers')], {}, 'not-comparable'],
    [
      'the failure, because of a missing module',
      [ran(1, "Error: Cannot find module 'lodash'\nnot ok 1 - adds two numbers")],
      {},
      'not-comparable',
    ],
    ['a failure, without a log', [ran(1)], { failures: undefined }, 'baseline'],
    ['none, without a log', [ran(0)], { failures: undefined }, 'baseline'],
  ])('with %s here', (_, runs, more, state) => {
    expect(judged(runs, more).state).toBe(state);
  });

  it('can be a missing module itself', () => {
    const line = "Error: Cannot find module './sum.js'";
    expect(judged([ran(1, line)], { failures: failureLines(line) }).state).toBe('reproduced');
  });

  it('is not proven by its file alone, where the log names its tests', () => {
    const here = 'FAIL src/a.test.js\n  ● subtracts';
    const log = failureLines('FAIL src/a.test.js\n  ● adds two numbers');
    expect(judged([ran(1, here)], { failures: log }).state).toBe('not-comparable');
    expect(judged([ran(1, here)], { failures: failureLines('FAIL src/a.test.js') }).state).toBe('reproduced');
  });

  it('that did not finish in its share proves nothing', () => {
    const [result] = ran(1).round.results;
    if (!result) throw new Error('no result');
    const stopped = { ...result, exit: { kind: 'ended', why: 'timeout' } as const };
    const run = { output: 'not ok 1 - adds two numbers', round: { results: [stopped], notRun: 0 } };
    expect(judged([run])).toMatchObject({ state: 'not-comparable', why: expect.stringContaining('share') });
  });

  it('that is not there is told with the tests that failed', () => {
    expect(notReproducedText(judged(passes), LOG)).toMatch(
      /passed 3 times.*In CI these failed: not ok 1 - adds two numbers\. /,
    );
    expect(notReproducedText(judged(passes), [])).not.toContain('In CI');
  });
});
