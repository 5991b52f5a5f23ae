import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../core/errors.js';
import { foldersAbove, fromText, isText, joinBytes, toBytes, toText, type BytePath } from './paths.js';
import {
  filtersOf,
  LIST_INDEX,
  mattersFor,
  openFileStore,
  parseIndexEntries,
  zeroTerminated,
  type FileStore,
  type FileStoreRequest,
  type IndexEntries,
} from './file-store.js';
import { openPrivateGit, type LineEndings, type ObjectFormat, type PrivateGit } from './private-git.js';
import { copyIfPresent, copyRules, type Repository } from './repository.js';

/**
 * Answers questions about the checkout's repository. Git never uses the repository's configuration, hooks, filters or
 * drivers for an answer. All answers are about the checkout, which does not change.
 */
export interface CheckoutGit {
  repository: Repository;
  /** The index entries of these paths, of all submodules, and of all attribute files. */
  tracked(paths: readonly BytePath[]): IndexEntries;
  indexEntries(index?: string): IndexEntries;
  ignored(paths: readonly BytePath[]): Set<BytePath>;
  /** The existing paths that the rules ignore. A folder stands for everything in it. */
  ignoredPaths(): Set<BytePath>;
  /** Those of these paths that git stores through a filter, such as LFS, with its name. */
  filters(paths: readonly BytePath[]): Map<BytePath, string>;
  /** Opens a store for files in the form in which the repository would store them. */
  openStore(): FileStore;
}

export interface CheckoutGitRequest {
  repository: Repository;
  /** A trusted git, by absolute path. */
  program: string;
  scratch: string;
}

export function openCheckoutGit({ repository, program, scratch }: CheckoutGitRequest): CheckoutGit {
  const { root, gitFolder, commonFolder } = repository;
  const settings = readSettings({ program, scratch, repository });
  const common = { program, scratch, ...settings, objects: join(commonFolder, 'objects') };
  const withIndex = <T>(use: (git: PrivateGit) => T, index = join(gitFolder, 'index')): T =>
    withGit(openPrivateGit({ ...common, workTree: root }), (git) => {
      copyIndex(index, git.folder);
      copyRules(repository, git.folder, 'exclude');
      return use(git);
    });
  return {
    repository,
    tracked: (paths) =>
      withIndex((git) => {
        const args = [...LIST_INDEX, ...pathspecs(root, paths)];
        return parseIndexEntries(git.call({ args }), mattersFor(new Set(paths)));
      }),
    indexEntries: (index) => withIndex((git) => parseIndexEntries(git.call({ args: LIST_INDEX })), index),
    ignored: (paths) => findIgnored(paths, { program, scratch, repository }),
    ignoredPaths: () =>
      withIndex((git) => {
        const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
        return new Set(splitPaths(git.call({ args })).map((path) => path.replace(/\/$/, '')));
      }),
    filters: (paths) => findFilters({ ...common, repository }, paths),
    openStore: () => openFileStore({ ...common, repository }),
  };
}

function withGit<T>(git: PrivateGit, use: (git: PrivateGit) => T): T {
  try {
    return use(git);
  } finally {
    git.close();
  }
}

/** Up to this many paths are named to git. If there are more, all entries are listed and filtered here. */
const MAX_PATHSPECS = 500;

/**
 * The pathspecs to list the index by for these paths. A submodule that was not checked out is an empty folder, and a
 * path below it belongs to the submodule, so empty folders above the paths are listed too. Submodules that were
 * checked out are known by their `.git`.
 */
function pathspecs(root: string, paths: readonly BytePath[]): string[] {
  const empty = [...new Set(paths.flatMap(foldersAbove))].filter((folder) => isEmptyFolder(root, folder));
  const wanted = [...paths, ...empty];
  if (wanted.length > MAX_PATHSPECS || !wanted.every(isText)) return [];
  return ['--', ...wanted.map((path) => `:(literal)${toText(path)}`), ':(glob)**/.gitattributes'];
}

const isEmptyFolder = (root: string, folder: BytePath): boolean =>
  attempt(() => readdirSync(toBytes(joinBytes(fromText(root), folder))))?.length === 0;

const splitPaths = (listing: Buffer): BytePath[] => listing.toString('latin1').split('\0').filter(Boolean);

interface RepositorySettings {
  format: ObjectFormat;
  fileMode: boolean;
  lineEndings: LineEndings;
  configured: ReadonlySet<string>;
}

function readSettings({ program, scratch, repository }: CheckoutGitRequest): RepositorySettings {
  const file = join(repository.commonFolder, 'config');
  const listing = withGit(openPrivateGit({ program, scratch, format: 'sha1' }), (git) =>
    existsSync(file) ? git.call({ args: ['config', '--file', file, '--list', '-z'] }).toString('utf8') : '',
  );
  const values = new Map(
    listing.split('\0').map((pair): [string, string] => {
      const cut = pair.indexOf('\n');
      return cut < 0 ? [pair, 'true'] : [pair.slice(0, cut), pair.slice(cut + 1)];
    }),
  );
  const valueOr = (name: string, valid: RegExp, otherwise: string) => {
    const value = values.get(name)?.toLowerCase() ?? '';
    return valid.test(value) ? value : otherwise;
  };
  // Git for Windows sets core.autocrlf in a file that is not read here.
  const autocrlf = process.platform === 'win32' ? 'true' : 'false';
  return {
    format: values.get('extensions.objectformat')?.toLowerCase() === 'sha256' ? 'sha256' : 'sha1',
    fileMode: values.get('core.filemode') !== 'false',
    lineEndings: {
      'core.autocrlf': valueOr('core.autocrlf', /^(true|input|false)$/, autocrlf),
      'core.eol': valueOr('core.eol', /^(lf|crlf)$/, 'native'),
    },
    configured: new Set(
      [...values.keys()].flatMap((key) => /^filter\.(.+)\.(?:clean|smudge|process)$/s.exec(key)?.[1] ?? []),
    ),
  };
}

/**
 * Git works on a copy, so the real index does not change. The copy gets the modification time of the original, in
 * full seconds: git does not trust entries that are as young as the index file, and would read those files. The other
 * half of a split index is in a file beside it.
 */
function copyIndex(source: string, target: string): void {
  const stat = statSync(source, { throwIfNoEntry: false });
  if (!stat?.isFile()) return;
  copyFileSync(source, join(target, 'index'));
  const second = Math.floor(stat.mtimeMs / 1000);
  utimesSync(join(target, 'index'), second, second);
  for (const name of sharedIndexesIn(dirname(source)))
    copyIfPresent(join(dirname(source), name), join(target, name));
}

/** The files that hold the other half of a split index. */
export const sharedIndexesIn = (gitFolder: string): string[] =>
  readdirSync(gitFolder).filter((name) => name.startsWith('sharedindex.'));

/**
 * The paths that the rules ignore: the `.gitignore` of every folder above them, and `info/exclude`. Git answers for a
 * folder that contains only the rules of the checkout, so the agent cannot hide a file by changing them.
 */
function findIgnored(
  paths: readonly BytePath[],
  { program, scratch, repository: { root, commonFolder } }: CheckoutGitRequest,
): Set<BytePath> {
  const files = readAbove(root, paths, '.gitignore');
  const exclude = readIfPresent(fromText(join(commonFolder, 'info', 'exclude')));
  if (paths.length === 0 || (files.size === 0 && exclude === undefined)) return new Set();
  mkdirSync(scratch, { recursive: true });
  const workTree = mkdtempSync(join(scratch, 'rules-'));
  try {
    return withGit(openPrivateGit({ program, scratch, format: 'sha1', workTree }), (git) => {
      for (const [path, content] of files) {
        const target = toBytes(joinBytes(fromText(workTree), path));
        mkdirSync(target.subarray(0, target.lastIndexOf('/')), { recursive: true });
        writeFileSync(target, content);
      }
      if (exclude) writeFileSync(join(git.folder, 'info', 'exclude'), exclude);
      // Without the dot, git would read a name that begins with a colon as a magic pattern.
      const input = zeroTerminated(paths.map((path) => `./${path}`));
      const args = ['check-ignore', '--no-index', '-z', '--stdin'];
      const ignored = splitPaths(git.call({ args, input, answers: [0, 1] }));
      return new Set(ignored.map((path) => path.slice('./'.length)));
    });
  } finally {
    rmSync(workTree, { recursive: true, force: true });
  }
}

/** Reads the files of this name in all folders above the paths. No link is followed. */
function readAbove(root: string, paths: readonly BytePath[], name: string): Map<BytePath, Buffer> {
  const top = fromText(root);
  const folders = new Set(['', ...paths.flatMap(foldersAbove)]);
  const isFolder = (path: BytePath): boolean =>
    lstatSync(toBytes(joinBytes(top, path)), { throwIfNoEntry: false })?.isDirectory() === true;
  // The outermost folder first, because looking below a file is an error.
  const isReal = (folder: BytePath): boolean =>
    folder === '' || [folder, ...foldersAbove(folder)].reverse().every(isFolder);
  const found = new Map<BytePath, Buffer>();
  for (const folder of folders) {
    const content = isReal(folder) ? readIfPresent(joinBytes(top, joinBytes(folder, name))) : undefined;
    if (content) found.set(joinBytes(folder, name), content);
  }
  return found;
}

const readIfPresent = (path: BytePath): Buffer | undefined =>
  attempt(() => (lstatSync(toBytes(path)).isFile() ? readFileSync(toBytes(path)) : undefined));

function findFilters(request: FileStoreRequest, paths: readonly BytePath[]): Map<BytePath, string> {
  const { root, commonFolder } = request.repository;
  const texts = [
    ...readAbove(root, paths, '.gitattributes').values(),
    readIfPresent(fromText(join(commonFolder, 'info', 'attributes'))) ?? Buffer.alloc(0),
  ];
  const namesFilter = texts.some((text) => /\bfilter\b/.test(text.toString('latin1')));
  if (paths.length === 0 || !namesFilter) return new Map();
  return withGit(openPrivateGit({ ...request, workTree: root, attributes: 'tree' }), (git) => {
    copyRules(request.repository, git.folder, 'attributes');
    return filtersOf(git, request.configured, { paths, from: 'work tree' });
  });
}
