import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PrivateGit } from '../git/private-git.js';
import { narrowDiff, splitDiff, type DiffText } from './fit-diff.js';

/** Two commits that are there, and the git that has them. */
export interface Comparison {
  git: PrivateGit;
  from: string;
  to: string;
}

/** A changed file by name, with what it was called before. */
interface ChangedName {
  path: string;
  oldPath?: string;
}

/** More of a diff than this is not looked at. */
const MOST_BYTES = 16 * 1024 * 1024;
/** For the names in one command line; Windows takes 32,767 characters of it in all. */
const MOST_NAMES = 16_000;

/**
 * Renames are recognised, binary files are only named. Neither the attributes of the files nor anybody's
 * configuration has a say: this git has none of them.
 */
export function readDiff(comparison: Comparison): DiffText {
  const { text, isWhole } = readPatch(comparison, [], MOST_BYTES);
  if (isWhole) return { text, unread: [] };
  return { text, unread: namesNotIn(text, changedNames(comparison)) };
}

/**
 * The same of some files alone. Of a change that was read as a whole their part is taken; of a longer one git is
 * asked for them, so that what is before them takes none of their room.
 */
export function readWanted(comparison: Comparison, whole: DiffText, wanted: ReadonlySet<string>): DiffText {
  if (whole.unread.length === 0) return narrowDiff(whole, wanted);
  const chosen = changedNames(comparison).filter(({ path }) => wanted.has(path));
  let text = '';
  for (const names of batchesOf(chosen)) text += readNamed(comparison, names, roomAfter(text));
  // Where a file gave way to a folder of its name, git tells of everything in that folder too.
  const narrowed = narrowDiff({ text, unread: [] }, wanted);
  return { text: narrowed.text, unread: namesNotIn(narrowed.text, chosen) };
}

const roomAfter = (text: string, mostBytes = MOST_BYTES): number => mostBytes - Buffer.byteLength(text);

/** As much as there is room for; a file that is too long does not keep those after it from being read. */
function readNamed(comparison: Comparison, names: readonly ChangedName[], mostBytes: number): string {
  const { text, isWhole } = readPatch(comparison, names, mostBytes);
  if (isWhole) return text;
  const read = new Set(splitDiff(text).map(({ path }) => path));
  const [, ...others] = names.filter(({ path }) => !read.has(path));
  return others.length === 0 ? text : text + readNamed(comparison, others, roomAfter(text, mostBytes));
}

/** Added and removed lines of each file, as `--numstat -z` writes them. */
export const readNumbers = (comparison: Comparison): string =>
  compare(comparison, ['-M', '--numstat', '-z']).toString('utf8');

const compare = ({ git, from, to }: Comparison, args: readonly string[]): Buffer =>
  git.call({ args: [...TREE, ...args, from, to, '--'] });

const TREE = [
  ...['--literal-pathspecs', '-c', 'core.quotePath=false'],
  ...['diff-tree', '-r', '--no-color', '--no-ext-diff', '--no-textconv'],
];

/** Whole files only, of a patch that is too long its beginning. */
function readPatch({ git, from, to }: Comparison, names: readonly ChangedName[], mostBytes: number) {
  const file = join(git.folder, 'diff');
  const output = openSync(file, 'w+', 0o600);
  try {
    const form = ['-p', '-M', '--src-prefix=a/', '--dst-prefix=b/'];
    git.call({ args: [...TREE, ...form, from, to, '--', ...names.flatMap(bothNames)], output });
    const { text, isWhole } = readBeginning(output, mostBytes);
    return { text: isWhole ? text : text.slice(0, text.lastIndexOf('\ndiff --git ') + 1), isWhole };
  } finally {
    closeSync(output);
    rmSync(file, { force: true });
  }
}

function readBeginning(file: number, mostBytes: number): { text: string; isWhole: boolean } {
  const { size } = fstatSync(file);
  const bytes = Buffer.alloc(Math.min(size, mostBytes));
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length, length);
  }
  return { text: bytes.toString('utf8', 0, length), isWhole: size <= mostBytes };
}

/** Each is a kind, with a measure where it moved, and one name, or two where it moved. */
function changedNames(comparison: Comparison): ChangedName[] {
  const fields = compare(comparison, ['-M', '--name-status', '-z']).toString('utf8').split('\0');
  const names: ChangedName[] = [];
  for (let index = 0; index + 1 < fields.length;) {
    const isMoved = /^[RC]/.test(fields[index] ?? '');
    const [first = '', second = ''] = fields.slice(index + 1, index + 3);
    names.push(isMoved ? { path: second, oldPath: first } : { path: first });
    index += isMoved ? 3 : 2;
  }
  return names;
}

function namesNotIn(text: string, names: readonly ChangedName[]): string[] {
  const read = new Set(splitDiff(text).map(({ path }) => path));
  return names.map(({ path }) => path).filter((path) => !read.has(path));
}

/** A file that moved is told as moved only where both its names are given. */
const bothNames = ({ path, oldPath }: ChangedName): string[] =>
  oldPath === undefined ? [path] : [oldPath, path];

/** As many at a time as fit into a command line. */
function batchesOf(names: readonly ChangedName[]): ChangedName[][] {
  const batches: ChangedName[][] = [];
  let length = Infinity;
  for (const name of names) {
    // In the worst case each byte of a name is escaped.
    const more = bothNames(name).reduce((sum, each) => sum + 2 * Buffer.byteLength(each) + 3, 0);
    if (length + more > MOST_NAMES) {
      batches.push([]);
      length = 0;
    }
    batches.at(-1)?.push(name);
    length += more;
  }
  return batches;
}
