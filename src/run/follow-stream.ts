import type { Watcher } from '../sandbox/index.js';
import type { Rules } from '../permissions/allow-advice.js';
import type { FindReadRule } from '../report/call-tracking.js';
import { foldEvents, type Fold, type LogEvent } from '../report/fold.js';
import { createLiveLog } from '../report/live-log.js';
import { cleanLines, REDACTED, redactAll, type Redaction } from '../text/redact.js';
import { watchSeams, type Piece } from '../text/redact-seams.js';
import type { RunReport } from '../report/model.js';
import { readStream, splitLines, type Line, type ReadLine } from '../stream/read-stream.js';
import type { AgentEvent } from '../stream/events.js';
import type { Transcript } from './run-output.js';

interface Following {
  redaction: Redaction;
  transcript: Transcript;
  print: (lines: readonly string[]) => void;
  /** Folders that paths are shown relative to. */
  roots: readonly string[];
  idleMs: number;
  debug: boolean;
  /** Whether the log shows colours. */
  colour?: boolean;
  /** What the agent may do, so that the log can say which token would allow a denied call. */
  rules?: Rules;
  findReadRule?: FindReadRule;
  now: () => number;
  /** Calls back regularly until it is stopped. */
  ticker?: Ticker;
}

type Ticker = (tick: () => void) => () => void;

/** Often enough to show in the log that the agent is alive. It does not keep the process running. */
const everyFewSeconds: Ticker = (tick) => {
  const timer = setInterval(tick, 5000).unref();
  return () => {
    clearInterval(timer);
  };
};

interface Follower extends Watcher {
  /** Reads what is left after the stream has ended. */
  end(): void;
  report: RunReport;
  /** The end of stderr and of lines that are no events, redacted. */
  stderr(): string;
  /** Whether anything came that the model can have caused. */
  hasWorked(): boolean;
}

/** How many characters of it are kept: the last ones, because errors are at the end. */
export const STDERR_CHARACTERS = 16_000;

/** bytes → lines → events → report, with the transcript and the log written on the way. */
export function followStream(following: Following): Follower {
  const { redaction, transcript, print, now, debug, rules, colour = false } = following;
  const startedAt = now();
  const reader = readStream(cleanLines(redaction));
  const cleanStderr = cleanLines(redaction);
  const seams = watchSeams(redaction, rewriteLine);
  const stderrLines = splitLines();
  const fold = foldEvents(following.roots, following.findReadRule);
  const log = createLiveLog({ print, debug, colour, ...(rules ? { rules } : {}) });
  let kept = '';

  const elapsed = () => now() - startedAt;
  const stopTicking = (following.ticker ?? everyFewSeconds)(() => {
    log.tick(elapsed(), fold.openCalls());
  });
  const remember = (text: string) => {
    kept = `${kept}${text}\n`.slice(-STDERR_CHARACTERS);
  };
  const tell = (events: LogEvent[]) => {
    // Redacted again, because a text that came in parts is complete only here.
    for (const event of redactAll(events, redaction.redact)) log.tell(event, elapsed());
  };
  const take = (event: AgentEvent) => {
    if (event.type === 'unknown' && event.why === 'text') remember(event.sample);
    tell(fold.add(event, elapsed()));
  };
  const takeLines = (lines: ReadLine[]) => {
    transcript.write(lines.map(({ line, isRecord }) => ({ ...line, isRecord })));
    for (const { events } of lines) events.forEach(take);
  };
  const takeStderr = (lines: Line[]) => {
    for (const one of lines) {
      const line = cleanStderr(safeText(one, redaction));
      remember(line);
      log.tellStderr(line, elapsed());
    }
  };

  return {
    report: fold.report,
    stderr: () => kept,
    hasWorked: fold.hasWorked,
    onStdout: (chunk) => {
      log.heard(elapsed());
      takeLines(reader.push(chunk).flatMap((line) => seams.push(pieceOf(line, redaction))));
    },
    onStderr: (chunk) => {
      takeStderr(stderrLines.push(chunk));
    },
    hasResult: () => fold.report.result !== undefined,
    hasSubagent: () => fold.openCalls().some(({ kind, background }) => kind === 'task' && background),
    patienceMs: () => patience(fold, following.idleMs),
    end() {
      stopTicking();
      takeLines(reader.end().flatMap((line) => seams.push(pieceOf(line, redaction))));
      takeLines(seams.end());
      takeStderr(stderrLines.end());
      tell(fold.end());
      log.end();
    },
  };
}

/**
 * Silence is normal while a tool runs, or what it started in the background. A call with a time limit of its own may
 * take twice that time. In the background that limit is over, and only the time limit of the whole run holds.
 */
function patience(fold: Fold, idleMs: number): number {
  const times = fold
    .openCalls()
    .map(({ timeoutMs = Infinity, background }) => (background ? Infinity : 2 * timeoutMs + idleMs));
  return Math.max(idleMs, ...times);
}

/** A secret can be split over several events. This says whether a line continues a text, interrupts it or ends it. */
function pieceOf(read: ReadLine, redaction: Redaction): Piece<ReadLine> {
  const line = { ...read, line: { ...read.line, text: safeText(read.line, redaction) } };
  // A text can come with the id of its session.
  const [event, ...more] = read.events.filter(({ type }) => type !== 'session');
  if (event && more.length === 0 && (event.type === 'text' || event.type === 'thinking'))
    return { line, role: { kind: 'part', channel: event.type, text: event.text } };
  const isAside = read.events.every(({ type }) => type === 'unknown');
  return { line, role: { kind: isAside ? 'aside' : 'other' } };
}

/** The text of a line. If the line was cut, without an end that could be half a secret. */
export const safeText = ({ text, oversized }: Line, redaction: Redaction): string =>
  oversized ? text.slice(0, text.length - redaction.openTail(text)) : text;

/** The line with another text, both in its event and in its record. */
function rewriteLine({ line, events, isRecord }: ReadLine, from: string, to: string): ReadLine {
  const swapped = swapTexts(JSON.parse(line.text) as unknown, (text) => (text === from ? to : text));
  const text = JSON.stringify(swapped);
  // A text that was joined from several blocks is in none of them as a whole, so all of its blocks are redacted.
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
