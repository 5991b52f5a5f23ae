/** How many pieces of JSON in prose are tried: the last ones, because an answer usually ends with its result. */
const MOST_EMBEDDED = 100;
/** How often, on average, a character may be read again because earlier text turned out not to be JSON. */
const READINGS = 2;

/** A value, and the length of its text. */
export interface FoundJson {
  value: unknown;
  length: number;
}

/**
 * The JSON values that may be the answer in a message, the most likely first: the whole message; its fenced blocks,
 * the last first; then JSON in its prose, the last first.
 */
export function* findJson(message: string): Generator<FoundJson> {
  const seen = new Set<string>();
  for (const text of candidates(message)) {
    if (seen.has(text)) continue;
    seen.add(text);
    const parsed = parseBounded(text);
    if (parsed) yield { ...parsed, length: text.length };
  }
}

function* candidates(message: string): Generator<string> {
  const whole = message.trim();
  yield whole;
  for (const block of fencedBlocks(whole).reverse()) yield block.trim();
  for (const { start, end } of embedded(whole).reverse()) yield whole.slice(start, end);
}

function parseBounded(text: string): { value: unknown } | undefined {
  const isNested = text.startsWith('{') || text.startsWith('[');
  if (isNested && spanOfJson(text, 0).kind === 'broken') return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const FENCE = /^[ \t]{0,8}(`{3,}|~{3,})[ \t]*([^\s`]*)/;

/** Blocks of JSON or without a language. A block that is never closed reaches to the end. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: { fence: string; isJson: boolean; lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const [, fence = '', language = ''] = FENCE.exec(line) ?? [];
    if (!open) {
      if (fence !== '') open = { fence, isJson: /^(?:json[5c]?)?$/i.test(language), lines: [] };
    } else if (fence.startsWith(open.fence) && language === '') {
      if (open.isJson) blocks.push(open.lines.join('\n'));
      open = undefined;
    } else open.lines.push(line);
  }
  if (open?.isJson) blocks.push(open.lines.join('\n'));
  return blocks;
}

/** The outermost objects and arrays in a text, in time proportional to its length. */
function embedded(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let readAgain = READINGS * text.length;
  for (let at = nextOpening(text, 0); at !== -1;) {
    const span = spanOfJson(text, at);
    if (span.kind === 'closed') {
      found.push({ start: at, end: span.end });
      if (found.length > 2 * MOST_EMBEDDED) found.splice(0, MOST_EMBEDDED);
      at = nextOpening(text, span.end);
    } else {
      readAgain -= span.at - at;
      at = nextOpening(text, readAgain > 0 ? at + 1 : Math.max(span.at, at + 1));
    }
  }
  return found.slice(-MOST_EMBEDDED);
}

function nextOpening(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x7b || unit === 0x5b) return at;
  }
  return -1;
}

/** Where a piece of JSON ends, or where it turns out not to be JSON. */
export type Span = { kind: 'closed'; end: number } | { kind: 'broken'; at: number };

/** Deeper nesting is not accepted, because code that walks through the value may be recursive. */
export const MOST_DEPTH = 200;

type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

/**
 * Finds the end of the JSON that begins at `start` with a `{` or `[`. It works in one pass and without recursion, so
 * that no text can make it slow or exhaust the stack. It accepts everything that JSON.parse does, and a little more.
 */
export function spanOfJson(text: string, start: number): Span {
  const closers: string[] = [];
  let expected: Expected = 'value';
  for (let at = start; at < text.length;) {
    const mark = text[at] ?? '';
    if (isBlank(mark)) {
      at += 1;
      continue;
    }
    if ((mark === '{' || mark === '[') && (expected === 'value' || expected === 'value-or-end')) {
      closers.push(mark === '{' ? '}' : ']');
      if (closers.length > MOST_DEPTH) return { kind: 'broken', at };
      expected = mark === '{' ? 'key-or-end' : 'value-or-end';
      at += 1;
    } else if (mark === closers.at(-1) && MAY_END.includes(expected)) {
      closers.pop();
      at += 1;
      if (closers.length === 0) return { kind: 'closed', end: at };
      expected = 'comma-or-end';
    } else {
      const step = readToken(text, at, expected);
      if (step === undefined) return { kind: 'broken', at };
      at = step.end;
      expected = mark === ',' ? (closers.at(-1) === '}' ? 'key' : 'value') : step.next;
    }
  }
  return { kind: 'broken', at: text.length };
}

const MAY_END: readonly Expected[] = ['value-or-end', 'key-or-end', 'comma-or-end'];
const isBlank = (mark: string): boolean => mark === ' ' || mark === '\n' || mark === '\r' || mark === '\t';

/** Reads a string, a number or word, a colon or a comma, if it is allowed here. */
function readToken(
  text: string,
  at: number,
  expected: Expected,
): { end: number; next: Expected } | undefined {
  const mark = text[at];
  if (expected === 'colon') return mark === ':' ? { end: at + 1, next: 'value' } : undefined;
  if (expected === 'comma-or-end') return mark === ',' ? { end: at + 1, next: 'value' } : undefined;
  const isKey = expected === 'key' || expected === 'key-or-end';
  const end = mark === '"' ? endOfString(text, at) : isKey ? undefined : endOfWord(text, at);
  return end === undefined ? undefined : { end, next: isKey ? 'colon' : 'comma-or-end' };
}

/** JSON strings have no line breaks, so a stray quotation mark in prose reaches at most to the end of its line. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at + 1;
    if (unit < 0x20) return undefined;
    if (unit === 0x5c) at += 1;
  }
  return undefined;
}

function endOfWord(text: string, start: number): number | undefined {
  let at = start;
  while (at < text.length && /[-+.\w]/.test(text[at] ?? '')) at += 1;
  return at === start ? undefined : at;
}
