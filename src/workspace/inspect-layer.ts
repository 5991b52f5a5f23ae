import { rmSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Policy } from '../agent/policy.js';
import { fromText, joinBytes, toBytes, toText, type BytePath } from '../git/byte-path.js';
import type { CheckoutGit, FileStore } from '../git/checkout-git.js';
import { isSubmodule, type IndexEntries } from '../git/index-entries.js';
import {
  diffTrees,
  type ChangeStatus,
  type Lines,
  type TreeChange,
  type TreePair,
} from '../git/tree-diff.js';
import type { FileState, LayerChange, Violation } from './changes.js';
import { openUp } from './file-tree.js';
import { judgeChanges, MOST_FILE_BYTES } from './judge-changes.js';
import { isWithin } from './link-target.js';
import { isDotGit } from './path-fold.js';
import type { LayerView, Workspace } from './workspace.js';
import { writePatch, type MayShow, type PatchResult } from './write-patch.js';

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
  const { workspace, checkout, git } = request;
  const root = git?.repository.root ?? checkout;
  const prefix = fromText(relative(checkout, root).split(sep).join('/'));
  const top = joinBytes(workspace.written, prefix);
  const all = workspace.changes();
  const tampering = workspace.tampering();
  const outside = all.filter(({ path }) => !isWithin(path, prefix) && prefix !== '');
  const inside = all.filter((change) => !outside.includes(change)).map((change) => below(prefix, change));
  for (const { path, after } of inside) makeReadable(joinBytes(top, path), after);
  const tracked: IndexEntries = git && inside.length > 0 ? git.tracked() : new Map();
  const ignored = git ? git.ignored(untracked(inside, tracked)) : new Set<BytePath>();
  const candidates = inside.filter(({ path }) => !ignored.has(path));
  const keeper =
    git && candidates.length > 0 ? keepFiles(candidates, { git, tracked, request, prefix }) : undefined;
  // What git keeps just as before (other line ends, say) is no change, unless it came with more rights.
  const seen = candidates.filter(
    ({ path, after }) =>
      !keeper ||
      keeper.byPath.has(path) ||
      keeper.omitted.has(path) ||
      (after.kind === 'file' && after.privileged),
  );
  const nested = nestedFolders(request, prefix, tracked);
  const judged = judgeChanges(seen, {
    policy: request.policy,
    root,
    directory: request.directory,
    nested,
    view: viewBelow(prefix, workspace.view),
  });
  const listed = keeper ? diffTrees(keeper.store.git, keeper.pairs) : [];
  const violations: Violation[] = [
    ...tampering,
    ...outside.map(({ path }) => ({ path: toText(path), reason: 'it is outside of the repository' })),
    ...judged,
    ...judgeRenames(listed, judged),
  ];
  const refused = new Set(violations.flatMap(({ change }) => change ?? []));
  return {
    changes: [...listed, ...seen.filter((change) => !keeper?.byPath.has(change.path)).map(plainChange)].sort(
      byPath,
    ),
    ignored: ignored.size,
    violations,
    allowed: seen.filter(({ path }) => !refused.has(path)),
    refused: seen.filter(({ path }) => refused.has(path)),
    root,
    writePatch: (changes, file, mayShow) =>
      writePatch(keeper && { ...keeper, git: keeper.store.git, tops: [top, fromText(root)] }, {
        changes,
        file,
        mayShow,
      }),
    close: () => keeper?.store.close(),
  };
}

/** For git: it would wait for a pipe that is called .gitattributes, and fail on a file that is closed. */
function makeReadable(path: BytePath, { kind }: FileState): void {
  if (kind === 'special') rmSync(toBytes(path), { force: true });
  else if (kind === 'file') openUp(path);
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

interface Keeper {
  store: FileStore;
  pairs: TreePair[];
  byPath: ReadonlyMap<BytePath, TreePair>;
  /** What could not be kept, and why. */
  omitted: ReadonlyMap<BytePath, string>;
}

/** Both sides of each change, as the repository keeps files. */
function keepFiles(
  changes: readonly LayerChange[],
  {
    git,
    tracked,
    request,
    prefix,
  }: { git: CheckoutGit; tracked: IndexEntries; request: InspectionRequest; prefix: BytePath },
): Keeper {
  const filtered = git.filtered(changes.map(({ path }) => path));
  const omitted = new Map<BytePath, string>();
  for (const change of changes) {
    const why = findObstacle(change, filtered);
    if (why !== undefined) omitted.set(change.path, why);
  }
  const kept = changes.filter(({ path }) => !omitted.has(path));
  const store = git.openStore();
  try {
    const there = (side: 'before' | 'after') =>
      kept.filter((one) => one[side].kind !== 'absent').map(({ path }) => path);
    const before = store.add(git.repository.root, there('before'), tracked);
    const after = store.add(toText(joinBytes(request.workspace.written, prefix)), there('after'), tracked);
    const pairs = kept
      .map(({ path }) => ({ path, before: before.get(path), after: after.get(path) }))
      .filter((pair) => pair.before?.id !== pair.after?.id || pair.before?.mode !== pair.after?.mode);
    return { store, pairs, byPath: new Map(pairs.map((pair) => [pair.path, pair])), omitted };
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
  return listed
    .filter(({ remoded, path }) => remoded && !known.has(path))
    .map(({ path, key }) => ({
      path,
      reason: 'it was renamed and made executable, or no longer so',
      change: key,
    }));
}

const byPath = (a: ChangedPath, b: ChangedPath): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
