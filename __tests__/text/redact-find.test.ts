import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createFinder, merge } from '../../src/text/redact-find.js';

/** Few letters, so that words overlap and almost match all the time. */
const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\u{1f600}'), minLength, maxLength });
const words = fc.array(letters(3, 8), { minLength: 1, maxLength: 6 });

/** What a finder finds, found the slow and plain way. */
const slowly = (text: string, all: readonly string[]) =>
  merge(
    all.flatMap((word) =>
      Array.from(text, (_, start) => start)
        .concat(Array.from({ length: text.length }, (_, start) => start))
        .filter((start) => text.startsWith(word, start))
        .map((start) => ({ start, end: start + word.length })),
    ),
  );

describe('createFinder', () => {
  it('finds what a plain search finds, overlaps as one stretch', () => {
    fc.assert(
      fc.property(words, letters(0, 60), (all, text) => {
        const finder = createFinder(all);
        expect(finder.find(text)).toEqual(slowly(text, all));
        expect(finder.has(text)).toBe(slowly(text, all).length > 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('knows how much of an end may be the beginning of a word', () => {
    fc.assert(
      fc.property(words, letters(0, 30), (all, text) => {
        const lengths = Array.from({ length: text.length }, (_, index) => index + 1).filter((length) =>
          all.some((word) => word.length > length && word.startsWith(text.slice(-length))),
        );
        expect(createFinder(all).openTail(text)).toBe(lengths.at(-1) ?? 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('finds nothing where there is nothing to find', () => {
    const finder = createFinder([]);
    expect([finder.find('text'), finder.has('text'), finder.openTail('text')]).toEqual([[], false, 0]);
  });

  it('finds a word far longer than the others', () => {
    const long = 'x'.repeat(100_000);
    expect(createFinder(['abcdef', long]).find(`..${long}..`)).toEqual([{ start: 2, end: 100_002 }]);
  });
});
