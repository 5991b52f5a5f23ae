import type { FailureReason } from '../core/failure.js';
import type { ToolKind } from '../stream/events.js';
import type { RunReport, Verdict } from './model.js';

/** Failures that may be gone a little later, with the wait before the first further try; each wait is three times the one before. */
const FIRST_WAIT_MS: Partial<Record<FailureReason, number>> = {
  network: 2_000,
  'rate-limited': 20_000,
};
const GROWTH = 3;

/** Kinds of call that leave nothing behind. Whatever else was begun may have changed something. */
const HARMLESS: readonly ToolKind[] = ['read', 'search', 'list', 'web', 'plan'];

export interface TriedRun {
  verdict: Verdict;
  report: RunReport;
  /** How many tries there have been, this one included. */
  tries: number;
  retries: number;
  /** What is left of the time limit. */
  remainingMs: number;
}

/** How long to wait before the next try; nothing if there is to be none. */
export function waitBeforeRetry({
  verdict,
  report,
  tries,
  retries,
  remainingMs,
}: TriedRun): number | undefined {
  if (verdict.status === 'success' || tries > retries || mayHaveWritten(report)) return undefined;
  const first = FIRST_WAIT_MS[verdict.reason];
  if (first === undefined) return undefined;
  const wait = first * GROWTH ** (tries - 1);
  return wait < remainingMs ? wait : undefined;
}

function mayHaveWritten({ totals }: RunReport): boolean {
  return Object.entries(totals).some(
    ([kind, { calls, denied }]) => !HARMLESS.includes(kind as ToolKind) && calls > denied,
  );
}
