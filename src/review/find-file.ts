import { foldPath } from '../text/paths.js';
import type { FoundFile } from './judge-finding.js';

/** One entry of a folder in git's trees. */
export interface GitEntry {
  name: string;
  type: 'file' | 'folder' | 'link' | 'submodule';
  id: string;
  /** In bytes, if it is known. */
  size?: number;
}

/** A file as `git ls-tree` names it. */
export interface ListedFile {
  path: string;
  mode: string;
  id: string;
}

/** Reads `git ls-tree -r -z`. Each record is a mode, a type and an id, a tab, and the path. */
export function parseTree(listing: Buffer): ListedFile[] {
  const records = listing.toString('utf8').split('\0').slice(0, -1);
  return records.map((record) => {
    const tab = record.indexOf('\t');
    const [mode = '', , id = ''] = record.slice(0, tab).split(' ');
    return { path: record.slice(tab + 1), mode, id };
  });
}

/** The entries of a folder; undefined if they are not known. */
export type ReadFolder = (path: string) => readonly GitEntry[] | undefined;

/** The modes of git, with leading zeros or without. */
export function entryType(mode: string): GitEntry['type'] {
  if (/^0?40000$/.test(mode)) return 'folder';
  if (mode === '120000') return 'link';
  return mode === '160000' ? 'submodule' : 'file';
}

/** What a path leads to. Its names may be written in another Unicode form or another case, if only one is meant. */
export type FoundEntry = { path: string; entry: GitEntry } | 'none' | { unread: string };

/** Walks from the top of the repository, one name at a time. Links are not followed: git has none of what they lead to. */
export function findEntry(path: string, readFolder: ReadFolder): FoundEntry {
  const parts = path.split('/');
  let folder = '';
  for (const [index, part] of parts.entries()) {
    const entries = readFolder(folder);
    if (!entries) return { unread: folder };
    const entry = pickEntry(part, entries);
    const isLast = index === parts.length - 1;
    if (!entry || (entry.type === 'folder') === isLast) return 'none';
    const here = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (isLast) return { path: here, entry };
    folder = here;
  }
  return 'none';
}

function pickEntry(name: string, entries: readonly GitEntry[]): GitEntry | undefined {
  const exact = entries.find((entry) => entry.name === name);
  if (exact) return exact;
  const composed = name.normalize('NFC');
  const sameForm = entries.filter((entry) => entry.name.normalize('NFC') === composed);
  const alike =
    sameForm.length > 0 ? sameForm : entries.filter((entry) => foldPath(entry.name) === foldPath(name));
  return alike.length === 1 ? alike[0] : undefined;
}

/** How many lines findings can point at: none if it is binary. Git calls a file binary if its beginning has a zero byte. */
export function countTextLines(bytes: Buffer): number {
  if (bytes.subarray(0, 8000).includes(0) || bytes.length === 0) return 0;
  let lines = bytes.at(-1) === 0x0a ? 0 : 1;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}

/** Finds files by their tree. `countLines` is only asked about ordinary files; undefined if it cannot say. */
export const fileFinder =
  (readFolder: ReadFolder, countLines: (entry: GitEntry, path: string) => number | undefined) =>
  (path: string): FoundFile => {
    const found = findEntry(path, readFolder);
    if (found === 'none') return { kind: 'none' };
    if ('unread' in found) return { kind: 'unknown' };
    const lines = found.entry.type === 'file' ? countLines(found.entry, found.path) : 0;
    return lines === undefined ? { kind: 'unknown' } : { kind: 'file', path: found.path, lines };
  };
