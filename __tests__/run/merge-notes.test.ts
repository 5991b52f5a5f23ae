import { describe, expect, it } from '@jest/globals';
import { mergeNotes } from '../../src/run/merge-notes.js';

describe('mergeNotes', () => {
  it('says a failed fetch of a shallow clone once, with all that follows from it', () => {
    const reason = 'git fetch failed: fatal: unable to access (proxy): no route';
    expect(
      mergeNotes([
        `The agent was not given the diff. Git could not read the diff: ${reason}.`,
        'Another note.',
        `The findings could not be compared with the change: Git could not read the diff: ${reason}.`,
        `The project rules of the base could not be read (the base commit is not here: ${reason}), so the agent saw none.`,
      ]),
    ).toEqual([
      `The agent was not given the diff. Git could not read the diff: ${reason}. For the same reason: ` +
        'The findings could not be compared with the change. ' +
        'The project rules of the base could not be read, so the agent saw none. ' +
        'Set fetch-depth: 0 in the checkout step to have all commits.',
      'Another note.',
    ]);
  });

  it('keeps other notes, each once', () => {
    expect(mergeNotes(['a', 'b', 'a', 'git fetch failed: x'])).toEqual(['a', 'b', 'git fetch failed: x']);
  });
});
