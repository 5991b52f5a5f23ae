import type { Commits } from '../github/event.js';
import type { DiffText } from './fit-diff.js';
import { mergeBase, openHistory, type History, type HistoryRequest } from './history.js';
import { readDiff, readNumbers, readWanted, type Comparison } from './read-diff.js';

/** A change as text, from wherever it was had. */
export interface RawDiff extends DiffText {
  /** The commit it was compared with, and the one with the change. */
  base: string;
  head: string;
  /** The same of the wanted files alone, where only some are wanted. */
  wanted?: DiffText;
  /** What is not as one would expect; each a sentence. */
  notes: string[];
}

/** How much history is fetched to find where two branches parted, one after the other. */
const DEPTHS = [50, 1000];
const DEFAULT_BRANCH = 'refs/context/default-branch';

/** With git alone, from the clone and what has to be fetched besides. */
export const diffByGit = (
  request: HistoryRequest,
  commits: Commits,
  wanted?: ReadonlySet<string>,
): Promise<RawDiff> =>
  comparing(request, commits, (comparison, notes) => {
    const whole = readDiff(comparison);
    return {
      ...{ base: comparison.from, head: comparison.to, ...whole, notes },
      ...(wanted ? { wanted: readWanted(comparison, whole, wanted) } : {}),
    };
  });

/** How many lines of each file the same change adds and removes, as `git diff --numstat -z` writes it. */
export const numstatByGit = (
  request: HistoryRequest,
  commits: Commits,
): Promise<{ text: string; notes: string[] }> =>
  comparing(request, commits, (comparison, notes) => ({ text: readNumbers(comparison), notes }));

async function comparing<T>(
  request: HistoryRequest,
  commits: Commits,
  read: (comparison: Comparison, notes: string[]) => T,
): Promise<T> {
  const history = openHistory(
    request,
    commits.kind === 'known' ? [commits.base, commits.head] : [commits.head],
  );
  if ('missing' in history) throw new Error(history.missing);
  try {
    const { from, notes } = await findBase(history, commits);
    return read({ git: history.git, from, to: commits.head }, notes);
  } finally {
    history.close();
  }
}

/** What to compare the head with, so that only what was changed on its side is seen. */
async function findBase(history: History, commits: Commits): Promise<{ from: string; notes: string[] }> {
  switch (commits.kind) {
    case 'new-branch':
      return { from: await baseOfNewBranch(history, commits), notes: [] };
    case 'known': {
      const { base, head } = commits;
      if (commits.history === 'forked') return whereTheyParted(history, base, head);
      const missing = [base, head].filter((commit) => !history.has(commit));
      if (missing.length > 0) await history.obtain(missing, 1);
      return { from: base, notes: [] };
    }
  }
}

async function whereTheyParted(history: History, base: string, head: string) {
  let from = mergeBase(history, base, head);
  for (const depth of DEPTHS) {
    const mayBeFound = history.isShallow() || ![base, head].every(history.has);
    if (from !== undefined || !mayBeFound) break;
    await history.obtain([base, head], depth);
    from = mergeBase(history, base, head);
  }
  if (from !== undefined) return { from, notes: [] };
  if (history.isShallow())
    throw new Error(`the last ${DEPTHS.at(-1) ?? 0} commits do not reach back to where the branches parted`);
  return { from: base, notes: ['The two commits have no history in common; they are compared as they are.'] };
}

async function baseOfNewBranch(
  history: History,
  { head, ref, defaultBranch }: Commits & { kind: 'new-branch' },
) {
  if (ref === `refs/heads/${defaultBranch}`) {
    if (!history.has(head)) await history.obtain([head], 1);
    // The first push of all: everything is new.
    return history.git
      .call({ args: ['mktree'] })
      .toString('utf8')
      .trim();
  }
  if (!/^\w[\w./-]*$/.test(defaultBranch) || defaultBranch.includes('..'))
    throw new Error('the name of the default branch is unusual');
  for (const depth of DEPTHS) {
    await history.obtain([`+refs/heads/${defaultBranch}:${DEFAULT_BRANCH}`, head], depth);
    const from = mergeBase(history, DEFAULT_BRANCH, head);
    if (from !== undefined) return from;
  }
  throw new Error('where the branch began was not found');
}
