import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  cleanLines,
  createGrowingRedaction,
  createRedaction,
  redactAll,
  createFinder,
  merge,
} from '../../src/text/redact.js';

const secret = fc
  .string({ minLength: 8, maxLength: 60, unit: 'binary' })
  .filter((text) => text.trim().length >= 8 && !text.includes('*') && !/[\r\n]/.test(text));
const around = fc.string({ maxLength: 20 });

const everyUnit = (text: string, write: (code: number) => string) =>
  Array.from({ length: text.length }, (_, index) => write(text.charCodeAt(index))).join('');
const everyByte = (text: string, write: (hex: string) => string) =>
  Array.from(Buffer.from(text), (byte) => write(byte.toString(16).padStart(2, '0'))).join('');

const ENCODINGS: [string, (text: string) => string][] = [
  ['plain', (text) => text],
  ['URL-encoded', encodeURIComponent],
  ['in JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['hex', (text) => Buffer.from(text).toString('hex')],
  ['upper-case hex', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['in JSON in JSON', (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1)],
  ['as \\u escapes', (text) => everyUnit(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`)],
  [
    'as upper-case \\u escapes',
    (text) => everyUnit(text, (code) => `\\u${code.toString(16).padStart(4, '0').toUpperCase()}`),
  ],
  [
    'URL-encoded in lower case',
    (text) => encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  ],
  ['URL-encoded as a form', (text) => new URLSearchParams({ a: text }).toString().slice(2)],
  ['URL-encoded byte by byte', (text) => everyByte(text, (hex) => `%${hex.toUpperCase()}`)],
  ['as bytes in a string', (text) => everyByte(text, (hex) => `\\x${hex}`)],
  ['reversed', (text) => Array.from(text).reverse().join('')],
];

describe('redact', () => {
  it.each(ENCODINGS)('takes a secret out that is written %s', (_name, encode) => {
    fc.assert(
      fc.property(secret, around, around, (text, before, after) => {
        const value = text.trim();
        fc.pre(!/\p{Surrogate}/u.test(value));
        const redacted = createRedaction([value]).redact(`${before}${encode(value)}${after}`);
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
          const redacted = createRedaction([value]).redact(encoded);
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
    const redact = createRedaction(['-----BEGIN-----\nabcdefghijkl\nmnopqrstuvwx\n-----END-----']).redact;
    expect(redact('x mnopqrstuvwx y')).toBe('x *** y');
  });

  it('leaves text alone where there is nothing to hide, and words too short to be secrets', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(createRedaction(['', 'abc']).redact(text)).toBe(text);
      }),
    );
  });

  it('replaces the longest form where one holds another', () => {
    expect(createRedaction(['secret-1', 'secret-1-and-more']).redact('secret-1-and-more')).toBe('***');
  });

  it('takes out two secrets that overlap', () => {
    expect(createRedaction(['abcdefgh', 'efghijkl']).redact('x abcdefghijkl y')).toBe('x *** y');
  });

  it('copes with a secret that is no well-formed text', () => {
    expect(createRedaction(['\ud800secret']).redact('x \ud800secret y')).toBe('x *** y');
  });
});

describe('redactLine', () => {
  const { redactLine } = createRedaction(['a"b\\c secret', 'nfoo-bar-1', '12345678', 'päss/wörd']);
  const cleaned = (line: string) => JSON.parse(redactLine(line)) as unknown;

  it('keeps a JSON line a JSON line', () => {
    expect(cleaned(JSON.stringify({ text: 'x a"b\\c secret y' }))).toEqual({ text: 'x *** y' });
  });

  it('does not break an escape in two', () => {
    const line = JSON.stringify({ text: 'x\nfoo-bar-1' });
    expect(cleaned(line)).toEqual({ text: 'x\nfoo-bar-1' });
  });

  it('sees through every way to escape a character', () => {
    for (const text of ['n\\u0066oo-bar-1', '\\u006Efoo\\u002dbar-\\u0031', 'p\\u00e4ss\\/w\\u00F6rd'])
      expect(cleaned(`{"text":"x ${text} y"}`)).toEqual({ text: 'x *** y' });
  });

  it('sees a short secret however often it is escaped, and a long one in a numbered listing', () => {
    const nested = JSON.stringify(JSON.stringify('a"b\\c secret'));
    expect(redactLine(JSON.stringify({ text: nested }))).toContain('***');
    const key = createRedaction(['key_0f1e2d3c4b5a69788796a5b4c3d2e1f0']);
    const listing = 'x\n     7\tkey_0f1e2d3c4b5a6978\n     8\t8796a5b4c3d2e1f0';
    expect(key.redactLine(JSON.stringify({ listing }))).toBe('{"listing":"x\\n     7\\t***"}');
  });

  it('takes out names and numbers, and values that a later one of the same name hides', () => {
    expect(cleaned('{"nfoo-bar-1":12345678}')).toEqual({ '***': '***' });
    expect(redactLine('{"a":"\\u006efoo-bar-1","a":"x"}')).toBe('{"a":"x"}');
  });

  it('leaves a clean line as it is, to the byte', () => {
    const line = '{ "a" : 1.0, "b": "\\u001b[31m x" }';
    expect(redactLine(line)).toBe(line);
  });

  it('redacts what only looks like JSON as text', () => {
    expect(redactLine('{ broken nfoo-bar-1')).toBe('{ broken ***');
    const deep = `${'['.repeat(100_000)}"nfoo-bar-1"${']'.repeat(100_000)}`;
    expect(redactLine(deep)).not.toContain('nfoo-bar-1');
  });
});

describe('redactAll', () => {
  it('reaches every text, however deep', () => {
    const value = { a: ['hide-this-1', { 'hide-this-1': 'x hide-this-1' }], n: 1, u: undefined, nil: null };
    expect(JSON.stringify(redactAll(value, createRedaction(['hide-this-1']).redact))).not.toContain(
      'hide-this-1',
    );
    expect(redactAll({ n: 1, nil: null }, (text) => text)).toEqual({ n: 1, nil: null });
  });
});

describe('cleanLines', () => {
  const clean = (lines: string[]) => lines.map(cleanLines(createRedaction(['secret-word-1'])));

  it('takes out a private key over many lines, and nothing after it', () => {
    const key = ['-----BEGIN PRIVATE KEY-----', 'MIIEpAIBAAKC', 'AQEA7bq98w==', '-----END PRIVATE KEY-----'];
    expect(clean(['before', ...key, 'after', 'secret-word-1'])).toEqual([
      ...['before', '***', '***', '***', '***', 'after', '***'],
    ]);
  });

  it('goes on after a key that does not end', () => {
    expect(clean(['-----BEGIN PRIVATE KEY-----', 'MIIE', '{"type":"result"}', 'MIIE'])).toEqual([
      ...['***', '***', '{"type":"result"}', 'MIIE'],
    ]);
    const endless = clean(['-----BEGIN PRIVATE KEY-----', ...Array<string>(1000).fill('MIIE')]);
    expect(endless.at(-1)).toBe('MIIE');
  });

  it('does not take the lines after an event that names a key for one', () => {
    const event = JSON.stringify({ text: '-----BEGIN PRIVATE KEY-----' });
    expect(clean([event, 'plain words'])).toEqual(['{"text":"***"}', 'plain words']);
  });
});

describe('a growing redaction', () => {
  it('finds what it learns later, also for those who took a function of it before', () => {
    const redaction = createGrowingRedaction();
    const { redact, redactLine, find, openTail, redactMarkup } = redaction;
    redaction.learn(['first-secret-1']);
    expect(redact('first-secret-1 second-secret-2')).toBe('*** second-secret-2');
    redaction.learn(['second-secret-2']);
    expect(redact('first-secret-1 second-secret-2')).toBe('*** ***');
    expect(redactLine('{"a":"second-secret-2"}')).toBe('{"a":"***"}');
    expect(find('x second-secret-2')).toHaveLength(1);
    expect(openTail('x second-secr')).toBeGreaterThan(0);
    expect(redactMarkup('<b>second</b>-secret-2', /<[^>]*>/)).not.toContain('second');
  });
});

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

const redact = createRedaction([]).redact;
const tokenLetters = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8';
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA7bq98\n'.repeat(5)}-----END RSA PRIVATE KEY-----`;

describe('tokens known by their shape', () => {
  it.each([
    ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'npm_', 'sk-proj-', 'sk-ant-api03-', 'glpat-', 'AIza'].map(
      (prefix) => `${prefix}${tokenLetters}`,
    ),
    `github_pat_${tokenLetters}_${tokenLetters}`,
    'key_0123456789abcdef0123456789abcdef',
    'AKIAIOSFODNN7EXAMPLE',
    'ASIAIOSFODNN7EXAMPLE',
    'xoxb-123456789012-abcdefghij',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
    PEM,
    PEM.replace(' RSA', ''),
    PEM.replaceAll(' RSA PRIVATE KEY', ' PGP PRIVATE KEY BLOCK'),
  ])('are taken out wherever they stand: %j', (token) => {
    expect(redact(`x ${token} y`)).toBe('x *** y');
    expect(redact(`TOKEN=${token}`)).toBe('TOKEN=***');
    expect(redact(`\n${token}`)).toBe('\n***');
    const line = JSON.stringify({ text: `first\n${token}\nlast` });
    expect(JSON.parse(createRedaction([]).redactLine(line))).toEqual({ text: 'first\n***\nlast' });
  });

  it('do not catch ordinary words', () => {
    for (const text of [
      'task-management-system-overview',
      'sk-learn-based-classification-pipeline',
      'ghost_writer_of_the_whole_story_here',
      'key_name key_value key_of_the_whole_thing',
      'monkey_0123456789abcdef0123456789abcdef',
      'the PRIVATE KEY of a house',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      'eyJustAWord.and.another',
    ])
      expect(redact(text)).toBe(text);
  });

  it('take a private key without an end as far as it goes', () => {
    expect(redact('-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKC\nQEA7bq98"} and words')).toBe('***"} and words');
  });

  it('cannot be made slow', () => {
    const size = 2_000_000;
    for (const part of [
      'eyJ',
      'eyJaaaaaaaa.',
      '-----BEGIN PRIVATE KEY-----',
      'sk-',
      'sk-a',
      'ghp_',
      '-----END ',
      'A',
    ])
      expect(redact(part.repeat(size / part.length)).length).toBeLessThanOrEqual(size);
  });
});
