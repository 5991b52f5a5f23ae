import { wroteIt, type Account } from '../github/accounts.js';
import { GithubError } from '../github/github-error.js';
import { plural } from '../text/format.js';
import { digest, readMarker, withLeftReview, writeMarker, type ReviewedMark } from '../github/marker.js';
import { packFindings } from '../review/left-findings.js';
import type {
  Find,
  NewLineComment,
  LineComment,
  NewReview,
  PostedReview,
  PullRequestApi,
} from './pull-request-api.js';
import type { ReviewPlan } from './review-plan.js';

interface Posting {
  number: number;
  /** A hash of the input `key`. */
  key: string;
  plan: ReviewPlan;
  commit: string | undefined;
  viewer: Account;
  /** The reviews that were there before. */
  known: ReadonlySet<number>;
  /** What was reviewed, to be left in the review. */
  mark: ReviewedMark | undefined;
}

interface Posted {
  review: PostedReview;
  inline: number;
  /** Findings that did not fit. */
  omitted: number;
  notes: string[];
}

export const reviewMarker = (body: string) => {
  const marker = readMarker(body);
  return marker?.kind === 'review' ? marker : undefined;
};

/**
 * Posts the review. GitHub rejects a review as a whole, so it is sent again without what GitHub rejects: a request for
 * changes of our own pull request becomes a comment, and findings on lines that GitHub does not take move into the
 * body. Each round leaves something out, so the rounds end.
 */
export async function postReview(api: PullRequestApi, posting: Posting): Promise<Posted> {
  const { number, plan, mark } = posting;
  let { commit } = posting;
  let event: NewReview['event'] = plan.event;
  let rejected: readonly NewLineComment[] = [];
  let hasSearched = false;
  for (;;) {
    const { body, comments, state, omitted, unthreaded } = plan.without(rejected);
    const memory = mark && { mark, findings: packFindings(unthreaded) };
    const find = async () => (await api.reviews(number)).find(postedSince(posting, state));
    try {
      const review = await send(api, posting, {
        review: { commit, event, body: withLeftReview(body, memory), comments },
        find,
      });
      const notes = [event === plan.event ? '' : OWN_PULL, rejectionNote(rejected)];
      return { review, inline: comments.length, omitted, notes: notes.filter((note) => note !== '') };
    } catch (error) {
      const why = whyRejected(error);
      if (why === undefined || why === 'pending') throw error;
      if (why === 'own-pull' && event === 'REQUEST_CHANGES') {
        event = 'COMMENT';
      } else if (comments.length > 0) {
        const isSearch = why === 'lines' && !hasSearched && comments.length > 1;
        const accepted = isSearch ? await findAccepted(comments, (some) => probe(api, posting, some)) : [];
        hasSearched = true;
        rejected = plan.comments.filter((comment) => !accepted.includes(comment));
      } else if (commit !== undefined) commit = undefined;
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
  return `GitHub rejected ${plural(rejected.length, 'comment')} on lines (${places}). Those findings are in the body of the review.`;
}

/** Why GitHub rejects a review; undefined if the review itself is not the reason. */
function whyRejected(error: unknown): 'pending' | 'own-pull' | 'lines' | 'other' | undefined {
  if (!(error instanceof GithubError) || error.failure.status !== 422 || error.isRateLimit) return undefined;
  const { words } = error.failure;
  if (/one pending review/i.test(words)) return 'pending';
  if (/own pull request|request changes/i.test(words)) return 'own-pull';
  return /\b(?:line|hunk|path|diff|position|thread)\b/i.test(words) ? 'lines' : 'other';
}

const isPending = ({ state }: PostedReview): boolean => state === 'PENDING';

/** A review of another run of ours is complete after this time, with all its comments. */
const OTHER_RUN_MS = 10_000;
const MOST_SENDS = 4;

interface Sending {
  review: NewReview;
  find: Find<PostedReview>;
}

/**
 * An account can have one pending review per pull request, and as long as there is one, GitHub accepts no other. It
 * may belong to another run that is writing its review at this moment, so there is a wait first. One of ours that is
 * still there was left behind by a run that was ended, and is deleted.
 */
async function send(api: PullRequestApi, posting: Posting, { review, find }: Sending): Promise<PostedReview> {
  const { number, viewer } = posting;
  for (let sends = 1; ; sends += 1) {
    try {
      return await api.createReview(number, review, find);
    } catch (error) {
      if (whyRejected(error) !== 'pending' || sends === MOST_SENDS) throw error;
      if (sends === 1) {
        await api.pause(OTHER_RUN_MS);
        continue;
      }
      const pending = (await api.reviews(number)).find(isPending);
      if (!pending) continue;
      const isOurs = wroteIt(pending.author, viewer) && reviewMarker(pending.body) !== undefined;
      if (!isOurs) throw new GithubError(explainPending(pending, posting));
      await api.deletePendingReview(number, pending.id);
    }
  }
}

function explainPending({ id, url }: PostedReview, { number, viewer: { login } }: Posting): string {
  const remedy = login.endsWith('[bot]')
    ? `Another step with this token began it: let that step submit it, or delete it in a job with this token (gh api --method DELETE repos/{owner}/{repo}/pulls/${number}/reviews/${id}).`
    : `Submit or discard it as ${login} on the page of the pull request, or give publish the token of another account.`;
  return `Could not write the review: ${login} has a pending review on #${number} that this step did not write (review ${id}, ${url}), and GitHub allows one per account. ${remedy} Or use as: comment.`;
}

/** How many reviews are tried to find the lines that GitHub does not take. */
export const MOST_PROBES = 20;

/**
 * GitHub does not say which comment it rejects. The comments are therefore tried in halves, and the halves of what is
 * rejected. Comments that are still unknown after `MOST_PROBES` count as rejected.
 */
export async function findAccepted<T>(
  comments: readonly T[],
  isAccepted: (some: readonly T[]) => Promise<boolean>,
): Promise<T[]> {
  let probes = 0;
  const search = async (some: readonly T[], isRejected: boolean): Promise<readonly T[]> => {
    if (some.length === 0 || (isRejected && some.length === 1)) return [];
    if (!isRejected) {
      if (probes === MOST_PROBES) return [];
      probes += 1;
      if (await isAccepted(some)) return some;
      return search(some, true);
    }
    const middle = Math.ceil(some.length / 2);
    const first = await search(some.slice(0, middle), false);
    // If the whole is rejected and the first half is not, then the second half is.
    const second = await search(some.slice(middle), first.length === middle);
    return [...first, ...second];
  };
  return [...(await search(comments, true))];
}

/** Tries comments in a pending review, which nobody sees, and deletes it. */
async function probe(
  api: PullRequestApi,
  posting: Posting,
  comments: readonly NewLineComment[],
): Promise<boolean> {
  const { number, key, commit } = posting;
  // A run that is ended before it deletes this leaves it behind. The next one recognises it by its marker.
  const body = writeMarker({ kind: 'review', key, state: digest('probe', comments) });
  const find = async () =>
    (await api.reviews(number)).find((review) => isPending(review) && review.body.trim() === body);
  try {
    const review: NewReview = { commit, event: 'PENDING', body, comments };
    const { id } = await send(api, posting, { review, find });
    await api.deletePendingReview(number, id);
    return true;
  } catch (error) {
    const why = whyRejected(error);
    if (why === undefined || why === 'pending') throw error;
    return false;
  }
}
