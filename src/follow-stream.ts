import type { Watcher } from './agent/process.js';
import { foldEvents, type Fold } from './report/fold.js';
import { describeHappening } from './report/live-log.js';
import { logLine } from './report/plain-text.js';
import type { Redact } from './report/redact.js';
import type { RunReport } from './report/run-report.js';
import { clock } from './report/words.js';
import { splitLines } from './stream/lines.js';
import { readStream, type ReadLine } from './stream/read-stream.js';
import type { AgentEvent, Dialect } from './stream/events.js';
import type { Transcript } from './transcript.js';

export interface Following {
  dialects: readonly Dialect[];
  redact: Redact;
  transcript: Transcript;
  print: (lines: readonly string[]) => void;
  /** Folders that paths are shown relative to. */
  roots: readonly string[];
  idleMs: number;
  debug: boolean;
  now: () => number;
}

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
  const { redact, transcript, print, now, debug } = following;
  const startedAt = now();
  const reader = readStream(following.dialects, redact);
  const stderr = splitLines();
  const fold = foldEvents(following.roots);
  let words = '';

  const elapsed = () => now() - startedAt;
  const remember = (text: string) => {
    words = `${words}${text}\n`.slice(-WORDS_CHARACTERS);
  };
  const take = (event: AgentEvent) => {
    if (event.type === 'unknown' && event.why === 'text') remember(event.sample);
    for (const happening of fold.add(event, elapsed())) print(describeHappening(happening, elapsed(), debug));
  };
  const takeLines = (lines: ReadLine[]) => {
    transcript.write(lines.map(({ line, isRecord }) => ({ ...line, isRecord })));
    for (const { events } of lines) events.forEach(take);
  };
  const takeStderr = (lines: { text: string }[]) => {
    for (const { text } of lines) {
      const line = redact(text);
      remember(line);
      print([logLine(`+${clock(elapsed())} stderr ${line}`)]);
    }
  };

  return {
    report: fold.report,
    words: () => words,
    onStdout: (chunk) => {
      takeLines(reader.push(chunk));
    },
    onStderr: (chunk) => {
      takeStderr(stderr.push(chunk));
    },
    hasResult: () => fold.report.result !== undefined,
    patienceMs: () => patience(fold, following.idleMs),
    end() {
      takeLines(reader.end());
      takeStderr(stderr.end());
      for (const happening of fold.end()) print(describeHappening(happening, elapsed(), debug));
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
