/** An archive that is damaged, or that would write where it must not. */
export class ArchiveProblem extends Error {
  override readonly name = 'ArchiveProblem';
}

/** A name in an archive → the path below the folder it is unpacked to. Nothing that could lead out passes. */
export function entryPath(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const isAbsolute = name.startsWith('/') || /^[A-Za-z]:/.test(name);
  // A backslash separates folders on Windows and nowhere else: no honest archive of this CLI has one.
  if (isAbsolute || parts.includes('..') || /[\\\0]/.test(name)) {
    throw new ArchiveProblem(`the entry ${JSON.stringify(name)} leads out of the archive`);
  }
  return parts.join('/');
}

/**
 * A link's target, checked. Going up is fine only at the beginning and only as far as the archive's top:
 * further on, `..` would be taken from wherever another link has led to. So a link ends inside, whatever links
 * it passes on the way.
 */
export function checkLinkTarget(path: string, target: string): void {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const ups = parts.findIndex((part) => part !== '..');
  const rising = ups < 0 ? parts.length : ups;
  const depth = path.split('/').length - 1;
  const isAbsolute = target.startsWith('/') || /^[A-Za-z]:/.test(target);
  const isOutside = rising > depth || parts.slice(rising).includes('..');
  if (target === '' || isAbsolute || isOutside || /[\\\0]/.test(target)) {
    throw new ArchiveProblem(`the link ${JSON.stringify(path)} leads out of the archive`);
  }
}

/** Names that may be the same file on a disk that ignores case or spells accents in its own way. */
export const foldedPath = (path: string): string => path.normalize('NFKC').toUpperCase().toLowerCase();
