import { existsSync, readFileSync, rmSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Policy } from '../agent/policy.js';
import { fromText, joinBytes, toBytes, toText, type BytePath } from '../git/byte-path.js';
import type { CheckoutGit, FileStore } from '../git/checkout-git.js';
import { isSubmodule, type IndexEntries } from '../git/index-entries.js';
import {
  listDifferences,
  treesOf,
  writeDifferences,
  type ChangeStatus,
  type Lines,
  type TreeChange,
  type TreeFile,
  type Trees,
} from '../git/tree-diff.js';
import type { LayerChange, Violation } from './changes.js';
import { entryAt } from './file-tree.js';
import { judgeChanges, MOST_FILE_BYTES } from './judge-changes.js';
import { isWithin } from './link-target.js';
import { isDotGit } from './path-fold.js';
import type { LayerView, Workspace } from './workspace.js';

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

/** Whether a part of a patch holds nothing that must not be shown. */
export type MayShow = (text: string) => boolean;

export interface PatchResult {
  file?: string;
  /** Changed files that are not in it, and why. */
  omitted: { path: string; reason: string }[];
}

/** Taken after the agent and everything it started have ended. Reads the layer, and of the checkout what it changed. */
export function inspectLayer(request: InspectionRequest): Inspection {
  const { workspace, checkout, directory, policy, git } = request;
  const root = git?.repository.root ?? checkout;
  const prefix = fromText(relative(checkout, root).split(sep).join('/'));
  const { inside, outside } = divide(workspace.changes(), prefix);
  const tampering = workspace.tampering();
  const tracked: IndexEntries =
    git && inside.length > 0 ? git.tracked(inside.map(({ path }) => path)) : new Map();
  const ignored = git ? git.ignored(untracked(inside, tracked)) : new Set<BytePath>();
  const candidates = inside.filter(({ path }) => !ignored.has(path));
  const tops = { before: fromText(root), after: joinBytes(workspace.written, prefix) };
  const kept = git && candidates.length > 0 ? keepFiles(candidates, { git, tracked, tops }) : undefined;
  // What git keeps just as before (with other line ends, say) is no change.
  const seen = candidates.filter(({ path }) => !kept || kept.paths.has(path) || kept.omitted.has(path));
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
    writePatch: (changes, file, mayShow) => writePatch(kept, { changes, file, mayShow, tops }),
    close: () => kept?.store.close(),
  };
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

/** Where the files of a change lie, as they were and as they are. */
type Tops = Record<'before' | 'after', BytePath>;

/** Both sides of each change, as the repository keeps files. */
interface KeptFiles {
  store: FileStore;
  trees: Trees;
  listed: TreeChange[];
  /** Every path that git lists: of a rename both. */
  paths: ReadonlySet<BytePath>;
  /** What could not be kept, and why. */
  omitted: ReadonlyMap<BytePath, string>;
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

const keysOf = ({ before, after }: TreeChange): BytePath[] =>
  [before, after].flatMap((file) => (file ? [file.path] : []));

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

interface PatchRequest {
  changes: readonly LayerChange[];
  file: string;
  mayShow: MayShow;
  tops: Tops;
}

/** A file whose part of the patch must not be shown is left out of it, and named: a patch is never quietly another. */
function writePatch(
  kept: KeptFiles | undefined,
  { changes, file, mayShow, tops }: PatchRequest,
): PatchResult {
  rmSync(file, { force: true });
  const named = (paths: Iterable<BytePath>, reason: string) =>
    [...paths].map((path) => ({ path: toText(path), reason }));
  const wanted = new Set(changes.map(({ path }) => path));
  if (!kept) return { omitted: named(wanted, 'there is no git to write a patch') };
  const first = patchOf(kept, wanted, file);
  const secret = new Set(first.filter(isSecret(readParts(file), { mayShow, tops })).flatMap(keysOf));
  if (secret.size > 0) patchOf(kept, new Set([...wanted].filter((path) => !secret.has(path))), file);
  return {
    ...(existsSync(file) ? { file } : {}),
    omitted: [
      ...[...kept.omitted].filter(([path]) => wanted.has(path)).flatMap(([path, why]) => named([path], why)),
      ...named(secret, 'it holds something that must not be shown'),
    ],
  };
}

/** Writes the patch of some paths, and gives what is in it. */
function patchOf(
  { store, trees, listed, paths }: KeptFiles,
  wanted: ReadonlySet<BytePath>,
  file: string,
): TreeChange[] {
  const isAll = [...paths].every((path) => wanted.has(path));
  const side = (which: 'before' | 'after') =>
    listed.flatMap((change) => change[which] ?? []).filter(({ path }) => wanted.has(path));
  const files = { before: side('before'), after: side('after') };
  rmSync(file, { force: true });
  if (files.before.length + files.after.length === 0) return [];
  const chosen = isAll ? trees : treesOf(store.git, files);
  writeDifferences(store.git, chosen, file);
  return isAll ? listed : listDifferences(store.git, chosen);
}

const readParts = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'latin1').split(/^(?=diff --git )/m) : [];

/** Git writes a part for each file, in the order in which it lists them. What it packs cannot be read there. */
function isSecret(parts: readonly string[], { mayShow, tops }: Pick<PatchRequest, 'mayShow' | 'tops'>) {
  const isShown = (text: string) => mayShow(text) && mayShow(Buffer.from(text, 'latin1').toString('utf8'));
  return ({ lines, before, after }: TreeChange, index: number): boolean => {
    const packed =
      lines.kind === 'binary' ? [contentAt(tops.before, before), contentAt(tops.after, after)] : [];
    return ![parts[index] ?? '', ...packed].every(isShown);
  };
}

const contentAt = (top: BytePath, file: TreeFile | undefined): string => {
  const path = file && joinBytes(top, file.path);
  return path !== undefined && entryAt(path).kind === 'file' ? readFileSync(toBytes(path), 'latin1') : '';
};

const byPath = (a: ChangedPath, b: ChangedPath): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
