import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { readHunks } from '../../src/git/diff.js';
import { placeFinding, suggestionBlock } from '../../src/publish/review-plan.js';
import { finding, PATCH } from './reports.js';

const files = (patch = PATCH) => new Map([['src/pay.ts', readHunks(patch)]]);
const placed = (given: Parameters<typeof finding>[0], patch = PATCH) =>
  placeFinding({ ...finding(given), place: 'in-change' }, files(patch));

describe('where a finding can be', () => {
  it.each<[number, number, unknown]>([
    [12, 12, { kind: 'lines', startLine: 12, endLine: 12 }],
    [10, 13, { kind: 'lines', startLine: 10, endLine: 13 }],
    [1, 10, { kind: 'lines', startLine: 10, endLine: 10 }],
    [13, 40, { kind: 'lines', startLine: 40, endLine: 40 }],
    [14, 39, { kind: 'body' }],
    [42, 42, { kind: 'body' }],
    [1, 9, { kind: 'body' }],
  ])('lines %i to %i', (startLine, endLine, expected) => {
    expect(placed({ startLine, endLine })).toMatchObject(expected as object);
  });

  it.each(['src/other.ts', '../src/pay.ts', '/src/pay.ts', 'src\\pay.ts', '__proto__', 'src/pay.ts\u0000'])(
    'a path that is not in the change: %j',
    (path) => {
      expect(placed({ path }).kind).toBe('body');
    },
  );

  it('is known again by the text of the lines, wherever they are', () => {
    const moved = PATCH.replace('+10,4', '+110,4');
    expect(placed({ startLine: 112, endLine: 112 }, moved).place).toBe(placed({}).place);
    expect(placed({}, PATCH.replace('log(card', 'log( card')).place).not.toBe(placed({}).place);
    expect(placed({ startLine: 11, endLine: 12 }).place).not.toBe(placed({}).place);
  });
});

describe('a suggestion', () => {
  const suggestionOf = (suggestion: string, patch = PATCH, given: object = {}) => {
    const place = placed({ suggestion, ...given }, patch);
    return place.kind === 'lines' ? place.suggestion : undefined;
  };

  it.each<[string, string, string | undefined]>([
    ['replaces the lines', 'log(1);', 'log(1);\n'],
    ['may end its last line', 'log(1);\n', 'log(1);\n'],
    ['may be an empty line', '\n', '\n'],
    ['takes the lines away', '', ''],
    ['keeps tabs and blanks', '\tlog( 1 ); ', '\tlog( 1 ); \n'],
    ['has its carriage returns left out', 'a\r\nb\r\n', 'a\nb\n'],
    ['is none if it is what is there', 'log(card.number);', undefined],
    ['is none if something in it cannot be seen', 'log("\u202e")', undefined],
    ['is none with zero-width characters', 'lo\u200bg(1)', undefined],
    ['is none if other bots would obey it', '/merge', undefined],
    ['is none if a secret was taken out of it', 'key = "***"', undefined],
    ['may be a path', '/usr/bin/env', '/usr/bin/env\n'],
  ])('%s', (_name, text, expected) => {
    expect(suggestionOf(text)).toBe(expected);
  });

  it('of a file with carriage returns is compared without them', () => {
    const patch = PATCH.replaceAll('\n', '\r\n');
    expect(suggestionOf('log(card.number);', patch)).toBeUndefined();
    expect(suggestionOf('log(1);\r\n', patch)).toBe('log(1);\n');
  });

  it('is only offered for exactly its lines', () => {
    expect(suggestionOf('x', PATCH, { startLine: 12, endLine: 20 })).toBeUndefined();
  });

  it('arrives as it is, whatever backticks are in it', () => {
    const lines = fc.array(
      fc.constantFrom('`', '```', '````suggestion', 'x', ' ', '~~~', '> ', '- a', '\t'),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(fc.array(lines, { minLength: 1 }), (all) => {
        const text = `${all.map((line) => line.join('')).join('\n')}\n`;
        const [block, ...others] = fromMarkdown(suggestionBlock(text)).children;
        expect(others).toEqual([]);
        expect(block).toMatchObject({ type: 'code', lang: 'suggestion', value: text.replace(/\n$/, '') });
      }),
    );
  });
});
