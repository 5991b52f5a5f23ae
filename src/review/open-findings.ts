import type { Hunk, LineRange } from '../git/diff.js';
import type { ReviewThread } from '../github/review-threads.js';
import { isAtLeast, MAX_LINE, SEVERITIES, withOrigin, type Severity } from '../report/findings.js';
import type { Finding } from '../report/model.js';
import { createLocator, isClosedByUs, type Dismissed } from './dismissed.js';

/** The findings of our threads, as the run and publish both read them. */

/**
 * Those that are open: we did not say that they are gone, no user with write access dismissed them, and their code is the
 * same. The author of the change can resolve a thread, so that closes nothing.
 */
export function openFindings(
  threads: readonly ReviewThread[],
  dismissed: readonly Dismissed[],
  files: ReadonlyMap<string, readonly Hunk[]>,
): Finding[] {
  const isDismissed = urlsOf(dismissed);
  const locate = createLocator(files);
  return threads
    .filter((thread) => !isClosedByUs(thread) && !isDismissed.has(thread.url))
    .flatMap((thread) => {
      const lines = locate(thread)[0] ?? (thread.line === undefined ? undefined : linesNow(thread));
      return lines ? readFinding(thread, lines) : [];
    });
}

export const urlsOf = (dismissed: readonly Dismissed[]): ReadonlySet<string> =>
  new Set(dismissed.map(({ url }) => url));

export const linesNow = ({ line = 1, lineCount }: ReviewThread) => ({
  startLine: Math.max(1, line - lineCount + 1),
  endLine: line,
});

/** The first line of our comments, as publish writes it. */
const TITLE = new RegExp(
  `^\\S+ <b>(${SEVERITIES.join('|')})</b> — <b>([^\\n]+)</b>(?:\\n<sub>[^\\n]*</sub>)?(?:\\n|$)`,
);

/** A finding as our comment states it. */
function readFinding(thread: ReviewThread, { startLine, endLine }: LineRange): Finding[] {
  const [first, severity, title] = TITLE.exec(thread.text) ?? [];
  if (first === undefined || title === undefined || endLine > MAX_LINE) return [];
  return [
    {
      path: thread.path,
      startLine,
      endLine,
      ...(thread.side ? { side: thread.side } : {}),
      severity: severity as Severity,
      title: plainTitle(title),
      body: withOrigin(thread.text.slice(first.length), thread.url),
    },
  ];
}

/** Undoes what makes a title safe in a comment. Code that shows it makes it safe again. */
export const plainTitle = (title: string): string =>
  title
    .replace(/<\/?(?:code|span)>/g, '')
    .replace(/&#(\d{1,5});/g, (_entity, code: string) => String.fromCharCode(Number(code)));

/** The earlier findings, without those on whose lines a new review found something at least as severe. */
export const withoutRepeated = (earlier: readonly Finding[], found: readonly Finding[]): Finding[] =>
  earlier.filter(
    (one) =>
      !found.some(
        (other) =>
          other.path === one.path &&
          other.side === one.side &&
          other.startLine <= one.endLine &&
          other.endLine >= one.startLine &&
          isAtLeast(other, one.severity),
      ),
  );
