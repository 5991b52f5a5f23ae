import * as z from 'zod/mini';
import { ExplainedError, messageOf } from '../core/errors.js';
import { parseJson } from '../text/json.js';
import { truncate } from '../text/plain-text.js';

interface Failure {
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
    /** A refused write says something else about the token than a refused read. */
    readonly access: 'read' | 'write' = 'read',
  ) {
    super(message);
  }

  /**
   * Whether the token can only read, as in a run for a fork or in a job without the permission. Only a refused write
   * says so: a refused read means that another permission is missing.
   */
  get isReadOnly(): boolean {
    return (
      this.access === 'write' &&
      this.isRefused &&
      /Resource not accessible by|must have (?:push|write)|read-?only/i.test(this.failure.words)
    );
  }

  /** Whether the token lacks a permission for this. For what a token may not see, GitHub also answers 404. */
  get mayLackPermission(): boolean {
    return this.isRefused || this.failure.status === 404;
  }

  private get isRefused(): boolean {
    return this.failure.status === 403 && !this.isRateLimit;
  }

  get isRateLimit(): boolean {
    return limitWait(this.failure, 1, 0) !== undefined;
  }

  get isGone(): boolean {
    return this.failure.status === 404 || this.failure.status === 410;
  }
}

/** Goes on with `instead` where the token lacks a permission. */
export const ifRefused =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (!(error instanceof GithubError) || !error.mayLackPermission) throw error;
    return instead;
  };

/** GitHub answered, but the answer is not what it should be. */
const NOT_FAILED: Failure = { status: 200, headers: {}, words: '' };

/** Whether the same request may succeed later. Also looks at the cause of an error. */
export function mayPass(error: unknown): boolean {
  if (error instanceof GithubError) return isTransient(error.failure) || error.isRateLimit;
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
  headers: z.optional(z.record(z.string(), z.unknown())),
  errors: z.array(z.looseObject({ type: z.optional(z.string()) })),
});
const GRAPHQL_STATUS: ReadonlyMap<string, number> = new Map([
  ['RATE_LIMITED', 429],
  ['FORBIDDEN', 403],
]);

export function readFailure(error: unknown): Failure {
  const words = truncate(messageOf(error), 500);
  const refused = GraphqlSchema.safeParse(error).data;
  if (refused) {
    const [status = 422] = refused.errors.flatMap(({ type = '' }) => GRAPHQL_STATUS.get(type) ?? []);
    return { status, headers: refused.headers ?? {}, words };
  }
  // Octokit also sets a status if the connection broke, but then there is no response.
  const known = ErrorSchema.safeParse(error).data;
  if (!known) return { status: undefined, headers: {}, words };
  const { headers, data } = known.response;
  const isJson = typeof data === 'object' && data !== null;
  return { status: known.status, headers, words: isJson ? truncate(JSON.stringify(data), 2000) : words };
}

type RetryAdvice = { kind: 'again'; waitMs: number } | { kind: 'stop' };

const FIRST_WAIT_MS = 1000;
/** What GitHub's documentation asks for if the answer names no time. It doubles with each try. */
const SECONDARY_LIMIT_MS = 60_000;

/** Whether to send a request again, and when. Only rate limits and failures that may pass are tried again. */
export function adviseRetry(
  failure: Failure,
  { tries, mostTries, mostWaitMs }: { tries: number; mostTries: number; mostWaitMs: number },
  nowMs: number,
): RetryAdvice {
  if (tries >= mostTries) return { kind: 'stop' };
  const limitMs = limitWait(failure, tries, nowMs);
  if (limitMs === undefined && !isTransient(failure)) return { kind: 'stop' };
  const waitMs = limitMs ?? secondsIn(failure, 'retry-after') ?? FIRST_WAIT_MS * 2 ** (tries - 1);
  return waitMs > mostWaitMs ? { kind: 'stop' } : { kind: 'again', waitMs };
}

const isTransient = ({ status }: Failure): boolean => status === undefined || status >= 500 || status === 408;

/**
 * How long a rate limit lasts, in milliseconds; undefined if the failure is none. The limit for a period and the
 * secondary limits are answered with 403 or 429. The limit for what is written is also answered with 422, like an
 * invalid request, with the code `abuse` or the words "was submitted too quickly".
 */
function limitWait(failure: Failure, tries: number, nowMs: number): number | undefined {
  const { status, headers, words } = failure;
  const isRefusal = status === 403 || status === 429;
  const isTooFast = status === 422 && /"code":\s*"abuse"|submitted too quickly|rate limit/i.test(words);
  if (!isRefusal && !isTooFast) return undefined;
  const afterMs = secondsIn(failure, 'retry-after');
  if (afterMs !== undefined) return afterMs;
  const resetMs = secondsIn(failure, 'x-ratelimit-reset');
  const isUsedUp = headers['x-ratelimit-remaining'] === '0';
  if (isUsedUp && resetMs !== undefined) return Math.max(1000, resetMs - nowMs);
  const isLimit =
    isTooFast || isUsedUp || status === 429 || /rate[ -]limit|abuse (?:detection|rate)/i.test(words);
  return isLimit ? SECONDARY_LIMIT_MS * 2 ** (tries - 1) : undefined;
}

function secondsIn({ headers }: Failure, name: string): number | undefined {
  const value = headers[name];
  return typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) * 1000 : undefined;
}

/** The remedy for a missing permission. `needs` is what the workflow has to say: `pull-requests: read`. */
export const addPermission = (needs: string): string =>
  `Add \`${needs}\` below \`permissions:\` of the job in the workflow file.`;

/** An answer with nothing but a sentence. GitHub adds the details of an invalid request as `errors`. */
const SentenceSchema = z.strictObject({
  message: z.string(),
  documentation_url: z.optional(z.unknown()),
  status: z.optional(z.unknown()),
});
const saidIn = (words: string): string => SentenceSchema.safeParse(parseJson(words)).data?.message ?? words;

/** What failed, and what to do. `needs` or `remedy` is for a token that lacks a permission, as in `GithubRequest`. */
export function explainGithubFailure(
  failure: Failure,
  { doing, route, needs, remedy }: { doing: string; route?: string; needs?: string; remedy?: string },
  nowMs: number,
): string {
  const { status, headers } = failure;
  const words = truncate(saidIn(failure.words), 300);
  const accepted = headers['x-accepted-github-permissions'];
  // The header comes from outside, so it is shown only if it looks like a list of permissions.
  const isList = typeof accepted === 'string' && /^[a-z_=,; ]{1,200}$/.test(accepted);
  const advice = `${remedy ?? (needs === undefined ? '' : addPermission(needs))}${isList ? ` GitHub asks for ${accepted}.` : ''}`;
  const limitMs = limitWait(failure, 1, nowMs);
  if (limitMs !== undefined) {
    const minutes = Math.ceil(limitMs / 60_000);
    return `Could not ${doing}: GitHub’s rate limit is used up for ${minutes} min (${status ?? ''}). Run it again then.`;
  }
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
      // For what a token may not see, GraphQL answers 200.
      if (route === 'POST /graphql')
        return `Could not ${doing}: this server has no GraphQL API (404), and this step needs it. GitHub and GitHub Enterprise Server have one.`;
      return `Could not ${doing}: it does not exist, or github-token may not see it (404). ${advice}`;
    default:
      return `Could not ${doing}: GitHub’s API answered ${status} (${words}).${status >= 500 ? ' Run it again.' : ''}`;
  }
}
