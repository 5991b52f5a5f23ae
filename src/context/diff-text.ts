import { addedLines, isGenerated, namesOf, parseGitDiff, type FileDiff } from '../git/diff.js';
import { firstLines, plural } from '../text/format.js';

export interface DiffText {
  text: string;
  /** Changed files that are not in the text, because the diff is too long. */
  unread: string[];
}

/** What one chat reads well: some 3,000 lines of diff, and then the code around them. */
export const PART_CHARACTERS = 150_000;

export type PathTest = (path: string) => boolean;

interface DiffPart {
  path: string;
  names: string[];
  text: string;
  added: number;
  removed: number;
  binary: boolean;
}

interface FittedDiff {
  text: string;
  files: number;
  leftOut: string[];
}

/**
 * Splits a diff by file. No line inside a hunk can begin with `diff --git`. The pattern does not use `^`, which would
 * also match after a carriage return or U+2028 in the text of a file.
 */
export function splitDiff(text: string): DiffPart[] {
  const starts = [...text.matchAll(/(?<![^\n])diff --git /g)].map(({ index }) => index);
  return starts.map((start, index) => {
    const part = text.slice(start, starts[index + 1] ?? text.length);
    const [file = UNKNOWN] = parseGitDiff(part);
    const { path, binary } = file;
    return { path, names: namesOf(file), text: part, ...countLines(file), binary };
  });
}

const UNKNOWN: FileDiff = { path: '(unknown)', status: 'modified', binary: false, hunks: [] };

/** The part of a diff that is about some files. A file that was moved is wanted by either of its names. */
export const narrowDiff = ({ text, unread }: DiffText, isWanted: PathTest): DiffText => ({
  text: splitDiff(text)
    .filter(({ names }) => names.some(isWanted))
    .map((part) => part.text)
    .join(''),
  unread: unread.filter(isWanted),
});

export function countLines({ hunks }: FileDiff): { added: number; removed: number } {
  const removed = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === 'removed'));
  return { added: addedLines(hunks).length, removed: removed.length };
}

/**
 * As much of a diff as fits. A file is included whole or left out, and the end lists the files that are left out.
 * Generated files are left out first, then the longest ones.
 */
export function fitDiff(
  parts: readonly DiffPart[],
  maxCharacters: number,
  unread: readonly string[] = [],
): FittedDiff {
  const sized = parts.map((part) => ({
    ...part,
    characters: part.text.length,
    rank: Number(isGenerated(part.path)),
  }));
  let total = sized.reduce((sum, { characters }) => sum + characters, 0);
  const dropped = new Set<DiffPart>();
  for (const part of [...sized].sort(
    (one, other) => other.rank - one.rank || other.characters - one.characters,
  )) {
    if (total <= maxCharacters) break;
    dropped.add(part);
    total -= part.characters;
  }
  const kept = sized.filter((part) => !dropped.has(part)).map(({ text }) => text);
  const left = [
    ...sized
      .filter((part) => dropped.has(part))
      .map(({ path, added, removed, characters }) => ({
        path,
        words: `+${added} −${removed} lines, ${characters} characters of diff`,
      })),
    ...unread.map((path) => ({ path, words: 'not read' })),
  ];
  return {
    text: [...kept, listLeftOut('because it would be too long, generated files first', left)].join(''),
    // A file that became a link has two parts.
    files: new Set([...parts.map(({ path }) => path), ...unread]).size,
    leftOut: left.map(({ path }) => path),
  };
}

export interface LeftOut {
  path: string;
  words: string;
}

const MAX_LISTED = 1000;

/** The end of a diff: which changed files it lacks, and why. Empty if it lacks none. */
export function listLeftOut(why: string, left: readonly LeftOut[]): string {
  if (left.length === 0) return '';
  const files = left.map(({ path, words }) => `${JSON.stringify(path)} (${words})`);
  const head = `Left out of this diff ${why}: ${plural(left.length, 'changed file')}.`;
  return [head, ...firstLines(files, MAX_LISTED)].map((line) => `# ${line}\n`).join('');
}
