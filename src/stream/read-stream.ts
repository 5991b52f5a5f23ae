import { createRedaction, REDACTED } from '../text/redact.js';
import { watchSeams, type Piece } from '../text/redact-seams.js';
import type { AgentEvent, Dialect, NoticeEvent, UnknownEvent, UnknownWhy, WireRecord } from './events.js';
import { clidoDialect } from './dialects/clido.js';
import { cursorDialect } from './dialects/cursor.js';
import { payload } from './dialects/payload.js';
import { readLines, type Line } from './lines.js';
import { head, parseRecord, recordAt, shortTextAt } from './record.js';

/**
 * Every dialect, the most specific first: Cursor's accepts any `result`, so dialects that mark theirs are tried before
 * it. All are tried on each record, so a mixed stream is read, too.
 */
export const DIALECTS: readonly Dialect[] = [payload, clidoDialect, cursorDialect];

/** How much of an unknown line is kept, to show it. */
const SAMPLE_CHARACTERS = 200;
/** How often a result is searched for in a line that is not JSON. */
const MAX_TRIES = 4;

/** A line with the events read from it. */
export interface ReadLine {
  line: Line;
  events: AgentEvent[];
  /** Whether the line was a JSON object, known or not. */
  isRecord: boolean;
}

/** Bytes → lines → events, without secrets, also without those that are split over several events. */
export function readStream(redaction = createRedaction([])) {
  const lines = readLines(redaction);
  const seams = watchSeams(redaction, rewriteLine);
  let hasSession = false;
  const read = (line: Line): ReadLine[] => {
    const { sessionId, ...rest } = readLine(line);
    const isNew = !hasSession && sessionId !== undefined;
    hasSession ||= isNew;
    if (isNew && !rest.events.some(({ type }) => type === 'session' || type === 'finished'))
      rest.events.unshift({ type: 'session', sessionId });
    return seams.push({ line: rest, role: roleOf(rest) });
  };
  return {
    push: (chunk: Uint8Array): ReadLine[] => lines.push(chunk).flatMap(read),
    end: (): ReadLine[] => [...lines.end().flatMap(read), ...seams.end()],
  };
}

/** Whether a line continues a text, interrupts it or ends it. */
function roleOf({ events }: ReadLine): Piece<ReadLine>['role'] {
  // A text can come with the id of its session.
  const [event, ...more] = events.filter(({ type }) => type !== 'session');
  if (event && more.length === 0 && (event.type === 'text' || event.type === 'thinking'))
    return { kind: 'part', channel: event.type, text: event.text };
  return { kind: events.every(({ type }) => type === 'unknown') ? 'aside' : 'other' };
}

/** The line with another text, both in its event and in its record. */
function rewriteLine({ line, events, isRecord }: ReadLine, from: string, to: string): ReadLine {
  const record: unknown = JSON.parse(line.text);
  const swapped = JSON.stringify(mapTexts(record, (text) => (text === from ? to : text)));
  // A text that was joined from several blocks is in none of them as a whole, so all of its blocks are redacted.
  const isJoined = swapped === JSON.stringify(record);
  const hide = (text: string) => (text !== '' && from.includes(text) ? REDACTED : text);
  return {
    isRecord,
    line: { ...line, text: isJoined ? JSON.stringify(mapTexts(record, hide)) : swapped },
    events: events.map((event) =>
      (event.type === 'text' || event.type === 'thinking') && event.text === from
        ? { ...event, text: to }
        : event,
    ),
  };
}

/** The same value with every text in it replaced. Names stay as they are. */
function mapTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, replace)]));
}

function readLine(line: Line): ReadLine & { sessionId?: string | undefined } {
  if (line.oversized) return { line, events: readOversized(line), isRecord: false };
  // Most lines of text are not parsed, which saves the cost of an exception.
  const record = isLikeRecord(line.text) ? parseRecord(line.text) : undefined;
  if (!record) return { line, events: readUnreadable(line), isRecord: false };
  // Every record can have the session's id. A stream that lost its beginning still names its session.
  const sessionId =
    shortTextAt(record, 'session_id') ?? shortTextAt(recordAt(record, 'payload'), 'session_id');
  return { line, events: readRecord(record, line), isRecord: true, sessionId };
}

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
  const turning = events.filter(({ type }) => TURNING_POINTS.includes(type));
  return [...turning, unknown(line, 'oversized', 'line too long to read')];
}

const TURNING_POINTS: readonly AgentEvent['type'][] = ['tool-started', 'tool-finished', 'finished'];

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
  const open: string[] = [];
  /** The text can be closed after this place. */
  let end = 0;
  /** Whether the next string is a name. A name that is cut is of no use. */
  let isName = false;
  const closed = (to: number, quote = '') =>
    parseRecord(text.slice(0, to) + quote + open.toReversed().join(''));
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (mark === '"') {
      const { next, isClosed } = endOfText(text, at + 1);
      if (!isClosed) return isName ? closed(end) : closed(next, '"');
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
  return closed(end);
}

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
