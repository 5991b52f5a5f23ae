import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRedaction } from '../../src/text/redact.js';
import { watchSeams, type Piece } from '../../src/text/redact-seams.js';

const SECRET = 'zq-7fQ2xV9';
const LONG = 'key_3f1e2d3c4b5a69788796a5b4c3d2e1f0';
const BASE32 = 'NNSXSXZTMYYWKMTEGNRTIYRVME3DSNZYHA3TSNTBGVRDIYZTMQZGKMLGGA======';
const part = (text: string, channel = 'text'): Piece<string> => ({
  line: text,
  role: { kind: 'part', channel, text },
});
const aside = (line: string): Piece<string> => ({ line, role: { kind: 'aside' } });
const other = (line: string): Piece<string> => ({ line, role: { kind: 'other' } });

const open = () =>
  watchSeams<string>(createRedaction([SECRET]), (line, from, to) => {
    expect(line).toBe(from);
    return to;
  });
const through = (pieces: Piece<string>[]) => {
  const seams = open();
  return [...pieces.flatMap((piece) => seams.push(piece)), ...seams.end()];
};

describe('watchSeams', () => {
  it('lets lines go at once that cannot be a part of a secret', () => {
    const seams = open();
    expect(seams.push(part('Hello '))).toEqual(['Hello ']);
    expect(seams.push(part('world'))).toEqual(['world']);
    expect(seams.push(other('tool'))).toEqual(['tool']);
  });

  it('holds the possible beginning of a secret until it is known to be none', () => {
    const seams = open();
    expect(seams.push(part('see zq-7'))).toEqual([]);
    expect(seams.push(aside('noise'))).toEqual([]);
    expect(seams.push(part('0 more.'))).toEqual(['see zq-7', 'noise', '0 more.']);
  });

  it('takes out a secret in two pieces, in many, and with noise between', () => {
    expect(through([part('a zq-7fQ'), part('2xV9 b')])).toEqual(['a ***', ' b']);
    expect(through(Array.from(SECRET, (letter) => part(letter))).join('')).toBe('***');
    expect(through([part('a zq-'), aside('?'), part('7fQ2x'), part(''), part('V9')])).toEqual([
      ...['a ***', '?', '', '', ''],
    ]);
    expect(through([part('zq-zq-7f'), part('Q2xV9zq-7fQ'), part('2xV9!')]).join('')).toBe('zq-******!');
  });

  it('takes out the rest of a secret whose beginning had to be let go', () => {
    expect(through([part('a zq-7fQ'), other('tool'), part('2xV9 b')])).toEqual(['a zq-7fQ', 'tool', '*** b']);
    expect(through([part('a zq-7fQ'), part('x', 'thinking'), part('2xV9 b')]).at(-1)).toBe('*** b');
  });

  it('keeps channels apart', () => {
    expect(through([part('zq-7fQ'), part('2xV9', 'thinking')])).toEqual(['zq-7fQ', '2xV9']);
  });

  it('takes out a token of a known shape in pieces', () => {
    const pieces = ['my ', 'gh', 'p_A1b2', 'C3d4E5f6G7h8', 'I9j0K1l2', 'M3n4', ' is it'].map((text) =>
      part(text),
    );
    expect(through(pieces).join('')).toBe('my *** is it');
  });

  it.each<[string, string[]]>([
    ['decimal codes', Array.from(LONG, (letter) => `${letter.charCodeAt(0)}, `)],
    ['base32', BASE32.match(/.{1,7}/g) ?? []],
    [
      'base64 of base64',
      Buffer.from(Buffer.from(LONG).toString('base64'))
        .toString('base64')
        .match(/.{1,5}/g) ?? [],
    ],
  ])('takes out %s in pieces, wherever they are cut', (_, pieces) => {
    const redaction = createRedaction([LONG]);
    for (let cut = 1; cut < pieces.length; cut += 1) {
      const seams = watchSeams<string>(redaction, (_line, _from, to) => to);
      const given = [pieces.slice(0, cut).join(''), pieces.slice(cut).join('')].map((text) => part(text));
      const text = [...given.flatMap((piece) => seams.push(piece)), ...seams.end()].join('');
      expect(text.replace(/[^A-Za-z0-9]/g, '').length).toBeLessThan(24);
    }
  });

  it('does not hold for ever: then what may be half a secret is taken for one', () => {
    const noise = Array.from({ length: 2000 }, (_, index) => aside(String(index)));
    const lines = through([part('a zq-7fQ'), ...noise, part('2xV9 b')]);
    expect(lines).toHaveLength(2002);
    expect([lines[0], lines.at(-1)]).toEqual(['a ***', '*** b']);
  });

  it('loses no line, keeps their order, and leaves no secret in the text, however it is cut', () => {
    const noise = fc.constantFrom('zq-', 'z', 'q-7f', ' words ', SECRET, 'V9');
    const cut = fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 12 }), cut, (texts, sizes) => {
        const whole = texts.join('');
        const pieces: Piece<string>[] = [];
        for (let at = 0, turn = 0; at < whole.length; turn += 1) {
          const size = sizes[turn % sizes.length]! + 1;
          pieces.push(part(whole.slice(at, at + size)));
          at += size;
        }
        const lines = through(pieces);
        expect(lines).toHaveLength(pieces.length);
        expect(lines.join('')).toBe(whole.replaceAll(SECRET, '***'));
      }),
      { numRuns: 1000 },
    );
  });

  it('takes out a key that is split in the middle of what hides it', () => {
    const key = 'key_0f1e2d3c4b5a69788796a5b4c3d2e1f0';
    const hidden = fc.constantFrom(
      key.replace('_', '\\_'),
      key.replace('_', '&#95;'),
      `${key.slice(0, 12)}\u001b[31m${key.slice(12)}`,
      `${key.slice(0, 20)}\u200b${key.slice(20)}`,
      Buffer.from(key).toString('hex').replace(/../g, '$&:'),
    );
    fc.assert(
      fc.property(
        hidden,
        fc.integer({ min: 6, max: 30 }),
        fc.integer({ min: 1, max: 9 }),
        (text, first, more) => {
          const seams = watchSeams<string>(createRedaction([key]), (_line, _from, to) => to);
          const pieces = [
            `a ${text.slice(0, first)}`,
            text.slice(first, first + more),
            `${text.slice(first + more)} b`,
          ];
          const lines = [...pieces.flatMap((piece) => seams.push(part(piece))), ...seams.end()];
          // Its prefix alone gives nothing away.
          expect(lines.join('')).toMatch(/^a (key\S{0,5})?\*\*\*:? b$/);
        },
      ),
      { numRuns: 500 },
    );
  });
});
