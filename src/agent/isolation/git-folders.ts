import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { worktreeOf } from './git-config.js';

/** Where git keeps what belongs to a checkout; all of it exists, and all paths are real ones. */
export interface GitFolders {
  /** What the agent must not change: `.git`, whether folder or file, and the folders such a file leads to. */
  folders: { path: string; is: 'folder' | 'file' }[];
  configs: string[];
  /** Files that are there to hold credentials. */
  credentials: string[];
}

/** Repositories below the checkout are looked for so far; what lies deeper is for the check afterwards. */
const MOST_FOLDERS = 2000;
const NOT_ENTERED = ['.git', 'node_modules'];

export function findGitFolders(workspace: string): GitFolders {
  const entries = [...entriesAbove(workspace), ...entriesBelow(workspace)];
  const repositories = unique(entries.flatMap(repositoriesOf));
  const modules = repositories.flatMap((repository) => modulesIn(join(repository, 'modules')));
  const submodules = modules.flatMap((module) => {
    const worktree = worktreeOf(readText(join(module, 'config')) ?? '');
    return worktree === undefined ? [] : [join(resolve(module, worktree), '.git')];
  });
  const all = unique([...repositories, ...modules]);
  const places = unique(
    [...entries, ...submodules, ...repositories].map(realOf).filter((path) => path !== ''),
  );
  return {
    folders: places.map((path) => ({ path, is: statSync(path).isDirectory() ? 'folder' : 'file' })),
    configs: all.flatMap(configsIn),
    credentials: all.flatMap((repository) =>
      namesIn(repository)
        .filter((name) => /credential/i.test(name))
        .map((name) => join(repository, name)),
    ),
  };
}

function entriesAbove(folder: string): string[] {
  const above = dirname(folder);
  if (above === folder) return [];
  const entry = join(above, '.git');
  return [...(exists(entry) ? [entry] : []), ...entriesAbove(above)];
}

function entriesBelow(workspace: string): string[] {
  const found: string[] = [];
  const waiting = [workspace];
  for (let looked = 0; looked < MOST_FOLDERS; looked += 1) {
    const folder = waiting.shift();
    if (folder === undefined) break;
    if (exists(join(folder, '.git'))) found.push(join(folder, '.git'));
    waiting.push(
      ...foldersIn(folder)
        .filter((name) => !NOT_ENTERED.includes(name))
        .map((name) => join(folder, name)),
    );
  }
  return found;
}

/** The folder behind a `.git`, and the one it shares with other worktrees. */
function repositoriesOf(entry: string): string[] {
  const repository = lstatSync(entry).isFile()
    ? realOf(resolve(dirname(entry), /^gitdir: (.*)$/m.exec(readText(entry) ?? '')?.[1] ?? 'nowhere'))
    : realOf(entry);
  if (repository === '') return [];
  const common = readText(join(repository, 'commondir'))?.trim();
  const shared = common === undefined ? '' : realOf(resolve(repository, common));
  return [repository, ...(shared === '' ? [] : [shared])];
}

/** Submodules are kept by their name, which may hold slashes, and may have submodules of their own. */
function modulesIn(folder: string): string[] {
  return foldersIn(folder).flatMap((name) => {
    const path = join(folder, name);
    return exists(join(path, 'HEAD')) ? [path, ...modulesIn(join(path, 'modules'))] : modulesIn(path);
  });
}

function configsIn(repository: string): string[] {
  const worktrees = foldersIn(join(repository, 'worktrees')).map((name) =>
    join(repository, 'worktrees', name),
  );
  return [
    join(repository, 'config'),
    ...[repository, ...worktrees].map((folder) => join(folder, 'config.worktree')),
  ].filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

const unique = (paths: readonly string[]): string[] => [...new Set(paths)];
const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return '';
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
