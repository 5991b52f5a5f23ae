import { ArchiveProblem, entryPath, foldedPath } from './archive-entry.js';

/** The end record is the last thing in a zip, but for a comment of at most 64 KiB. */
export const END_SEARCH_BYTES = 22 + 65_535;

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const LINK_MODE = 0o120000;
const KIND_BITS = 0o170000;

export interface ZipEntry {
  rawName: Buffer;
  /** The upper half holds the Unix mode, where there is one. */
  attributes: number;
  /** Where its local header is. */
  offset: number;
}

/** The archive's tail and size → where its directory is. */
export function findDirectory(tail: Buffer, size: number): { offset: number; bytes: number; count: number } {
  const at = tail.lastIndexOf(littleEndian(END));
  // It has to reach exactly to the end: else two programs could take two different records for it.
  const isEnd = at >= 0 && at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) === tail.length;
  if (!isEnd) throw new ArchiveProblem('it is not a zip');
  const count = tail.readUInt16LE(at + 10);
  const bytes = tail.readUInt32LE(at + 12);
  const offset = tail.readUInt32LE(at + 16);
  // The marks of the larger format, which no build of the CLI comes near.
  if (count === 0xffff || bytes === 0xffffffff || offset === 0xffffffff || offset + bytes > size) {
    throw new ArchiveProblem('its directory is larger than this action reads, or damaged');
  }
  return { offset, bytes, count };
}

export function readEntries(directory: Buffer, count: number): ZipEntry[] {
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
export function checkZipDirectory(all: readonly { entry: ZipEntry; local: Buffer }[]): void {
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
