import { ANSI, CONTROL, INVISIBLE } from './plain-text.js';
import {
  certainValuesOf,
  findTokens,
  formsOf,
  looseFormsOf,
  mayHoldToken,
  openToken,
  valuesOf,
  type Span,
} from './redact-forms.js';

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

/** Whether tokens are also found by their shape alone. */
type Shapes = 'with tokens' | 'values only';

function createSearch(
  secrets: readonly string[],
  { valuesIn, shapes }: { valuesIn: typeof valuesOf; shapes: Shapes },
) {
  const values = valuesIn(secrets);
  // A value with a backslash or a percent sign looks different in a decoded text.
  const decodedValues = valuesIn(values.map(decode));
  const exact = createFinder([...new Set([...values, ...decodedValues])].flatMap(formsOf));
  const loose = createLooseFinder(values.flatMap(looseFormsOf));
  const hasTokens = shapes === 'with tokens';
  const hasExact = (text: string) => exact.has(text) || (hasTokens && mayHoldToken(text));
  const findExact = (text: string): Span[] => [...exact.find(text), ...(hasTokens ? findTokens(text) : [])];
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
  return { exact, loose, isClean, find };
}

export function createRedaction(secrets: readonly string[]): Redaction {
  const { exact, loose, isClean, find } = createSearch(secrets, {
    valuesIn: valuesOf,
    shapes: 'with tokens',
  });
  const redact = (text: string) => replaceSpans(text, find(text));
  return {
    redact,
    find,
    redactLine: (text) => (isClean(text) ? text : redactJson(text, redact)),
    openTail: (text) => Math.max(exact.openTail(text), openToken(text), loose.openTail(text)),
    redactMarkup(document, tags) {
      const everyTag = new RegExp(tags.source, 'g');
      if (isClean(document.replace(everyTag, ''))) return document;
      const visible = readWithout(document, everyTag);
      return replaceLetters(document, find(visible.text).map(visible.placeOf), tags);
    },
  };
}

/** A redaction for a whole run, in which secrets can become known at any time. */
export interface GrowingRedaction extends Redaction {
  /** From now on these are found too, also by functions of this redaction that were handed out before. */
  learn(secrets: readonly string[]): void;
  /** Where known secrets are in a text. Nothing counts that only looks like a secret, or that can be there by chance. */
  findKnown(text: string): Span[];
}

export function createGrowingRedaction(): GrowingRedaction {
  let secretsSoFar: readonly string[] = [];
  let current = createRedaction(secretsSoFar);
  let certain: ReturnType<typeof createSearch> | undefined;
  return {
    learn(secrets) {
      secretsSoFar = [...secretsSoFar, ...secrets];
      current = createRedaction(secretsSoFar);
      certain = undefined;
    },
    findKnown: (text) => {
      certain ??= createSearch(secretsSoFar, { valuesIn: certainValuesOf, shapes: 'values only' });
      return certain.find(text);
    },
    redact: (text) => current.redact(text),
    redactLine: (text) => current.redactLine(text),
    find: (text) => current.find(text),
    openTail: (text) => current.openTail(text),
    redactMarkup: (document, tags) => current.redactMarkup(document, tags),
  };
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
    part.replace(letters, (run) => (/^[\p{L}\p{N}]/u.test(run) ? REDACTED : run));
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
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => redactAll(item, redact, numbers));
    const isText = (item: unknown) => typeof item === 'string' || (numbers && typeof item === 'number');
    return (value.every(isText) ? redactTogether(value, items, redact) : items) as T;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redact(name), redactAll<unknown>(item, redact, numbers)]),
  ) as T;
}

/**
 * Items of a list that are a secret only together, such as its letters, become one. All others stay: two names of files
 * must not hide the rest of a list. `redacted` is each item on its own.
 */
function redactTogether(items: readonly unknown[], redacted: unknown[], redact: Redact): unknown[] {
  if (items.length < 2) return redacted;
  const alone = redacted.join(' ');
  const together = redact(items.join(' '));
  if (alone === together) return redacted;
  const span = differenceOf(alone, together);
  let from = 0;
  const isInSpan = redacted.map((item) => {
    const [start, end] = [from, from + String(item).length];
    from = end + 1;
    return start < span.end && end > span.start;
  });
  const first = isInSpan.indexOf(true);
  if (first < 0) return [REDACTED];
  return [...redacted.slice(0, first), REDACTED, ...redacted.slice(isInSpan.lastIndexOf(true) + 1)];
}

/** The part of a text between what it begins and what it ends with like another. */
function differenceOf(text: string, other: string): Span {
  const shortest = Math.min(text.length, other.length);
  let start = 0;
  while (start < shortest && text[start] === other[start]) start += 1;
  let same = 0;
  while (same < shortest - start && text.at(-1 - same) === other.at(-1 - same)) same += 1;
  return { start, end: text.length - same };
}

interface Finder {
  /** Every occurrence of a word. Those that overlap are one span. */
  find(text: string): Span[];
  has(text: string): boolean;
  /** How many characters at the end of a text can be the beginning of a word. */
  openTail(text: string): number;
}

/** The regular expression looks only for the first characters of a word, so that long words do not make it large. */
const HEAD = 6;

/** Finds many words in one pass. */
export function createFinder(unsorted: readonly string[]): Finder {
  // The longest first, so that the first word that fits is the whole of what is there.
  const words = [...new Set(unsorted)].sort((a, b) => b.length - a.length);
  const longest = words[0]?.length ?? 0;
  const head = Math.min(HEAD, words.at(-1)?.length ?? 0);
  const byHead = groupBy(words, (word) => word.slice(0, head));
  const byFirst = groupBy(words, (word) => word.slice(0, 1));
  const heads = [...byHead.keys()].map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const pattern = new RegExp(words.length === 0 ? '(?!)' : heads.join('|'), 'g');

  const next = (text: string, from: number): Span | undefined => {
    pattern.lastIndex = from;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const { index: start } = match;
      const word = byHead.get(match[0])?.find((candidate) => text.startsWith(candidate, start));
      if (word !== undefined) return { start, end: start + word.length };
      pattern.lastIndex = start + 1;
    }
    return undefined;
  };
  return {
    has: (text) => next(text, 0) !== undefined,
    find(text) {
      const spans: Span[] = [];
      for (let span = next(text, 0); span; span = next(text, span.start + 1)) spans.push(span);
      return merge(spans);
    },
    openTail(text) {
      for (let start = Math.max(0, text.length - longest + 1); start < text.length; start += 1) {
        const open = text.slice(start);
        const possible = byFirst.get(open.slice(0, 1));
        if (possible?.some((word) => word.length > open.length && word.startsWith(open))) return open.length;
      }
      return 0;
    },
  };
}

function groupBy(words: readonly string[], keyOf: (word: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const word of words) {
    const group = groups.get(keyOf(word));
    if (group) group.push(word);
    else groups.set(keyOf(word), [word]);
  }
  return groups;
}

/** The same spans in order, with those that overlap joined. */
export function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const before = merged.at(-1);
    if (before && span.start < before.end) before.end = Math.max(before.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

/** A text as a reader sees it, with parts of the original decoded or left out. */
interface Reading {
  text: string;
  /** Where a span of the reading is in the original. */
  placeOf(span: Span): Span;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Reads a text without what `pattern` matches, or with what `meaningOf` says in its place. */
function readWithout(
  text: string,
  pattern: RegExp,
  meaningOf: (groups: Groups) => string = () => '',
): Reading {
  // Where each character of the reading begins and ends in the original.
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

/** Invisible characters, and escapes of JSON, URLs, HTML and shells, also several times nested. */
const ESCAPE = new RegExp(
  [
    ...[ANSI.source, String.raw`\u009b[0-?]*[ -\/]*[@-~]`, CONTROL.source, INVISIBLE.source],
    String.raw`(?<!\\)\\+(?:u001[bB]|x1[bB]|033|e)(?:\[[0-?]*[ -\/]*[@-~]|\][^\u0007\u001b"\\]*)`,
    String.raw`(?<!\\)\\+(?:u(?<unit>[\da-fA-F]{4})|x(?<byte>[\da-fA-F]{2})|(?<blank>[nrtbfv]))?`,
    String.raw`%(?:25)*(?<percent>[\da-fA-F]{2})`,
    String.raw`&(?:amp;)*(?:#(?<decimal>\d{1,7})|#[xX](?<hex>[\da-fA-F]{1,6})|(?<name>[a-zA-Z][a-zA-Z\d]{1,31}));`,
  ].join('|'),
  'gmu',
);
/** Entities for characters that tokens are made of. */
const NAMED: Readonly<Record<string, string>> = { lowbar: '_', underbar: '_', fjlig: 'fj' };

function meaningOf({ unit, byte, percent, hex, decimal, blank, name }: Groups): string {
  if (blank !== undefined) return blank === 't' ? '\t' : '\n';
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? ' ';
  const digits = unit ?? byte ?? percent ?? hex;
  const code = digits === undefined ? Number(decimal) : parseInt(digits, 16);
  if (code >= 0x20 && code < 0x7f) return String.fromCharCode(code);
  // A byte above this is only a part of a character.
  return unit !== undefined && code >= 0xa0 ? String.fromCharCode(code).replace(INVISIBLE, '') : '';
}

/** A text with its escapes decoded, and without invisible characters. */
const decode = (text: string): string =>
  text.replace(ESCAPE, (...match) => meaningOf(match.at(-1) as Groups));

/** The same, with the places of all characters. */
const readDecoded = (text: string): Reading => readWithout(text, ESCAPE, meaningOf);

/** With fewer letters and digits, other text could look the same. */
const MIN_LETTERS = 16;
/** Any text can end in fewer letters. A secret that is split so early is still found by the rest of most forms. */
const MIN_OPEN = 4;
/** How far back a secret can begin that is not complete yet, with everything between its letters. */
const TAIL_CHARACTERS = 2000;
/** An escape that can continue after the end of the text. */
// eslint-disable-next-line no-control-regex -- such an escape begins with one
const UNFINISHED = /(?:(?<!\\)\\+[\w[;]{0,12}|%\w?|&[#\w;]{0,32}|\u001b[^@-Z\\^-~]{0,30})$/;

/** In listings and dumps: the number or offset of a line, and the characters after the bytes. */
const OFFSET = /^[ \t]*[0-9a-fA-F]{1,16}[:|→ \t]/gm;
const DUMP = /^[ \t]*[0-9a-fA-F]{1,16}[:|→ \t]| {2}\S.{0,17}$/gm;
/** In Markdown: tags, and the targets of links. */
const MARKUP = /<\/?[a-zA-Z][^<>]{0,200}>|\]\([^()\s]{0,500}\)|\]\[[^\][]{0,100}\]/g;
const NOTHING = /(?!)/g;
const NO_LETTERS = /[^A-Za-z0-9]+/g;

/** The letters and digits of a text, in one case. */
const lettersOf = (text: string): string => text.replace(NO_LETTERS, '').toLowerCase();

/**
 * Finds words by their letters and digits alone: it does not matter what is between them (line ends, spaces, colons,
 * marks of Markdown, columns of a dump), nor in which case the letters are. The text has to be decoded already.
 */
function createLooseFinder(plain: readonly string[]): Finder {
  const words = [...new Set(plain.map(lettersOf))].filter((word) => word.length >= MIN_LETTERS);
  const finder = createFinder(words);
  const hasWithout = (text: string, pattern: RegExp): boolean => {
    if (words.length === 0) return false;
    const rest = text.replace(pattern, '');
    return (rest !== text || pattern === NOTHING) && finder.has(lettersOf(rest));
  };
  const findWithout = (text: string, pattern: RegExp): Span[] => {
    if (!hasWithout(text, pattern)) return [];
    const reading = readWithout(text, pattern);
    const letters = readWithout(reading.text, NO_LETTERS);
    return finder.find(letters.text.toLowerCase()).map((span) => reading.placeOf(letters.placeOf(span)));
  };
  return {
    has: (text) => [NOTHING, OFFSET, MARKUP, DUMP].some((pattern) => hasWithout(text, pattern)),
    find(text) {
      const spans = merge([NOTHING, OFFSET, MARKUP].flatMap((pattern) => findWithout(text, pattern)));
      const dumped = findWithout(text, DUMP)
        .filter((span) => !spans.some(({ start, end }) => start < span.end && span.start < end))
        // A dump repeats the bytes as characters after them, so the rest of the line is part of it.
        .map(({ start, end }) => ({ start, end: end + (/^.*/.exec(text.slice(end))?.[0].length ?? 0) }));
      return merge([...spans, ...dumped]);
    },
    openTail(text) {
      const from = Math.max(0, text.length - TAIL_CHARACTERS);
      const decoded = readDecoded(text.slice(from).replace(UNFINISHED, ''));
      const letters = readWithout(decoded.text, NO_LETTERS);
      const open = finder.openTail(letters.text.toLowerCase());
      if (open < MIN_OPEN) return 0;
      const start = letters.text.length - open;
      return text.length - from - decoded.placeOf(letters.placeOf({ start, end: start + 1 })).start;
    },
  };
}
