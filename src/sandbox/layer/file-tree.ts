import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  ftruncateSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { codeOf } from '../../core/errors.js';
import { foldersAbove, joinBytes, toBytes, toText, type BytePath } from '../../git/paths.js';
import type { LayerEntry, FileState, LayerChange } from '../../permissions/layer-change.js';

export const ABSENT = { kind: 'absent' } as const;

/** What is at a path. A link at its end is not followed. */
export function entryAt(path: BytePath): LayerEntry {
  const stat = statAt(path);
  return stat ? entryOf(stat) : ABSENT;
}

/** What is at a path below a folder. Behind a link or a file everything is absent, whatever the system finds there. */
export function entryBelow(top: BytePath, path: BytePath): LayerEntry {
  const isReal = foldersAbove(path).every((folder) => entryAt(joinBytes(top, folder)).kind === 'folder');
  return isReal ? entryAt(joinBytes(top, path)) : ABSENT;
}

/** There is nothing below a file, and nothing behind a link that leads in circles. */
const NOTHING_THERE = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** Undefined for these errors. All others are thrown, because the caller must not mistake them for these. */
function exceptFor<T>(codes: readonly string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (codes.includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** Undefined if nothing is there. */
export const statAt = (path: BytePath): Stats | undefined =>
  exceptFor(NOTHING_THERE, () => lstatSync(toBytes(path), { throwIfNoEntry: false }));

function entryOf(stat: Stats): LayerEntry {
  switch (stat.mode & constants.S_IFMT) {
    case constants.S_IFDIR:
      return { kind: 'folder' };
    case constants.S_IFREG:
      return {
        kind: 'file',
        executable: (stat.mode & 0o100) !== 0,
        privileged: (stat.mode & 0o6000) !== 0,
        bytes: stat.size,
      };
    case constants.S_IFLNK:
      return { kind: 'link' };
    default:
      // An overlay records a removed file as a device without a number.
      return stat.isCharacterDevice() && stat.rdev === 0 ? { kind: 'whiteout' } : { kind: 'special' };
  }
}

/** Neither a folder nor a whiteout is a file. */
export const asFile = (entry: LayerEntry): FileState =>
  entry.kind === 'folder' || entry.kind === 'whiteout' ? ABSENT : entry;

/** `force` opens a file of the layer even if the agent made it unreadable. Never use it on files of the checkout. */
type ReadAccess = 'ask' | 'force';

/** The names in a folder; none if there is no such folder. */
export function namesIn(folder: BytePath, access: ReadAccess = 'ask'): BytePath[] {
  if (access === 'force') makeReadable(folder);
  return exceptFor(NOTHING_THERE, () => readdirSync(toBytes(folder), { encoding: 'latin1' })) ?? [];
}

/** Restores our right to read a file or folder of the layer, if the agent took it away. */
export function makeReadable(path: BytePath): void {
  const stat = statAt(path);
  if (stat?.isDirectory() !== true && stat?.isFile() !== true) return;
  const needed = stat.isDirectory() ? 0o700 : 0o400;
  if ((stat.mode & needed) !== needed) chmodSync(toBytes(path), (stat.mode & 0o7777) | needed);
}

export function filesBelow(top: BytePath, path: BytePath, access: ReadAccess = 'ask'): BytePath[] {
  const found: BytePath[] = [];
  const pending = [path];
  for (let here = pending.pop(); here !== undefined; here = pending.pop()) {
    const { kind } = entryAt(joinBytes(top, here));
    if (kind === 'folder') {
      for (const name of namesIn(joinBytes(top, here), access)) pending.push(joinBytes(here, name));
    } else if (kind !== 'absent' && kind !== 'whiteout') found.push(here);
  }
  return found;
}

/** Whether a file of the layer equals a file of the checkout. A special file never equals another one. */
export function isSameState(
  written: BytePath,
  original: BytePath,
  { before, after }: Pick<LayerChange, 'before' | 'after'>,
): boolean {
  switch (before.kind) {
    case 'absent':
      return after.kind === 'absent';
    case 'special':
      return false;
    case 'link':
      return after.kind === 'link' && readLink(written) === readLink(original);
    case 'file':
      return (
        after.kind === 'file' &&
        before.executable === after.executable &&
        before.privileged === after.privileged &&
        before.bytes === after.bytes &&
        isSameContent(written, original)
      );
  }
}

const CHUNK_BYTES = 1 << 20;

/** Reads the files in chunks, because they can be of any size. */
export function isSameContent(written: BytePath, original: BytePath): boolean {
  return withFile(written, 'force', (first) =>
    withFile(original, 'ask', (second) => {
      const [a, b] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
      for (;;) {
        const length = readFully(first, a);
        if (length !== readFully(second, b) || a.compare(b, 0, length, 0, length) !== 0) return false;
        if (length < CHUNK_BYTES) return true;
      }
    }),
  );
}

/** Does not follow a link and does not wait for a pipe. */
const READ =
  constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK);

export function withFile<T>(path: BytePath, access: ReadAccess, use: (file: number) => T): T {
  if (access === 'force') makeReadable(path);
  const file = openSync(toBytes(path), READ);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

export function readFully(file: number, into: Buffer): number {
  let done = 0;
  for (let read = 1; read > 0 && done < into.length; done += read) {
    read = readSync(file, into, done, into.length - done, null);
  }
  return done;
}

export const readLink = (path: BytePath): BytePath => readlinkSync(toBytes(path), { encoding: 'latin1' });

interface TreeCopy {
  from: BytePath;
  to: BytePath;
  /** Paths to leave out, with everything below them. */
  without: ReadonlySet<BytePath>;
  onEntry: (path: BytePath) => void;
}

/**
 * Copies a folder with its modes and times. No link is followed. If the file system supports it, a copy shares its
 * bytes with the original until one of them is written to.
 */
export function copyTree({ from, to, without, onEntry }: TreeCopy): void {
  mkdirSync(toBytes(to), { recursive: true });
  copyMode(lstatSync(toBytes(from)), to);
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const name of ifReadable(() => namesIn(joinBytes(from, folder))) ?? []) {
      const path = joinBytes(folder, name);
      const stat = without.has(path) ? undefined : statAt(joinBytes(from, path));
      if (!stat) continue;
      if (stat.isDirectory()) {
        mkdirSync(toBytes(joinBytes(to, path)));
        copyMode(stat, joinBytes(to, path));
        pending.push(path);
        onEntry(path);
      } else if (ifReadable(() => copyEntry(joinBytes(from, path), joinBytes(to, path), stat))) onEntry(path);
    }
  }
}

/** Whatever the umask is. The owner of a copied folder must be able to write into it. */
const copyMode = ({ mode }: Stats, folder: BytePath): void => {
  chmodSync(toBytes(folder), (mode & 0o777) | 0o700);
};

/** Undefined if we may not read it. The agent may not read it either, so it need not be in the copy. */
export const ifReadable = <T>(read: () => T): T | undefined => exceptFor(['EACCES'], read);

/** Pipes, sockets and devices are not copied. */
function copyEntry(from: BytePath, to: BytePath, stat: Stats): boolean {
  const { kind } = entryOf(stat);
  if (kind === 'link') symlinkSync(toBytes(readLink(from)), toBytes(to));
  if (kind === 'file') {
    copyFile(from, to, stat);
    lutimesSync(toBytes(to), stat.atimeMs / 1000, stat.mtimeMs / 1000);
  }
  return kind === 'link' || kind === 'file';
}

const SECTOR_BYTES = 512;

/** Keeps the holes of a sparse file: a terabyte of nothing must not become a terabyte of zeros. */
export function copyFile(from: BytePath, to: BytePath, stat: Stats): void {
  const isSparse = stat.blocks * SECTOR_BYTES < stat.size && process.platform !== 'win32';
  if (isSparse) copySparse(from, to, stat);
  else copyFileSync(toBytes(from), toBytes(to), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

function copySparse(from: BytePath, to: BytePath, stat: Stats): void {
  const target = openSync(toBytes(to), 'wx', stat.mode & 0o777);
  try {
    ftruncateSync(target, stat.size);
    // A file without blocks has nothing to read.
    if (stat.blocks === 0) return;
    withFile(from, 'ask', (source) => {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const zeros = Buffer.alloc(CHUNK_BYTES);
      for (let at = 0, length = 1; length > 0; at += length) {
        length = readFully(source, chunk);
        if (chunk.compare(zeros, 0, length, 0, length) !== 0) writeSync(target, chunk, 0, length, at);
      }
    });
  } finally {
    closeSync(target);
  }
}

/**
 * Writes what a change leaves to a new file, with the permissions of the file it replaces, or of a new file. So an agent
 * decides only whether a file is executable.
 */
export function writeChange(
  { after, source }: { after: FileState; source: BytePath },
  { file, replaced }: { file: BytePath; replaced: BytePath },
): void {
  const stat = statAt(source);
  if (after.kind === 'link') symlinkSync(toBytes(readLink(source)), toBytes(file));
  else if (after.kind === 'file' && stat?.isFile() === true) {
    const former = statAt(replaced);
    const mode = former?.isFile() === true ? former.mode & 0o666 : modeOfNewFile(file);
    copyFile(source, file, stat);
    chmodSync(toBytes(file), after.executable ? mode | ((mode & 0o444) >> 2) : mode);
  } else throw new Error(`${toText(source)} is neither a file nor a link.`);
}

/** Creates a file to find out, because reading the umask with Node sets it for a moment. */
function modeOfNewFile(path: BytePath): number {
  writeFileSync(toBytes(path), '');
  const { mode } = lstatSync(toBytes(path));
  unlinkSync(toBytes(path));
  return mode & 0o666;
}
