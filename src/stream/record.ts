import type { WireRecord } from './events.js';

/**
 * Reading fields of a record that anyone may have written: each function gives the value if it has the type
 * asked for, else nothing. Plain checks rather than schemas, because every line of a long stream comes here.
 */

export function recordAt(record: WireRecord | undefined, name: string): WireRecord | undefined {
  const value = record?.[name];
  return isRecord(value) ? value : undefined;
}

export function textAt(record: WireRecord | undefined, name: string): string | undefined {
  const value = record?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** Above this a name, an id or a state is no longer one; it is cut, because some of them are kept. */
const SHORT_CHARACTERS = 500;

/** A text that is kept and shown as a word: a name, an id, a state. */
export function shortTextAt(record: WireRecord | undefined, name: string): string | undefined {
  const value = textAt(record, name);
  return value === undefined ? undefined : head(value, SHORT_CHARACTERS);
}

/** An id, which may be a number. */
export function idAt(record: WireRecord | undefined, name: string): string | undefined {
  const value = record?.[name];
  return typeof value === 'number' ? String(value) : textAt(record, name);
}

/** The first of these names that holds a text that is not empty. */
export function firstTextAt(record: WireRecord | undefined, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = textAt(record, name);
    if (value) return value;
  }
  return undefined;
}

/** A number, or a string that is one: 64-bit numbers travel as strings. */
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

/** An entry of a table by a name that anyone may have chosen, `constructor` and its like among them. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Drops the members that are not known, so that a record says only what it knows. */
export function known<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  // Taken out in place, where anything is to be taken out at all: this runs for every line.
  for (const name in fields) if (fields[name] === undefined) Reflect.deleteProperty(fields, name);
  return fields as T;
}

/**
 * At most `most` characters from the beginning. A copy, because a slice would keep the whole text it was taken
 * from in memory.
 */
export function head(text: string, most: number): string {
  return text.length <= most ? text : copy(text.slice(0, most));
}

/** At most `most` characters from the end, likewise. */
export function tail(text: string, most: number): string {
  return text.length <= most ? text : copy(text.slice(text.length - most));
}

const copy = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

/** Reads a record by its `type`; one that the table does not name is someone else's. */
export const readerByType =
  <T>(readers: Readonly<Record<string, (record: WireRecord) => T | undefined>>) =>
  (record: WireRecord): T | undefined =>
    entryOf(readers, textAt(record, 'type') ?? '')?.(record);
