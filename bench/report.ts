import { foldEvents } from '../src/report/fold.js';
import { buildHtml } from '../src/report/render-html.js';
import type { RunRecord } from '../src/report/model.js';
import { buildReport } from '../src/report/sections.js';
import { buildSummary } from '../src/report/render-markdown.js';

/** The cost of the end of a run: summary, page and report for 20,000 calls, compared with JSON.stringify. */
const CALLS = 20_000;
const ROUNDS = 9;
const MARKS = { summary: 5, html: 8, json: 5 };

const fold = foldEvents();
fold.add({ type: 'session', model: 'm', sessionId: 's' }, 0);
for (let index = 0; index < CALLS; index += 1) {
  const kind = (['read', 'shell', 'edit', 'search'] as const)[index % 4] ?? 'read';
  fold.add(
    {
      type: 'tool-finished',
      callId: String(index),
      tool: {
        name: kind,
        kind,
        target: `packages/part-${index % 100}/src/file-${index}.ts`,
        paths: [],
        isKnown: true,
      },
      outcome:
        index % 100 === 1
          ? { status: 'denied', message: 'Shell(git) is denied' }
          : { status: 'ok', message: '' },
      facts: { linesAdded: index % 9, output: `line of output ${index}\n`.repeat(12) },
    },
    index * 50,
  );
}
const paragraph = 'Some words about **what was done**, with `code`.\n\n- one\n- two\n\n';
fold.add({ type: 'text', form: 'message', text: paragraph.repeat(20) }, CALLS * 50);
fold.add({ type: 'finished', isError: false, text: 'done' }, CALLS * 50);
const record: RunRecord = {
  verdict: { status: 'success' },
  report: fold.report,
  wallMs: CALLS * 50,
  agentMs: CALLS * 50,
  stderr: '',
  setup: {
    agent: 'Cursor',
    preset: 'fix-ci',
    mode: 'agent',
    force: true,
    allow: ['Read(**)', 'Write(**)', 'Shell(*)'],
    deny: ['Shell(git)', 'Shell(curl)', 'Write(**/.github/**)', 'WebFetch(*)'],
    isolation: '',
  },
  tries: [],
  files: {},
  notes: [],
};

const ACTIONS = {
  baseline: () => JSON.stringify(record).length,
  summary: () => buildSummary(record, 'full').length,
  html: () => buildHtml(record).length,
  json: () => JSON.stringify(buildReport(record)).length,
};
const times: Record<string, number[]> = {};
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, action] of Object.entries(ACTIONS)) {
    // So that this action does not pay for the garbage of the one before.
    globalThis.gc?.();
    const start = process.hrtime.bigint();
    if (action() === 0) throw new Error(`${name} is empty`);
    (times[name] ??= []).push(Number(process.hrtime.bigint() - start) / 1e6);
  }
}
const median = (values: number[] = []): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const baseline = median(times['baseline']);
console.log(`${CALLS} calls, ${(ACTIONS.html() / 1e6).toFixed(1)} MB as a page`);
for (const [name, mark] of Object.entries(MARKS)) {
  const ratio = median(times[name]) / baseline;
  const isMet = ratio <= mark;
  console.log(`${name}: ${ratio.toFixed(2)} x JSON.stringify (at most ${mark} x) ${isMet ? 'ok' : 'MISSED'}`);
  if (!isMet) process.exitCode = 1;
}
