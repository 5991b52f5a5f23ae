import { describe, expect, it } from '@jest/globals';
import { assembleMessages } from '../../src/report/message-assembly.js';
import type { TextEvent } from '../../src/stream/events.js';

type Step = [TextEvent['form'], string] | 'step' | 'aside';

/** The messages that come out of these steps, and the last of them. */
function assemble(...steps: Step[]): { messages: string[]; last: string } {
  const assembly = assembleMessages();
  const messages = steps.flatMap((step) =>
    typeof step === 'string'
      ? assembly.close(step)
      : assembly.add({ type: 'text', form: step[0], text: step[1] }),
  );
  return { messages: [...messages, ...assembly.close('step')], last: assembly.last() };
}

describe('messages', () => {
  it.each<[string, Step[], string[]]>([
    [
      'whole ones',
      [['repeat', 'one'], 'step', ['repeat', 'two'], 'step', ['message', 'three']],
      ['one', 'two', 'three'],
    ],
    ['the same one twice', [['repeat', 'on it'], 'step', ['repeat', 'on it']], ['on it', 'on it']],
    [
      'a whole one repeated at once',
      [
        ['repeat', 'one'],
        ['message', 'one'],
      ],
      ['one'],
    ],
    ['pieces and a repeat', [['delta', 'a'], ['delta', 'b'], ['repeat', 'ab'], 'step'], ['ab']],
    [
      'pieces and two repeats',
      [
        ['delta', 'a'],
        ['delta', 'b'],
        ['repeat', 'ab'],
        ['message', 'ab'],
      ],
      ['ab'],
    ],
    [
      'a second repeat after a call',
      [['delta', 'ab'], ['repeat', 'ab'], 'step', 'aside', ['message', 'ab']],
      ['ab'],
    ],
    ['pieces around something else', [['delta', 'a'], 'aside', ['delta', 'b'], ['repeat', 'ab']], ['ab']],
    [
      'pieces whose repeat never came',
      [['delta', 'a'], ['delta', 'b'], 'step', ['delta', 'c'], ['message', 'c']],
      ['ab', 'c'],
    ],
    [
      'pieces of two messages, one repeated',
      [['delta', 'one.'], 'aside', ['delta', 'two.'], ['message', 'two.']],
      ['one.', 'two.'],
    ],
    [
      'pieces whose beginning was lost',
      [
        ['delta', 'world'],
        ['message', 'hello world'],
      ],
      ['hello world'],
    ],
    [
      'a repeat that says something else',
      [
        ['delta', 'one'],
        ['message', 'two'],
      ],
      ['one', 'two'],
    ],
    ['pieces only', [['message', 'a '], ['message', 'b'], 'step', ['message', 'c']], ['a b', 'c']],
    ['pieces only, around a thought', [['message', 'a'], 'aside', ['message', 'b']], ['a', 'b']],
    ['white space', [['delta', ' \n'], ['repeat', ' \n'], 'step', ['message', '']], []],
  ])('%s', (_, steps, expected) => {
    const { messages, last } = assemble(...steps);
    expect(messages).toEqual(expected);
    expect(last).toBe(expected.at(-1) ?? '');
  });

  it('of two turns are two', () => {
    const assembly = assembleMessages();
    const add = (text: string, turn: number) => assembly.add({ type: 'text', form: 'message', text, turn });
    expect([...add('a', 1), ...add('b', 1), ...add('c', 2), ...assembly.close('step')]).toEqual(['ab', 'c']);
  });

  it('keep their end when they are too long', () => {
    const assembly = assembleMessages(10);
    for (let index = 0; index < 100; index += 1) {
      assembly.add({ type: 'text', form: 'delta', text: `${index % 10}` });
      expect(assembly.last().length).toBeLessThanOrEqual(20);
    }
    expect(assembly.close('step')).toEqual(['0123456789']);
  });
});
