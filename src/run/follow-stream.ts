import type { Watcher } from '../agent/process.js';
import type { Rules } from '../report/denials.js';
import { foldEvents, type Fold, type LogEvent } from '../report/fold.js';
import { createLiveLog } from '../report/live-log.js';
import { redactAll, type Redaction } from '../text/redact.js';
import { cleanLines } from '../text/redact-lines.js';
import { watchSeams } from '../text/redact-seams.js';
import type { RunReport } from '../report/model.js';
import { splitLines, type Line } from '../stream/lines.js';
import { readStream, type ReadLine } from '../stream/read-stream.js';
import type { AgentEvent, Dialect } from '../stream/events.js';
import { closed, pieceOf, rewriteLine } from './stream-seams.js';
import type { Transcript } from './transcript.js';

export interface Following {
  dialects: readonly Dialect[];
  redaction: Redaction;
  transcript: Transcript;
  print: (lines: readonly string[]) => void;
  /** Folders that paths are shown relative to. */
  roots: readonly string[];
  idleMs: number;
  debug: boolean;
  /** Whether the log shows colours. */
  colour?: boolean;
  /** What the agent may do, so that a denial can name what would have allowed it. */
  rules?: Rules;
  now: () => number;
  /** Calls back every now and then until it is stopped. */
  ticker?: Ticker;
}

export type Ticker = (tick: () => void) => () => void;

/** Often enough for a sign of life in the log, and no reason for the process to stay. */
const everyFewSeconds: Ticker = (tick) => {
  const timer = setInterval(tick, 5000).unref();
  return () => {
    clearInterval(timer);
  };
};

export interface Follower extends Watcher {
  /** The stream is over: what is left of it is read. */
  end(): void;
  report: RunReport;
  /** The end of what the agent wrote that is no event, redacted. */
  words(): string;
}

/** How much of the agent's other output is kept: the end of it, where the error stands. */
const WORDS_CHARACTERS = 16_000;

/** bytes → lines → events → report, with the transcript and the log written on the way. */
export function followStream(following: Following): Follower {
  const { redaction, transcript, print, now, debug, rules, colour = false } = following;
  const startedAt = now();
  const reader = readStream(following.dialects, cleanLines(redaction));
  const cleanStderr = cleanLines(redaction);
  const seams = watchSeams(redaction, rewriteLine);
  const stderr = splitLines();
  const fold = foldEvents(following.roots);
  const log = createLiveLog({ print, debug, colour, ...(rules ? { rules } : {}) });
  let words = '';

  const elapsed = () => now() - startedAt;
  const stopTicking = (following.ticker ?? everyFewSeconds)(() => {
    log.tick(elapsed(), fold.openCalls());
  });
  const remember = (text: string) => {
    words = `${words}${text}\n`.slice(-WORDS_CHARACTERS);
  };
  const tell = (events: LogEvent[]) => {
    // Once more, because what came in pieces is whole only here.
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
    for (const { text, oversized } of lines) {
      const line = cleanStderr(oversized ? closed(text, redaction) : text);
      remember(line);
      log.tellStderr(line, elapsed());
    }
  };

  return {
    report: fold.report,
    words: () => words,
    onStdout: (chunk) => {
      log.heard(elapsed());
      takeLines(reader.push(chunk).flatMap((line) => seams.push(pieceOf(line, redaction))));
    },
    onStderr: (chunk) => {
      takeStderr(stderr.push(chunk));
    },
    hasResult: () => fold.report.result !== undefined,
    patienceMs: () => patience(fold, following.idleMs),
    end() {
      stopTicking();
      takeLines(reader.end().flatMap((line) => seams.push(pieceOf(line, redaction))));
      takeLines(seams.end());
      takeStderr(stderr.end());
      tell(fold.end());
      log.end();
    },
  };
}

/** Silence is normal while a tool runs; a call that names its own time limit may take twice that before it counts. */
function patience(fold: Fold, idleMs: number): number {
  const open = fold.openCalls();
  if (open.length === 0) return idleMs;
  return Math.max(
    ...open.map(({ timeoutMs }) => (timeoutMs === undefined ? Infinity : 2 * timeoutMs + idleMs)),
  );
}
