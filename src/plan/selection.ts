import { globTest } from '../text/glob.js';
import type { ChangedFile } from './changed-file.js';

export interface Selection {
  files: ChangedFile[];
  /** Left out, each with why. */
  skipped: { path: string; why: string }[];
}

/** The files worth a reader's time, in an order that depends on nothing but their names. */
export function selectFiles(changed: readonly ChangedFile[], excludes: readonly string[]): Selection {
  const tests = excludes.map((pattern) => ({ pattern, matches: globTest(pattern) }));
  const selection: Selection = { files: [], skipped: [] };
  for (const file of [...changed].sort(byPath)) {
    const rule = tests.find(({ matches }) => matches(file.path));
    if (rule) selection.skipped.push({ path: file.path, why: `matches ${rule.pattern}` });
    else if (file.binary) selection.skipped.push({ path: file.path, why: 'is binary' });
    else selection.files.push(file);
  }
  return selection;
}

/** By code units: the same on every machine, whatever its language. */
export const byPath = (a: { path: string }, b: { path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
