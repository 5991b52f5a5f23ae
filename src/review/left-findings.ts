import * as z from 'zod/mini';
import { MAX_LEFT_CHARACTERS } from '../github/marker.js';
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

const { path, startLine, endLine, side, severity } = FindingSchema.shape;
const LeftSchema = z
  .tuple([
    ...([path, startLine, endLine, severity] as const),
    z.string().check(z.minLength(1), z.maxLength(MAX_TITLE)),
    z.string().check(z.maxLength(MAX_BODY)),
    z.optional(side),
  ])
  .check(z.refine(([, first, last]) => first <= last, 'endLine is before startLine'));

/** As many findings as fit. They begin with the most severe. */
export function packFindings(findings: readonly Finding[]): string {
  const packed: string[] = [];
  let bytes = 2;
  for (const { path, startLine, endLine, side, severity, title, body } of findings) {
    const text = [truncate(title, MAX_TITLE), truncate(withoutOrigin(body), MAX_BODY)];
    const item = JSON.stringify([path, startLine, endLine, severity, ...text, ...(side ? [side] : [])]);
    bytes += Buffer.byteLength(item) + 1;
    if (bytes * 4 > (MAX_LEFT_CHARACTERS - 4) * 3) break;
    packed.push(item);
  }
  return packed.length === 0 ? '' : Buffer.from(`[${packed.join(',')}]`).toString('base64');
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
