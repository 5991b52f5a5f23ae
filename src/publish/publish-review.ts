import { wroteIt, type Account } from '../github/account.js';
import { addPermission, GithubError } from '../github/github-error.js';
import { number as formatNumber } from '../text/format.js';
import { readMarker } from '../github/marker.js';
import { postReview, reviewMarker } from './post-review.js';
import { isGrave, wentWell } from './publication.js';
import type { ChangedFileList, LineRemark, PostedReview, Pull, PullRequestApi } from './pull-request-api.js';
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
    ({ author, body, state }) =>
      wroteIt(author, viewer) && reviewMarker(body)?.key === task.key && state !== 'PENDING',
  );
  const earlier = remarks.filter(({ author }) => wroteIt(author, viewer)).flatMap(earlierComment);
  const { commit, files, remark, notes: before } = await chooseCommit(api, task);
  const plan = planReview({ ...task, commit, files, earlier, remark });
  const latest = own.at(-1);
  if (latest && saysTheSame(latest, plan)) {
    // If the last run could not withdraw a request for changes, it would block the pull request for ever.
    const notes = [...before, ...(await withdraw(api, task, own))];
    return { url: latest.url, inline: 0, left: plan.left, isUnchanged: true, notes };
  }
  const known = new Set(own.map(({ id }) => id));
  const { number, key } = task;
  const posted = await postReview(api, { number, key, plan, commit, viewer, known });
  const outdated = earlier.filter((each) => each.key === key && each.isOutdated);
  const notes = [...before, ...posted.notes, ...(await tidyUp(api, { task, own, outdated }))];
  return { url: posted.review.url, inline: posted.inline, left: posted.left, isUnchanged: false, notes };
}

/** Lines that GitHub rejected the last time are not sent again as long as nothing changes. */
function saysTheSame({ body }: PostedReview, plan: ReviewPlan): boolean {
  return reviewMarker(body)?.state === plan.without(plan.comments).state;
}

function earlierComment({ nodeId, url, body, isOutdated }: LineRemark): EarlierComment[] {
  const marker = readMarker(body);
  if (marker?.kind !== 'finding') return [];
  const { key, place } = marker;
  return [{ nodeId, url, isOutdated, key, place }];
}

interface Commit {
  commit: string | undefined;
  files: ChangedFiles;
  remark: string;
  notes: string[];
}

/**
 * Line numbers belong to a commit. If it is the head of the pull request, the files are those that GitHub lists. If
 * the pull request has newer commits, the review is put on the reviewed commit, with the files as they were then;
 * GitHub shows such a comment as outdated if its lines have changed since. If the commit is unknown or no longer part
 * of the pull request, line numbers mean nothing, and everything goes into the body. So it does if the token may not
 * compare commits.
 */
async function chooseCommit(api: PullRequestApi, task: ReviewTask): Promise<Commit> {
  const { number, pull, reviewed } = task;
  if (reviewed === undefined)
    return withoutLines('The report does not name its commit, so nothing is put on lines.');
  const name = reviewed.slice(0, 12);
  try {
    if (reviewed === pull.head) return onLines(task, reviewed, await api.files(number));
    if (await api.hasCommit(number, pull, reviewed)) {
      const files = await api.filesAt({ base: pull.base, head: reviewed });
      return onLines(task, reviewed, { ...files, about: `About ${name}; there are newer commits.` });
    }
  } catch (error) {
    if (reviewed === pull.head || !(error instanceof GithubError) || !error.mayLackPermission) throw error;
    const why = `The report is about ${name}; there are newer commits. The token may not compare them, so nothing is put on lines. ${addPermission('contents: read')}`;
    return { ...withoutLines(why), notes: [error.message] };
  }
  return withoutLines(
    `The report is about ${name}, which is no longer part of this pull request, so nothing is put on lines.`,
  );
}

const withoutLines = (why: string): Commit => ({
  commit: undefined,
  files: new Map(),
  remark: `*${why}*`,
  notes: [],
});

function onLines(
  { publication }: ReviewTask,
  commit: string,
  { files, cutAt, about = '' }: ChangedFileList & { about?: string },
): Commit {
  const isCut = cutAt !== undefined && publication.findings.some(({ path }) => !files.has(path));
  const cut = isCut
    ? `GitHub lists only ${formatNumber(cutAt)} of the changed files. Findings in the others are not on lines.`
    : '';
  const remarks = [about, cut].filter((part) => part !== '').join(' ');
  return { commit, files, remark: remarks === '' ? '' : `*${remarks}*`, notes: [] };
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
