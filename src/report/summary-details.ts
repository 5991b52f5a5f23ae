import { codeText, escapeText, fenced, folded, quoted, table } from '../text/markdown.js';
import { truncate, truncateStart } from '../text/plain-text.js';
import type { RunRecord } from './model.js';
import { countCalls } from './run-report.js';
import type { Detail } from './summary-writer.js';
import { more } from './summary-sections.js';
import { duration, number, plural, share } from '../text/format.js';
import { outcomeWords, toolLabel } from './call-text.js';

const MOST_NOTES = 20;

export function planSection({ report: { todos }, verdict }: RunRecord): string {
  if (todos.length === 0) return '';
  const marks = { done: '☑', 'in-progress': '▶', pending: '☐', cancelled: '☒' };
  const done = todos.filter((todo) => todo.status === 'done').length;
  const lines = todos.map((todo) => `- ${marks[todo.status]} ${escapeText(truncate(todo.text, 200))}`);
  const title = `Plan: ${done} of ${todos.length} done`;
  return folded(title, lines.join('\n'), verdict.status === 'failure' && done < todos.length);
}

export function callSection({ report }: RunRecord, { rows }: Detail): string {
  const { calls } = countCalls(report);
  if (calls === 0) return '';
  const kinds = Object.entries(report.totals).map(([kind, { calls: count }]) => `${number(count)} ${kind}`);
  const title = escapeText(`${plural(calls, 'tool call')}: ${kinds.join(', ')}`);
  if (rows === 0) return title;
  const marks = { ok: '', running: '⏳', failed: '❌', denied: '🚫' };
  const cells = report.tools
    .slice(0, rows)
    .map((call) => [
      String(call.number),
      escapeText(toolLabel(call)),
      codeText(call.target),
      `${marks[call.state]} ${escapeText(truncate(outcomeWords(call), 200))}`.trim(),
      call.durationMs === undefined ? '' : duration(call.durationMs).replaceAll(' ', '&nbsp;'),
    ]);
  const body = table(['#', 'Tool', 'What', 'Outcome', 'Time'], cells);
  return folded(title, `${body}${more(calls - cells.length)}`);
}

export function policySection({ setup }: RunRecord): string {
  if (!setup) return '';
  const body = [
    `Preset <code>${escapeText(setup.preset)}</code>, mode <code>${escapeText(setup.mode)}</code>, ` +
      `force ${setup.force ? 'on' : 'off'}. ${escapeText(setup.isolation)}`,
    `Allowed:\n\n${fenced(setup.allow.join('\n') || '(nothing)')}`,
    `Denied, whatever is allowed:\n\n${fenced(setup.deny.join('\n') || '(nothing)')}`,
  ];
  return folded('What the agent was allowed to do', body.join('\n\n'));
}

/** What was gathered for the agent, and what its preset told it. */
export function givenSection({ context = [], instruction }: RunRecord, { rows }: Detail): string {
  if (context.length === 0 && instruction === undefined) return '';
  const cells = context.map(({ kind, bytes, leftOut, inlined, ...about }) => [
    codeText(kind),
    `${number(bytes)} bytes${inlined ? ', in the prompt too' : ''}`,
    share(about, kind === 'ci-logs' ? 'failed job' : 'changed file'),
    leftOut
      .slice(0, Math.min(rows, MOST_NOTES))
      .map((name) => codeText(name, 120))
      .join('<br>') +
      (leftOut.length > Math.min(rows, MOST_NOTES) ? ` ${number(leftOut.length)} in all` : ''),
  ]);
  const body = [
    context.length === 0 ? '' : table(['Gathered', 'Size', 'About', 'Left out'], cells),
    instruction === undefined ? '' : `The preset’s instruction, before the prompt:\n\n${fenced(instruction)}`,
  ];
  const kinds = context.map(({ kind }) => escapeText(kind)).join(', ');
  const title = kinds === '' ? 'What the agent was told' : `What the agent was given: ${kinds}`;
  return folded(title, body.filter((part) => part !== '').join('\n\n'));
}

/** What helps to find out why: open on a failure, folded otherwise. */
export function diagnosticsSection(record: RunRecord, { words }: Detail): string {
  const { stderr, exit, verdict } = record;
  const said = truncateStart(stderr.trim(), words);
  const parts = [
    remarks(record).join('\n'),
    ...unrecognisedLines(record),
    said === '' ? '' : `The end of what it wrote besides:\n\n${fenced(said)}`,
    exit && verdict.status === 'failure' ? `Process: <code>${escapeText(JSON.stringify(exit))}</code>` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : folded('Diagnostics', parts.join('\n\n'), verdict.status === 'failure');
}

function remarks({ report, notes, tries, corrections, exit }: RunRecord): string[] {
  const item = (text: string) => `- ${escapeText(truncate(text, 500))}`;
  return [
    ...tries.map(
      ({ reason, detail, waitMs }, index) =>
        `- Try ${index + 1} failed (${reason}), waited ${duration(waitMs)}: ${escapeText(truncate(detail, 300))}`,
    ),
    ...(corrections ?? []).map(({ problem }, index) =>
      item(`Answer ${index + 1} could not be used: ${problem}`),
    ),
    ...(exit?.kind === 'ended' && exit.why === 'after-result'
      ? ['- The agent did not exit after its result and was ended; the result counts.']
      : []),
    ...notes.slice(0, MOST_NOTES).map(item),
    ...report.notices
      .filter(({ level }) => level === 'warning')
      .slice(0, MOST_NOTES)
      .map(({ text }) => item(text)),
  ];
}

function unrecognisedLines({ report: { unrecognised } }: RunRecord): string[] {
  const listed = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .slice(0, MOST_NOTES)
      .map(([label, count]) => `${escapeText(truncate(label, 80))} × ${number(count)}`)
      .join(', ');
  const tools = listed(unrecognised.tools);
  return [
    unrecognised.count === 0
      ? ''
      : `${plural(unrecognised.count, 'line')} not recognised: ${listed(unrecognised.labels)}`,
    tools === '' ? '' : `Tools this version has no words for: ${tools}`,
    ...unrecognised.first.map(({ line, sample }) => quoted(`line ${line}: ${truncate(sample, 200)}`)),
  ].filter((line) => line !== '');
}
