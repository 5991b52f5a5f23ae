import { wroteIt, type Account } from '../github/accounts.js';
import { withLeftReview, withLimitLine } from '../github/marker.js';
import type { ReviewThread } from '../github/review-threads.js';
import { isClosedByUs } from '../review/dismissed.js';
import { leaveReview } from '../review/left-findings.js';
import { chooseReviewCommit, isAboutNewer, type PullPublication } from './choose-target.js';
import {
  closeThreads,
  findGone,
  hasPeople,
  leaveOutDismissed,
  noteRefusal,
  readEarlierThreads,
} from './earlier-threads.js';
import { findTwin, postReview, reviewMarker } from './post-review.js';
import { isGrave } from '../report/findings.js';
import { wentWell, type Publication } from './publication.js';
import type { PostedReview, PullRequestApi } from './pull-request-api.js';
import { limitLine } from './publication-text.js';
import { countRound, roundOf, withholdByRound } from './review-rounds.js';
import { planReview, type ReviewSettings } from './review-plan.js';

type ReviewTask = PullPublication & ReviewSettings;

export interface ReviewResult {
  url: string;
  inline: number;
  omitted: number;
  /** There was nothing new. `url` is the earlier review. */
  isUnchanged: boolean;
  notes: string[];
  publication: Publication;
}

/**
 * Writes one review per run, or none if there is nothing new.
 *
 * The first run writes a short review even without findings, because silence could also mean that there was no review. The
 * next review is written when something changes: the places of the findings, their severity, or how the runs ended.
 * So a pull request that stays clean gets one review, and one that became clean gets a review that says so.
 */
export async function publishReview(
  api: PullRequestApi,
  request: ReviewTask,
  viewer: Account,
): Promise<ReviewResult> {
  const { number, key, pull, reviewed } = request;
  const own = (await api.reviews(number)).filter(
    ({ author, body, state }) =>
      wroteIt(author, viewer) && reviewMarker(body)?.key === key && state !== 'PENDING',
  );
  const { threads, dismissed } = await readEarlierThreads(api, number, { viewer, key });
  const chosen = await chooseReviewCommit(api, request);
  const grounds = { number, viewer, key, threads, dismissed, files: chosen.files };
  const undismissed = await leaveOutDismissed(api, chosen.publication, grounds);
  const { commit } = chosen;
  // The mark of the report, if it is about the commit that the review is put on.
  const mark = undismissed.reviewed?.head === commit ? undismissed.reviewed : undefined;
  const earlier = threads.filter((thread) => !isClosedByUs(thread));
  const round = roundOf(own, undismissed.isSkipped ? undefined : mark);
  const publication = await withholdByRound(api, undismissed, { ...chosen, own, round, pull, earlier });
  const task = { ...request, publication };
  const plan = planReview({ ...task, ...chosen, publication, earlier, ...(round > 0 ? { round } : {}) });
  // Nothing is closed for a commit that is not the newest: its lines are not those that people see.
  const gone = commit === pull.head ? findGone(threads, { ...chosen, publication }) : [];
  const close = () => closeThreads(api, { number, viewer, commit: pull.head, gone });
  const latest = own.at(-1);
  const unchanged = ({ url }: PostedReview, ...more: string[]): ReviewResult => {
    const notes = [...chosen.notes, ...more];
    return { url, inline: 0, omitted: plan.omitted, isUnchanged: true, notes, publication };
  };
  if (latest && own.some(({ body }) => isAboutNewer(body, reviewed, pull)))
    return unchanged(latest, SUPERSEDED);
  // Lines that GitHub rejected the last time are not sent again as long as nothing changes.
  const withoutLines = plan.without(plan.comments);
  // What fails a gate needs its comment, even without a new review.
  const isQuiet = publication.isSkipped && !plan.isGating;
  if (latest && (isQuiet || reviewMarker(latest.body)?.state === withoutLines.state)) {
    const memory = leaveReview(mark, withoutLines.unthreaded);
    // Withheld findings are worth no notification, so the review that is there lists them.
    const isSaidAgain = publication.withheld.length > 0 && !publication.isSkipped && mark !== undefined;
    const text = isSaidAgain ? withoutLines.body : countRound(latest.body, round);
    const line = limitLine(publication, request.links, latest.body);
    const body = withLimitLine(withLeftReview(text, memory), line);
    // It says the same, but from now on it is about a newer commit, or says that a limit kept that from being reviewed.
    const update = () => api.updateReview(number, latest.id, body);
    const isCurrent = body === latest.body.replace(/\r\n/g, '\n');
    return unchanged(
      latest,
      ...(isCurrent ? [] : await noteRefusal('The next run reviews more than what is new.', update)),
      // If the last run could not withdraw a request for changes, it would block the pull request for ever.
      ...(await withdraw(api, task, own)),
      ...(await close()),
    );
  }
  const posting = { number, key, plan, commit, viewer, known: new Set(own.map(({ id }) => id)), mark };
  const posted = await postReview(api, posting);
  const twin = await findTwin(api, posting, posted);
  if (twin) return unchanged(twin, ...posted.notes, TWIN);
  const outdated = threads.filter((thread) => isToFold(thread) && !gone.includes(thread));
  const notes = [
    ...chosen.notes,
    ...posted.notes,
    ...(await close()),
    ...(await withdraw(api, task, own)),
    ...(await foldAway(api, own, outdated)),
  ];
  const { inline, omitted, review } = posted;
  return { url: review.url, inline, omitted, isUnchanged: false, notes, publication };
}

const SUPERSEDED = 'The newest commit was reviewed already, and this report is about an older one.';
const TWIN =
  'Another run posted the same review at the same time, so this run deleted its duplicate comments.';

/** Outdated comments on lines that were reported again. What people talk about stays visible. */
const isToFold = (thread: ReviewThread): boolean =>
  thread.isOutdated && !thread.isResolved && !thread.isMinimized && !hasPeople(thread);

/** A new review folds away the one before it, and a few more in case a run was cut off. */
const MAX_REVIEWS = 5;
const MAX_COMMENTS = 50;

/** Folds away what no longer holds. If that fails, nothing is lost. */
async function foldAway(
  api: PullRequestApi,
  own: readonly PostedReview[],
  outdated: readonly ReviewThread[],
): Promise<string[]> {
  const stale = [
    ...own.slice(-MAX_REVIEWS).map(({ nodeId }) => nodeId),
    ...outdated.slice(-MAX_COMMENTS).map(({ commentNodeId }) => commentNodeId),
  ];
  for (const nodeId of stale) {
    const refusal = await noteRefusal('Outdated comments stay visible.', () => api.minimize(nodeId));
    // If GitHub refuses one, it refuses all.
    if (refusal.length > 0) return refusal;
  }
  return [];
}

/** Withdraws our requests for changes once no severe finding is left, nor one that could not be looked up. */
async function withdraw(
  api: PullRequestApi,
  { number, reviewEvent, publication: { findings, shards, whyUnknown, limit } }: ReviewTask,
  own: readonly PostedReview[],
): Promise<string[]> {
  const isClear = !findings.some(isGrave) && shards.every(wentWell) && whyUnknown === undefined && !limit;
  if (reviewEvent !== 'auto' || !isClear) return [];
  const notes: string[] = [];
  for (const { id } of own.filter(({ state }) => state === 'CHANGES_REQUESTED')) {
    const message = 'No finding is high or critical any more.';
    const refusal = await noteRefusal('A request for changes stays.', () =>
      api.dismissReview(number, id, message),
    );
    notes.push(...refusal);
  }
  return notes;
}
