import { open } from 'node:fs/promises';
import { ArchiveProblem, entryPath, foldedPath } from './archive-entry.js';

/**
 * Unpacks a zip into an empty folder with the system's own program, after checking every name in it. The directory at
 * the end of a zip lists all names, and each file has its name in front of it. Both must be the same.
 */
export async function unpackZip(archive: string, folder: string): Promise<void> {
  await checkZip(archive);
  const { extractZip } = await import('@actions/tool-cache');
  await extractZip(archive, folder);
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

const END = 0x06054b50;
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
  const at = tail.lastIndexOf(littleEndian(END));
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

function littleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
