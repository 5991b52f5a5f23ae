import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where git keeps what belongs to a checkout; all of it exists, and all paths are real ones. */
export interface GitFolders {
  /** What the agent must not change: `.git`, whether folder or file, and the folders such a file leads to. */
  folders: { path: string; is: 'folder' | 'file' }[];
  configs: string[];
  /** Files that are there to hold credentials. */
  credentials: string[];
}

/** Those of the repository a folder belongs to, and of repositories around that one. */
export function findGitFolders(directory: string): GitFolders {
  const entries = entriesAbove(directory);
  const repositories = unique(entries.flatMap(repositoriesOf));
  const modules = repositories.flatMap((repository) => modulesIn(join(repository, 'modules')));
  const all = unique([...repositories, ...modules]);
  const places = unique([...entries, ...repositories].map(realOf).filter((path) => path !== ''));
  return {
    folders: places.map((path) => ({ path, is: statSync(path).isDirectory() ? 'folder' : 'file' })),
    configs: all.flatMap(configsIn),
    credentials: all.flatMap(credentialsIn),
  };
}

const credentialsIn = (repository: string): string[] =>
  namesIn(repository)
    .filter((name) => /credential/i.test(name))
    .map((name) => join(repository, name));

/**
 * What of another repository in the checkout has to be replaced in the layer: its configurations without their
 * credentials, and its files of credentials by nothing. `entry` is that repository's `.git`.
 */
export function nestedGitFiles(entry: string): { configs: string[]; credentials: string[] } {
  // What a file or link leads to lies in a repository that is looked at by itself, or outside of the checkout.
  if (!lstatSync(entry).isDirectory()) return { configs: [], credentials: [] };
  const all = [entry, ...modulesIn(join(entry, 'modules'))];
  return { configs: all.flatMap(configsIn), credentials: all.flatMap(credentialsIn) };
}

function entriesAbove(folder: string): string[] {
  const entry = join(folder, '.git');
  const here = exists(entry) ? [entry] : [];
  return dirname(folder) === folder ? here : [...here, ...entriesAbove(dirname(folder))];
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
