import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { logLine, oneLine, showUnseen, truncate, truncateStart } from '../../src/text/plain-text.js';

/** The runner's own rules: what it takes for a command in a line of output. */
function hasCommand(line: string): boolean {
  return line.split(/\r\n|\r|\n/).some((part) => part.trimStart().startsWith('::') || part.includes('##['));
}

describe('logLine', () => {
  const hostile = fc
    .array(
      fc.constantFrom(
        '::',
        ':',
        '##[',
        '##',
        '[',
        'add-mask',
        ' ',
        '\t',
        '\r',
        '\n',
        '\u2028',
        '\u0085',
        '\u001b[31m',
        '\u200b',
        'x',
        '\u00a0',
        '\ufeff',
      ),
    )
    .map((parts) => parts.join(''));

  it('never lets a command through', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: 'binary' })), (text) => {
        expect(hasCommand(logLine(text))).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('is one line of bounded length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => {
        const line = logLine(text, 100);
        expect(line).not.toMatch(/[\r\n]/);
        expect(line.length).toBeLessThanOrEqual(100);
      }),
    );
  });

  it('leaves ordinary text as it is', () => {
    expect(logLine('use std::vec, see a::b — café ✓')).toBe('use std::vec, see a::b — café ✓');
  });
});

describe('showUnseen', () => {
  it('drops colours and shows what cannot be seen', () => {
    expect(showUnseen('\u001b[1;31mred\u001b[0m')).toBe('red');
    expect(showUnseen('a\u202eb\u200bc')).toBe('a<U+202E>b<U+200B>c');
    expect(showUnseen('bell\u0007')).toBe('bell\ufffd');
    expect(showUnseen('\u001b]8;;http://x\u0007link\u001b]8;;\u0007')).toBe('link');
  });
});

describe('truncate', () => {
  it('never exceeds its bound and never cuts a character in half', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 20 }), (text, most) => {
        for (const cut of [truncate(text, most), truncateStart(text, most)]) {
          expect(cut.length).toBeLessThanOrEqual(Math.max(most, 0));
          expect(cut).not.toMatch(/\p{Surrogate}/u);
        }
      }),
    );
    expect(truncate('abcdef', 4)).toBe('abc…');
    expect(truncateStart('abcdef', 4)).toBe('…def');
  });
});

describe('oneLine', () => {
  it('keeps the parts of several lines apart', () => {
    expect(oneLine(' a\nb\r\nc ')).toBe('a ⏎ b ⏎ c');
  });
});
