import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { ProcessSpec } from '../process.js';
import { foldersAbove, fromText, joinBytes, toText, type BytePath } from '../../git/paths.js';
import { nestedGitFiles, withoutCredentials } from '../../git/repository.js';
import type { Enclosure, LayerSetup } from '../namespace/isolate.js';
import { entryAt, readFully, withFile } from './file-tree.js';

/** What every kind of layer is made from. */
export interface LayerRequest {
  /** The top of the checkout. */
  checkout: string;
  /** A folder of the run, for the layer only. */
  folder: string;
  plan: LayerPlan;
  /** Whether the agent may write at all. */
  access: 'read' | 'write';
  /** The action's files in the layer. The agent reads them and must not change them. */
  locked: readonly string[];
}

/**
 * What the agent works on: a layer over the checkout. In the layer the agent reads the checkout without the files that
 * are set aside and with the files that are planted. Everything it writes stays in the layer. The checkout itself
 * does not change.
 */
export interface Workspace {
  /** Where the agent finds the top of the checkout. */
  seen: string;
  /** The folder that contains every file the agent has written, by its path from the top. */
  written: BytePath;
  /** Changes a command so that it works on the layer. */
  enter(spec: ProcessSpec): ProcessSpec;
  /** Discards what was written, so that another attempt starts from the checkout. */
  renew(): void;
  /** What differs from the checkout. */
  changes(): LayerChange[];
  /** Changes of files that the agent must not touch: the planted ones, and git's own. */
  tampering(): Violation[];
  /** The layer as the agent left it. Call `changes` first. Paths start at the top. */
  view: LayerView;
  /** Opens a throw-away version of the layer as it is now. */
  openScratch(): Scratch;
  /** Removes the layer. */
  close(): void;
}

/** The layer as the agent left it, for commands of which nothing is kept: what they write does not get into the layer. */
export interface Scratch {
  /** Where a command finds the top of the checkout. */
  seen: string;
  enter(spec: ProcessSpec): ProcessSpec;
  /** Paths that were changed outside of it meanwhile, in the layer or in the checkout. Isolation makes that impossible. */
  intrusions(): string[];
}

export interface LayerView {
  /** Absent for a path behind a link, because the caller follows links itself. */
  entryAt(path: BytePath): LayerEntry;
  /** The target of a link, as it is written in the link. */
  linkAt(path: BytePath): BytePath;
  namesIn(folder: BytePath): BytePath[];
}

/** What is at a path. A folder counts as absent, because git does not store folders. */
export type FileState =
  | { kind: 'absent' }
  /** `privileged`: it runs with the rights of its owner or group. */
  | { kind: 'file'; executable: boolean; privileged: boolean; bytes: number }
  | { kind: 'link' }
  /** A pipe, a socket or a device. */
  | { kind: 'special' };

/** What the file system has at a path. A whiteout is the overlay's record of a removed file. */
export type LayerEntry = FileState | { kind: 'folder' } | { kind: 'whiteout' };

/** One path that differs between the layer and the checkout. Paths start at the top of the checkout. */
export interface LayerChange {
  path: BytePath;
  before: FileState;
  after: FileState;
}

/** A change that is not allowed. The reason completes "<path>: …". */
export interface Violation {
  path: string;
  reason: string;
  /** The path of the change, if the violation is about one. */
  change?: BytePath;
  /** The change contains a secret that the run knows, so it is never applied. */
  isSecret?: true;
}

/** Where the current attempt's files are, below the folder of the layer. */
export const currentLayer = (folder: string): string => join(folder, 'current');

/** How the layer differs from the checkout before the agent starts. Paths start at the top of the checkout. */
interface LayerPlan {
  /** What the checkout has and the layer does not have. */
  absent: readonly string[];
  /** The content of files that are planted in the layer, whatever the checkout has in their place. */
  files: ReadonlyMap<string, Buffer>;
}

interface PlanRequest {
  root: string;
  /** What the agent must not see. */
  absent: readonly string[];
  /** What the agent must see. */
  files: Readonly<Record<string, string | Buffer>>;
  /** Other repositories in the checkout, by their `.git`. */
  nestedGit: readonly string[];
}

/** Looks at the checkout once, before the agent starts for the first time. */
export function planLayer({ root, absent, files, nestedGit }: PlanRequest): LayerPlan {
  const nested = nestedGit.map((entry) => nestedGitFiles(join(root, entry)));
  const pathOf = (absolute: string) => relative(root, absolute).split(sep).join('/');
  const planted = new Map<string, Buffer>();
  for (const path of nested.flatMap(({ configs }) => configs))
    planted.set(pathOf(path), Buffer.from(withoutCredentials(readFileSync(path, 'utf8'))));
  for (const [path, content] of Object.entries(files)) planted.set(path, Buffer.from(content));
  const inTheWay = [...planted.keys()].flatMap((path) => obstacles(root, path));
  const credentials = nested.flatMap((one) => one.credentials).map(pathOf);
  return { absent: [...new Set([...absent, ...credentials, ...inTheWay])], files: planted };
}

/** What has to be removed to plant a file: whatever is at its path or where a folder of it should be, such as a link. */
function obstacles(root: string, path: string): string[] {
  for (const folder of foldersAbove(path).reverse()) {
    const stat = lstatSync(join(root, folder), { throwIfNoEntry: false });
    if (!stat) return [];
    if (!stat.isDirectory()) return [folder];
  }
  return lstatSync(join(root, path), { throwIfNoEntry: false }) ? [path] : [];
}

/** Every folder and file that planting creates. */
export function plantedPaths(root: string, { absent, files }: LayerPlan): string[] {
  const gone = new Set(absent);
  const isThere = (path: string) =>
    !isAtOrBelow(path, gone) && lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
  const paths = new Set([...files.keys()].flatMap((path) => [path, ...foldersAbove(path)]));
  return [...paths].filter((path) => !isThere(path));
}

const isAtOrBelow = (path: string, places: ReadonlySet<string>): boolean =>
  [path, ...foldersAbove(path)].some((at) => places.has(at));

/** Tells apart what the action arranged itself, which is not a change of the agent. */
export function isArranged({ absent, files }: LayerPlan): (change: LayerChange) => boolean {
  const gone = new Set(absent);
  const planted = new Set([...files.keys()].map(fromText));
  return ({ path, after }) =>
    planted.has(path) || (after.kind === 'absent' && isAtOrBelow(toText(path), gone));
}

/** Writes the planted files below a folder. */
export function plantFiles({ files }: LayerPlan, folder: string): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Finds the planted files that were changed or removed. */
export function findTampering({ files }: LayerPlan, written: BytePath): Violation[] {
  return [...files]
    .filter(([path, content]) => !hasContent(joinBytes(written, fromText(path)), content))
    .map(([path]) => ({ path, reason: 'the action put it there, and the agent changed or removed it' }));
}

function hasContent(path: BytePath, content: Buffer): boolean {
  const entry = entryAt(path);
  if (entry.kind !== 'file' || entry.bytes !== content.length) return false;
  const found = Buffer.alloc(content.length);
  return (
    withFile(path, 'force', (file) => readFully(file, found)) === content.length && found.equals(content)
  );
}

/**
 * The same isolation for a command that is not the agent: nothing is planted or locked for it, and it writes to the
 * folder `by`. `over` is the overlay that it works on top of, if the layer is one.
 */
export function scratchEnclosure(
  { rules, layer, ...enclosure }: Enclosure & { layer: LayerSetup },
  place: { by: string; over?: string },
): Enclosure {
  return {
    ...enclosure,
    locked: undefined,
    rules: rules.map((rule) =>
      rule.kind === 'layered' && rule.path === layer.root ? { ...rule, ...place } : rule,
    ),
    layer: {
      ...layer,
      access: 'write',
      absent: [],
      planted: { folder: layer.planted.folder, paths: [] },
      locked: [],
    },
  };
}
