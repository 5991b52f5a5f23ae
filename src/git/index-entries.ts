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

/** Each column has its width: a letter, a mode of six digits, an object's name, a stage of one digit. */
const MODE_START = 'H '.length;
const ID_START = 'H 100644 '.length;

/**
 * Reads `git ls-files --stage -v -z`: those columns, a tab, the path. A large repository has more entries than anybody
 * wants to keep, so the caller can say which ones matter.
 */
export function parseIndexEntries(
  listing: Buffer,
  matters: (path: BytePath, mode: string) => boolean = () => true,
): IndexEntries {
  const entries = new Map<BytePath, IndexEntry>();
  const text = listing.toString('latin1');
  const idEnd = text.indexOf(' ', ID_START);
  for (let at = 0, end = text.indexOf('\0'); end >= 0; at = end + 1, end = text.indexOf('\0', at)) {
    const path = text.slice(at + idEnd + ' 0\t'.length, end);
    const mode = text.slice(at + MODE_START, at + ID_START - 1);
    if (!matters(path, mode)) continue;
    const letter = text.charAt(at);
    entries.set(path, {
      mode,
      id: text.slice(at + ID_START, at + idEnd),
      unwatched: letter === 'S' || letter !== letter.toUpperCase(),
      conflict: text.charAt(at + idEnd + 1) !== '0',
    });
  }
  return entries;
}

const SUBMODULE = '160000';
export const isSubmodule = (entry: IndexEntry): boolean => entry.mode === SUBMODULE;

/** What has to be known of an index to judge and keep changes of some paths: those, all submodules, all attributes. */
export const mattersFor = (paths: ReadonlySet<BytePath>) => (path: BytePath, mode: string) =>
  paths.has(path) || mode === SUBMODULE || path.endsWith('.gitattributes');

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
