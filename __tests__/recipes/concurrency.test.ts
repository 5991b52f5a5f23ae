import { describe, expect, it } from '@jest/globals';
import { entryOf, settle, type Entry } from './concurrency.js';

const entry = (more: Partial<Entry> = {}): Entry[] => [
  { job: '', group: 'g', cancelsRunning: false, queue: 'single', ...more },
];

describe('runs in one concurrency group', () => {
  it.each<[string, Entry[], string[]]>([
    ['one runs, one waits, and who comes next takes its place', entry(), ['runs', 'cancelled', 'waits']],
    ['the newest stops all before it', entry({ cancelsRunning: true }), ['cancelled', 'cancelled', 'runs']],
    ['all wait', entry({ queue: 'max' }), ['runs', 'waits', 'waits']],
    ['without a group they know nothing of each other', [], ['runs', 'runs', 'runs']],
  ])('%s', (_, each, fates) => {
    expect(settle([each, each, each])).toEqual(fates);
  });

  it('are only those of the same group, in any case', () => {
    const [one] = entryOf({ group: 'Docs-A', 'cancel-in-progress': true }, 'agent', {});
    expect(one).toEqual({ job: 'agent', group: 'docs-a', cancelsRunning: true, queue: 'single' });
    expect(settle([[one!], entryOf('docs-a', 'agent', {}), entryOf('docs-b', 'agent', {})])).toEqual([
      'runs',
      'waits',
      'runs',
    ]);
  });

  it('cannot both queue and cancel', () => {
    expect(() => entryOf({ group: 'g', queue: 'max', 'cancel-in-progress': true }, 'agent', {})).toThrow(
      'queue: max',
    );
  });
});
