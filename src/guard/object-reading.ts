import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { blobId } from './blob-store.js';
import { openPrivateGit } from './private-git.js';
import type { RepositorySnapshot } from './snapshot.js';

/**
 * Fetches contents the repository held before the agent into our own store. Each is checked against its name:
 * git itself does not check blobs when it reads them, and the agent may have reached the object store.
 */
export function loadObjects(snapshot: RepositorySnapshot, ids: readonly string[]): void {
  const missing = [...new Set(ids)].filter((id) => snapshot.store.read(id) === undefined);
  if (missing.length === 0) return;
  const { place, settings, repository } = snapshot;
  const objects = join(repository.commonFolder, 'objects');
  const git = openPrivateGit({
    program: place.program,
    parent: place.parent,
    format: settings.format,
    objects,
  });
  const folder = mkdtempSync(join(place.parent, 'objects-'));
  const file = openSync(join(folder, 'answer'), 'w+', 0o600);
  try {
    git.call({
      args: ['cat-file', '--batch'],
      input: Buffer.from(missing.map((id) => `${id}\n`).join('')),
      output: file,
    });
    takeAnswers(file, snapshot);
  } catch {
    // An object store that git cannot read any more: what it held stays unknown, and is reported so.
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
    git.close();
  }
}

/** Each answer: a line with name, type and size (or "missing"), then the content and a line end. */
function takeAnswers(file: number, { store, limits }: RepositorySnapshot): void {
  for (let at = 0; ;) {
    const line = readLine(file, at);
    if (line === undefined) return;
    at += line.length + 1;
    const [id = '', type, size] = line.split(' ');
    if (size === undefined) continue;
    const length = Number(size);
    if (type === 'blob' && length <= limits.fileBytes) {
      const content = Buffer.alloc(length);
      if (readFully(file, content, at) && blobId(content, store.format) === id) store.keep(content);
    }
    at += length + 1;
  }
}

function readLine(file: number, at: number): string | undefined {
  const chunk = Buffer.alloc(256);
  const length = readSync(file, chunk, 0, chunk.length, at);
  const end = chunk.subarray(0, length).indexOf('\n');
  return end < 0 ? undefined : chunk.toString('latin1', 0, end);
}

function readFully(file: number, into: Buffer, at: number): boolean {
  for (let done = 0; done < into.length;) {
    const length = readSync(file, into, done, into.length - done, at + done);
    if (length === 0) return false;
    done += length;
  }
  return true;
}
