import type { AgentEvent, Dialect, NoticeEvent, UnknownEvent, UnknownWhy, WireRecord } from './events.js';
import { clidoDialect } from './dialects/clido.js';
import { cursorDialect } from './dialects/cursor.js';
import { payload } from './dialects/payload.js';
import { head, parseRecord, recordAt, shortTextAt } from './record.js';

/**
 * Every dialect, the most specific first: Cursor's accepts any `result`, so dialects that mark theirs are tried before
 * it. All are tried on each record, so a mixed stream is read, too.
 */
export const DIALECTS: readonly Dialect[] = [payload, clidoDialect, cursorDialect];

/** How much of an unknown line is kept, to show it. */
const SAMPLE_CHARACTERS = 200;
/** The end of a line that was cut can be a part of a secret that cannot be recognised, so it is dropped. */
const UNCLEAN_CHARACTERS = 4096;
/** How often a result is searched for in a line that is not JSON. */
const MAX_TRIES = 4;

/** A line with the events read from it. */
export interface ReadLine {
  line: Line;
  events: AgentEvent[];
  /** Whether the line was a JSON object, known or not. */
  isRecord: boolean;
}

/**
 * Bytes → lines → events. `clean` gets each line first, so what it takes out (secrets) is in no event and in no
 * transcript.
 */
export function readStream(clean = (text: string) => text) {
  const splitter = splitLines();
  let hasSession = false;
  const read = (line: Line): ReadLine => {
    const cleaned = clean(line.text);
    const text = line.oversized ? head(cleaned, Math.max(0, cleaned.length - UNCLEAN_CHARACTERS)) : cleaned;
    const { sessionId, ...rest } = readLine({ ...line, text });
    if (hasSession || sessionId === undefined) return rest;
    hasSession = true;
    const isAnnounced = rest.events.some(({ type }) => type === 'session' || type === 'finished');
    return isAnnounced ? rest : { ...rest, events: [{ type: 'session', sessionId }, ...rest.events] };
  };
  return {
    push: (chunk: Uint8Array): ReadLine[] => splitter.push(chunk).map(read),
    end: (): ReadLine[] => splitter.end().map(read),
  };
}

function readLine(line: Line): ReadLine & { sessionId?: string } {
  if (line.oversized) return { line, events: readOversized(line), isRecord: false };
  // Most lines of text are not parsed, which saves the cost of an exception.
  const record = isLikeRecord(line.text) ? parseRecord(line.text) : undefined;
  if (!record) return { line, events: readUnreadable(line), isRecord: false };
  const sessionId = sessionIdOf(record);
  return {
    line,
    events: readRecord(record, line),
    isRecord: true,
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

/** Every record can have the session's id. A stream that lost its beginning still names its session. */
const sessionIdOf = (record: WireRecord): string | undefined =>
  shortTextAt(record, 'session_id') ?? shortTextAt(recordAt(record, 'payload'), 'session_id');

function readRecord(record: WireRecord, line: Line): AgentEvent[] {
  for (const read of DIALECTS) {
    const events = read(record);
    if (events) {
      return events.map((event) =>
        event.type === 'malformed' ? unknown(line, 'malformed', event.label) : event,
      );
    }
  }
  return [unknown(line, 'record', labelOf(record))];
}

/** Whether a line looks like a record, by its first character that is not a space. */
const isLikeRecord = (text: string): boolean => text.startsWith('{') || /^\s*\{/.test(text);

/** The beginning of a line that is too long still starts and ends calls, and still says that the run has ended. */
function readOversized(line: Line): AgentEvent[] {
  const record = readCutRecord(line.text);
  const events = record ? readRecord(record, line) : [];
  return [...events.filter(isTurningPoint), unknown(line, 'oversized', 'line too long to read')];
}

const isTurningPoint = ({ type }: AgentEvent): boolean =>
  type === 'tool-started' || type === 'tool-finished' || type === 'finished';

/**
 * A line that is not a record. If it ends with a result, after text or after a record that lost its newline, the run
 * has still ended.
 */
function readUnreadable(line: Line): AgentEvent[] {
  const { text } = line;
  const itself = !isLikeRecord(text)
    ? unknown(line, 'text', 'text')
    : line.isUnfinished
      ? cutLine(line)
      : unknown(line, 'broken', 'broken JSON');
  let from = text.length;
  for (let tries = 0; tries < MAX_TRIES && from > 0; tries += 1) {
    from = text.lastIndexOf('{"type":', from - 1);
    if (from <= 0) break;
    if (!/^\{"type":\s*"result"/.test(text.slice(from, from + 40))) continue;
    const record = parseRecord(text.slice(from));
    const events = record ? readRecord(record, line) : [];
    if (events.length > 0) return [itself, ...events];
  }
  return [itself];
}

/** The last record of a process that ended while it was writing. The format has not changed, so it is not unknown. */
function cutLine({ number, text }: Line): NoticeEvent {
  const record = readCutRecord(text);
  const what = record ? `, ${labelOf(record)}` : '';
  return {
    type: 'notice',
    level: 'warning',
    text: `The stream ended in the middle of its last line (line ${number}${what}); what it reported is lost.`,
  };
}

function unknown(line: Line, why: UnknownWhy, label: string): UnknownEvent {
  return { type: 'unknown', line: line.number, why, label, sample: head(line.text, SAMPLE_CHARACTERS) };
}

/** What an unknown record calls itself: its type and subtype. */
function labelOf(record: WireRecord): string {
  const words = [record['type'], record['subtype']].filter((word) => typeof word === 'string');
  return words.length > 0 ? head(words.join('/'), 80) : 'record without a type';
}

/**
 * Reads the beginning of a record. What is open at the cut is closed, and a name or value without content is left
 * out. This is for lines that are too long: their beginning still says which call they are about.
 */
export function readCutRecord(text: string): WireRecord | undefined {
  const { end, isInText, closers } = scan(text);
  return parseRecord(text.slice(0, end) + (isInText ? '"' : '') + closers);
}

interface Cut {
  /** The text can be closed after this place. */
  end: number;
  /** Whether that is inside of a string. */
  isInText: boolean;
  closers: string;
}

function scan(text: string): Cut {
  const open: string[] = [];
  let end = 0;
  /** Whether the next string is a name. A name that is cut is of no use. */
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

/** Where a string ends. If it is cut, the end of its last complete character. */
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

/** A line with more bytes than this is skipped, except for its beginning. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** How much of a skipped line is kept, to tell what it was. */
const HEAD_BYTES = 64 * 1024;
/** A buffer that grew larger than this for one long line is not kept for the rest of the stream. */
const KEPT_BYTES = 256 * 1024;

export interface Line {
  /** Counted from 1. Empty lines count too. */
  number: number;
  text: string;
  /** Set if the line was too long: then `text` is only its beginning, and `bytes` its whole length. */
  oversized?: { bytes: number };
  /** Set for a last line without a newline: it may be only the beginning of a line. */
  isUnfinished?: true;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Splits bytes into lines. It splits bytes, because a chunk can end inside of a character, and only at `\n`, because a
 * JSON string can contain U+2028 and other line ends. Empty lines are counted but not returned.
 */
export function splitLines(maxBytes = MAX_LINE_BYTES) {
  const held = growingBuffer();
  /** Bytes of the line so far, including those that were dropped. */
  let lineBytes = 0;
  let number = 0;

  const hold = (bytes: Buffer) => {
    lineBytes += bytes.length;
    if (lineBytes <= maxBytes) held.append(bytes);
    else held.cutTo(Math.min(HEAD_BYTES, maxBytes), bytes);
  };

  /** Turns the bytes of a complete line into text. Empty lines give nothing. */
  const finish = (bytes: Buffer): Line | undefined => {
    number += 1;
    const oversized = lineBytes > maxBytes ? { bytes: lineBytes } : undefined;
    lineBytes = 0;
    const text = decode(bytes, number === 1);
    if (oversized) return { number, text, oversized };
    return text.trim() === '' ? undefined : { number, text };
  };

  return {
    /** Returns the lines that end in this chunk. */
    push(chunk: Uint8Array): Line[] {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const lines: Line[] = [];
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        const rest = bytes.subarray(start, end);
        const isWhole = lineBytes === 0 && rest.length <= maxBytes;
        if (!isWhole) hold(rest);
        const line = finish(isWhole ? rest : held.take());
        if (line) lines.push(line);
        start = end + 1;
      }
      if (start < bytes.length) hold(bytes.subarray(start));
      return lines;
    },
    /** Returns the last line, if it did not end with a newline. */
    end(): Line[] {
      const line = lineBytes > 0 ? finish(held.take()) : undefined;
      return line ? [{ ...line, isUnfinished: true }] : [];
    },
  };
}

/** One buffer that doubles. A line can come byte by byte, and a list of its pieces would take far more memory. */
function growingBuffer() {
  let buffer = Buffer.alloc(0);
  let length = 0;
  const append = (bytes: Buffer) => {
    if (length + bytes.length > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + bytes.length));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    bytes.copy(buffer, length);
    length += bytes.length;
  };
  return {
    append,
    /** Keeps only the first `max` bytes of what is held plus these. */
    cutTo(max: number, bytes: Buffer) {
      if (length < max) append(bytes.subarray(0, max - length));
      length = max;
      if (buffer.length > KEPT_BYTES) buffer = Buffer.from(buffer.subarray(0, max));
    },
    /** Returns what was held. Read it before the next append. */
    take(): Buffer {
      const bytes = buffer.subarray(0, length);
      length = 0;
      if (buffer.length > KEPT_BYTES) buffer = Buffer.alloc(0);
      return bytes;
    },
  };
}

function decode(bytes: Buffer, isFirst: boolean): string {
  const end = bytes[bytes.length - 1] === RETURN ? bytes.length - 1 : bytes.length;
  const text = bytes.toString('utf8', 0, end);
  return isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
