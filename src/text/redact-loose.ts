import { readText, type Reading } from './redact-reading.js';
import { createSampler } from './redact-sampler.js';
import { createScanner, merge, type Span } from './redact-scan.js';

/**
 * Finds secrets by their letters and digits alone: whatever stands between those (line ends, blanks, colons,
 * marks of Markdown, escapes), and in which case letters are written, makes no difference.
 */
export interface LooseScanner {
  /** Whether a closer look is worth it. Some texts without a secret are let through, hardly any with one are not. */
  mayHold(text: string): boolean;
  find(text: string, ...others: readonly RegExp[]): Span[];
  /** How many characters at the end of a text may be the beginning of a secret. */
  openTail(text: string): number;
}

/** With fewer letters and digits something else could look the same. */
export const LEAST_LOOSE = 16;

/** The letters and digits of a text, in one case. */
export const skeletonOf = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, '').toLowerCase();

/** In listings and dumps: the number or offset of a line, and the characters after the bytes. */
const OFFSET = /^[ \t]*[0-9a-fA-F]{1,16}[:|→ \t]/;
const CHARACTERS = / {2}\S.{0,17}$/;
/** In Markdown: tags, and where links lead. */
const MARKUP = /<\/?[a-zA-Z][^<>]{0,200}>|\]\([^()\s]{0,500}\)|\]\[[^\][]{0,100}\]/;

/** `words` are looked for; `hints` only make a text worth a closer look. */
export function createLooseScanner(words: readonly string[], hints: readonly string[] = []): LooseScanner {
  const skeletons = [...new Set(words.map(skeletonOf))].filter((word) => word.length >= LEAST_LOOSE);
  const scanner = createScanner(skeletons);
  const mayHold = createSampler([...skeletons, ...hints.map(skeletonOf)]);
  const longest = Math.max(0, ...skeletons.map((word) => word.length));

  const findIn = (reading: Reading): Span[] => {
    const { text, places } = bones(reading.text);
    return scanner
      .find(text)
      .map(({ start, end }) =>
        reading.placeOf({ start: places[start] ?? 0, end: (places[end - 1] ?? 0) + 1 }),
      );
  };
  return {
    mayHold,
    find(text, ...others) {
      const found = merge(
        [[], [OFFSET], [MARKUP]].flatMap((over) => findIn(readText(text, ...over, ...others))),
      );
      const dumped = findIn(readText(text, OFFSET, CHARACTERS, ...others))
        .filter((span) => !found.some(({ start, end }) => start < span.end && span.start < end))
        // The same bytes follow as characters.
        .map(({ start, end }) => ({ start, end: endOfLine(text, end) }));
      return merge([...found, ...dumped]);
    },
    openTail(text) {
      if (longest === 0) return 0;
      const from = Math.max(0, text.length - TAIL_CHARACTERS);
      const reading = readText(text.slice(from).replace(UNFINISHED, ''));
      const tail = bones(reading.text);
      const open = scanner.openTail(tail.text);
      if (open < LEAST_OPEN) return 0;
      const start = tail.places[tail.places.length - open] ?? 0;
      return text.length - from - reading.placeOf({ start, end: start + 1 }).start;
    },
  };
}

/** Fewer letters end any text; a secret that is split so early is still found by the rest of it in most forms. */
const LEAST_OPEN = 4;
/** So far back a secret can begin that is not whole yet, with everything between its letters. */
const TAIL_CHARACTERS = 2000;
/** An escape that may go on. */
// eslint-disable-next-line no-control-regex -- such an escape begins with one
const UNFINISHED = /(?:(?<!\\)\\+[\w[;]{0,12}|%\w?|&[#\w;]{0,32}|\u001b[^@-Z\\^-~]{0,30})$/;

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** The skeleton of a text, and where each of its characters stands. */
function bones(text: string): { text: string; places: number[] } {
  const places: number[] = [];
  for (const { index, 0: run } of text.matchAll(/[A-Za-z0-9]+/g))
    for (let at = index; at < index + run.length; at += 1) places.push(at);
  return { text: skeletonOf(text), places };
}
