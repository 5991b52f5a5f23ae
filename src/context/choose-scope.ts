import { messageOf } from '../core/errors.js';
import { namesOf } from '../git/diff.js';
import { readViewer } from '../github/accounts.js';
import { EMPTY_TOKEN, type GithubClient } from '../github/client.js';
import type { GithubEvent } from '../github/event.js';
import {
  findWriters,
  readMarks,
  readThreads,
  type FoundMark,
  type PullAddress,
} from '../github/review-threads.js';
import type { ReviewedMark } from '../github/marker.js';
import { fromEarlier, type Finding } from '../report/findings.js';
import type { Scope, Skipped } from '../report/model.js';
import { dismissalsOf, findDismissed } from '../review/dismissed.js';
import { unpackFindings } from '../review/left-findings.js';
import type { Change } from './change.js';
import { changeSince } from './change-since.js';
import { ofKey, type EarlierReview } from './earlier-review.js';
import type { DiffText } from './fit-diff.js';
import type { HistoryRequest } from './history.js';
import {
  askedInFull,
  chooseMark,
  judgeSince,
  markOf,
  nothingReviewable,
  otherReviews,
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

const NO_EARLIER: EarlierReview = { threads: [], dismissed: [], unthreaded: [] };

/** Decides what a review looks at. Whatever cannot be read or fetched leads to a full review. */
export async function chooseScope(request: ScopeRequest, change: Change): Promise<ChosenScope> {
  const { terms, files } = request;
  const { notes, marks, ...earlier } = await readEarlier(request);
  const { continued, ...decision } = await decide(request, change, marks);
  return {
    ...{ mark: markOf(change.reviewed, terms), files, notes, ...decision },
    earlier: continued
      ? continueReview(earlier, continued)
      : withoutKeys(earlier, otherReviews(marks ?? [], terms)),
  };
}

/** The review that this one continues, and what stands of the findings that it left without a thread. */
interface Continued {
  key?: string | undefined;
  standing: readonly Finding[];
}

const continueReview = (earlier: EarlierReview, { key, standing }: Continued): EarlierReview => ({
  ...(key === undefined ? earlier : ofKey(earlier, key)),
  unthreaded: standing,
});

const withoutKeys = (earlier: EarlierReview, others: ReadonlySet<string>): EarlierReview => ({
  ...earlier,
  dismissed: earlier.dismissed.filter(({ key }) => !others.has(key)),
});

type Decision = Pick<ChosenScope, 'scope' | 'since' | 'skipped'> & { continued?: Continued };

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
  const { mark, url, key } = found;
  try {
    const findings = unpackFindings(found.findings);
    const { standing, ...since } = await changeSince(request.history, { ...mark, findings }, change.reviewed);
    const judged = judgeSince(choice, since, { then: mark.head, now: change.reviewed.head, ...files });
    if (judged.kind === 'full') return inFull(judged.why);
    if (judged.kind === 'new' && choice === 'auto' && !request.isCumulative) return inFull(REPLACING);
    const told = standing.map((finding) => ({ ...finding, body: fromEarlier(finding.body, url) }));
    return {
      scope: { kind: 'new', why: judged.why },
      continued: { key, standing: told },
      ...(judged.kind === 'new'
        ? { since: { diff: since.diff, commit: mark.head } }
        : { skipped: { reason: sentence(judged.why), url } }),
    };
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

/** A change that nobody reviews needs no agent, also if it is the first review. */
async function orNothing(decision: Decision, change: Change, files: Reviewable): Promise<Decision> {
  // If the diff cannot be read, the shortfall of the diff says so.
  const raw = await change.raw().catch(() => undefined);
  if (!raw || raw.isPartial) return decision;
  const paths = [...(await change.files()).flatMap(namesOf), ...raw.unread];
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
    const marks = await readMarks(github, pull, viewer);
    const threads = await readThreads(github, pull, viewer);
    const said = threads.flatMap((thread) => dismissalsOf(thread, viewer));
    const writers = await findWriters(
      github,
      said.map(({ login }) => login),
    );
    const dismissed = findDismissed(threads, { viewer, writers });
    return { marks, threads, dismissed, unthreaded: [], notes: [] };
  } catch (error) {
    const note = `What earlier reviews left on the pull request could not be read, so all of it is reviewed. ${messageOf(error)}`;
    return { ...NO_EARLIER, notes: choice === 'full' ? [] : [note] };
  }
}
