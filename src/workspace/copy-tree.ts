import {
  closeSync,
  constants,
  copyFileSync,
  ftruncateSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { joinBytes, toBytes, type BytePath } from '../git/byte-path.js';
import { codeOf, entryOf, namesIn, readFully, readLink, statAt, withFile } from './file-tree.js';

export interface CopyRequest {
  from: BytePath;
  to: BytePath;
  /** Paths that are left out, with all that is below them. */
  without: ReadonlySet<BytePath>;
  /** Told of each entry that was copied. */
  onEntry: (path: BytePath, stat: Stats) => void;
}

/**
 * Copies a folder with its modes and times; no link is followed. Where the file system can, a copy shares its bytes
 * with the original until either is written.
 */
export function copyTree({ from, to, without, onEntry }: CopyRequest): void {
  mkdirSync(toBytes(to), { recursive: true });
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const name of readable(() => namesIn(joinBytes(from, folder))) ?? []) {
      const path = joinBytes(folder, name);
      const stat = without.has(path) ? undefined : statAt(joinBytes(from, path));
      if (!stat) continue;
      if (stat.isDirectory()) {
        // Its owner has to be able to fill it.
        mkdirSync(toBytes(joinBytes(to, path)), { mode: (stat.mode & 0o777) | 0o700 });
        pending.push(path);
        onEntry(path, stat);
      } else if (readable(() => copyEntry(joinBytes(from, path), joinBytes(to, path), stat)))
        onEntry(path, stat);
    }
  }
}

/** What we may not read, the agent may not read either: it is not in the copy. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

/** A pipe, a socket or a device stays where it is. */
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

/** A file with holes stays one: a terabyte of nothing must not become a terabyte of zeros. */
export function copyFile(from: BytePath, to: BytePath, stat: Stats): void {
  const isSparse = stat.blocks * SECTOR_BYTES < stat.size && process.platform !== 'win32';
  if (isSparse) copySparse(from, to, stat);
  else copyFileSync(toBytes(from), toBytes(to), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

const CHUNK_BYTES = 1 << 20;

function copySparse(from: BytePath, to: BytePath, stat: Stats): void {
  const target = openSync(toBytes(to), 'wx', stat.mode & 0o777);
  try {
    ftruncateSync(target, stat.size);
    // Without a single block there is nothing to read.
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
