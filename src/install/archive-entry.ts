/** An archive that is damaged, or that would write where it must not. */
export class ArchiveProblem extends Error {
  override readonly name = 'ArchiveProblem';
}

/** Turns a name in an archive into a path below the target folder. Throws if the name could lead out of it. */
export function entryPath(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  // A backslash separates folders on Windows only. No real archive of a CLI contains one.
  if (isAbsolute(name) || parts.includes('..') || /[\\\0]/.test(name)) {
    throw new ArchiveProblem(`the entry ${JSON.stringify(name)} leads out of the archive`);
  }
  return parts.join('/');
}

/**
 * Throws if a link could lead out of the archive. A target may go up only at its beginning, and only to the top of the
 * archive: a later `..` would start from wherever another link leads. So a link ends inside, whatever links are on
 * its way.
 */
export function checkLinkTarget(path: string, target: string): void {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const firstName = parts.findIndex((part) => part !== '..');
  const levelsUp = firstName < 0 ? parts.length : firstName;
  const depth = path.split('/').length - 1;
  const isOutside = levelsUp > depth || parts.slice(levelsUp).includes('..');
  if (target === '' || isAbsolute(target) || isOutside || /[\\\0]/.test(target)) {
    throw new ArchiveProblem(`the link ${JSON.stringify(path)} leads out of the archive`);
  }
}

const isAbsolute = (path: string): boolean => path.startsWith('/') || /^[A-Za-z]:/.test(path);

/** Equal for two paths that a disk could take for the same, because it ignores case or normalises accents. */
export const foldedPath = (path: string): string => path.normalize('NFKC').toUpperCase().toLowerCase();
