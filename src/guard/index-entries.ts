import type { BytePath } from './byte-path.js';

/** One path as the index has it. */
export interface IndexEntry {
  mode: string;
  id: string;
  /** Git was told not to look at the file: assume-unchanged or skip-worktree. */
  unwatched: boolean;
  /** More than one version: a conflict. */
  conflict: boolean;
}

export type IndexEntries = ReadonlyMap<BytePath, IndexEntry>;

/** Reads `git ls-files --stage -v -z`: a letter, mode, object and stage, a tab, the path. */
export function parseIndexEntries(listing: Buffer): IndexEntries {
  const entries = new Map<BytePath, IndexEntry>();
  for (const line of listing.toString('latin1').split('\0')) {
    const tab = line.indexOf('\t');
    if (tab < 0) continue;
    const [letter = '', mode = '', id = '', stage = ''] = line.slice(0, tab).split(' ');
    entries.set(line.slice(tab + 1), {
      mode,
      id,
      unwatched: letter === 'S' || letter !== letter.toUpperCase(),
      conflict: stage !== '0',
    });
  }
  return entries;
}

export const isSubmodule = (entry: IndexEntry): boolean => entry.mode === '160000';

export interface IndexDifference {
  path: BytePath;
  what: string;
}

/**
 * What the index says differently of the files. The times and sizes it remembers are not compared: any
 * `git status` refreshes them.
 */
export function compareIndexes(before: IndexEntries, after: IndexEntries): IndexDifference[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].flatMap((path) => {
    const what = entryDifference(before.get(path), after.get(path));
    return what === undefined ? [] : [{ path, what }];
  });
}

function entryDifference(before: IndexEntry | undefined, after: IndexEntry | undefined): string | undefined {
  if (!after) return 'was taken out of it';
  if (isSubmodule(after) && before?.id !== after.id) return 'was staged as a submodule';
  if (!before) return 'was staged';
  if (before.id !== after.id || before.mode !== after.mode) return 'was staged with another content or mode';
  if (before.unwatched !== after.unwatched) {
    return after.unwatched ? 'was marked so that git overlooks its changes' : 'is watched by git again';
  }
  return before.conflict === after.conflict ? undefined : 'has a conflict more or less';
}
