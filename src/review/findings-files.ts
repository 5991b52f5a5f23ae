import { safeMarkdown } from '../report/safe-markdown.js';
import type { Review } from '../report/findings.js';
import { redactAll, type Redaction } from '../text/redact.js';
import { openCheckout } from './checkout-files.js';
import { buildRdjson } from './rdjson.js';
import { buildSarif } from './sarif.js';

/** A review as the files that code scanning and reviewdog read. `root` is the top of the repository. */
export function findingsFiles(
  review: Review,
  root: string,
  redaction?: Redaction,
): { sarif: string; rdjson: string; notes: string[] } {
  const { text, notes } = buildSarif(review, openCheckout(root).lines);
  const rdjson = buildRdjson(review, (words, most) => safeMarkdown(words, most, redaction));
  return { sarif: redactJson(text, redaction), rdjson: redactJson(rdjson, redaction), notes };
}

/** A finished file without secrets: text by text, so that it stays the JSON it is. */
const redactJson = (text: string, redaction: Redaction | undefined): string =>
  redaction
    ? `${JSON.stringify(redactAll<unknown>(JSON.parse(text), redaction.redact), undefined, 1)}\n`
    : text;
