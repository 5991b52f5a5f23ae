import { formsOfAll, looseFormsOf, valuesOf } from './redact-forms.js';
import { createLooseScanner } from './redact-loose.js';
import { decode, hasEscapes, readText } from './redact-reading.js';
import { createScanner, merge, type Span } from './redact-scan.js';
import { findTokens, mayHoldToken, openToken } from './redact-shapes.js';

/** Replaces every secret in a text, in every form it is known to take. */
export type Redact = (text: string) => string;

export const REDACTED = '***';

/** Everything that is known about finding secrets in text. */
export interface Redaction {
  redact: Redact;
  /** The same for one line of a stream: one that is JSON stays JSON, however its strings are escaped. */
  redactLine: Redact;
  /** Once more as a line is written down: what is only seen by its letters and digits costs more to find. */
  redactWritten: Redact;
  /** Where secrets stand in a text. */
  find(text: string): Span[];
  /** How many characters at the end of a text may be the beginning of a secret. */
  openTail(text: string): number;
  /**
   * The same for a document that is finished, read without its tags. Only letters and digits are replaced, run by
   * run, so that the structure of the document stays whatever is found.
   */
  redactMarkup(document: string, tags: RegExp): string;
}

export function createRedaction(secrets: readonly string[]): Redaction {
  const values = valuesOf(secrets);
  const scanner = createScanner(formsOfAll(secrets));
  const loose = createLooseScanner(values.flatMap(looseFormsOf), values);
  const isExact = (text: string) => scanner.has(text) || mayHoldToken(text);
  const findExact = (text: string): Span[] =>
    isExact(text) ? merge([...scanner.find(text), ...findTokens(text)]) : [];
  const findRead = (text: string, ...others: readonly RegExp[]): Span[] => {
    const reading = readText(text, ...others);
    const exact = findExact(reading.text).map((span) => reading.placeOf(span));
    return [...exact, ...loose.find(text, ...others)];
  };
  const isHidden = (text: string) => loose.mayHold(text) || (hasEscapes(text) && isExact(decode(text)));
  const find = (text: string): Span[] =>
    isHidden(text) ? merge([...findExact(text), ...findRead(text)]) : findExact(text);
  const redact = (text: string) => replaceSpans(text, find(text));
  return {
    redact,
    find,
    // Nearly every line is clean, and is not taken apart to find that out.
    redactLine: (text) => (isExact(text) || hasOddEscapes(text) ? redactJson(text, redact) : text),
    redactWritten: (text) => (loose.mayHold(text) ? redactJson(text, redact) : text),
    openTail: (text) => Math.max(scanner.openTail(text), openToken(text), loose.openTail(text)),
    redactMarkup(document, tags) {
      const plain = document.replace(new RegExp(tags.source, 'g'), '');
      if (!isExact(plain) && !isHidden(plain)) return document;
      return replaceLetters(document, merge(findRead(document, tags)), tags);
    },
  };
}

function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const kept = spans.map(({ start }, index) => text.slice(spans[index - 1]?.end ?? 0, start));
  return [...kept, text.slice(spans.at(-1)?.end ?? 0)].join(REDACTED);
}

/** Only letters and digits are replaced, and none in a tag. */
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

/** Characters that need no escape but have one: a secret written so is not seen before it is read. */
const hasOddEscapes = (text: string): boolean => /\\(?:u00[2-7]|\/)/.test(text);

/** Each value of a JSON text by itself, because a replacement in the middle of an escape would break the text. */
function redactJson(text: string, redact: Redact): string {
  if (!/^\s*[{[]/.test(text)) return redact(text);
  try {
    return JSON.stringify(redactAll<unknown>(JSON.parse(text), redact, true));
  } catch {
    return redact(text);
  }
}

/** The same value with every text in it redacted, however deep; on request numbers too, as texts then. */
export function redactAll<T>(value: T, redact: Redact, numbers = false): T {
  if (typeof value === 'string') return redact(value) as T;
  if (typeof value === 'number' && numbers && redact(String(value)) !== String(value)) return REDACTED as T;
  if (Array.isArray(value)) return value.map((item: unknown) => redactAll(item, redact, numbers)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redact(name), redactAll<unknown>(item, redact, numbers)]),
  ) as T;
}

/** The same value with every text of it replaced by what `swap` makes of it; names are left alone. */
export function swapTexts(value: unknown, swap: (text: string) => string): unknown {
  if (typeof value === 'string') return swap(value);
  if (Array.isArray(value)) return value.map((item: unknown) => swapTexts(item, swap));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, swapTexts(item, swap)]));
}
