import { createHash, randomUUID } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { copyFile, link, lstat, mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf, reasonOf } from '../core/errors.js';
import type { InstallIo } from './install.js';
import type { Pin } from './pins.js';
import { MAX_ARCHIVE_BYTES, type PinnedPlan } from './release.js';

/**
 * Copies the archive from the runner's tool cache to `target`; false if it is not there. Others can write to the cache,
 * so every archive in it is verified against the expected hash. That is why none is used without an expected hash.
 */
export async function takeFromToolCache(plan: PinnedPlan, target: string, io: InstallIo): Promise<boolean> {
  if (io.toolCache === undefined) return false;
  const { release, version, expected } = plan;
  const path = toolArchive(io.toolCache, plan);
  const copied = await copyVerified(path, target, expected);
  const what = `${release.title} ${version}`;
  if (copied.kind === 'good')
    io.info(`Using ${what} from the tool cache. Verified: sha256 ${expected.sha256}`);
  if (copied.kind === 'bad') {
    io.warning(`The archive of ${what} in the tool cache is not used: ${copied.why}. It is replaced.`);
    // If it cannot be removed, it cannot be replaced either, and the attempt to replace it reports that.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
  return copied.kind === 'good';
}

/** Adds a verified archive under a temporary name and renames it, so that no job ever sees half of it. */
export async function addToToolCache(plan: PinnedPlan, archive: string, io: InstallIo): Promise<void> {
  if (io.toolCache === undefined) return;
  const path = toolArchive(io.toolCache, plan);
  const folder = dirname(path);
  const partial = join(folder, `${PARTIAL}${randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true });
    await removeAbandoned(folder, io.now());
    // A link takes no time on the same disk. Neither replaces a file that is already there or follows a link.
    await link(archive, partial).catch(() => copyFile(archive, partial, constants.COPYFILE_EXCL));
    await rename(partial, path);
  } catch (error) {
    io.info(
      `The archive could not be stored in the tool cache (${reasonOf(error)}). ` +
        'The next run on this machine downloads it again.',
    );
  } finally {
    await rm(partial, { force: true }).catch(() => undefined);
  }
}

/**
 * The path of an archive in the runner's tool cache. The cache stores archives and never an unpacked CLI: any step of
 * any job on this machine can write there, and only an archive can be verified against the pinned hash.
 * @actions/tool-cache is not used to find it, because it accepts only semantic versions.
 */
function toolArchive(toolCache: string, plan: PinnedPlan): string {
  const name = `${archiveName(plan)}.${plan.platform.packing}`;
  return join(toolCache, plan.release.folder, plan.version, name);
}

export const archiveName = ({ platform, expected }: PinnedPlan): string =>
  `${platform.name.replace('/', '-')}-${expected.sha256.slice(0, 16)}`;

const PARTIAL = '.partial-';

/** No installation takes this long, so the installation that left an older file was killed. */
const ABANDONED_MS = 24 * 60 * 60_000;

async function removeAbandoned(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(PARTIAL)) continue;
    const path = join(folder, name);
    const left = await lstat(path).catch(() => undefined);
    if (left && now - left.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}

type Copied = { kind: 'good' } | { kind: 'absent' } | { kind: 'bad'; why: string };

/**
 * Copies an archive from a folder that others can write to, if it is the expected one. The bytes that are hashed are
 * the bytes that are written, so changing the original later has no effect on the copy.
 */
export async function copyVerified(source: string, target: string, expected: Pin): Promise<Copied> {
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
      // The system's errors for a link that must not be followed, and for a socket.
      case 'ELOOP':
      case 'ENXIO':
        return { kind: 'bad', why: NOT_A_FILE };
      default:
        return { kind: 'bad', why: reasonOf(error) };
    }
  }
}

const NOT_A_FILE = 'it is not a regular file';
/** Do not follow a link, and do not wait for the other end of a pipe. Windows has neither flag. */
const OPEN_FLAGS =
  process.platform === 'win32'
    ? constants.O_RDONLY
    : constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Says why the archive is not the expected one; undefined if the copy is good. */
async function copyOrRefuse(source: string, target: string, expected: Pin): Promise<string | undefined> {
  const file = await open(source, OPEN_FLAGS);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return NOT_A_FILE;
    const limit = expected.bytes ?? MAX_ARCHIVE_BYTES;
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
