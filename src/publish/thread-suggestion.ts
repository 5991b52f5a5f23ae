import { hunkHolding, parseGitDiff, type DiffLine, type FileDiff, type Hunk } from '../git/diff.js';
import { plural } from '../text/format.js';
import { exactSuggestion } from './review-plan.js';

/** The lines that a review thread is about. A suggestion in it replaces all of them, and no others. */
export interface ThreadLines {
  path: string;
  startLine: number;
  endLine: number;
}

/** Longer suggestions are not read before they are applied. */
const MOST_LINES = 200;

/**
 * The patch as a suggestion for the lines of a thread, or why it cannot be one, as the end of a sentence. `hunks` are
 * GitHub's own diff of that file: the patch must have been made for exactly these lines.
 */
export function suggestPatch(
  patch: string,
  lines: ThreadLines | undefined,
  hunks: readonly Hunk[],
): { suggestion: string } | { why: string } {
  if (!lines) return { why: 'there are no lines of the change to put it on' };
  const { startLine, endLine } = lines;
  const [file, ...others] = parseGitDiff(patch);
  if (!file || others.length > 0)
    return { why: `it changes ${plural(others.length + (file ? 1 : 0), 'file')}` };
  if (file.path !== lines.path) return { why: 'it changes another file than the thread is about' };
  if (!isPlain(file, patch)) return { why: 'it does more than change lines of the file' };
  const shown = hunkHolding(hunks, lines);
  const present = new Map((shown?.lines ?? []).flatMap(presentLine));
  const change = readChange(file.hunks);
  const numbers = Array.from({ length: endLine - startLine + 1 }, (_, at) => startLine + at);
  const isInside =
    [...change.removed].every((line) => line >= startLine && line <= endLine) &&
    [...change.added.keys()].every((line) => line >= startLine - 1 && line <= endLine);
  if (!isInside) return { why: 'it changes other lines than those of the thread' };
  const isSame = numbers.every((line) => {
    const seen = change.seen.get(line);
    return present.has(line) && (seen === undefined || seen === present.get(line));
  });
  if (!isSame) return { why: 'the lines of the thread are not those that it was made for' };
  const after = (line: number) => change.added.get(line) ?? [];
  const kept = (line: number) => (change.removed.has(line) ? [] : [present.get(line) ?? '']);
  const result = [...after(startLine - 1), ...numbers.flatMap((line) => [...kept(line), ...after(line)])];
  if (result.length > MOST_LINES) return { why: `it has ${plural(result.length, 'line')}` };
  const text = result.map((line) => `${line}\n`).join('');
  const suggestion = exactSuggestion(
    text,
    numbers.map((line) => present.get(line) ?? ''),
  );
  return suggestion === undefined ? { why: 'nobody would see all of what it does' } : { suggestion };
}

/** A suggestion cannot create, delete or move a file, change its mode, or the newline at its end. */
const isPlain = ({ status, binary }: FileDiff, patch: string): boolean =>
  status === 'modified' && !binary && !/^(?:old mode |new mode |\\ )/m.test(patch);

const withoutReturn = (text: string): string => text.replace(/\r$/, '');

const presentLine = (line: DiffLine): [number, string][] =>
  line.kind === 'removed' ? [] : [[line.new, withoutReturn(line.text)]];

interface LineChange {
  /** The lines of the file before the change that the patch shows. */
  seen: Map<number, string>;
  removed: Set<number>;
  /** New lines, by the line of the old file that they follow. */
  added: Map<number, string[]>;
}

function readChange(hunks: readonly Hunk[]): LineChange {
  const change: LineChange = { seen: new Map(), removed: new Set(), added: new Map() };
  for (const { oldStart, oldCount, lines } of hunks) {
    // Git names the line before a hunk that has no old lines.
    let last = oldCount === 0 ? oldStart : oldStart - 1;
    for (const line of lines) {
      const text = withoutReturn(line.text);
      if (line.kind === 'added') {
        change.added.set(last, [...(change.added.get(last) ?? []), text]);
        continue;
      }
      last = line.old;
      change.seen.set(last, text);
      if (line.kind === 'removed') change.removed.add(last);
    }
  }
  return change;
}
