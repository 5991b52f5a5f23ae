import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { TreeEntry } from './tree-entry.js';

const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/**
 * Lies beside an installed CLI and says what it is and what is in it. It is written only once all of that has
 * been verified, and comes into being together with the files, by one rename. It tells damage, not malice:
 * who can change the files of the tool cache can change this one too.
 */
export const ManifestSchema = z.object({
  format: z.literal(1),
  version: z.string(),
  platform: z.string(),
  /** Of the archive it was unpacked from. */
  archive: sha256,
  /** The program's path among the files. */
  program: z.string(),
  entries: z.array(
    z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('file'),
        path: z.string(),
        bytes: z.number(),
        sha256,
        isExecutable: z.boolean(),
      }),
      z.object({ kind: z.literal('link'), path: z.string(), target: z.string() }),
    ]),
  ),
});
export type Manifest = z.output<typeof ManifestSchema>;

/** The first difference between what should be there and what is; nothing if there is none. */
export function findDifference(
  wanted: readonly TreeEntry[],
  found: readonly TreeEntry[],
): string | undefined {
  const there = new Map(found.map((entry) => [entry.path, entry]));
  for (const entry of wanted) {
    const other = there.get(entry.path);
    if (!other) return `${entry.path} is missing`;
    if (!isSame(entry, other)) return `${entry.path} is not what was installed`;
    there.delete(entry.path);
  }
  const [extra] = there.keys();
  return extra === undefined ? undefined : `${extra} was not installed by this action`;
}

function isSame(a: TreeEntry, b: TreeEntry): boolean {
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target;
  return b.kind === 'file' && a.sha256 === b.sha256 && a.isExecutable === b.isExecutable;
}

/** Everything below a folder, every byte of it read. */
export async function readTree(folder: string, below = ''): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for (const item of await readdir(join(folder, below), { withFileTypes: true })) {
    const path = below === '' ? item.name : `${below}/${item.name}`;
    if (item.isDirectory()) entries.push(...(await readTree(folder, path)));
    else if (item.isSymbolicLink())
      entries.push({ kind: 'link', path, target: await readlink(join(folder, path)) });
    else entries.push({ kind: 'file', path, ...(await readContent(join(folder, path))) });
  }
  return entries;
}

const CHUNK_BYTES = 1024 * 1024;

/** Hashes a file. A large one is read by pieces, and while one is hashed the next is read. */
export async function readContent(
  path: string,
): Promise<{ sha256: string; bytes: number; isExecutable: boolean }> {
  const { size, mode } = statSync(path);
  const isExecutable = (mode & 0o100) !== 0;
  // At once: for thousands of small files the waiting is the work.
  if (size < CHUNK_BYTES) {
    const data = readFileSync(path);
    return { sha256: createHash('sha256').update(data).digest('hex'), bytes: data.length, isExecutable };
  }
  return { ...(await hashLarge(path)), isExecutable };
}

async function hashLarge(path: string): Promise<{ sha256: string; bytes: number }> {
  const file = await open(path, 'r');
  try {
    const hash = createHash('sha256');
    const buffers = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)] as const;
    let bytes = 0;
    let reading = file.read(buffers[0], 0, CHUNK_BYTES);
    for (let turn = 1; ; turn += 1) {
      const { buffer, bytesRead } = await reading;
      if (bytesRead === 0) break;
      reading = file.read(turn % 2 === 1 ? buffers[1] : buffers[0], 0, CHUNK_BYTES);
      hash.update(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
    }
    return { sha256: hash.digest('hex'), bytes };
  } finally {
    await file.close();
  }
}
