import { FAILURES } from '../core/failure.js';
import { findDenials } from './denials.js';
import { changesNote, fileChanges, lineCounts } from './file-changes.js';
import { shownAnswer } from './answer-parts.js';
import { reviewPart } from './html-review.js';
import { escapeHtml } from '../text/html-text.js';
import type { AnswerWriter } from './plain-answer.js';
import { truncate } from '../text/plain-text.js';
import type { ChangedFile, RunRecord } from './model.js';
import { countCalls } from './run-report.js';
import { duration, number } from '../text/format.js';

const ANSWER_CHARACTERS = 60_000;
const MOST_ROWS = 1000;
const MOST_LEFT_OUT = 100;
/** A longer list of files is folded. */
const MOST_OPEN_FILES = 15;

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;
const pre = (text: string): string => `<pre tabindex="0">${escapeHtml(text)}</pre>`;
const section = (title: string, body: string): string =>
  `<section><h2>${escapeHtml(title)}</h2>\n${body}</section>`;

/** Cells are HTML already. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('');
  const body = rows.slice(0, MOST_ROWS).map((cells) => `<tr><td>${cells.join('</td><td>')}</td></tr>`);
  const left = rows.length - body.length;
  return [
    `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>`,
    ...body,
    '</tbody></table></div>',
    left > 0 ? `<p class="small">… and ${number(left)} more</p>` : '',
  ].join('\n');
}

export function verdictPart({ verdict, setup }: RunRecord): string {
  const who = escapeHtml(setup ? `${setup.agent} agent (${setup.preset})` : 'Cursor agent');
  return verdict.status === 'success'
    ? `<h1 class="success"><span class="mark" aria-hidden="true">✓</span> ${who}: done</h1>`
    : `<h1 class="failure"><span class="mark" aria-hidden="true">✗</span> ${who}: failed (${code(verdict.reason)})</h1>`;
}

export function failurePart({ verdict }: RunRecord): string {
  if (verdict.status === 'success') return '';
  const { what, remedy } = FAILURES[verdict.reason];
  const detail = verdict.detail.trim();
  return [
    '<div class="alert" role="note">',
    `<p><strong>What happened:</strong> ${escapeHtml(what)}</p>`,
    detail === '' ? '' : pre(truncate(detail, 8000)),
    `<p><strong>What to do:</strong> ${escapeHtml(remedy)}</p>`,
    '</div>',
  ].join('\n');
}

export function answerPart(record: RunRecord, writer: AnswerWriter): string {
  const shown = shownAnswer(record);
  if (shown.kind === 'review') return reviewPart(shown.review, writer);
  const { kind, text } = shown;
  if (text === '') return '';
  const html =
    kind === 'words' ? writer.html(text, ANSWER_CHARACTERS) : pre(truncate(text, ANSWER_CHARACTERS));
  const file = kind === 'json' ? record.files.report : record.files.result;
  const whole = text.length > ANSWER_CHARACTERS && file ? `The whole is in ${code(file)}.` : '';
  const note = text.length > ANSWER_CHARACTERS ? `<p class="small">This is its beginning. ${whole}</p>` : '';
  return `<div class="answer" role="region" aria-label="The agent’s answer">\n${html}\n${note}</div>`;
}

export function numbersPart(record: RunRecord): string {
  const { report, agentMs, wallMs, setup } = record;
  const { calls, failed, denied } = countCalls(report);
  const changed = fileChanges(record);
  const { usage } = report;
  const items: [string, string | undefined][] = [
    ['Time', duration(report.durationMs ?? agentMs ?? wallMs)],
    ['Model', report.model],
    ['Tool calls', number(calls)],
    ['Failed', failed > 0 ? number(failed) : undefined],
    ['Denied', denied > 0 ? number(denied) : undefined],
    ['Files', changed.files.length > 0 ? `${changed.files.length} (${lineCounts(changed)})` : undefined],
    ['Tokens in', usage && number(usage.inputTokens)],
    ['Tokens out', usage && number(usage.outputTokens)],
    ['Tokens cached', usage && number(usage.cacheReadTokens)],
    ['Cost', report.costUsd === undefined ? undefined : `$${report.costUsd.toFixed(4)}`],
    ['Turns', report.turns === undefined ? undefined : number(report.turns)],
    ['CLI', setup?.cliVersion],
    ['Session', report.sessionId],
  ];
  const shown = items.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`],
  );
  return `<dl class="numbers">${shown.join('')}</dl>`;
}

export function deniedPart({ report, setup }: RunRecord): string {
  const denials = findDenials(report, setup);
  if (denials.length === 0) return '';
  const rows = denials.map(({ tool, what, why, count, allow }) => [
    `${escapeHtml(tool)} ${code(what)}${count > 1 ? ` × ${number(count)}` : ''}`,
    allow.map(code).join('<br>'),
    escapeHtml(why),
  ]);
  return section('Denied', table(['Refused', 'Allow with', 'Why'], rows));
}

export function filesPart(record: RunRecord): string {
  const { files, source } = fileChanges(record);
  const violations = record.changes?.violations ?? [];
  const note = changesNote(record.changes);
  if (files.length === 0 && violations.length === 0 && note === '') return '';
  const rows = files.map((file) => [code(file.path), escapeHtml(file.status), counts(file)]);
  const forbidden = violations.map((violation) => `<li>${escapeHtml(violation)}</li>`).join('');
  return section(
    source === 'git' ? 'Files changed' : 'Files edited, as the agent tells it',
    [
      fileList(table(['File', 'Change', 'Lines'], rows), files.length),
      forbidden === '' ? '' : `<p><strong>Not allowed by the policy:</strong></p><ul>${forbidden}</ul>`,
      note === '' ? '' : `<p>${escapeHtml(note)}</p>`,
    ].join('\n'),
  );
}

function fileList(list: string, count: number): string {
  if (count === 0) return '';
  if (count <= MOST_OPEN_FILES) return list;
  return `<details><summary>${number(count)} files</summary>${list}</details>`;
}

function counts({ added, removed }: ChangedFile): string {
  if (added === undefined && removed === undefined) return '';
  return `<span class="plus">+${added ?? 0}</span> <span class="minus">−${removed ?? 0}</span>`;
}

export function planPart({ report: { todos } }: RunRecord): string {
  if (todos.length === 0) return '';
  const marks = { done: '☑', 'in-progress': '▶', pending: '☐', cancelled: '☒' };
  const items = todos.map(
    ({ status, text }) => `<li class="${status}">${marks[status]} ${escapeHtml(text)}</li>`,
  );
  return section('Plan', `<ul class="plan">${items.join('\n')}</ul>`);
}

export function policyPart({ setup }: RunRecord): string {
  if (!setup) return '';
  const words = `Preset ${code(setup.preset)}, mode ${code(setup.mode)}, force ${setup.force ? 'on' : 'off'}.`;
  return section(
    'What it was allowed to do',
    [
      `<p>${words} ${escapeHtml(setup.isolation)}</p>`,
      `<details><summary>Allowed (${setup.allow.length})</summary>${pre(setup.allow.join('\n'))}</details>`,
      `<details><summary>Denied, whatever is allowed (${setup.deny.length})</summary>${pre(setup.deny.join('\n'))}</details>`,
    ].join('\n'),
  );
}

export function givenPart({ context = [], instruction }: RunRecord): string {
  if (context.length === 0 && instruction === undefined) return '';
  const rows = context.map(({ kind, description, bytes, items, outOf, leftOut, inlined }) => [
    `${code(kind)} ${escapeHtml(description)}`,
    `${number(bytes)} bytes${inlined ? ', in the prompt too' : ''}`,
    outOf === undefined ? number(items) : `${number(items)} of ${number(outOf)}`,
    leftOut.slice(0, MOST_LEFT_OUT).map(code).join('<br>') +
      (leftOut.length > MOST_LEFT_OUT ? `<br>… ${number(leftOut.length)} in all` : ''),
  ]);
  return section(
    'What it was given',
    [
      context.length === 0 ? '' : table(['Gathered', 'Size', 'Files or jobs', 'Left out'], rows),
      instruction === undefined
        ? ''
        : `<details><summary>The preset’s instruction, before the prompt</summary>${pre(instruction)}</details>`,
    ].join('\n'),
  );
}

export function diagnosticsPart({ report, notes, tries, corrections, stderr, exit }: RunRecord): string {
  const items = [
    ...tries.map(
      ({ reason, detail, waitMs }, index) =>
        `Try ${index + 1} failed (${reason}), waited ${duration(waitMs)}: ${detail}`,
    ),
    ...(corrections ?? []).map(({ problem }, index) => `Answer ${index + 1} could not be used: ${problem}`),
    ...notes,
    ...report.notices.filter(({ level }) => level === 'warning').map(({ text }) => text),
    ...Object.entries(report.unrecognised.labels).map(
      ([label, count]) => `${number(count)} lines not recognised: ${label}`,
    ),
    ...report.unrecognised.first.map(({ line, sample }) => `line ${line}: ${truncate(sample, 300)}`),
  ].map((text) => `<li>${escapeHtml(truncate(text, 1000))}</li>`);
  const parts = [
    items.length === 0 ? '' : `<ul>${items.join('\n')}</ul>`,
    stderr.trim() === '' ? '' : `<p>The end of what it wrote besides:</p>${pre(stderr.trim())}`,
    exit ? `<p class="small">Process: ${code(JSON.stringify(exit))}</p>` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : section('Diagnostics', parts.join('\n'));
}
