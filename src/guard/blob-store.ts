import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';

/** How the repository names its objects. */
export type BlobFormat = 'sha1' | 'sha256';

/** Contents kept under the name git would give them. */
export interface BlobStore {
  format: BlobFormat;
  keep(content: Buffer): string;
  read(id: string): Buffer | undefined;
}

/** Below this, contents stay in memory, out of the reach of whoever may write to our folder. */
const SMALL = 16 * 1024;

/**
 * Names stay in memory, larger contents on disk. The agent may reach that folder where it is not isolated, so
 * whatever is read from it is checked against its name: tampering can lose a content, never replace it.
 */
export function openBlobStore(folder: string, format: BlobFormat): BlobStore {
  mkdirSync(folder, { recursive: true });
  const small = new Map<string, Buffer>();
  const large = new Set<string>();
  return {
    format,
    keep: (content) => {
      const id = blobId(content, format);
      if (content.length <= SMALL) {
        small.set(id, content);
      } else if (!large.has(id)) {
        writeFileSync(join(folder, id), content, { mode: 0o600 });
        large.add(id);
      }
      return id;
    },
    read: (id) => small.get(id) ?? (large.has(id) ? readChecked(join(folder, id), id, format) : undefined),
  };
}

export function blobId(content: Buffer, format: BlobFormat): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Puts a content where git finds it as a loose object. */
export function writeLooseBlob(objects: string, id: string, content: Buffer): void {
  const folder = join(objects, id.slice(0, 2));
  const path = join(folder, id.slice(2));
  if (existsSync(path)) return;
  mkdirSync(folder, { recursive: true });
  const header = Buffer.from(`blob ${content.length}\0`, 'latin1');
  writeFileSync(path, deflateSync(Buffer.concat([header, content]), { level: 1 }));
}

function readChecked(path: string, id: string, format: BlobFormat): Buffer | undefined {
  try {
    const content = readFileSync(path);
    return blobId(content, format) === id ? content : undefined;
  } catch {
    return undefined;
  }
}
