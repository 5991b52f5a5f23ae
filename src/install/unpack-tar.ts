import { closeSync, createReadStream, linkSync, mkdirSync, openSync, symlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser } from 'tar/parse';
import type { ReadEntry } from 'tar/read-entry';
import { codeOf, messageOf } from '../core/errors.js';
import { ArchiveProblem, checkLinkTarget, entryPath, foldedPath } from './archive-entry.js';

/** Large chunks, because each one costs a turn of the event loop. */
const CHUNK_BYTES = 512 * 1024;
/** Many times what the CLI needs. They stop archives that are made to fill the disk. */
const LIMITS = { bytes: 8 * 1024 ** 3, entries: 200_000 };

/**
 * Unpacks a tar.gz into an empty folder. node-tar reads the archive, but this code creates the files, because node-tar
 * repairs or skips what has to be refused here, and the tar programs of the systems refuse different things. Every
 * entry is checked before it is created: nothing is written through a link, no link and no hard link leads out of
 * the folder, and no file is written twice.
 */
export async function unpackTar(archive: string, folder: string, limits = LIMITS): Promise<void> {
  const tree: Tree = {
    folder,
    limits,
    files: new Set(),
    links: new Set(),
    folders: new Set(),
    bytes: 0,
    entries: 0,
    hasEnded: false,
  };
  // All listeners run inside of `write`, which throws what they throw.
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      unpackEntry(entry, tree);
    },
  })
    .on('meta', checkExtendedHeader)
    .on('ignoredEntry', refuseEntry)
    .on('eof', () => {
      tree.hasEnded = true;
    })
    .on('error', (error: unknown) => {
      throw new ArchiveProblem(`an entry is not valid: ${messageOf(error).replace(/^TAR_\w+: /, '')}`, {
        cause: error,
      });
    });
  try {
    await pipeline(
      createReadStream(archive, { highWaterMark: CHUNK_BYTES }),
      createGunzip({ chunkSize: CHUNK_BYTES }),
      new Writable({
        write(chunk: Buffer, _, done) {
          try {
            // The compressed data is read to its end, where its checksum is. The parser would keep the rest in memory.
            if (!tree.hasEnded) parser.write(chunk);
            done();
          } catch (error) {
            done(error instanceof Error ? error : new Error(String(error)));
          }
        },
      }),
    );
  } finally {
    if (tree.open !== undefined) closeSync(tree.open);
  }
  if (!tree.hasEnded) throw new ArchiveProblem('it ends in the middle');
}

/** What was created so far. */
interface Tree {
  folder: string;
  limits: typeof LIMITS;
  files: Set<string>;
  /** In folded form. */
  links: Set<string>;
  folders: Set<string>;
  bytes: number;
  entries: number;
  /** Whether the end of the archive was read. */
  hasEnded: boolean;
  /** The file that is being written. */
  open?: number | undefined;
}

function unpackEntry(entry: ReadEntry, tree: Tree): void {
  tree.entries += 1;
  if (tree.entries > tree.limits.entries)
    throw new ArchiveProblem(`it has more than ${tree.limits.entries} entries`);
  const path = entryPath(entry.path);
  // node-tar puts this character in the place of bytes that it cannot read.
  if (`${path}${entry.linkpath ?? ''}`.includes('\ufffd'))
    throw new ArchiveProblem(`the name or target of the entry ${JSON.stringify(path)} cannot be read`);
  refuseLinksOnTheWay(path, tree);
  if (entry.type === 'Directory') {
    makeFolder(path, tree);
  } else {
    if (path === '') throw new ArchiveProblem('an entry has no name');
    makeFolder(dirname(path), tree);
    once(path, () => {
      create(entry, path, tree);
    });
  }
  // Reads on. Without this, the next entry would wait for this one.
  entry.resume();
}

function create(entry: ReadEntry, path: string, tree: Tree): void {
  const target = join(tree.folder, path);
  const linked = entry.linkpath ?? '';
  switch (entry.type) {
    case 'File':
    case 'OldFile':
    case 'ContiguousFile':
      writeContent(entry, target, tree);
      tree.files.add(path);
      return;
    case 'SymbolicLink':
      checkLinkTarget(path, linked);
      symlinkSync(linked, target);
      tree.links.add(foldedPath(path));
      return;
    case 'Link': {
      const original = entryPath(linked);
      // The original must be a file that this archive created, so it cannot be outside.
      if (!tree.files.has(original))
        throw new ArchiveProblem(`the hard link ${JSON.stringify(path)} is not to a file of the archive`);
      linkSync(join(tree.folder, original), target);
      tree.files.add(path);
      return;
    }
    default:
      refuseEntry(entry);
  }
}

/** Writes synchronously: with thousands of small files, waiting would take most of the time. */
function writeContent(entry: ReadEntry, target: string, tree: Tree): void {
  tree.bytes += entry.size;
  if (tree.bytes > tree.limits.bytes)
    throw new ArchiveProblem(`it unpacks to more than ${tree.limits.bytes} bytes`);
  // The flag `wx` creates the file or fails: it neither replaces a file nor follows a link.
  const file = openSync(target, 'wx', ((entry.mode ?? 0) & 0o111) === 0 ? 0o644 : 0o755);
  tree.open = file;
  entry.on('data', (chunk) => {
    for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at);
  });
  entry.on('end', () => {
    closeSync(file);
    tree.open = undefined;
  });
}

/** node-tar passes over what it does not know, and over names longer than a megabyte. */
function refuseEntry({ path, meta }: ReadEntry): never {
  throw new ArchiveProblem(
    meta
      ? 'an extended header is too large'
      : `the entry ${JSON.stringify(path)} is neither a file, a folder nor a link`,
  );
}

/**
 * Refuses the records that node-tar would drop without a word, so that the entry gets another name or size. A header
 * is one long name, which ends with NUL, or it has one record per line: `length key=value`, where the length is in
 * bytes and includes itself and the line break.
 */
function checkExtendedHeader(text: string): void {
  if (/^[^\0]+\0$/.test(text)) return;
  for (const line of text.split(/(?<=\n)/)) {
    const [, length, key, value = ''] = /^(\d+) ([^=\n\0]+)=([^\n\0]*)\n$/.exec(line) ?? [];
    if (Number(length) !== Buffer.byteLength(line))
      throw new ArchiveProblem('an extended header cannot be read');
    if (key === 'size' && !/^\d+$/.test(value)) throw new ArchiveProblem('an entry has no valid size');
  }
}

/** Neither the path nor a folder above it may be a link, because it could point anywhere. */
function refuseLinksOnTheWay(path: string, { links }: Tree): void {
  const parts = foldedPath(path).split('/');
  const isBehindLink = parts.some((_, index) => links.has(parts.slice(0, index + 1).join('/')));
  if (isBehindLink)
    throw new ArchiveProblem(`the entry ${JSON.stringify(path)} would be written through a link`);
}

function makeFolder(path: string, { folder, folders }: Tree): void {
  if (folders.has(path)) return;
  folders.add(path);
  once(path, () => {
    mkdirSync(join(folder, path), { recursive: true });
  });
}

/** Reports a name that exists already as a problem of the archive. */
function once(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const isTaken = ['EEXIST', 'ENOTDIR'].includes(codeOf(error));
    if (isTaken) throw new ArchiveProblem(`the entry ${JSON.stringify(path)} is there twice`);
    throw error;
  }
}
