import { hunksByPath, type FileDiff } from '../git/diff.js';
import { digest } from '../github/marker.js';
import type { ReviewThread, ThreadReply } from '../github/review-threads.js';
import { placeText, titleWords } from '../report/findings.js';
import type { Finding } from '../report/model.js';
import { dismissedTest, type Dismissed } from '../review/dismissed.js';
import { findingId } from '../review/finding-id.js';
import { linesNow, openFindings, urlsOf, withoutRepeated } from '../review/open-findings.js';
import { joinParts, lineRange, plural } from '../text/format.js';
import { joinWords } from '../text/plain-text.js';

/** What our earlier review left on the pull request, and what became of it. */
export interface EarlierReview {
  threads: readonly ReviewThread[];
  dismissed: readonly Dismissed[];
  /** Findings that have no thread and whose lines are as they were. The text of each ends with where it was. */
  unthreaded: readonly Finding[];
  /** What people with write access dismissed by id, if it is known which key the ids are of. */
  byId?: { key: string; ids: ReadonlySet<string> };
}

/** A flood of replies must not crowd out the change. */
const MAX_FINDINGS = 100;
const MAX_REPLIES = 20;
const MAX_TEXT = 2000;

export function describeEarlier({ threads, dismissed, unthreaded }: EarlierReview): string {
  const count = threads.length + unthreaded.length;
  const isDismissed = urlsOf(dismissed);
  const texts = [
    ...[...threads]
      .sort((one, other) => rank(one) - rank(other))
      .map((thread) => describeThread(thread, isDismissed.has(thread.url))),
    ...unthreaded.map(describeUnthreaded),
  ];
  const left = count - MAX_FINDINGS;
  return [
    `Earlier findings (${count}), as an earlier run of this review left them on the pull request:`,
    ...texts.slice(0, MAX_FINDINGS).map((text, index) => `## ${index + 1}. ${text}`),
    ...(left > 0 ? [`… and ${plural(left, 'more finding')}`] : []),
    '',
  ].join('\n\n');
}

const describeUnthreaded = (finding: Finding): string =>
  [
    JSON.stringify(placeText(finding)),
    'State: open; it is in the text of the review, so there is no thread to reply in',
    indented(`${finding.severity}: ${finding.title}\n\n${finding.body}`),
  ].join('\n\n');

/** What is still open comes first. */
const rank = ({ isResolved, isOutdated }: ReviewThread): number =>
  (isResolved ? 2 : 0) + (isOutdated ? 1 : 0);

function describeThread(thread: ReviewThread, isDismissed: boolean): string {
  const replies = thread.replies.slice(-MAX_REPLIES);
  const left = thread.replies.length - replies.length;
  return [
    `${JSON.stringify(thread.path)}, ${linesOf(thread)}`,
    `State: ${stateOf(thread, isDismissed)}`,
    indented(thread.text),
    ...(left > 0 ? [`(${plural(left, 'earlier reply', 'earlier replies')})`] : []),
    ...replies.map((reply) => `${authorOf(reply)} replied:\n\n${indented(reply.text)}`),
  ].join('\n\n');
}

function linesOf(thread: ReviewThread): string {
  if (thread.line === undefined) return `at line ${thread.originalLine ?? 0} when it was written`;
  const { startLine, endLine } = linesNow(thread);
  return lineRange(startLine, endLine);
}

function stateOf({ isResolved, resolvedBy, isOutdated, thumbsDown }: ReviewThread, isDismissed: boolean) {
  const who = resolvedBy ? ` by ${joinWords(resolvedBy.login)}` : '';
  return joinParts(
    [
      isDismissed ? 'dismissed by a user with write access; do not report it again for the same code' : '',
      isResolved ? `resolved${who}` : 'open',
      isOutdated ? 'its lines changed since' : '',
      thumbsDown.length > 0 ? `${plural(thumbsDown.length, 'person', 'people')} put 👎 on it` : '',
    ],
    '; ',
  );
}

const authorOf = ({ author, isOurs, association }: ThreadReply): string =>
  isOurs ? 'This review' : `${joinWords(author?.login ?? 'an unknown user')} (${joinWords(association)})`;

const indented = (text: string): string =>
  text
    .slice(0, MAX_TEXT)
    .replace(/\r\n?/g, '\n')
    .trim()
    .split('\n')
    .map((line) => `    ${line}`.trimEnd())
    .join('\n');

/**
 * The findings of earlier reviews that still stand: we did not say that they are gone, no user with write access
 * dismissed them, and their code is the same. That a thread is resolved is not enough, because the author of a change
 * can do that. A review of what is new does not look there, so it cannot say that they are gone.
 * The lines of a thread are looked for in the change, by their text: GitHub says where they are in the newest commit,
 * which need not be the one of this run, and after a force push it may not know.
 */
export function standingFindings(
  { threads, dismissed, unthreaded }: EarlierReview,
  change: ReadChange | undefined,
): Finding[] {
  const threaded = openFindings(threads, dismissed, hunksOf(change));
  const isThreaded = ({ path, title }: Finding) =>
    threads.some((thread) => thread.path === path && thread.what === digest(titleWords(title)));
  // A comment lists everything, also what has a thread. The thread then says what became of it.
  const others = unthreaded.filter((finding) => !isThreaded(finding));
  return [...threaded, ...withoutRepeated(others, threaded)];
}

interface ReadChange {
  files: readonly FileDiff[];
}

const hunksOf = (change: ReadChange | undefined) => hunksByPath(change?.files ?? []);

export function dismissedIn(
  { threads, dismissed }: EarlierReview,
  change: ReadChange | undefined,
): (finding: Finding) => boolean {
  // Several reviews are kept apart by keys that this step does not know. Then publish decides, which knows its own.
  const isOneReview = new Set(threads.map(({ key }) => key)).size === 1;
  return isOneReview ? dismissedTest(dismissed, hunksOf(change)) : () => false;
}

/** Whether a user with write access dismissed a finding by its id. `codeOf` hashes the code that it is about. */
export const dismissedById =
  ({ byId }: EarlierReview, codeOf: (finding: Finding) => string) =>
  (finding: Finding): boolean =>
    byId !== undefined && byId.ids.size > 0 && byId.ids.has(findingId(byId.key, codeOf(finding)));
