import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { attempt } from '../core/errors.js';
import { COMMIT_ID } from '../text/format.js';

/** The folder that a `.git` leads to, and the folder it shares with the other worktrees of its repository. */
interface GitFolder {
  gitFolder: string;
  commonFolder: string;
}

/**
 * Follows a `.git` as git does. It is a folder, or a file that names one (worktrees and submodules), and that folder
 * can share its configuration and objects with another. Undefined if a file names no folder. The folders need not
 * exist.
 */
export function followDotGit(
  dotGit: string,
  read: (path: string) => string | undefined = readFile,
): GitFolder | undefined {
  const text = read(dotGit);
  const named = text === undefined ? dotGit : /^gitdir: (.+?)[\r\n]*$/s.exec(text)?.[1];
  if (named === undefined) return undefined;
  const gitFolder = resolve(dirname(dotGit), named);
  const common = read(join(gitFolder, 'commondir'))?.trim();
  return { gitFolder, commonFolder: common === undefined ? gitFolder : resolve(gitFolder, common) };
}

/** A repository with a work tree. Every path is absolute and has no links in it. */
export interface Repository extends GitFolder {
  root: string;
  /** The folder that the search started from: the top, or a folder below it. */
  directory: string;
}

/** Searches upwards, as git does, but reads no configuration. */
export function findRepository(directory: string): Repository | undefined {
  const start = realpathSync(directory);
  for (let root = start; ; root = dirname(root)) {
    const found = followDotGit(join(root, '.git'));
    if (found && isRepository(found)) {
      const gitFolder = realpathSync(found.gitFolder);
      return { root, directory: start, gitFolder, commonFolder: realpathSync(found.commonFolder) };
    }
    if (dirname(root) === root) return undefined;
  }
}

/** The commit that is checked out; undefined if there is none yet, or if the repository stores its refs in another way. */
export function readHead({ gitFolder, commonFolder }: GitFolder): string | undefined {
  let name = 'HEAD';
  for (let steps = 0; steps < MAX_REF_STEPS; steps += 1) {
    const text = (readRef(gitFolder, commonFolder, name) ?? '').trim();
    if (COMMIT_ID.test(text)) return text;
    const next = /^ref: (refs\/[^\s\\]+)$/.exec(text)?.[1];
    if (next === undefined || next.split('/').includes('..')) return undefined;
    name = next;
  }
  return undefined;
}

/** A ref can name another ref. Git follows five. */
const MAX_REF_STEPS = 5;

function readRef(gitFolder: string, commonFolder: string, name: string): string | undefined {
  const loose = readFile(join(gitFolder, name)) ?? readFile(join(commonFolder, name));
  if (loose !== undefined) return loose;
  const packed = readFile(join(commonFolder, 'packed-refs')) ?? '';
  return packed
    .split('\n')
    .find((line) => line.trimEnd().endsWith(` ${name}`))
    ?.split(' ')[0];
}

/**
 * What git needs to read the commits of a repository: the length of an id shows how it names its objects, and a shallow
 * clone has a file that lists the commits at which its history is cut off.
 */
export const historyOf = ({ commonFolder }: GitFolder, commit: string) => ({
  format: commit.length === 64 ? ('sha256' as const) : ('sha1' as const),
  objects: join(commonFolder, 'objects'),
  shallow: join(commonFolder, 'shallow'),
});

const isRepository = ({ gitFolder, commonFolder }: GitFolder): boolean =>
  [join(gitFolder, 'HEAD'), join(commonFolder, 'objects'), join(commonFolder, 'refs')].every(
    (path) => realOf(path) !== undefined,
  );

/** Where git stores what belongs to a checkout. All of it exists, and no path has links in it. */
interface GitFolders extends FilesToClean {
  /** What the agent must not change: each `.git`, whether folder or file, and the folders that such a file leads to. */
  folders: { path: string; is: 'folder' | 'file' }[];
}

/** Files of repositories that can hold credentials. */
interface FilesToClean {
  configs: string[];
  /** Files whose purpose is to hold credentials. */
  credentials: string[];
}

/** Searches the repository that a folder belongs to, and the repositories around that one. */
export function findGitFolders(directory: string): GitFolders {
  const entries = dotGitsAbove(directory);
  const found = entries.flatMap((entry) => followDotGit(entry) ?? []);
  const repositories = realPaths(found.flatMap(({ gitFolder, commonFolder }) => [gitFolder, commonFolder]));
  const all = [...repositories, ...repositories.flatMap((folder) => submodulesIn(join(folder, 'modules')))];
  return {
    folders: realPaths([...entries, ...repositories]).map((path) => ({
      path,
      is: statSync(path).isDirectory() ? 'folder' : 'file',
    })),
    ...filesToClean([...new Set(all)]),
  };
}

/**
 * The files to replace in the layer for another repository in the checkout: its configurations, by copies without
 * credentials, and its credential files, by nothing. `dotGit` is that repository's `.git`.
 */
export function nestedGitFiles(dotGit: string): FilesToClean {
  // A file or a link leads to a repository that is handled on its own, or that is outside of the checkout.
  if (!lstatSync(dotGit).isDirectory()) return { configs: [], credentials: [] };
  return filesToClean([dotGit, ...submodulesIn(join(dotGit, 'modules'))]);
}

function dotGitsAbove(folder: string): string[] {
  const dotGit = join(folder, '.git');
  const here = lstatSync(dotGit, { throwIfNoEntry: false }) ? [dotGit] : [];
  return dirname(folder) === folder ? here : [...here, ...dotGitsAbove(dirname(folder))];
}

/** Submodules are stored by name. A name can contain slashes, and a submodule can have submodules of its own. */
function submodulesIn(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const path = join(folder, name);
      const isSubmodule = lstatSync(join(path, 'HEAD'), { throwIfNoEntry: false }) !== undefined;
      return isSubmodule ? [path, ...submodulesIn(join(path, 'modules'))] : submodulesIn(path);
    });
}

const filesToClean = (repositories: readonly string[]): FilesToClean => ({
  configs: repositories.flatMap(configsIn),
  credentials: repositories.flatMap((repository) =>
    entriesIn(repository)
      .filter(({ name }) => /credential/i.test(name))
      .map(({ name }) => join(repository, name)),
  ),
});

function configsIn(repository: string): string[] {
  const worktrees = entriesIn(join(repository, 'worktrees'))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(repository, 'worktrees', name));
  return [
    join(repository, 'config'),
    ...[repository, ...worktrees].map((folder) => join(folder, 'config.worktree')),
  ].filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

const realPaths = (paths: readonly string[]): string[] => [
  ...new Set(paths.flatMap((path) => realOf(path) ?? [])),
];

const realOf = (path: string): string | undefined => attempt(() => realpathSync(path));

function readFile(path: string): string | undefined {
  return attempt(() => (statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined));
}

const entriesIn = (folder: string) => attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];

/** Copies a file of a repository if the repository has it. A link is not followed. */
export function copyIfPresent(from: string, to: string): void {
  if (lstatSync(from, { throwIfNoEntry: false })?.isFile() !== true) return;
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** Copies rules that a repository keeps outside of its files into another repository folder. */
export const copyRules = (
  { commonFolder }: GitFolder,
  target: string,
  rules: 'exclude' | 'attributes',
): void => {
  copyIfPresent(join(commonFolder, 'info', rules), join(target, 'info', rules));
};

/** The settings git needs to read a repository, by section. None of them can carry a credential. */
const HARMLESS_SETTINGS: Readonly<Record<string, readonly string[]>> = {
  core: [
    ...['repositoryformatversion', 'filemode', 'bare', 'logallrefupdates', 'ignorecase', 'precomposeunicode'],
    ...['symlinks', 'worktree', 'autocrlf', 'eol', 'quotepath', 'sparsecheckout', 'sparsecheckoutcone'],
  ],
  extensions: ['objectformat', 'partialclone', 'refstorage', 'worktreeconfig', 'compatobjectformat'],
  remote: ['url', 'fetch', 'tagopt', 'promisor', 'partialclonefilter'],
  branch: ['remote', 'merge'],
  submodule: ['url', 'active'],
};

const SECTION = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*$/;
const SETTING = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/;

/**
 * A git configuration without its credentials. Only settings known to be harmless are copied. Headers, credential
 * helpers, rewritten addresses and everything written in an unusual way are left out.
 */
export function withoutCredentials(config: string): string {
  const kept: string[] = [];
  let harmless: readonly string[] = [];
  // A backslash continues a setting on the next line. Such a setting is left out.
  for (const line of config.replace(/\\\r?\n/g, '\\').split(/\r?\n/)) {
    const section = SECTION.exec(line);
    if (section) {
      const [, name = '', subsection = ''] = section;
      harmless = subsection.includes('://') ? [] : harmlessIn(name.toLowerCase());
      if (harmless.length > 0) kept.push(line.trim());
    } else if (line.trimStart().startsWith('[')) {
      harmless = [];
    } else {
      const [, name = '', value = ''] = SETTING.exec(line) ?? [];
      if (harmless.includes(name.toLowerCase()) && !value.includes('\\')) {
        kept.push(`\t${name} = ${withoutUser(value)}`);
      }
    }
  }
  return kept.map((line) => `${line}\n`).join('');
}

const harmlessIn = (section: string): readonly string[] =>
  Object.hasOwn(HARMLESS_SETTINGS, section) ? (HARMLESS_SETTINGS[section] ?? []) : [];

/** Removes the user, the password and the query from an address, because each can be a token. */
const withoutUser = (value: string): string =>
  value.replace(/([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/\s]*@/g, '$1').replace(/(:\/\/[^?\s]*)\?.*$/, '$1');
