import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { messageOf } from '../core/error-message.js';

/** How GitHub is asked: for whom, where, and until when. */
export interface Asking {
  token: string;
  /** GITHUB_API_URL; an Enterprise server has it below a path. */
  apiUrl: string;
  cancel: AbortSignal;
  /** How often in all, where a failure may pass; three times unless said. */
  tries?: number;
  /** For one answer. */
  timeoutMs?: number;
}

export interface Question {
  /** As GitHub's documents write it: `GET /repos/{owner}/{repo}/pulls/{pull_number}`. */
  route: string;
  parameters: Readonly<Record<string, string | number>>;
  /** Another form of the same thing than JSON. */
  format?: 'diff';
  /** Where the answer is a redirect, it is given as it is. */
  redirect?: 'manual';
}

export interface Reply {
  status: number;
  data: unknown;
  headers: Readonly<Record<string, unknown>>;
}

const TRIES = 3;
const REQUEST_MS = 30_000;
const RETRY_MS = 1000;
/** A server that asks for more patience than this is not waited for. */
const MOST_WAIT_MS = 15_000;

const ErrorSchema = z.looseObject({
  status: z.number(),
  response: z.nullish(z.looseObject({ headers: z.record(z.string(), z.unknown()) })),
});

/** Asks once, and again where a failure may pass: 429, 5xx, no answer at all. Throws what the last try threw. */
export async function askGitHub(asking: Asking, question: Question): Promise<Reply> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await askOnce(asking, question);
    } catch (error) {
      const wait = waitBefore(error, tries);
      if (wait === undefined || tries >= (asking.tries ?? TRIES) || asking.cancel.aborted) throw error;
      await sleep(wait, undefined, { signal: asking.cancel }).catch(() => undefined);
    }
  }
}

async function askOnce(asking: Asking, { route, parameters, format, redirect }: Question): Promise<Reply> {
  // Loaded only here: most runs ask nothing.
  const { getOctokit } = await import('@actions/github');
  const github = getOctokit(asking.token, { baseUrl: asking.apiUrl.replace(/\/+$/, '') });
  const signal = AbortSignal.any([asking.cancel, AbortSignal.timeout(asking.timeoutMs ?? REQUEST_MS)]);
  const reply: Reply = await github.request(route, {
    ...parameters,
    ...(format === undefined ? {} : { mediaType: { format } }),
    request: { signal, ...(redirect === undefined ? {} : { redirect }) },
  });
  return { status: reply.status, data: reply.data, headers: reply.headers };
}

/** How long to wait before the next try; nothing where another would end the same way. */
function waitBefore(error: unknown, tries: number): number | undefined {
  const known = ErrorSchema.safeParse(error).data;
  if (known && known.status < 500 && known.status !== 429) return undefined;
  const asked = Number(known?.response?.headers['retry-after']) * 1000;
  if (!(asked > 0)) return RETRY_MS * tries;
  return asked <= MOST_WAIT_MS ? asked : undefined;
}

/** What went wrong: the status of an answer, or that there was none. */
export function statusOf(error: unknown): number | undefined {
  const known = ErrorSchema.safeParse(error).data;
  // Octokit calls a connection that failed a 500 too, but then nothing was answered.
  return known?.response ? known.status : undefined;
}

/** Whether asking again another time may help; what is not GitHub's failure is not. */
export function mayPass(error: unknown): boolean {
  if (!ErrorSchema.safeParse(error).success) return false;
  const status = statusOf(error);
  return status === undefined || status >= 500 || isLimit(error);
}

/** GitHub says 403 as well as 429 when too much was asked. */
const isLimit = (error: unknown): boolean =>
  statusOf(error) === 429 ||
  (statusOf(error) === 403 &&
    (headerOf(error, 'x-ratelimit-remaining') === '0' || headerOf(error, 'retry-after') !== undefined));

/** A header of a failed answer. */
export function headerOf(error: unknown, name: string): string | undefined {
  const value = ErrorSchema.safeParse(error).data?.response?.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * What GitHub says a token lacks. The header is shown only if it looks like what it should be, because it comes
 * from outside.
 */
export function permissionOf(error: unknown): string | undefined {
  const accepted = headerOf(error, 'x-accepted-github-permissions');
  return accepted !== undefined && /^[a-z_=,; ]{1,200}$/.test(accepted) ? accepted : undefined;
}

/** What failed, in words, with what to do about it. `needs` as a workflow writes it: `pull-requests: read`. */
export function explainFailure(error: unknown, what: string, needs: string): string {
  const status = statusOf(error);
  const remedy = `Add \`${needs}\` below \`permissions:\` of the job in the workflow file.`;
  switch (status) {
    case undefined:
      return `${what}: GitHub’s API did not answer (${messageOf(error).slice(0, 300)}). Run it again.`;
    case 401:
      return `${what}: github-token is not accepted (401); leave the input out to use the job’s own token.`;
    case 403:
    case 429:
      if (isLimit(error)) return `${what}: GitHub’s rate limit is reached (${status}). Run it again later.`;
      return `${what}: github-token may not read it (403). ${remedy}`;
    case 404:
      return `${what}: GitHub shows nothing there (404): it is gone, or github-token may not see it. ${remedy}`;
    default:
      return `${what}: GitHub’s API answered ${status}. Run it again.`;
  }
}
