import { attempt } from '../core/errors.js';
import { parseGitDiff, type FileDiff, type LineRange } from '../git/diff.js';
import type { PrivateGit } from '../git/private-git.js';
import type { Finding } from '../report/model.js';
import { isPlainPath } from '../text/paths.js';
import { changedLines, changedNames, findMergeBase, readDiff } from './git-change.js';
import { splitDiff, type DiffText } from './diff-text.js';
import { mergeBase, withHistory, type History, type HistoryRequest } from './history.js';

/** The tip of the base and the tip of the branch, at one time. */
export interface Tips {
  base: string;
  head: string;
}

/** A review at an earlier time, with the findings it left that have no threads. */
export interface ReviewThen extends Tips {
  findings?: readonly Finding[];
}

export interface ChangeSince {
  /** Empty if the branch changes the same as then, as after a rebase. */
  diff: DiffText;
  same: string[];
  /** What the base has brought into the branch since then, and how many files of the change that touches. */
  fromBase: { files: number; touched: number };
  /** The findings of then whose lines are as they were, with the numbers that those lines have now. */
  standing: Finding[];
}

/**
 * Compares a branch with itself at an earlier time. Rebases, amended and squashed commits and merges from the base do
 * not count: what the branch changed then is replayed on the base that it has now, and what differs from that is new.
 * Where the replay has a conflict, or is not possible, or the file was moved, its whole change is new, unless it is the
 * same patch at the same lines. Rejects if one of the commits cannot be fetched.
 */
export const changeSince = (request: HistoryRequest, then: ReviewThen, now: Tips): Promise<ChangeSince> =>
  withHistory(request, [now.base, now.head, then.head], async (history) => {
    const { from: oldBase } = await findMergeBase(history, then.base, then.head);
    const { from: newBase } = await findMergeBase(history, now.base, now.head);
    const reviewed = { base: oldBase, head: then.head };
    return {
      ...compareChanges(history, reviewed, { base: newBase, head: now.head }),
      standing: findStanding(history, then, now),
    };
  });

/** The bases are the merge bases from here on. */
function compareChanges(history: History, then: Tips, now: Tips) {
  const { git } = history;
  const whole = readDiff({ git, from: now.base, to: now.head });
  const replayed = replay(history, then, now.base);
  const since = replayed && readDiff({ git, from: replayed.tree, to: now.head });
  const isEnough = replayed?.conflicts.size === 0 && since?.unread.length === 0;
  const earlier = isEnough ? undefined : readDiff({ git, from: then.base, to: then.head });
  const [current, old, added] = [partsByPath(whole), partsByPath(earlier), partsByPath(since)];
  const newPart = (path: string): string => {
    const fresh = added.get(path) ?? '';
    // A diff that is too long is not read to its end.
    const isReplayed = replayed && !replayed.conflicts.has(path) && !since?.unread.includes(path);
    if (isReplayed && !isMoved(fresh)) return fresh;
    const part = current.get(path) ?? (isMoved(fresh) ? fresh : '');
    return identityOf(part) === identityOf(old.get(path) ?? '') ? '' : part;
  };
  // A file that is in none of the present parts was changed then, and is as the base has it by now.
  const paths = [...new Set([...current.keys(), ...(replayed ? added.keys() : [])])];
  const newParts = new Map(paths.map((path) => [path, newPart(path)]));
  const brought = then.base === now.base ? [] : changedNames({ git, from: then.base, to: now.base });
  const touched = brought.filter(({ path, oldPath = path }) => current.has(path) || current.has(oldPath));
  return {
    diff: { text: [...newParts.values()].join(''), unread: whole.unread },
    same: [...current.keys()].filter((path) => newParts.get(path) === ''),
    fromBase: { files: brought.length, touched: touched.length },
  };
}

/** The two commits themselves are compared, because lines also move or change through the base. */
function findStanding({ git }: History, { head, findings = [] }: ReviewThen, now: Tips): Finding[] {
  if (findings.length === 0) return [];
  const paths = [...new Set(findings.map(({ path }) => path))].filter(isForGit);
  const isSame = head === now.head || paths.length === 0;
  const text = isSame ? '' : changedLines({ git, from: head, to: now.head }, paths);
  const files = new Map(parseGitDiff(text).map((file) => [file.path, file]));
  return findings.flatMap((finding) => {
    const lines = linesNow(finding, files.get(finding.path));
    return lines ? [{ ...finding, ...lines }] : [];
  });
}

/** Git refuses to look for any file if one of the paths leads out of the repository. On Windows a drive does too. */
const isForGit = (path: string): boolean => isPlainPath(path) && !/^[A-Za-z]:/.test(path);

/** Where lines are after a change; undefined if they are no longer as they were. The hunks have no lines around them. */
function linesNow({ startLine, endLine, side }: Finding, file: FileDiff | undefined): LineRange | undefined {
  if (!file) return { startLine, endLine };
  // Which lines the change removes may be different now.
  if (side === 'base') return undefined;
  if (file.binary || file.status !== 'modified') return undefined;
  let moved = 0;
  for (const { oldStart, oldCount, newCount } of file.hunks) {
    // A hunk that removes nothing puts its lines behind the line that it names.
    const [first, last] = oldCount === 0 ? [oldStart + 1, oldStart] : [oldStart, oldStart + oldCount - 1];
    if (first > endLine) break;
    if (last >= startLine) return undefined;
    moved += newCount - oldCount;
  }
  return { startLine: startLine + moved, endLine: endLine + moved };
}

/** A file that became a link has two parts. */
function partsByPath(diff: DiffText | undefined): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const part of splitDiff(diff?.text ?? ''))
    parts.set(part.path, (parts.get(part.path) ?? '') + part.text);
  return parts;
}

/**
 * Equal for two patches of a file that change the same lines in the same way. The names of the contents do not count,
 * because they depend on the base; of a binary file the new one does, because there is nothing else to compare.
 */
function identityOf(part: string): string {
  const isBinary = /\nBinary files [^\n]* differ\n?$/.test(part);
  return part.replace(/(?<![^\n])index [0-9a-f]+(\.\.[0-9a-f]+)[^\n]*\n/g, (_line, content: string) =>
    isBinary ? `${content}\n` : '',
  );
}

/** The part may be empty, because only the name is new. The findings at the old name are then looked for nowhere. */
const isMoved = (part: string): boolean => /(?<![^\n])rename from /.test(part);

interface Replayed {
  tree: string;
  conflicts: ReadonlySet<string>;
}

/** Undefined if the base did not simply move on, or if git is too old for it. */
function replay(history: History, then: Tips, newBase: string): Replayed | undefined {
  if (then.base === newBase) return { tree: then.head, conflicts: new Set() };
  if (mergeBase(history, then.base, newBase) !== then.base) return undefined;
  return mergeTrees(history.git, newBase, then.head);
}

/** `git merge-tree --write-tree` came with git 2.38. It needs no work tree, and runs nothing of the repository. */
function mergeTrees(git: PrivateGit, one: string, other: string): Replayed | undefined {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', one, other];
  const printed = attempt(() => git.call({ args, answers: [0, 1] }).toString('utf8')) ?? '';
  const [tree = '', ...conflicts] = printed.split('\0');
  return /^[0-9a-f]{40,64}$/.test(tree) ? { tree, conflicts: new Set(conflicts) } : undefined;
}
