import { describe, expect, it } from '@jest/globals';
import { globTest, patternFinder } from '../../src/text/paths.js';

describe('globTest', () => {
  it.each([
    ['package-lock.json', 'package-lock.json'],
    ['package-lock.json', 'apps/web/package-lock.json'],
    ['*.min.js', 'public/js/app.min.js'],
    ['**/vendor/**', 'vendor/a.go'],
    ['**/vendor/**', 'x/y/vendor/z/a.go'],
    ['docs/*.md', 'docs/a.md'],
    ['/docs/*.md', 'docs/a.md'],
    ['./docs/**', 'docs/a/b.md'],
    ['build/', 'app/build/x.js'],
    ['src/**/*.ts', 'src/a.ts'],
    ['src/**/*.ts', 'src/a/b/c.ts'],
    ['a?c', 'abc'],
    ['a+(b).[x]', 'a+(b).[x]'],
  ])('%s holds for %s', (pattern, path) => {
    expect(globTest(pattern)(path)).toBe(true);
  });

  it.each([
    ['package-lock.json', 'package-lock.json.ts'],
    ['*.min.js', 'minxjs'],
    ['docs/*.md', 'docs/a/b.md'],
    ['docs/*.md', 'x/docs/a.md'],
    ['a?c', 'a/c'],
    ['**/vendor/**', 'vendored/a.go'],
    ['*.map', 'a.map/file'],
    ['a.b', 'axb'],
  ])('%s does not hold for %s', (pattern, path) => {
    expect(globTest(pattern)(path)).toBe(false);
  });
});

describe('patternFinder', () => {
  it('finds the first pattern that matches', () => {
    const find = patternFinder(['*.md', 'docs/**', '*.txt']);
    expect(['docs/a.md', 'docs/b.txt', 'b.txt', 'b.ts'].map(find)).toEqual([
      '*.md',
      'docs/**',
      '*.txt',
      undefined,
    ]);
    expect(patternFinder([])('a')).toBeUndefined();
  });
});
