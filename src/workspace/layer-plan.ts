import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fromText, joinBytes, toText, type BytePath } from '../git/paths.js';
import { nestedGitFiles, withoutCredentials } from '../git/repository.js';
import { entryAt, readFully, withFile } from './file-tree.js';
import type { Violation } from './workspace.js';

/** How the layer differs from the checkout before the agent starts. Paths start at the top of the checkout. */
export interface LayerPlan {
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
  const configs = nested
    .flatMap(({ configs: paths }) => paths)
    .map((path): [string, Buffer] => [
      pathOf(path),
      Buffer.from(withoutCredentials(readFileSync(path, 'utf8'))),
    ]);
  const planted = new Map([
    ...configs,
    ...Object.entries(files).map(([path, content]): [string, Buffer] => [path, Buffer.from(content)]),
  ]);
  const inTheWay = [...planted.keys()].flatMap((path) => obstacles(root, path));
  const credentials = nested.flatMap((one) => one.credentials).map(pathOf);
  return { absent: [...new Set([...absent, ...credentials, ...inTheWay])], files: planted };
}

/** What has to be removed to plant a file: whatever is at its path or where a folder of it should be, such as a link. */
function obstacles(root: string, path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.unshift(folder);
  for (const folder of folders) {
    const stat = lstatSync(join(root, folder), { throwIfNoEntry: false });
    if (!stat) return [];
    if (!stat.isDirectory()) return [folder];
  }
  return lstatSync(join(root, path), { throwIfNoEntry: false }) ? [path] : [];
}

/** Every folder and file that planting creates. */
export function plantedPaths(root: string, { absent, files }: LayerPlan): string[] {
  const gone = new Set(absent);
  const paths = new Set<string>();
  for (const path of files.keys()) {
    for (let at = path; at !== '.'; at = dirname(at)) {
      const isThere =
        !isAtOrBelow(at, gone) && lstatSync(join(root, at), { throwIfNoEntry: false }) !== undefined;
      if (!isThere) paths.add(at);
    }
  }
  return [...paths];
}

function isAtOrBelow(path: string, places: ReadonlySet<string>): boolean {
  for (let at = path; at !== '.'; at = dirname(at)) if (places.has(at)) return true;
  return false;
}

/** Tells apart what the action arranged itself, which is not a change of the agent. */
export function isArranged({
  absent,
  files,
}: LayerPlan): (change: { path: BytePath; after: { kind: string } }) => boolean {
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
