import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  foldersAbove,
  fromText,
  joinBytes,
  toBytes,
  toText,
  type BytePath,
  pathFrom,
} from '../../git/paths.js';
import { nestedGitFiles, withoutCredentials } from '../../git/repository.js';
import type { FileState, LayerChange, LayerView, Violation } from '../../permissions/layer-change.js';
import type { LayerSetup } from '../namespace/isolate.js';
import { entryAt, entryBelow, namesIn, readFully, withFile, writeChange } from './file-tree.js';

export interface LayerRequest {
  checkout: string;
  folder: string;
  plan: LayerPlan;
  access: 'read' | 'write';
  /** Files that an earlier run wrote, by their path from the top. Programs find them, and they count as written here. */
  carried?: ReadonlyMap<BytePath, Buffer> | undefined;
}

/**
 * What programs work on: a version of the checkout, without the files that are absent from it and with the files that are
 * planted in it. Everything that is written stays in the layer. The checkout itself does not change.
 */
export interface Layer {
  seen: string;
  /** The folder that contains every written file, by its path from the top. */
  written: BytePath;
  /**
   * For the isolation: the folder that receives what one of several programs writes, and how the layer is arranged.
   * Undefined if the layer is used without isolation.
   */
  mountFor(seat: number): LayerMount | undefined;
  /** Discards what was written, so that the next program starts from the checkout. */
  renew(): void;
  changes(): LayerChange[];
  /** Changes of files that programs must not touch: the planted ones, and git's own. */
  tampering(): Violation[];
  /** The layer as it was left. Call `changes` first. Paths start at the top. */
  view: LayerView;
  /** Records the layer and the checkout. Returns what finds the paths that were changed since. Isolation makes that impossible. */
  watch(): () => string[];
  close(): void;
}

export interface LayerMount {
  by: string;
  as: 'overlay' | 'copy';
  setup: LayerSetup;
  /** To be called once the isolation was set up: from then on the layer is arranged, and programs answer for it. */
  onReady(): void;
}

/** Where the files of a layer are, below its folder. */
export const currentLayer = (folder: string): string => join(folder, 'current');

/** How a layer differs from the checkout at the start. Paths start at the top of the checkout. */
export interface LayerPlan {
  absent: readonly BytePath[];
  /** What the layer has besides, whatever the checkout has in its place. */
  planted: ReadonlyMap<BytePath, Planted>;
  locked: readonly BytePath[];
}

/** The content of a file, or what a change leaves in the place of a file of the checkout. */
export type Planted = { content: Buffer } | SourcedChange;

interface PlanRequest {
  root: string;
  absent: readonly BytePath[];
  planted: ReadonlyMap<BytePath, Planted>;
  /** Whether programs must not change what is planted. */
  isLocked: boolean;
  /** Other repositories in the checkout, by their `.git`. Their credentials must not be seen either. */
  nestedGit: readonly string[];
}

/** Looks at the checkout once, before anything is started in the layer. */
export function planLayer({ root, absent, planted, isLocked, nestedGit }: PlanRequest): LayerPlan {
  const nested = nestedGit.map((entry) => nestedGitFiles(join(root, entry)));
  const pathOf = (absolute: string) => fromText(pathFrom(root, absolute));
  const configs = nested
    .flatMap((one) => one.configs)
    .map((path) => {
      const content = Buffer.from(withoutCredentials(readFileSync(path, 'utf8')));
      return [pathOf(path), { content }] as const;
    });
  const all = new Map<BytePath, Planted>([...configs, ...planted]);
  const inTheWay = [...all.keys()].flatMap((path) => obstacles(fromText(root), path));
  const credentials = nested.flatMap((one) => one.credentials).map(pathOf);
  return {
    absent: [...new Set([...absent, ...credentials, ...inTheWay])],
    planted: all,
    // A checkout can have any number of other repositories, at any depth. Their files are only compared afterwards.
    locked: isLocked ? [...planted.keys()] : [],
  };
}

/** What has to be removed to plant a file: whatever is at its path or where a folder of it should be, such as a link. */
function obstacles(root: BytePath, path: BytePath): BytePath[] {
  for (const folder of foldersAbove(path).reverse()) {
    const { kind } = entryAt(joinBytes(root, folder));
    if (kind === 'absent') return [];
    if (kind !== 'folder') return [folder];
  }
  return entryAt(joinBytes(root, path)).kind === 'absent' ? [] : [path];
}

/** A change, by its path from the top of the checkout, and where the file is that it leaves. */
export interface SourcedChange {
  path: BytePath;
  after: FileState;
  source: BytePath;
}

/** The plan for the checkout with these changes, and nothing else that is different but what must not be seen. */
export function planChanges(
  { root, absent, nestedGit }: Pick<PlanRequest, 'root' | 'absent' | 'nestedGit'>,
  changes: readonly SourcedChange[],
): LayerPlan {
  const removed = changes.filter(({ after }) => after.kind === 'absent').map(({ path }) => path);
  const written = changes.filter(({ after }) => after.kind === 'file' || after.kind === 'link');
  return planLayer({
    root,
    nestedGit,
    isLocked: false,
    absent: [...absent, ...removed, ...emptiedFolders(fromText(root), removed, written)],
    planted: new Map(written.map((change) => [change.path, change])),
  });
}

/** Folders of which nothing is left. Git does not keep them, so applying the changes removes them, too. */
function emptiedFolders(
  root: BytePath,
  removed: readonly BytePath[],
  written: readonly SourcedChange[],
): BytePath[] {
  const gone = new Set(removed);
  const needed = new Set(written.flatMap(({ path }) => foldersAbove(path)));
  const isEmpty = (folder: BytePath) =>
    namesIn(joinBytes(root, folder)).every((name) => gone.has(joinBytes(folder, name)));
  const folders = [...new Set(removed.flatMap(foldersAbove))].sort((a, b) => b.length - a.length);
  return folders.filter((folder) => {
    if (needed.has(folder) || entryBelow(root, folder).kind !== 'folder' || !isEmpty(folder)) return false;
    gone.add(folder);
    return true;
  });
}

export function plantedPaths(root: string, { absent, planted }: LayerPlan): BytePath[] {
  const gone = new Set(absent);
  const isThere = (path: BytePath) =>
    !isAtOrBelow(path, gone) && entryAt(joinBytes(fromText(root), path)).kind !== 'absent';
  const paths = new Set([...planted.keys()].flatMap((path) => [path, ...foldersAbove(path)]));
  return [...paths].filter((path) => !isThere(path));
}

const isAtOrBelow = (path: BytePath, places: ReadonlySet<BytePath>): boolean =>
  [path, ...foldersAbove(path)].some((at) => places.has(at));

/** Recognizes what the action arranged itself, which is not a change of the agent. */
export function isArranged({ absent, planted }: LayerPlan): (change: LayerChange) => boolean {
  const gone = new Set(absent);
  return ({ path, after }) => planted.has(path) || (after.kind === 'absent' && isAtOrBelow(path, gone));
}

export function plantFiles(
  { checkout, plan }: Pick<LayerRequest, 'checkout' | 'plan'>,
  folder: BytePath,
): void {
  for (const [path, file] of plan.planted) {
    const target = joinBytes(folder, path);
    const [above] = foldersAbove(target);
    mkdirSync(toBytes(above ?? folder), { recursive: true });
    if ('content' in file) writeFileSync(toBytes(target), file.content);
    else writeChange(file, { file: target, replaced: joinBytes(fromText(checkout), path) });
  }
}

/** Writes the carried files below the folder that contains what was written. None is in the place of a folder or a link. */
export function carryFiles(
  { checkout, carried = new Map() }: Pick<LayerRequest, 'checkout' | 'carried'>,
  written: BytePath,
): void {
  const top = fromText(checkout);
  for (const [path, content] of carried) {
    const former = entryAt(joinBytes(top, path));
    const folders = foldersAbove(path).map((folder) => entryAt(joinBytes(top, folder)).kind);
    const isFree = former.kind === 'file' || former.kind === 'absent';
    if (!isFree || folders.some((kind) => kind !== 'folder' && kind !== 'absent')) continue;
    const file = toBytes(joinBytes(written, path));
    mkdirSync(toBytes(joinBytes(written, foldersAbove(path)[0] ?? '')), { recursive: true });
    writeFileSync(file, content);
    if (former.kind === 'file') chmodSync(file, former.executable ? 0o755 : 0o644);
  }
}

/** Finds the planted files that were changed or removed. */
export function findTampering({ planted }: Pick<LayerPlan, 'planted'>, written: BytePath): Violation[] {
  return [...planted]
    .filter(([path, file]) => 'content' in file && !hasContent(joinBytes(written, path), file.content))
    .map(([path]) => ({
      path: toText(path),
      reason: 'the action put it there, and the agent changed or removed it',
    }));
}

function hasContent(path: BytePath, content: Buffer): boolean {
  const entry = entryAt(path);
  if (entry.kind !== 'file' || entry.bytes !== content.length) return false;
  const found = Buffer.alloc(content.length);
  return (
    withFile(path, 'force', (file) => readFully(file, found)) === content.length && found.equals(content)
  );
}

/** What the isolation does to the layer. `planted`: the folder with the planted files. */
export function setupOf({ checkout, plan, access }: LayerRequest, planted: string): LayerSetup {
  const { absent, locked } = plan;
  const paths = plantedPaths(checkout, plan);
  return {
    root: checkout,
    access,
    absent,
    locked,
    planted: { folder: planted, files: byFolder([...plan.planted.keys()]), paths },
  };
}

/** For a layer that is arranged already. */
export const withoutFiles = (setup: LayerSetup): LayerSetup => ({
  ...setup,
  absent: [],
  planted: { ...setup.planted, files: new Map(), paths: [] },
});

/** By the path of the folder that they are in. */
function byFolder(files: readonly BytePath[]): Map<BytePath, BytePath[]> {
  const folders = new Map<BytePath, BytePath[]>();
  for (const file of files) {
    const [folder = ''] = foldersAbove(file);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return folders;
}
