import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDocument, type Document } from './documented.js';

const MAX_ENTRIES = 50_000;
const MAX_DOCUMENTS = 3000;
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_ALL_BYTES = 40 * 1024 * 1024;

/** Folders whose documents belong to other projects. */
const FOREIGN: ReadonlySet<string> = new Set([
  'node_modules',
  'vendor',
  'third_party',
  'target',
  '.git',
  '.venv',
  'venv',
]);

/** The documents below a folder, without following links. Undefined if there are too many to read them all. */
export function readDocuments(top: string): Document[] | undefined {
  const documents: Document[] = [];
  const folders = [''];
  let [entries, bytes] = [0, 0];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(top, folder), { withFileTypes: true })) {
      entries += 1;
      if (entries > MAX_ENTRIES) return undefined;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !FOREIGN.has(entry.name)) folders.push(path);
      if (!entry.isFile() || !isDocument(path)) continue;
      const text = readSmall(join(top, path), MAX_BYTES);
      if (text === undefined) return undefined;
      documents.push({ path, text });
      bytes += text.length;
      if (documents.length > MAX_DOCUMENTS || bytes > MAX_ALL_BYTES) return undefined;
    }
  }
  return documents;
}

/** The text of a regular file; undefined if it is not one, is too large or cannot be opened. */
export function readSmall(path: string | Buffer, maxBytes = MAX_BYTES): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const state = fstatSync(file);
    return state.isFile() && state.size <= maxBytes ? readFileSync(file, 'utf8') : undefined;
  } finally {
    closeSync(file);
  }
}
