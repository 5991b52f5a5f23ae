import type { ChangedFile, Changes, FileChanges, RunRecord } from './model.js';
import { number } from '../text/format.js';

/** The files that a run changed: by git if it is known, otherwise by the agent's own edits. */
export function fileChanges({ changes, report }: Pick<RunRecord, 'changes' | 'report'>): FileChanges {
  const isKnown = changes?.kind === 'known';
  const files = isKnown ? changes.files : editedFiles(report);
  return {
    source: isKnown ? 'git' : 'agent',
    files,
    added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
    removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
  };
}

/** Remarks on the list: why the changes are not known, whether they were applied, and what is not in the patch. */
export function changesNote(changes: Changes | undefined): string {
  if (!changes) return '';
  if (changes.kind === 'unknown') return changes.note;
  const listed = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${title}: ${lines.join('; ')}.`];
  return [
    ...(changes.files.length === 0 ? [] : APPLIED[changes.applied]),
    ...(changes.ignored === 0 ? [] : [ignoredNote(changes.ignored)]),
    ...listed('Not in the patch', changes.omitted),
  ].join(' ');
}

const APPLIED = {
  all: [],
  allowed: ['The allowed changes were applied to the checkout; the rest is in `rejected-patch-file`.'],
  none: ['Nothing was applied: the checkout is unchanged. The changes are in `rejected-patch-file`.'],
} as const;

const ignoredNote = (count: number): string =>
  count === 1
    ? '1 more file that git ignores was changed; it was not applied.'
    : `${number(count)} more files that git ignores were changed; they were not applied.`;

function editedFiles(report: RunRecord['report']): ChangedFile[] {
  const files = new Map<string, ChangedFile & { added: number; removed: number }>();
  for (const { kind, state, target, facts } of report.tools) {
    if (state !== 'ok' || (kind !== 'edit' && kind !== 'delete') || target === '') continue;
    const file = files.get(target) ?? { path: target, status: 'modified', added: 0, removed: 0 };
    file.status = kind === 'delete' ? 'deleted' : 'modified';
    file.added += facts.linesAdded ?? 0;
    file.removed += facts.linesRemoved ?? 0;
    files.set(target, file);
  }
  return [...files.values()];
}

interface Counts {
  added?: number | undefined;
  removed?: number | undefined;
}

/** `+3 −1`; empty if the numbers are not known. */
export function lineCounts({ added, removed }: Counts): string {
  if (added === undefined && removed === undefined) return '';
  return `+${added ?? 0} −${removed ?? 0}`;
}
