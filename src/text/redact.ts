import {
  createFinder,
  createLooseFinder,
  decode,
  merge,
  readDecoded,
  readWithout,
  type Span,
} from './redact-find.js';
import { formsOf, looseFormsOf, valuesOf } from './redact-forms.js';
import { findTokens, mayHoldToken, openToken, watchKeyLines } from './redact-shapes.js';

/** Replaces every secret in a text, in every form that is looked for. */
export type Redact = (text: string) => string;

export const REDACTED = '***';

/** All ways to find secrets in text. */
export interface Redaction {
  redact: Redact;
  /** The same for one line of a stream: a line that is JSON stays JSON, however its strings are escaped. */
  redactLine: Redact;
  /** Where the secrets are in a text. */
  find(text: string): Span[];
  /** How many characters at the end of a text can be the beginning of a secret. */
  openTail(text: string): number;
  /**
   * For a finished document, which is read without its tags. Only letters and digits are replaced, so the structure
   * of the document stays the same.
   */
  redactMarkup(document: string, tags: RegExp): string;
}

export function createRedaction(secrets: readonly string[]): Redaction {
  const values = valuesOf(secrets);
  // A value with a backslash or a percent sign looks different in a decoded text.
  const decodedValues = valuesOf(values.map(decode));
  const exact = createFinder([...new Set([...values, ...decodedValues])].flatMap(formsOf));
  const loose = createLooseFinder(values.flatMap(looseFormsOf));
  const hasExact = (text: string) => exact.has(text) || mayHoldToken(text);
  const findExact = (text: string): Span[] => [...exact.find(text), ...findTokens(text)];
  // Nearly every text is clean, and this is the cheap way to find that out.
  const isClean = (text: string): boolean => {
    if (hasExact(text)) return false;
    const decoded = decode(text);
    return (decoded === text || !hasExact(decoded)) && !loose.has(decoded);
  };
  const find = (text: string): Span[] => {
    if (isClean(text)) return [];
    const decoded = readDecoded(text);
    const hidden = [...findExact(decoded.text), ...loose.find(decoded.text)];
    return merge([...findExact(text), ...hidden.map(decoded.placeOf)]);
  };
  const redact = (text: string) => replaceSpans(text, find(text));
  return {
    redact,
    find,
    redactLine: (text) => (isClean(text) ? text : redactJson(text, redact)),
    openTail: (text) => Math.max(exact.openTail(text), openToken(text), loose.openTail(text)),
    redactMarkup(document, tags) {
      const everyTag = new RegExp(tags.source, 'g');
      if (isClean(document.replace(everyTag, ''))) return document;
      const shown = readWithout(document, everyTag);
      return replaceLetters(document, find(shown.text).map(shown.placeOf), tags);
    },
  };
}

/** A redaction for a whole run, in which secrets can become known at any time. */
export interface GrowingRedaction extends Redaction {
  /** From now on these are found too, also by whoever got the redaction or one of its functions before. */
  learn(secrets: readonly string[]): void;
}

export function createGrowingRedaction(): GrowingRedaction {
  let known: readonly string[] = [];
  let current = createRedaction(known);
  return {
    learn(secrets) {
      known = [...known, ...secrets];
      current = createRedaction(known);
    },
    redact: (text) => current.redact(text),
    redactLine: (text) => current.redactLine(text),
    find: (text) => current.find(text),
    openTail: (text) => current.openTail(text),
    redactMarkup: (document, tags) => current.redactMarkup(document, tags),
  };
}

/** Redacts line by line, and takes out all lines of a private key. */
export function cleanLines({ redactLine }: Pick<Redaction, 'redactLine'>): Redact {
  const isInKey = watchKeyLines();
  return (line) => (isInKey(line) ? REDACTED : redactLine(line));
}

function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const kept = spans.map(({ start }, index) => text.slice(spans[index - 1]?.end ?? 0, start));
  return [...kept, text.slice(spans.at(-1)?.end ?? 0)].join(REDACTED);
}

/** Replaces only letters and digits, and none in a tag. */
function replaceLetters(text: string, spans: readonly Span[], tags: RegExp): string {
  const letters = new RegExp(`${tags.source}|[\\p{L}\\p{N}]+`, 'gu');
  const hidden = (part: string) =>
    part.replace(letters, (found) => (/^[\p{L}\p{N}]/u.test(found) ? REDACTED : found));
  let done = 0;
  const parts = spans.map(({ start, end }) => {
    const kept = text.slice(done, start);
    done = end;
    return kept + hidden(text.slice(start, end));
  });
  return parts.join('') + text.slice(done);
}

/** Redacts each value of a JSON text separately, because a replacement in the middle of an escape would break the text. */
function redactJson(text: string, redact: Redact): string {
  if (!/^\s*[{[]/.test(text)) return redact(text);
  try {
    return JSON.stringify(redactAll<unknown>(JSON.parse(text), redact, true));
  } catch {
    return redact(text);
  }
}

/** The same value with every text in it redacted, however deep. If `numbers` is set, numbers too, which become texts. */
export function redactAll<T>(value: T, redact: Redact, numbers = false): T {
  if (typeof value === 'string') return redact(value) as T;
  if (typeof value === 'number' && numbers && redact(String(value)) !== String(value)) return REDACTED as T;
  if (Array.isArray(value)) return value.map((item: unknown) => redactAll(item, redact, numbers)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redact(name), redactAll<unknown>(item, redact, numbers)]),
  ) as T;
}
