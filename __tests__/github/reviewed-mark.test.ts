import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { digest, writeMarker } from '../../src/github/marker.js';
import { readReviewedMark, reviewedMark } from '../../src/github/reviewed-mark.js';

const hex = (length: number) =>
  fc
    .array(
      fc.nat(15).map((digit) => digit.toString(16)),
      { minLength: length, maxLength: length },
    )
    .map((digits) => digits.join(''));
const commit = fc.oneof(hex(40), hex(64));
const marks = fc.record({ head: commit, base: commit, policy: hex(20), prompt: hex(20) });
const MARK = { head: 'a'.repeat(40), base: 'b'.repeat(40), policy: 'c'.repeat(20), prompt: 'd'.repeat(20) };
const LINE = reviewedMark(MARK);
const OURS = writeMarker({ kind: 'comment', key: digest('key') });

describe('the mark of what was reviewed', () => {
  it('is read as it was written, alone and below our marker, with the line ends of GitHub', () => {
    fc.assert(
      fc.property(marks, fc.string(), (mark, text) => {
        const line = reviewedMark(mark);
        expect(line).not.toContain('\n');
        for (const body of [line, `${line}\n${text}`, `${OURS}\n${line}\n${text}`, `${OURS}\r\n${line}\r\n`])
          expect(readReviewedMark(body)).toEqual(mark);
      }),
    );
  });

  it.each([
    ['no text', ''],
    ['another version', LINE.replace('v=1', 'v=2')],
    ['a short commit', LINE.replace('a'.repeat(40), 'a'.repeat(39))],
    ['a commit of no length that git has', LINE.replace('a'.repeat(40), 'a'.repeat(50))],
    ['capital letters', LINE.replace('a'.repeat(40), 'A'.repeat(40))],
    ['a name instead of a commit', LINE.replace('a'.repeat(40), 'main')],
    ['more than there is', LINE.replace(' -->', ' more=1 -->')],
    ['another order', LINE.replace(/(head=\S+) (base=\S+)/, '$2 $1')],
    ['text before it', `x ${LINE}`],
    ['text behind it', `${LINE} x`],
    ['a place further down', `${OURS}\nhello\n${LINE}`],
    ['below the words of somebody', `hello\n${LINE}`],
    ['a place that is too far away', `${' '.repeat(5000)}\n${LINE}`],
  ])('is not read from %s', (_name, body) => {
    expect(readReviewedMark(body)).toBeUndefined();
  });

  it('is read from any text in no time, and never as something that is not a mark', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(200), (text, at) => {
        const read = readReviewedMark(`${LINE.slice(0, at)}${text}${LINE.slice(at)}`);
        if (read)
          expect(reviewedMark(read)).toHaveLength(LINE.length + text.replace(/\r?\n[^]*$/, '').length);
      }),
    );
    expect(readReviewedMark('<!-- '.repeat(1_000_000))).toBeUndefined();
  });
});
