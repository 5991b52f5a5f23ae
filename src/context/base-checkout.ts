import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { messageOf } from '../core/errors.js';
import { findRepository, readHead, type Repository } from '../git/repository.js';
import { findCheckedOut, mergeBase, openHistory, type HistoryRequest } from './history.js';

/** What is known about the base of a fork's change. */
export interface Base {
  /** Commits that GitHub names as the base's own. */
  commits: readonly (string | undefined)[];
  /** Branches of this repository. A commit on one of them is the base's own too. */
  branches: readonly (string | undefined)[];
  /** The newest commit of the fork. */
  fork: string | undefined;
}

/** Reaches back far enough for a checkout that is some days old. */
const DEPTHS = [50, 1000];
const PLACE = 'refs/context/base';

/**
 * Why the checkout is not the base; undefined if it is. `search: false` answers without fetching anything, and then
 * reports only what is certain.
 */
export async function baseProblem(
  request: HistoryRequest,
  base: Base,
  options: { search: boolean },
): Promise<string | undefined> {
  const why = await whyNotBase(request, base, options);
  return why === undefined ? undefined : `a checkout of the base (${why})`;
}

async function whyNotBase(
  request: HistoryRequest,
  { commits, branches, fork }: Base,
  { search }: { search: boolean },
): Promise<string | undefined> {
  const checkedOut = findCheckedOut(request);
  if (!checkedOut) return 'no commit is checked out';
  const { commit, merged } = checkedOut;
  const name = commit.slice(0, 10);
  if (commits.includes(commit)) return undefined;
  if (fork !== undefined && [commit, ...merged].includes(fork))
    return `${name} is checked out, which has the fork’s files`;
  if (!search) return undefined;
  const named = [...new Set(branches)].filter(isUsual);
  try {
    if (await isOnBranch(request, commit, named)) return undefined;
  } catch (error) {
    return `whether ${name} is on ${named.join(' or ')} is unknown: ${messageOf(error)}`;
  }
  return `${name} is checked out, which is not on ${named.join(' or ') || 'its branch'}`;
}

/** What else is checked out in the workspace. */
export interface OtherCheckouts {
  /** Every `.git` of the workspace, by absolute path. */
  dotGits: readonly string[];
  /** This repository and the fork, as `owner/name`. */
  repositories: readonly string[];
  search: boolean;
}

/** Each can take a fetch. Hardly anybody needs a second checkout of the same repository. */
const MOST_COMMITS = 10;

/**
 * Why another checkout in the workspace, in a folder or a worktree, can have the fork's files; undefined if none can.
 * Only commits of this repository and of the fork are in question. Those have to be on the base: the fork can have moved
 * on since the event, so its newest commit is not the only one.
 */
export async function otherCheckoutProblem(
  request: HistoryRequest,
  base: Base,
  { dotGits, repositories, search }: OtherCheckouts,
): Promise<string | undefined> {
  const own = findRepository(request.directory)?.root;
  const judged = new Map<string, string | undefined>();
  for (const dotGit of dotGits) {
    const repository = repositoryAt(dotGit);
    if (!repository || repository.root === own) continue;
    const commit = readHead(repository);
    if (!(commit !== undefined && commit === base.fork) && !isAbout(repository, repositories)) continue;
    const key = commit ?? repository.root;
    if (!judged.has(key)) {
      const why =
        judged.size < MOST_COMMITS
          ? await whyNotBase({ ...request, directory: repository.root }, base, { search })
          : `more than ${MOST_COMMITS} commits are checked out`;
      judged.set(key, why);
    }
    const why = judged.get(key);
    if (why !== undefined)
      return `no checkout of the fork inside of the workspace (${relative(request.workspace, repository.root) || '.'}: ${why})`;
  }
  return undefined;
}

/** The repository that this `.git` makes. A folder can have the name and be none. */
function repositoryAt(dotGit: string): Repository | undefined {
  const root = realpathSync(dirname(dotGit));
  const found = findRepository(root);
  return found?.root === root ? found : undefined;
}

const MOST_BYTES = 16 * 1024 * 1024;

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
    return stat.size > MOST_BYTES || address.test(readFileSync(path, 'utf8'));
  });
}

async function isOnBranch(
  request: HistoryRequest,
  commit: string,
  branches: readonly string[],
): Promise<boolean> {
  const history = openHistory(request, [commit]);
  if ('missing' in history) throw new Error(history.missing);
  try {
    for (const branch of branches)
      for (const depth of DEPTHS) {
        await history.obtain([`+refs/heads/${branch}:${PLACE}`], depth);
        if (mergeBase(history, commit, PLACE) === commit) return true;
      }
    return false;
  } finally {
    history.close();
  }
}

const isUsual = (branch: string | undefined): branch is string =>
  branch !== undefined && /^\w[\w./-]*$/.test(branch) && !branch.includes('..');
