import { messageOf } from '../core/errors.js';
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
  { commits, branches, fork }: Base,
  { search }: { search: boolean },
): Promise<string | undefined> {
  const checkedOut = findCheckedOut(request);
  if (!checkedOut) return 'a checkout of the base (no commit is checked out)';
  const { commit, merged } = checkedOut;
  const name = commit.slice(0, 10);
  if (commits.includes(commit)) return undefined;
  if (fork !== undefined && [commit, ...merged].includes(fork))
    return `a checkout of the base (${name} is checked out, which has the fork’s files)`;
  if (!search) return undefined;
  const named = [...new Set(branches)].filter(isUsual);
  try {
    if (await isOnBranch(request, commit, named)) return undefined;
  } catch (error) {
    return `a checkout of the base (whether ${name} is on ${named.join(' or ')} is unknown: ${messageOf(error)})`;
  }
  return `a checkout of the base (${name} is checked out, which is not on ${named.join(' or ') || 'its branch'})`;
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
