import { ANSI, CONTROL, INVISIBLE } from './plain-text.js';
import type { Span } from './redact-scan.js';

/** A text as somebody reads it: escapes are decoded, and what nobody sees is gone. */
export interface Reading {
  text: string;
  /** Where a stretch of it stands in the text it was read from. */
  placeOf(span: Span): Span;
}

/** Escapes that are written out, once or inside of each other: in JSON, in URLs, in HTML, by a shell. */
const WRITTEN = [
  String.raw`(?<!\\)\\+(?:u001[bB]|x1[bB]|033|e)(?:\[[0-?]*[ -\/]*[@-~]|\][^\u0007\u001b"\\]*)`,
  String.raw`(?<!\\)\\+(?:u(?<unit>[\da-fA-F]{4})|x(?<byte>[\da-fA-F]{2})|(?<blank>[nrtbfv]))?`,
  String.raw`%(?:25)*(?<percent>[\da-fA-F]{2})`,
  String.raw`&(?:amp;)*(?:#(?<decimal>\d{1,7})|#[xX](?<hex>[\da-fA-F]{1,6})|(?<name>[a-zA-Z][a-zA-Z\d]{1,31}));`,
];
const UNSEEN = [ANSI.source, String.raw`\u009b[0-?]*[ -\/]*[@-~]`, CONTROL.source, INVISIBLE.source];
const ESCAPE = escapeOr();
/** Names of characters that tokens are made of. */
const NAMED: Readonly<Record<string, string>> = { lowbar: '_', underbar: '_', fjlig: 'fj' };

/** Finds escapes, and besides them whatever else is to be read over. */
function escapeOr(...others: readonly RegExp[]): RegExp {
  const written = WRITTEN.join('|');
  const sources = [...others.map(({ source }) => source), ...UNSEEN, written];
  return new RegExp(sources.join('|'), 'gmu');
}

export const hasEscapes = (text: string): boolean => text.search(ESCAPE) >= 0;

/** The text alone, for less than a reading costs. */
export const decode = (text: string): string =>
  text.replace(ESCAPE, (...match) => meaningOf(match.at(-1) as Groups));

type Groups = Readonly<Record<string, string | undefined>>;

function meaningOf({ unit, byte, percent, hex, decimal, blank, name }: Groups): string {
  const digits = unit ?? byte ?? percent ?? hex;
  const code = digits === undefined ? Number(decimal) : parseInt(digits, 16);
  if (blank !== undefined) return '\n';
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? ' ';
  // Only letters, digits and marks can be part of a token; the rest is as good as not there.
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '';
}

/** The escape at this place and what it means; what only looks like one is a mark that means nothing. */
export function escapeAt(text: string, at: number): { end: number; meaning: string } {
  ESCAPE_HERE.lastIndex = at;
  const match = ESCAPE_HERE.exec(text);
  if (!match) return { end: at + 1, meaning: '' };
  return { end: ESCAPE_HERE.lastIndex, meaning: meaningOf(match.groups ?? {}) };
}
const ESCAPE_HERE = new RegExp(ESCAPE.source, 'muy');

/** Reads a text over its escapes, and over whatever `others` match. */
export function readText(text: string, ...others: readonly RegExp[]): Reading {
  const pattern = others.length === 0 ? ESCAPE : escapeOr(...others);
  // Where each character begins and ends; a text is hardly ever longer than what it was read from.
  const [starts, ends]: [number[], number[]] = [[], []];
  const parts: string[] = [];
  let done = 0;
  const keep = (end: number) => {
    parts.push(text.slice(done, end));
    for (; done < end; done += 1) {
      starts.push(done);
      ends.push(done + 1);
    }
  };
  for (const match of text.matchAll(pattern)) {
    keep(match.index);
    done += match[0].length;
    const meaning = meaningOf(match.groups ?? {});
    parts.push(meaning);
    for (let count = meaning.length; count > 0; count -= 1) {
      starts.push(match.index);
      ends.push(done);
    }
  }
  keep(text.length);
  return {
    text: parts.join(''),
    placeOf: ({ start, end }) => ({ start: starts[start] ?? text.length, end: ends[end - 1] ?? text.length }),
  };
}
