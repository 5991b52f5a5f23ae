/** What publish writes on a pull request, for the preview: names and Markdown texts. */
import { readHunks } from '../src/git/diff.js';
import { writeComment } from '../src/publish/publication-text.js';
import type { RunFacts, ReportShard } from '../src/report/read-reports.js';
import { digest } from '../src/github/marker.js';
import { mergeReports, withPlaces } from '../src/publish/publication.js';
import { planReview } from '../src/publish/review-plan.js';
import type { Finding } from '../src/report/model.js';

const HEAD = 'a'.repeat(40);
const PATCH = '@@ -10,2 +10,3 @@\n const total = sum(items);\n+log(card.number);\n return total;';
const LINKS = {
  repositoryUrl: 'https://github.com/acme/shop',
  runUrl: 'https://github.com/acme/shop/actions/runs/1',
};

const finding = (given: Partial<Finding>): Finding => ({
  path: 'src/pay.ts',
  startLine: 11,
  endLine: 11,
  severity: 'high',
  title: 'The card number is written to the log',
  body: 'Whoever can read the log can read the number. Log the last four digits, as `receipt()` does.',
  ...given,
});
const FINDINGS = [
  finding({ suggestion: 'log(card.last4);' }),
  finding({
    path: 'src/cart.ts',
    startLine: 80,
    endLine: 95,
    severity: 'medium',
    title: 'A race between two tabs',
  }),
  finding({
    path: 'README.md',
    startLine: 3,
    endLine: 3,
    severity: 'low',
    title: 'The example uses the old name',
  }),
  finding({ startLine: 400, endLine: 400, severity: 'critical', title: 'A line that is not there' }),
];

const run = (given: Partial<RunFacts> = {}): RunFacts => ({
  verdict: { status: 'success' },
  answer: '',
  covered: [],
  isShare: false,
  part: 'all',
  agent: 'Cursor',
  preset: 'review',
  model: 'Composer 2.5',
  durationMs: 83_000,
  calls: 17,
  failed: 0,
  denied: 2,
  tokens: { input: 81_000, output: 2_300 },
  files: 0,
  review: { summary: 'The change to the payment is sound but for **one** thing.', findings: FINDINGS },
  ...given,
});
const failed = run({
  review: { summary: '', findings: [] },
  verdict: {
    status: 'failure',
    reason: 'timeout',
    detail: 'It was ended at the time limit. Until then: 7 tool calls.',
  },
});

const publication = (shards: ReportShard[], expectedReports?: number) => ({
  ...withPlaces(mergeReports(shards, { minimumSeverity: 'low', expectedReports }), (each) => ({
    ...each,
    place: each.startLine === 400 ? 'no-such-line' : each.startLine === 11 ? 'in-change' : 'outside-change',
  })),
  head: HEAD,
});
const read = (name: string, facts: RunFacts): ReportShard => ({
  kind: 'read',
  name,
  run: { ...facts, part: name },
});

export function publishedTexts(): [string, string][] {
  const one = publication([read('report.json', run())]);
  const { review: _none, ...answered } = run({ answer: '## Result\n\nAll tests pass. See `src/pay.ts`.' });
  const plan = planReview({
    publication: one,
    links: LINKS,
    key: digest('key'),
    reviewEvent: 'COMMENT',
    maxComments: 10,
    files: new Map([['src/pay.ts', readHunks(PATCH)]]),
    commit: HEAD,
    earlier: [],
    remark: '',
  });
  const matrix = publication(
    [read('api', run()), read('web', failed), { kind: 'unread', name: 'cli', why: 'is not JSON.' }],
    4,
  );
  return [
    ['publish-comment', writeComment(one, LINKS).text],
    ['publish-answer', writeComment(publication([read('report.json', answered)]), LINKS).text],
    ['publish-failure', writeComment(publication([read('report.json', failed)]), LINKS).text],
    ['publish-matrix', writeComment(matrix, LINKS).text],
    ['publish-review', plan.body],
    ['publish-inline', plan.comments[0]?.body ?? ''],
  ];
}
