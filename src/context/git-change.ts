import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseGitDiff } from '../diff/git-diff.js';
import { mergeBase, openHistory, type History, type HistoryRequest } from './history.js';
import type { NamedChange } from './subject.js';

/** A change as text, from wherever it was had. */
export interface RawDiff {
  /** The commit it was compared with, and the one with the change. */
  base: string;
  head: string;
  /** In the form of `git diff`. */
  text: string;
  /** Changed files of which the text has nothing, because it would be too long to look at. */
  unread: string[];
  /** What is not as one would expect; each a sentence. */
  notes: string[];
}

type Commits = Exclude<NamedChange['commits'], { kind: 'of-pull' }>;

/** More of a diff than this is not looked at. */
const MOST_BYTES = 16 * 1024 * 1024;
/** How much history is fetched to find where two branches parted, one after the other. */
const DEPTHS = [50, 1000];
const DEFAULT_BRANCH = 'refs/context/default-branch';

/** With git alone, from the clone and what has to be fetched besides. */
export async function diffByGit(request: HistoryRequest, commits: Commits): Promise<RawDiff> {
  const history = openHistory(
    request,
    commits.kind === 'known' ? [commits.base, commits.head] : [commits.head],
  );
  if ('missing' in history) throw new Error(history.missing);
  try {
    const { from, notes } = await findBase(history, commits);
    return { base: from, head: commits.head, ...readDiff(history, from, commits.head), notes };
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

/**
 * Renames are recognised, binary files are only named. Neither the attributes of the files nor anybody's
 * configuration has a say: this git has none of them.
 */
function readDiff({ git }: History, from: string, to: string): { text: string; unread: string[] } {
  const file = join(git.folder, 'diff');
  const output = openSync(file, 'w+', 0o600);
  try {
    const tree = [
      '-c',
      'core.quotePath=false',
      'diff-tree',
      '-r',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
    ];
    git.call({ args: [...tree, '-p', '-M', '--src-prefix=a/', '--dst-prefix=b/', from, to], output });
    const { text, isWhole } = readBeginning(output);
    if (isWhole) return { text, unread: [] };
    const whole = text.slice(0, text.lastIndexOf('\ndiff --git ') + 1);
    const read = new Set(parseGitDiff(whole).map(({ path }) => path));
    const names = git.call({ args: [...tree, '-M', '--name-only', '-z', from, to] }).toString('utf8');
    return { text: whole, unread: names.split('\0').filter((name) => name !== '' && !read.has(name)) };
  } finally {
    closeSync(output);
    rmSync(file, { force: true });
  }
}

function readBeginning(file: number): { text: string; isWhole: boolean } {
  const bytes = Buffer.alloc(MOST_BYTES + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length, length);
  }
  return { text: bytes.toString('utf8', 0, Math.min(length, MOST_BYTES)), isWhole: length <= MOST_BYTES };
}
