import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { tooLate, unlessAborted } from '../core/abort.js';
import { followRedirect, showAddress } from '../core/address.js';
import { RunFailure } from '../core/failure.js';
import { info } from '../core/runner.js';
import { adviseRetry, explainGithubFailure, GithubError, readFailure } from './github-error.js';

/** The only client of GitHub's API. Answers are parsed, and every failure is a GithubError. */

export interface Connection {
  token: string;
  apiUrl: string;
  repository: RepositoryName;
  cancel: AbortSignal;
  limits?: Partial<RetryLimits>;
  clock?: Partial<Clock>;
  tell?(line: string): void;
}

export interface RepositoryName {
  owner: string;
  repo: string;
}

interface RetryLimits {
  /** How often a request is sent if its failures may pass. */
  mostTries: number;
  /** If GitHub asks to wait longer, the request fails, and its message says when to run it again. */
  mostWaitMs: number;
  timeoutMs: number;
}
const LIMITS: RetryLimits = { mostTries: 3, mostWaitMs: 15_000, timeoutMs: 30_000 };

export interface Clock {
  wait(ms: number, cancel: AbortSignal): Promise<unknown>;
  now(): number;
}
const CLOCK: Clock = {
  wait: (ms, signal) => sleep(ms, undefined, { signal }),
  now: Date.now,
};

export interface GithubRequest {
  /** Completes "Could not …". */
  doing: string;
  /** As in GitHub's documentation: `GET /repos/{owner}/{repo}/pulls/{pull_number}`. */
  route: string;
  parameters?: Readonly<Record<string, unknown>>;
  /** The permission the job needs for this, as a workflow writes it: `contents: read`. */
  needs?: string;
  /** What to do if the token may not do this, if that is not a permission of the job. */
  remedy?: string;
  /** With `manual` a redirect is returned and not followed. */
  redirect?: 'manual';
}

export interface Read<T> extends GithubRequest {
  shape: z.ZodMiniType<T>;
}

export interface Write<T> extends Read<T> {
  /**
   * A write whose answer was lost may have been carried out. Before it is sent again, also after a rate limit, this
   * looks for its result.
   * `same-result` is only for a write that has the same result however often it is sent.
   */
  find: 'same-result' | (() => Promise<T | undefined>);
}

interface GithubReply {
  status: number;
  data: unknown;
  headers: Readonly<Record<string, unknown>>;
}

export interface GithubClient {
  read<T>(request: Read<T>): Promise<T>;
  /** All pages of a list, or the first `maxPages`. */
  readPages<T>(request: Read<T[]> & { maxPages: number }): Promise<T[]>;
  /** The end of a text, which GitHub may keep on another host. That host does not get the token. */
  readTail(request: GithubRequest & { maxBytes: number }): Promise<Tail>;
  write<T>(request: Write<T>): Promise<T>;
  /** Waits; fails if the job is cancelled meanwhile. `doing` as in a request. */
  pause(ms: number, doing: string): Promise<void>;
}

export const PAGE = 100;

export function connectGithub(connection: Connection): GithubClient {
  const { cancel, tell } = connection;
  const limits = { ...LIMITS, ...connection.limits };
  const { wait, now } = { ...CLOCK, ...connection.clock };
  const sendOnce = createSender(connection, limits.timeoutMs);
  const waitForTurn = limitWrites({ wait: (ms) => wait(ms, cancel), now });
  const pause: GithubClient['pause'] = async (ms, doing) => {
    await wait(ms, cancel).catch(() => undefined);
    if (cancel.aborted) throw cancelled(doing);
  };

  /** Sends a request until it succeeds or fails for good. `find` gives the result of a write that went through. */
  const attempt = async <T>(
    request: GithubRequest,
    send: () => Promise<T>,
    find: Write<T>['find'] | undefined,
  ): Promise<T> => {
    const access = find === undefined ? 'read' : 'write';
    for (let tries = 1; ; tries += 1) {
      try {
        return await send();
      } catch (error) {
        if (error instanceof GithubError) throw error;
        const failure = readFailure(error);
        if (cancel.aborted) throw cancelled(request.doing);
        const advice = adviseRetry(failure, { tries, ...limits }, now());
        if (advice.kind === 'stop')
          throw new GithubError(explainGithubFailure(failure, request, now()), failure, access);
        const seconds = Math.ceil(advice.waitMs / 1000);
        tell?.(`GitHub answered ${failure.status ?? 'nothing'}; trying again in ${seconds} s.`);
        await pause(advice.waitMs, request.doing);
        const found = typeof find === 'function' ? await find() : undefined;
        if (found !== undefined) return found;
      }
    }
  };

  const send = (request: GithubRequest) => attempt(request, () => sendOnce(request), undefined);

  return {
    read: async (request) => parse(request, (await send(request)).data),
    readPages: async ({ parameters, maxPages, ...request }) => {
      const found = [];
      for (let page = 1; page <= maxPages; page += 1) {
        const reply = await send({ ...request, parameters: { ...parameters, per_page: PAGE, page } });
        const some = parse(request, reply.data);
        found.push(...some);
        if (some.length < PAGE && !namesNextPage(reply)) break;
      }
      return found;
    },
    readTail: async ({ maxBytes, ...request }) => {
      const { status, headers, data } = await send({ ...request, redirect: 'manual' });
      if (status < 300) return { text: parse({ ...request, shape: z.string() }, data), isCut: false };
      const location = typeof headers['location'] === 'string' ? headers['location'] : '';
      return downloadTail({ from: connection.apiUrl, location, maxBytes, cancel });
    },
    write: (request) =>
      attempt(
        request,
        async () => {
          await waitForTurn();
          return parse(request, (await sendOnce(request)).data);
        },
        request.find,
      ),
    pause,
  };
}

/** The same client. Its requests need this permission, unless they name another one. */
export const withPermission = (github: GithubClient, needs: string): GithubClient => ({
  ...github,
  read: (request) => github.read({ needs, ...request }),
  readPages: (request) => github.readPages({ needs, ...request }),
  readTail: (request) => github.readTail({ needs, ...request }),
  write: (request) => github.write({ needs, ...request }),
});

/** GitHub leaves out what it hides, so a page that is not full need not be the last one. */
const namesNextPage = ({ headers: { link } }: GithubReply): boolean =>
  typeof link === 'string' && /\brel="?next\b/.test(link);

const cancelled = (doing: string) => new GithubError(`Could not ${doing}: the job was cancelled.`);

/** An answer that is not understood is not an empty one. */
function parse<T>({ shape, doing }: Read<T>, data: unknown): T {
  const parsed = shape.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new GithubError(`Could not ${doing}: the answer of GitHub is not understood.`);
}

/** Octokit is loaded with the first request, because most runs send none. */
function createSender(
  { token, apiUrl, repository, cancel }: Connection,
  timeoutMs: number,
): (request: GithubRequest) => Promise<GithubReply> {
  const load = async () => {
    const { getOctokit } = await import('@actions/github');
    return getOctokit(token, { baseUrl: apiUrl.replace(/\/+$/, '') });
  };
  let octokit: ReturnType<typeof load> | undefined;
  return async ({ route, parameters = {}, redirect }) => {
    const { request, graphql } = await (octokit ??= load());
    const signal = AbortSignal.any([cancel, AbortSignal.timeout(timeoutMs)]);
    // On an Enterprise server REST and GraphQL are below different paths; Octokit knows which.
    if (route === 'POST /graphql') {
      const { query, ...variables } = parameters;
      const data = await graphql(String(query), { ...variables, request: { signal } });
      return { status: 200, data, headers: {} };
    }
    const reply: GithubReply = await request(route, {
      ...repository,
      ...parameters,
      request: { signal, ...(redirect === undefined ? {} : { redirect }) },
    });
    return reply;
  };
}

/** GitHub asks for at most 80 writes per minute: some at once, then one per second. */
const WRITES_AT_ONCE = 15;
const BETWEEN_WRITES_MS = 1000;

export function limitWrites({ wait, now }: { wait(ms: number): Promise<unknown>; now(): number }) {
  let credit = WRITES_AT_ONCE;
  let last = now();
  return async (): Promise<void> => {
    const time = now();
    credit = Math.min(WRITES_AT_ONCE, credit + (time - last) / BETWEEN_WRITES_MS);
    last = time;
    if (credit < 1) {
      await wait((1 - credit) * BETWEEN_WRITES_MS);
      last = now();
      credit = 1;
    }
    credit -= 1;
  };
}

/** `owner/name` in its two parts; undefined if it is something else. */
export function parseRepository(name: string): RepositoryName | undefined {
  const [owner = '', repo = '', ...rest] = name.split('/');
  return owner === '' || repo === '' || rest.length > 0 ? undefined : { owner, repo };
}

export const serverUrlOf = (env: NodeJS.ProcessEnv): string =>
  (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, '');

export const apiUrlOf = (env: NodeJS.ProcessEnv): string => env['GITHUB_API_URL'] || 'https://api.github.com';

/** A result that is not written is lost work, so a step that writes waits longer for GitHub than others do. */
export const PATIENCE = { mostTries: 5, mostWaitMs: 120_000 };

export function connectWriter(
  env: NodeJS.ProcessEnv,
  token: string,
  { cancel, limits }: { cancel: AbortSignal; limits?: Partial<RetryLimits> },
): { github: GithubClient; repository: RepositoryName } {
  const repository = parseRepository(env['GITHUB_REPOSITORY'] ?? '');
  if (!repository) throw new RunFailure('invalid-input', 'GITHUB_REPOSITORY is not owner/name.');
  const connection = { token, apiUrl: apiUrlOf(env), repository, cancel };
  const github = connectGithub({ ...connection, limits: { ...PATIENCE, ...limits }, tell: info });
  return { github, repository };
}

export const EMPTY_TOKEN = 'github-token is empty. Leave the input out, or set it to ${{ github.token }}.';

interface Download {
  from: string;
  location: string;
  maxBytes: number;
  cancel: AbortSignal;
}

export interface Tail {
  text: string;
  isCut: boolean;
}

const DOWNLOAD_MS = 60_000;

/** Follows a redirect without any credential, and returns the end of the text there if it is long. */
export async function downloadTail(download: Download): Promise<Tail> {
  const { from, location, maxBytes, cancel } = download;
  const target = followRedirect(from, location);
  if ('problem' in target) throw new Error(target.problem);
  const { HttpClient } = await import('@actions/http-client');
  const client = new HttpClient('cursor-agent-action', [], {
    socketTimeout: DOWNLOAD_MS,
    allowRedirects: false,
  });
  const deadline = AbortSignal.any([cancel, AbortSignal.timeout(DOWNLOAD_MS)]);
  try {
    // Without the deadline, a host that accepts a request and never answers would block.
    const { message } = await unlessAborted(deadline, client.get(target.url), tooLate);
    try {
      if (message.statusCode !== 200)
        throw new Error(`${showAddress(target.url)} answered ${message.statusCode ?? 'nothing'}`);
      return await unlessAborted(deadline, collectTail(message as AsyncIterable<Buffer>, maxBytes), tooLate);
    } finally {
      message.destroy();
    }
  } finally {
    client.dispose();
  }
}

async function collectTail(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Tail> {
  const chunks: Buffer[] = [];
  let [size, isCut] = [0, false];
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    for (let first = chunks[0]; first && size - first.length >= maxBytes; first = chunks[0]) {
      size -= first.length;
      chunks.shift();
      isCut = true;
    }
  }
  const text = Buffer.concat(chunks).toString('utf8');
  // The first line may be incomplete.
  return { text: isCut ? text.slice(text.indexOf('\n') + 1) : text, isCut };
}
