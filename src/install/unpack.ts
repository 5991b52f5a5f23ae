import {
  closeSync,
  createReadStream,
  createWriteStream,
  linkSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { chmod, copyFile, lstat, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser } from 'tar/parse';
import type { ReadEntry } from 'tar/read-entry';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { assertNever, codeOf, messageOf, reasonOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import type { InstallPlan } from './release.js';

/** Unpacks a verified archive into a new folder. Returns the path of the program, which has not been run. */
export async function unpack(archive: string, folder: string, plan: InstallPlan): Promise<string> {
  await mkdir(folder, { recursive: true });
  await unpackFiles(archive, folder, plan);
  const program = await findProgram(folder, plan.platform.program);
  if (program === undefined) throw refused(plan, `does not contain ${plan.platform.program}`);
  const isExecutable = program.endsWith('.cmd') || ((await lstat(program)).mode & 0o100) !== 0;
  if (!isExecutable) throw refused(plan, `cannot be used: ${basename(program)} in it is not executable`);
  return program;
}

/** The archive has one top folder. Some old builds had none. */
async function findProgram(folder: string, name: string): Promise<string | undefined> {
  for (const path of [join(folder, 'dist-package', name), join(folder, name)]) {
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile()) return path;
  }
  return undefined;
}

const refused = ({ release, version }: InstallPlan, why: string, cause?: unknown): RunFailure =>
  new RunFailure('install-failed', `The archive of ${release.title} ${version} ${why}.`, { cause });

async function unpackFiles(archive: string, folder: string, plan: InstallPlan): Promise<void> {
  const { packing, program } = plan.platform;
  try {
    switch (packing) {
      case 'tar.gz':
        await unpackTar(archive, folder);
        return;
      case 'zip':
        await unpackZip(archive, folder);
        return;
      case 'binary':
        await copyFile(archive, join(folder, program));
        await chmod(join(folder, program), 0o755);
        return;
      default:
        return assertNever(packing);
    }
  } catch (error) {
    throw refused(plan, `could not be unpacked: ${reasonOf(error)}`, error);
  }
}

/** An archive that is damaged, or that would write where it must not. */
class ArchiveProblem extends Error {
  override readonly name = 'ArchiveProblem';
}

/** Turns a name in an archive into a path below the target folder. Throws if the name could lead out of it. */
function entryPath(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  // A backslash separates folders on Windows only. No real archive of a CLI contains one.
  if (isAbsolute(name) || parts.includes('..') || /[\\\0]/.test(name)) {
    throw new ArchiveProblem(`the entry ${JSON.stringify(name)} leads out of the archive`);
  }
  return parts.join('/');
}

/**
 * Throws if a link could lead out of the archive. A target may go up only at its beginning, and only to the top of the
 * archive: a later `..` would start from wherever another link leads. So a link ends inside, whatever links are on
 * its way.
 */
function checkLinkTarget(path: string, target: string): void {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const firstName = parts.findIndex((part) => part !== '..');
  const levelsUp = firstName < 0 ? parts.length : firstName;
  const depth = path.split('/').length - 1;
  const isOutside = levelsUp > depth || parts.slice(levelsUp).includes('..');
  if (target === '' || isAbsolute(target) || isOutside || /[\\\0]/.test(target)) {
    throw new ArchiveProblem(`the link ${JSON.stringify(path)} leads out of the archive`);
  }
}

const isAbsolute = (path: string): boolean => path.startsWith('/') || /^[A-Za-z]:/.test(path);

/** Equal for two paths that a disk could take for the same, because it ignores case or normalises accents. */
const foldedPath = (path: string): string => path.normalize('NFKC').toUpperCase().toLowerCase();

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
  const tree = newTree(folder, limits);
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

interface Tree {
  folder: string;
  limits: typeof LIMITS;
  files: Set<string>;
  /** In folded form. */
  links: Set<string>;
  folders: Set<string>;
  bytes: number;
  entries: number;
  hasEnded: boolean;
  open?: number | undefined;
}

const newTree = (folder: string, limits: typeof LIMITS): Tree => ({
  folder,
  limits,
  bytes: 0,
  entries: 0,
  hasEnded: false,
  files: new Set(),
  links: new Set(),
  folders: new Set(),
});

function countEntry(bytes: number, tree: Tree): void {
  tree.entries += 1;
  tree.bytes += bytes;
  if (tree.entries > tree.limits.entries)
    throw new ArchiveProblem(`it has more than ${tree.limits.entries} entries`);
  if (tree.bytes > tree.limits.bytes)
    throw new ArchiveProblem(`it unpacks to more than ${tree.limits.bytes} bytes`);
}

const fileMode = (mode: number): number => ((mode & 0o111) === 0 ? 0o644 : 0o755);

function unpackEntry(entry: ReadEntry, tree: Tree): void {
  countEntry(entry.size, tree);
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
    createOnce(path, () => {
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
  // The flag `wx` creates the file or fails: it neither replaces a file nor follows a link.
  const file = openSync(target, 'wx', fileMode(entry.mode ?? 0));
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
  createOnce(path, () => {
    mkdirSync(join(folder, path), { recursive: true });
  });
}

/** Reports a name that exists already as a problem of the archive. */
function createOnce<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw ['EEXIST', 'ENOTDIR', 'EISDIR'].includes(codeOf(error)) ? isTwice(path) : error;
  }
}

const isTwice = (path: string): ArchiveProblem =>
  new ArchiveProblem(`the entry ${JSON.stringify(path)} is there twice`);

/**
 * Unpacks a zip into an empty folder. yauzl reads its directory and checks the sizes in it while files are written; this
 * code creates the files and refuses links, names that lead out and two entries for one place. A file whose own header
 * has another name than the directory is refused, because another program would have checked or written that one.
 */
export async function unpackZip(archive: string, folder: string, limits = LIMITS): Promise<void> {
  const tree = newTree(folder, limits);
  const seen = new Set<string>();
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(archive, { strictFileNames: true });
    for await (const entry of zip.eachEntry()) {
      const path = entryPath(entry.fileName);
      if (seen.has(foldedPath(path))) throw isTwice(path);
      seen.add(foldedPath(path));
      await checkZipEntry(zip, entry);
      countEntry(entry.uncompressedSize, tree);
      if (entry.fileName.endsWith('/')) makeFolder(path, tree);
      else {
        const content = await zip.openReadStreamPromise(entry);
        const file = openFile(path, fileMode(entry.externalFileAttributes >>> 16), tree);
        await pipeline(content, createWriteStream('', { fd: file }));
      }
    }
  } catch (error) {
    if (error instanceof ArchiveProblem || codeOf(error).startsWith('E')) throw error;
    throw new ArchiveProblem(`it cannot be read: ${messageOf(error)}`, { cause: error });
  } finally {
    zip?.close();
  }
}

const KIND_BITS = 0o170000;
const [FILE_MODE, FOLDER_MODE] = [0o100000, 0o040000];

async function checkZipEntry(zip: ZipFile, entry: Entry): Promise<void> {
  const name = JSON.stringify(entry.fileName);
  // The upper half is the Unix mode, if there is one.
  const kind = (entry.externalFileAttributes >>> 16) & KIND_BITS;
  if (![0, FILE_MODE, FOLDER_MODE].includes(kind))
    throw new ArchiveProblem(`the entry ${name} is neither a file nor a folder`);
  const { fileName } = await zip.readLocalFileHeaderPromise(entry);
  if (!fileName.equals(entry.fileNameRaw)) throw new ArchiveProblem(`the entry ${name} has two names`);
}

function openFile(path: string, mode: number, tree: Tree): number {
  makeFolder(dirname(path), tree);
  return createOnce(path, () => openSync(join(tree.folder, path), 'wx', mode));
}
