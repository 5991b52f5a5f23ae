import { FAILURES } from '../core/failure.js';
import { fileChanges, lineCounts } from './file-changes.js';
import { codeText, escapeText, fenced } from '../text/markdown.js';
import { truncate } from '../text/plain-text.js';
import type { RunRecord } from './model.js';
import { countCalls } from './run-report.js';
import type { Detail } from './summary-writer.js';
import { compactNumber, duration, number } from '../text/format.js';

/** The first line: whether it worked. */
export function verdictHeading({ verdict, setup }: RunRecord): string {
  const who = setup ? `${setup.agent} agent (${setup.preset})` : 'Cursor agent';
  return verdict.status === 'success'
    ? `## ✅ ${escapeText(who)}: done`
    : `## ❌ ${escapeText(who)}: failed (<code>${verdict.reason}</code>)`;
}

/** Why it did not, and what to do about it. */
export function failureAlert({ verdict }: RunRecord, { words }: Pick<Detail, 'words'>): string {
  if (verdict.status === 'success') return '';
  const { what, remedy } = FAILURES[verdict.reason];
  const detail = truncate(verdict.detail.trim(), words);
  const lines = [
    `**What happened:** ${what}`,
    ...(detail === '' ? [] : ['', ...detailLines(detail)]),
    '',
    `**What to do:** ${remedy}`,
  ];
  return ['> [!CAUTION]', ...lines.map((line) => `> ${line}`.trimEnd())].join('\n');
}

/** A sentence wraps on a narrow screen; lines keep their shape. */
function detailLines(detail: string): string[] {
  return detail.includes('\n') ? fenced(detail).split('\n') : [escapeText(detail)];
}

/** Time, model, tokens, cost, calls, files: a line that wraps on a narrow screen, as no table does. */
export function numbersLine(record: RunRecord): string {
  const { report, wallMs, agentMs, setup } = record;
  const { calls, failed, denied } = countCalls(report);
  const shortfalls = [
    failed > 0 ? `${number(failed)} failed` : '',
    denied > 0 ? `${number(denied)} denied` : '',
  ].filter((part) => part !== '');
  const { usage } = report;
  const cached = usage && usage.cacheReadTokens > 0 ? `, ${compactNumber(usage.cacheReadTokens)} cached` : '';
  const changed = fileChanges(record);
  const items: [string, string][] = [
    ['Time', duration(report.durationMs ?? agentMs ?? wallMs)],
    ['Model', escapeText(truncate(report.model ?? '', 80))],
    ['Tool calls', `${number(calls)}${shortfalls.length > 0 ? ` (${shortfalls.join(', ')})` : ''}`],
    ['Files', changed.files.length === 0 ? '' : `${number(changed.files.length)} (${lineCounts(changed)})`],
    [
      'Tokens',
      usage
        ? `${compactNumber(usage.inputTokens)} in, ${compactNumber(usage.outputTokens)} out${cached}`
        : '',
    ],
    ['Cost', report.costUsd === undefined ? '' : `$${report.costUsd.toFixed(report.costUsd < 1 ? 4 : 2)}`],
    ['Turns', report.turns === undefined ? '' : number(report.turns)],
    ['CLI', codeText(setup?.cliVersion ?? '', 60)],
  ];
  return items
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `**${name}** ${value}`.replaceAll(' ', '&nbsp;'))
    .join(' · ');
}
