import { FAILURES } from '../failure.js';
import { codeText, escapeText, fenced, folded, quoted, table } from './markdown.js';
import { truncate, truncateStart } from './plain-text.js';
import type { RunRecord } from './run-record.js';
import { countCalls, type RunReport } from './run-report.js';
import { duration, number, outcomeWords, plural, toolLabel } from './words.js';

/** The runner drops a summary above 1 MiB. What other steps of this job wrote does not count against it. */
export const SUMMARY_BYTES = 1024 * 1024;
const MOST_ROWS = [500, 100, 20, 0];
const MOST_ANSWER = [100_000, 60_000, 20_000, 2_000];

/** The job summary: as much of it as fits, in steps, each of them whole Markdown. */
export function buildSummary(record: RunRecord, style: 'full' | 'compact', room = SUMMARY_BYTES): string {
  for (const [step, rows] of MOST_ROWS.entries()) {
    const text = summaryWith(record, style, { rows, answer: MOST_ANSWER[step] ?? 0 });
    if (Buffer.byteLength(text) <= room) return text;
  }
  return `${verdictLine(record)}\n`;
}

interface Bounds {
  rows: number;
  answer: number;
}

function summaryWith(record: RunRecord, style: 'full' | 'compact', bounds: Bounds): string {
  const short = [verdictLine(record), failureText(record), answerText(record, bounds), numbersTable(record)];
  const rest = [
    deniedTable(record.report, bounds),
    planList(record.report),
    callTable(record.report, bounds),
    policyText(record),
    diagnostics(record),
  ];
  const parts = style === 'compact' ? short : [...short, ...rest];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function verdictLine({ verdict, setup }: RunRecord): string {
  const who = setup ? `${setup.agent} agent, ${setup.preset}` : 'Cursor Agent';
  return verdict.status === 'success'
    ? `### ✅ ${escapeText(who)}: done`
    : `### ❌ ${escapeText(who)}: failed (<code>${verdict.reason}</code>)`;
}

function failureText({ verdict }: RunRecord): string {
  if (verdict.status === 'success') return '';
  const { what, remedy } = FAILURES[verdict.reason];
  const detail = verdict.detail.trim();
  return [
    `**What happened:** ${what}`,
    detail === '' ? '' : fenced(truncate(detail, 4000)),
    `**What to do:** ${remedy}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function answerText({ report, files, verdict }: RunRecord, { answer }: Bounds): string {
  const text = report.answer.trim();
  if (text === '') return verdict.status === 'success' ? '*The agent gave no answer in words.*' : '';
  const cut = truncate(text, answer);
  const whole =
    cut === text || !files.result ? '' : `\n\nThe whole answer is in ${codeText(files.result, 300)}.`;
  return `#### Answer\n\n${fenced(cut)}${whole}`;
}

function numbersTable({ report, wallMs, agentMs, setup }: RunRecord): string {
  const { calls, failed, denied } = countCalls(report);
  const shortfalls = [
    failed > 0 ? `${number(failed)} failed` : '',
    denied > 0 ? `${number(denied)} denied` : '',
  ];
  const callWords = [number(calls), ...shortfalls.filter((part) => part !== '')].join(', ');
  const { usage } = report;
  const columns: [string, string][] = [
    ['Time', duration(report.durationMs ?? agentMs ?? wallMs)],
    ['Model', report.model === undefined ? '' : escapeText(truncate(report.model, 80))],
    ['Tool calls', callWords],
    ['Tokens in / out', usage ? `${number(usage.inputTokens)} / ${number(usage.outputTokens)}` : ''],
    ['Cached', usage ? number(usage.cacheReadTokens) : ''],
    ['Cost', report.costUsd === undefined ? '' : `$${report.costUsd.toFixed(4)}`],
    ['Turns', report.turns === undefined ? '' : number(report.turns)],
    ['CLI', setup?.cliVersion === undefined ? '' : codeText(setup.cliVersion)],
  ];
  const shown = columns.filter(([, value]) => value !== '');
  return table(
    shown.map(([head]) => head),
    [shown.map(([, value]) => value)],
  );
}

function deniedTable(report: RunReport, { rows }: Bounds): string {
  const denied = report.tools.filter((call) => call.state === 'denied');
  const all = [
    ...denied.map((call) => [toolLabel(call), call.target, call.message]),
    ...report.refusals.map(({ what, reason }) => ['asked', what, reason]),
  ];
  if (all.length === 0) return '';
  const shown = all.slice(0, Math.max(rows, 5));
  const cells = shown.map(([kind = '', target = '', reason = '']) => [
    escapeText(kind),
    codeText(target),
    escapeText(truncate(reason, 200)),
  ]);
  return `#### Denied\n\n${table(['Tool', 'What', 'Why'], cells)}${more(all.length - shown.length)}`;
}

function planList({ todos }: RunReport): string {
  if (todos.length === 0) return '';
  const marks = { done: '☑', 'in-progress': '▶', pending: '☐', cancelled: '☒' };
  const done = todos.filter((todo) => todo.status === 'done').length;
  const lines = todos.map((todo) => `- ${marks[todo.status]} ${escapeText(truncate(todo.text, 200))}`);
  return folded(`Plan: ${done} of ${todos.length} done`, lines.join('\n'));
}

function callTable(report: RunReport, { rows }: Bounds): string {
  const { calls } = countCalls(report);
  if (calls === 0) return '';
  const kinds = Object.entries(report.totals).map(([kind, { calls: count }]) => `${number(count)} ${kind}`);
  const title = `${plural(calls, 'tool call')}: ${kinds.join(', ')}`;
  if (rows === 0) return escapeText(title);
  const marks = { ok: '', running: '⏳', failed: '❌', denied: '🚫' };
  const cells = report.tools
    .slice(0, rows)
    .map((call) => [
      String(call.number),
      escapeText(toolLabel(call)),
      codeText(call.target),
      `${marks[call.state]} ${escapeText(truncate(outcomeWords(call), 200))}`.trim(),
      call.durationMs === undefined ? '' : duration(call.durationMs),
    ]);
  const body = table(['#', 'Tool', 'What', 'Outcome', 'Time'], cells);
  return folded(escapeText(title), `${body}${more(calls - cells.length)}`);
}

const more = (count: number): string =>
  count > 0 ? `\n\n… and ${number(count)} more; all of them are in the transcript.` : '';

function policyText({ setup }: RunRecord): string {
  if (!setup) return '';
  const body = [
    `Preset <code>${escapeText(setup.preset)}</code>, mode <code>${escapeText(setup.mode)}</code>, ` +
      `force ${setup.force ? 'on' : 'off'}. ${escapeText(setup.isolation)}`,
    `Allowed:\n\n${fenced(setup.allow.join('\n') || '(nothing)')}`,
    `Denied, whatever is allowed:\n\n${fenced(setup.deny.join('\n') || '(nothing)')}`,
  ];
  return folded('What the agent was allowed to do', body.join('\n\n'));
}

function diagnostics({ report, stderr, notes, tries, exit, verdict }: RunRecord): string {
  const { unrecognised } = report;
  const labels = Object.entries(unrecognised.labels).map(
    ([label, count]) => `${escapeText(label)} × ${number(count)}`,
  );
  const parts = [
    ...tries.map(
      ({ reason, detail, waitMs }, index) =>
        `- Try ${index + 1} failed (${reason}), waited ${duration(waitMs)}: ${escapeText(truncate(detail, 300))}`,
    ),
    exit?.kind === 'ended' && exit.why === 'after-result'
      ? '- The agent did not exit after its result and was ended; the result counts.'
      : '',
    ...notes.map((note) => `- ${escapeText(note)}`),
    ...report.notices
      .filter(({ level }) => level === 'warning')
      .slice(0, 20)
      .map(({ text }) => `- ${escapeText(text)}`),
    unrecognised.count === 0
      ? ''
      : `\n${plural(unrecognised.count, 'line')} not recognised: ${labels.join(', ')}`,
    ...unrecognised.first
      .map(({ line, sample }) => quoted(`line ${line}: ${truncate(sample, 200)}`))
      .map((text) => `\n${text}`),
    stderr.trim() === ''
      ? ''
      : `\nThe end of what it wrote besides:\n\n${fenced(truncateStart(stderr.trim(), 4000))}`,
    exit && verdict.status === 'failure' ? `\nProcess: ${escapeText(JSON.stringify(exit))}` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : folded('Diagnostics', parts.join('\n'), verdict.status === 'failure');
}
