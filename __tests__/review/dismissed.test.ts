import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readHunks } from '../../src/git/diff.js';
import { createLocator, hashLines, isSamePlace, saysDismissed } from '../../src/review/dismissed.js';

describe('a reply', () => {
  it.each([
    '/cursor dismiss',
    'False positive.',
    'false-positive, see above',
    'Won’t fix',
    "won't fix: out of scope",
    'wontfix',
    'Thanks!\nWill not fix this here.',
    'This is by design.',
    'As intended.',
    'not a bug',
  ])('dismisses: %s', (text) => {
    expect(saysDismissed(text)).toBe(true);
  });

  it.each([
    '',
    'Is this a false positive?',
    'False positive? Let me see.',
    '> won’t fix',
    'I would not say that it is a false positive.',
    'False positives are rare here.',
    '/cursor dismissal',
    'intentionally left as a note',
    'Fixed, thanks.',
  ])('does not: %s', (text) => {
    expect(saysDismissed(text)).toBe(false);
  });

  it('is read in no time', () => {
    expect(saysDismissed('false positive '.repeat(100_000) + '?')).toBe(false);
    expect(saysDismissed(' '.repeat(200_000))).toBe(false);
  });
});

describe('code', () => {
  const hunks = readHunks('@@ -1,2 +10,4 @@\n one\n+two\n+}\n three\n@@ -30,0 +40,2 @@\n+four\n+}\n');
  const locate = createLocator(new Map([['a.ts', hunks]]));
  const place = (...lines: string[]) => ({
    path: 'a.ts',
    place: hashLines('a.ts', lines),
    lineCount: lines.length,
  });

  it('is found where its text is, and where GitHub says if it is there twice', () => {
    expect(locate(place('two', '}'))).toEqual([{ startLine: 11, endLine: 12 }]);
    expect(locate(place('}'))).toEqual([
      { startLine: 12, endLine: 12 },
      { startLine: 41, endLine: 41 },
    ]);
    expect(locate({ ...place('}'), line: 41 })).toEqual([{ startLine: 41, endLine: 41 }]);
    expect(locate(place('}', 'four'))).toEqual([]);
    expect(locate({ ...place('two'), path: 'b.ts' })).toEqual([]);
  });

  it('is the same place for a finding that overlaps and reaches little further', () => {
    const around = { startLine: 10, endLine: 12 };
    const at = (startLine: number, endLine: number) => isSamePlace({ startLine, endLine }, around);
    expect([at(12, 12), at(7, 15), at(12, 14)]).toEqual([true, true, true]);
    expect([at(13, 13), at(1, 9), at(1, 12), at(10, 90)]).toEqual([false, false, false, false]);
  });

  it('is always found in the diff that it was taken from', () => {
    const text = fc.array(
      fc.string({ maxLength: 5 }).filter((line) => !/[\r\n]/.test(line)),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (lines, first, more) => {
        const start = first % lines.length;
        const count = 1 + (more % (lines.length - start));
        const patch = [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join('\n');
        const code = place(...lines.slice(start, start + count));
        const found = createLocator(new Map([['a.ts', readHunks(patch)]]))(code);
        expect(found).toContainEqual({ startLine: start + 1, endLine: start + count });
      }),
    );
  });
});
