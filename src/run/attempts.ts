import { setTimeout as sleep } from 'node:timers/promises';
import type { Exit } from '../core/exit.js';
import { waitBeforeRetry } from '../report/judge.js';
import type { Try, RunReport, Verdict } from '../report/model.js';
import { duration } from '../text/format.js';

/** One start of the agent, from beginning to end. */
export interface Attempt {
  exit: Exit;
  report: RunReport;
  stderr: string;
  verdict: Verdict;
  /** Whether anything came that the model can have caused. */
  hasWorked: boolean;
}

export interface AttemptLimits {
  totalMs: number;
  /** The chat of an earlier try, if its id is known. */
  resume?: string;
  /** Replaces the prompt of the run. */
  prompt?: string;
}

export interface Attempts extends AttemptLimits {
  start(limits: AttemptLimits): Promise<Attempt>;
  retries: number;
  cancel: AbortSignal;
  tell(line: string): void;
  /** The tries that failed, for the summary. */
  tries: Try[];
}

/** Starts the agent, and starts it again after a failure that may be temporary, unless it can have written something. */
export async function runAttempts(attempts: Attempts): Promise<Attempt> {
  const startedAt = performance.now();
  let { resume } = attempts;
  for (let tries = 1; ; tries += 1) {
    const remainingBefore = attempts.totalMs - (performance.now() - startedAt);
    const attempt = await attempts.start({
      totalMs: remainingBefore,
      ...(resume === undefined ? {} : { resume }),
      ...(attempts.prompt === undefined ? {} : { prompt: attempts.prompt }),
    });
    const remainingMs = attempts.totalMs - (performance.now() - startedAt);
    const waitMs = waitBeforeRetry({ ...attempt, tries, retries: attempts.retries, remainingMs });
    if (waitMs === undefined || attempt.verdict.status === 'success') return attempt;
    resume = attempt.report.sessionId ?? resume;
    attempts.tries.push({ reason: attempt.verdict.reason, detail: attempt.verdict.detail, waitMs });
    attempts.tell(`try ${tries} failed (${attempt.verdict.reason}); next in ${duration(waitMs)}`);
    if (!(await waited(waitMs, attempts.cancel))) {
      return {
        ...attempt,
        verdict: {
          status: 'failure',
          reason: 'cancelled',
          detail: 'The job was cancelled before the next try.',
        },
      };
    }
  }
}

/** Waits. Returns false if the job was cancelled meanwhile. */
async function waited(ms: number, cancel: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: cancel });
    return true;
  } catch {
    return false;
  }
}
