import { readMarker } from './marker.js';

/**
 * What a review looked at. Publish leaves it hidden in what it writes, so that the next run can review only what is
 * new: the pull request itself is the memory.
 */
export interface ReviewedMark {
  /** The two commits, by their full ids. */
  head: string;
  base: string;
  /** Hashes of the policy and of the prompt, by which a run recognises that it would review in another way. */
  policy: string;
  prompt: string;
}

const MARK =
  /^<!-- cursor-agent-action reviewed v=1 head=([0-9a-f]{40}|[0-9a-f]{64}) base=([0-9a-f]{40}|[0-9a-f]{64}) policy=([0-9a-f]{20}) prompt=([0-9a-f]{20}) -->$/;

/** One hidden line. It stands directly below the marker of a comment or of a review. */
export const reviewedMark = ({ head, base, policy, prompt }: ReviewedMark): string =>
  `<!-- cursor-agent-action reviewed v=1 head=${head} base=${base} policy=${policy} prompt=${prompt} -->`;

/** The longest first line that can matter, and the mark: nothing beyond this is looked at. */
const MOST_LOOKED_AT = 1000;

/**
 * The mark in a comment or a review. It counts only where text of a report never is: as the first line, or directly
 * below our marker. It is only as good as who wrote the text, so the caller asks only texts of our own account. A mark
 * of another version, or one that is not exactly as we write it, is no mark.
 */
export function readReviewedMark(body: string): ReviewedMark | undefined {
  const [first = '', second = ''] = body.slice(0, MOST_LOOKED_AT).split(/\r?\n/, 2);
  const [, head, base, policy, prompt] = MARK.exec(readMarker(first) ? second : first) ?? [];
  if (head === undefined || base === undefined || policy === undefined || prompt === undefined)
    return undefined;
  return { head, base, policy, prompt };
}

/** The text with this mark below its marker, instead of the one that is there. Without a mark nothing changes. */
export function withReviewedMark(body: string, mark: ReviewedMark | undefined): string {
  if (!mark || !readMarker(body)) return body;
  const [marker = '', ...rest] = body.split('\n');
  const isMarked = readReviewedMark(body) !== undefined;
  return [marker, reviewedMark(mark), ...(isMarked ? rest.slice(1) : rest)].join('\n');
}
