import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { messageOf } from '../core/errors.js';
import { findRepository, readHead, type Repository } from '../git/repository.js';
import { shortCommit } from '../text/format.js';
import { findCheckedOut, isOnRef, isUsualBranch, withHistory, type HistoryRequest } from './history.js';

interface Base {
  /** Commits that GitHub names as the base's own. */
  commits: readonly (string | undefined)[];
  /** Branches of this repository. A commit on one of them is the base's own too. */
  branches: readonly (string | undefined)[];
  fork: string | undefined;
  /** Whether to fetch what is needed to be sure. Without it, only what is certain is reported. */
  search: boolean;
}

/** Why the checkout is not the base; undefined if it is. */
export async function baseProblem(request: HistoryRequest, base: Base): Promise<string | undefined> {
  const why = await whyNotBase(request, base);
  return why === undefined ? undefined : `a checkout of the base (${why})`;
}

async function whyNotBase(
  request: HistoryRequest,
  { commits, branches, fork, search }: Base,
): Promise<string | undefined> {
  const checkedOut = findCheckedOut(request);
  if (!checkedOut) return 'no commit is checked out';
  const { commit, merged } = checkedOut;
  const name = shortCommit(commit);
  if (commits.includes(commit)) return undefined;
  if (fork !== undefined && [commit, ...merged].includes(fork))
    return `${name} is checked out, which has the fork’s files`;
  if (!search) return undefined;
  const named = [...new Set(branches)].filter(isUsualBranch);
  try {
    if (await isOnBranch(request, commit, named)) return undefined;
  } catch (error) {
    return `whether ${name} is on ${named.join(' or ')} is unknown: ${messageOf(error)}`;
  }
  return `${name} is checked out, which is not on ${named.join(' or ') || 'its branch'}`;
}

interface OtherCheckouts {
  /** Every `.git` of the workspace, by absolute path. */
  dotGits: readonly string[];
  repositories: readonly string[];
}

/** Each can take a fetch. */
const MAX_COMMITS = 10;

/**
 * Why another checkout in the workspace, in a folder or a worktree, can have the fork's files; undefined if none can.
 * Only commits of this repository and of the fork are in question. Those have to be on the base: the fork can have moved
 * on since the event, so its newest commit is not the only one.
 */
export async function otherCheckoutProblem(
  request: HistoryRequest,
  base: Base,
  { dotGits, repositories }: OtherCheckouts,
): Promise<string | undefined> {
  const own = findRepository(request.directory)?.root;
  const fine = new Set<string>();
  for (const dotGit of dotGits) {
    const repository = repositoryAt(dotGit);
    if (!repository || repository.root === own) continue;
    const commit = readHead(repository);
    const isFork = commit !== undefined && commit === base.fork;
    const key = commit ?? repository.root;
    if (fine.has(key) || (!isFork && !isAbout(repository, repositories))) continue;
    const why =
      fine.size < MAX_COMMITS
        ? await whyNotBase({ ...request, directory: repository.root }, base)
        : `more than ${MAX_COMMITS} commits are checked out`;
    if (why !== undefined)
      return `no checkout of the fork inside of the workspace (${relative(request.workspace, repository.root) || '.'}: ${why})`;
    fine.add(key);
  }
  return undefined;
}

/** The repository of this `.git`; undefined if it only has the name. */
function repositoryAt(dotGit: string): Repository | undefined {
  const root = realpathSync(dirname(dotGit));
  const found = findRepository(root);
  return found?.root === root ? found : undefined;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** Whether git has noted that this repository was fetched from one of these. What is too large to read counts as yes. */
function isAbout({ gitFolder, commonFolder }: Repository, repositories: readonly string[]): boolean {
  const names = repositories.map((name) => name.replace(/[^\w/-]/g, '\\$&'));
  const address = new RegExp(`[/:](?:${names.join('|')})(?:\\.git)?(?![\\w.-])`, 'i');
  const notes = [...new Set([gitFolder, commonFolder])].flatMap((folder) =>
    ['config', 'config.worktree', 'FETCH_HEAD', 'logs/HEAD'].map((name) => join(folder, name)),
  );
  return notes.some((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return false;
    return stat.size > MAX_BYTES || address.test(readFileSync(path, 'utf8'));
  });
}

const isOnBranch = (request: HistoryRequest, commit: string, branches: readonly string[]): Promise<boolean> =>
  withHistory(request, [commit], async (history) => {
    for (const branch of branches)
      if (await isOnRef(history, { commit, ref: `refs/heads/${branch}` })) return true;
    return false;
  });
