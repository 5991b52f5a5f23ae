import type { ChangedFile, Changes, FileChanges, RunRecord } from './model.js';
import { number } from '../text/format.js';

/** The files a run changed: as git tells it where that is known, else as the agent's edits tell it. */
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

/** What to know of the list besides: why it is not known, what became of it, and what is not in the patch. */
export function changesNote(changes: Changes | undefined): string {
  if (!changes) return '';
  if (changes.kind === 'unknown') return changes.note;
  const listed = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${title}: ${lines.join('; ')}.`];
  return [
    ...(changes.files.length === 0 ? [] : BECAME[changes.applied]),
    ...(changes.ignored === 0 ? [] : [ignoredNote(changes.ignored)]),
    ...listed('Not in the patch', changes.omitted),
  ].join(' ');
}

const BECAME = {
  all: [],
  allowed: ['What was allowed was applied to the checkout; the rest is in `rejected-patch-file`.'],
  none: ['Nothing of it was applied: the checkout is as it was. The changes are in `rejected-patch-file`.'],
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

/** `+3 −1`, or nothing where no numbers are known. */
export function lineCounts({ added, removed }: Counts): string {
  if (added === undefined && removed === undefined) return '';
  return `+${added ?? 0} −${removed ?? 0}`;
}
