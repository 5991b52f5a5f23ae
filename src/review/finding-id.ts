import { hunkHolding, type Hunk, type LineRange } from '../git/diff.js';
import { digest } from '../github/marker.js';
import { titleWords } from '../report/findings.js';
import type { Finding } from '../report/model.js';
import { hashLines, hashRemoved, linesIn, oldLinesIn } from './dismissed.js';
import { countTextLines } from './find-file.js';

/**
 * The ids of findings, for those that have no thread to dismiss them in. An id belongs to the text of the lines, as a
 * thread does: it stays the same in other words and on lines that moved, and another text has another id. The run and
 * publish both compute it here, so that a dismissal counts in both.
 */

/** What a finding is about: hunks by path, and the lines of a file after the change, if they are available. */
export interface CodeSources {
  files: ReadonlyMap<string, readonly Hunk[]>;
  readLines(path: string, range: LineRange): readonly string[] | undefined;
}

/** A hash of the code that a finding is about; of its words where there is no such text, as in an image. */
export function hashCode(finding: Finding, { files, readLines }: CodeSources): string {
  const { path, side, startLine, endLine } = finding;
  const hunks = files.get(path) ?? [];
  const words = () => digest('words', path, titleWords(finding.title));
  if (side === 'base') {
    const holds = ({ oldStart, oldCount }: Hunk) => startLine >= oldStart && endLine < oldStart + oldCount;
    const hunk = hunks.find(holds);
    return hunk ? hashRemoved(path, oldLinesIn(hunk, finding)) : words();
  }
  const hunk = hunkHolding(hunks, finding);
  const lines = hunk ? linesIn(hunk, finding) : readLines(path, finding);
  return lines && lines.length > 0 ? hashLines(path, lines) : words();
}

/** `key` is a hash of the input `key` of publish, and `code` what `hashCode` gives. */
export const findingId = (key: string, code: string): string => digest('id', key, code);

/** Larger files are not reviewed, and the run and publish must agree which ones these are. */
const MAX_TEXT_BYTES = 5 * 1024 * 1024;

/** Lines of a file; undefined if it is no text, or too long. */
export function linesOf(bytes: Buffer, { startLine, endLine }: LineRange): string[] | undefined {
  if (bytes.length > MAX_TEXT_BYTES || countTextLines(bytes) === 0) return undefined;
  const lines = bytes.toString('utf8').split('\n');
  return lines.slice(startLine - 1, endLine).map((line) => line.replace(/\r$/, ''));
}

/** Ids at the beginning of a line. As in a thread, a line with a question mark is a question. */
const DISMISSING = /^[ \t]*\/cursor[ \t]+dismiss((?:[ \t,]+[0-9a-f]{20}(?![0-9a-z]))+)(?!.*\?)/gimu;
const MAX_IDS = 100;

/** The ids that a comment says to dismiss, such as `/cursor dismiss 0123456789abcdef0123`. */
export const idsDismissedIn = (text: string): string[] =>
  [...text.matchAll(DISMISSING)]
    .flatMap(([, ids = '']) => ids.toLowerCase().match(/[0-9a-f]{20}/g) ?? [])
    .slice(0, MAX_IDS);

/** What a person writes to dismiss a finding. */
export const dismissCommand = (id: string): string => `/cursor dismiss ${id}`;
