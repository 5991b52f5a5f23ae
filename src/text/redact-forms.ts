/** Shorter values also occur as ordinary words, so replacing them would make the text unreadable. */
export const SHORTEST_SECRET = 6;
/** Only tokens have this many digits. */
const FEWEST_DIGITS = 3;

/** The values to look for: each secret as a whole, each of its lines, and each without the prefix that tells its kind. */
export function valuesOf(secrets: readonly string[]): string[] {
  const values = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/)])
    .map((secret) => secret.trim())
    .flatMap((secret) => [secret, ...withoutPrefix(secret)])
    .filter((secret) => secret.length >= SHORTEST_SECRET);
  return [...new Set(values)];
}

/** Whoever knows the kind of a token can use it without `key_`, `ghp_` and the like. */
function withoutPrefix(secret: string): string[] {
  const rest = /[_-]([A-Za-z0-9]{20,})$/.exec(secret)?.[1] ?? '';
  return (rest.match(/\d/g)?.length ?? 0) >= FEWEST_DIGITS ? [rest] : [];
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
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_SECRET);
}

/** The encodings that tools break into lines or groups, or write in either case. */
export const looseFormsOf = (value: string): string[] => {
  const utf16 = Buffer.from(value, 'utf16le');
  // Windows encodes UTF-16.
  const encoded = [Buffer.from(value), utf16, Buffer.from(utf16).swap16()];
  return [
    value,
    reversed(value),
    ...encoded.flatMap((bytes) => [bytes.toString('hex'), ...base64Forms(bytes)]),
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
