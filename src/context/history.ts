import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../core/errors.js';
import { isSafeAddress } from '../core/address.js';
import { findGit, openPrivateGit, type PrivateGit } from '../git/private-git.js';
import { findRepository, readHead } from '../git/repository.js';
import { serverUrlOf } from '../github/client.js';

/** Where the history of the checkout is, and how to fetch more of it. */
export interface HistoryRequest {
  directory: string;
  workspace: string;
  /** A private folder for our own repository. */
  holding: string;
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
  obtain(wants: readonly string[], depth: number): Promise<void>;
  close(): void;
}

/** For all fetches of one change. */
const FETCH_MS = 90_000;
const NETWORK = [
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'ALL_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'all_proxy',
    'no_proxy',
  ],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH', 'CURL_CA_BUNDLE'],
];

/** `commits` are known commits. If the clone has one of them, less has to be downloaded. */
export function openHistory(
  request: HistoryRequest,
  commits: readonly string[],
): History | { missing: string } {
  const { directory, workspace, holding, env } = request;
  const repository = findRepository(directory);
  const program = findGit({
    platform: process.platform,
    path: env['PATH'],
    untrusted: [workspace, holding, tmpdir()],
  });
  if (!repository) return { missing: 'the workspace is not a git repository' };
  if (program === undefined) return { missing: 'there is no git on this runner' };
  const git = openPrivateGit({
    program,
    parent: holding,
    format: commits[0]?.length === 64 ? 'sha256' : 'sha1',
    objects: join(repository.commonFolder, 'objects'),
    shallow: join(repository.commonFolder, 'shallow'),
  });
  const has = (commit: string) => isThere(git, commit);
  const deadline = Date.now() + FETCH_MS;
  return {
    git,
    has,
    isShallow: () => answer(git, ['rev-parse', '--is-shallow-repository']) === 'true',
    obtain: async (wants, depth) => {
      const url = remoteUrl(env);
      if (url === undefined)
        throw new Error('GITHUB_SERVER_URL and GITHUB_REPOSITORY do not say where to fetch from');
      await announceCommits(
        git,
        [...commits, env['GITHUB_SHA'] ?? ''].filter((commit) => isCommit(commit) && has(commit)),
      );
      const timeoutMs = Math.max(1, deadline - Date.now());
      await git.fetch({
        url,
        wants,
        depth,
        token: request.token,
        network: network(env),
        timeoutMs,
        cancel: request.cancel,
      });
    },
    close: git.close,
  };
}

/** The commit that is checked out, and what it merges into its first parent. */
export function findCheckedOut(request: HistoryRequest): { commit: string; merged: string[] } | undefined {
  const repository = findRepository(request.directory);
  const commit = repository && readHead(repository);
  if (commit === undefined) return undefined;
  const history = openHistory(request, [commit]);
  if ('missing' in history) return { commit, merged: [] };
  try {
    // The commit itself names its parents, even if a shallow clone has none of them.
    const [header = ''] = history.git
      .call({ args: ['cat-file', 'commit', commit] })
      .toString('utf8')
      .split('\n\n', 1);
    const parents = [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent = '']) => parent);
    return { commit, merged: parents.slice(1) };
  } finally {
    history.close();
  }
}

const isCommit = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

function isThere(git: PrivateGit, commit: string): boolean {
  try {
    git.call({ args: ['cat-file', '-e', `${commit}^{commit}`] });
    return true;
  } catch {
    return false;
  }
}

/** Git tells the server which commits its refs lead to, so that they are not sent again. */
async function announceCommits(git: PrivateGit, commits: readonly string[]): Promise<void> {
  for (const commit of new Set(commits)) {
    await git.ask(['update-ref', `refs/have/${commit}`, `${commit}^{commit}`]);
  }
}

/** The merge base of two commits; undefined if there is none, or none is known here. */
export function mergeBase(history: History, base: string, head: string): string | undefined {
  if (![base, head].every(history.has)) return undefined;
  try {
    return answer(history.git, ['merge-base', base, head]) || undefined;
  } catch (error) {
    // The history is cut off in an unexpected place, so more of it has to be fetched.
    if (/missing|not read|shallow/i.test(messageOf(error))) return undefined;
    throw error;
  }
}

const answer = (git: PrivateGit, args: readonly string[]): string =>
  git
    .call({ args, answers: [0, 1] })
    .toString('utf8')
    .trim();

function remoteUrl(env: NodeJS.ProcessEnv): string | undefined {
  const server = serverUrlOf(env);
  const repository = env['GITHUB_REPOSITORY'] ?? '';
  return isSafeAddress(server) && /^[\w.-]+\/[\w.-]+$/.test(repository)
    ? `${server}/${repository}`
    : undefined;
}

const network = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(NETWORK.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
