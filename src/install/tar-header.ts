import { ArchiveProblem } from './archive-entry.js';

export const BLOCK = 512;

/** One header of a tar archive, as it stands there. */
export interface TarHeader {
  name: string;
  /** The type flag; a file's may be NUL in old archives. */
  type: string;
  mode: number;
  size: number;
  linkTarget: string;
}

/** 512 bytes → header; nothing for a block of zeros, which ends an archive. */
export function parseHeader(block: Buffer): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (readNumber(block, 148, 8) !== checksumOf(block)) {
    throw new ArchiveProblem('a header does not match its checksum');
  }
  const name = readText(block, 0, 100);
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? readText(block, 345, 155) : '';
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    type: String.fromCharCode(block[156] ?? 0),
    mode: readNumber(block, 100, 8),
    size: readNumber(block, 124, 12),
    linkTarget: readText(block, 157, 100),
  };
}

/** `length key=value\n` again and again, where the length counts itself and is in bytes. */
export function parseRecords(data: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(0x20, at);
    const length = Number(data.toString('latin1', at, space < 0 ? at : space));
    const end = at + length;
    if (!Number.isInteger(length) || length < 5 || end > data.length || data[end - 1] !== 0x0a) {
      throw new ArchiveProblem('an extended header cannot be read');
    }
    const record = data.toString('utf8', space + 1, end - 1);
    const equals = record.indexOf('=');
    if (equals < 1) throw new ArchiveProblem('an extended header cannot be read');
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at = end;
  }
  return records;
}

/** The sum of all bytes, the checksum's own taken as blanks. */
function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let index = 0; index < BLOCK; index += 1) {
    if (index < 148 || index >= 156) sum += block[index] ?? 0;
  }
  return sum;
}

function readText(block: Buffer, start: number, length: number): string {
  const end = block.indexOf(0, start);
  return block.toString('utf8', start, end < 0 || end > start + length ? start + length : end);
}

/** Octal digits; the binary form for numbers that do not fit is for files far larger than any here. */
function readNumber(block: Buffer, start: number, length: number): number {
  const text = readText(block, start, length).trim();
  if (!/^[0-7]*$/.test(text)) throw new ArchiveProblem('a header holds a number that cannot be read');
  return text === '' ? 0 : Number.parseInt(text, 8);
}
