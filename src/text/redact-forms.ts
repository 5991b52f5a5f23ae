/** A stretch of a text. The end is not part of it. */
export interface Span {
  start: number;
  end: number;
}

/** Shorter values also occur as ordinary words, so replacing them would make the text unreadable. */
export const MIN_SECRET = 6;
/** Only tokens have this many digits. */
const MIN_DIGITS = 3;

/** The values to look for: each secret as a whole, each of its lines, and each without the prefix that tells its kind. */
export function valuesOf(secrets: readonly string[]): string[] {
  const values = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/)])
    .map((secret) => secret.trim())
    .flatMap((secret) => [secret, ...withoutPrefix(secret)])
    .filter((secret) => secret.length >= MIN_SECRET);
  return [...new Set(values)];
}

/** A shorter value can be in a change by chance. */
const MIN_CERTAIN = 8;
/** A line of a secret with several lines can say nothing secret. Keys and tokens have such a word. */
const KEY_WORD = /[A-Za-z0-9+/=_-]{20,}/g;

/** Of these secrets, the values that cannot be in a text by chance. */
export function certainValuesOf(secrets: readonly string[]): string[] {
  const isKey = (line: string) =>
    (line.match(KEY_WORD) ?? []).some((word) => (word.match(/\d/g)?.length ?? 0) >= MIN_DIGITS);
  const values = secrets
    .map((secret) => secret.trim())
    .flatMap((secret) => [
      secret,
      ...secret
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter(isKey),
    ])
    .flatMap((secret) => [secret, ...withoutPrefix(secret)])
    .filter((secret) => secret.length >= MIN_CERTAIN);
  return [...new Set(values)];
}

/** A token works for an attacker without `key_`, `ghp_` and the like, because its kind is easy to guess. */
function withoutPrefix(secret: string): string[] {
  const rest = /[_-]([A-Za-z0-9]{20,})$/.exec(secret)?.[1] ?? '';
  return (rest.match(/\d/g)?.length ?? 0) >= MIN_DIGITS ? [rest] : [];
}

/** Every way in which a value is looked for letter by letter: plain, and in the usual encodings. */
export function formsOf(value: string): string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  const base64 = base64Forms(Buffer.from(value));
  const forms = [
    ...[value, reversed(value)],
    ...[inJson, JSON.stringify(inJson).slice(1, -1), inJson.replaceAll('/', '\\/')],
    ...escapedForms(value, inJson, (digits) => digits),
    ...escapedForms(value, inJson, (digits) => digits.toUpperCase()),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [...new Set(forms)].filter((form) => form.length >= MIN_SECRET);
}

/** The encodings that tools break into lines or groups, or write in either case. */
export const looseFormsOf = (value: string): string[] => {
  const utf16 = Buffer.from(value, 'utf16le');
  // Windows encodes UTF-16.
  const encoded = [Buffer.from(value), utf16, Buffer.from(utf16).swap16()];
  const base64 = base64Forms(Buffer.from(value));
  return [
    value,
    reversed(value),
    ...encoded.flatMap((bytes) => [bytes.toString('hex'), ...base64Forms(bytes)]),
    ...[...base64Forms(Buffer.from(reversed(value))), ...base64.map(reversed)],
    ...base64.flatMap(encodedAgain),
    ...base32Forms(Buffer.from(value)),
    ...codesOf(value),
  ];
};

/** Base64 of what base64 gives, in both alphabets, and in the lines of 76 characters that `base64` writes. */
function encodedAgain(base64: string): string[] {
  const inUrl = base64.replaceAll('+', '-').replaceAll('/', '_');
  const inLines = base64.replace(/.{76}/g, '$&\n');
  return [...new Set([base64, inUrl, inLines])].flatMap((text) => base64Forms(Buffer.from(text)));
}

/** The numbers of its bytes: decimal, decimal and octal with three digits each. What is between them does not matter. */
const codesOf = (value: string): string[] => {
  const bytes = [...Buffer.from(value)];
  return [
    bytes.join(''),
    bytes.map((byte) => String(byte).padStart(3, '0')).join(''),
    bytes.map((byte) => byte.toString(8).padStart(3, '0')).join(''),
  ];
};

const reversed = (value: string): string => Array.from(value).reverse().join('');

/** With some or all characters written as hexadecimal digits, whose case `inCase` sets. */
function escapedForms(value: string, inJson: string, inCase: (digits: string) => string): string[] {
  const digits = (code: number, width: number) => inCase(code.toString(16).padStart(width, '0'));
  const unit = (character: string) => `\\u${digits(character.charCodeAt(0), 4)}`;
  const bytes = (mark: string, kept = /[^]{2}/) =>
    Array.from(Buffer.from(value), (byte) => {
      const character = String.fromCharCode(byte);
      return byte < 0x80 && kept.test(character) ? character : `${mark}${digits(byte, 2)}`;
    }).join('');
  const inUrl = bytes('%', /[A-Za-z0-9\-_.!~*'()]/);
  return [
    inJson.replace(/[\u0080-\uffff]/g, unit),
    value.replace(/[^]/g, unit),
    // As encodeURIComponent, the same in a form, strictly, as URLSearchParams, and byte by byte.
    ...[inUrl, inUrl.replaceAll('%20', '+'), bytes('%', /[A-Za-z0-9]/), bytes('%', /[A-Za-z0-9\-_.*]/)],
    ...[bytes('%'), bytes('\\x'), bytes('')],
  ];
}

/** Base32 of the bytes at each of the five offsets they can have in a longer text, cut like base64. */
function base32Forms(bytes: Buffer): string[] {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return [0, 1, 2, 3, 4].map((offset) =>
    (bits.slice((5 - ((offset * 8) % 5)) % 5).match(/.{5}/g) ?? [])
      .map((five) => BASE32.charAt(parseInt(five, 2)))
      .join(''),
  );
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Base64 of the bytes at each of the three offsets they can have in a longer text, without the characters at the ends
 * that depend on that text.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
}

/**
 * Tokens that are recognised by their shape alone: GitHub, Cursor, OpenAI and Anthropic, AWS, Slack, GitLab, npm,
 * Google and JSON web tokens. Each pattern begins with fixed letters at the edge of a word and continues with one class
 * of characters, so no text can make it slow.
 */
const TOKENS = [
  'gh[pousr]_[A-Za-z0-9]{20,}',
  'github_pat_[A-Za-z0-9_]{20,}',
  // Words joined by hyphens look the same, but a key has digits.
  'sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}',
  'key_[0-9A-Fa-f]{24,}',
  'A(?:KIA|SIA)[0-9A-Z]{16}',
  'xox[abeoprs]-(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{10,}',
  'glpat-[A-Za-z0-9_-]{16,}',
  'npm_[A-Za-z0-9]{30,}',
  'AIza[A-Za-z0-9_-]{30,}',
  'eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*',
];
/** With letters before it, it is another word. */
const TOKEN = new RegExp(`(?<![A-Za-z0-9_-])(?:${TOKENS.join('|')})`, 'g');
/**
 * Only the beginning of each, because this is tried at every letter. It is tried without the edge, because in a line of
 * JSON the `n` of an escaped newline stands before the first word of a line.
 */
const BEGINNINGS = TOKENS.map((token) => token.replace(/\(\?=.*?\)/, '').replace(/(\{\d+),\}.*/, '$1}'));
const HINT = new RegExp(['PRIVATE KEY', ...BEGINNINGS].join('|'));

const KEY_BEGINS = '-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----';
const KEY_ENDS = '-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----';
/** Up to its end or, if it has none, as far as its characters go. The longest keys in use are well below the limit. */
const PRIVATE_KEY = new RegExp(
  `${KEY_BEGINS}(?:(?:(?!-----BEGIN )[^]){0,20000}?${KEY_ENDS}|(?:[A-Za-z0-9+/=\\s]|\\\\[nrt])*)`,
  'g',
);

/** Whether a text can contain a token. */
export const mayHoldToken = (text: string): boolean => HINT.test(text);

export const findTokens = (text: string): Span[] =>
  [TOKEN, PRIVATE_KEY].flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ index, 0: token }) => ({
      start: index,
      end: index + token.length,
    })),
  );

/** The longest end of a text that is looked at. */
const OPEN_CHARACTERS = 4096;
const PREFIXES = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'sk-', 'key_', 'AKIA', 'ASIA', 'xox', 'glpat-'],
  ...['npm_', 'AIza', 'eyJ'],
];

/** How many characters at the end of a text can be the beginning of a token. Some tokens have dots in them. */
export function openToken(text: string): number {
  const words = /(?:[\w-]+\.)*[\w-]*$/.exec(text.slice(-OPEN_CHARACTERS))?.[0] ?? '';
  for (let word = words; word !== ''; word = /\.(.*)$/.exec(word)?.[1] ?? '')
    if (PREFIXES.some((prefix) => word.startsWith(prefix) || prefix.startsWith(word))) return word.length;
  return 0;
}

/** A private key in PEM has at most this many lines. */
const MAX_KEY_LINES = 300;
const KEY_LINE = /^[\sA-Za-z0-9+/=:,.-]*$/;

/** For each line of a text, in order: whether it is inside of a private key that began on an earlier line. */
export function watchKeyLines(): (line: string) => boolean {
  let left = 0;
  return (line) => {
    const isInside = left > 0 && KEY_LINE.test(line);
    left = isInside ? left - 1 : 0;
    if (!line.includes('PRIVATE KEY')) return isInside;
    if (new RegExp(KEY_ENDS).test(line)) left = 0;
    else if (new RegExp(KEY_BEGINS).test(line) && !line.trimStart().startsWith('{')) left = MAX_KEY_LINES;
    return isInside;
  };
}
