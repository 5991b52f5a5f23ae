import { REDACTED, type Redaction } from '../text/redact.js';
import type { Piece } from '../text/redact-seams.js';
import type { ReadLine } from '../stream/read-stream.js';

/** What a line is to the texts that come in pieces: a part, something in between, or their end. */
export function pieceOf(read: ReadLine, redaction: Redaction): Piece<ReadLine> {
  const line = read.line.oversized
    ? { ...read, line: { ...read.line, text: closed(read.line.text, redaction) } }
    : read;
  const [event, ...more] = read.events;
  if (event && more.length === 0 && (event.type === 'text' || event.type === 'thinking'))
    return { line, role: { kind: 'part', channel: event.type, text: event.text } };
  const isAside = read.events.every(({ type }) => type === 'unknown');
  return { line, role: { kind: isAside ? 'aside' : 'other' } };
}

/** A text that was cut somewhere, without an end that may be half a secret. */
export const closed = (text: string, redaction: Redaction): string =>
  text.slice(0, text.length - redaction.openTail(text));

/** The line with other words, in its event and in its record alike. */
export function rewriteLine({ line, events, isRecord }: ReadLine, from: string, to: string): ReadLine {
  const swapped = swapTexts(JSON.parse(line.text) as unknown, (text) => (text === from ? to : text));
  const text = JSON.stringify(swapped);
  // A text put together from several blocks is nowhere whole: then none of the blocks is kept.
  const record =
    text === JSON.stringify(JSON.parse(line.text))
      ? JSON.stringify(swapTexts(swapped, (part) => (part !== '' && from.includes(part) ? REDACTED : part)))
      : text;
  return {
    isRecord,
    line: { ...line, text: record },
    events: events.map((event) =>
      (event.type === 'text' || event.type === 'thinking') && event.text === from
        ? { ...event, text: to }
        : event,
    ),
  };
}

/** The same value with every text in it replaced by the result of `swap`. Names stay as they are. */
function swapTexts(value: unknown, swap: (text: string) => string): unknown {
  if (typeof value === 'string') return swap(value);
  if (Array.isArray(value)) return value.map((item: unknown) => swapTexts(item, swap));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, swapTexts(item, swap)]));
}
