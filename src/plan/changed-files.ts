import { patternFinder } from '../text/glob.js';

/** A file of the change, as far as the plan needs it. */
export interface ChangedFile {
  /** From the root of the repository, with forward slashes. */
  path: string;
  /** Lines added and removed; 0 for a binary file. */
  lines: number;
  binary: boolean;
}

/** Reads the output of `git diff --numstat -z -M`. For a moved file both names follow as separate records. */
export function readNumstat(text: string): ChangedFile[] {
  const records = text.split('\0');
  const files: ChangedFile[] = [];
  for (let index = 0; index < records.length; index += 1) {
    const parts = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(records[index] ?? '');
    if (!parts) continue;
    const [, added = '', removed = '', name = ''] = parts;
    const path = name === '' ? records[(index += 2)] : name;
    const binary = added === '-';
    if (path) files.push({ path, lines: binary ? 0 : Number(added) + Number(removed), binary });
  }
  return files;
}

export interface Selection {
  files: ChangedFile[];
  /** The files that were left out, with the reason. */
  skipped: { path: string; why: string }[];
}

/** The files that are worth a review, sorted by path. */
export function selectFiles(changed: readonly ChangedFile[], excludes: readonly string[]): Selection {
  const excludedBy = patternFinder(excludes);
  const selection: Selection = { files: [], skipped: [] };
  for (const file of [...changed].sort(byPath)) {
    const pattern = excludedBy(file.path);
    if (pattern !== undefined) selection.skipped.push({ path: file.path, why: `matches ${pattern}` });
    else if (file.binary) selection.skipped.push({ path: file.path, why: 'is binary' });
    else selection.files.push(file);
  }
  return selection;
}

/** By code units, which is the same on every machine, no matter its locale. */
export const byPath = (a: { path: string }, b: { path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
