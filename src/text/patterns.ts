import ignore from 'ignore';

/**
 * Finds the first of these patterns that matches a path, exactly as git reads them in a `.gitignore`. It is for rules
 * that leave out or deny. Permission tokens have other patterns, in which `*` also matches slashes.
 */
export function ignoreFinder(patterns: readonly string[]): (path: string) => string | undefined {
  const rules = ignore({ ignorecase: false, allowRelativePaths: true });
  // The library names the last rule that matches.
  for (const mark of [...patterns].reverse()) rules.add({ pattern: asBytes(mark), mark });
  return (path) => rules.test(asBytes(path)).rule?.mark;
}

/** One character for each byte, because git's `?` and `[!a]` match one byte. A dot of the library matches no line break. */
const asBytes = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[\n\r]/g, '\t');

/**
 * Patterns that allow. They resemble those of `.gitignore`, but match less: a pattern for a folder (`x/`) means that
 * folder at the top, brackets stand for themselves, and only `**` and `x/` match everything in a folder.
 */
export function allowTest(pattern: string): (path: string) => boolean {
  const isAnchored = pattern.includes('/');
  const source = pattern
    .replace(/^\.?\//, '')
    .replace(/\/+$/, '/**')
    .replace(/(?:\*\*\/)+|\*\*+|[*?]|[\\^$.|+()[\]{}]/g, translate);
  const expression = new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${source}$`, 's');
  return (path) => expression.test(path);
}

function translate(token: string): string {
  if (token.startsWith('**')) return token.endsWith('/') ? '(?:.*/)?' : '.*';
  if (token === '*') return '[^/]*';
  return token === '?' ? '[^/]' : `\\${token}`;
}
