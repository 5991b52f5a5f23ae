import { describe, expect, it } from '@jest/globals';
import { readHunks } from '../../src/git/diff.js';
import { findingId, hashCode, idsDismissedIn, linesOf } from '../../src/review/finding-id.js';
import { finding, PATCH } from '../publish/reports.js';

const files = new Map([['src/pay.ts', readHunks(PATCH)]]);
const text = 'one\r\ntwo\nthree\n';
const sources = (given = text) => ({
  files,
  readLines: (_path: string, range: { startLine: number; endLine: number }) =>
    linesOf(Buffer.from(given), range),
});
const at = (startLine: number, endLine = startLine, more: object = {}) =>
  finding({ path: 'lib/other.ts', startLine, endLine, ...more });

describe('the id of a finding', () => {
  it('belongs to the text of its lines, in other words and wherever they are', () => {
    const code = hashCode(at(2), sources());
    expect(hashCode(at(2, 2, { title: 'Other words' }), sources())).toBe(code);
    expect(hashCode(at(3), sources(`zero\n${text}`))).toBe(code);
    expect(hashCode(at(2), sources('one\ntwo!\nthree\n'))).not.toBe(code);
    expect(hashCode(at(2, 3), sources())).not.toBe(code);
    expect(hashCode(at(2, 2, { path: 'lib/else.ts' }), sources())).not.toBe(code);
    expect(findingId('a'.repeat(20), code)).not.toBe(findingId('b'.repeat(20), code));
  });

  it('is the same whether the change shows the lines or the file does', () => {
    const shown = finding({ startLine: 11, endLine: 12 });
    const readLines = () => ['if (total > 0) charge(total);', 'log(card.number);'];
    expect(hashCode(shown, { files, readLines: () => undefined })).toBe(
      hashCode(shown, { files: new Map(), readLines }),
    );
  });

  it.each<[string, object, string | Buffer]>([
    ['a file that is no text', {}, Buffer.from([1, 0, 2])],
    ['removed lines that are not shown', { side: 'base' }, text],
    ['an empty file', {}, ''],
  ])('belongs to its words where there is no text: %s', (_name, more, source) => {
    const readLines = (_path: string, range: { startLine: number; endLine: number }) =>
      linesOf(Buffer.from(source), range);
    const code = (title: string) => hashCode(at(1, 1, { title, ...more }), { files, readLines });
    expect(code('It is wrong!')).toBe(code('it is wrong'));
    expect(code('It is wrong')).not.toBe(code('It is right'));
  });
});

describe('a comment that dismisses by id', () => {
  const [one, two] = ['0123456789abcdef0123', 'fedcba98765432100123'];
  it.each<[string, string[]]>([
    [`/cursor dismiss ${one}`, [one]],
    [`Fine.\r\n  /cursor  dismiss ${one.toUpperCase()}, ${two} because it is wanted\r\n`, [one, two]],
    [`/cursor dismiss ${one}\n/cursor dismiss ${two}`, [one, two]],
    [`> /cursor dismiss ${one}`, []],
    [`Write /cursor dismiss ${one}`, []],
    [`/cursor dismiss ${one}?`, []],
    [`/cursor dismiss ${one}0`, []],
    ['/cursor dismiss', []],
    ['/cursor dismiss 0123456', []],
  ])('%j', (comment, ids) => {
    expect(idsDismissedIn(comment)).toEqual(ids);
  });
});
