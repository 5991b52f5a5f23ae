import { messageOf } from '../core/errors.js';
import { readViewer } from '../github/account.js';
import { EMPTY_TOKEN, type GithubClient } from '../github/client.js';
import type { GithubEvent } from '../github/event.js';
import {
  findWriters,
  readMarks,
  readThreads,
  type FoundMark,
  type PullAddress,
} from '../github/review-threads.js';
import type { ReviewedMark } from '../github/reviewed-mark.js';
import type { Scope, Skipped } from '../report/model.js';
import { dismissalsOf, findDismissed } from '../review/dismissed.js';
import type { Change } from './change.js';
import { changeSince } from './change-since.js';
import type { EarlierReview } from './earlier-review.js';
import type { DiffText } from './fit-diff.js';
import type { HistoryRequest } from './history.js';
import {
  askedInFull,
  chooseMark,
  judgeSince,
  markOf,
  nothingReviewable,
  type Judged,
  type Reviewable,
  type ReviewScope,
  type ReviewTerms,
} from './review-scope.js';

export interface ScopeRequest {
  choice: ReviewScope;
  event: Pick<GithubEvent, 'name' | 'payload'>;
  pull: PullAddress;
  terms: ReviewTerms;
  files: Reviewable;
  /** Whether the answer adds to the earlier ones. If not, it replaces them, and has to be about everything. */
  isCumulative: boolean;
  history: HistoryRequest;
  /** Missing if there is no token. */
  github?: GithubClient;
}

/** How much of a pull request is reviewed, and what is known of earlier reviews. */
export interface ChosenScope {
  scope: Scope;
  /** What this review leaves for the next one. */
  mark: ReviewedMark;
  /** Which files are reviewed. */
  files: Reviewable;
  earlier: EarlierReview;
  /** What is new. Without it, the whole change is reviewed. */
  since?: { diff: DiffText; commit: string };
  /** Set if there is nothing to review. */
  skipped?: Skipped;
  notes: string[];
}

const NO_EARLIER: EarlierReview = { threads: [], dismissed: new Set() };

/** Decides what a review looks at. Whatever cannot be read or fetched leads to a full review. */
export async function chooseScope(request: ScopeRequest, change: Change): Promise<ChosenScope> {
  const { terms, files } = request;
  const { notes, marks, ...earlier } = await readEarlier(request);
  const chosen = { mark: markOf(change.reviewed, terms), files, earlier, notes };
  const { scope, since, skipped } = await decide(request, change, marks);
  return { ...chosen, scope, ...(since ? { since } : {}), ...(skipped ? { skipped } : {}) };
}

type Decision = Pick<ChosenScope, 'scope' | 'since' | 'skipped'>;

async function decide(
  request: ScopeRequest,
  change: Change,
  marks: readonly FoundMark[] | undefined,
): Promise<Decision> {
  const { choice, event, terms, files } = request;
  if (choice === 'full') return inFull('review-scope is full');
  const asked = askedInFull(event);
  if (asked !== undefined) return inFull(asked);
  const found = marks && chooseMark(choice, marks, terms);
  if (!found || 'kind' in found)
    return orNothing(inFull(found?.why ?? 'the earlier review could not be read'), change, files);
  const { mark, url } = found;
  try {
    const since = await changeSince(request.history, mark, change.reviewed);
    const judged = judgeSince(choice, since, { then: mark.head, now: change.reviewed.head, ...files });
    if (judged.kind === 'new' && choice === 'auto' && !request.isCumulative) return inFull(REPLACING);
    return settle(judged, { diff: since.diff, commit: mark.head }, url);
  } catch (error) {
    return orNothing(
      inFull(`the reviewed commit ${mark.head.slice(0, 10)} could not be read: ${messageOf(error)}`),
      change,
      files,
    );
  }
}

const REPLACING = 'its answer replaces the earlier one; with output-schema: findings it would only add to it';

const inFull = (why: string): Decision => ({ scope: { kind: 'full', why } });

function settle(judged: Judged, since: NonNullable<ChosenScope['since']>, url: string): Decision {
  const { kind, why } = judged;
  if (kind === 'full') return inFull(why);
  const scope = { kind: 'new' as const, why };
  return kind === 'new' ? { scope, since } : { scope, skipped: { reason: sentence(why), url } };
}

/** A change that nobody reviews needs no agent, also if it is the first review. */
async function orNothing(decision: Decision, change: Change, files: Reviewable): Promise<Decision> {
  // If the diff cannot be read, the shortfall of the diff says so.
  const raw = await change.raw().catch(() => undefined);
  if (!raw || raw.isPartial) return decision;
  const paths = [...(await change.files()).map(({ path }) => path), ...raw.unread];
  const why = paths.length === 0 ? undefined : nothingReviewable(paths, files);
  return why === undefined ? decision : { ...decision, skipped: { reason: sentence(why) } };
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** Our marks and threads; without marks if they could not be read. */
async function readEarlier(
  request: ScopeRequest,
): Promise<EarlierReview & { marks?: FoundMark[]; notes: string[] }> {
  const { github, pull, choice } = request;
  try {
    if (!github) throw new Error(EMPTY_TOKEN);
    const viewer = await readViewer(github, 'pull-requests: read');
    const marks = choice === 'full' ? [] : await readMarks(github, pull, viewer);
    const threads = await readThreads(github, pull, viewer);
    const said = threads.flatMap((thread) => dismissalsOf(thread, viewer));
    const writers = await findWriters(
      github,
      said.map(({ login }) => login),
    );
    const dismissed = new Set(findDismissed(threads, { viewer, writers }).map(({ url }) => url));
    return { marks, threads, dismissed, notes: [] };
  } catch (error) {
    const note = `What earlier reviews left on the pull request could not be read, so all of it is reviewed. ${messageOf(error)}`;
    return { ...NO_EARLIER, notes: choice === 'full' ? [] : [note] };
  }
}
