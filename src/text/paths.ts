/**
 * Patterns as in `.gitignore`: `*` and `?` match within one folder, `**` matches across folders, a pattern without a
 * slash applies in every folder, and a pattern for a folder (`x/`) applies to everything in it. Permission tokens have
 * other patterns, in which `*` also matches slashes.
 */
export function globTest(pattern: string): (path: string) => boolean {
  const isAnchored = pattern.replace(/\/+$/, '').includes('/');
  const source = pattern
    .replace(/^\.?\//, '')
    .replace(/\/+$/, '/**')
    .replace(/(?:\*\*\/)+|\*\*+|[*?]|[\\^$.|+()[\]{}]/g, translate);
  const expression = new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${source}$`, 's');
  return (path) => expression.test(path);
}

/** Finds the first of these patterns that matches a path. */
export function patternFinder(patterns: readonly string[]): (path: string) => string | undefined {
  const tests = patterns.map((pattern) => ({ pattern, matches: globTest(pattern) }));
  return (path) => tests.find(({ matches }) => matches(path))?.pattern;
}

function translate(token: string): string {
  if (token.startsWith('**')) return token.endsWith('/') ? '(?:.*/)?' : '.*';
  if (token === '*') return '[^/]*';
  return token === '?' ? '[^/]' : `\\${token}`;
}

/** Code points that some file systems ignore in a name, so that `.g<U+200C>it` opens `.git` there. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * One spelling for all names that a case-insensitive or normalising file system treats as the same. Going through
 * upper case joins letters that lower case alone keeps apart (a long s and an s, ß and ss).
 */
export const foldPath = (path: string): string =>
  path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');

/** The same, without ignored code points. For rules that deny, never for rules that allow. */
export const foldHard = (path: string): string => foldPath(path.replace(IGNORED, ''));

/** Whether a name means `.git` on some system: by case, ignored code points, or the short names of Windows. */
export const isDotGit = (name: string): boolean => /^(\.git|git~1)[ .]*(:.*)?$/s.test(foldHard(name));

/** Whether this is the path of a file from the top of a repository, written in the only way that git writes it. */
export const isPlainPath = (path: string): boolean =>
  !path.includes('\0') && path.split('/').every((part) => !['', '.', '..'].includes(part));

/** By code units, which is the same on every machine, no matter its locale. */
export const byPath = (a: { path: string }, b: { path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
