import { createReadStream, writeFileSync } from 'node:fs';
import { link, mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ArchiveProblem, checkLinkTarget, entryPath, foldedPath } from './archive-entry.js';
import { codeOf } from './retry.js';
import { readTar, type TarEntry } from './tar-reader.js';

/** Large pieces, because each one costs a turn of the loop. */
const CHUNK_BYTES = 512 * 1024;
/** Against archives made to fill the disk: many times what the CLI has. */
const LIMITS = { bytes: 8 * 1024 ** 3, entries: 200_000 };

/**
 * Unpacks a tar.gz into an empty folder. The system's tar is not used, because what it refuses differs between
 * GNU, BSD and their versions. Here every entry is checked before it is created: nothing is written through a
 * link, no link and no hard link leads out of the folder, and no file is written twice.
 */
export async function unpackTar(archive: string, folder: string, limits = LIMITS): Promise<void> {
  const tree: Tree = { folder, files: new Set(), links: new Set(), folders: new Set(), bytes: 0 };
  await pipeline(
    createReadStream(archive, { highWaterMark: CHUNK_BYTES }),
    createGunzip({ chunkSize: CHUNK_BYTES }),
    async (chunks: AsyncIterable<Buffer>) => {
      let count = 0;
      for await (const entry of readTar(chunks)) {
        count += 1;
        if (count > limits.entries) throw new ArchiveProblem(`it has more than ${limits.entries} entries`);
        await make(entry, tree, limits);
      }
    },
  );
}

interface Tree {
  folder: string;
  /** Paths of the files created so far. */
  files: Set<string>;
  /** Folded paths of the links created so far. */
  links: Set<string>;
  folders: Set<string>;
  bytes: number;
}

async function make(entry: TarEntry, tree: Tree, limits: typeof LIMITS): Promise<void> {
  const path = entryPath(entry.name);
  refuseLinksOnTheWay(path, tree);
  if (entry.kind === 'folder') {
    await makeFolder(path, tree);
    return;
  }
  if (path === '') throw new ArchiveProblem('an entry has no name');
  await makeFolder(dirname(path), tree);
  await once(path, () => fill(entry, { path, tree, limits }));
}

async function fill(
  entry: Exclude<TarEntry, { kind: 'folder' }>,
  { path, tree, limits }: { path: string; tree: Tree; limits: typeof LIMITS },
): Promise<void> {
  switch (entry.kind) {
    case 'file':
      await writeFile(entry, { path, tree, limits });
      tree.files.add(path);
      return;
    case 'link':
      checkLinkTarget(path, entry.target);
      await symlink(entry.target, join(tree.folder, path));
      tree.links.add(foldedPath(path));
      return;
    case 'hard-link': {
      const target = entryPath(entry.target);
      // Only to a file that this archive has created, so that it cannot be a file outside.
      if (!tree.files.has(target)) {
        throw new ArchiveProblem(`the hard link ${JSON.stringify(path)} is not to a file of the archive`);
      }
      await link(join(tree.folder, target), join(tree.folder, path));
      tree.files.add(path);
    }
  }
}

/** Smaller files are written synchronously: with thousands of them, waiting would take most of the time. */
const SMALL_BYTES = 256 * 1024;

async function writeFile(
  { content, bytes, isExecutable }: Extract<TarEntry, { kind: 'file' }>,
  { path, tree, limits }: { path: string; tree: Tree; limits: typeof LIMITS },
): Promise<void> {
  tree.bytes += bytes;
  if (tree.bytes > limits.bytes) throw new ArchiveProblem(`it unpacks to more than ${limits.bytes} bytes`);
  const target = { path: join(tree.folder, path), mode: isExecutable ? 0o755 : 0o644 };
  await (bytes <= SMALL_BYTES ? writeSmall(content, target) : writeLarge(content, target));
}

interface Target {
  path: string;
  mode: number;
}

// The flag `wx` creates the file or fails: it neither replaces a file nor follows a link.
async function writeSmall(content: AsyncIterable<Buffer>, { path, mode }: Target): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  writeFileSync(path, Buffer.concat(pieces), { flag: 'wx', mode });
}

async function writeLarge(content: AsyncIterable<Buffer>, { path, mode }: Target): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    for await (const piece of content) await writeAll(file, piece);
  } finally {
    await file.close();
  }
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, piece: Buffer): Promise<void> {
  for (let at = 0; at < piece.length;) {
    at += (await file.write(piece, at, piece.length - at)).bytesWritten;
  }
}

/** Each folder above a path, and the path itself, must not be a link: it could point anywhere by then. */
function refuseLinksOnTheWay(path: string, { links }: Tree): void {
  const parts = foldedPath(path).split('/');
  const isBehindLink = parts.some((_, index) => links.has(parts.slice(0, index + 1).join('/')));
  if (isBehindLink)
    throw new ArchiveProblem(`the entry ${JSON.stringify(path)} would be written through a link`);
}

async function makeFolder(path: string, { folder, folders }: Tree): Promise<void> {
  if (folders.has(path)) return;
  folders.add(path);
  await once(path, () => mkdir(join(folder, path), { recursive: true }));
}

/** A name that is taken already is the archive's fault, and said so. */
async function once<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isTaken = ['EEXIST', 'ENOTDIR'].includes(codeOf(error));
    if (isTaken) throw new ArchiveProblem(`the entry ${JSON.stringify(path)} is there twice`);
    throw error;
  }
}
