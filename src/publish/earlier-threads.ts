import type { ChangedFiles } from '../git/diff.js';
import { wroteIt, type Account } from '../github/accounts.js';
import { digest, writeMarker } from '../github/marker.js';
import { GithubError, ifRefused } from '../github/github-error.js';
import type { ReviewThread } from '../github/review-threads.js';
import {
  createLocator,
  dismissalsOf,
  dismissedTest,
  findDismissed,
  isClosedByUs,
  type Dismissed,
} from '../review/dismissed.js';
import { idsDismissedIn } from '../review/finding-id.js';
import { openFindings, withoutRepeated } from '../review/open-findings.js';
import { titleWords } from '../report/findings.js';
import { shortCommit } from '../text/format.js';
import { goodRuns, idOf, runsOf, type PlacedFinding, type Publication } from './publication.js';
import type { PullRequestApi } from './pull-request-api.js';

/**
 * Reads our threads of one key, and which of their findings people with write access dismissed. Only people who
 * dismissed something are looked up.
 */
export async function readEarlierThreads(
  api: PullRequestApi,
  number: number,
  { viewer, key }: { viewer: Account; key: string },
): Promise<{ threads: ReviewThread[]; dismissed: Dismissed[] }> {
  const threads = (await api.threads(number, viewer)).filter((thread) => thread.key === key);
  const logins = threads.flatMap((thread) => dismissalsOf(thread, viewer)).map(({ login }) => login);
  const writers = await api.writers(logins);
  return { threads, dismissed: findDismissed(threads, { viewer, writers }) };
}

/**
 * Leaves out what people with write access dismissed: in our threads, or by id in a comment below the pull request. Of
 * those who wrote such a comment, only they are looked up who name a finding that is there. If a run with a gate looked
 * at nothing, the findings of our open threads count first.
 */
export async function leaveOutDismissed(
  api: PullRequestApi,
  publication: Publication,
  { number, viewer, key, threads, dismissed, files }: DismissedGrounds,
): Promise<Publication> {
  const open = needsEarlier(publication) ? openFindings(threads, dismissed, files) : [];
  const standing = [
    ...publication.standing,
    ...withoutRepeated(open, publication.standing).map((finding): PlacedFinding => ({
      ...finding,
      place: finding.side === 'base' ? 'removed' : 'in-change',
    })),
  ];
  const findId = idOf(publication, key);
  const ids = new Set(standing.flatMap((finding) => findId(finding) ?? []));
  const comments = ids.size === 0 ? [] : await api.comments(number);
  const said = comments.flatMap(({ author, body }) => {
    const named = idsDismissedIn(body).filter((id) => ids.has(id));
    return author && !wroteIt(author, viewer) && named.length > 0 ? [{ login: author.login, named }] : [];
  });
  const writers = await api.writers(said.map(({ login }) => login));
  const dismissedIds = new Set(said.flatMap((remark) => (writers.has(remark.login) ? remark.named : [])));
  const isDismissedInThread = dismissedTest(dismissed, files);
  const stays = (finding: PlacedFinding) =>
    !isDismissedInThread(finding) && !dismissedIds.has(findId(finding) ?? '');
  const left = standing.filter(stays);
  return {
    ...publication,
    standing: left,
    findings: publication.findings.filter(stays),
    withheld: publication.withheld.filter(({ finding }) => stays(finding)),
    dismissed: publication.dismissed + standing.length - left.length,
  };
}

interface DismissedGrounds {
  number: number;
  viewer: Account;
  key: string;
  threads: readonly ReviewThread[];
  dismissed: readonly Dismissed[];
  files: ChangedFiles;
}

/** Whether a run with a gate looked at nothing because nothing is new. What is open on the pull request counts then. */
export const needsEarlier = ({ gate, shards }: Publication): boolean =>
  gate !== undefined && runsOf(shards).some(({ skipped }) => skipped?.code === 'unchanged');

export const hasPeople = ({ replies }: ReviewThread): boolean => replies.some(({ isOurs }) => !isOurs);

interface ReviewedFiles {
  publication: Publication;
  /** The files of the reviewed commit, which must be the head of the pull request. */
  files: ChangedFiles;
  isCut: boolean;
}

/**
 * The threads to close: their lines are no longer in the change as they were, a run that was given the whole file went
 * well and does not report them, and no one else said anything in them. A person may have asked something, and a
 * question is not closed by a machine.
 */
export function findGone(
  threads: readonly ReviewThread[],
  { publication, files, isCut }: ReviewedFiles,
): ReviewThread[] {
  const { covered, reported, shards, isSkipped } = publication;
  if (isSkipped || !goodRuns(shards).some(({ review }) => review)) return [];
  const locate = createLocator(files);
  return threads.filter((thread) => {
    const { path, what } = thread;
    const isOpen = !thread.isResolved && !(thread.isMinimized && isClosedByUs(thread));
    const areLinesGone = thread.isOutdated && locate(thread).length === 0;
    const hunks = files.get(path);
    // A file that is no longer changed need not be looked at. Without a patch it is unknown what changed.
    const isLookedAt = hunks === undefined ? !isCut : hunks.length > 0 && covered.has(path);
    const isStillFound = reported.some(
      (finding) => finding.path === path && digest(titleWords(finding.title)) === what,
    );
    return isOpen && areLinesGone && isLookedAt && !isStillFound && !hasPeople(thread);
  });
}

/** Each costs two requests, and GitHub limits how much is written per minute. */
const MAX_CLOSED = 50;

interface Closing {
  number: number;
  viewer: Account;
  commit: string;
  gone: readonly ReviewThread[];
}

/**
 * Says in each thread why it is closed, and resolves it, or folds our comment away where the token may not resolve. If
 * that fails, nothing is lost, and the next run tries again.
 */
export async function closeThreads(api: PullRequestApi, closing: Closing): Promise<string[]> {
  let mayResolve = true;
  for (const thread of closing.gone.slice(0, MAX_CLOSED)) {
    const refusal = await noteRefusal('Threads whose findings are gone stay open.', async () => {
      if (!isClosedByUs(thread)) await sayWhy(api, closing, thread);
      if (mayResolve) mayResolve = Boolean(await api.resolveThread(thread.id).catch(ifRefused(false)));
      if (!mayResolve) await api.minimize(thread.commentNodeId);
    });
    if (refusal.length > 0) return refusal;
  }
  return [];
}

/** Does something that is not worth a failure. Returns what GitHub refused, and what follows from that; else nothing. */
export async function noteRefusal(consequence: string, act: () => Promise<unknown>): Promise<string[]> {
  try {
    await act();
    return [];
  } catch (error) {
    if (!(error instanceof GithubError)) throw error;
    return [`${consequence} ${error.message}`];
  }
}

async function sayWhy(api: PullRequestApi, closing: Closing, thread: ReviewThread): Promise<void> {
  const { number, viewer, commit } = closing;
  const { key, place, id } = thread;
  const body =
    `${writeMarker({ kind: 'closed', key, place })}\n` +
    `These lines are no longer in the change as they were, and the review of ${shortCommit(commit)} does not report this any more.`;
  const find = async () => {
    const now = (await api.threads(number, viewer)).find((each) => each.id === id);
    return now && isClosedByUs(now) ? now : undefined;
  };
  await api.createReply(number, { thread: thread.commentId, body }, find);
}
