import { buildReport } from '../../src/report/sections.js';
import type { Finding, RunRecord } from '../../src/report/model.js';
import { parseReport, type ReportShard } from '../../src/report/read-reports.js';
import { mergeReports, withPlaces, type Publication } from '../../src/publish/publication.js';
import type { Place } from '../../src/report/findings.js';
import { type FakePull, MARY } from '../github/stateful-fake.js';
import { recordOf, reportOf, result, text } from '../report/builders.js';

export const HEAD = 'a'.repeat(40);
export const BASE = 'b'.repeat(40);
export const LATER = 'c'.repeat(40);

/** Lines 10 to 13 of a file, of which 11 and 12 are new; and lines 40 to 41. */
export const PATCH = [
  '@@ -10,3 +10,4 @@ function pay() {',
  ' const total = sum(items);',
  '-charge(total);',
  '+if (total > 0) charge(total);',
  '+log(card.number);',
  ' return total;',
  '@@ -39,1 +40,2 @@',
  ' }',
  '+export const unused = 1;',
].join('\n');

export const pullOf = (given: Partial<FakePull> = {}): FakePull => ({
  number: 7,
  head: HEAD,
  base: BASE,
  author: MARY,
  files: [{ path: 'src/pay.ts', patch: PATCH }, { path: 'logo.png' }],
  ...given,
});

export const finding = (given: Partial<Finding> = {}): Finding => ({
  path: 'src/pay.ts',
  startLine: 12,
  endLine: 12,
  severity: 'high',
  title: 'The card number is logged',
  body: 'Whoever reads the log reads the card number.',
  ...given,
});

/** A report as the agent step writes it. */
export function reportWith(given: Partial<RunRecord> = {}): Record<string, unknown> {
  const record = recordOf(reportOf(text('All is well.'), result()), {
    change: { base: BASE, head: HEAD, pullRequest: 7 },
    ...given,
  });
  return JSON.parse(JSON.stringify(buildReport(record))) as Record<string, unknown>;
}

export const reviewReport = (findings: Finding[], given: Partial<RunRecord> = {}): Record<string, unknown> =>
  reportWith({
    review: {
      summary: 'I looked at the payment code.',
      findings: findings.map((each) => ({ ...each, place: 'in-change', count: 1 })),
    },
    ...given,
  });

/** A report as publish reads it. */
export const shardOf = (report: unknown, name = 'report.json'): ReportShard => {
  const read = parseReport(JSON.stringify(report));
  if (read.kind === 'unread') throw new Error(read.why);
  return { kind: 'read', name, run: read.run };
};

/** Reports whose findings were all found at such a place. */
export const mergePlaced = (
  shards: ReportShard[],
  request: Parameters<typeof mergeReports>[1],
  place: Place = 'in-change',
): Publication => withPlaces(mergeReports(shards, request), (each) => ({ ...each, place }));
