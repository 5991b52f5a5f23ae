import { rmSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fromText, isWithin, joinBytes, toBytes, toText, type BytePath } from '../git/byte-path.js';
import type { CheckoutGit } from '../git/checkout-git.js';
import { isSubmodule, type IndexEntries } from '../git/index-entries.js';
import {
  listDifferences,
  type ChangeStatus,
  type Lines,
  type Side,
  type TreeChange,
} from '../git/file-store.js';
import type { Policy } from '../permissions/policy.js';
import { isDotGit } from '../text/path-fold.js';
import { makeReadable } from './file-tree.js';
import { judgeChanges, MAX_FILE_BYTES } from './judge-changes.js';
import type { FileState, LayerChange, LayerView, Violation, Workspace } from './workspace.js';
import {
  pathsOf,
  writePatch,
  type StoredChanges,
  type MayShow,
  type PatchResult,
  type Tops,
} from './write-patch.js';

export interface InspectionRequest {
  workspace: Workspace;
  /** The top of the checkout under the layer. */
  checkout: string;
  /** Where the agent works. */
  directory: string;
  policy: Policy;
  /** Undefined if there is no repository or no git. Then there is no patch. */
  git?: CheckoutGit | undefined;
  /** Other repositories in the checkout, by the paths of their `.git` from its top. */
  nestedGit: readonly string[];
}

/** One file that the agent changed, by its path from the top of the repository. */
export type ChangedPath = ChangeStatus & { path: string; lines: Lines };

export interface Inspection {
  /** Every change that git does not ignore. */
  changes: ChangedPath[];
  /** The number of changed files that git ignores. They stay in the layer. */
  ignored: number;
  violations: Violation[];
  /** The changes without a violation, and the changes with one. */
  allowed: LayerChange[];
  refused: LayerChange[];
  /** Where the paths of the changes start. */
  root: string;
  /** Writes some of these changes as a patch. Without changes no file is written. */
  writePatch(changes: readonly LayerChange[], file: string, mayShow: MayShow): PatchResult;
  close(): void;
}

/** Reads the layer after the agent and all its processes have ended, and the files it changed in the checkout. */
export function inspectLayer(request: InspectionRequest): Inspection {
  const { workspace, checkout, directory, policy, git } = request;
  const root = git?.repository.root ?? checkout;
  const prefix = fromText(relative(checkout, root).split(sep).join('/'));
  const tops = { before: fromText(root), after: joinBytes(workspace.written, prefix) };
  const { inside, outside } = divide(workspace.changes(), prefix);
  const tampering = workspace.tampering();
  for (const { path, after } of inside) prepareForGit(joinBytes(tops.after, path), after);
  const tracked: IndexEntries =
    git && inside.length > 0 ? git.tracked(inside.map(({ path }) => path)) : new Map();
  const ignored = git ? git.ignored(untracked(inside, tracked)) : new Set<BytePath>();
  const candidates = inside.filter(({ path }) => !ignored.has(path));
  const stored = git && candidates.length > 0 ? storeFiles(candidates, { git, tracked, tops }) : undefined;
  // A file that git stores as before (for example with other line endings) did not change, unless it got more rights.
  const seen = candidates.filter(
    ({ path, after }) =>
      !stored ||
      stored.paths.has(path) ||
      stored.omitted.has(path) ||
      (after.kind === 'file' && after.privileged),
  );
  const nested = nestedFolders(request, prefix, tracked);
  const view = viewBelow(prefix, workspace.view);
  const judged = judgeChanges(seen, { policy, root, directory, nested, view });
  const violations: Violation[] = [
    ...tampering,
    ...outside.map(({ path }) => ({ path: toText(path), reason: 'it is outside of the repository' })),
    ...judged,
    ...judgeRenames(stored?.listed ?? [], judged),
  ];
  const refused = new Set(violations.flatMap(({ change }) => change ?? []));
  const unlisted = seen.filter(({ path }) => !stored?.paths.has(path)).map(plainChange);
  return {
    changes: [...(stored?.listed ?? []), ...unlisted].sort(byPath),
    ignored: ignored.size,
    violations,
    allowed: seen.filter(({ path }) => !refused.has(path)),
    refused: seen.filter(({ path }) => refused.has(path)),
    root,
    writePatch: (changes, file, mayShow) =>
      writePatch(stored && { ...stored, tops }, { changes, file, mayShow }),
    close: () => stored?.store.close(),
  };
}

/** Git fails on a file that it may not read, and would wait for a pipe named .gitattributes. */
function prepareForGit(path: BytePath, state: FileState): void {
  if (state.kind === 'special') rmSync(toBytes(path), { force: true });
  if (state.kind === 'file') makeReadable(path);
}

/** Divides the changes into those in the repository, by their path in it, and those outside of it. */
function divide(
  changes: readonly LayerChange[],
  prefix: BytePath,
): Record<'inside' | 'outside', LayerChange[]> {
  const isInside = ({ path }: LayerChange) => prefix === '' || isWithin(path, prefix);
  return {
    inside: changes.filter(isInside).map((change) => below(prefix, change)),
    outside: changes.filter((change) => !isInside(change)),
  };
}

const below = (prefix: BytePath, change: LayerChange): LayerChange =>
  prefix === '' ? change : { ...change, path: change.path.slice(prefix.length + 1) };

const viewBelow = (prefix: BytePath, view: LayerView): LayerView => ({
  entryAt: (path) => view.entryAt(joinBytes(prefix, path)),
  linkAt: (path) => view.linkAt(joinBytes(prefix, path)),
  namesIn: (path) => view.namesIn(joinBytes(prefix, path)),
});

/** Rules do not apply to a tracked file. */
const untracked = (changes: readonly LayerChange[], tracked: IndexEntries): BytePath[] =>
  changes.map(({ path }) => path).filter((path) => !tracked.has(path) && !hasDotGit(path));

const hasDotGit = (path: BytePath): boolean => toText(path).split('/').some(isDotGit);

function nestedFolders(
  { nestedGit }: InspectionRequest,
  prefix: BytePath,
  tracked: IndexEntries,
): Set<BytePath> {
  const folders = nestedGit
    .map((entry) => fromText(entry.replace(/\/?\.git$/i, '')))
    .filter((folder) => folder !== prefix && (prefix === '' || isWithin(folder, prefix)))
    .map((folder) => (prefix === '' ? folder : folder.slice(prefix.length + 1)));
  const submodules: BytePath[] = [];
  for (const [path, entry] of tracked) if (isSubmodule(entry)) submodules.push(path);
  return new Set([...folders, ...submodules]);
}

function storeFiles(
  changes: readonly LayerChange[],
  { git, tracked, tops }: { git: CheckoutGit; tracked: IndexEntries; tops: Tops },
): StoredChanges {
  const filtered = git.filtered(changes.map(({ path }) => path));
  const omitted = new Map<BytePath, string>();
  for (const change of changes) {
    const why = findObstacle(change, filtered);
    if (why !== undefined) omitted.set(change.path, why);
  }
  const side = (which: Side) => ({
    top: toText(tops[which]),
    paths: changes
      .filter((change) => !omitted.has(change.path) && change[which].kind !== 'absent')
      .map(({ path }) => path),
  });
  const store = git.openStore();
  try {
    const trees = store.store({ before: side('before'), after: side('after') }, tracked);
    const listed = listDifferences(store.git, trees);
    return { store, trees, listed, paths: new Set(listed.flatMap(pathsOf)), omitted };
  } catch (error) {
    store.close();
    throw error;
  }
}

function findObstacle(
  { path, before, after }: LayerChange,
  filtered: ReadonlySet<BytePath>,
): string | undefined {
  if (hasDotGit(path)) return 'git does not add files of another repository';
  if (before.kind === 'special' || after.kind === 'special') return 'it is neither a file nor a link';
  if ([before, after].some((state) => state.kind === 'file' && state.bytes > MAX_FILE_BYTES))
    return 'it is larger than 100 MiB';
  if (filtered.has(path)) return 'git stores it through a filter (such as LFS), which is not run';
  const isLink = before.kind === 'link' || after.kind === 'link';
  return isLink && /(^|\/)\.gitmodules$/i.test(path) ? 'git does not add a link of this name' : undefined;
}

/** Describes a change that git was not asked about. */
function plainChange({ path, before, after }: LayerChange): ChangedPath {
  const rest = { path: toText(path), lines: { kind: 'unknown' } } as const;
  if (after.kind === 'absent') return { status: 'deleted', ...rest };
  if (after.kind === 'link') return { status: 'symlink', ...rest };
  return { status: before.kind === 'absent' ? 'added' : 'modified', ...rest };
}

/** A file that was renamed and got another mode at the same time counts as a change of mode. */
function judgeRenames(listed: readonly TreeChange[], found: readonly Violation[]): Violation[] {
  const known = new Set(found.map(({ path }) => path));
  return listed.flatMap(({ status, path, before, after }) => {
    const hasNewMode = status === 'renamed' && before?.mode !== after?.mode && !known.has(path);
    if (!hasNewMode || !after) return [];
    return [
      { path, reason: 'it was renamed, and made executable or no longer executable', change: after.path },
    ];
  });
}

const byPath = (a: ChangedPath, b: ChangedPath): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
