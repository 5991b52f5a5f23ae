import { readCutRecord } from './cut-record.js';
import type { AgentEvent, Dialect, Malformed, UnknownEvent, UnknownWhy, WireRecord } from './events.js';
import { head, isRecord } from './record.js';
import { splitLines, type Line } from './lines.js';

/** How much of an unknown line is kept for showing. */
const SAMPLE_CHARACTERS = 200;
/** At the end of a head that was cut may stand a piece of a secret that no cleaning knows; it is let go. */
const UNCLEAN_CHARACTERS = 4096;
/** How often a result is looked for in a line that is not JSON. */
const MOST_TRIES = 4;

export interface StreamReader {
  push(chunk: Uint8Array): ReadLine[];
  end(): ReadLine[];
}

/** A line with the events read from it. */
export interface ReadLine {
  line: Line;
  events: AgentEvent[];
  /** Whether the line was a JSON object, known or not. */
  isRecord: boolean;
}

/**
 * Bytes → lines → events. Which dialect a record speaks is decided record by record. `clean` sees each line
 * before anyone else does: what it takes out (secrets) is in no event and no transcript.
 */
export function readStream(dialects: readonly Dialect[], clean = (text: string) => text): StreamReader {
  const splitter = splitLines();
  const read = (line: Line) => {
    const cleaned = clean(line.text);
    const text = line.oversized ? head(cleaned, Math.max(0, cleaned.length - UNCLEAN_CHARACTERS)) : cleaned;
    return readLine({ ...line, text }, dialects);
  };
  return {
    push: (chunk) => splitter.push(chunk).map(read),
    end: () => splitter.end().map(read),
  };
}

export function readLine(line: Line, dialects: readonly Dialect[]): ReadLine {
  if (line.oversized) return { line, events: readOversized(line, dialects), isRecord: false };
  const record = parseRecord(line.text);
  if (!record) return { line, events: readUnreadable(line, dialects), isRecord: false };
  return { line, events: readRecord(record, line, dialects), isRecord: true };
}

function readRecord(record: WireRecord, line: Line, dialects: readonly Dialect[]): AgentEvent[] {
  for (const dialect of dialects) {
    const events = dialect.read(record);
    if (events) return events.map((event) => settle(event, line));
  }
  return [unknown(line, 'record', labelOf(record))];
}

/** Looks like a record, by its first character that is not white. */
const isLikeRecord = (text: string): boolean => text.startsWith('{') || /^\s*\{/.test(text);

function parseRecord(text: string): WireRecord | undefined {
  // Most text lines fail here, without the cost of an exception.
  if (!isLikeRecord(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The head of a line too long to read still opens and closes calls, and still tells that the run has ended. */
function readOversized(line: Line, dialects: readonly Dialect[]): AgentEvent[] {
  const record = readCutRecord(line.text);
  const events = record ? readRecord(record, line, dialects) : [];
  return [...events.filter(isTurningPoint), unknown(line, 'oversized', 'line too long to read')];
}

const isTurningPoint = ({ type }: AgentEvent): boolean =>
  type === 'tool-started' || type === 'tool-finished' || type === 'finished';

/**
 * A line that is no record. If a result stands at its end, behind text or a record that lost its newline, the run
 * has ended all the same.
 */
function readUnreadable(line: Line, dialects: readonly Dialect[]): AgentEvent[] {
  const { text } = line;
  const itself = isLikeRecord(text) ? unknown(line, 'broken', 'broken JSON') : unknown(line, 'text', 'text');
  let from = text.length;
  for (let tries = 0; tries < MOST_TRIES && from > 0; tries += 1) {
    from = text.lastIndexOf('{"type":', from - 1);
    if (from <= 0) break;
    if (!/^\{"type":\s*"result"/.test(text.slice(from, from + 40))) continue;
    const record = parseRecord(text.slice(from));
    const events = record ? readRecord(record, line, dialects) : [];
    if (events.length > 0) return [itself, ...events];
  }
  return [itself];
}

function settle(event: AgentEvent | Malformed, line: Line): AgentEvent {
  return event.type === 'malformed' ? unknown(line, 'malformed', event.label) : event;
}

function unknown(line: Line, why: UnknownWhy, label: string): UnknownEvent {
  return { type: 'unknown', line: line.number, why, label, sample: head(line.text, SAMPLE_CHARACTERS) };
}

/** What an unknown record calls itself: its type and subtype. */
function labelOf(record: WireRecord): string {
  const words = [record['type'], record['subtype']].filter((word) => typeof word === 'string');
  return words.length > 0 ? head(words.join('/'), 80) : 'record without a type';
}
