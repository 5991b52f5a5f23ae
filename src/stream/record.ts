import { isObject, parseJson } from '../text/json.js';
import type { Dialect, TokenUsage, WireRecord } from './events.js';

/**
 * Reads fields of an untrusted record. Each function returns the value if it has the right type,
 * and otherwise nothing. These are plain checks and not schemas, because they run for every line of a long stream.
 */

export function recordAt(record: WireRecord | undefined, name: string): WireRecord | undefined {
  const value = record?.[name];
  return isObject(value) ? value : undefined;
}

export function textAt(record: WireRecord | undefined, name: string): string | undefined {
  const value = record?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** No real name, id or state is longer. Longer ones are cut, because some of them are kept in memory. */
const SHORT_CHARACTERS = 500;

/** A short text that is kept and shown: a name, an id, a state. */
export function shortTextAt(record: WireRecord | undefined, name: string): string | undefined {
  const value = textAt(record, name);
  return value === undefined ? undefined : head(value, SHORT_CHARACTERS);
}

/** An id, which can be a number. */
export function idAt(record: WireRecord | undefined, name: string): string | undefined {
  const value = record?.[name];
  return typeof value === 'number' ? String(value) : textAt(record, name);
}

/** The first text among these fields that is not empty. */
export function firstTextAt(record: WireRecord | undefined, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = textAt(record, name);
    if (value) return value;
  }
  return undefined;
}

/** A number, or a string that contains one, because 64-bit numbers are sent as strings. */
export function numberAt(record: WireRecord | undefined, name: string): number | undefined {
  const value = record?.[name];
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

export function booleanAt(record: WireRecord | undefined, name: string): boolean | undefined {
  const value = record?.[name];
  return typeof value === 'boolean' ? value : undefined;
}

export function listAt(record: WireRecord | undefined, name: string): readonly unknown[] | undefined {
  const value = record?.[name];
  return Array.isArray(value) ? value : undefined;
}

/** An entry of a table by an untrusted name, for example `constructor`. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The object that a JSON text stands for. */
export function parseRecord(text: string): WireRecord | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** How much of what a call printed, found or changed is kept, and of why it failed. */
export const OUTPUT_CHARACTERS = 4000;
export const CALL_MESSAGE_CHARACTERS = 500;
/** Errors of the agent can contain whole responses. This much is enough to recognise them. */
export const ERROR_CHARACTERS = 10_000;

/**
 * At most `maxLength` characters from the beginning. It is a copy, because a slice would keep the whole original text in
 * memory.
 */
export function head(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : copy(text.slice(0, maxLength));
}

/** At most `maxLength` characters from the end, also as a copy. */
export function tail(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : copy(text.slice(text.length - maxLength));
}

const copy = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

/** Reads a record by its `type`. A type that is not in the table belongs to another dialect. */
export const readerByType =
  (readers: Readonly<Record<string, Dialect>>): Dialect =>
  (record) =>
    entryOf(readers, textAt(record, 'type') ?? '')?.(record);

/** The tokens that a record counts, under the names that its dialect has for them. */
export function usageAt(
  record: WireRecord,
  names: { input: string; output: string; cacheRead: string; cacheWrite: string },
): TokenUsage | undefined {
  const usage = recordAt(record, 'usage');
  return (
    usage && {
      inputTokens: numberAt(usage, names.input) ?? 0,
      outputTokens: numberAt(usage, names.output) ?? 0,
      cacheReadTokens: numberAt(usage, names.cacheRead) ?? 0,
      cacheWriteTokens: numberAt(usage, names.cacheWrite) ?? 0,
    }
  );
}
