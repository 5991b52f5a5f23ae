import { unlessAborted } from './abort.js';
import { ExplainedError, messageOf } from './errors.js';
import { FAILURES, RunFailure } from './failure.js';
import { error as printError } from './runner.js';

interface Entry {
  /** The title of the error annotation if the work fails: "The report could not be published". */
  failed: string;
  /** A number that it resolves to is the exit code; anything else means 0. */
  run(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<unknown>;
  /** How an error is shown; an error annotation unless given. */
  show?(error: unknown): void;
}

/** A handle that something left open must not keep the step from ending. */
const MAX_LINGER_MS = 1000;

/** Runs an entry: SIGINT and SIGTERM cancel it, one catch shows its errors, and the process ends with its exit code. */
export async function runEntry({ failed, run, show }: Entry): Promise<void> {
  // Until the work is done. If it ever waits for nothing, Node ends early, and that must not look like a success.
  process.exitCode = 1;
  const cancel = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      cancel.abort();
    });
  }
  try {
    const code = await run(process.env, cancel.signal);
    process.exitCode = typeof code === 'number' ? code : 0;
  } catch (error) {
    if (show) show(error);
    else printError(describeError(error), failed);
  }
  setTimeout(() => process.exit(), MAX_LINGER_MS).unref();
}

/** Waits for work that knows no signal, but not after the job is cancelled. */
export function unlessCancelled<T>(work: Promise<T>, cancel: AbortSignal): Promise<T> {
  return unlessAborted(cancel, work, () => new ExplainedError('The job was cancelled.'));
}

/** What happened and what to do. An unexpected error is shown with its stack. */
export function describeError(error: unknown): string {
  if (error instanceof ExplainedError) return error.message;
  const reason = error instanceof RunFailure ? error.reason : 'internal';
  const { what, remedy } = FAILURES[reason];
  return `${what} ${remedy}\n${detailOf(error)}`;
}

/** The details of an error: the words of a RunFailure, the stack of anything else. */
export function detailOf(error: unknown): string {
  if (error instanceof RunFailure) return error.detail;
  return error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
}
