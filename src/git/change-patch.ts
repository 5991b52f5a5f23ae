import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import {
  listDifferences,
  treesOf,
  writeDifferences,
  type Side,
  type TreeChange,
  type Trees,
} from './file-store.js';
import { fromText, isText, toText, type BytePath } from './paths.js';
import type { PrivateGit } from './private-git.js';

export const pathsOf = ({ before, after }: TreeChange): BytePath[] =>
  [before, after].flatMap((file) => (file ? [file.path] : []));

/** How secrets are kept out of a patch. */
export interface Hiding {
  /** Whether a part of a patch contains no secrets. */
  mayShow: (text: string) => boolean;
  /** For a patch that is only read: redacts a part that can stay then. Without it, the part is left out. */
  redact?: (text: string) => string;
}

export interface PatchResult {
  file?: string;
  /** Changed files that are not in the patch, and why. */
  omitted: { path: string; reason: string }[];
}

/** Both sides of changes as git stores them. */
export interface PatchSource {
  git: PrivateGit;
  trees: Trees;
  listed: readonly TreeChange[];
  /** What could not be stored, and why. */
  omitted: ReadonlyMap<BytePath, string>;
  /** What is in a file before and after the change. */
  contentsOf(path: BytePath): string[];
}

interface PatchRequest extends Hiding {
  paths: readonly BytePath[];
  file: string;
}

/** Far more than a person reads, but small enough to be searched as one text. */
const MAX_PATCH_BYTES = 2 ** 28;

/**
 * A file whose part of the patch contains a secret is left out and reported, so a patch is never silently incomplete. In
 * a patch that is only read, such a part is redacted where that leaves its lines as they are.
 */
export function writePatch(source: PatchSource | undefined, request: PatchRequest): PatchResult {
  const { paths, file } = request;
  rmSync(file, { force: true });
  const named = (paths: Iterable<BytePath>, reason: string) =>
    [...paths].map((path) => ({ path: toText(path), reason }));
  let wanted = new Set(paths);
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
      const secret = hideSecrets(listed, source, request);
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
  { git, trees, listed }: PatchSource,
  wanted: ReadonlySet<BytePath>,
  file: string,
): readonly TreeChange[] {
  rmSync(file, { force: true });
  const side = (which: Side) =>
    listed.flatMap((change) => change[which] ?? []).filter(({ path }) => wanted.has(path));
  const files = { before: side('before'), after: side('after') };
  if (files.before.length + files.after.length === 0) return [];
  const isAll = listed.flatMap(pathsOf).every((path) => wanted.has(path));
  const chosen = isAll ? trees : treesOf(git, files);
  writeDifferences(git, chosen, file);
  return isAll ? listed : listDifferences(git, chosen);
}

/** Redacts what can be redacted in the patch. Returns the paths of the rest that contains secrets. */
function hideSecrets(
  listed: readonly TreeChange[],
  { contentsOf }: PatchSource,
  { file, mayShow, redact }: PatchRequest,
): Set<BytePath> {
  const parts = listed.length === 0 ? [] : splitParts(readFileSync(file, 'latin1'));
  if (parts.length !== listed.length)
    throw new Error('the files in the patch are not the files that git listed');
  // The patch of a binary file is compressed, so its content is searched too.
  const searched = (change: TreeChange) =>
    change.lines.kind === 'binary' ? pathsOf(change).flatMap(contentsOf) : [];
  const isShown = (text: string) => mayShow(Buffer.from(text, 'latin1').toString('utf8')) && mayShow(text);
  const left = new Set<BytePath>();
  const shown = listed.map((change, index) => {
    const part = parts[index] ?? '';
    if ([part, ...searched(change)].every(isShown)) return part;
    const redacted = redact && change.lines.kind === 'text' ? redactPart(part, redact) : undefined;
    if (redacted !== undefined && isShown(redacted)) return redacted;
    for (const path of pathsOf(change)) left.add(path);
    return part;
  });
  if (left.size === 0 && shown.some((part, index) => part !== parts[index]))
    writeFileSync(file, shown.join(''), 'latin1');
  return left;
}

/** Undefined if the lines would not be the same ones. */
function redactPart(part: string, redact: (text: string) => string): string | undefined {
  const text = toText(part);
  const redacted = isText(part) ? fromText(redact(text)) : redact(part);
  const isSame = redacted.split('\n').length === part.split('\n').length;
  return isSame ? redacted : undefined;
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
