import type { ReviewThread, ThreadReply } from '../github/review-threads.js';
import { MOST_LINE, SEVERITIES, type Finding, type Severity } from '../report/findings.js';
import { plural } from '../text/format.js';
import { oneLine } from './pull-request.js';

/** What an earlier review of ours left on the pull request, and what became of it. */
export interface EarlierReview {
  threads: readonly ReviewThread[];
  /** The threads whose finding somebody with write access dismissed, by their addresses. */
  dismissed: ReadonlySet<string>;
}

/** Nobody reads more, and a flood of replies must not crowd out the change. */
const MOST_THREADS = 100;
const MOST_REPLIES = 20;
const MOST_TEXT = 2000;

/** Our earlier findings and what people said about them, as text. */
export function describeEarlier({ threads, dismissed }: EarlierReview): string {
  const listed = [...threads].sort((one, other) => rank(one) - rank(other)).slice(0, MOST_THREADS);
  const left = threads.length - listed.length;
  return [
    `Earlier findings (${threads.length}), as an earlier run of this review left them on the pull request:`,
    ...listed.map((thread, index) => describeThread(thread, index + 1, dismissed.has(thread.url))),
    ...(left > 0 ? [`… and ${plural(left, 'more finding')}`] : []),
    '',
  ].join('\n\n');
}

/** What is still open comes first. */
const rank = ({ isResolved, isOutdated }: ReviewThread): number =>
  (isResolved ? 2 : 0) + (isOutdated ? 1 : 0);

function describeThread(thread: ReviewThread, number: number, isDismissed: boolean): string {
  const replies = thread.replies.slice(-MOST_REPLIES);
  const left = thread.replies.length - replies.length;
  return [
    `## ${number}. ${JSON.stringify(thread.path)}, ${linesOf(thread)}`,
    `State: ${stateOf(thread, isDismissed)}`,
    indented(thread.text),
    ...(left > 0 ? [`(${plural(left, 'earlier reply', 'earlier replies')})`] : []),
    ...replies.map((reply) => `${authorOf(reply)} replied:\n\n${indented(reply.text)}`),
  ].join('\n\n');
}

function linesOf(thread: ReviewThread): string {
  const { startLine, endLine } = linesNow(thread);
  if (thread.line === undefined) return `at line ${thread.originalLine ?? 0} when it was written`;
  return startLine === endLine ? `line ${endLine}` : `lines ${startLine} to ${endLine}`;
}

const linesNow = ({ line = 1, lineCount }: ReviewThread) => ({
  startLine: Math.max(1, line - lineCount + 1),
  endLine: line,
});

function stateOf({ isResolved, resolvedBy, isOutdated, thumbsDown }: ReviewThread, isDismissed: boolean) {
  const who = resolvedBy ? ` by ${oneLine(resolvedBy.login)}` : '';
  return [
    isDismissed ? 'dismissed by somebody with write access; do not report it again for the same code' : '',
    isResolved ? `resolved${who}` : 'open',
    isOutdated ? 'its lines changed since' : '',
    thumbsDown.length > 0 ? `${plural(thumbsDown.length, 'person', 'people')} put 👎 on it` : '',
  ]
    .filter((part) => part !== '')
    .join('; ');
}

const authorOf = ({ author, isOurs, association }: ThreadReply): string =>
  isOurs ? 'This review' : `${oneLine(author?.login ?? 'somebody')} (${oneLine(association)})`;

const indented = (text: string): string =>
  text
    .slice(0, MOST_TEXT)
    .replace(/\r\n?/g, '\n')
    .trim()
    .split('\n')
    .map((line) => `    ${line}`.trimEnd())
    .join('\n');

/**
 * The findings of earlier reviews that still stand: their threads are open, nobody with write access dismissed them,
 * and GitHub still shows them on their lines, so the code is the same. A review of what is new does not look there, so
 * it cannot say that they are gone.
 */
export const standingFindings = ({ threads, dismissed }: EarlierReview): Finding[] =>
  threads
    .filter(({ url, isResolved, isOutdated }) => !isResolved && !isOutdated && !dismissed.has(url))
    .flatMap(readFinding);

/** The first line of our comments, as publish writes it. */
const TITLE = new RegExp(`^\\S+ <b>(${SEVERITIES.join('|')})</b> — <b>([^\\n]+)</b>(?:\\n|$)`);

/** A finding as a comment of ours tells it. */
function readFinding(thread: ReviewThread): Finding[] {
  const [first, severity, title] = TITLE.exec(thread.text) ?? [];
  if (first === undefined || title === undefined || thread.line === undefined || thread.line > MOST_LINE)
    return [];
  return [
    {
      path: thread.path,
      ...linesNow(thread),
      severity: severity as Severity,
      title: plainTitle(title),
      body: `${thread.text.slice(first.length).trim()}\n\nFrom an earlier review: ${thread.url}`.trim(),
    },
  ];
}

/** Undoes what makes a title safe in a comment. Whoever shows it makes it safe again. */
export const plainTitle = (title: string): string =>
  title
    .replace(/<\/?(?:code|span)>/g, '')
    .replace(/&#(\d{1,5});/g, (_entity, code: string) => String.fromCharCode(Number(code)));

/** The earlier findings about whose lines a new review says nothing. */
export const withoutTold = (earlier: readonly Finding[], found: readonly Finding[]): Finding[] =>
  earlier.filter(
    (one) =>
      !found.some(
        ({ path, startLine, endLine }) =>
          path === one.path && startLine <= one.endLine && endLine >= one.startLine,
      ),
  );
