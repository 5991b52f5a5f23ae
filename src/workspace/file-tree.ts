import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';
import { foldersAbove, joinBytes, toBytes, type BytePath } from '../git/byte-path.js';
import type { FileState } from './changes.js';

/** What stands at a path, never following a link at its end. */
export type Entry = FileState | { kind: 'folder' } | { kind: 'whiteout' };

export const ABSENT = { kind: 'absent' } as const;

export function entryAt(path: BytePath): Entry {
  const stat = statAt(path);
  return stat ? entryOf(stat) : ABSENT;
}

/** The same for a path below a folder: behind a link or a file there is nothing, whatever the system finds there. */
export function entryBelow(top: BytePath, path: BytePath): Entry {
  const isReal = foldersAbove(path).every((folder) => entryAt(joinBytes(top, folder)).kind === 'folder');
  return isReal ? entryAt(joinBytes(top, path)) : ABSENT;
}

/** Below a file there is nothing, nor behind a link that leads in circles. */
const isNothing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String(codeOf(error)));

/** Nothing where there is nothing; every other error is one, because whoever asks has to know. */
export function statAt(path: BytePath): Stats | undefined {
  try {
    return lstatSync(toBytes(path), { throwIfNoEntry: false });
  } catch (error) {
    if (isNothing(error)) return undefined;
    throw error;
  }
}

export function entryOf(stat: Stats): Entry {
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
      // An overlay notes a removed file as a device without a number.
      return stat.isCharacterDevice() && stat.rdev === 0 ? { kind: 'whiteout' } : { kind: 'special' };
  }
}

/** As a change tells it: neither a folder nor a note of the overlay is a file. */
export const asFile = (entry: Entry): FileState =>
  entry.kind === 'folder' || entry.kind === 'whiteout' ? ABSENT : entry;

/** `force`: a file of the layer is opened although the agent took that right away; one of the checkout never is. */
export type Access = 'ask' | 'force';

/** The names in a folder; none where there is none. */
export function namesIn(folder: BytePath, access: Access = 'ask'): BytePath[] {
  if (access === 'force') openUp(folder);
  try {
    return readdirSync(toBytes(folder), { encoding: 'latin1' });
  } catch (error) {
    if (isNothing(error)) return [];
    throw error;
  }
}

/** Takes back the rights that the agent took away from us, of a file or folder of its layer. */
export function openUp(path: BytePath): void {
  const stat = statAt(path);
  if (stat?.isDirectory() !== true && stat?.isFile() !== true) return;
  const needed = stat.isDirectory() ? 0o700 : 0o400;
  if ((stat.mode & needed) !== needed) chmodSync(toBytes(path), (stat.mode & 0o7777) | needed);
}

/** Every path below one that is no folder, itself included. */
export function filesBelow(top: BytePath, path: BytePath, access: Access = 'ask'): BytePath[] {
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

const CHUNK_BYTES = 1 << 20;

/** Whether a file or link of the layer holds the same as another. Files are read by pieces: they can be of any size. */
export function isSameContent(written: BytePath, other: BytePath, kind: 'file' | 'link'): boolean {
  if (kind === 'link') return readLink(written) === readLink(other);
  return withFile(written, 'force', (first) =>
    withFile(other, 'ask', (second) => {
      const [a, b] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
      for (;;) {
        const length = readFully(first, a);
        if (length !== readFully(second, b) || a.compare(b, 0, length, 0, length) !== 0) return false;
        if (length < CHUNK_BYTES) return true;
      }
    }),
  );
}

/** Never through a link, and never waiting for a pipe. */
const READ =
  constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK);

export function withFile<T>(path: BytePath, access: Access, use: (file: number) => T): T {
  if (access === 'force') openUp(path);
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

export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
