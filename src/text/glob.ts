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
