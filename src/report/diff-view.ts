import { parseGitDiff, type DiffLine, type FileDiff, type Hunk } from '../git/diff.js';
import { joinParts, number, plural } from '../text/format.js';
import { escapeHtml, code, joined, lineCountsHtml } from '../text/html.js';
import { truncate } from '../text/plain-text.js';
import type { Redaction } from '../text/redact.js';

/** The text of a patch, as git wrote it, or the beginning of it. */
export interface PagePatch {
  kind: 'applied' | 'rejected';
  text: string;
  isWhole: boolean;
}

/** All that the page shows of one patch. */
const MAX_LINES = 5000;
const LINE_CHARACTERS = 1000;
/** A file with more lines is folded, and every file if there are more of them. */
const MAX_OPEN_LINES = 80;
const MAX_OPEN_FILES = 10;

const TITLES = { applied: 'Applied to the checkout', rejected: 'Not applied' } as const;
const OUTPUTS = { applied: 'patch-file', rejected: 'rejected-patch-file' } as const;

/** The changes line by line, one block per file. Added and removed lines differ by their sign as well as by colour. */
export function renderDiffs(patches: readonly PagePatch[], redaction?: Redaction): string {
  const parts = patches.map((patch) => renderPatch(patch, redaction));
  return parts.length === 0
    ? ''
    : `<section class="diffs"><h2>Changes, line by line</h2>\n${joined(parts)}</section>`;
}

function renderPatch({ kind, text, isWhole }: PagePatch, redaction: Redaction | undefined): string {
  const all = parseGitDiff(redaction ? redaction.redact(text) : text);
  const { files, left } = firstFiles(all);
  const rest = joinParts(
    [
      left > 0 ? plural(left, 'more file') : '',
      isWhole ? '' : left > 0 ? 'and everything after it' : 'The rest',
    ],
    ' ',
  );
  return joined([
    `<h3>${TITLES[kind]}</h3>`,
    ...files.map((file) => renderFile(file, files.length)),
    rest === '' ? '' : `<p class="small">${rest}: see the output ${code(OUTPUTS[kind])}.</p>`,
  ]);
}

/** The files that fit. One that is too long alone is shown up to the limit. */
function firstFiles(all: readonly FileDiff[]): { files: FileDiff[]; left: number } {
  let room = MAX_LINES;
  const files: FileDiff[] = [];
  for (const file of all) {
    const length = countLines(file);
    if (files.length > 0 && length > room) break;
    files.push(file);
    room -= Math.max(1, length);
    if (room <= 0) break;
  }
  return { files, left: all.length - files.length };
}

const countLines = ({ hunks }: FileDiff, kind?: DiffLine['kind']): number =>
  hunks.flatMap(({ lines }) => lines).filter((line) => kind === undefined || line.kind === kind).length;

function renderFile(file: FileDiff, files: number): string {
  const { path, oldPath, status, binary, hunks } = file;
  const open = files <= MAX_OPEN_FILES && countLines(file) <= MAX_OPEN_LINES ? ' open' : '';
  const name = `${oldPath === undefined ? '' : `${code(truncate(oldPath, 300))} → `}${code(truncate(path, 300))}`;
  const counts =
    hunks.length === 0 ? '' : ` ${lineCountsHtml(countLines(file, 'added'), countLines(file, 'removed'))}`;
  return joined([
    `<details class="file"${open}><summary>${name} <span class="small">${status}</span>${counts}</summary>`,
    hunks.length > 0
      ? `<pre class="diff" tabindex="0" role="region" aria-label="Changes of ${escapeHtml(truncate(path, 100))}">${renderHunks(hunks)}</pre>`
      : `<p class="small">${binary ? 'It is a binary file.' : 'None of its lines changed.'}</p>`,
    '</details>',
  ]);
}

function renderHunks(hunks: readonly Hunk[]): string {
  let room = MAX_LINES;
  return hunks
    .flatMap(({ oldStart, oldCount, newStart, newCount, lines }) => {
      const first = lines.slice(0, room);
      room -= first.length;
      const left = lines.length - first.length;
      return [
        `<span class="line hunk">@@ −${oldStart},${oldCount} +${newStart},${newCount} @@\n</span>`,
        ...first.map(renderLine),
        left > 0 ? `<span class="line hunk">… ${number(left)} more lines\n</span>` : '',
      ];
    })
    .join('');
}

function renderLine(line: DiffLine): string {
  // Most files with CRLF have it on every line, where it tells nothing.
  const words = escapeHtml(truncate(line.text.replace(/\r$/, ''), LINE_CHARACTERS));
  const at = (place: number) => `<span class="at">${place}</span>`;
  switch (line.kind) {
    case 'added':
      return `<ins class="line added">${at(line.new)}+${words}\n</ins>`;
    case 'removed':
      return `<del class="line removed">${at(line.old)}−${words}\n</del>`;
    case 'context':
      return `<span class="line">${at(line.new)} ${words}\n</span>`;
  }
}
