import type { BytePath } from './byte-path.js';

/** One path in the index. */
export interface IndexEntry {
  mode: string;
  id: string;
  /** Git was told to overlook changes of the file: assume-unchanged or skip-worktree. */
  unwatched: boolean;
  /** The index has more than one version of it. */
  conflict: boolean;
}

export type IndexEntries = ReadonlyMap<BytePath, IndexEntry>;

/** The columns have fixed widths: a letter, a mode of six digits, an object id, a stage of one digit. */
const MODE_START = 'H '.length;
const ID_START = 'H 100644 '.length;

/**
 * Reads `git ls-files --stage -v -z`: the columns, a tab, the path. A large repository has very many entries, so the
 * caller can say which ones to keep.
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

/** Selects the entries that are needed to judge and store changes of these paths. */
export const mattersFor = (paths: ReadonlySet<BytePath>) => (path: BytePath, mode: string) =>
  paths.has(path) || mode === SUBMODULE || path.endsWith('.gitattributes');

/** The paths that two indexes describe differently. The recorded times and sizes do not count, as `git status` updates them. */
export function differingEntries(before: IndexEntries, after: IndexEntries): BytePath[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => {
    const [one, other] = [before.get(path), after.get(path)];
    return (
      one?.id !== other?.id ||
      one?.mode !== other?.mode ||
      one?.unwatched !== other?.unwatched ||
      one?.conflict !== other?.conflict
    );
  });
}
