import * as z from 'zod/mini';
import { ExplainedError, messageOf } from '../core/errors.js';
import { truncate } from '../text/plain-text.js';

/** How a request to GitHub failed. */
export interface Failure {
  /** Undefined if there was no answer. */
  status: number | undefined;
  headers: Readonly<Record<string, unknown>>;
  /** The body of the answer, or the message of the error. */
  words: string;
}

/** A request that failed for good. The message says what happened and what to do. */
export class GithubError extends ExplainedError {
  override readonly name = 'GithubError';

  constructor(
    message: string,
    readonly failure: Failure = NOT_FAILED,
  ) {
    super(message);
  }

  /** Whether the token can only read, as in a run for a fork or in a job without the permission. */
  get isReadOnly(): boolean {
    const { status, words } = this.failure;
    return status === 403 && /Resource not accessible by|must have (?:push|write)|read-?only/i.test(words);
  }

  get isGone(): boolean {
    return this.failure.status === 404 || this.failure.status === 410;
  }
}

/** GitHub answered, but the answer is not what it should be. */
const NOT_FAILED: Failure = { status: 200, headers: {}, words: '' };

/** Whether the same request may succeed later. Also looks at the cause of an error. */
export function mayPass(error: unknown): boolean {
  if (error instanceof GithubError)
    return isTransient(error.failure) || limitWait(error.failure, 0) !== undefined;
  return error instanceof Error && error.cause !== undefined && mayPass(error.cause);
}

const ErrorSchema = z.looseObject({
  status: z.number(),
  response: z.looseObject({
    headers: z.record(z.string(), z.unknown()),
    data: z.optional(z.unknown()),
  }),
});

/** GraphQL answers 200 and says in the body what it refused. */
const GraphqlSchema = z.looseObject({
  name: z.literal('GraphqlResponseError'),
  errors: z.array(z.looseObject({ type: z.optional(z.string()) })),
});

export function readFailure(error: unknown): Failure {
  const words = truncate(messageOf(error), 500);
  const refused = GraphqlSchema.safeParse(error).data;
  if (refused) {
    const isForbidden = refused.errors.some(({ type }) => type === 'FORBIDDEN');
    return { status: isForbidden ? 403 : 422, headers: {}, words };
  }
  // Octokit also sets a status if the connection broke, but then there is no response.
  const known = ErrorSchema.safeParse(error).data;
  if (!known) return { status: undefined, headers: {}, words };
  const { headers, data } = known.response;
  const isJson = typeof data === 'object' && data !== null;
  return { status: known.status, headers, words: isJson ? truncate(JSON.stringify(data), 2000) : words };
}

export type Advice = { kind: 'again'; waitMs: number; mayHaveHappened: boolean } | { kind: 'stop' };

const FIRST_WAIT_MS = 1000;
/** What GitHub's documentation asks for if the answer names no time. */
const SECONDARY_LIMIT_MS = 60_000;

/** Whether to send a request again, and when. Only rate limits and failures that may pass are tried again. */
export function adviseRetry(
  failure: Failure,
  { tries, mostTries, mostWaitMs }: { tries: number; mostTries: number; mostWaitMs: number },
  nowMs: number,
): Advice {
  if (tries >= mostTries) return { kind: 'stop' };
  const limitMs = limitWait(failure, nowMs);
  const isLimited = limitMs !== undefined;
  if (!isLimited && !isTransient(failure)) return { kind: 'stop' };
  const waitMs = limitMs ?? secondsIn(failure, 'retry-after') ?? FIRST_WAIT_MS * 2 ** (tries - 1);
  return waitMs > mostWaitMs ? { kind: 'stop' } : { kind: 'again', waitMs, mayHaveHappened: !isLimited };
}

const isTransient = ({ status }: Failure): boolean => status === undefined || status >= 500 || status === 408;

/** How long a rate limit asks to wait; undefined if the failure is not a rate limit. */
function limitWait(failure: Failure, nowMs: number): number | undefined {
  const { status, headers, words } = failure;
  if (status !== 403 && status !== 429) return undefined;
  const afterMs = secondsIn(failure, 'retry-after');
  if (afterMs !== undefined) return afterMs;
  const resetMs = secondsIn(failure, 'x-ratelimit-reset');
  const isUsedUp = headers['x-ratelimit-remaining'] === '0';
  if (isUsedUp && resetMs !== undefined) return Math.max(1000, resetMs - nowMs);
  return isUsedUp || status === 429 || /rate limit|abuse detection/i.test(words)
    ? SECONDARY_LIMIT_MS
    : undefined;
}

/** A header that holds seconds, in milliseconds. */
function secondsIn({ headers }: Failure, name: string): number | undefined {
  const value = headers[name];
  return typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) * 1000 : undefined;
}

/** The remedy for a missing permission. `needs` is what the workflow has to say: `pull-requests: read`. */
export const addPermission = (needs: string): string =>
  `Add \`${needs}\` below \`permissions:\` of the job in the workflow file.`;

/** What failed, and what to do. `doing` completes "Could not …"; `remedy` is for a token that lacks a permission. */
export function explainFailure(
  failure: Failure,
  { doing, remedy }: { doing: string; remedy: string },
  nowMs: number,
): string {
  const { status, headers } = failure;
  const words = truncate(failure.words, 300);
  const accepted = headers['x-accepted-github-permissions'];
  // The header comes from outside, so it is shown only if it looks like a list of permissions.
  const isList = typeof accepted === 'string' && /^[a-z_=,; ]{1,200}$/.test(accepted);
  const advice = `${remedy}${isList ? ` GitHub asks for ${accepted}.` : ''}`;
  const limitMs = limitWait(failure, nowMs);
  if (limitMs !== undefined)
    return `Could not ${doing}: GitHub’s rate limit is used up for ${Math.ceil(limitMs / 60_000)} min (${status ?? ''}). Run it again then.`;
  switch (status) {
    case undefined:
      return `Could not ${doing}: GitHub’s API did not answer (${words}). Run it again.`;
    case 401:
      return `Could not ${doing}: github-token is not accepted (401). Leave the input out to use the job’s own token. ${advice}`.trimEnd();
    case 403:
      if (/\bis locked\b|\bconversation has been locked\b/i.test(words))
        return `Could not ${doing}: the conversation of the pull request is locked (403). Unlock it, or use as: annotations.`;
      return `Could not ${doing}: github-token may not do this (403: ${words}). ${advice}`;
    case 404:
      return `Could not ${doing}: it does not exist, or github-token may not see it (404). ${advice}`;
    default:
      return `Could not ${doing}: GitHub’s API answered ${status} (${words}).${status >= 500 ? ' Run it again.' : ''}`;
  }
}
