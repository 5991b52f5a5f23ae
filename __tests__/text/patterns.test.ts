import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowTest, ignoreFinder } from '../../src/text/patterns.js';
import { makeFolder } from '../scenarios/workspace.js';

/** The paths that git ignores with this pattern. Nothing has to exist. */
const ignoredByGit = (pattern: string, paths: readonly string[]): string[] => {
  writeFileSync(join(repository, '.git/info/exclude'), `${pattern}\n`);
  const { status, stdout, stderr } = spawnSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], {
    cwd: repository,
    input: paths.map((path) => `${path}\0`).join(''),
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
    },
  });
  // 1 means that none is ignored.
  if (status !== 0 && status !== 1) throw new Error(stderr);
  return stdout.split('\0').slice(0, -1);
};
let repository = '';
beforeAll(() => {
  repository = makeFolder('check-ignore');
  execFileSync('git', ['init', '--quiet', repository]);
  execFileSync('git', ['-C', repository, 'config', 'core.ignorecase', 'false']);
});

describe('ignoreFinder', () => {
  const PATTERNS = [
    ...[
      'package-lock.json',
      '*.min.js',
      '**/vendor/**',
      'docs/*.md',
      '/docs/*.md',
      'docs/**',
      'docs',
      'docs/',
    ],
    ...[
      '/docs/',
      '/a.c',
      'src/**/*.ts',
      'a?c',
      '?',
      'a+(b).[x]',
      '*.[ch]',
      '[Ss]ecrets/**',
      '[!a]*.md',
      '[^a]*',
    ],
    ...[
      '[a-c].c',
      '[]x].c',
      '[[:upper:]]*',
      '[[:digit:]].md',
      '*.{c,h}',
      '*',
      '**',
      '/**',
      '**/',
      '/*',
      'a/**/b',
    ],
    ...[
      '**/b',
      'x/**/',
      'caf?.md',
      'café.md',
      '$(x).md',
      '*.map',
      '#x',
      'a|b',
      '.*',
      '*.*',
      'DOCS/**',
      '***/b',
    ],
  ];
  const PATHS = [
    ...['package-lock.json', 'apps/web/package-lock.json', 'package-lock.json.ts', 'js/app.min.js', 'minxjs'],
    ...[
      'vendor/a.go',
      'x/y/vendor/z/a.go',
      'vendored/a.go',
      'docs',
      'docs/a.md',
      'docs/a/b.md',
      'x/docs/a.md',
    ],
    ...[
      'vendor/docs/x.js',
      'Docs/a.md',
      'a.c',
      'b.h',
      'src/a.ts',
      'src/a/b/c.ts',
      'x/a.c',
      'abc',
      'a/c',
      'a.b',
    ],
    ...['axb', 'a+(b).x', 'a+(b).[x]', 'Secrets/key', 'secrets/deep/key', 'x/secrets/key', 'a/b', 'a/x/y/b'],
    ...[
      'b.md',
      'ba.md',
      '1.md',
      'X',
      ']',
      '].c',
      'x.c',
      'x/y',
      'x/y/z',
      'caf\u00e9.md',
      'cafe.md',
      '$(x).md',
      '#x',
    ],
    ...['a.map/file', 'a|b', '.env', 'x/.env/y', 'a\nb/b', 'docs/a\nb', 'docs/\u2028', 'f.{c,h}', 'DOCS/x'],
  ];

  it.each(PATTERNS)('matches what git ignores with %s', (pattern) => {
    const find = ignoreFinder([pattern]);
    expect(PATHS.filter((path) => find(path) !== undefined)).toEqual(ignoredByGit(pattern, PATHS));
  });

  it('matches what git ignores, whatever the pattern and the path', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b',
        'A',
        '.',
        '*',
        '?',
        '/',
        '/**/',
        '**/',
        '/*',
        '[ab]',
        '[!a]',
        '[^b]',
        '[a-c]',
        '[]a]',
        '-',
        'é',
      ],
      ...[
        '[[:alpha:]]',
        '[[:upper:]]',
        '#',
        ' ',
        '[a-',
        '{a,b}',
        '+',
        '(',
        ')',
        '$',
        '^',
        '|',
        '[a/b]',
        '[.]',
        '~',
      ],
    );
    // Git reads `**` beside another character in a way that even depends on the characters before it.
    const patternText = fc
      .array(piece, { minLength: 1, maxLength: 5 })
      .map((pieces) => pieces.join('').trim())
      .filter(
        (text) => text !== '' && text.split('/').every((name) => name === '**' || !name.includes('**')),
      );
    const letter = fc.constantFrom(
      ...['a', 'b', 'A', 'c', '.', 'é', '-', '#', ' ', '\n', '$', '(', '+', '\u2028', '😀'],
    );
    const name = fc
      .array(letter, { minLength: 1, maxLength: 3 })
      .map((letters) => letters.join(''))
      .filter((text) => !['.', '..'].includes(text));
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    fc.assert(
      fc.property(patternText, fc.uniqueArray(path, { minLength: 20, maxLength: 40 }), (text, paths) => {
        const find = ignoreFinder([text]);
        expect(paths.filter((each) => find(each) !== undefined)).toEqual(ignoredByGit(text, paths));
      }),
      { numRuns: 150 },
    );
  });

  it('finds the first pattern that matches', () => {
    const find = ignoreFinder(['*.md', 'docs/**', '*.txt']);
    expect(['docs/a.md', 'docs/b.txt', 'b.txt', 'b.ts'].map(find)).toEqual([
      '*.md',
      'docs/**',
      '*.txt',
      undefined,
    ]);
    expect(ignoreFinder([])('a')).toBeUndefined();
  });

  it('takes paths that are not relative', () => {
    expect(['/a.md', '../a.md', './a.md', 'x//a.md'].map(ignoreFinder(['*.md']))).not.toContain(undefined);
  });
});

describe('allowTest', () => {
  it.each([
    ['package-lock.json', 'apps/web/package-lock.json'],
    ['**/vendor/**', 'vendor/a.go'],
    ['docs/*.md', 'docs/a.md'],
    ['/docs/*.md', 'docs/a.md'],
    ['./docs/**', 'docs/a/b.md'],
    ['docs/', 'docs/a/b.md'],
    ['src/**/*.ts', 'src/a.ts'],
    ['src/**/*.ts', 'src/a/b/c.ts'],
    ['a?c', 'abc'],
    ['a+(b).[x]', 'a+(b).[x]'],
  ])('%s holds for %s', (pattern, path) => {
    expect(allowTest(pattern)(path)).toBe(true);
  });

  it.each([
    ['package-lock.json', 'package-lock.json.ts'],
    ['docs/*.md', 'docs/a/b.md'],
    ['docs/*.md', 'x/docs/a.md'],
    ['docs/', 'vendor/docs/x.js'],
    ['docs/**', 'Docs/a.md'],
    ['docs', 'docs/a.md'],
    ['a?c', 'a/c'],
    ['*.map', 'a.map/file'],
    ['*.[ch]', 'a.c'],
    ['a.b', 'axb'],
  ])('%s does not hold for %s', (pattern, path) => {
    expect(allowTest(pattern)(path)).toBe(false);
  });
});
