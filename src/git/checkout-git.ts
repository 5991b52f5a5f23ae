import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { foldersAbove, fromText, isText, joinBytes, toBytes, toText, type BytePath } from './byte-path.js';
import { findIgnored } from './ignore-rules.js';
import { isSubmodule, mattersFor, parseIndexEntries, type IndexEntries } from './index-entries.js';
import { openPrivateGit, type BlobFormat, type PrivateGit } from './private-git.js';
import type { Repository } from './repository.js';
import { nameOfTree, type Trees } from './tree-diff.js';

/** What of the repository's configuration has to be known to read its files as git would. */
interface Settings {
  format: BlobFormat;
  fileMode: boolean;
  lineEnds: { 'core.autocrlf': string; 'core.eol': string };
}

/**
 * The checkout's repository, as far as git can be asked about it without being told anything by it: nothing of its
 * configuration, hooks, filters or drivers is ever used. Answers are about the checkout, which does not change.
 */
export interface CheckoutGit {
  repository: Repository;
  /** What the index lists of these paths, with its submodules and attributes. */
  tracked(paths: readonly BytePath[]): IndexEntries;
  /** Everything an index lists: the checkout's own, or another one that is named. */
  indexEntries(index?: string): IndexEntries;
  /** Which of these paths the rules of the checkout ignore. */
  ignored(paths: readonly BytePath[]): Set<BytePath>;
  /** What the rules ignore of what is there; a folder stands for all that is in it. */
  ignoredPaths(): Set<BytePath>;
  /** Those of these paths that git keeps through a filter, such as LFS. */
  filtered(paths: readonly BytePath[]): Set<BytePath>;
  /** Opens a store in which files can be kept as the repository would keep them. */
  openStore(): FileStore;
}

/** Files as the repository would keep them: line ends, keywords and encodings as its attributes say. */
export interface FileStore {
  /** A git on these files, for which every one is plain. */
  git: PrivateGit;
  /** Keeps files as they were and as they are. */
  keep(sides: Record<'before' | 'after', FileSide>, tracked: IndexEntries): Trees;
  close(): void;
}

/** Files by their path from a folder, which may hold nothing but these. */
export interface FileSide {
  top: string;
  paths: readonly BytePath[];
}

export interface CheckoutGitRequest {
  repository: Repository;
  /** A trusted git, by absolute path. */
  program: string;
  /** A private folder for what git needs for a moment. */
  parent: string;
}

export function openCheckoutGit({ repository, program, parent }: CheckoutGitRequest): CheckoutGit {
  const { root, commonFolder } = repository;
  const objects = join(commonFolder, 'objects');
  const settings = readSettings({ program, parent, repository });
  const common = { program, parent, ...settings, objects };
  const withIndex = <T>(use: (git: PrivateGit) => T, index = join(repository.gitFolder, 'index')): T => {
    const git = openPrivateGit({ ...common, workTree: root });
    try {
      copyIndex(index, git.folder);
      copyIfThere(join(commonFolder, 'info', 'exclude'), join(git.folder, 'info', 'exclude'));
      return use(git);
    } finally {
      git.close();
    }
  };
  return {
    repository,
    tracked: (paths) =>
      withIndex((git) => {
        const args = [...LIST_INDEX.args, ...narrowed(root, paths)];
        return parseIndexEntries(git.call({ args }), mattersFor(new Set(paths)));
      }),
    indexEntries: (index) => withIndex((git) => parseIndexEntries(git.call(LIST_INDEX)), index),
    ignored: (paths) => findIgnored(paths, readIgnoreRules(repository, paths), { program, parent }),
    ignoredPaths: () =>
      withIndex((git) => {
        const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
        return new Set(splitPaths(git.call({ args })).map((path) => path.replace(/\/$/, '')));
      }),
    filtered: (paths) => findFiltered({ ...common, repository }, paths),
    openStore: () => openFileStore({ ...common, repository }),
  };
}

const LIST_INDEX = { args: ['ls-files', '--stage', '-v', '-z'] };

/** So many paths are looked for one by one; for more of them, all entries are listed and read through. */
const MOST_LOOKED_FOR = 500;

/**
 * What to list of the index for some paths. A submodule that was not checked out is an empty folder: one that is above
 * a path is looked for too, because that path would belong to it. Others are known by their `.git`.
 */
function narrowed(root: string, paths: readonly BytePath[]): string[] {
  const empty = [...new Set(paths.flatMap(foldersAbove))].filter((folder) => isEmptyFolder(root, folder));
  const wanted = [...paths, ...empty];
  if (wanted.length > MOST_LOOKED_FOR || !wanted.every(isText)) return [];
  return ['--', ...wanted.map((path) => `:(literal)${toText(path)}`), ':(glob)**/.gitattributes'];
}

function isEmptyFolder(root: string, folder: BytePath): boolean {
  try {
    return readdirSync(toBytes(joinBytes(fromText(root), folder))).length === 0;
  } catch {
    return false;
  }
}

const splitPaths = (listing: Buffer): BytePath[] => listing.toString('latin1').split('\0').filter(Boolean);

function readSettings({ program, parent, repository }: CheckoutGitRequest): Settings {
  const git = openPrivateGit({ program, parent, format: 'sha1' });
  try {
    const file = join(repository.commonFolder, 'config');
    const listing = existsSync(file) ? git.call({ args: ['config', '--file', file, '--list', '-z'] }) : '';
    const values = new Map(
      listing
        .toString('utf8')
        .split('\0')
        .map((pair): [string, string] => {
          const cut = pair.indexOf('\n');
          return cut < 0 ? [pair, 'true'] : [pair.slice(0, cut), pair.slice(cut + 1)];
        }),
    );
    const known = (name: string, pattern: RegExp, other: string) => {
      const value = values.get(name)?.toLowerCase() ?? '';
      return pattern.test(value) ? value : other;
    };
    return {
      format: values.get('extensions.objectformat')?.toLowerCase() === 'sha256' ? 'sha256' : 'sha1',
      fileMode: values.get('core.filemode') !== 'false',
      lineEnds: {
        // Git for Windows comes with this setting, in a file that is not read here.
        'core.autocrlf': known(
          'core.autocrlf',
          /^(true|input|false)$/,
          process.platform === 'win32' ? 'true' : 'false',
        ),
        'core.eol': known('core.eol', /^(lf|crlf)$/, 'native'),
      },
    };
  } finally {
    git.close();
  }
}

/**
 * A copy keeps the real index untouched. Its time is set to the full second of the original's, because git takes
 * entries as young as the index file itself for uncertain and looks into those files. A split index has its other half
 * beside it.
 */
function copyIndex(source: string, target: string): void {
  const stat = statSync(source, { throwIfNoEntry: false });
  if (!stat?.isFile()) return;
  copyFileSync(source, join(target, 'index'));
  const second = Math.floor(stat.mtimeMs / 1000);
  utimesSync(join(target, 'index'), second, second);
  for (const name of readdirSync(dirname(source)).filter((one) => one.startsWith('sharedindex.')))
    copyIfThere(join(dirname(source), name), join(target, name));
}

/** Copies one of a repository's own files, if it has it. */
export function copyIfThere(from: string, to: string): void {
  if (lstatSync(from, { throwIfNoEntry: false })?.isFile() !== true) return;
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** The `.gitignore` of every folder above these paths, and the repository's own rules. */
function readIgnoreRules({ root, commonFolder }: Repository, paths: readonly BytePath[]) {
  return {
    files: readAbove(root, paths, '.gitignore'),
    exclude: readIfThere(fromText(join(commonFolder, 'info', 'exclude'))),
  };
}

/** Files of a name in the folders above some paths; nothing is read through a link. */
function readAbove(root: string, paths: readonly BytePath[], name: string): Map<BytePath, Buffer> {
  const top = fromText(root);
  const folders = new Set(['', ...paths.flatMap(foldersAbove)]);
  const isFolder = (path: BytePath): boolean =>
    lstatSync(toBytes(joinBytes(top, path)), { throwIfNoEntry: false })?.isDirectory() === true;
  // From the outermost on: nobody can look below a file.
  const isReal = (folder: BytePath): boolean =>
    folder === '' || [folder, ...foldersAbove(folder)].reverse().every(isFolder);
  const found = new Map<BytePath, Buffer>();
  for (const folder of folders) {
    const content = isReal(folder) ? readIfThere(joinBytes(top, joinBytes(folder, name))) : undefined;
    if (content) found.set(joinBytes(folder, name), content);
  }
  return found;
}

function readIfThere(path: BytePath): Buffer | undefined {
  try {
    return lstatSync(toBytes(path)).isFile() ? readFileSync(toBytes(path)) : undefined;
  } catch {
    return undefined;
  }
}

type StoreRequest = CheckoutGitRequest & Settings & { objects: string };

function findFiltered(request: StoreRequest, paths: readonly BytePath[]): Set<BytePath> {
  const { root, commonFolder } = request.repository;
  const own = join(commonFolder, 'info', 'attributes');
  const texts = [
    ...readAbove(root, paths, '.gitattributes').values(),
    readIfThere(fromText(own)) ?? Buffer.alloc(0),
  ];
  if (paths.length === 0 || !texts.some((text) => /\bfilter\b/.test(text.toString('latin1'))))
    return new Set();
  const git = openPrivateGit({ ...request, workTree: root, attributes: 'tree' });
  try {
    copyIfThere(own, join(git.folder, 'info', 'attributes'));
    const input = toBytes(paths.map((path) => `${path}\0`).join(''));
    const answer = git.call({ args: ['check-attr', '-z', '--stdin', 'filter'], input });
    const fields = answer.toString('latin1').split('\0');
    return new Set(
      fields.filter((_, at) => at % 3 === 0 && !/^un(set|specified)$/.test(fields[at + 2] ?? 'unset')),
    );
  } finally {
    git.close();
  }
}

/**
 * Git itself adds the files, so that they are kept as `git add` would keep them. Its index knows how each file is kept
 * now (a file that is kept with CRLF stays so), and the attributes of the checkout. Trees are compared by another git,
 * for which every file is plain.
 */
function openFileStore(request: StoreRequest): FileStore {
  const store = openPrivateGit({ ...request, attributes: 'tree' });
  const { program, parent, format } = request;
  const git = openPrivateGit({ program, parent, format, objects: join(store.folder, 'objects') });
  copyIfThere(
    join(request.repository.commonFolder, 'info', 'attributes'),
    join(store.folder, 'info', 'attributes'),
  );
  const call = (args: readonly string[], lines: readonly string[], workTree?: string) =>
    store.call({
      args: ['update-index', '-z', ...args],
      input: toBytes(lines.map((line) => `${line}\0`).join('')),
      ...(workTree === undefined ? {} : { workTree }),
    });
  return {
    git,
    keep({ before, after }, tracked) {
      rmSync(store.index, { force: true });
      call(['--index-info'], knownEntries(new Set([...before.paths, ...after.paths]), tracked));
      call(['--add', '--stdin'], before.paths, before.top);
      const tree = nameOfTree(store);
      const stays = new Set(after.paths);
      const gone = before.paths.filter((path) => !stays.has(path));
      if (gone.length > 0)
        call(
          ['--index-info'],
          gone.map((path) => `0 ${'0'.repeat(format === 'sha256' ? 64 : 40)}\t${path}`),
        );
      call(['--add', '--stdin'], after.paths, after.top);
      return { before: tree, after: nameOfTree(store) };
    },
    close() {
      git.close();
      store.close();
    },
  };
}

/** What the index says of these files, and of attributes: it is asked for those that the folder does not have. */
function knownEntries(paths: ReadonlySet<BytePath>, tracked: IndexEntries): string[] {
  const known: string[] = [];
  for (const [path, entry] of tracked) {
    const isUseful = paths.has(path) || path.endsWith('.gitattributes');
    if (isUseful && !entry.conflict && !isSubmodule(entry)) known.push(`${entry.mode} ${entry.id}\t${path}`);
  }
  return known;
}
