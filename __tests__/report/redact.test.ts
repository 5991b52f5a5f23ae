import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRedactor, redactAll } from '../../src/report/redact.js';

const secret = fc
  .string({ minLength: 8, maxLength: 60, unit: 'binary' })
  .filter((text) => text.trim().length >= 8 && !text.includes('*') && !/[\r\n]/.test(text));
const around = fc.string({ maxLength: 20 });

const ENCODINGS: [string, (text: string) => string][] = [
  ['plain', (text) => text],
  ['URL-encoded', encodeURIComponent],
  ['in JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['hex', (text) => Buffer.from(text).toString('hex')],
  ['upper-case hex', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['reversed', (text) => Array.from(text).reverse().join('')],
];

describe('createRedactor', () => {
  it.each(ENCODINGS)('takes a secret out that is written %s', (_name, encode) => {
    fc.assert(
      fc.property(secret, around, around, (text, before, after) => {
        const value = text.trim();
        fc.pre(!/\p{Surrogate}/u.test(value));
        const redacted = createRedactor([value])(`${before}${encode(value)}${after}`);
        expect(redacted).not.toContain(encode(value));
      }),
    );
  });

  it.each(['base64', 'base64url'] as const)('takes a secret out wherever it stands in %s', (encoding) => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z0-9_]{20,60}$/),
        fc.string(),
        fc.string(),
        (value, before, after) => {
          const encoded = Buffer.from(before + value + after).toString(encoding);
          const redacted = createRedactor([value])(encoded);
          // What is left of it does not decode to the secret any more, at any alignment.
          for (const part of redacted.split('***')) {
            for (const offset of [0, 1, 2, 3]) {
              expect(Buffer.from(part.slice(offset), encoding).toString('latin1')).not.toContain(
                value.slice(3, -3),
              );
            }
          }
          expect(redacted).toContain('***');
        },
      ),
    );
  });

  it('takes out every line of a secret of many lines', () => {
    const redact = createRedactor(['-----BEGIN-----\nabcdefghijkl\nmnopqrstuvwx\n-----END-----']);
    expect(redact('x mnopqrstuvwx y')).toBe('x *** y');
  });

  it('leaves text alone where there is nothing to hide, and words too short to be secrets', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(createRedactor(['', 'abc'])(text)).toBe(text);
      }),
    );
  });

  it('replaces the longest form where one holds another', () => {
    expect(createRedactor(['secret-1', 'secret-1-and-more'])('secret-1-and-more')).toBe('***');
  });

  it('keeps a JSON line a JSON line', () => {
    const redact = createRedactor(['a"b\\c secret']);
    const line = redact(JSON.stringify({ text: 'x a"b\\c secret y' }));
    expect(JSON.parse(line)).toEqual({ text: 'x *** y' });
  });
});

describe('redactAll', () => {
  it('reaches every text, however deep', () => {
    const value = { a: ['hide-this-1', { 'hide-this-1': 'x hide-this-1' }], n: 1, u: undefined, nil: null };
    expect(JSON.stringify(redactAll(value, createRedactor(['hide-this-1'])))).not.toContain('hide-this-1');
    expect(redactAll({ n: 1, nil: null }, (text) => text)).toEqual({ n: 1, nil: null });
  });
});
