/**
 * Writes the summary and the HTML report of several runs into a folder: of every stream in fixtures/streams, and of
 * made-up runs that show what those do not.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { PagePatch } from '../src/report/diff-view.js';
import { foldEvents } from '../src/report/fold.js';
import { buildHtml } from '../src/report/render-html.js';
import { SEVERITIES } from '../src/report/findings.js';
import { judge } from '../src/report/judge.js';
import type { CheckedFinding, Review, RunRecord } from '../src/report/model.js';
import { buildSummary } from '../src/report/render-markdown.js';
import { playDemo, publishedTexts } from './preview-publish.js';
import type { AgentEvent, ToolFacts, ToolKind, ToolOutcome } from '../src/stream/events.js';
import { readStream } from '../src/stream/read-stream.js';

const target = process.argv[2] ?? 'preview';
const STREAMS = join('fixtures', 'streams');

const LIMITS = { timeoutMinutes: 30, idleTimeoutMinutes: 10 };
const SETUP: NonNullable<RunRecord['setup']> = {
  agent: 'Cursor',
  preset: 'fix-ci',
  mode: 'agent',
  force: true,
  allow: ['Read(**)', 'Write(**)', 'Shell(*)'],
  deny: ['Shell(git)', 'Shell(curl)', 'Write(**/.github/**)', 'WebFetch(*)', 'Mcp(*:*)'],
  cliVersion: '2026.10.01-e373342',
  isolation: 'Isolated: its own PID and mount namespace, no new privileges.',
  credential:
    'The agent signs in with a token that expires on 2026-11-17 at 13:00 UTC. It does not get the API key.',
};

/** What a review differs in. */
const READ_ONLY = {
  prompt: 'Look for bugs in this change.',
  setup: { ...SETUP, preset: 'review', mode: 'ask', force: false, allow: ['Read(**)'] },
};

interface Step {
  kind: ToolKind;
  what: string;
  takesMs: number;
  outcome?: ToolOutcome;
  facts?: ToolFacts;
  /** It does not end before the run does. */
  isEndless?: boolean;
}
const read = (what: string, lines: number): Step => ({
  kind: 'read',
  what,
  takesMs: 300,
  facts: { linesRead: lines, output: `// ${what}\n`.repeat(Math.min(lines, 20)) },
});
const shell = (what: string, takesMs: number, exitCode = 0): Step => ({
  kind: 'shell',
  what,
  takesMs,
  outcome: exitCode === 0 ? { status: 'ok', message: '' } : { status: 'failed', message: `exit ${exitCode}` },
  facts: {
    exitCode,
    output: exitCode === 0 ? 'PASS 42 tests\n' : 'FAIL src/parse.test.ts\n  expected 3, got 2\n',
  },
});
const edit = (what: string, added: number, removed: number): Step => ({
  kind: 'edit',
  what,
  takesMs: 700,
  facts: {
    linesAdded: added,
    linesRemoved: removed,
    output: `@@ -10,3 +10,4 @@\n context\n${'-old line\n'.repeat(removed)}${'+new line\n'.repeat(added)} context\n`,
  },
});
const denied = (kind: ToolKind, what: string, message: string): Step => ({
  kind,
  what,
  takesMs: 20,
  outcome: { status: 'denied', message },
});

/** A run of these steps, with some seconds between them. */
function play(steps: readonly Step[], rest: Partial<RunRecord> & { answer?: string } = {}): RunRecord {
  const { answer = '', ...given } = rest;
  const fold = foldEvents();
  let at = 1500;
  const add = (event: AgentEvent) => fold.add(event, at);
  add({ type: 'session', sessionId: '7f9c2ba4-e88f-4d2b-8a4b-3f1d', model: 'Composer 2' });
  add({ type: 'todos', merge: false, todos: PLAN });
  steps.forEach((step, index) => {
    const { kind, what, takesMs, outcome = { status: 'ok', message: '' }, facts = {} } = step;
    const callId = String(index);
    add({ type: 'tool-started', callId, tool: { name: kind, kind, target: what, paths: [], isKnown: true } });
    at += takesMs;
    if (!step.isEndless) add({ type: 'tool-finished', callId, outcome, facts, durationMs: takesMs });
    at += 900 + ((index * 7919) % 2600);
  });
  if (answer !== '') {
    add({ type: 'text', form: 'message', text: answer });
    add({ type: 'finished', isError: false, text: answer, durationMs: at, usage: USAGE });
  }
  fold.end();
  return {
    verdict: { status: 'success' },
    report: fold.report,
    wallMs: at + 3000,
    agentMs: at,
    exit: { kind: 'exited', code: 0 },
    stderr: '',
    setup: SETUP,
    origin: ORIGIN,
    prompt: PROMPT,
    tries: [],
    files: { result: '/home/runner/work/_temp/cursor-agent-x1/result.md' },
    notes: [],
    ...given,
  };
}

const ORIGIN: NonNullable<RunRecord['origin']> = {
  startedAt: '2026-11-17T12:05:31.000Z',
  repository: 'octo-org/octo-repo',
  repositoryUrl: 'https://github.com/octo-org/octo-repo',
  pullRequest: 128,
  commit: 'ffac537e6cbbf934b08745a378932722df287a53',
  runUrl: 'https://github.com/octo-org/octo-repo/actions/runs/16001234567/attempts/1',
};
const PROMPT =
  'Find out why the tests fail and fix it.\nChange as little as possible, and add a test that fails without the fix.';

const USAGE = { inputTokens: 182_310, outputTokens: 9184, cacheReadTokens: 1_204_000, cacheWriteTokens: 0 };
const PLAN = [
  { id: '1', text: 'Reproduce the failing test', status: 'done' as const },
  { id: '2', text: 'Find the cause in src/parse.ts', status: 'done' as const },
  { id: '3', text: 'Fix it and run all tests', status: 'in-progress' as const },
];

const ANSWER = `The build is green again. \`parseList\` dropped the last item of a list that ends without a newline.

## What I changed

1. \`src/parse.ts\`: the last line is now read even if no newline follows it.
2. \`src/parse.test.ts\`: a test for it, which failed before.

| test | before | now |
| --- | :---: | :---: |
| parseList | ❌ | ✅ |
| parseMap | ✅ | ✅ |

\`\`\`ts
const items = text.split(/\\r?\\n/);
if (items.at(-1) === '') items.pop();
\`\`\`

> [!NOTE]
> I could not push; see [the guide](https://docs.example.com/ci) or ask @octocat about #12.
`;

const FIX = [
  read('package.json', 48),
  read('src/parse.ts', 212),
  { kind: 'search', what: 'parseList in src', takesMs: 900, facts: { matches: 7 } } satisfies Step,
  shell('npm test', 21_400, 1),
  read('src/parse.test.ts', 160),
  edit('src/parse.ts', 4, 2),
  shell('npm test -- parse', 8200, 1),
  edit('src/parse.ts', 2, 1),
  edit('src/parse.test.ts', 12, 0),
  shell('npm test', 20_100),
  denied('shell', 'git push origin HEAD', 'Shell(git) is denied'),
  denied('edit', '.github/workflows/ci.yml', 'Write(**/.github/**) is denied'),
];

const HOSTILE = `<img src=x onerror=alert(1)> </details></table><script>alert(1)</script>
\`\`\`\`
@everyone #1 GH-2 o/r#3 \u202Egnitcerid\u202C a\u200Bb [x](javascript:alert(1)) ![p](https://evil.example/p.png)

| a | b
|---|
\`\`\`mermaid
graph TD; A-->B
`;

const many = Array.from({ length: 900 }, (_, index): Step => {
  const file = `src/module-${index % 37}/file-${index}.ts`;
  if (index % 9 === 4)
    return shell(`npx vitest run ${file}`, 2000 + (index % 7) * 1500, index % 5 === 0 ? 1 : 0);
  if (index % 7 === 3) return edit(file, index % 20, index % 6);
  return index % 4 === 1
    ? { kind: 'search', what: `export in ${file}`, takesMs: 400, facts: { matches: index % 13 } }
    : read(file, 40 + (index % 300));
});

const CHANGES: NonNullable<RunRecord['changes']> = {
  kind: 'known',
  applied: 'all',
  ignored: 0,
  paths: ['src/parse.test.ts', 'src/parse.ts'],
  omitted: [],
  files: [
    { path: 'src/parse.ts', status: 'modified', added: 4, removed: 3 },
    { path: 'src/parse.test.ts', status: 'modified', added: 5, removed: 0 },
  ],
  violations: [],
};

const PATCH = `diff --git a/src/parse.ts b/src/parse.ts
index 1111111..2222222 100644
--- a/src/parse.ts
+++ b/src/parse.ts
@@ -38,7 +38,8 @@ export function parseList(text: string): string[] {
   if (text === '') return [];
-  const items = text.split('\\n');
-  items.pop();
-  return items;
+  const items = text.split(/\\r?\\n/);
+  // Only an empty last line ends the list. Without a newline at the end, the last line is an item.
+  if (items.at(-1) === '') items.pop();
+  return items.map((item) => item.trim());
 }
 
 export function parseMap(text: string): Map<string, string> {
diff --git a/src/parse.test.ts b/src/parse.test.ts
index 3333333..4444444 100644
--- a/src/parse.test.ts
+++ b/src/parse.test.ts
@@ -12,3 +12,8 @@ describe('parseList', () => {
   it('reads an empty list', () => {
     expect(parseList('')).toEqual([]);
   });
+
+  it('reads the last item without a newline', () => {
+    expect(parseList('a\\nb')).toEqual(['a', 'b']);
+  });
+
`;
const DOCS_PATCH = `diff --git a/docs/parse.md b/docs/parse.md
index 1111111..2222222 100644
--- a/docs/parse.md
+++ b/docs/parse.md
@@ -10,4 +10,6 @@
 # Lists

-A list ends with a newline.
+A list is read line by line, and its last line counts whether or not a newline follows it. A line break of Windows is read like any other.
+
+Blanks around an item are removed.
 See also [maps](map.md).
`;
const REJECTED_PATCH = `diff --git a/src/parse.ts b/src/parse.ts
index 1111111..2222222 100644
--- a/src/parse.ts
+++ b/src/parse.ts
@@ -1,3 +1,3 @@
-/** Reads lists. */
+/** Reads lists; see docs/parse.md. */
 export function parseList(text: string): string[] {
   if (text === '') return [];
diff --git a/logo.png b/logo.png
index 1111111..2222222 100644
GIT binary patch
literal 1
Ic\${MdG
`;
const PATCHES: Readonly<Record<string, PagePatch[]>> = {
  success: [{ kind: 'applied', text: PATCH, isWhole: true }],
  docs: [
    { kind: 'applied', text: DOCS_PATCH, isWhole: true },
    { kind: 'rejected', text: REJECTED_PATCH, isWhole: false },
  ],
};

const finding = (given: Partial<CheckedFinding> = {}): CheckedFinding => ({
  path: 'src/parse.ts',
  startLine: 41,
  endLine: 42,
  severity: 'high',
  title: 'The last item of a list is dropped',
  body: 'A list that ends **without** a newline loses its last item: `split` is followed by `pop`, which takes away an item that is not empty.\n\n1. `parse("a\\nb")` gives `["a"]`.\n2. Ask @octocat about #12.',
  place: 'in-change',
  count: 1,
  ...given,
});
const REVIEW: Review = {
  summary:
    'One bug in how lists are read, and **two smaller things**. The tests cover the rest of the change.',
  findings: [
    finding({ suggestion: "  if (items.at(-1) === '') items.pop();", count: 2 }),
    finding({
      severity: 'medium',
      path: 'src/read file.ts',
      startLine: 7,
      endLine: 7,
      title: 'An error of `readFile` is swallowed',
      place: 'outside-change',
    }),
    finding({ severity: 'info', startLine: 3, endLine: 3, title: 'A name that says little', body: '' }),
    finding({ severity: 'low', path: 'src/gone.ts', title: 'Unused export', place: 'no-such-path' }),
    finding({
      severity: 'low',
      startLine: 9000,
      endLine: 9000,
      title: HOSTILE,
      body: HOSTILE,
      place: 'no-such-line',
    }),
  ],
};

const CASES: Record<string, () => RunRecord> = {
  success: () => play(FIX, { answer: ANSWER, changes: CHANGES }),
  failure: () =>
    play([...FIX.slice(0, 6), { ...shell('npm test -- --watch', 540_000), isEndless: true }], {
      verdict: {
        status: 'failure',
        reason: 'timeout',
        detail: 'It was ended at the time limit. Until then: 7 tool calls, 0 messages.',
      },
      exit: { kind: 'ended', why: 'timeout' },
      stderr: 'warn: model is slow today',
      notes: ['The transcript is not complete: no space left on device'],
    }),
  docs: () =>
    play([read('README.md', 120), read('src/parse.ts', 212), edit('docs/parse.md', 9, 2)], {
      answer: 'The page about lists describes the new behaviour.',
      setup: { ...SETUP, preset: 'docs', allow: ['Read(**)', 'Write(**/*.md)'] },
      changes: {
        ...CHANGES,
        applied: 'allowed',
        paths: ['docs/parse.md'],
        files: [
          { path: 'docs/parse.md', status: 'modified', added: 3, removed: 1 },
          { path: 'src/parse.ts', status: 'modified', added: 1, removed: 1 },
        ],
        violations: ['`src/parse.ts` was modified, which no allowed token covers.'],
      },
      prompt: 'Bring the documents up to date with the change.',
    }),
  many: () => play(many, { answer: ANSWER }),
  hostile: () =>
    play(
      [shell(HOSTILE, 3000, 1), denied('edit', HOSTILE, HOSTILE), read(HOSTILE, 3), shell(HOSTILE, 9000)],
      { answer: HOSTILE, stderr: HOSTILE },
    ),
  review: () =>
    play(FIX.slice(0, 3), {
      ...{ answer: '{}', review: REVIEW, structuredOutput: {} },
      ...READ_ONLY,
    }),
  'review-partial': () =>
    play(FIX.slice(0, 2), {
      ...{ answer: '{}', structuredOutput: {}, review: { summary: '', findings: [finding()] } },
      ...READ_ONLY,
      passes: { started: 5, answered: 4, parts: { count: 5, sufficient: 4 } },
      unread: {
        why: 'The chats that were to read them gave no answer.',
        ...{
          files: ['src/cart/total.ts', 'src/cart/tax.ts', 'src/a/long/path/to/a/file/that/has/a/name.ts'],
          count: 3,
        },
      },
      teamRules: [
        {
          path: 'REVIEW.md',
          appliesTo: ['src/list.ts', 'src/cart/tax.ts'],
          files: 2,
          ids: ['review', 'review.money'],
        },
      ],
      context: [
        {
          ...{
            kind: 'diff',
            description: 'the change under review',
            file: '/tmp/diff.patch',
            bytes: 400_000,
          },
          ...{ items: 5, leftOut: [], inlined: false },
        },
      ],
    }),
  'review-withheld': () =>
    play(FIX.slice(0, 2), {
      ...{ answer: '{}', structuredOutput: {} },
      ...READ_ONLY,
      passes: { started: 3, answered: 3 },
      review: {
        summary: 'Two claims; one of them does not hold.',
        findings: [
          finding({
            agreement: { found: 3, of: 3 },
            rule: 'review.money',
            validation: { verdict: 'confirmed', reason: 'The caller passes an empty list.' },
          }),
          finding({
            ...{ severity: 'medium', title: 'A negative total is paid out', startLine: 12, endLine: 12 },
            validation: {
              verdict: 'refuted',
              reason: 'Every caller goes through this check.',
              quote: { path: 'src/guard.ts', startLine: 2, endLine: 2, text: 'if (total < 0) throw' },
            },
            withheld: { reason: 'Refuted: Every caller goes through this check.' },
          }),
        ],
      },
    }),
  'review-40': () =>
    play(FIX.slice(0, 2), {
      ...{ answer: '{}', structuredOutput: {} },
      review: {
        summary: 'Much is wrong with this change.',
        findings: Array.from({ length: 40 }, (_, index) =>
          finding({
            severity: SEVERITIES[Math.min(4, Math.floor(index / 8) + 1)] ?? 'low',
            ...{ path: `src/module-${index % 7}/parser.ts`, startLine: index + 1, endLine: index + 2 },
            title: `Item ${index} of a list is dropped if the list ends without a newline`,
          }),
        ),
      },
    }),
  clean: () =>
    play(FIX.slice(0, 2), {
      answer: '{}',
      review: { summary: 'Nothing is wrong with this change.', findings: [] },
      ...READ_ONLY,
    }),
  json: () =>
    play(FIX.slice(0, 2), {
      answer: '{}',
      structuredOutput: { label: 'bug', confidence: 0.93, reasons: ['the test fails', 'since 1.4'] },
    }),
  unusable: () =>
    play(FIX.slice(0, 2), {
      answer: 'It is a bug, I think: {"label": "bugg"}',
      verdict: {
        status: 'failure',
        reason: 'bad-output',
        detail:
          'The JSON of the answer does not satisfy output-schema:\n- /label must be equal to one of the allowed values: ["bug","feature"].',
      },
      corrections: [{ problem: 'There is no JSON in the answer.' }],
    }),
  refused: () => ({
    report: foldEvents().report,
    origin: ORIGIN,
    ...{ wallMs: 420, stderr: '', tries: [], files: {}, notes: [] },
    verdict: {
      status: 'failure',
      reason: 'invalid-input',
      detail: 'api-key: empty or not given; set it to a secret that exists.',
    },
  }),
};

/** A recorded stream as a run with exit code 0. */
function recorded(path: string): RunRecord {
  const fold = foldEvents();
  const reader = readStream();
  const lines = [...reader.push(readFileSync(path)), ...reader.end()];
  lines.flatMap(({ events }) => events).forEach((event, index) => fold.add(event, index * 400));
  fold.end();
  const exit = { kind: 'exited', code: 0 } as const;
  const verdict = judge({
    exit,
    report: fold.report,
    stderr: '',
    failOnDenied: false,
    limits: LIMITS,
    violations: [],
  });
  return { ...play([]), report: fold.report, agentMs: lines.length * 400, verdict };
}

mkdirSync(target, { recursive: true });
const streams = existsSync(STREAMS)
  ? readdirSync(STREAMS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ndjson'))
  : [];
const all = [
  ...Object.entries(CASES).map(([name, make]): [string, RunRecord] => [name, make()]),
  ...streams.map((name): [string, RunRecord] => [
    `${name.replace(/[\\/].*/, '')}-${basename(name, '.ndjson')}`,
    recorded(join(STREAMS, name)),
  ]),
];
for (const [name, record] of all) {
  writeFileSync(join(target, `${name}.summary.md`), buildSummary(record, 'full'));
  writeFileSync(join(target, `${name}.report.html`), buildHtml(record, undefined, PATCHES[name]));
}
writeFileSync(
  join(target, 'success.compact.summary.md'),
  buildSummary(play(FIX, { answer: ANSWER, changes: CHANGES }), 'compact'),
);
for (const [name, text] of publishedTexts()) writeFileSync(join(target, `${name}.summary.md`), text);
writeFileSync(join(target, 'readme.json'), JSON.stringify(playDemo()));
