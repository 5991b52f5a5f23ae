import { describe, expect, it } from '@jest/globals';
import { chooseTarget } from '../../src/publish/choose-target.js';
import { HEAD, LATER } from './reports.js';

const FORK = { repository: 'stranger/project', branch: 'feature' };
const OWN = { repository: 'acme/project', branch: 'feature' };

describe('the target', () => {
  it.each([
    ['the input counts most', [9, { pull: { number: 7 } }, 8], { kind: 'known', number: 9 }],
    ['then the event', [undefined, { pull: { number: 7 } }, 8], { kind: 'known', number: 7 }],
    [
      'the event counts for the commit that its pull request is at',
      [undefined, { pull: { number: 7, head: HEAD }, head: HEAD }, 8],
      { kind: 'known', number: 7 },
    ],
    [
      'and not for an older one',
      [undefined, { pull: { number: 7, head: LATER }, head: HEAD }, undefined],
      { kind: 'none' },
    ],
    ['a report makes a claim', [undefined, { head: HEAD }, 8], { kind: 'claimed', number: 8, commit: HEAD }],
    [
      'after a CI run, also about its branch',
      [undefined, { head: HEAD, origin: FORK, repository: 'acme/project' }, 8],
      { kind: 'claimed', number: 8, commit: HEAD, origin: FORK },
    ],
    [
      'what the event lists for a run of a fork is one too',
      [
        undefined,
        { pull: { number: 7, head: HEAD }, head: HEAD, origin: FORK, repository: 'acme/project' },
        8,
      ],
      { kind: 'claimed', number: 7, commit: HEAD, origin: FORK },
    ],
    [
      'and what it lists for a run of this repository is known',
      [
        undefined,
        { pull: { number: 7, head: HEAD }, head: HEAD, origin: OWN, repository: 'acme/project' },
        8,
      ],
      { kind: 'known', number: 7 },
    ],
    ['which needs a commit to hold', [undefined, {}, 8], { kind: 'none' }],
    ['nobody says anything', [undefined, { head: HEAD }, undefined], { kind: 'none' }],
  ] as const)('%s', (_name, [given, event, named], expected) => {
    expect(chooseTarget(given, event, named)).toEqual(expected);
  });
});
