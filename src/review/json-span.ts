/**
 * Where a piece of JSON ends in a text, found without building it: in one pass, without recursion, so that no text
 * can make it slow or exhaust the stack. It accepts whatever JSON.parse does, and a little more.
 */
export type Span = { kind: 'closed'; end: number } | { kind: 'broken'; at: number };

/** What is nested deeper than any answer needs is none: code that walks through it may be recursive. */
export const MOST_DEPTH = 200;

type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

/** `start` is where the text has a `{` or a `[`. */
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

/** A string, a number or word, a colon or a comma, where one of them may stand. */
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

/** JSON has no line breaks in strings, so a stray quotation mark in prose reaches to the end of its line at most. */
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
