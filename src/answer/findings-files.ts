import { safeMarkdown } from '../report/answer-markdown.js';
import type { Review } from '../report/findings.js';
import { openCheckout } from './checkout-files.js';
import { buildRdjson } from './rdjson.js';
import { buildSarif } from './sarif.js';

/** A review as the files that code scanning and reviewdog read. `root` is the top of the repository. */
export function findingsFiles(
  review: Review,
  root: string,
): { sarif: string; rdjson: string; notes: string[] } {
  const { text, notes } = buildSarif(review, openCheckout(root).lines);
  return { sarif: text, rdjson: buildRdjson(review, safeMarkdown), notes };
}
