import { createHmac } from 'node:crypto';
import type { FoundMark } from '../github/review-threads.js';
import type { GithubEvent } from '../github/event.js';
import type { ReviewedMark } from '../github/marker.js';
import { plural } from '../text/format.js';
import type { ChangeSince, Tips } from './change-since.js';
import { splitDiff, type IsWanted } from './fit-diff.js';

export const REVIEW_SCOPES = ['full', 'new', 'auto'] as const;
export type ReviewScope = (typeof REVIEW_SCOPES)[number];

/** The terms of a review: two reviews under the same terms look for the same in the same way. */
export interface ReviewTerms {
  /** Which pull request it is: `owner/name#7`. */
  pull: string;
  /** A hash of the words that every run of this workflow gives to the agent, and of the model. */
  prompt: string;
  /** What the agent may do, and what of the change it is given. */
  policy: unknown;
  /** Known to the runs of this repository only, so that nobody else can write a mark that counts. */
  secret: string;
}

/**
 * The mark that a review of these commits leaves. The hash of the policy is also a seal: it depends on the other values
 * of the mark, on the pull request and on the secret. So a mark that somebody copied or made up does not count, whoever
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

export interface FullReview {
  kind: 'full';
  why: string;
}

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
export function otherReviews(marks: readonly FoundMark[], terms: ReviewTerms): ReadonlySet<string> {
  const isOwn = ({ mark }: FoundMark) => mark.prompt === terms.prompt && mark.policy === sealOf(mark, terms);
  const keysOf = (some: readonly FoundMark[]) => some.flatMap(({ key }) => key ?? []);
  const own = new Set(keysOf(marks.filter(isOwn)));
  return new Set(keysOf(marks).filter((key) => !own.has(key)));
}

const full = (why: string): FullReview => ({ kind: 'full', why });

/** Events by which a person asks for a review. It is a full one, because they could have waited for the next push. */
const ASKING: Readonly<Record<string, string>> = {
  issue_comment: 'a comment asked for it',
  pull_request_review: 'a review asked for it',
  pull_request_review_comment: 'a comment asked for it',
  workflow_dispatch: 'somebody started it',
};

/** Why a person wants a full review; undefined if nobody asked. */
export function askedInFull({ name, payload }: Pick<GithubEvent, 'name' | 'payload'>): string | undefined {
  if (Object.hasOwn(ASKING, name)) return ASKING[name];
  const isPull = name === 'pull_request' || name === 'pull_request_target';
  return isPull && payload?.action === 'labeled' ? 'a label asked for it' : undefined;
}

/** With more files from the base, the change works among other code than the one it was reviewed with. */
const MOST_FROM_BASE = 500;

/** A review of what is new, of everything, or none, because nothing is new. `why` is the end of a sentence. */
export type Judged = FullReview | { kind: 'new'; why: string } | { kind: 'nothing'; why: string };

/** Judges what is new since a review of `then`. */
export function judgeSince(
  choice: 'new' | 'auto',
  { diff, same, fromBase }: Omit<ChangeSince, 'standing'>,
  { then, now, ...files }: { then: string; now: string } & Reviewable,
): Judged {
  const commit = then.slice(0, 10);
  const parts = splitDiff(diff.text);
  const paths = [...new Set([...parts.map(({ path }) => path), ...diff.unread])];
  const names = [...parts.flatMap((part) => part.names), ...diff.unread];
  const unreviewable = nothingReviewable(names, files);
  const changed = paths.filter((path) => !same.includes(path)).length + same.length;
  if (paths.length === 0)
    return {
      kind: 'nothing',
      why:
        then === now
          ? `${commit} was already reviewed`
          : `the change is the same as at the review of ${commit}; only its commits or its base are new`,
    };
  if (unreviewable !== undefined)
    return { kind: 'nothing', why: `since the review of ${commit}, ${unreviewable}` };
  if (choice === 'auto' && fromBase.files > MOST_FROM_BASE)
    return full(`${plural(fromBase.files, 'file')} of the base changed since the earlier review`);
  if (choice === 'auto' && fromBase.touched * 2 > changed)
    return full('the base changed most of the same files since the earlier review');
  return { kind: 'new', why: `${commit} was reviewed before` };
}

/** Which files of a change are reviewed. */
export interface Reviewable {
  isExcluded: IsWanted;
  /** Whether this run is about the file. Another run may be about the others. */
  isRequested: IsWanted;
  isGenerated: IsWanted;
}

/** Why none of these changed files is reviewed, if that is so. Of a moved file both names are given. */
export function nothingReviewable(paths: readonly string[], files: Reviewable): string | undefined {
  const requested = paths.filter(files.isRequested);
  const included = requested.filter((path) => !files.isExcluded(path));
  if (included.some((path) => !files.isGenerated(path))) return undefined;
  if (requested.length === 0) return 'none of the requested files changed';
  if (included.length === 0) return 'only files changed that exclude matches';
  return included.length === requested.length
    ? 'only generated files changed'
    : 'only files changed that are generated or that exclude matches';
}
