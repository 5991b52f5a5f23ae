import { spanOfJson } from './json-span.js';

/** How many pieces of JSON in prose are looked at: the last ones, because an answer ends with what it is about. */
const MOST_EMBEDDED = 100;
/** How often, on average, a character may be read again because what began before it was no JSON after all. */
const READINGS = 2;

/** A value, and how much of the message it is. */
export interface FoundJson {
  value: unknown;
  length: number;
}

/**
 * The JSON values that a message may mean as its answer, the likeliest first: the whole message; its fenced blocks,
 * the last first; then whatever stands in its prose, the last first.
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

/** Blocks without a language or with that of JSON. One that is never closed reaches to the end. */
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

/** Objects and arrays that stand in a text, outermost only, in time that grows with its length and no faster. */
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
