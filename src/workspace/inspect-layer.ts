import { rmSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Policy } from '../permissions/policy.js';
import { fromText, joinBytes, toBytes, toText, type BytePath } from '../git/byte-path.js';
import type { CheckoutGit } from '../git/checkout-git.js';
import { isSubmodule, type IndexEntries } from '../git/index-entries.js';
import { listDifferences, type ChangeStatus, type Lines, type TreeChange } from '../git/tree-diff.js';
import type { FileState, LayerChange, Violation } from './changes.js';
import { openUp } from './file-tree.js';
import { judgeChanges, MOST_FILE_BYTES } from './judge-changes.js';
import { isWithin } from './link-target.js';
import { isDotGit } from '../text/path-fold.js';
import type { LayerView, Workspace } from './workspace.js';
import {
  keysOf,
  writePatch,
  type KeptFiles,
  type MayShow,
  type PatchResult,
  type Tops,
} from './write-patch.js';

export interface InspectionRequest {
  workspace: Workspace;
  /** The top of the checkout, which the layer lies over. */
  checkout: string;
  /** Where the agent works. */
  directory: string;
  policy: Policy;
  /** Missing where there is no repository, or no git: then there is no patch. */
  git?: CheckoutGit | undefined;
  /** Other repositories in the checkout, by their `.git`, from its top. */
  nestedGit: readonly string[];
}

/** One file the agent changed, by its path from the top of the repository. */
export type ChangedPath = ChangeStatus & { path: string; lines: Lines };

export interface Inspection {
  /** Every change that git does not ignore. */
  changes: ChangedPath[];
  /** How many files changed that git ignores. They stay in the layer. */
  ignored: number;
  violations: Violation[];
  /** Those without a violation, and those with one. */
  allowed: LayerChange[];
  refused: LayerChange[];
  /** Where the paths of changes start. */
  root: string;
  /** Writes some of these changes as a patch; nothing is written for none. */
  writePatch(changes: readonly LayerChange[], file: string, mayShow: MayShow): PatchResult;
  close(): void;
}

/** Taken after the agent and everything it started have ended. Reads the layer, and of the checkout what it changed. */
export function inspectLayer(request: InspectionRequest): Inspection {
  const { workspace, checkout, directory, policy, git } = request;
  const root = git?.repository.root ?? checkout;
  const prefix = fromText(relative(checkout, root).split(sep).join('/'));
  const tops = { before: fromText(root), after: joinBytes(workspace.written, prefix) };
  const { inside, outside } = divide(workspace.changes(), prefix);
  const tampering = workspace.tampering();
  for (const { path, after } of inside) makeReadable(joinBytes(tops.after, path), after);
  const tracked: IndexEntries =
    git && inside.length > 0 ? git.tracked(inside.map(({ path }) => path)) : new Map();
  const ignored = git ? git.ignored(untracked(inside, tracked)) : new Set<BytePath>();
  const candidates = inside.filter(({ path }) => !ignored.has(path));
  const kept = git && candidates.length > 0 ? keepFiles(candidates, { git, tracked, tops }) : undefined;
  // What git keeps just as before (with other line ends, say) is no change, unless it came with more rights.
  const seen = candidates.filter(
    ({ path, after }) =>
      !kept || kept.paths.has(path) || kept.omitted.has(path) || (after.kind === 'file' && after.privileged),
  );
  const nested = nestedFolders(request, prefix, tracked);
  const view = viewBelow(prefix, workspace.view);
  const judged = judgeChanges(seen, { policy, root, directory, nested, view });
  const violations: Violation[] = [
    ...tampering,
    ...outside.map(({ path }) => ({ path: toText(path), reason: 'it is outside of the repository' })),
    ...judged,
    ...judgeRenames(kept?.listed ?? [], judged),
  ];
  const refused = new Set(violations.flatMap(({ change }) => change ?? []));
  const unlisted = seen.filter(({ path }) => !kept?.paths.has(path)).map(plainChange);
  return {
    changes: [...(kept?.listed ?? []), ...unlisted].sort(byPath),
    ignored: ignored.size,
    violations,
    allowed: seen.filter(({ path }) => !refused.has(path)),
    refused: seen.filter(({ path }) => refused.has(path)),
    root,
    writePatch: (changes, file, mayShow) => writePatch(kept && { ...kept, tops }, { changes, file, mayShow }),
    close: () => kept?.store.close(),
  };
}

/** For git: a file it may not read ends it, and for a pipe that is called .gitattributes it would wait. */
function makeReadable(path: BytePath, state: FileState): void {
  if (state.kind === 'special') rmSync(toBytes(path), { force: true });
  if (state.kind === 'file') openUp(path);
}

/** Changes of the repository, by their path in it, and those beside it. */
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

/** A tracked file is never ignored, whatever the rules say. */
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

function keepFiles(
  changes: readonly LayerChange[],
  { git, tracked, tops }: { git: CheckoutGit; tracked: IndexEntries; tops: Tops },
): KeptFiles {
  const filtered = git.filtered(changes.map(({ path }) => path));
  const omitted = new Map<BytePath, string>();
  for (const change of changes) {
    const why = findObstacle(change, filtered);
    if (why !== undefined) omitted.set(change.path, why);
  }
  const side = (which: 'before' | 'after') => ({
    top: toText(tops[which]),
    paths: changes
      .filter((change) => !omitted.has(change.path) && change[which].kind !== 'absent')
      .map(({ path }) => path),
  });
  const store = git.openStore();
  try {
    const trees = store.keep({ before: side('before'), after: side('after') }, tracked);
    const listed = listDifferences(store.git, trees);
    return { store, trees, listed, paths: new Set(listed.flatMap(keysOf)), omitted };
  } catch (error) {
    store.close();
    throw error;
  }
}

function findObstacle(
  { path, before, after }: LayerChange,
  filtered: ReadonlySet<BytePath>,
): string | undefined {
  if (hasDotGit(path)) return 'git does not take files of another repository';
  if (before.kind === 'special' || after.kind === 'special') return 'it is neither a file nor a link';
  if ([before, after].some((state) => state.kind === 'file' && state.bytes > MOST_FILE_BYTES))
    return 'it is larger than 100 MiB';
  if (filtered.has(path)) return 'git keeps it through a filter (such as LFS), which is not run';
  const isLink = before.kind === 'link' || after.kind === 'link';
  return isLink && /(^|\/)\.gitmodules$/i.test(path) ? 'git does not take a link of this name' : undefined;
}

/** A change git was not asked about. */
function plainChange({ path, before, after }: LayerChange): ChangedPath {
  const rest = { path: toText(path), lines: { kind: 'unknown' } } as const;
  if (after.kind === 'absent') return { status: 'deleted', ...rest };
  if (after.kind === 'link') return { status: 'symlink', ...rest };
  return { status: before.kind === 'absent' ? 'added' : 'modified', ...rest };
}

/** Taking another mode on the way to another name is a change of mode all the same. */
function judgeRenames(listed: readonly TreeChange[], found: readonly Violation[]): Violation[] {
  const known = new Set(found.map(({ path }) => path));
  return listed.flatMap(({ status, path, before, after }) => {
    const isRemoded = status === 'renamed' && before?.mode !== after?.mode && !known.has(path);
    if (!isRemoded || !after) return [];
    return [{ path, reason: 'it was renamed and made executable, or no longer so', change: after.path }];
  });
}

const byPath = (a: ChangedPath, b: ChangedPath): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
