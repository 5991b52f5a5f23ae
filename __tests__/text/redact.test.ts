import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
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

const KEY = 'key_3f1e2d3c4b5a69788796a5b4c3d2e1f0918273645546372819abcdef01234567';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const wrapped = (text: string, width: number) => text.replace(new RegExp(`.{${width}}`, 'g'), '$&\n');
const codes = (text: string, write: (byte: number) => string) => Array.from(Buffer.from(text), write);
function base32(text: string): string {
  const bits = codes(text, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = (bits.match(/.{1,5}/g) ?? []).map(
    (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[parseInt(five.padEnd(5, '0'), 2)],
  );
  return letters.join('') + '='.repeat((8 - (letters.length % 8)) % 8);
}

describe('less usual forms', () => {
  const FORMS: [string, (text: string) => string][] = [
    ['base32', base32],
    ['base32 in small letters, in groups', (text) => wrapped(base32(text).toLowerCase(), 8)],
    ['base64 of base64', (text) => base64(base64(text))],
    [
      'base64url of base64url',
      (text) => Buffer.from(Buffer.from(text).toString('base64url')).toString('base64url'),
    ],
    ['base64 of it reversed', (text) => base64(Array.from(text).reverse().join(''))],
    ['base64, reversed', (text) => Array.from(base64(text)).reverse().join('')],
    ['decimal codes', (text) => codes(text, String).join(' ')],
    ['decimal codes with commas', (text) => codes(text, String).join(',')],
    ['a list of decimal codes', (text) => JSON.stringify(Array.from(Buffer.from(text)))],
    ['decimal codes, one per line', (text) => codes(text, String).join('\n')],
    ['od -An -tu1', (text) => wrapped(codes(text, (byte) => String(byte).padStart(4)).join(''), 64)],
    [
      'decimal codes of three digits',
      (text) => codes(text, (byte) => String(byte).padStart(3, '0')).join(''),
    ],
    [
      'od -An -b',
      (text) => wrapped(codes(text, (byte) => ` ${byte.toString(8).padStart(3, '0')}`).join(''), 64),
    ],
    ['octal escapes', (text) => codes(text, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')],
  ];
  const { redact: hide, redactLine } = createRedaction([KEY]);

  it.each(FORMS)('%s is taken out, also of a longer text and of JSON', (_, write) => {
    for (const text of [KEY, `GITHUB ${KEY} y`, `ab${KEY}`, `a${KEY}b`, `abc${KEY}`, `abcd${KEY}`]) {
      const hidden = hide(`Look: ${write(text)} .`);
      expect(hidden).toContain('***');
      // At most what stands around the key is left, and a few letters at the ends.
      const left = (line: string) => line.replace(/[^A-Za-z0-9]/g, '').length;
      expect(left(hidden)).toBeLessThan(left(write(text)) - left(write(KEY)) + 24);
      const line = redactLine(JSON.stringify({ a: ['x', { text: write(text) }] }));
      expect(left(line)).toBeLessThan(left(write(text)) - left(write(KEY)) + 32);
    }
  });

  it('base64 | base64 is taken out', () => {
    const text = wrapped(base64(`${wrapped(base64(`${KEY}\n`), 76)}\n`), 76);
    expect(hide(text).replace(/[^A-Za-z0-9]/g, '').length).toBeLessThan(8);
  });

  it('is taken out of an array of numbers or letters in a line, which stays JSON', () => {
    const numbers = Array.from(Buffer.from(KEY));
    expect(JSON.parse(redactLine(JSON.stringify({ a: numbers, b: Array.from(KEY), c: [1, 2] })))).toEqual({
      ...{ a: ['***'], b: ['***'], c: [1, 2] },
    });
    expect(redactLine(JSON.stringify({ a: [[1, 2], 'x'] }))).toBe('{"a":[[1,2],"x"]}');
  });

  it('takes nothing else out of a list: two names cannot hide the others', () => {
    const hidden = (list: unknown[]): unknown => JSON.parse(redactLine(JSON.stringify(list)));
    const halves = [`docs/${KEY.slice(0, 30)}`, '', `${KEY.slice(30)}.md`];
    // The first half is found by its shape, the second only because the first stands before it.
    expect(hidden(['ci.yml', 'a.ts', ...halves, 'z.ts'])).toEqual([
      ...['ci.yml', 'a.ts', 'docs/***', '***', 'z.ts'],
    ]);
    expect(hidden([...halves, 'z.ts'])).toEqual(['docs/***', '***', 'z.ts']);
    expect(hidden([KEY, 'a.ts', ...halves])).toEqual(['***', 'a.ts', 'docs/***', '***']);
    expect(hidden(['a.ts', ...Array.from(KEY), 'z.ts'])).toEqual(['a.ts', '***', 'z.ts']);
    expect(hidden([1, 2, ...Buffer.from(KEY), 3])).toEqual([1, 2, '***', 3]);
  });

  it('is taken out of a list wherever it is cut', () => {
    for (let cut = 1; cut < KEY.length; cut += 1) {
      const list = redactAll(['x', KEY.slice(0, cut), KEY.slice(cut), 'y'], hide);
      expect([list[0], new Set(list.slice(1, -1)), list.at(-1)]).toEqual(['x', new Set(['***']), 'y']);
    }
  });

  it('is no number, hash or encoded text that happens to be there', () => {
    const digits = fc.stringMatching(/^[0-9 ,]{0,400}$/);
    const encoded = fc.stringMatching(/^[A-Za-z0-9+/=\n]{0,400}$/);
    const codesOf = fc.uint8Array({ maxLength: 100 }).map((bytes) => Array.from(bytes).join(', '));
    fc.assert(
      fc.property(fc.oneof(digits, encoded, codesOf), (text) => {
        expect(hide(text)).toBe(text);
      }),
      { numRuns: 1000 },
    );
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
