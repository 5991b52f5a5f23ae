import { readlinkSync } from 'node:fs';
import type { Policy } from '../agent/policy.js';
import { fromText, toBytes, toText, type BytePath } from './byte-path.js';
import type { Change, Inspection, Violation } from './changes.js';
import { contentKeeper, findDifferences, type Difference, type FileState } from './file-state.js';
import { judgeDifferences } from './file-violations.js';
import { walkFiles, type FileTree } from './file-walk.js';
import { findMovedGit, judgeGitFolders } from './git-violations.js';
import { findIgnored } from './ignore-rules.js';
import { isWithin } from './link-target.js';
import { loadObjects } from './object-reading.js';
import { isDotGit } from './path-fold.js';
import type { RepositorySnapshot, Snapshot } from './snapshot.js';
import { diffTrees, type TreeFile, type TreePair } from './tree-diff.js';

export interface InspectionRequest {
  policy: Policy;
  /** Where the patch is written, when there is one. */
  patchFile: string;
}

/** Taken after the agent and everything it started have ended, and what was set aside is back in its place. */
export function inspectChanges(snapshot: Snapshot, request: InspectionRequest): Inspection {
  if (snapshot.kind === 'not-a-repository') return snapshot;
  const { repository } = snapshot;
  const root = fromText(repository.root);
  const now = walkFiles(root, 'skip-git');
  const moved = findMovedGit(snapshot, now);
  const differences = findDifferences(snapshot, now, contentKeeper(snapshot, root)).filter(
    ({ path }) => moved === undefined || !isWithin(path, moved),
  );
  const ignored = ignoredAmong(snapshot, differences);

  const seen = differences.filter(({ path }) => !ignored.has(path));
  loadObjects(
    snapshot,
    seen.flatMap(({ before }) => idOf(before) ?? []),
  );
  const { pairs, omitted } = sortOut(snapshot, seen);
  const { changes, remoded, patch } = diffTrees(snapshot, pairs, request.patchFile);

  const left = differences.filter(({ path }) => ignored.has(path) || omitted.has(path));
  const files = judgeDifferences(differences, {
    ...{ policy: request.policy, repository, nested: snapshot.nested, now },
    readLink,
  });
  const violations = [
    ...judgeGitFolders(snapshot, now),
    ...files,
    ...judgeRenames(remoded, files),
    ...judgeClosed(snapshot, now),
  ];
  return {
    kind: 'inspected',
    changes: [...changes, ...left.map((difference) => plainChange(difference, ignored))].sort(byPath),
    violations,
    patch,
    omitted: [...omitted].map(([path, reason]) => ({ path: toText(path), reason })),
  };
}

/** By the rules as they were: a new path is asked about, a known one was asked about before. */
function ignoredAmong(snapshot: RepositorySnapshot, differences: readonly Difference[]): Set<BytePath> {
  const fresh = differences
    .map(({ path }) => path)
    .filter((path) => !snapshot.tree.files.has(path) && !snapshot.tracked.has(path) && !hasDotGit(path));
  const known = differences.map(({ path }) => path).filter((path) => snapshot.ignored.has(path));
  return new Set([...findIgnored(fresh, snapshot.ignoreRules, snapshot.place), ...known]);
}

/** What goes into the patch, and what cannot. */
function sortOut(snapshot: RepositorySnapshot, differences: readonly Difference[]) {
  const pairs: TreePair[] = [];
  const omitted = new Map<BytePath, string>();
  for (const { path, before, after } of differences) {
    const obstacle = findObstacle(snapshot, { path, before, after });
    if (obstacle !== undefined) omitted.set(path, obstacle);
    else pairs.push({ path, before: treeFile(before), after: treeFile(after) });
  }
  return { pairs, omitted };
}

function findObstacle(snapshot: RepositorySnapshot, { path, before, after }: Difference): string | undefined {
  if (hasDotGit(path)) return 'git does not take files of another repository';
  if (before.kind === 'special' || after.kind === 'special') return 'it is neither a file nor a link';
  if ([before, after].some((state) => state.kind === 'blob' && !isKnown(snapshot, state))) {
    return 'it is too large, cannot be read, or was not kept before the run';
  }
  if (snapshot.filtered.has(path) && idOf(before) !== snapshot.tracked.get(path)?.id) {
    return 'git keeps it through a filter (such as LFS), which is not run';
  }
  const isLink = [before, after].some((state) => state.kind === 'blob' && state.mode === '120000');
  return isLink && /(^|\/)\.gitmodules$/i.test(path) ? 'git does not take a link of this name' : undefined;
}

const hasDotGit = (path: BytePath): boolean => toText(path).split('/').some(isDotGit);

const idOf = (state: FileState): string | undefined => (state.kind === 'blob' ? state.id : undefined);

const isKnown = ({ store }: RepositorySnapshot, state: FileState): boolean => {
  const id = idOf(state);
  return id !== undefined && store.read(id) !== undefined;
};

function treeFile(state: FileState): TreeFile | undefined {
  return state.kind === 'blob' && state.id !== undefined ? { mode: state.mode, id: state.id } : undefined;
}

/** A change git was not asked about. */
function plainChange({ path, before, after }: Difference, ignored: ReadonlySet<BytePath>): Change {
  const rest = { path: toText(path), lines: { kind: 'unknown' }, ignored: ignored.has(path) } as const;
  if (after.kind === 'absent') return { status: 'deleted', ...rest };
  if (after.kind === 'blob' && after.mode === '120000') return { status: 'symlink', ...rest };
  if (before.kind === 'absent') return { status: 'added', ...rest };
  const sameContent = idOf(before) !== undefined && idOf(before) === idOf(after);
  return { status: sameContent ? 'mode' : 'modified', ...rest };
}

/** Taking another mode on the way to another name is a change of mode all the same. */
function judgeRenames(remoded: readonly BytePath[], found: readonly Violation[]): Violation[] {
  const known = new Set(found.map(({ path }) => path));
  return remoded
    .filter((key) => !known.has(toText(key)))
    .map((key) => ({
      path: toText(key),
      reason: 'it was renamed and made executable, or no longer so',
      target: { kind: 'file', key },
    }));
}

function judgeClosed(snapshot: RepositorySnapshot, now: FileTree): Violation[] {
  const before = new Set(snapshot.tree.closed);
  return now.closed
    .filter((path) => !before.has(path))
    .map((key) => ({
      path: toText(key) || '.',
      reason: 'the folder cannot be read any more, so what is in it cannot be told',
      target: { kind: 'folder', key },
    }));
}

function readLink(absolute: BytePath): BytePath | undefined {
  try {
    const target = readlinkSync(toBytes(absolute), { encoding: 'latin1' });
    return process.platform === 'win32' ? target.replaceAll('\\', '/') : target;
  } catch {
    return undefined;
  }
}

const byPath = (a: Change, b: Change): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
