import * as z from 'zod/mini';
import { MAX_LEFT_CHARACTERS, type LeftReview, type ReviewedMark } from '../github/marker.js';
import { withoutOrigin } from '../report/findings.js';
import { FindingSchema, type Finding } from '../report/model.js';
import { parseJson } from '../text/json.js';
import { truncate } from '../text/plain-text.js';

/**
 * Findings that have no thread of their own, as text for a hidden line of a comment. A thread remembers its finding
 * itself; of all others the next run would know nothing.
 */

/** Longer texts are cut. */
const MAX_TITLE = 300;
const MAX_BODY = 600;
const BODIES = [MAX_BODY, 150, 1];

const { path, startLine, endLine, side, severity } = FindingSchema.shape;
const LeftSchema = z
  .tuple([
    ...([path, startLine, endLine, severity] as const),
    z.string().check(z.minLength(1), z.maxLength(MAX_TITLE)),
    z.string().check(z.maxLength(MAX_BODY)),
    z.optional(side),
  ])
  .check(z.refine(([, first, last]) => first <= last, 'endLine is before startLine'));

/**
 * What a review leaves for the next one. If not all of its findings fit, it leaves nothing, so that the next review is about
 * the whole change: a gate must not forget any of them.
 */
export function leaveReview(
  mark: ReviewedMark | undefined,
  findings: readonly Finding[],
): LeftReview | undefined {
  const packed = packFindings(findings);
  return mark && packed !== undefined ? { mark, findings: packed } : undefined;
}

/** The longest texts with which all findings fit; undefined if they fit with none. */
export function packFindings(findings: readonly Finding[]): string | undefined {
  if (findings.length === 0) return '';
  for (const maxBody of BODIES) {
    const text = encode(findings, maxBody);
    if (text.length <= MAX_LEFT_CHARACTERS) return text;
  }
  return undefined;
}

function encode(findings: readonly Finding[], maxBody: number): string {
  const items = findings.map(({ path, startLine, endLine, side, severity, title, body }) => [
    ...[path, startLine, endLine, severity],
    truncate(title, MAX_TITLE),
    truncate(withoutOrigin(body), maxBody),
    ...(side ? [side] : []),
  ]);
  return Buffer.from(JSON.stringify(items)).toString('base64');
}

/** What is not exactly as we write it is no finding. */
export function unpackFindings(text: string): Finding[] {
  const data = parseJson(Buffer.from(text, 'base64').toString('utf8'));
  return (Array.isArray(data) ? data : []).flatMap((each): Finding[] => {
    const read = LeftSchema.safeParse(each);
    if (!read.success) return [];
    const [path, startLine, endLine, severity, title, body, side] = read.data;
    return [{ path, startLine, endLine, ...(side ? { side } : {}), severity, title, body }];
  });
}
