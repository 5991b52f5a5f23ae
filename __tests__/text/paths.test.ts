import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowTest, ignoreFinder, newPathJudge } from '../../src/text/paths.js';
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

describe('newPathJudge', () => {
  /** Folders with their names, before the change and after it. */
  const judge = (
    path: string,
    { before = [], after = [path] }: { before?: string[]; after?: string[] } = {},
  ) => {
    const all = (paths: string[]) =>
      new Set(
        paths.flatMap((each) => each.split('/').map((_, at, names) => names.slice(0, at + 1).join('/'))),
      );
    const [was, is] = [all(before), all(after)];
    return newPathJudge({
      existed: (each) => was.has(each),
      namesIn: (folder) =>
        [...is]
          .filter((each) => each.startsWith(folder === '' ? '' : `${folder}/`))
          .map((each) => each.slice(folder === '' ? 0 : folder.length + 1))
          .filter((name) => !name.includes('/')),
    })(path);
  };

  it.each<[string, string, RegExp]>([
    ['a right-to-left override', 'docs/guide\u202Edm.js', /invisible/],
    ['an isolate', 'docs/\u2066a\u2069.md', /invisible/],
    ['an Arabic letter mark', 'docs/a\u061c.md', /invisible/],
    ['a zero-width space', 'do\u200bcs/a.md', /invisible/],
    ['a zero-width joiner', 'docs/a\u200d.md', /invisible/],
    ['a byte order mark', '\ufeffREADME.md', /invisible/],
    ['a soft hyphen', 'docs/in\u00addex.md', /invisible/],
    ['a combining grapheme joiner', 'docs/a\u034f.md', /invisible/],
    ['a Hangul filler', 'docs/a\u3164.md', /invisible/],
    ['a variation selector', 'docs/a\ufe0f.md', /invisible/],
    ['a tag character', 'docs/a\u{e0061}.md', /invisible/],
    ['a line separator', 'docs/a\u2028.md', /invisible/],
    ['a no-break space', 'docs/a\u00a0b.md', /invisible/],
    ['an empty Braille pattern', 'docs/a\u2800.md', /invisible/],
    ['a private character that some systems show as a colon', 'docs/x.md\uf03ay', /invisible/],
    ['a tab', 'docs/a\tb.md', /control/],
    ['an escape', 'docs/a\u001b[2K.md', /control/],
    ['a stream of another file', 'docs/x.md:y', /colon/],
    ['a drive', 'c:/x.md', /colon/],
    ['a backslash', 'docs/..\\x.md', /backslash/],
    ['a folder that ends with a dot', 'docs./a.md', /ends with/],
    ['a file that ends with a dot', 'docs/a.md.', /ends with/],
    ['a file that ends with a space', 'docs/a.md ', /ends with/],
    ['a name that begins with a space', 'docs/ a.md', /begins/],
    ['three dots', '.../a.md', /ends with/],
    ['a short name of Windows', 'VSCODE~1/settings.json', /short name/],
    ['a short name in small letters, with an ending', 'docs/readm~12.md', /short name/],
    ['a short name by its hash', 'GI7EB1~1/config', /short name/],
    ...[
      'CON',
      'prn.txt',
      'Aux.md',
      'nul',
      'COM1',
      'com0.log',
      'lpt9.x.y',
      'COM\u00b9',
      'CONIN$',
      'aux .md',
    ].map((name): [string, string, RegExp] => [`the device ${name}`, `docs/${name}`, /device/]),
  ])('refuses %s', (_, path, words) => {
    expect(judge(path)).toMatch(words);
  });

  it.each([
    'docs/guide.md',
    'src/[...slug]/page.tsx',
    'a b/c d.md',
    '.config/x.yml',
    'docs/über.md',
    'docs/ガイド.md',
    'docs/راهنما.md',
    'docs/руководство.md',
    'docs/tilde~one.md',
    'docs/a~1b.md',
    'docs/draft~.md',
    'docs/..hidden',
    'docs/console.md',
    'docs/com10.md',
    'docs/auxiliary.md',
    'docs/👍.md',
    'docs/a+b,c=d@e#f%g!.md',
  ])('has nothing against %s', (path) => {
    expect(judge(path)).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ['another case', 'docs/Guide.md', 'docs/guide.md'],
    ['another case of a folder', 'Docs/new.md', 'docs/guide.md'],
    ['a file like a folder', 'Docs', 'docs/guide.md'],
    ['a decomposed letter', 'docs/u\u0308ber.md', 'docs/\u00fcber.md'],
    ['a ligature', 'docs/\ufb01le.md', 'docs/file.md'],
    ['a wide letter', 'docs/\uff21.md', 'docs/a.md'],
    ['a long s', 'docs/\u017fs.md', 'docs/ss.md'],
    ['a sharp s', 'docs/stra\u00dfe.md', 'docs/STRASSE.md'],
    ['a Kelvin sign', 'docs/\u212a.md', 'docs/k.md'],
  ])('refuses a twin: %s', (_, path, other) => {
    expect(judge(path, { before: [other], after: [path, other] })).toMatch(
      /spelled like .*, which is there too/,
    );
    // Of two new ones, each is refused.
    expect(judge(path, { after: [path, other] })).toMatch(/spelled like/);
    expect(judge(other, { after: [path, other] })).toMatch(/spelled like/);
    // A change of case without the old name is a rename.
    expect(judge(path, { before: [other] })).toBeUndefined();
  });

  it('does not judge what was there before', () => {
    const odd = ['docs./x.md:y', 'Makefile', 'makefile', 'Docs/a.md', 'docs/b.md', 'aux/\u200b'];
    for (const path of odd) expect(judge(path, { before: odd, after: odd })).toBeUndefined();
    const after = [...odd, 'docs./new.md', 'docs/new.md'];
    expect(judge('docs./new.md', { before: odd, after })).toBeUndefined();
    expect(judge('docs/new.md', { before: odd, after })).toBeUndefined();
    expect(judge('DOCS/new.md', { before: odd, after: [...odd, 'DOCS/new.md'] })).toMatch(/spelled like/);
  });
});
