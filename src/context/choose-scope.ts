import { createHmac } from 'node:crypto';
import { messageOf } from '../core/errors.js';
import { isGenerated, namesOf } from '../git/diff.js';
import { findWriters, readViewer } from '../github/accounts.js';
import { EMPTY_TOKEN, type GithubClient } from '../github/client.js';
import type { GithubEvent } from '../github/event.js';
import {
  readComments,
  readMarks,
  readThreads,
  type FoundMark,
  type PullAddress,
} from '../github/review-threads.js';
import type { ReviewedMark } from '../github/marker.js';
import { withOrigin } from '../report/findings.js';
import type { Finding, Scope, Skipped } from '../report/model.js';
import { dismissalsOf, findDismissed } from '../review/dismissed.js';
import { idsDismissedIn } from '../review/finding-id.js';
import { unpackFindings } from '../review/left-findings.js';
import { plural, shortCommit } from '../text/format.js';
import { ignoreFinder } from '../text/patterns.js';
import type { Change } from './change.js';
import { changeSince, type ChangeSince, type Tips } from './change-since.js';
import type { FileChoice, ReviewScope } from './choose-context.js';
import type { EarlierReview } from './earlier-review.js';
import { splitDiff, type DiffText } from './diff-text.js';
import type { HistoryRequest } from './history.js';

interface ScopeRequest {
  choice: ReviewScope;
  event: Pick<GithubEvent, 'name' | 'payload'>;
  pull: PullAddress;
  terms: ReviewTerms;
  files: FileChoice;
  /** Whether the answer adds to the earlier ones. If not, it replaces them, and has to be about everything. */
  isCumulative: boolean;
  history: HistoryRequest;
  /** Undefined if there is no token. */
  github: GithubClient | undefined;
}

/** How much of a pull request is reviewed, and what is known of earlier reviews. */
export interface ChosenScope {
  scope: Scope;
  /** What this review leaves for the next one. */
  mark: ReviewedMark;
  earlier: EarlierReview;
  /** What is new. Without it, the whole change is reviewed. */
  since?: { diff: DiffText; commit: string };
  /** Set if there is nothing to review. */
  skipped?: Skipped;
  /** How many changed files are not reviewed because they look generated. */
  unreadGenerated?: number | undefined;
  notes: string[];
}

const NO_EARLIER: EarlierReview = { threads: [], dismissed: [], unthreaded: [] };

/** Decides what a review looks at. Whatever cannot be read or fetched leads to a full review. */
export async function chooseScope(request: ScopeRequest, change: Change): Promise<ChosenScope> {
  const { terms } = request;
  const { notes, marks, ids, ...read } = await readEarlier(request);
  const { continued, ...decision } = await decideScope(request, change, marks);
  const others = otherReviews(marks ?? [], terms);
  const earlier = continued ? continueReview(read, continued) : withoutKeys(read, others);
  const keys =
    continued?.key === undefined
      ? keysOf(marks ?? [], read).filter((key) => !others.has(key))
      : [continued.key];
  const [key, ...more] = keys;
  return {
    mark: markOf(change.reviewed, terms),
    notes,
    ...decision,
    earlier: key === undefined || more.length > 0 ? earlier : { ...earlier, byId: { key, ids } },
  };
}

/** The keys of the reviews that left something on the pull request. */
const keysOf = (marks: readonly FoundMark[], { threads }: EarlierReview): string[] => [
  ...new Set([...marks, ...threads].flatMap(({ key }) => key ?? [])),
];

/** The review that this one continues, and what stands of the findings that it left without a thread. */
interface Continued {
  key?: string | undefined;
  standing: readonly Finding[];
}

/** Only the threads of that review, if several reviews of the pull request are kept apart by their keys. */
export function continueReview(
  { threads, dismissed }: EarlierReview,
  { key, standing }: Continued,
): EarlierReview {
  const isOfReview = (each: { key: string }) => key === undefined || each.key === key;
  return {
    threads: threads.filter(isOfReview),
    dismissed: dismissed.filter(isOfReview),
    unthreaded: standing,
  };
}

const withoutKeys = (earlier: EarlierReview, others: ReadonlySet<string>): EarlierReview => ({
  ...earlier,
  dismissed: earlier.dismissed.filter(({ key }) => !others.has(key)),
});

type ScopeDecision = Pick<ChosenScope, 'scope' | 'since' | 'skipped' | 'unreadGenerated'> & {
  continued?: Continued;
};

async function decideScope(
  request: ScopeRequest,
  change: Change,
  marks: readonly FoundMark[] | undefined,
): Promise<ScopeDecision> {
  const { choice, event, terms, files } = request;
  if (choice === 'full') return inFull('review-scope is full');
  const asked = askedInFull(event);
  if (asked !== undefined) return inFull(asked);
  const found = marks && chooseMark(choice, marks, terms);
  if (!found || 'kind' in found)
    return inFullOrNothing(found?.why ?? 'the earlier review could not be read', change, files);
  const { mark, url, key } = found;
  try {
    const findings = unpackFindings(found.findings);
    const { standing, ...since } = await changeSince(request.history, { ...mark, findings }, change.reviewed);
    const judged = judgeSince(choice, since, { then: mark.head, now: change.reviewed.head, ...files });
    if (judged.kind === 'full') return inFull(judged.why);
    if (judged.kind === 'new' && choice === 'auto' && !request.isCumulative) return inFull(REPLACING);
    const told = standing.map((finding) => ({ ...finding, body: withOrigin(finding.body, url) }));
    return {
      scope: { kind: 'new', why: judged.why },
      continued: { key, standing: told },
      ...(judged.kind === 'new'
        ? { since: { diff: since.diff, commit: mark.head } }
        : {
            skipped: { code: 'unchanged', reason: sentence(judged.why), url },
            unreadGenerated: judged.unreadGenerated,
          }),
    };
  } catch (error) {
    const why = `the reviewed commit ${shortCommit(mark.head)} could not be read: ${messageOf(error)}`;
    return inFullOrNothing(why, change, files);
  }
}

const REPLACING = 'its answer replaces the earlier one; with output-schema: findings it would only add to it';

interface FullReview {
  kind: 'full';
  why: string;
}

const full = (why: string): FullReview => ({ kind: 'full', why });
const inFull = (why: string): ScopeDecision => ({ scope: full(why) });

/** A change that is not to be reviewed needs no agent, also if it is the first review. */
async function inFullOrNothing(why: string, change: Change, files: FileChoice): Promise<ScopeDecision> {
  // If the diff cannot be read, the shortfall of the diff says so.
  const raw = await change.raw().catch(() => undefined);
  if (!raw) return inFull(why);
  const paths = [...(await change.files()).flatMap(namesOf), ...raw.unread];
  const nothing = paths.length === 0 ? undefined : nothingReviewable(paths, files);
  if (nothing === undefined) return inFull(why);
  return {
    ...inFull(why),
    skipped: { code: 'unchanged', reason: sentence(nothing) },
    unreadGenerated: filterFiles(paths, files).included.length,
  };
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** Our marks and threads; without marks if they could not be read. */
async function readEarlier(
  request: ScopeRequest,
): Promise<EarlierReview & { marks?: FoundMark[]; ids: ReadonlySet<string>; notes: string[] }> {
  const { github, pull, choice } = request;
  try {
    if (!github) throw new Error(EMPTY_TOKEN);
    const viewer = await readViewer(github, 'pull-requests: read');
    const marks = await readMarks(github, pull, viewer);
    const threads = await readThreads(github, pull, viewer);
    const said = threads.flatMap((thread) => dismissalsOf(thread, viewer));
    const remarks = (await readComments(github, pull, viewer))
      .map(({ login, text }) => ({ login, ids: idsDismissedIn(text) }))
      .filter((remark) => remark.ids.length > 0);
    const writers = await findWriters(
      github,
      [...said, ...remarks].map(({ login }) => login),
    );
    const dismissed = findDismissed(threads, { viewer, writers });
    const ids = new Set(remarks.flatMap((remark) => (writers.has(remark.login) ? remark.ids : [])));
    return { marks, threads, dismissed, ids, unthreaded: [], notes: [] };
  } catch (error) {
    const note = `What earlier reviews left on the pull request could not be read, so all of it is reviewed. ${messageOf(error)}`;
    return { ...NO_EARLIER, ids: new Set(), notes: choice === 'full' ? [] : [note] };
  }
}

/** The terms of a review: two reviews under the same terms look for the same in the same way. */
export interface ReviewTerms {
  /** Which pull request it is: `owner/name#7`. */
  pull: string;
  /** A hash of the words that every run of this workflow gives to the agent, and of the model. */
  prompt: string;
  /** What the agent may do, and what of the change it is given. */
  policy: unknown;
  /** Known to the runs of this repository only, so that no other account can write a mark that counts. */
  secret: string;
}

/**
 * The mark that a review of these commits leaves. The hash of the policy is also a seal: it depends on the other values
 * of the mark, on the pull request and on the secret. So a mark that was copied or made up does not count, whoever
 * could make our account write it.
 */
export const markOf = (tips: Tips, terms: ReviewTerms): ReviewedMark => ({
  head: tips.head,
  base: tips.base,
  policy: sealOf({ ...tips, prompt: terms.prompt }, terms),
  prompt: terms.prompt,
});

const sealOf = ({ head, base, prompt }: Omit<ReviewedMark, 'policy'>, terms: ReviewTerms): string =>
  createHmac('sha256', terms.secret)
    .update(JSON.stringify(['reviewed', terms.pull, head, base, prompt, terms.policy]))
    .digest('hex')
    .slice(0, 20);

/** The mark of the review that this one continues; or why there is none. `marks` begin with the newest. */
export function chooseMark(
  choice: 'new' | 'auto',
  marks: readonly FoundMark[],
  terms: ReviewTerms,
): FoundMark | FullReview {
  if (marks.length === 0) return full('no earlier review left its mark on this pull request');
  const valid = marks.filter(({ mark }) => mark.policy === sealOf(mark, terms));
  if (valid.length === 0)
    return full(
      'the policy, the files to exclude or the key changed since the earlier review, or its mark is not from this workflow',
    );
  const same = valid.find(({ mark }) => mark.prompt === terms.prompt);
  if (same) return same;
  const [newest] = valid;
  return choice === 'new' && newest
    ? newest
    : full('the prompt or the model changed since the earlier review');
}

/**
 * The keys of reviews that are not under these terms: their marks say so. Another workflow may look for something else
 * in the same lines, so what people say about its findings does not count here.
 */
function otherReviews(marks: readonly FoundMark[], terms: ReviewTerms): ReadonlySet<string> {
  const isOwn = ({ mark }: FoundMark) => mark.prompt === terms.prompt && mark.policy === sealOf(mark, terms);
  const keysOf = (some: readonly FoundMark[]) => some.flatMap(({ key }) => key ?? []);
  const own = new Set(keysOf(marks.filter(isOwn)));
  return new Set(keysOf(marks).filter((key) => !own.has(key)));
}

/** Events by which a person asks for a review. It is a full one, because they could have waited for the next push. */
const ASKING: Readonly<Record<string, string>> = {
  issue_comment: 'a comment asked for it',
  pull_request_review: 'a review asked for it',
  pull_request_review_comment: 'a comment asked for it',
  workflow_dispatch: 'it was started by hand',
};

/** Why a person wants a full review; undefined if none asked. */
export function askedInFull({ name, payload }: Pick<GithubEvent, 'name' | 'payload'>): string | undefined {
  if (Object.hasOwn(ASKING, name)) return ASKING[name];
  const isPull = name === 'pull_request' || name === 'pull_request_target';
  return isPull && payload?.action === 'labeled' ? 'a label asked for it' : undefined;
}

/** With more files from the base, the change works among other code than the one it was reviewed with. */
const MAX_FROM_BASE = 500;

/** A review of what is new, of everything, or none, because nothing is new. `why` is the end of a sentence. */
interface Judged {
  kind: 'full' | 'new' | 'nothing';
  why: string;
  unreadGenerated?: number | undefined;
}

/** Judges what is new since a review of `then`. */
export function judgeSince(
  choice: 'new' | 'auto',
  { diff, same, fromBase }: Omit<ChangeSince, 'standing'>,
  { then, now, ...files }: { then: string; now: string } & FileChoice,
): Judged {
  const commit = shortCommit(then);
  const parts = splitDiff(diff.text);
  const paths = [...new Set([...parts.map(({ path }) => path), ...diff.unread])];
  const names = [...parts.flatMap((part) => part.names), ...diff.unread];
  const unreviewable = nothingReviewable(names, files);
  const changed = new Set([...paths, ...same]).size;
  if (paths.length === 0)
    return {
      kind: 'nothing',
      why:
        then === now
          ? `${commit} was already reviewed`
          : `the change is the same as at the review of ${commit}; only its commits or its base are new`,
    };
  if (unreviewable !== undefined)
    return {
      kind: 'nothing',
      why: `since the review of ${commit}, ${unreviewable}`,
      unreadGenerated: filterFiles(names, files).included.length,
    };
  if (choice === 'auto' && fromBase.files > MAX_FROM_BASE)
    return full(`${plural(fromBase.files, 'file')} of the base changed since the earlier review`);
  if (choice === 'auto' && fromBase.touched * 2 > changed)
    return full('the base changed most of the same files since the earlier review');
  return { kind: 'new', why: `${commit} was reviewed before` };
}

/** The changed files that this run was asked about, and those of them that the workflow wants reviewed. */
function filterFiles(changed: readonly string[], { paths, exclude = [] }: FileChoice) {
  const excludedBy = ignoreFinder(exclude);
  const requested = changed.filter((path) => paths?.has(path) ?? true);
  return { requested, included: requested.filter((path) => excludedBy(path) === undefined) };
}

/**
 * Why none of the changed files is reviewed; undefined if one is. A change of generated files alone is not, unless a
 * gate needs it. Of a moved file both names are given.
 */
export function nothingReviewable(changed: readonly string[], files: FileChoice): string | undefined {
  const { requested, included } = filterFiles(changed, files);
  if (included.some((path) => files.withGenerated || !isGenerated(path))) return undefined;
  if (requested.length === 0) return 'none of the requested files changed';
  if (included.length === 0) return 'only files changed that exclude matches';
  return included.length === requested.length
    ? 'only generated files changed'
    : 'only files changed that are generated or that exclude matches';
}
