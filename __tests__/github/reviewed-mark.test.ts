import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  digest,
  MAX_LEFT_CHARACTERS,
  readLeftReview,
  readReviewedMark,
  reviewedMark,
  withLeftReview,
  writeMarker,
} from '../../src/github/marker.js';

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

describe('what a review leaves', () => {
  const left = (findings: string) => ({ mark: MARK, findings });

  it('is read as it was written, replaces what was there, and changes nothing else', () => {
    const texts = ['', 'QUJD', 'QUJDRA==', 'A'.repeat(MAX_LEFT_CHARACTERS)];
    for (const body of [OURS, `${OURS}\nhello\n<!-- x -->`, `${OURS}\r\nhello`])
      for (const one of texts)
        for (const other of texts) {
          const written = withLeftReview(withLeftReview(body, left(one)), left(other));
          expect(readLeftReview(written)).toEqual(left(other));
          expect(readLeftReview(written.replaceAll('\n', '\r\n'))).toEqual(left(other));
          const rest = body.replaceAll('\r', '').slice(OURS.length);
          expect(written.startsWith(OURS) && written.endsWith(rest)).toBe(true);
          expect(written.split('\n')).toHaveLength(rest.split('\n').length + (other === '' ? 1 : 2));
        }
  });

  it.each([
    ['a text without our marker', `hello`],
    ['no text', ''],
  ])('is not written into %s', (_name, body) => {
    expect(withLeftReview(body, left('QUJD'))).toBe(body);
  });

  it.each([
    ['more than fits', `${OURS}\n${LINE}\n<!-- cursor-agent-action found v=1 ${'A'.repeat(20_000)} -->`],
    ['another place', `${OURS}\n${LINE}\nhello\n<!-- cursor-agent-action found v=1 QUJD -->`],
    ['another version', `${OURS}\n${LINE}\n<!-- cursor-agent-action found v=2 QUJD -->`],
    ['other characters', `${OURS}\n${LINE}\n<!-- cursor-agent-action found v=1 QU-D -->`],
  ])('has no findings in %s', (_name, body) => {
    expect(readLeftReview(body)).toEqual(left(''));
  });

  it('is nothing without a mark', () => {
    expect(readLeftReview(`${OURS}\n<!-- cursor-agent-action found v=1 QUJD -->`)).toBeUndefined();
  });
});
