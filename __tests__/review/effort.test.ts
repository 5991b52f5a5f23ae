import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  chatsOf,
  EFFORTS,
  isEnough,
  maxPartsFor,
  orderFor,
  planPasses,
  plannedChats,
} from '../../src/review/effort.js';
import { reorderDiff } from '../../src/run/write-prompt.js';

const plan = (given: Partial<Parameters<typeof planPasses>[0]> = {}) =>
  planPasses({ effort: 'medium', maxStarts: undefined, isReview: true, continuesChat: false, ...given });

describe('the plan of a review', () => {
  it.each([
    ['low', 1, 'none', 4],
    ['medium', 1, 'all', 6],
    ['high', 3, 'single', 12],
    ['max', 5, 'single', 20],
  ] as const)('with effort %s', (effort, passes, validates, maxStarts) => {
    expect(plan({ effort })).toEqual({ parts: 1, passes, wantedPasses: passes, validates, maxStarts });
    // Everything else has one pass, whatever the effort.
    const other = { parts: 1, passes: 1, wantedPasses: 1, validates: 'none', maxStarts: 8 };
    expect(plan({ effort, isReview: false })).toEqual(other);
    expect(plan({ effort, continuesChat: true }).passes).toBe(1);
  });

  it('never has more passes than starts, and says how many it wanted', () => {
    expect(plan({ effort: 'max', maxStarts: 2 })).toMatchObject({ passes: 2, wantedPasses: 5, maxStarts: 2 });
    expect(plan({ isReview: false, maxStarts: 3 }).maxStarts).toBe(3);
    expect(plan({ effort: 'high', continuesChat: true }).validates).toBe('all');
  });

  it.each([
    // effort, max-starts, the most parts, and the passes of that many parts and of two
    ['low', undefined, 4, 1, 1],
    ['medium', undefined, 5, 1, 1],
    ['high', undefined, 5, 2, 3],
    ['max', undefined, 5, 3, 5],
    ['max', 4, 3, 1, 1],
    ['medium', 1, 1, 1, 1],
  ] as const)('with effort %s and max-starts %s reads every part before it reads one twice', (...row) => {
    const [effort, maxStarts, most, passes, ofTwo] = row;
    const request = { effort, maxStarts, isReview: true, continuesChat: false };
    expect(maxPartsFor(request)).toBe(most);
    expect(planPasses(request, most).passes).toBe(passes);
    if (most > 1) expect(planPasses(request, 2).passes).toBe(ofTwo);
    expect(chatsOf([['a'], ['b']], 2).map(({ part, pass }) => `${part}${pass}`)).toEqual([
      '00',
      '10',
      '01',
      '11',
    ]);
    expect(maxPartsFor({ ...request, continuesChat: true })).toBeUndefined();
    expect(maxPartsFor({ ...request, isReview: false })).toBeUndefined();
  });

  it('never starts more chats than max-starts allows, whatever the parts', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EFFORTS), fc.integer({ min: 1, max: 100 }), (effort, maxStarts) => {
        const request = { effort, maxStarts, isReview: true, continuesChat: false };
        for (let parts = 1; parts <= (maxPartsFor(request) ?? 0); parts += 1) {
          const { passes, wantedPasses } = planPasses(request, parts);
          expect(passes).toBeGreaterThan(0);
          expect(passes).toBeLessThanOrEqual(wantedPasses);
          expect(parts * passes).toBeLessThanOrEqual(maxStarts);
        }
      }),
    );
  });

  it.each([
    ['low', 1, 1],
    ['high', 3, 2],
    ['max', 5, 3],
  ] as const)('with effort %s needs answers of more than half', (effort, passes, least) => {
    const counts = Array.from({ length: passes + 1 }, (_, count) => isEnough(count, plan({ effort })));
    expect(counts.indexOf(true)).toBe(least);
  });
});

describe('the order of the files', () => {
  it('differs from pass to pass, and loses nothing', () => {
    const files = ['a', 'b', 'c', 'd', 'e'];
    const orders = [0, 1, 2, 3, 4].map((pass) => orderFor(pass, 5, files).join(''));
    expect(new Set(orders).size).toBe(5);
    expect(orders[0]).toBe('abcde');
    fc.assert(
      fc.property(
        fc.array(fc.string()),
        fc.constantFrom(...EFFORTS),
        fc.integer({ min: 0, max: 4 }),
        (list, effort, pass) => {
          expect(orderFor(pass, plan({ effort }).passes, list).sort()).toEqual([...list].sort());
        },
      ),
    );
  });

  it('leaves what is about the whole diff at its end', () => {
    const part = (name: string, text: string) =>
      `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-# old\n+${text}\n`;
    const [one, other] = [part('a', '# new'), part('b', 'x\n\\ No newline at end of file')];
    const end = '# Left out of this diff: 1 changed file.\n# "c"\n';
    expect(reorderDiff(one + other + end, (parts) => [...parts].reverse())).toBe(other + one + end);
    expect(reorderDiff(one + other.trimEnd(), (parts) => [...parts].reverse())).toBe(other + one);
    expect(reorderDiff('', (parts) => [...parts])).toBe('');
  });
});

describe('the chats that are planned', () => {
  it('are each pass, and the validation', () => {
    const plan = { effort: 'high', isReview: true, continuesChat: false } as const;
    expect(plannedChats(planPasses({ ...plan, maxStarts: undefined }))).toBe(4);
    expect(plannedChats(planPasses({ ...plan, maxStarts: undefined, isReview: false }))).toBe(1);
    expect(plannedChats(planPasses({ ...plan, maxStarts: undefined }, 2))).toBe(7);
  });
});
