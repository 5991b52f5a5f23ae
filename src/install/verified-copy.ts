import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { MOST_ARCHIVE_BYTES, type ExpectedArchive } from './plan.js';
import { codeOf, messageOf } from './retry.js';

export type Copied = { kind: 'good' } | { kind: 'absent' } | { kind: 'bad'; why: string };

/**
 * Copies an archive out of a folder that others can write to, if it is the expected one. The bytes that are
 * hashed are the bytes that are written, so changing the original later has no effect on the copy.
 */
export async function copyVerified(
  source: string,
  target: string,
  expected: ExpectedArchive,
): Promise<Copied> {
  try {
    const why = await copyOrRefuse(source, target, expected);
    if (why === undefined) return { kind: 'good' };
    await rm(target, { force: true });
    return { kind: 'bad', why };
  } catch (error) {
    await rm(target, { force: true });
    switch (codeOf(error)) {
      case 'ENOENT':
      case 'ENOTDIR':
        return { kind: 'absent' };
      // What the system answers when asked not to follow a link, and when asked to open a socket.
      case 'ELOOP':
      case 'ENXIO':
        return { kind: 'bad', why: NOT_A_FILE };
      default:
        return { kind: 'bad', why: messageOf(error) };
    }
  }
}

const NOT_A_FILE = 'it is not a regular file';
/** Do not follow a link, and do not wait for the other end of a pipe. Windows has neither flag. */
const OPEN_FLAGS =
  process.platform === 'win32'
    ? constants.O_RDONLY
    : constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Returns why the archive is not the expected one; nothing if the copy is good. */
async function copyOrRefuse(
  source: string,
  target: string,
  expected: ExpectedArchive,
): Promise<string | undefined> {
  const file = await open(source, OPEN_FLAGS);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return NOT_A_FILE;
    const limit = expected.bytes ?? MOST_ARCHIVE_BYTES;
    if (stats.size > limit) return `it is larger than ${limit} bytes`;
    const sha256 = await copyAndHash(file, target, limit);
    return sha256 === expected.sha256
      ? undefined
      : `its sha256 is ${sha256}, but ${expected.sha256} was expected`;
  } finally {
    await file.close();
  }
}

/** Large chunks, because each one costs a turn of the event loop. */
const CHUNK_BYTES = 1024 * 1024;

async function copyAndHash(file: FileHandle, target: string, limit: number): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(
    // The limit holds even if the file grows while it is read.
    file.createReadStream({ start: 0, end: limit - 1, highWaterMark: CHUNK_BYTES }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(target, { flags: 'wx', highWaterMark: 4 * CHUNK_BYTES }),
  );
  return hash.digest('hex');
}
