import { messageOf } from '../core/errors.js';

const FULL = ['ENOSPC', 'EDQUOT'];

/** What could not be written, why, and what to do about it. */
export function unwrittenText(what: string, error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const words = `${what} could not be written: ${messageOf(error)}.`;
  return FULL.includes(code)
    ? `${words} The disk is full: free some space before this step, or use a runner with a larger disk.`
    : `${words} Make sure that this step may write its files under RUNNER_TEMP and the file of its outputs.`;
}
