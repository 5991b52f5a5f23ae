import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A repository with a work tree; every path absolute and real. */
export interface Repository {
  /** The top of the work tree. */
  root: string;
  /** The folder that was asked about, the top or below it. */
  directory: string;
  /** What `.git` is or points to. */
  gitFolder: string;
  /** The folder shared by all work trees; the same as gitFolder in an ordinary clone. */
  commonFolder: string;
}

/** Found as git finds it, by looking upwards, but without reading any configuration. */
export function findRepository(directory: string): Repository | undefined {
  const start = realpathSync(directory);
  for (let root = start; ; root = dirname(root)) {
    const gitFolder = gitFolderOf(join(root, '.git'));
    if (gitFolder !== undefined) {
      return { root, directory: start, gitFolder, commonFolder: commonFolderOf(gitFolder) };
    }
    if (dirname(root) === root) return undefined;
  }
}

function gitFolderOf(dotGit: string): string | undefined {
  try {
    if (statSync(dotGit).isDirectory()) return isGitFolder(dotGit) ? realpathSync(dotGit) : undefined;
    const target = /^gitdir: (.+?)\r?\n*$/s.exec(readFileSync(dotGit, 'utf8'))?.[1];
    if (target === undefined) return undefined;
    const folder = resolve(dirname(dotGit), target);
    return isGitFolder(folder) ? realpathSync(folder) : undefined;
  } catch {
    return undefined;
  }
}

function isGitFolder(folder: string): boolean {
  const common = commonFolderOf(folder);
  return exists(join(folder, 'HEAD')) && exists(join(common, 'objects')) && exists(join(common, 'refs'));
}

function commonFolderOf(gitFolder: string): string {
  const file = join(gitFolder, 'commondir');
  if (!exists(file)) return gitFolder;
  return realpathSync(resolve(gitFolder, readFileSync(file, 'utf8').trim()));
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
