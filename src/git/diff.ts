/** A change of one file, as a diff tells it. Pure data: read from git's text or from GitHub's API. */
export interface FileDiff {
  /** Where the file is after the change; of a deleted one, where it was. */
  path: string;
  /** Where it was before, if that is elsewhere. */
  oldPath?: string;
  status: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type-changed';
  /** Nothing of a binary file's content is known. */
  binary: boolean;
  hunks: Hunk[];
}

export interface Hunk {
  oldStart: number;
  oldCount: number;
  newStart: number;
  newCount: number;
  lines: DiffLine[];
}

/** One line of a hunk, with its number on the sides where it stands. */
export type DiffLine =
  | { kind: 'context'; old: number; new: number; text: string }
  | { kind: 'added'; new: number; text: string }
  | { kind: 'removed'; old: number; text: string };

/** Whether every line of a range on the new side stands in one hunk: only there can GitHub show a comment. */
export function hunkHolding(
  hunks: readonly Hunk[],
  range: { startLine: number; endLine: number },
): Hunk | undefined {
  return hunks.find(
    ({ newStart, newCount }) => range.startLine >= newStart && range.endLine < newStart + newCount,
  );
}

/** The numbers of the lines a file's change added or rewrote, on the new side. */
export const addedLines = (hunks: readonly Hunk[]): number[] =>
  hunks.flatMap(({ lines }) => lines.flatMap((line) => (line.kind === 'added' ? [line.new] : [])));
