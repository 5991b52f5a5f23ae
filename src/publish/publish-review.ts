import { GithubError } from '../github/github-error.js';
import { readMarker } from './marker.js';
import type { ChangedFiles } from './placement.js';
import { isGrave, wentWell } from './publication.js';
import type {
  Account,
  LineRemark,
  NewReview,
  PostedReview,
  Pull,
  PullRequestApi,
} from './pull-request-api.js';
import { planReview, type EarlierComment, type ReviewPlan, type ReviewRequest } from './review-plan.js';
import { wroteIt } from './sticky-comment.js';

export interface ReviewTask extends Omit<ReviewRequest, 'files' | 'commit' | 'earlier' | 'remark'> {
  number: number;
  pull: Pull;
  /** The commit the findings are about, where anybody knows. */
  reviewed: string | undefined;
}

export interface ReviewResult {
  url: string;
  inline: number;
  /** Findings that did not fit. */
  left: number;
  /** Nothing new was to be said; `url` is where it was said. */
  isUnchanged: boolean;
  notes: string[];
}

/**
 * One review a run, and none where there is nothing new.
 *
 * A run without findings writes one short review the first time, because silence could also mean that nobody looked;
 * the next one is written when something changes: the places that have findings, how grave they are, or how the runs
 * went. So a pull request that stays clean hears from us once, and one that became clean hears that it did.
 */
export async function publishReview(
  api: PullRequestApi,
  task: ReviewTask,
  viewer: Account,
): Promise<ReviewResult> {
  const [reviews, remarks] = [await api.reviews(task.number), await api.lineComments(task.number)];
  const own = reviews.filter(({ author, body }) => wroteIt(author, viewer) && keyOf(body) === task.key);
  const earlier = remarks.filter(({ author }) => wroteIt(author, viewer)).flatMap(earlierComment);
  const { commit, files, remark } = await chooseCommit(api, task);
  const plan = planReview({ ...task, commit, files, earlier, remark });
  const latest = own.at(-1);
  if (latest && saysTheSame(latest, plan)) {
    // A request for changes that the last run could not withdraw would block the pull request for ever.
    const notes = await withdraw(api, task, own);
    return { url: latest.url, inline: 0, left: plan.left, isUnchanged: true, notes };
  }
  const known = new Set(own.map(({ id }) => id));
  const lost = async (): Promise<PostedReview | undefined> =>
    (await api.reviews(task.number)).find(
      ({ id, author, body }) =>
        !known.has(id) &&
        wroteIt(author, viewer) &&
        [plan.state, plan.withoutLines.state].includes(stateOf(body) ?? ''),
    );
  const posted = await post(api, { task, plan, commit, lost });
  const outdated = earlier.filter(({ key, isOutdated }) => key === task.key && isOutdated);
  const notes = [...posted.notes, ...(await tidyUp(api, { task, own, outdated }))];
  return { url: posted.review.url, inline: posted.inline, left: posted.left, isUnchanged: false, notes };
}

/** Lines that GitHub would not have the last time are not offered to it again while all is as it was. */
function saysTheSame({ body }: PostedReview, { state, comments, withoutLines }: ReviewPlan): boolean {
  const said = stateOf(body);
  return said === withoutLines.state || (said === state && comments.length === 0);
}

const stateOf = (body: string): string | undefined => {
  const marker = readMarker(body);
  return marker?.kind === 'review' ? marker.state : undefined;
};
const keyOf = (body: string): string | undefined => {
  const marker = readMarker(body);
  return marker?.kind === 'review' ? marker.key : undefined;
};

function earlierComment({ nodeId, url, body, isOutdated }: LineRemark): EarlierComment[] {
  const marker = readMarker(body);
  if (marker?.kind !== 'finding') return [];
  const { key, place, what } = marker;
  return [{ nodeId, url, isOutdated, key, place, what }];
}

/**
 * Line numbers belong to a commit. If it is the head of the pull request, its files are those GitHub lists. If the
 * pull request has moved on, the review is put on the commit that was looked at, with the files as they were then;
 * GitHub shows such comments as outdated where the lines have changed since. If the commit is no longer part of the
 * pull request, or nobody knows it, line numbers mean nothing, and everything is said in the body.
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
      ? 'The report does not say which commit it is about, so nothing is put on lines.'
      : `The report is about ${reviewed.slice(0, 12)}, which is not part of this pull request any more, so nothing is put on lines.`;
  return { commit: undefined, files: new Map(), remark: `*${why}*` };
}

interface Posting {
  task: ReviewTask;
  plan: ReviewPlan;
  commit: string | undefined;
  lost: () => Promise<PostedReview | undefined>;
}

/**
 * GitHub refuses a review as a whole. It is asked again without what it can refuse: a request for changes of our own
 * pull request becomes a comment, and findings on a line it will not have move into the body.
 */
async function post(
  api: PullRequestApi,
  { task, plan, commit, lost }: Posting,
): Promise<{ review: PostedReview; inline: number; left: number; notes: string[] }> {
  let draft: NewReview = { commit, event: plan.event, body: plan.body, comments: plan.comments };
  let left = plan.left;
  const notes: string[] = [];
  for (;;) {
    try {
      const review = await api.createReview(task.number, draft, lost);
      return { review, inline: draft.comments.length, left, notes };
    } catch (error) {
      const words =
        error instanceof GithubError && error.failure.status === 422 ? error.failure.words : undefined;
      if (words === undefined) throw error;
      if (draft.event === 'REQUEST_CHANGES' && /own pull request|request changes/i.test(words)) {
        draft = { ...draft, event: 'COMMENT' };
        notes.push('Nobody can request changes of their own pull request; the review is a comment.');
      } else if (draft.comments.length > 0) {
        draft = { ...draft, body: plan.withoutLines.body, comments: [] };
        left = plan.withoutLines.left;
        notes.push(
          'GitHub would not have a comment on one of the lines; all findings are in the review’s body.',
        );
      } else if (draft.commit !== undefined) {
        const { commit: _gone, ...rest } = draft;
        draft = { ...rest, commit: undefined };
      } else throw error;
    }
  }
}

/** Each new review folds away those before it; a few more, in case a run was cut off. */
const MOST_REVIEWS = 5;
const MOST_COMMENTS = 50;

/** What was said before and no longer holds is folded away. If that does not work out, nothing is lost. */
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
    const refusal = await attempt('Outdated remarks stay visible:', () => api.minimize(nodeId));
    // One refusal is enough to know that this token may not.
    if (refusal !== undefined) return [...notes, refusal];
  }
  return notes;
}

/** Takes back our requests for changes once nothing is left that asks for any. */
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
    const refusal = await attempt('A request for changes stays:', () =>
      api.dismissReview(number, id, message),
    );
    if (refusal !== undefined) notes.push(refusal);
  }
  return notes;
}

/** Does what need not succeed; gives GitHub's refusal in words. */
async function attempt(what: string, act: () => Promise<void>): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (!(error instanceof GithubError)) throw error;
    return `${what} ${error.message}`;
  }
}
