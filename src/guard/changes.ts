import type { BytePath } from './byte-path.js';

export type ChangeStatus =
  { status: 'added' | 'modified' | 'deleted' | 'mode' | 'symlink' } | { status: 'renamed'; from: string };

export type Lines =
  { kind: 'text'; added: number; removed: number } | { kind: 'binary' } | { kind: 'unknown' };

/** One file the agent changed, by its path from the top of the repository. */
export type Change = ChangeStatus & {
  path: string;
  lines: Lines;
  /** By the ignore rules as they were before: watched, but in neither patch nor list of changed files. */
  ignored: boolean;
};

/** Something that was changed and may not be; the reason completes "<path>: …". */
export interface Violation {
  path: string;
  reason: string;
  target: { kind: 'file'; key: BytePath } | { kind: 'folder'; key: BytePath } | { kind: 'git' };
}

export type Patch = { kind: 'none' } | { kind: 'written'; file: string; bytes: number };

export type Inspection =
  | { kind: 'not-a-repository'; directory: string }
  | {
      kind: 'inspected';
      changes: Change[];
      violations: Violation[];
      patch: Patch;
      /** Changed files the patch could not take in, and why. */
      omitted: { path: string; reason: string }[];
    };

/** The paths for the output `changed-files`: a rename counts as both, what git ignores not at all. */
export function changedFiles(inspection: Inspection): string[] {
  if (inspection.kind === 'not-a-repository') return [];
  const paths = inspection.changes
    .filter((change) => !change.ignored)
    .flatMap((change) => (change.status === 'renamed' ? [change.from, change.path] : [change.path]));
  return [...new Set(paths)].sort();
}
