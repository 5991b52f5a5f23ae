import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fromText, toBytes, toText, type BytePath } from './paths.js';
import {
  gitAnswer,
  idLines,
  openPrivateGit,
  type PrivateGit,
  type PrivateGitRequest,
} from './private-git.js';
import { copyRules, type Repository } from './repository.js';

interface IndexEntry {
  mode: string;
  id: string;
  /** Git was told to overlook changes of the file: assume-unchanged or skip-worktree. */
  unwatched: boolean;
  conflict: boolean;
}

export type IndexEntries = ReadonlyMap<BytePath, IndexEntry>;

export const LIST_INDEX = ['ls-files', '--stage', '-v', '-z'];

/** The columns have fixed widths: a letter, a mode of six digits, an object id, a stage of one digit. */
const MODE_START = 'H '.length;
const ID_START = 'H 100644 '.length;

/**
 * Reads `git ls-files --stage -v -z`: the columns, a tab, the path. A large repository has very many entries, so the
 * caller can say which ones to keep.
 */
export function parseIndexEntries(
  listing: Buffer,
  matters: (path: BytePath, mode: string) => boolean = () => true,
): IndexEntries {
  const entries = new Map<BytePath, IndexEntry>();
  const text = listing.toString('latin1');
  const idEnd = text.indexOf(' ', ID_START);
  for (let at = 0, end = text.indexOf('\0'); end >= 0; at = end + 1, end = text.indexOf('\0', at)) {
    const path = text.slice(at + idEnd + ' 0\t'.length, end);
    const mode = text.slice(at + MODE_START, at + ID_START - 1);
    if (!matters(path, mode)) continue;
    const letter = text.charAt(at);
    entries.set(path, {
      mode,
      id: text.slice(at + ID_START, at + idEnd),
      unwatched: letter === 'S' || letter !== letter.toUpperCase(),
      conflict: text.charAt(at + idEnd + 1) !== '0',
    });
  }
  return entries;
}

export const SUBMODULE = '160000';
export const LINK = '120000';

export const isSubmodule = (entry: IndexEntry): boolean => entry.mode === SUBMODULE;

/** Selects the entries that are needed to judge and store changes of these paths. */
export const mattersFor = (paths: ReadonlySet<BytePath>) => (path: BytePath, mode: string) =>
  paths.has(path) || mode === SUBMODULE || path.endsWith('.gitattributes');

/** The paths that two indexes describe differently. The recorded times and sizes do not count, as `git status` updates them. */
export function differingEntries(before: IndexEntries, after: IndexEntries): BytePath[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => !isDeepStrictEqual(before.get(path), after.get(path)),
  );
}

/** Stores files as the repository would: with the line endings, keywords and encodings its attributes ask for. */
export interface FileStore {
  /** A git that has the stored files and treats each of them as plain. */
  git: PrivateGit;
  /** Those of these objects that the clone does not have. */
  missing(ids: readonly string[]): Set<string>;
  /** Stores the files of both sides. `kept` are files whose former content is what the index has, not what is there. */
  store(
    sides: Record<Side, { top: string; paths: readonly BytePath[] }> & { kept: readonly BytePath[] },
    tracked: IndexEntries,
  ): StoredSides;
  close(): void;
}

/** Both sides, and how git would write the files of the second one: with the attributes that this side has itself. */
export interface StoredSides {
  trees: Trees;
  /** Checks these files out, below a private folder. No filter is run. Returns the folder. */
  checkOut(paths: readonly BytePath[]): BytePath;
  /** The same where only these changes are made, so that the attributes are those that they leave. */
  checkOutPart(paths: readonly BytePath[], changed: ReadonlySet<BytePath>): BytePath;
  /** Those of these files that git writes through a filter, with its name. */
  filters(paths: readonly BytePath[]): Map<BytePath, string>;
  /** Those of these files that git stores in another encoding than the one that it checks out. */
  encoded(paths: readonly BytePath[]): BytePath[];
}

export type Side = 'before' | 'after';

export type Trees = Record<Side, string>;

export type FileStoreRequest = PrivateGitRequest & {
  repository: Repository;
  configured: ReadonlySet<string>;
};

/** Machines configure LFS in files that are not read here, so it always counts as configured. */
export const LFS = 'lfs';

/** Those of these paths that git converts with a filter that is configured, with its name. */
export function filtersOf(
  git: PrivateGit,
  configured: ReadonlySet<string>,
  question: AttributeQuestion,
): Map<BytePath, string> {
  const named = attributesOf(git, 'filter', question);
  return new Map([...named].filter(([, name]) => name === LFS || configured.has(name)));
}

interface AttributeQuestion {
  paths: readonly BytePath[];
  from: 'work tree' | 'index';
}

function attributesOf(
  git: PrivateGit,
  attribute: string,
  { paths, from }: AttributeQuestion,
): Map<BytePath, string> {
  const args = ['check-attr', ...(from === 'index' ? ['--cached'] : []), '-z', '--stdin', attribute];
  // Three fields for each path: the path, the attribute, and its value.
  const fields = git
    .call({ args, input: zeroTerminated(paths) })
    .toString('latin1')
    .split('\0');
  const values = new Map<BytePath, string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', , value = ''] = fields.slice(at, at + 3);
    if (!/^(?:unspecified|unset|set)$/.test(value)) values.set(path, toText(value));
  }
  return values;
}

export const zeroTerminated = (lines: readonly BytePath[]): Buffer =>
  toBytes(lines.map((line) => `${line}\0`).join(''));

/**
 * Git itself adds the files, so they are stored as `git add` would store them. Its index says how each file is stored
 * now (a file that is stored with CRLF stays so), and it has the attributes of the checkout. A second git, which
 * treats every file as plain, compares the trees.
 */
export function openFileStore(request: FileStoreRequest): FileStore {
  const adding = openPrivateGit({ ...request, attributes: 'tree' });
  const { program, scratch, format } = request;
  const git = openPrivateGit({ program, scratch, format, objects: join(adding.folder, 'objects') });
  copyRules(request.repository, adding.folder, 'attributes');
  const updateIndex = (args: readonly string[], lines: readonly string[], workTree?: string) =>
    adding.call({
      args: ['update-index', '-z', ...args],
      input: zeroTerminated(lines),
      ...(workTree === undefined ? {} : { workTree }),
    });
  return {
    git,
    missing(ids) {
      if (ids.length === 0) return new Set();
      const args = ['cat-file', '--batch-check=%(objecttype)'];
      const answer = adding.call({ args, input: idLines(ids) });
      return new Set(answer.toString('latin1').match(/^[0-9a-f]+(?= missing$)/gm));
    },
    store({ before, after, kept }, tracked) {
      rmSync(adding.index, { force: true });
      const known = new Set([...before.paths, ...kept, ...after.paths]);
      updateIndex(['--index-info'], knownEntries(known, tracked));
      updateIndex(['--add', '--stdin'], before.paths, before.top);
      const tree = treeOfIndex(adding);
      const stays = new Set(after.paths);
      const gone = [...before.paths, ...kept].filter((path) => !stays.has(path));
      const noId = '0'.repeat(format === 'sha256' ? 64 : 40);
      if (gone.length > 0)
        updateIndex(
          ['--index-info'],
          gone.map((path) => `0 ${noId}\t${path}`),
        );
      updateIndex(['--add', '--stdin'], after.paths, after.top);
      let left: IndexEntries | undefined;
      return {
        trees: { before: tree, after: treeOfIndex(adding) },
        filters: (paths) => filtersOf(adding, request.configured, { paths, from: 'index' }),
        encoded: (paths) => [
          ...attributesOf(adding, 'working-tree-encoding', { paths, from: 'index' }).keys(),
        ],
        checkOut: (paths) => checkOut(adding, paths, after.top),
        checkOutPart: (paths, changed) => {
          left ??= parseIndexEntries(adding.call({ args: LIST_INDEX }));
          const former = [...tracked].filter(([path]) => isAttributes(path) && !changed.has(path));
          const entries = new Map([...former, ...[...left].filter(([path]) => changed.has(path))]);
          rmSync(adding.index, { force: true });
          updateIndex(['--index-info'], knownEntries(new Set(entries.keys()), entries));
          return checkOut(adding, paths);
        },
      };
    },
    close() {
      git.close();
      adding.close();
    },
  };
}

/** Where the index lacks attributes, git reads those of the work tree. Without one, there are none. */
function checkOut(git: PrivateGit, paths: readonly BytePath[], workTree?: string): BytePath {
  const folder = mkdtempSync(join(git.folder, 'files-'));
  const args = ['checkout-index', '-z', '--stdin', `--prefix=${folder.replaceAll('\\', '/')}/`];
  git.call({ args, input: zeroTerminated(paths), ...(workTree === undefined ? {} : { workTree }) });
  return fromText(folder);
}

/** Whether git reads attributes there, on some systems whatever the case of the name. */
export const isAttributes = (path: BytePath): boolean => /(?:^|\/)\.gitattributes$/i.test(path);

/** The index entries of these files and of all attribute files, which git reads if the folder does not have them. */
function knownEntries(paths: ReadonlySet<BytePath>, tracked: IndexEntries): string[] {
  const known: string[] = [];
  for (const [path, entry] of tracked) {
    const isUseful = paths.has(path) || isAttributes(path);
    if (isUseful && !entry.conflict && !isSubmodule(entry)) known.push(`${entry.mode} ${entry.id}\t${path}`);
  }
  return known;
}

/**
 * Stores what is in the index as a tree. Returns its id. A clone without the content of all files lacks some of the
 * objects that the index names. They are not read here.
 */
export const treeOfIndex = (git: PrivateGit): string => gitAnswer(git, ['write-tree', '--missing-ok']);

export interface TreeFile {
  path: BytePath;
  mode: string;
  id: string;
}

export type ChangeStatus =
  { status: 'added' | 'modified' | 'deleted' | 'mode' | 'symlink' } | { status: 'renamed'; from: string };

export type Lines =
  { kind: 'text'; added: number; removed: number } | { kind: 'binary' } | { kind: 'unknown' };

export type TreeChange = ChangeStatus & {
  path: string;
  lines: Lines;
  before: TreeFile | undefined;
  after: TreeFile | undefined;
};

const COMPARE = ['diff-tree', '-r', '-M', '--no-ext-diff', '--no-textconv', '--no-color'];

export function listDifferences(git: PrivateGit, { before, after }: Trees): TreeChange[] {
  const args = [...COMPARE, '--raw', '--numstat', '--no-abbrev', '-z', before, after];
  return parseDifferences(git.call({ args }));
}

export function writeDifferences(git: PrivateGit, { before, after }: Trees, file: string): void {
  rmSync(file, { force: true });
  const output = openSync(file, 'wx', 0o600);
  try {
    const form = ['-p', '--binary', '--full-index', '--src-prefix=a/', '--dst-prefix=b/'];
    git.call({ args: [...COMPARE, ...form, before, after], output });
  } finally {
    closeSync(output);
  }
}

export const treesOf = (git: PrivateGit, files: Record<Side, readonly TreeFile[]>): Trees => ({
  before: writeTree(git, files.before),
  after: writeTree(git, files.after),
});

function writeTree(git: PrivateGit, files: readonly TreeFile[]): string {
  rmSync(git.index, { force: true });
  const lines = files.map(({ mode, id, path }) => `${mode} ${id}\t${path}\0`).join('');
  git.call({ args: ['update-index', '-z', '--index-info'], input: toBytes(lines) });
  return treeOfIndex(git);
}

/** `:mode mode id id letter NUL path NUL` (two paths for a rename), then `added TAB removed TAB path NUL`. */
function parseDifferences(listing: Buffer): TreeChange[] {
  const fields = listing.toString('latin1').split('\0');
  const found: { path: BytePath; change: Omit<TreeChange, 'lines'> & ChangeStatus }[] = [];
  const lines = new Map<BytePath, Lines>();
  for (let at = 0; at < fields.length;) {
    const field = fields[at++] ?? '';
    if (field.startsWith(':')) {
      const [modeWas = '', modeIs = '', idWas = '', idIs = '', status = ''] = field.slice(1).split(' ');
      const letter = status.slice(0, 1);
      const from = letter === 'R' ? fields[at++] : undefined;
      const path = fields[at++] ?? '';
      const was = { path: from ?? path, mode: modeWas, id: idWas };
      const is = { path, mode: modeIs, id: idIs };
      const before = letter === 'A' ? undefined : was;
      const after = letter === 'D' ? undefined : is;
      found.push({ path, change: { ...statusOf(letter, was, is), path: toText(path), before, after } });
      continue;
    }
    const [added = '', removed = '', ...rest] = field.split('\t');
    if (rest.length === 0) continue;
    const named = rest.join('\t');
    if (named === '') at += 1;
    lines.set(named === '' ? (fields[at++] ?? '') : named, countLines(added, removed));
  }
  return found.map(({ path, change }) => ({ ...change, lines: lines.get(path) ?? { kind: 'unknown' } }));
}

const countLines = (added: string, removed: string): Lines =>
  added === '-' ? { kind: 'binary' } : { kind: 'text', added: Number(added), removed: Number(removed) };

function statusOf(letter: string, was: TreeFile, is: TreeFile): ChangeStatus {
  if (letter === 'R') return { status: 'renamed', from: toText(was.path) };
  if (letter === 'D') return { status: 'deleted' };
  if (is.mode === LINK || was.mode === LINK) return { status: 'symlink' };
  if (letter === 'A') return { status: 'added' };
  return { status: was.id === is.id ? 'mode' : 'modified' };
}
