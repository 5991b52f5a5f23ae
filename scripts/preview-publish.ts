/** What publish writes on a pull request, for the preview: names and Markdown texts. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHunks } from '../src/git/diff.js';
import { writeComment } from '../src/publish/publication-text.js';
import {
  parseReport,
  type ReportedFinding,
  type RunFacts,
  type ReportShard,
} from '../src/report/read-reports.js';
import { digest } from '../src/github/marker.js';
import { mergeReports, withhold, withPlaces } from '../src/publish/publication.js';
import { planReview } from '../src/publish/review-plan.js';
import { makeTrial } from '../src/try/trial.js';
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

/** A review of findings on lines of a long new file. */
function reviewOf(
  findings: (Finding & Partial<ReportedFinding>)[],
  hold: (each: Finding) => string | undefined,
) {
  const summary =
    findings.length === 0 ? 'The new export works.' : 'The new export works. The retry does not.';
  const reviewed = run({ review: { summary, findings } });
  const merged = mergeReports([read('report.json', reviewed)], {
    minimumSeverity: 'info',
    expectedReports: undefined,
  });
  const placed = withPlaces(merged, (each) => ({ ...each, place: 'in-change' }));
  const added = Array.from({ length: 60 }, (_, index) => `+line ${index + 1}`).join('\n');
  return planReview({
    publication: { ...withhold(placed, hold), head: HEAD },
    links: LINKS,
    ...{ key: digest('key'), reviewEvent: 'COMMENT', maxComments: 10, hasFixCommand: true, round: 3 },
    files: new Map([['src/export.ts', readHunks(`@@ -0,0 +1,60 @@\n${added}`)]]),
    ...{ commit: HEAD, earlier: [], remark: '' },
  });
}

const onLine = (line: number, given: Partial<ReportedFinding> = {}) =>
  ({ ...finding({ path: 'src/export.ts', startLine: line, endLine: line }), ...given }) as ReportedFinding;
const QUOTE = { path: 'src/log.ts', startLine: 12, endLine: 14, text: 'append(file, text);' };
const SURE: Partial<ReportedFinding> = {
  agreement: { found: 3, of: 3 },
  validation: { verdict: 'confirmed', reason: 'log() appends to the file as it is.', quote: QUOTE },
  alsoAt: [
    { path: 'src/refund.ts', startLine: 40, endLine: 40 },
    { path: 'src/report.ts', startLine: 7, endLine: 9 },
  ],
};
const DISPUTED: Partial<ReportedFinding> = {
  agreement: { found: 1, of: 3 },
  title: 'A retry charges twice',
  validation: { verdict: 'refuted', reason: 'The key makes the second charge do nothing.', quote: QUOTE },
};

function reviewTexts(): [string, string][] {
  const severities = ['high', 'medium', 'low', 'low'] as const;
  const many = Array.from({ length: 40 }, (_, index) =>
    onLine(index + 1, { severity: severities[index % 4] ?? 'low', title: `Problem number ${index + 1}` }),
  );
  const held = reviewOf(
    [
      onLine(3, SURE),
      onLine(9, { severity: 'low', title: 'The name says little' }),
      onLine(12, { severity: 'info', title: 'Twice the same' }),
    ],
    () =>
      'review 3 of this pull request: new low and info findings on code that was reviewed before get no comment',
  );
  const plan = reviewOf([onLine(3, SURE), onLine(9, DISPUTED)], () => undefined);
  return [
    ['publish-findings', plan.body],
    ['publish-sure', plan.comments[0]?.body ?? ''],
    ['publish-disputed', plan.comments[1]?.body ?? ''],
    ['publish-clean', reviewOf([], () => undefined).body],
    ['publish-withheld', held.body],
    ['publish-forty', reviewOf(many, () => undefined).body],
  ];
}

/** What a run of the demo writes into the summary, and what publish would write about its worst finding. */
export function playDemo() {
  const scratch = mkdtempSync(join(tmpdir(), 'picture-'));
  const { env, platform } = process;
  try {
    const place = { root: process.cwd(), scratch, here: scratch, env, platform };
    const { workspace, event, inputs } = makeTrial(
      { kind: 'demo', inputs: {}, open: false, verbose: false },
      place,
    );
    const [output, summary] = ['output', 'summary'].map((name) => join(scratch, name));
    for (const path of [output, summary]) writeFileSync(path ?? '', '');
    const given: Record<string, string> = {};
    for (const [name, value] of Object.entries({ ...inputs, summary: 'full' }))
      given[`INPUT_${name.toUpperCase()}`] = value;
    execFileSync(process.execPath, [join('dist', 'run', 'index.js')], {
      stdio: 'ignore',
      env: {
        ...{ PATH: env['PATH'], HOME: env['HOME'], GITHUB_WORKSPACE: workspace, RUNNER_TEMP: scratch },
        ...{ GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, ...event, ...given },
      },
    });
    const [run = ''] = readdirSync(scratch).filter((name) => name.startsWith('cursor-agent-'));
    const patch = execFileSync('git', ['diff', 'HEAD~1', 'HEAD', '--', DEMO_FILE], { cwd: workspace });
    const hunks = String(patch).slice(String(patch).indexOf('@@'));
    return {
      ...{ file: DEMO_FILE, patch: hunks, summary: readFileSync(summary ?? '', 'utf8') },
      comment: firstComment(readFileSync(join(scratch, run, 'report.json'), 'utf8'), hunks),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
const DEMO_FILE = 'src/invoices.js';

function firstComment(report: string, patch: string) {
  const parsed = parseReport(report);
  if (parsed.kind !== 'read') throw new Error('The demo wrote no report.');
  const merged = mergeReports([{ name: 'report.json', ...parsed }], {
    minimumSeverity: 'info',
    expectedReports: undefined,
  });
  const { comments } = planReview({
    publication: { ...withPlaces(merged, (each) => ({ ...each, place: 'in-change' })), head: HEAD },
    links: LINKS,
    ...{ key: digest('key'), reviewEvent: 'COMMENT', maxComments: 10, hasFixCommand: true, round: 1 },
    files: new Map([[DEMO_FILE, readHunks(patch)]]),
    ...{ commit: HEAD, earlier: [], remark: '' },
  });
  const [comment] = comments;
  if (!comment) throw new Error('The demo found nothing.');
  return { line: comment.line, body: comment.body };
}

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
    ...reviewTexts(),
  ];
}
