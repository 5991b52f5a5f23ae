import { tmpdir } from 'node:os';
import { attempt, messageOf } from '../core/errors.js';
import { isSafeAddress } from '../core/address.js';
import { gitAnswer, findGit, openPrivateGit, type PrivateGit } from '../git/private-git.js';
import { findRepository, historyOf, readHead } from '../git/repository.js';
import { serverUrlOf } from '../github/client.js';
import { COMMIT_ID } from '../text/format.js';

export interface HistoryRequest {
  directory: string;
  workspace: string;
  /** A private folder for our own repository. */
  scratch: string;
  env: NodeJS.ProcessEnv;
  token: string | undefined;
  cancel: AbortSignal;
}

/** The commits of the checkout, and those it lacks, in our own repository. */
export interface History {
  git: PrivateGit;
  has(commit: string): boolean;
  isShallow(): boolean;
  /** Fetches commits or refs. Refs are given by their full name. */
  fetch(wants: readonly string[], depth: number): Promise<void>;
  close(): void;
}

/** The ref of our own repository under which a branch is fetched. */
export const FETCHED_BRANCH = 'refs/context/branch';

/** How much history is fetched if some is missing. The smaller depth is tried first. */
export const DEPTHS = [50, 1000];
/** For all fetches of one change. */
const FETCH_MS = 90_000;
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const CERTIFICATES = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH', 'CURL_CA_BUNDLE'];
const NETWORK = [...PROXIES, ...PROXIES.map((name) => name.toLowerCase()), ...CERTIFICATES];

/** Opens the history, and closes it at the end. Rejects if there is none. `commits` as for `openHistory`. */
export async function withHistory<T>(
  request: HistoryRequest,
  commits: readonly string[],
  use: (history: History) => Promise<T>,
): Promise<T> {
  const history = openHistory(request, commits);
  if ('missing' in history) throw new Error(history.missing);
  try {
    return await use(history);
  } finally {
    history.close();
  }
}

/** `commits` are known commits. If the clone has one of them, less has to be downloaded. */
export function openHistory(
  request: HistoryRequest,
  commits: readonly string[],
): History | { missing: string } {
  const { directory, workspace, scratch, env, token, cancel } = request;
  const repository = findRepository(directory);
  const program = findGit({ path: env['PATH'], untrusted: [workspace, scratch, tmpdir()] });
  if (!repository) return { missing: 'the workspace is not a git repository' };
  if (program === undefined) return { missing: 'there is no git on this runner' };
  const git = openPrivateGit({ program, scratch, ...historyOf(repository, commits[0] ?? '') });
  const has = (commit: string) =>
    attempt(() => git.call({ args: ['cat-file', '-e', `${commit}^{commit}`] })) !== undefined;
  const deadline = Date.now() + FETCH_MS;
  return {
    git,
    has,
    isShallow: () => gitAnswer(git, ['rev-parse', '--is-shallow-repository'], [0, 1]) === 'true',
    fetch: async (wants, depth) => {
      const url = remoteUrl(env);
      if (url === undefined)
        throw new Error('GITHUB_SERVER_URL and GITHUB_REPOSITORY do not say where to fetch from');
      // Git tells the server which commits its refs lead to, so that they are not sent again.
      for (const commit of new Set([...commits, env['GITHUB_SHA'] ?? '']))
        if (COMMIT_ID.test(commit) && has(commit))
          await git.ask(['update-ref', `refs/have/${commit}`, `${commit}^{commit}`]);
      await git.fetch({
        url,
        wants,
        depth,
        token,
        cancel,
        network: network(env),
        timeoutMs: Math.max(1, deadline - Date.now()),
      });
    },
    close: git.close,
  };
}

export function findCheckedOut(request: HistoryRequest): { commit: string; merged: string[] } | undefined {
  const repository = findRepository(request.directory);
  const commit = repository && readHead(repository);
  if (commit === undefined) return undefined;
  const history = openHistory(request, [commit]);
  if ('missing' in history) return { commit, merged: [] };
  try {
    // The commit itself names its parents, even if a shallow clone has none of them.
    const [header = ''] = gitAnswer(history.git, ['cat-file', 'commit', commit]).split('\n\n', 1);
    const parents = [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent = '']) => parent);
    return { commit, merged: parents.slice(1) };
  } finally {
    history.close();
  }
}

/** The merge base of two commits; undefined if there is none, or none is known here. */
export function mergeBase(history: History, base: string, head: string): string | undefined {
  if (![base, head].every(history.has)) return undefined;
  try {
    return gitAnswer(history.git, ['merge-base', base, head], [0, 1]) || undefined;
  } catch (error) {
    // The history is cut off in an unexpected place, so more of it has to be fetched.
    if (/missing|not read|shallow/i.test(messageOf(error))) return undefined;
    throw error;
  }
}

/** Fetches a ref to find out whether a commit is on it. A commit that is too old counts as one that is not. */
export async function isOnRef(
  history: History,
  { commit, ref, depths = DEPTHS }: { commit: string; ref: string; depths?: readonly number[] },
): Promise<boolean> {
  for (const depth of depths) {
    await history.fetch([`+${ref}:${FETCHED_BRANCH}`], depth);
    if (mergeBase(history, commit, FETCHED_BRANCH) === commit) return true;
  }
  return false;
}

/** Whether this is the name of a branch that can be given to git as it is. */
export const isUsualBranch = (name: string | undefined): name is string =>
  name !== undefined && /^\w[\w./-]*$/.test(name) && !name.includes('..');

function remoteUrl(env: NodeJS.ProcessEnv): string | undefined {
  const server = serverUrlOf(env);
  const repository = env['GITHUB_REPOSITORY'] ?? '';
  return isSafeAddress(server) && /^[\w.-]+\/[\w.-]+$/.test(repository)
    ? `${server}/${repository}`
    : undefined;
}

const network = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(NETWORK.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
