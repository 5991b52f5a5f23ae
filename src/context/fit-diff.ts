import { addedLines, parseGitDiff, type FileDiff } from '../git/diff.js';
import { isGenerated } from '../git/generated-files.js';

/** A diff as it was had. */
export interface DiffText {
  /** In the form of `git diff`. */
  text: string;
  /** Changed files of which the text has nothing, because it would be too long to look at. */
  unread: string[];
}

/** One file's part of a diff. */
export interface DiffPart {
  path: string;
  text: string;
  added: number;
  removed: number;
  binary: boolean;
}

export interface FittedDiff {
  text: string;
  /** How many files the change has in all. */
  files: number;
  /** Those whose part was left out. */
  leftOut: string[];
}

/**
 * A diff file by file. No line inside of a hunk can begin like a file's head; but only a line feed ends a line, and
 * `^` would also be found after a carriage return or U+2028 in the text of a file.
 */
export function splitDiff(text: string): DiffPart[] {
  const starts = [...text.matchAll(/(?<![^\n])diff --git /g)].map(({ index }) => index);
  return starts.map((start, index) => {
    const part = text.slice(start, starts[index + 1] ?? text.length);
    const [file] = parseGitDiff(part);
    return {
      path: file?.path ?? '(unknown)',
      text: part,
      ...countLines(file),
      binary: file?.binary ?? false,
    };
  });
}

/** What a diff has of some files, and nothing of the others. */
export const narrowDiff = ({ text, unread }: DiffText, wanted: ReadonlySet<string>): DiffText => ({
  text: splitDiff(text)
    .filter(({ path }) => wanted.has(path))
    .map((part) => part.text)
    .join(''),
  unread: unread.filter((path) => wanted.has(path)),
});

export function countLines(file: FileDiff | undefined): { added: number; removed: number } {
  const hunks = file?.hunks ?? [];
  const removed = hunks.reduce(
    (sum, { lines }) => sum + lines.filter(({ kind }) => kind === 'removed').length,
    0,
  );
  return { added: addedLines(hunks).length, removed };
}

/**
 * As much of a diff as fits: files are whole or not there at all, and those that are not are named at the end.
 * What programs wrote goes first, then the longest.
 */
export function fitDiff(
  parts: readonly DiffPart[],
  mostBytes: number,
  unread: readonly string[] = [],
): FittedDiff {
  const sizes = new Map(parts.map((part) => [part, Buffer.byteLength(part.text)]));
  const sizeOf = (part: DiffPart) => sizes.get(part) ?? 0;
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const dropped = new Set<DiffPart>();
  const firstToGo = parts
    .map((part) => ({ part, rank: Number(isGenerated(part.path)), size: sizeOf(part) }))
    .sort((one, other) => other.rank - one.rank || other.size - one.size);
  for (const { part } of firstToGo) {
    if (total <= mostBytes) break;
    dropped.add(part);
    total -= sizeOf(part);
  }
  const kept = parts.filter((part) => !dropped.has(part)).map(({ text }) => text);
  const left = [
    ...parts
      .filter((part) => dropped.has(part))
      .map((part) => ({
        path: part.path,
        words: `+${part.added} −${part.removed} lines, ${sizeOf(part)} bytes of diff`,
      })),
    ...unread.map((path) => ({ path, words: 'not looked at' })),
  ];
  return {
    text: [...kept, leftOutList(left)].join(''),
    // A file that became a link is told in two parts.
    files: new Set([...parts.map(({ path }) => path), ...unread]).size,
    leftOut: left.map(({ path }) => path),
  };
}

/** Even the list of what is missing is bounded. */
const MOST_LISTED = 1000;

function leftOutList(left: readonly { path: string; words: string }[]): string {
  if (left.length === 0) return '';
  const lines = left.slice(0, MOST_LISTED).map(({ path, words }) => `# ${JSON.stringify(path)} (${words})`);
  const more = left.length > MOST_LISTED ? [`# … and ${left.length - MOST_LISTED} more`] : [];
  return [
    `# Left out of this diff because it would be too long: ${left.length} changed files, generated ones first.`,
    ...lines,
    ...more,
    '',
  ].join('\n');
}
