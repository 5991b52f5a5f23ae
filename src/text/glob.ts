/**
 * Patterns as `.gitignore` has them: `*` and `?` stay within one folder, `**` crosses them, a pattern without a
 * slash holds in every folder, and one that names a folder (`x/`) holds for all in it.
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

function translate(token: string): string {
  if (token.startsWith('**')) return token.endsWith('/') ? '(?:.*/)?' : '.*';
  if (token === '*') return '[^/]*';
  return token === '?' ? '[^/]' : `\\${token}`;
}
