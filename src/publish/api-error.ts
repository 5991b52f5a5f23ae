import * as z from 'zod/mini';
import { messageOf } from '../core/error-message.js';
import { truncate } from '../text/plain-text.js';

const ErrorSchema = z.looseObject({
  status: z.number(),
  response: z.nullish(
    z.looseObject({
      headers: z.record(z.string(), z.unknown()),
      data: z.optional(z.unknown()),
    }),
  ),
});

/** GraphQL answers 200 and says in the body what it refused. */
const GraphqlSchema = z.looseObject({
  name: z.literal('GraphqlResponseError'),
  errors: z.array(z.looseObject({ type: z.optional(z.string()) })),
});

/** What GitHub answered instead of doing what it was asked. */
export interface ApiError {
  /** Missing where there was no answer at all. */
  status?: number;
  headers: Readonly<Record<string, unknown>>;
  /** The message and all further words of the answer, for looking into. */
  words: string;
}

export function readApiError(error: unknown): ApiError {
  const refused = GraphqlSchema.safeParse(error).data;
  if (refused) {
    const isForbidden = refused.errors.some(({ type }) => type === 'FORBIDDEN');
    return { status: isForbidden ? 403 : 422, headers: {}, words: truncate(messageOf(error), 500) };
  }
  const known = ErrorSchema.safeParse(error).data;
  const response = known?.response;
  // The client invents a status where the connection broke.
  if (!known || !response) return { headers: {}, words: truncate(messageOf(error), 500) };
  return {
    status: known.status,
    headers: response.headers,
    words: truncate(wordsOf(response.data, error), 2000),
  };
}

const wordsOf = (data: unknown, error: unknown): string =>
  typeof data === 'object' && data !== null ? JSON.stringify(data) : messageOf(error);

export type Advice = { kind: 'again'; waitMs: number; mayHaveHappened: boolean } | { kind: 'stop' };

const MOST_TRIES = 5;
/** Nobody wants a job that waits for longer; the message then says when to run it again. */
export const MOST_WAIT_MS = 120_000;
const FIRST_WAIT_MS = 1000;
/** What GitHub asks to wait for where it names no time. */
const SECONDARY_LIMIT_MS = 60_000;

/** Whether to ask again, and when: as GitHub says where it says so. */
export function adviseRetry(error: ApiError, tries: number, nowMs: number): Advice {
  if (tries >= MOST_TRIES) return { kind: 'stop' };
  const limitMs = limitWait(error, nowMs);
  if (limitMs !== undefined) {
    return limitMs > MOST_WAIT_MS
      ? { kind: 'stop' }
      : { kind: 'again', waitMs: limitMs, mayHaveHappened: false };
  }
  const mayPass = error.status === undefined || error.status >= 500 || error.status === 408;
  if (!mayPass) return { kind: 'stop' };
  return { kind: 'again', waitMs: FIRST_WAIT_MS * 2 ** (tries - 1), mayHaveHappened: true };
}

/** How long a rate limit asks to wait; nothing where it is none. */
export function limitWait({ status, headers, words }: ApiError, nowMs: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const seconds = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : undefined;
  };
  const after = seconds('retry-after');
  if (after !== undefined) return after * 1000;
  const reset = seconds('x-ratelimit-reset');
  if (seconds('x-ratelimit-remaining') === 0 && reset !== undefined)
    return Math.max(1000, reset * 1000 - nowMs);
  return status === 429 || /rate limit|abuse detection/i.test(words) ? SECONDARY_LIMIT_MS : undefined;
}

/** The token of a fork's run, or of a job without the permission. */
export const isReadOnly = ({ status, words }: ApiError): boolean =>
  status === 403 && /Resource not accessible by|must have (?:push|write)|read-?only/i.test(words);

/** What went wrong, and what to do about it. */
export function explainApiError(error: ApiError, doing: string, nowMs: number): string {
  const { status, headers, words } = error;
  const accepted = headers['x-accepted-github-permissions'];
  // Shown only if it looks like what it should be.
  const wanted =
    typeof accepted === 'string' && /^[a-z_=,; ]{1,200}$/.test(accepted) ? accepted : 'pull_requests=write';
  const needs = `The job needs "permissions: pull-requests: write" (GitHub asks for ${wanted}).`;
  const limitMs = limitWait(error, nowMs);
  if (limitMs !== undefined) {
    return `Could not ${doing}: GitHub’s rate limit is used up for ${Math.ceil(limitMs / 60_000)} min. Run it again then.`;
  }
  switch (status) {
    case undefined:
      return `Could not ${doing}: GitHub’s API did not answer (${words}). Run it again.`;
    case 401:
      return `Could not ${doing}: github-token is not accepted (401); leave the input out to use the job’s own. ${needs}`;
    case 403:
      if (/\bis locked\b|\bconversation has been locked\b/i.test(words))
        return `Could not ${doing}: the conversation of the pull request is locked (403). Unlock it, or use as: annotations.`;
      return `Could not ${doing}: github-token may not do that (403: ${truncate(words, 300)}). ${needs}`;
    case 404:
      return `Could not ${doing}: there is no such pull request, or github-token cannot see it (404). ${needs}`;
    default:
      return `Could not ${doing}: GitHub answered ${status} (${words}).${status >= 500 ? ' Run it again.' : ''}`;
  }
}
