import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readHunks } from '../../src/git/diff.js';
import { suggestPatch, type ThreadLines } from '../../src/publish/publish-reply.js';
import { PATCH } from './reports.js';

/** Lines 10 to 13 of src/pay.ts, as the pull request has them. */
const HUNKS = readHunks(PATCH);
const LINES: ThreadLines = { path: 'src/pay.ts', startLine: 11, endLine: 12 };
const head = (path = 'src/pay.ts') => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n`;
const CHECK = ['@@ -10,4 +10,3 @@', ' const total = sum(items);', '-if (total > 0) charge(total);'];
const REMOVES = `${head()}${[...CHECK, '-log(card.number);', '+charge(total);', ' return total;', ''].join('\n')}`;
const of = (...lines: string[]) => `${head()}${lines.join('\n')}\n`;

describe('a patch in a review thread', () => {
  it.each<[string, string, string]>([
    ['replaces the lines of the thread', REMOVES, 'charge(total);\n'],
    [
      'keeps those lines of the thread that it does not change',
      of('@@ -12,2 +12,2 @@', '-log(card.number);', '+log(card.last4);', ' return total;'),
      'if (total > 0) charge(total);\nlog(card.last4);\n',
    ],
    [
      'adds lines before, between and behind them',
      of(
        '@@ -10,0 +11 @@',
        '+a',
        '@@ -11,2 +12,4 @@',
        ' if (total > 0) charge(total);',
        '+b',
        ' log(card.number);',
        '+c',
      ),
      'a\nif (total > 0) charge(total);\nb\nlog(card.number);\nc\n',
    ],
    ['deletes them', of('@@ -11,2 +10,0 @@', '-if (total > 0) charge(total);', '-log(card.number);'), ''],
  ])('%s', (_, patch, suggestion) => {
    expect(suggestPatch(patch, LINES, HUNKS)).toEqual({ suggestion });
  });

  it.each<[string, string, ThreadLines | undefined, RegExp]>([
    ['in no thread with lines', REMOVES, undefined, /no lines of the change/],
    ['of two files', REMOVES + REMOVES.replaceAll('pay.ts', 'other.ts'), LINES, /changes 2 files/],
    ['of another file', REMOVES.replaceAll('pay.ts', 'other.ts'), LINES, /another file/],
    ['that also changes a line outside', REMOVES, { ...LINES, startLine: 12 }, /other lines than those/],
    ['that adds a line further up', of('@@ -9,0 +10 @@', '+a'), LINES, /other lines than those/],
    [
      'for other text',
      REMOVES.replace('-log(card.number)', '-log(card.holder)'),
      LINES,
      /not those that it was made for/,
    ],
    [
      'for lines that GitHub does not show',
      of('@@ -20 +20 @@', '-a', '+b'),
      { ...LINES, startLine: 20, endLine: 20 },
      /not those/,
    ],
    [
      'that deletes the file',
      REMOVES.replace('--- a', 'deleted file mode 100644\n--- a'),
      LINES,
      /more than change lines/,
    ],
    [
      'that changes its mode',
      REMOVES.replace('--- a', 'old mode 100644\nnew mode 100755\n--- a'),
      LINES,
      /more than change lines/,
    ],
    [
      'about the newline at the end',
      `${REMOVES}\\ No newline at end of file\n`,
      LINES,
      /more than change lines/,
    ],
    [
      'with characters that nobody sees',
      REMOVES.replace('+charge', '+\u202echarge'),
      LINES,
      /not all of what it does would be visible/,
    ],
    ['that does not change anything', 'no patch', LINES, /changes 0 files/],
  ])('is no suggestion %s', (_, patch, lines, why) => {
    expect(suggestPatch(patch, lines, HUNKS)).toEqual({ why: expect.stringMatching(why) as unknown });
  });

  it('gives the file that the patch gives, whatever it does to the lines of the thread', () => {
    const line = fc.constantFrom('a', 'b', '  c', '');
    const file = fc.array(line, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(file, file, fc.nat(8), fc.nat(8), (before, replacement, one, other) => {
        const [start, end] = [one % before.length, other % before.length].sort((a, b) => a - b) as [
          number,
          number,
        ];
        const old = before.slice(start, end + 1);
        const patch = [
          ...[`@@ -1,${before.length} +1,${before.length - old.length + replacement.length} @@`],
          ...before.slice(0, start).map((text) => ` ${text}`),
          ...old.map((text) => `-${text}`),
          ...replacement.map((text) => `+${text}`),
          ...before.slice(end + 1).map((text) => ` ${text}`),
        ];
        const shown = readHunks(
          [`@@ -0,0 +1,${before.length} @@`, ...before.map((text) => `+${text}`)].join('\n'),
        );
        const lines = { path: 'src/pay.ts', startLine: start + 1, endLine: end + 1 };
        const made = suggestPatch(of(...patch), lines, shown);
        const isSame = replacement.join('\n') === old.join('\n');
        if (isSame) expect(made).toHaveProperty('why');
        else expect(made).toEqual({ suggestion: replacement.map((text) => `${text}\n`).join('') });
      }),
    );
  });
});
