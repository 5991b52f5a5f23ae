import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Happening } from '../../src/report/fold.js';
import { describeHappening } from '../../src/report/live-log.js';
import type { ToolCall } from '../../src/report/run-report.js';

const ended = (given: Partial<ToolCall>): Happening => ({
  kind: 'call-ended',
  call: {
    number: 1,
    name: 'x',
    kind: 'shell',
    target: 'npm test',
    state: 'ok',
    message: '',
    startMs: 0,
    facts: {},
    ...given,
  },
});
const lines = (happening: Happening, debug = false) => describeHappening(happening, 72_400, debug);

describe('describeHappening', () => {
  it.each<[string, Happening, string[]]>([
    [
      'a read',
      ended({ kind: 'read', target: 'src/a.ts', facts: { linesRead: 54 } }),
      ['+1:12 read   src/a.ts (54 lines)'],
    ],
    [
      'an edit',
      ended({ kind: 'edit', target: 'a.md', facts: { linesAdded: 3, linesRemoved: 1 } }),
      ['+1:12 edit   a.md (+3 −1)'],
    ],
    [
      'a failure',
      ended({ state: 'failed', message: 'exit 1', durationMs: 3200 }),
      ['+1:12 shell  npm test → exit 1 (3.2 s)'],
    ],
    [
      'a denial',
      ended({ state: 'denied', target: 'git push', message: 'no' }),
      ['+1:12 denied shell git push — no'],
    ],
    ['an unknown tool', ended({ kind: 'other', name: 'paint', target: '' }), ['+1:12 paint']],
    [
      'a plan',
      {
        kind: 'planned',
        todos: [
          { id: '1', text: 'Look', status: 'done' },
          { id: '2', text: 'Act', status: 'in-progress' },
        ],
      },
      ['+1:12 plan   1/2 done, now: Act'],
    ],
    ['a message', { kind: 'said', text: 'One.\nTwo.' }, ['+1:12 says   One.', '             Two.']],
    [
      'a notice',
      { kind: 'noticed', level: 'warning', text: 'connection lost' },
      ['+1:12 warn   connection lost'],
    ],
    ['an error', { kind: 'erred', text: 'oh' }, ['+1:12 error  oh']],
    ['the end', { kind: 'finished', isError: false }, ['+1:12 end    the agent reported success']],
    [
      'text',
      { kind: 'unrecognised', event: { type: 'unknown', line: 3, why: 'text', label: 'text', sample: 'hi' } },
      ['+1:12 text   hi'],
    ],
    [
      'a record',
      {
        kind: 'unrecognised',
        event: { type: 'unknown', line: 3, why: 'record', label: 'a/b', sample: '{}' },
      },
      ['+1:12 unknown line 3 not recognised (a/b): {}'],
    ],
  ])('tells %s', (_name, happening, expected) => {
    expect(lines(happening)).toEqual(expected);
  });

  it('keeps thinking and beginnings for those who debug', () => {
    const thought: Happening = { kind: 'thought', text: 'Hm.' };
    expect(lines(thought)).toEqual([]);
    expect(lines(thought, true)).toEqual(['+1:12 think  Hm.']);
  });

  it('shows the beginning of a message that is too long for a log', () => {
    const shown = lines({ kind: 'said', text: 'x\n'.repeat(1000) });
    expect(shown.length).toBeLessThan(250);
    expect(shown.at(-1)).toMatch(/more lines, all of them in result-file/);
  });

  it('never writes more than 1,000 characters a line, nor a line within a line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), (text) => {
        for (const happening of [
          ended({ target: text, state: 'failed', message: text }),
          { kind: 'said', text } as const,
        ]) {
          for (const line of lines(happening)) {
            expect(line.length).toBeLessThanOrEqual(1000);
            expect(line).not.toMatch(/[\r\n]/);
          }
        }
      }),
    );
  });
});
