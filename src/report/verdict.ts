import type { FailureReason } from '../core/failure.js';

/** Whether the step succeeded, and if not, why: `detail` in the words of this run. */
export type Verdict = { status: 'success' } | { status: 'failure'; reason: FailureReason; detail: string };

export const SUCCESS: Verdict = { status: 'success' };
export const failure = (reason: FailureReason, detail: string): Verdict => ({
  status: 'failure',
  reason,
  detail,
});
