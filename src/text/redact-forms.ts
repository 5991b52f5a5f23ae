/** Shorter values are words that occur by themselves; replacing them would tear the text apart. */
export const SHORTEST_SECRET = 6;

/** What is looked for: each secret whole, line by line, and without the prefix that tells its kind. */
export function valuesOf(secrets: readonly string[]): string[] {
  const values = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/)])
    .map((secret) => secret.trim())
    .flatMap((secret) => [secret, ...restOf(secret)])
    .filter((secret) => secret.length >= SHORTEST_SECRET);
  return [...new Set(values)];
}

/** Without `key_`, `ghp_` and the like a token is as good to whoever knows its kind; only tokens have digits. */
function restOf(secret: string): string[] {
  const rest = /[_-]([A-Za-z0-9]{20,})$/.exec(secret)?.[1] ?? '';
  return (rest.match(/\d/g)?.length ?? 0) >= FEWEST_DIGITS ? [rest] : [];
}
const FEWEST_DIGITS = 3;

/** Every way the given secrets are looked for, letter by letter: each in every encoding. */
export function formsOfAll(secrets: readonly string[]): string[] {
  const forms = valuesOf(secrets)
    .flatMap(formsOf)
    .filter((form) => form.length >= SHORTEST_SECRET);
  return [...new Set(forms)];
}

/** The encodings that tools break into lines or groups, or write in either case. */
export const looseFormsOf = (secret: string): string[] => [
  secret,
  reversed(secret),
  ...bytesOf(secret).flatMap((bytes) => [bytes.toString('hex'), ...base64Forms(bytes)]),
];

const reversed = (secret: string): string => Array.from(secret).reverse().join('');

/** In UTF-8, and in both kinds of UTF-16, which Windows encodes. */
function bytesOf(secret: string): Buffer[] {
  const utf16 = Buffer.from(secret, 'utf16le');
  return [Buffer.from(secret, 'utf8'), utf16, Buffer.from(utf16).swap16()];
}

/** Plain, and as the usual encodings write it. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const hex = bytes.toString('hex');
  const base64 = base64Forms(bytes);
  return [
    secret,
    reversed(secret),
    ...jsonForms(secret),
    ...urlForms(bytes),
    hex,
    hex.toUpperCase(),
    everyByte(bytes, '\\x'),
    everyByte(bytes, '\\x', true),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** As a JSON string writes it, once and inside of another, and with all or all unusual characters as \u escapes. */
function jsonForms(secret: string): string[] {
  const once = inJson(secret);
  const escaped = (upper: boolean, which: RegExp) =>
    once.replace(which, (unit) => `\\u${digits(unit.charCodeAt(0), 4, upper)}`);
  const whole = (upper: boolean) =>
    secret.replace(/[^]/g, (unit) => `\\u${digits(unit.charCodeAt(0), 4, upper)}`);
  return [
    once,
    inJson(once),
    once.replaceAll('/', '\\/'),
    ...[false, true].flatMap((upper) => [escaped(upper, /[\u0080-\uffff]/g), whole(upper)]),
  ];
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** With what a URL may not hold escaped, with all but letters and digits, in a form's way, and with everything. */
function urlForms(bytes: Buffer): string[] {
  const usual = (keep: RegExp, upper: boolean) =>
    Array.from(bytes, (byte) => {
      const character = String.fromCharCode(byte);
      return byte < 0x80 && keep.test(character) ? character : `%${digits(byte, 2, upper)}`;
    }).join('');
  return [true, false].flatMap((upper) => {
    const strict = usual(/[A-Za-z0-9\-_.!~*'()]/, upper);
    const all = usual(/[A-Za-z0-9]/, upper);
    return [
      strict,
      strict.replaceAll('%20', '+'),
      all,
      usual(/[A-Za-z0-9\-_.*]/, upper),
      everyByte(bytes, '%', upper),
    ];
  });
}

const everyByte = (bytes: Buffer, mark: string, upper = false): string =>
  Array.from(bytes, (byte) => `${mark}${digits(byte, 2, upper)}`).join('');

function digits(value: number, width: number, upper: boolean): string {
  const hex = value.toString(16).padStart(width, '0');
  return upper ? hex.toUpperCase() : hex;
}

/** Base64 of the bytes at each of the three places they can have in a longer text, without what depends on it. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + bytes.length) * 8) / 6);
    return encoded.slice(first, last);
  });
}
