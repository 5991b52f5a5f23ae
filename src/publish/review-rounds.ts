import { hunksByPath, type ChangedFiles } from '../git/diff.js';
import { ifRefused } from '../github/github-error.js';
import { readReviewedMark, writeMarker, type ReviewedMark } from '../github/marker.js';
import { isAtLeast, type Severity } from '../report/findings.js';
import { createLocator } from '../review/dismissed.js';
import { reviewMarker } from './post-review.js';
import { withhold, type Publication } from './publication.js';
import type { PostedReview, Pull, PullRequestApi } from './pull-request-api.js';
import { placeFinding } from './review-plan.js';

/**
 * A pull request that is reviewed again and again gets fewer comments each time: small findings about code that was
 * there the last time come too late to be worth one. They are listed, and count for every gate.
 */

/** From which review on findings below which severity are withheld. The last one that applies counts. */
const RULES: readonly { from: number; keeps: Severity; words: string }[] = [
  { from: 3, keeps: 'medium', words: 'low and info findings' },
  { from: 6, keeps: 'high', words: 'medium, low and info findings' },
];

/**
 * Which review of the pull request this is, counted from 1. The reviews that are there say how many there were; another
 * one of the same commit is not counted. `mark` is missing if the change was not reviewed, or not all of it.
 */
export function roundOf(own: readonly PostedReview[], mark: ReviewedMark | undefined): number {
  const reviews = own.filter(({ body }) => readReviewedMark(body));
  const counted = Math.max(0, ...reviews.map(({ body }) => reviewMarker(body)?.round ?? 0));
  const before = Math.max(counted, reviews.length);
  const isAgain = reviews.some(({ body }) => readReviewedMark(body)?.head === mark?.head);
  return mark && !isAgain ? before + 1 : before;
}

/** The text of one of our reviews with another count. */
export function countRound(body: string, round: number): string {
  const marker = reviewMarker(body);
  if (!marker || round === 0) return body;
  return body.replace(/^[^\r\n]*/, writeMarker({ ...marker, round }));
}

interface RoundGrounds {
  own: readonly PostedReview[];
  round: number;
  pull: Pull;
  commit: string | undefined;
  files: ChangedFiles;
  earlier: readonly { place: string }[];
}

/**
 * Withholds what the round makes too late: small findings about lines that were in the change, with the same text, when
 * it was reviewed the last time. What has a comment already keeps it. If GitHub does not tell what there was, nothing
 * is withheld.
 */
export async function withholdByRound(
  api: PullRequestApi,
  publication: Publication,
  { own, round, pull, commit, files, earlier }: RoundGrounds,
): Promise<Publication> {
  const rule = RULES.findLast(({ from }) => round >= from);
  const head = own.map(({ body }) => readReviewedMark(body)?.head).findLast((each) => each !== undefined);
  if (!rule || commit === undefined || head === undefined) return publication;
  const isSameCommit = head === commit;
  const then = isSameCommit
    ? { files: [] }
    : await api.filesAt({ base: pull.base, head }).catch(ifRefused({ files: [] }));
  const [locateThen, locateNow] = [createLocator(hunksByPath(then.files)), createLocator(files)];
  const places = new Set(earlier.map(({ place }) => place));
  return withhold(publication, (finding) => {
    if (isAtLeast(finding, rule.keeps)) return undefined;
    const shown = placeFinding(finding, files);
    if (shown.kind !== 'lines' || places.has(shown.place)) return undefined;
    const { startLine, endLine, place } = shown;
    const code = { path: finding.path, place, lineCount: endLine - startLine + 1 };
    // The same lines can be there several times, and the new ones are not those of the last time.
    const wasThere = finding.side !== 'base' && locateNow(code).length <= locateThen(code).length;
    return isSameCommit || wasThere
      ? `review ${round} of this pull request: new ${rule.words} on code that was reviewed before get no comment`
      : undefined;
  });
}
