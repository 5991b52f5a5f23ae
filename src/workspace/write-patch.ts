import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { joinBytes, toBytes, toText, type BytePath } from '../git/byte-path.js';
import {
  listDifferences,
  treesOf,
  writeDifferences,
  type FileStore,
  type Side,
  type TreeChange,
  type Trees,
} from '../git/file-store.js';
import { entryAt } from './file-tree.js';
import type { LayerChange } from './workspace.js';

/** The folders with the files before and after the change. */
export type Tops = Record<Side, BytePath>;

/** Both sides of each change, as the repository stores them. */
export interface StoredChanges {
  store: FileStore;
  trees: Trees;
  listed: readonly TreeChange[];
  /** Every path that git lists. For a rename, both paths. */
  paths: ReadonlySet<BytePath>;
  /** What could not be stored, and why. */
  omitted: ReadonlyMap<BytePath, string>;
}

export const pathsOf = ({ before, after }: TreeChange): BytePath[] =>
  [before, after].flatMap((file) => (file ? [file.path] : []));

/** Whether a part of a patch contains no secrets. */
export type MayShow = (text: string) => boolean;

export interface PatchResult {
  file?: string;
  /** Changed files that are not in the patch, and why. */
  omitted: { path: string; reason: string }[];
}

/** What a patch is made from. */
export type PatchSource = StoredChanges & { tops: Tops };

export interface PatchRequest {
  changes: readonly LayerChange[];
  file: string;
  mayShow: MayShow;
}

/** Far more than anybody reads, but small enough to be searched as one text. */
const MAX_PATCH_BYTES = 2 ** 28;

/** A file whose part of the patch contains a secret is left out and reported, so a patch is never silently incomplete. */
export function writePatch(source: PatchSource | undefined, request: PatchRequest): PatchResult {
  const { changes, file } = request;
  rmSync(file, { force: true });
  const named = (paths: Iterable<BytePath>, reason: string) =>
    [...paths].map((path) => ({ path: toText(path), reason }));
  let wanted = new Set(changes.map(({ path }) => path));
  if (!source) return { omitted: named(wanted, 'there is no git to write a patch') };
  const omitted = [...source.omitted]
    .filter(([path]) => wanted.has(path))
    .flatMap(([path, reason]) => named([path], reason));
  try {
    // Without a file, git can describe the others differently (as renames, say), so the new patch is searched again.
    for (;;) {
      const listed = patchOf(source, wanted, file);
      if (listed.length > 0 && statSync(file).size > MAX_PATCH_BYTES) {
        rmSync(file);
        return {
          omitted: [...omitted, ...named(new Set(listed.flatMap(pathsOf)), 'the patch would be too large')],
        };
      }
      const secret = findSecrets(listed, source, request);
      if (secret.size === 0) return { ...(existsSync(file) ? { file } : {}), omitted };
      wanted = new Set([...wanted].filter((path) => !secret.has(path)));
      omitted.push(...named(secret, 'it contains something that must not be shown'));
    }
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** Writes the patch for these paths. Returns the changes in it. */
function patchOf(
  { store, trees, listed, paths }: StoredChanges,
  wanted: ReadonlySet<BytePath>,
  file: string,
): readonly TreeChange[] {
  rmSync(file, { force: true });
  const side = (which: Side) =>
    listed.flatMap((change) => change[which] ?? []).filter(({ path }) => wanted.has(path));
  const files = { before: side('before'), after: side('after') };
  if (files.before.length + files.after.length === 0) return [];
  const isAll = [...paths].every((path) => wanted.has(path));
  const chosen = isAll ? trees : treesOf(store.git, files);
  writeDifferences(store.git, chosen, file);
  return isAll ? listed : listDifferences(store.git, chosen);
}

function findSecrets(
  listed: readonly TreeChange[],
  { tops }: PatchSource,
  { file, mayShow }: PatchRequest,
): Set<BytePath> {
  const parts = listed.length === 0 ? [] : splitParts(readFileSync(file, 'latin1'));
  if (parts.length !== listed.length)
    throw new Error('the files in the patch are not the files that git listed');
  // The patch of a binary file is compressed, so its content is searched too.
  const textsOf = (change: TreeChange, index: number) => [
    parts[index] ?? '',
    ...(change.lines.kind === 'binary'
      ? Object.values(tops).flatMap((top) => pathsOf(change).map((path) => contentAt(joinBytes(top, path))))
      : []),
  ];
  const isShown = (text: string) => mayShow(Buffer.from(text, 'latin1').toString('utf8')) && mayShow(text);
  return new Set(listed.filter((change, index) => !textsOf(change, index).every(isShown)).flatMap(pathsOf));
}

/**
 * One part for each file, in the order in which git lists them. A file that becomes a link has two sections with the
 * same heading. Only a line feed ends a line of a patch: text after a carriage return belongs to a file.
 */
function splitParts(patch: string): string[] {
  const parts: string[] = [];
  for (const part of patch.split(/(?<=^|\n)(?=diff --git )/)) {
    const last = parts.at(-1);
    if (last !== undefined && headingOf(last) === headingOf(part)) parts[parts.length - 1] = last + part;
    else parts.push(part);
  }
  return parts;
}

const headingOf = (part: string): string => part.slice(0, part.indexOf('\n'));

const contentAt = (path: BytePath): string =>
  entryAt(path).kind === 'file' ? readFileSync(toBytes(path), 'latin1') : '';
