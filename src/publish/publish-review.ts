import { wroteIt, type Account } from '../github/account.js';
import { GithubError } from '../github/github-error.js';
import { readMarker } from '../github/marker.js';
import { isGrave, wentWell } from './publication.js';
import type { LineRemark, NewReview, PostedReview, Pull, PullRequestApi } from './pull-request-api.js';
import {
  planReview,
  type ChangedFiles,
  type EarlierComment,
  type ReviewPlan,
  type ReviewRequest,
} from './review-plan.js';

export interface ReviewTask extends Omit<ReviewRequest, 'files' | 'commit' | 'earlier' | 'remark'> {
  number: number;
  pull: Pull;
  /** The commit that the findings are about, if it is known. */
  reviewed: string | undefined;
}

export interface ReviewResult {
  url: string;
  inline: number;
  /** Findings that did not fit. */
  left: number;
  /** There was nothing new. `url` is the earlier review. */
  isUnchanged: boolean;
  notes: string[];
}

/**
 * Writes one review per run, or none if there is nothing new.
 *
 * The first run writes a short review even without findings, because silence could also mean that nobody looked. The
 * next review is written when something changes: the places of the findings, their severity, or how the runs ended.
 * So a pull request that stays clean gets one review, and one that became clean gets a review that says so.
 */
export async function publishReview(
  api: PullRequestApi,
  task: ReviewTask,
  viewer: Account,
): Promise<ReviewResult> {
  const [reviews, remarks] = [await api.reviews(task.number), await api.lineComments(task.number)];
  const own = reviews.filter(
    ({ author, body }) => wroteIt(author, viewer) && reviewMarker(body)?.key === task.key,
  );
  const earlier = remarks.filter(({ author }) => wroteIt(author, viewer)).flatMap(earlierComment);
  const { commit, files, remark } = await chooseCommit(api, task);
  const plan = planReview({ ...task, commit, files, earlier, remark });
  const latest = own.at(-1);
  if (latest && saysTheSame(latest, plan)) {
    // If the last run could not withdraw a request for changes, it would block the pull request for ever.
    const notes = await withdraw(api, task, own);
    return { url: latest.url, inline: 0, left: plan.left, isUnchanged: true, notes };
  }
  const known = new Set(own.map(({ id }) => id));
  const find = async (): Promise<PostedReview | undefined> =>
    (await api.reviews(task.number)).find(
      ({ id, author, body }) =>
        !known.has(id) &&
        wroteIt(author, viewer) &&
        [plan.state, plan.withoutLines.state].includes(reviewMarker(body)?.state ?? ''),
    );
  const posted = await post(api, { number: task.number, plan, commit, find });
  const outdated = earlier.filter(({ key, isOutdated }) => key === task.key && isOutdated);
  const notes = [...posted.notes, ...(await tidyUp(api, { task, own, outdated }))];
  return { url: posted.review.url, inline: posted.inline, left: posted.left, isUnchanged: false, notes };
}

/** Lines that GitHub rejected the last time are not sent again as long as nothing changes. */
function saysTheSame({ body }: PostedReview, { state, comments, withoutLines }: ReviewPlan): boolean {
  const said = reviewMarker(body)?.state;
  return said === withoutLines.state || (said === state && comments.length === 0);
}

const reviewMarker = (body: string) => {
  const marker = readMarker(body);
  return marker?.kind === 'review' ? marker : undefined;
};

function earlierComment({ nodeId, url, body, isOutdated }: LineRemark): EarlierComment[] {
  const marker = readMarker(body);
  if (marker?.kind !== 'finding') return [];
  const { key, place } = marker;
  return [{ nodeId, url, isOutdated, key, place }];
}

/**
 * Line numbers belong to a commit. If it is the head of the pull request, the files are those that GitHub lists. If
 * the pull request has newer commits, the review is put on the reviewed commit, with the files as they were then;
 * GitHub shows such a comment as outdated if its lines have changed since. If the commit is unknown or no longer part
 * of the pull request, line numbers mean nothing, and everything goes into the body.
 */
async function chooseCommit(
  api: PullRequestApi,
  { number, pull, reviewed }: ReviewTask,
): Promise<{ commit: string | undefined; files: ChangedFiles; remark: string }> {
  if (reviewed === pull.head) return { commit: reviewed, files: await api.files(number), remark: '' };
  if (reviewed !== undefined && (await api.commits(number)).includes(reviewed)) {
    const files = await api.filesAt({ base: pull.base, head: reviewed });
    return { commit: reviewed, files, remark: `*About ${reviewed.slice(0, 12)}; there are newer commits.*` };
  }
  const why =
    reviewed === undefined
      ? 'The report does not name its commit, so nothing is put on lines.'
      : `The report is about ${reviewed.slice(0, 12)}, which is no longer part of this pull request, so nothing is put on lines.`;
  return { commit: undefined, files: new Map(), remark: `*${why}*` };
}

interface Posting {
  number: number;
  plan: ReviewPlan;
  commit: string | undefined;
  /** Finds the review if its answer was lost. */
  find: () => Promise<PostedReview | undefined>;
}

/**
 * GitHub rejects a review as a whole. It is then sent again without what GitHub can reject: a request for changes of
 * our own pull request becomes a comment, and findings on lines move into the body.
 */
async function post(
  api: PullRequestApi,
  { number, plan, commit, find }: Posting,
): Promise<{ review: PostedReview; inline: number; left: number; notes: string[] }> {
  let draft: NewReview = { commit, event: plan.event, body: plan.body, comments: plan.comments };
  let left = plan.left;
  const notes: string[] = [];
  for (;;) {
    try {
      const review = await api.createReview(number, draft, find);
      return { review, inline: draft.comments.length, left, notes };
    } catch (error) {
      const words =
        error instanceof GithubError && error.failure.status === 422 ? error.failure.words : undefined;
      if (words === undefined) throw error;
      if (draft.event === 'REQUEST_CHANGES' && /own pull request|request changes/i.test(words)) {
        draft = { ...draft, event: 'COMMENT' };
        notes.push('An account cannot request changes on its own pull request, so the review is a comment.');
      } else if (draft.comments.length > 0) {
        draft = { ...draft, body: plan.withoutLines.body, comments: [] };
        left = plan.withoutLines.left;
        notes.push(
          'GitHub rejected a comment on one of the lines, so all findings are in the body of the review.',
        );
      } else if (draft.commit !== undefined) {
        const { commit: _gone, ...rest } = draft;
        draft = { ...rest, commit: undefined };
      } else throw error;
    }
  }
}

/** A new review folds away the one before it, and a few more in case a run was cut off. */
const MOST_REVIEWS = 5;
const MOST_COMMENTS = 50;

/** Folds away what no longer holds. If that fails, nothing is lost. */
async function tidyUp(
  api: PullRequestApi,
  {
    task,
    own,
    outdated,
  }: { task: ReviewTask; own: readonly PostedReview[]; outdated: readonly EarlierComment[] },
): Promise<string[]> {
  const notes = await withdraw(api, task, own);
  const stale = [...own.slice(-MOST_REVIEWS), ...outdated.slice(-MOST_COMMENTS)];
  for (const { nodeId } of stale) {
    const refusal = await attempt('Outdated comments stay visible.', () => api.minimize(nodeId));
    // If GitHub refuses one, it refuses all.
    if (refusal !== undefined) return [...notes, refusal];
  }
  return notes;
}

/** Withdraws our requests for changes once no severe finding is left. */
async function withdraw(
  api: PullRequestApi,
  { number, event, publication: { findings, shards } }: ReviewTask,
  own: readonly PostedReview[],
): Promise<string[]> {
  const isClear = !findings.some(isGrave) && shards.every(wentWell);
  if (event !== 'auto' || !isClear) return [];
  const notes: string[] = [];
  for (const { id } of own.filter(({ state }) => state === 'CHANGES_REQUESTED')) {
    const message = 'No finding is high or critical any more.';
    const refusal = await attempt('A request for changes stays.', () =>
      api.dismissReview(number, id, message),
    );
    if (refusal !== undefined) notes.push(refusal);
  }
  return notes;
}

/** Does something that may fail. Returns what GitHub refused. */
async function attempt(what: string, act: () => Promise<void>): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (!(error instanceof GithubError)) throw error;
    return `${what} ${error.message}`;
  }
}
