import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { joinBytes, toBytes, toText, type BytePath } from '../git/byte-path.js';
import type { FileStore } from '../git/checkout-git.js';
import { listDifferences, treesOf, writeDifferences, type TreeChange, type Trees } from '../git/tree-diff.js';
import type { LayerChange } from './changes.js';
import { entryAt } from './file-tree.js';

/** Where the files of a change lie, as they were and as they are. */
export type Tops = Record<'before' | 'after', BytePath>;

/** Both sides of each change, as the repository keeps files. */
export interface KeptFiles {
  store: FileStore;
  trees: Trees;
  listed: readonly TreeChange[];
  /** Every path that git lists: of a rename both. */
  paths: ReadonlySet<BytePath>;
  /** What could not be kept, and why. */
  omitted: ReadonlyMap<BytePath, string>;
}

export const keysOf = ({ before, after }: TreeChange): BytePath[] =>
  [before, after].flatMap((file) => (file ? [file.path] : []));

/** Whether a part of a patch holds nothing that must not be shown. */
export type MayShow = (text: string) => boolean;

export interface PatchResult {
  file?: string;
  /** Changed files that are not in it, and why. */
  omitted: { path: string; reason: string }[];
}

/** Where a patch is made from. */
export type PatchSource = KeptFiles & { tops: Tops };

export interface PatchRequest {
  changes: readonly LayerChange[];
  file: string;
  mayShow: MayShow;
}

/** Far more than anybody reads, and what can still be looked through as one text. */
const MOST_PATCH_BYTES = 2 ** 28;

/** A file whose part of the patch must not be shown is left out of it, and named: a patch is never quietly another. */
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
    // Git may tell the rest in another way once a file is left out, so that is looked through again.
    for (;;) {
      const listed = patchOf(source, wanted, file);
      if (listed.length > 0 && statSync(file).size > MOST_PATCH_BYTES) {
        rmSync(file);
        return {
          omitted: [...omitted, ...named(new Set(listed.flatMap(keysOf)), 'the patch would be too large')],
        };
      }
      const secret = findSecrets(listed, source, request);
      if (secret.size === 0) return { ...(existsSync(file) ? { file } : {}), omitted };
      wanted = new Set([...wanted].filter((path) => !secret.has(path)));
      omitted.push(...named(secret, 'it holds something that must not be shown'));
    }
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** Writes the patch of some paths, and gives what is in it. */
function patchOf(
  { store, trees, listed, paths }: KeptFiles,
  wanted: ReadonlySet<BytePath>,
  file: string,
): readonly TreeChange[] {
  rmSync(file, { force: true });
  const side = (which: 'before' | 'after') =>
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
  if (parts.length !== listed.length) throw new Error('git wrote a patch with other files than it lists');
  // What git packs cannot be read in the patch.
  const textsOf = (change: TreeChange, index: number) => [
    parts[index] ?? '',
    ...(change.lines.kind === 'binary'
      ? Object.values(tops).flatMap((top) => keysOf(change).map((path) => contentAt(joinBytes(top, path))))
      : []),
  ];
  const isShown = (text: string) => mayShow(Buffer.from(text, 'latin1').toString('utf8')) && mayShow(text);
  return new Set(listed.filter((change, index) => !textsOf(change, index).every(isShown)).flatMap(keysOf));
}

/**
 * A part for each file, in the order in which git lists them. A file that becomes a link is told in two, with the same
 * heading. Only a line feed ends a line of a patch: what follows a carriage return belongs to a file.
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
