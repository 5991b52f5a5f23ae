import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gitAnswer, type PrivateGit } from '../git/private-git.js';
import type { Commits } from '../github/event.js';
import { narrowDiff, splitDiff, type DiffText, type PathTest } from './diff-text.js';
import {
  DEPTHS,
  FETCHED_BRANCH,
  isUsualBranch,
  mergeBase,
  withHistory,
  type History,
  type HistoryRequest,
} from './history.js';

export interface RawDiff extends DiffText {
  base: string;
  head: string;
  wanted?: DiffText;
  /** What a reader should know about the diff; each is a sentence. */
  notes: string[];
}

/** The diff from the clone and the commits that have to be fetched. */
export const diffByGit = (request: HistoryRequest, commits: Commits, isWanted?: PathTest): Promise<RawDiff> =>
  withComparison(request, commits, (comparison, notes) => {
    const whole = readDiff(comparison);
    return {
      base: comparison.from,
      head: comparison.to,
      ...whole,
      notes,
      ...(isWanted ? { wanted: readWanted(comparison, whole, isWanted) } : {}),
    };
  });

/** How many lines the change adds to and removes from each file, in the format of `git diff --numstat -z`. */
export const numstatByGit = (
  request: HistoryRequest,
  commits: Commits,
): Promise<{ text: string; notes: string[] }> =>
  withComparison(request, commits, (comparison, notes) => ({
    text: compare(comparison, ['-M', '--numstat', '-z']),
    notes,
  }));

/** Gives `read` what has to be compared. The objects of it exist until `read` returns. */
export function withComparison<T>(
  request: HistoryRequest,
  commits: Commits,
  read: (comparison: Comparison, notes: string[]) => T,
): Promise<T> {
  const known = commits.kind === 'known' ? [commits.base, commits.head] : [commits.head];
  return withHistory(request, known, async (history) => {
    const { from, notes } = await findBase(history, commits);
    return read({ git: history.git, from, to: commits.head }, notes);
  });
}

/** The commit to compare the head with, so that the diff shows only the changes on the side of the head. */
async function findBase(history: History, commits: Commits): Promise<{ from: string; notes: string[] }> {
  switch (commits.kind) {
    case 'new-branch':
      return { from: await baseOfNewBranch(history, commits), notes: [] };
    case 'known': {
      const { base, head } = commits;
      if (commits.history === 'forked') return findMergeBase(history, base, head);
      const missing = [base, head].filter((commit) => !history.has(commit));
      if (missing.length > 0) await history.fetch(missing, 1);
      return { from: base, notes: [] };
    }
  }
}

/** The merge base of two commits. What it needs of the history is fetched. */
export async function findMergeBase(history: History, base: string, head: string) {
  let from = mergeBase(history, base, head);
  for (const depth of DEPTHS) {
    const mayBeFound = history.isShallow() || ![base, head].every(history.has);
    if (from !== undefined || !mayBeFound) break;
    await history.fetch([base, head], depth);
    from = mergeBase(history, base, head);
  }
  if (from !== undefined) return { from, notes: [] };
  if (history.isShallow())
    throw new Error(
      `the last ${DEPTHS.at(-1) ?? 0} commits do not reach back to the merge base of the branches`,
    );
  return { from: base, notes: ['The two commits have no common history; they are compared directly.'] };
}

async function baseOfNewBranch(
  history: History,
  { head, ref, defaultBranch }: Commits & { kind: 'new-branch' },
) {
  if (ref === `refs/heads/${defaultBranch}`) {
    if (!history.has(head)) await history.fetch([head], 1);
    // The first push to the repository: everything is new.
    return gitAnswer(history.git, ['mktree']);
  }
  if (!isUsualBranch(defaultBranch)) throw new Error('the name of the default branch is unusual');
  for (const depth of DEPTHS) {
    await history.fetch([`+refs/heads/${defaultBranch}:${FETCHED_BRANCH}`, head], depth);
    const from = mergeBase(history, FETCHED_BRANCH, head);
    if (from !== undefined) return from;
  }
  throw new Error('the start of the branch was not found');
}

export interface Comparison {
  git: PrivateGit;
  from: string;
  to: string;
}

interface ChangedName {
  path: string;
  oldPath?: string;
}

/** The rest of a longer diff is not read. */
const MAX_BYTES = 16 * 1024 * 1024;
/** For the names in one command line. Windows allows 32,767 characters in total. */
const MAX_NAMES = 16_000;

/**
 * The diff with renames; binary files are only named. Attributes and configuration do not matter, because this git
 * has none.
 */
export function readDiff(comparison: Comparison): DiffText {
  const { text, isWhole } = readPatch(comparison, [], MAX_BYTES);
  if (isWhole) return { text, unread: [] };
  return { text, unread: namesNotIn(text, changedNames(comparison)) };
}

/**
 * The diff of some files only. If the whole diff was read, it is their part of it. If it was too long, git is asked
 * for these files only, so that the files before them do not use up the room.
 */
function readWanted(comparison: Comparison, whole: DiffText, isWanted: PathTest): DiffText {
  if (whole.unread.length === 0) return narrowDiff(whole, isWanted);
  const chosen = changedNames(comparison).filter((name) => bothNames(name).some(isWanted));
  let text = '';
  for (const names of batchesOf(chosen)) text += readNamed(comparison, names, roomAfter(text));
  // If a file was replaced by a folder of the same name, git also lists everything in that folder.
  const narrowed = narrowDiff({ text, unread: [] }, isWanted);
  return { text: narrowed.text, unread: namesNotIn(narrowed.text, chosen) };
}

const roomAfter = (text: string, maxBytes = MAX_BYTES): number => maxBytes - Buffer.byteLength(text);

/** Reads as much as fits. A file that is too long is skipped, and the files after it are still read. */
function readNamed(comparison: Comparison, names: readonly ChangedName[], maxBytes: number): string {
  const { text, isWhole } = readPatch(comparison, names, maxBytes);
  if (isWhole) return text;
  const read = new Set(splitDiff(text).map(({ path }) => path));
  const [, ...others] = names.filter(({ path }) => !read.has(path));
  return others.length === 0 ? text : text + readNamed(comparison, others, roomAfter(text, maxBytes));
}

/** What changed in files, without the lines around it, in the format of `git diff`. A moved file is a new one. */
export const changedLines = (comparison: Comparison, paths: readonly string[]): string =>
  compare(comparison, ['-p', '-U0', ...PREFIXES], paths);

const PREFIXES = ['--src-prefix=a/', '--dst-prefix=b/'];

const compare = (comparison: Comparison, form: readonly string[], paths: readonly string[] = []): string =>
  comparison.git.call({ args: argsOf(comparison, form, paths) }).toString('utf8');

const argsOf = ({ from, to }: Comparison, form: readonly string[], paths: readonly string[]): string[] => [
  ...['--literal-pathspecs', '-c', 'core.quotePath=false'],
  ...['diff-tree', '-r', '--no-color', '--no-ext-diff', '--no-textconv'],
  ...[...form, from, to, '--', ...paths],
];

/** Contains only whole files. Of a patch that is too long, it is the beginning. */
function readPatch(comparison: Comparison, names: readonly ChangedName[], maxBytes: number) {
  const { git } = comparison;
  const file = join(git.folder, 'diff');
  const output = openSync(file, 'w+', 0o600);
  try {
    git.call({ args: argsOf(comparison, ['-p', '-M', ...PREFIXES], names.flatMap(bothNames)), output });
    const { text, isWhole } = readBeginning(output, maxBytes);
    return { text: isWhole ? text : text.slice(0, text.lastIndexOf('\ndiff --git ') + 1), isWhole };
  } finally {
    closeSync(output);
    rmSync(file, { force: true });
  }
}

function readBeginning(file: number, maxBytes: number): { text: string; isWhole: boolean } {
  const { size } = fstatSync(file);
  const bytes = Buffer.alloc(Math.min(size, maxBytes));
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length, length);
  }
  return { text: bytes.toString('utf8', 0, length), isWhole: size <= maxBytes };
}

/** Each record is a status and a name; for a moved file it is a status with a score, and two names. */
export function changedNames(comparison: Comparison): ChangedName[] {
  const fields = compare(comparison, ['-M', '--name-status', '-z']).split('\0');
  const names: ChangedName[] = [];
  for (let index = 0; index + 1 < fields.length;) {
    const isMoved = /^[RC]/.test(fields[index] ?? '');
    const [first = '', second = ''] = fields.slice(index + 1, index + 3);
    names.push(isMoved ? { path: second, oldPath: first } : { path: first });
    index += isMoved ? 3 : 2;
  }
  return names;
}

function namesNotIn(text: string, names: readonly ChangedName[]): string[] {
  const read = new Set(splitDiff(text).map(({ path }) => path));
  return names.map(({ path }) => path).filter((path) => !read.has(path));
}

/** Git reports a move only if both names are given. */
const bothNames = ({ path, oldPath }: ChangedName): string[] =>
  oldPath === undefined ? [path] : [oldPath, path];

/** Splits names into batches that fit into a command line. */
function batchesOf(names: readonly ChangedName[]): ChangedName[][] {
  const batches: ChangedName[][] = [];
  let length = Infinity;
  for (const name of names) {
    // In the worst case each byte of a name is escaped.
    const more = bothNames(name).reduce((sum, each) => sum + 2 * Buffer.byteLength(each) + 3, 0);
    if (length + more > MAX_NAMES) {
      batches.push([]);
      length = 0;
    }
    batches.at(-1)?.push(name);
    length += more;
  }
  return batches;
}
