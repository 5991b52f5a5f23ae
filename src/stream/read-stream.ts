import type { AgentEvent, Dialect, Malformed, WireRecord } from './events.js';
import { head, isRecord } from './record.js';
import { splitLines, type Line } from './lines.js';

/** How much of an unknown line is kept for showing. */
const SAMPLE_CHARACTERS = 200;

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
  const read = (lines: Line[]) =>
    lines.map((line) => readLine({ ...line, text: clean(line.text) }, dialects));
  return {
    push: (chunk) => read(splitter.push(chunk)),
    end: () => read(splitter.end()),
  };
}

export function readLine(line: Line, dialects: readonly Dialect[]): ReadLine {
  if (line.oversized) {
    const megabytes = (line.oversized.bytes / 1024 / 1024).toFixed(1);
    const event = unknown(line, 'oversized', `line of ${megabytes} MiB`);
    return { line, events: [event], isRecord: false };
  }
  const record = parseRecord(line.text);
  if (!record) return { line, events: [unknown(line, 'text', 'text')], isRecord: false };
  for (const dialect of dialects) {
    const events = dialect.read(record);
    if (events) return { line, events: events.map((event) => settle(event, line)), isRecord: true };
  }
  return { line, events: [unknown(line, 'record', labelOf(record))], isRecord: true };
}

function parseRecord(text: string): WireRecord | undefined {
  // Most text lines fail here, without the cost of an exception.
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function settle(event: AgentEvent | Malformed, line: Line): AgentEvent {
  return event.type === 'malformed' ? unknown(line, 'malformed', event.label) : event;
}

function unknown(line: Line, why: 'text' | 'record' | 'malformed' | 'oversized', label: string): AgentEvent {
  return { type: 'unknown', line: line.number, why, label, sample: head(line.text, SAMPLE_CHARACTERS) };
}

/** What an unknown record calls itself: its type and subtype. */
function labelOf(record: WireRecord): string {
  const words = [record['type'], record['subtype']].filter((word) => typeof word === 'string');
  return words.length > 0 ? head(words.join('/'), 80) : 'record without a type';
}
