import { hunkHolding, type Hunk } from '../git/diff.js';
import type { Finding } from '../report/findings.js';
import { nameInvisible } from '../text/plain-text.js';
import { REDACTED } from '../text/redact.js';
import { digest } from './marker.js';
import { titleWords } from './publication.js';

/** The hunks of each changed file, by its path after the change; none where GitHub shows no patch. */
export type ChangedFiles = ReadonlyMap<string, readonly Hunk[]>;

/** Where a finding can be shown: on lines of the change, or only in words. */
export type Placed =
  | {
      kind: 'lines';
      finding: Finding;
      startLine: number;
      endLine: number;
      /** Says the same of a later run's finding on the same lines, wherever they have moved to. */
      place: string;
      what: string;
      /** Present if it can be applied exactly. */
      suggestion?: string;
    }
  | { kind: 'words'; finding: Finding; place: string };

/** GitHub takes comments on lines its diff shows, and on no others: one wrong line loses the whole review. */
export function placeFinding(finding: Finding, files: ChangedFiles): Placed {
  const hunks = files.get(finding.path) ?? [];
  const whole = hunkHolding(hunks, finding);
  const hunk = whole ?? lastTouching(hunks, finding);
  if (!hunk) {
    const place = digest('words', finding.path, finding.startLine, finding.endLine);
    return { kind: 'words', finding, place };
  }
  const startLine = Math.max(finding.startLine, hunk.newStart);
  const endLine = Math.min(finding.endLine, hunk.newStart + hunk.newCount - 1);
  const lines = linesOf(hunk, startLine, endLine);
  const suggestion = whole ? exactSuggestion(finding.suggestion, lines) : undefined;
  return {
    kind: 'lines',
    finding,
    startLine,
    endLine,
    place: digest('lines', finding.path, lines),
    what: digest(titleWords(finding.title)),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

/** A finding about more than the change shows is put on the part of it that is shown. */
const lastTouching = (hunks: readonly Hunk[], { startLine, endLine }: Finding): Hunk | undefined =>
  hunks.findLast(
    ({ newStart, newCount }) => newCount > 0 && startLine < newStart + newCount && endLine >= newStart,
  );

const withoutReturn = (line: string): string => line.replace(/\r$/, '');

function linesOf(hunk: Hunk, startLine: number, endLine: number): string[] {
  return hunk.lines.flatMap((line) =>
    line.kind !== 'removed' && line.new >= startLine && line.new <= endLine ? [withoutReturn(line.text)] : [],
  );
}

/**
 * The lines to put in place of these. An empty text takes the lines away. GitHub keeps the line ends of the file, so
 * carriage returns are left out. There is none where applying it would do what nobody sees: hidden characters, a
 * secret that was taken out of it, a line that other bots obey.
 */
function exactSuggestion(suggestion: string | undefined, lines: readonly string[]): string | undefined {
  if (suggestion === undefined) return undefined;
  const text = suggestion.replace(/\r\n?/g, '\n');
  const isCut = text.includes(REDACTED) && !lines.join('\n').includes(REDACTED);
  if (isCut || nameInvisible(text) !== text || SLASH_COMMAND.test(text)) return undefined;
  const wanted = text === '' ? '' : `${text.replace(/\n$/, '')}\n`;
  return wanted === lines.map((line) => `${line}\n`).join('') ? undefined : wanted;
}
const SLASH_COMMAND = /^[ \t]*\/[A-Za-z][\w-]*(?:[ \t].*)?$/m;

/** As a block that GitHub offers to apply; its fence is longer than any run of backticks in it. */
export function suggestionBlock(suggestion: string): string {
  const longest = Math.max(2, ...[...suggestion.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}suggestion\n${suggestion}${fence}`;
}
