/** Replaces every secret in a text, in every form it is known to take. */
export type Redact = (text: string) => string;

/** Shorter values are words that occur by themselves; replacing them would tear the text apart. */
const SHORTEST_SECRET = 6;
export const REDACTED = '***';

export function createRedactor(secrets: readonly string[]): Redact {
  const forms = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/)])
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap(formsOf)
    .filter((form) => form.length >= SHORTEST_SECRET);
  if (forms.length === 0) return (text) => text;
  // Longest first: a form that contains another is replaced as a whole.
  const all = [...new Set(forms)].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(all.map(escapePattern).join('|'), 'g');
  return (text) => text.replace(pattern, REDACTED);
}

/** Plain, and as the usual encodings write it. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const hex = bytes.toString('hex');
  const base64 = base64Forms(bytes);
  return [
    secret,
    Array.from(secret).reverse().join(''),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
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

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** The same value with every text in it redacted, however deep. */
export function redactAll<T>(value: T, redact: Redact): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => redactAll(item, redact)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redact(name), redactAll<unknown>(item, redact)]),
  ) as T;
}
