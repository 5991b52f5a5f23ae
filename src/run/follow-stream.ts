import type { Watcher } from '../sandbox/index.js';
import type { Rules } from '../permissions/allow-advice.js';
import type { FindReadRule } from '../report/call-tracking.js';
import { foldEvents, type Fold, type LogEvent } from '../report/fold.js';
import { createLiveLog } from '../report/live-log.js';
import type { Redaction } from '../text/redact.js';
import type { RunReport } from '../report/model.js';
import { readLines, type Line } from '../stream/lines.js';
import { readStream, type ReadLine } from '../stream/read-stream.js';
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
  /** Whether the model produced output. */
  hasWorked(): boolean;
}

/** How many characters of it are kept: the last ones, because errors are at the end. */
export const STDERR_CHARACTERS = 16_000;

/** bytes → lines → events → report, with the transcript and the log written on the way. */
export function followStream(following: Following): Follower {
  const { redaction, transcript, print, now, debug, rules, colour = false } = following;
  const startedAt = now();
  const reader = readStream(redaction);
  const stderrLines = readLines(redaction);
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
    for (const event of events) log.tell(event, elapsed());
  };
  const takeLines = (lines: ReadLine[]) => {
    transcript.write(lines.map(({ line, isRecord }) => ({ ...line, isRecord })));
    for (const event of lines.flatMap(({ events }) => events)) {
      if (event.type === 'unknown' && event.why === 'text') remember(event.sample);
      tell(fold.add(event, elapsed()));
    }
  };
  const takeStderr = (lines: Line[]) => {
    for (const { text } of lines) {
      remember(text);
      log.tellStderr(text, elapsed());
    }
  };

  return {
    report: fold.report,
    stderr: () => kept,
    hasWorked: fold.hasWorked,
    onStdout: (chunk) => {
      log.heard(elapsed());
      takeLines(reader.push(chunk));
    },
    onStderr: (chunk) => {
      takeStderr(stderrLines.push(chunk));
    },
    hasResult: () => fold.report.result !== undefined,
    hasSubagent: () => fold.openCalls().some(({ kind, background }) => kind === 'task' && background),
    patienceMs: () => patience(fold, following.idleMs),
    end() {
      stopTicking();
      takeLines(reader.end());
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
