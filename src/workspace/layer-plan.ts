import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { withoutCredentials } from '../git/git-config.js';
import { nestedGitFiles } from '../git/git-folders.js';

/** How the layer differs from the checkout before the agent starts; paths start at the top of the checkout. */
export interface LayerPlan {
  /** What is in the checkout and not in the layer. */
  absent: readonly string[];
  /** What is in the layer with this content, whatever the checkout has in its place. */
  files: ReadonlyMap<string, Buffer>;
}

export interface PlanRequest {
  root: string;
  /** What must not be seen. */
  absent: readonly string[];
  /** What must be seen. */
  files: Readonly<Record<string, string | Buffer>>;
  /** Other repositories in the checkout, by their `.git`. */
  nestedGit: readonly string[];
}

/** Looks at the checkout once, before the agent is started for the first time. */
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

/** Nothing is ever planted through a link: what stands at the path, or where a folder of it should be, goes. */
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

/** Every folder and file that planting makes. */
export function plantedPaths(root: string, { absent, files }: LayerPlan): string[] {
  const gone = new Set(absent);
  const paths = new Set<string>();
  for (const path of files.keys()) {
    for (let at = path; at !== '.'; at = dirname(at)) {
      const isThere = !isGone(at, gone) && lstatSync(join(root, at), { throwIfNoEntry: false }) !== undefined;
      if (!isThere) paths.add(at);
    }
  }
  return [...paths];
}

function isGone(path: string, gone: ReadonlySet<string>): boolean {
  for (let at = path; at !== '.'; at = dirname(at)) if (gone.has(at)) return true;
  return false;
}

/** Whether a path is one that the layer does without. */
export const isSetAside = ({ absent }: LayerPlan): ((path: string) => boolean) => {
  const gone = new Set(absent);
  return (path) => isGone(path, gone);
};
