import { wroteIt, type Account } from '../github/accounts.js';
import { GithubError } from '../github/github-error.js';
import { plural } from '../text/format.js';
import { readMarker, withLeftReview, type ReviewedMark } from '../github/marker.js';
import { leaveReview } from '../review/left-findings.js';
import type {
  NewLineComment,
  LineComment,
  NewReview,
  PostedReview,
  PullRequestApi,
} from './pull-request-api.js';
import type { ReviewPlan } from './review-plan.js';

interface Posting {
  number: number;
  key: string;
  plan: ReviewPlan;
  commit: string | undefined;
  viewer: Account;
  known: ReadonlySet<number>;
  mark: ReviewedMark | undefined;
}

interface Posted {
  review: PostedReview;
  inline: number;
  omitted: number;
  notes: string[];
}

export const reviewMarker = (body: string) => {
  const marker = readMarker(body);
  return marker?.kind === 'review' ? marker : undefined;
};

/**
 * Posts the review. GitHub rejects a review as a whole, so it is sent again without what GitHub rejects: a request for
 * changes of our own pull request becomes a comment. GitHub does not say which comment it rejects, so all findings on
 * lines move into the body. Each round leaves something out, so the rounds end. An account can have one pending review
 * per pull request, and as long as there is one, GitHub accepts no other.
 */
export async function postReview(api: PullRequestApi, posting: Posting): Promise<Posted> {
  const { number, plan, mark } = posting;
  let { commit } = posting;
  let event: NewReview['event'] = plan.event;
  let rejected: readonly NewLineComment[] = [];
  let hasWaited = false;
  for (;;) {
    const { body, comments, state, omitted, unthreaded } = plan.without(rejected);
    const memory = leaveReview(mark, unthreaded);
    const review = { commit, event, body: withLeftReview(body, memory), comments };
    const find = async () => (await api.reviews(number)).find(postedSince(posting, state));
    try {
      const posted = await api.createReview(number, review, find);
      const notes = [event === plan.event ? '' : OWN_PULL, rejectionNote(rejected)];
      return { review: posted, inline: comments.length, omitted, notes: notes.filter((note) => note !== '') };
    } catch (error) {
      const why = whyRejected(error);
      if (why === 'pending' && !hasWaited) {
        // It may belong to another run that is writing its review at this moment.
        hasWaited = true;
        await api.pause(OTHER_RUN_MS);
      } else if (why === 'pending') {
        const pending = (await api.reviews(number)).find(isPending);
        throw pending ? new GithubError(explainPending(pending, posting)) : error;
      } else if (why === 'own-pull' && event === 'REQUEST_CHANGES') event = 'COMMENT';
      else if (why !== undefined && comments.length > 0) rejected = plan.comments;
      else if (why !== undefined && commit !== undefined) commit = undefined;
      else throw error;
    }
  }
}

/** Whether a review was posted since this run began, with our key, and says the same. Another key can say the same too. */
const postedSince =
  ({ key, viewer, known }: Posting, state: string | undefined) =>
  (review: PostedReview): boolean => {
    const marker = reviewMarker(review.body);
    const isNew = !known.has(review.id) && !isPending(review) && wroteIt(review.author, viewer);
    return isNew && marker?.key === key && marker.state === state;
  };

/**
 * Another run may have posted the same review at the same moment. Of two that say the same, the older one stays: its
 * run sees itself as the older one, and this one takes its own comments back. Returns the older one.
 */
export async function findTwin(
  api: PullRequestApi,
  posting: Posting,
  { review }: Posted,
): Promise<PostedReview | undefined> {
  const { number } = posting;
  const isSame = postedSince(posting, reviewMarker(review.body)?.state);
  const twin = (await api.reviews(number)).find((each) => each.id < review.id && isSame(each));
  if (!twin) return undefined;
  const isOfThisRun = (each: LineComment) => each.review === review.id && each.replyTo === undefined;
  for (const { id } of (await api.lineComments(number)).filter(isOfThisRun))
    await api.deleteLineComment(number, id);
  await api.minimize(review.nodeId);
  return twin;
}

const OWN_PULL = 'An account cannot request changes on its own pull request, so the review is a comment.';

function rejectionNote(rejected: readonly NewLineComment[]): string {
  if (rejected.length === 0) return '';
  const places = rejected.map(({ path, line }) => `${path}:${line}`).join(', ');
  return `GitHub rejected the comments on lines, at least one of ${plural(rejected.length, 'line')} (${places}). Those findings are in the body of the review.`;
}

/** Why GitHub rejects a review; undefined if the review itself is not the reason. */
function whyRejected(error: unknown): 'pending' | 'own-pull' | 'content' | undefined {
  if (!(error instanceof GithubError) || error.failure.status !== 422 || error.isRateLimit) return undefined;
  const { words } = error.failure;
  if (/one pending review/i.test(words)) return 'pending';
  return /own pull request|request changes/i.test(words) ? 'own-pull' : 'content';
}

const isPending = ({ state }: PostedReview): boolean => state === 'PENDING';

/** After this time, a review that another of our runs writes is complete. */
const OTHER_RUN_MS = 10_000;

function explainPending({ id, url }: PostedReview, { number, viewer: { login } }: Posting): string {
  const remedy = login.endsWith('[bot]')
    ? `Another step with this token began it: let that step submit it, or delete it in a job with this token (gh api --method DELETE repos/{owner}/{repo}/pulls/${number}/reviews/${id}).`
    : `Submit or discard it as ${login} on the page of the pull request, or give publish the token of another account.`;
  return `Could not write the review: ${login} has a pending review on #${number} that this step did not write (review ${id}, ${url}), and GitHub allows one per account. ${remedy} Or use as: comment.`;
}
