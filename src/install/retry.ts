import { messageOf as wordsOf } from '../core/errors.js';
import type { InstallIo } from './install-io.js';

/** A server's answer that is not the file. */
export class HttpStatus extends Error {
  override readonly name = 'HttpStatus';

  constructor(
    readonly status: number,
    statusText: string,
    /** The header, as it came. */
    readonly retryAfter?: string | undefined,
  ) {
    super(`the server answered ${status}${statusText ? ` ${statusText}` : ''}`);
  }
}

/** What another try would not change: a redirect to an unsafe place, a file that is too large. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Before the second, third and fourth try. */
const WAITS_MS = [2_000, 6_000, 18_000];
/** A server that wants us to wait longer than this is not waited for. */
const MOST_WAIT_MS = 5 * 60_000;
/** Faults of this machine or of a certificate, which stay. */
const LASTING = /^(ENOSPC|EDQUOT|EACCES|EPERM|EROFS|ENOTDIR|EISDIR|ERR_TLS_.*|.*CERT.*|UNABLE_TO_.*)$/;

/** How long to wait before the next try; nothing if there is to be none. */
export function waitBeforeRetry(error: unknown, failed: number, now: number): number | undefined {
  const wait = WAITS_MS[failed - 1];
  if (wait === undefined || !mayPass(error)) return undefined;
  const asked = error instanceof HttpStatus ? readRetryAfter(error.retryAfter, now) : undefined;
  if (asked === undefined) return wait;
  return asked > MOST_WAIT_MS ? undefined : Math.max(asked, 0);
}

function mayPass(error: unknown): boolean {
  if (error instanceof Refused) return false;
  if (error instanceof HttpStatus) return [408, 429].includes(error.status) || error.status >= 500;
  return !LASTING.test(codeOf(error));
}

/** Seconds or a date. */
function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date - now;
}

/** Tries until it works, or until another try would not help; then the last error is thrown. */
export async function withRetries<T>(
  io: Pick<InstallIo, 'info' | 'sleep' | 'now'>,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failed = 0; ;) {
    try {
      return await attempt();
    } catch (error) {
      failed += 1;
      const wait = waitBeforeRetry(error, failed, io.now());
      if (wait === undefined) throw error;
      io.info(`That failed: ${messageOf(error)}. Trying again in ${Math.ceil(wait / 1000)} s.`);
      await io.sleep(wait);
    }
  }
}

/** The code the system or Node gives an error, such as ENOSPC; empty where there is none. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** An error in words; some errors of the network have a code and no message. */
export function messageOf(error: unknown): string {
  return (wordsOf(error) || codeOf(error)).replace(/\.$/, '');
}
