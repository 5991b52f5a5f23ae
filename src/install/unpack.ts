import { closeSync, createReadStream, linkSync, mkdirSync, openSync, symlinkSync, writeSync } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser } from 'tar/parse';
import type { ReadEntry } from 'tar/read-entry';
import { assertNever, codeOf, messageOf, reasonOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import { askProgram } from '../core/programs.js';
import type { InstallPlan, Platform } from './release.js';

/** Unpacks a verified archive into a new folder. Returns the path of the program, which has not been run. */
export async function unpack(archive: string, folder: string, plan: InstallPlan): Promise<string> {
  await mkdir(folder, { recursive: true });
  await unpackFiles(archive, folder, plan);
  const program = await findProgram(folder, plan.platform.program);
  if (program === undefined) throw refused(plan, `does not contain ${plan.platform.program}`);
  const problem = await programProblem(program, plan.platform);
  if (problem !== undefined) throw refused(plan, `cannot be used: ${problem}`);
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

/**
 * Says what is wrong with an unpacked program, judging by its mode and its first bytes; undefined if it fits the
 * platform. The program is not started for this, because nothing may run outside of isolation.
 */
export async function programProblem(program: string, platform: Platform): Promise<string | undefined> {
  const isBatch = program.endsWith('.cmd');
  const isExecutable = isBatch || ((await lstat(program)).mode & 0o100) !== 0;
  if (!isExecutable) return `${basename(program)} in it is not executable`;
  // Cursor's program is a script that starts the `node` beside it.
  for (const path of [program, join(dirname(program), 'node'), join(dirname(program), 'node.exe')]) {
    const head = await firstBytes(path);
    if (!head || isScript(head)) continue;
    const builtFor = platformOfBinary(head);
    if (builtFor === undefined && isBatch && path === program) continue;
    if (builtFor === undefined) return `${basename(path)} in it is neither a program nor a script`;
    if (!platform.name.startsWith(builtFor)) {
      return `${basename(path)} in it is built for ${builtFor}, not for ${platform.name}`;
    }
  }
  return undefined;
}

const isScript = (head: Buffer): boolean => head.toString('latin1', 0, 2) === '#!';

/**
 * Reads the platform from the header of a binary: Linux (ELF), macOS (Mach-O) or Windows (PE). A universal binary fits
 * all machines that run macOS. `head` has at least 64 bytes.
 */
export function platformOfBinary(head: Buffer): string | undefined {
  const magic = head.readUInt32BE(0);
  if (magic === 0x7f454c46) return `linux/${ELF_MACHINES[head.readUInt16LE(18)] ?? OTHER}`;
  if (magic === 0xcffaedfe) return `darwin/${MACH_MACHINES[head.readUInt32LE(4)] ?? OTHER}`;
  if (magic === 0xcafebabe) return 'darwin';
  const pe = head.readUInt32LE(60);
  const isPe = magic >>> 16 === 0x4d5a && pe + 6 <= head.length && head.readUInt32BE(pe) === 0x50450000;
  return isPe ? `windows/${PE_MACHINES[head.readUInt16LE(pe + 4)] ?? OTHER}` : undefined;
}

const OTHER = 'another machine';
type Machines = Readonly<Record<number, string>>;
const ELF_MACHINES: Machines = { 0x3e: 'x64', 0xb7: 'arm64' };
const MACH_MACHINES: Machines = { 0x01000007: 'x64', 0x0100000c: 'arm64' };
const PE_MACHINES: Machines = { 0x8664: 'x64', 0xaa64: 'arm64' };

/** The first bytes of a file, padded with zeros; undefined if there is no such file. */
async function firstBytes(path: string): Promise<Buffer | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  const file = await open(path, 'r');
  try {
    return (await file.read(Buffer.alloc(4096), 0, 4096, 0)).buffer;
  } finally {
    await file.close();
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
  createOnce(path, () => {
    mkdirSync(join(folder, path), { recursive: true });
  });
}

/** Reports a name that exists already as a problem of the archive. */
function createOnce(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const isTaken = ['EEXIST', 'ENOTDIR'].includes(codeOf(error));
    if (isTaken) throw new ArchiveProblem(`the entry ${JSON.stringify(path)} is there twice`);
    throw error;
  }
}

/**
 * Unpacks a zip into an empty folder with the system's own program, after checking every name in it. The directory at
 * the end of a zip lists all names, and each file has its name in front of it. Both must be the same. The `tar` of
 * Windows, unlike GNU's, reads zips.
 */
export async function unpackZip(archive: string, folder: string): Promise<void> {
  await checkZip(archive);
  const [file, args] =
    process.platform === 'win32'
      ? ['tar', ['-xf', archive, '-C', folder]]
      : ['unzip', ['-q', archive, '-d', folder]];
  const { code, stderr } = await askProgram({ file, args, cwd: folder, env: {} });
  if (code !== 0) throw new ArchiveProblem(stderr.trim() || `${file} failed`);
}

export async function checkZip(archive: string): Promise<void> {
  const file = await open(archive, 'r');
  const read = async (at: number, length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  };
  try {
    const { size } = await file.stat();
    const tail = Math.min(size, END_SEARCH_BYTES);
    const directory = findDirectory(await read(size - tail, tail), size);
    const entries = readEntries(await read(directory.offset, directory.bytes), directory.count);
    checkEntries(
      await Promise.all(
        entries.map(async (entry) => ({ entry, local: await read(entry.offset, 30 + entry.rawName.length) })),
      ),
    );
  } finally {
    await file.close();
  }
}

/** The end record is the last thing in a zip, except for a comment of at most 64 KiB. */
const END_SEARCH_BYTES = 22 + 65_535;

const END = Buffer.from('PK\x05\x06');
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const LINK_MODE = 0o120000;
const KIND_BITS = 0o170000;

interface ZipEntry {
  rawName: Buffer;
  /** The upper half is the Unix mode, if there is one. */
  attributes: number;
  /** The position of its local header. */
  offset: number;
}

/** Finds the directory of a zip, by the archive's last bytes and its size. */
function findDirectory(tail: Buffer, size: number): { offset: number; bytes: number; count: number } {
  const at = tail.lastIndexOf(END);
  // The record must end exactly where the file ends. Otherwise two programs could find two different records.
  const isEnd = at >= 0 && at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) === tail.length;
  if (!isEnd) throw new ArchiveProblem('it is not a zip');
  const count = tail.readUInt16LE(at + 10);
  const bytes = tail.readUInt32LE(at + 12);
  const offset = tail.readUInt32LE(at + 16);
  // These values mark the format for larger archives, which no build of the CLI needs.
  if (count === 0xffff || bytes === 0xffffffff || offset === 0xffffffff || offset + bytes > size) {
    throw new ArchiveProblem('its directory is larger than this action reads, or damaged');
  }
  return { offset, bytes, count };
}

function readEntries(directory: Buffer, count: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== CENTRAL) {
      throw new ArchiveProblem('its directory is damaged');
    }
    const [name, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
    const nameEnd = at + 46 + (name ?? 0);
    entries.push({
      rawName: directory.subarray(at + 46, nameEnd),
      attributes: directory.readUInt32LE(at + 38),
      offset: directory.readUInt32LE(at + 42),
    });
    at = nameEnd + (extra ?? 0) + (comment ?? 0);
  }
  if (at !== directory.length) throw new ArchiveProblem('its directory is damaged');
  return entries;
}

/** Refuses what could be written outside: names that lead out, links of any kind, two names for one place. */
function checkEntries(all: readonly { entry: ZipEntry; local: Buffer }[]): void {
  const seen = new Set<string>();
  for (const { entry, local } of all) {
    const name = entry.rawName.toString('utf8');
    const path = foldedPath(entryPath(name));
    if (((entry.attributes >>> 16) & KIND_BITS) === LINK_MODE) {
      throw new ArchiveProblem(`the entry ${JSON.stringify(name)} is a link`);
    }
    if (seen.has(path)) throw new ArchiveProblem(`the entry ${JSON.stringify(name)} is there twice`);
    seen.add(path);
    const isSame =
      local.length === 30 + entry.rawName.length &&
      local.readUInt32LE(0) === LOCAL &&
      local.readUInt16LE(26) === entry.rawName.length &&
      local.subarray(30).equals(entry.rawName);
    if (!isSame) throw new ArchiveProblem(`the entry ${JSON.stringify(name)} has two names`);
  }
}
