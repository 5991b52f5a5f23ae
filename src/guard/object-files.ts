import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import type { BlobFormat } from './blob-store.js';
import { toBytes, type BytePath } from './byte-path.js';

/**
 * The files of an object store prove themselves: a loose object is named after its content, and packs and
 * their indexes end in the hash of all before it. So they need not be kept to tell whether they were changed,
 * which matters because git renews the time of objects it meets again.
 */
export type ObjectFile = 'loose' | 'sealed';

/** Of this repository or a submodule; a reference can be called `objects/…` too, and is none of these. */
const IN_OBJECTS = /^(?:modules\/(?:(?!refs\/|logs\/|hooks\/)[^/]+\/)+)?objects\/(.+)$/s;

export function objectFileKind(path: BytePath): ObjectFile | undefined {
  const [, name] = IN_OBJECTS.exec(path) ?? [];
  if (name === undefined) return undefined;
  if (/^[0-9a-f]{2}\/[0-9a-f]{38,62}$/.test(name)) return 'loose';
  return /^pack\/[^/]+\.(pack|idx|rev)$/.test(name) ? 'sealed' : undefined;
}

const LENGTH: Readonly<Record<BlobFormat, number>> = { sha1: 20, sha256: 32 };
const CHUNK = 1 << 20;
const MOST_INFLATED = 1 << 30;

/** The hash such a file ends in, as it says itself. */
export function readSeal(path: BytePath, format: BlobFormat): string | undefined {
  return withFile(path, (file) => {
    const seal = Buffer.alloc(LENGTH[format]);
    const start = Math.max(0, fstatSync(file).size - seal.length);
    return readSync(file, seal, 0, seal.length, start) === seal.length ? seal.toString('hex') : undefined;
  });
}

/** Whether a file still is what its seal said. */
export function isSealed(path: BytePath, seal: string, format: BlobFormat): boolean {
  const found = withFile(path, (file) => {
    const hash = createHash(format);
    const chunk = Buffer.alloc(CHUNK);
    let left = fstatSync(file).size - LENGTH[format];
    while (left > 0) {
      const length = readSync(file, chunk, 0, Math.min(CHUNK, left), null);
      if (length === 0) return undefined;
      hash.update(chunk.subarray(0, length));
      left -= length;
    }
    return hash.digest('hex');
  });
  return found === seal && readSeal(path, format) === seal;
}

/** Whether a loose object is what it is called. */
export function isTrueToName(path: BytePath, format: BlobFormat): boolean {
  try {
    const content = inflateSync(readFileSync(toBytes(path)), { maxOutputLength: MOST_INFLATED });
    const name = path.split('/').slice(-2).join('');
    return createHash(format).update(content).digest('hex') === name;
  } catch {
    return false;
  }
}

/** Never through a link, and never waiting for a pipe. */
function withFile<T>(path: BytePath, use: (file: number) => T): T | undefined {
  let file: number | undefined;
  try {
    file = openSync(toBytes(path), constants.O_RDONLY | NO_FOLLOW);
    return use(file);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Windows has neither. */
const NO_FOLLOW = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK;
