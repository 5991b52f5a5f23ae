import type { WireRecord } from './events.js';
import { isRecord } from './record.js';

/**
 * The record whose beginning this is, as far as it goes: what is open at the cut is closed, and what is begun and
 * says nothing yet is left out. For lines too long to be read, whose head still tells which call they are about.
 */
export function readCutRecord(text: string): WireRecord | undefined {
  const { end, isInText, closers } = scan(text);
  try {
    const value: unknown = JSON.parse(text.slice(0, end) + (isInText ? '"' : '') + closers);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface Cut {
  /** Up to here the text can be closed. */
  end: number;
  /** Whether that is inside a text value. */
  isInText: boolean;
  closers: string;
}

function scan(text: string): Cut {
  const open: string[] = [];
  let end = 0;
  /** Whether the next text is a name: a name that is cut off is no use. */
  let isName = false;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (mark === '"') {
      const { next, isClosed } = endOfText(text, at + 1);
      if (!isClosed) {
        return isName ? cutAt(end, open) : { ...cutAt(next, open), isInText: true };
      }
      at = next - 1;
      if (!isName) end = next;
    } else if (mark === '{' || mark === '[') {
      open.push(mark === '{' ? '}' : ']');
      isName = mark === '{';
      end = at + 1;
    } else if (mark === '}' || mark === ']') {
      open.pop();
      isName = false;
      end = at + 1;
    } else if (mark === ',') {
      isName = open.at(-1) === '}';
      end = at;
    } else if (mark === ':') {
      isName = false;
    }
  }
  return cutAt(end, open);
}

const cutAt = (end: number, open: readonly string[]): Cut => ({
  end,
  isInText: false,
  closers: open.toReversed().join(''),
});

/** Where a text ends; where it is cut off, the end of its last whole character. */
function endOfText(text: string, from: number): { next: number; isClosed: boolean } {
  let at = from;
  while (at < text.length) {
    if (text[at] === '"') return { next: at + 1, isClosed: true };
    const width = text[at] !== '\\' ? 1 : text[at + 1] === 'u' ? 6 : 2;
    if (at + width > text.length) break;
    at += width;
  }
  return { next: at, isClosed: false };
}
