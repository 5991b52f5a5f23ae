import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { fromText, joinBytes, toBytes, toText, type BytePath } from '../git/byte-path.js';
import type { PrivateGit } from '../git/private-git.js';
import { diffTrees, type TreeChange, type TreePair } from '../git/tree-diff.js';
import type { LayerChange } from './changes.js';
import { entryAt } from './file-tree.js';

/** Whether a part of a patch holds nothing that must not be shown. */
export type MayShow = (text: string) => boolean;

export interface PatchResult {
  file?: string;
  /** Changed files that are not in it, and why. */
  omitted: { path: string; reason: string }[];
}

/** Where a patch is made from. */
export interface PatchSource {
  git: PrivateGit;
  byPath: ReadonlyMap<BytePath, TreePair>;
  /** What could not be kept, and why. */
  omitted: ReadonlyMap<BytePath, string>;
  /** Where the files lie, changed and as they were. */
  tops: readonly BytePath[];
}

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
  const omit = (paths: readonly BytePath[], reason: string) =>
    paths.map((path) => ({ path: toText(path), reason }));
  const paths = changes.map(({ path }) => path);
  if (!source) return { omitted: omit(paths, 'there is no git to write a patch') };
  const omitted = paths.flatMap((path) =>
    omit([path], source.omitted.get(path) ?? '').filter((one) => one.reason),
  );
  let pairs = paths.flatMap((path) => source.byPath.get(path) ?? []);
  try {
    // Git may tell the rest in another way once a file is left out, so that is looked through again.
    for (;;) {
      const listed = diffTrees(source.git, pairs, file);
      if (pairs.length > 0 && statSync(file).size > MOST_PATCH_BYTES) {
        rmSync(file);
        return {
          omitted: [
            ...omitted,
            ...omit(
              pairs.map(({ path }) => path),
              'the patch would be too large',
            ),
          ],
        };
      }
      const secret = findSecrets(listed, source, request);
      if (secret.size === 0) return { ...(existsSync(file) ? { file } : {}), omitted };
      pairs = pairs.filter(({ path }) => !secret.has(path));
      omitted.push(...omit([...secret], 'it holds something that must not be shown'));
    }
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
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
      ? tops.flatMap((folder) => pathsOf(change).map((path) => contentAt(joinBytes(folder, path))))
      : []),
  ];
  const isShown = (text: string) => mayShow(Buffer.from(text, 'latin1').toString('utf8')) && mayShow(text);
  return new Set(listed.filter((change, index) => !textsOf(change, index).every(isShown)).flatMap(pathsOf));
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

const pathsOf = (change: TreeChange): BytePath[] =>
  change.status === 'renamed' ? [fromText(change.from), change.key] : [change.key];
