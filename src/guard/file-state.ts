import { joinBytes, type BytePath } from './byte-path.js';
import { isSameMark, kindOfMark, readContent, type FileTree, type Mark } from './file-walk.js';
import type { RepositorySnapshot } from './snapshot.js';

export type BlobMode = '100644' | '100755' | '120000';

/** What stands at a path: nothing, something git can keep, or something it cannot (a pipe, a device). */
export type FileState =
  | { kind: 'absent' }
  /** The content has no name when it is too large, unreadable, or was not kept. */
  | { kind: 'blob'; mode: BlobMode; id: string | undefined; privileged: boolean }
  | { kind: 'special' };

export interface Difference {
  path: BytePath;
  before: FileState;
  after: FileState;
}

/**
 * Every path where something else stands than before. A mark that stayed the same means untouched; one that
 * did not only raises the question, and the content answers it.
 */
export function findDifferences(
  snapshot: RepositorySnapshot,
  now: FileTree,
  identify: (path: BytePath, mark: Mark) => string | undefined,
): Difference[] {
  const differences: Difference[] = [];
  const consider = (path: BytePath, was: Mark | undefined, is: Mark | undefined) => {
    const before = stateBefore(snapshot, path, was);
    const isUnknown = before.kind === 'blob' && before.id === undefined;
    const after = stateOf(is, () =>
      is === undefined || (isUnknown && snapshot.ignored.has(path)) ? undefined : identify(path, is),
    );
    if (!isSameState(before, after)) differences.push({ path, before, after });
  };
  for (const [path, mark] of snapshot.tree.files) {
    const is = now.files.get(path);
    if (!is || !isSameMark(mark, is)) consider(path, mark, is);
  }
  for (const [path, mark] of now.files) {
    if (!snapshot.tree.files.has(path)) consider(path, undefined, mark);
  }
  return differences;
}

export function stateBefore(
  { contents, tracked, stale }: RepositorySnapshot,
  path: BytePath,
  mark: Mark | undefined,
): FileState {
  return stateOf(mark, () => contents.get(path) ?? (stale.has(path) ? undefined : tracked.get(path)?.id));
}

function stateOf(mark: Mark | undefined, id: () => string | undefined): FileState {
  if (!mark) return { kind: 'absent' };
  switch (kindOfMark(mark)) {
    case 'file': {
      const mode = (mark.mode & 0o100) === 0 ? '100644' : '100755';
      return { kind: 'blob', mode, id: id(), privileged: (mark.mode & 0o6000) !== 0 };
    }
    case 'link':
      return { kind: 'blob', mode: '120000', id: id(), privileged: false };
    case 'folder':
    case 'special':
      return { kind: 'special' };
  }
}

function isSameState(a: FileState, b: FileState): boolean {
  if (a.kind !== 'blob' || b.kind !== 'blob') return a.kind === b.kind && a.kind === 'absent';
  return a.id !== undefined && a.id === b.id && a.mode === b.mode && a.privileged === b.privileged;
}

/** Names the content of a file below the root, and keeps it; not of one larger than the limit. */
export function contentKeeper({ store, limits }: RepositorySnapshot, root: BytePath) {
  return (path: BytePath, mark: Mark): string | undefined => {
    if (mark.size > limits.fileBytes) return undefined;
    const content = readContent(joinBytes(root, path), mark);
    return content && store.keep(content);
  };
}
