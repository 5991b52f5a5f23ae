import type { Denial, RunRecord } from './model.js';
import { changesNote, fileChanges, lineCounts } from './file-changes.js';
import { codeText, escapeText, fenced, folded, table } from '../text/markdown.js';
import { truncate } from '../text/plain-text.js';
import type { Detail } from './summary-writer.js';
import { buildGantt, timeShares } from './timeline.js';
import { duration, number, plural } from '../text/format.js';

/** Even a short summary names this many of what a person has to act upon. */
const FEWEST_ROWS = 5;
const BAR_BLOCKS = 8;
/** A longer list of files is folded. */
const MOST_OPEN_FILES = 15;

/** What was refused, why, and the exact token that would allow it. */
export function deniedSection(denials: readonly Denial[], record: RunRecord, { rows }: Detail): string {
  if (denials.length === 0) return '';
  const shown = denials.slice(0, Math.max(rows, FEWEST_ROWS));
  const cells = shown.map(({ tool, what, why, count, allow }) => [
    `${escapeText(tool)} ${codeText(what)}${count > 1 ? ` × ${number(count)}` : ''}`,
    allow.map((token) => codeText(token)).join('<br>'),
    escapeText(truncate(why, 200)),
  ]);
  const mode = record.setup && record.setup.mode !== 'agent' ? record.setup.mode : undefined;
  const hint =
    mode === undefined
      ? ''
      : `\n\nMode <code>${escapeText(mode)}</code> only reads: what writes or runs needs <code>mode: agent</code> too.`;
  return [
    '### 🚫 Denied',
    `${table(['Refused', 'Allow with', 'Why'], cells)}${more(denials.length - shown.length)}${hint}`,
  ].join('\n\n');
}

/** The files that changed, with + and −, and what of it was not allowed. */
export function filesSection(record: RunRecord, { rows }: Detail): string {
  const { files, source } = fileChanges(record);
  const { changes } = record;
  const violations = changes?.violations ?? [];
  const note = changesNote(changes);
  if (files.length === 0 && violations.length === 0 && note === '') return '';
  const shown = files.slice(0, Math.max(rows, FEWEST_ROWS));
  const list = table(
    ['File', 'Change', 'Lines'],
    shown.map((file) => [codeText(file.path), escapeText(file.status), lineCounts(file)]),
  );
  const forbidden = violations
    .slice(0, Math.max(rows, FEWEST_ROWS))
    .map((violation) => `- ${escapeText(truncate(violation, 300))}`);
  return [
    files.length === 0
      ? ''
      : source === 'git'
        ? '### 📝 Files changed'
        : '### 📝 Files edited, as the agent tells it',
    fileList(`${list}${more(files.length - shown.length)}`, files.length),
    forbidden.length === 0 ? '' : `**Not allowed by the policy:**\n\n${forbidden.join('\n')}`,
    note === '' ? '' : escapeText(truncate(note, 500)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function fileList(list: string, count: number): string {
  if (count === 0) return '';
  return count <= MOST_OPEN_FILES ? list : folded(plural(count, 'file'), list);
}

/** A picture of the run, and the time by kind of tool. */
export function timeSection({ report, agentMs, wallMs }: RunRecord, { gantt }: Detail): string {
  const total = agentMs ?? report.durationMs ?? wallMs;
  const picture = gantt ? buildGantt(report, total) : '';
  const shares = timeShares(report, total);
  if (report.tools.length === 0 || (picture === '' && total < 1000)) return '';
  const rows = shares.map(({ what, calls, ms, share }) => [
    escapeText(what),
    calls === undefined ? '' : number(calls),
    duration(ms).replaceAll(' ', '&nbsp;'),
    `${'█'.repeat(Math.round(Math.min(share, 1) * BAR_BLOCKS))} ${Math.round(share * 100)}&nbsp;%`.trim(),
  ]);
  return [
    '### ⏱️ Where the time went',
    picture === '' ? '' : fenced(picture, 'mermaid'),
    table(['Tool', 'Calls', 'Time', 'Share'], rows),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export const more = (count: number): string =>
  count > 0 ? `\n\n… and ${number(count)} more, all of them in the report.` : '';
