import type { Verdict } from './model.js';
import type { FailureReason } from '../core/failure.js';

export const SUCCESS: Verdict = { status: 'success' };
export const failure = (reason: FailureReason, detail: string): Verdict => ({
  status: 'failure',
  reason,
  detail,
});
