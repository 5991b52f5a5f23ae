import { describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareWithDocuments, isDocument } from '../../src/documents/documented.js';
import { readDocuments } from '../../src/documents/read-documents.js';
import { parseGitDiff } from '../../src/git/diff.js';

const diffOf = (path: string, ...lines: string[]) =>
  parseGitDiff(
    [
      `diff --git a/${path} b/${path}`,
      `--- a/${path}`,
      `+++ b/${path}`,
      `@@ -10,${lines.filter((line) => !line.startsWith('+')).length} +10,${lines.filter((line) => !line.startsWith('-')).length} @@`,
      ...lines,
      '',
    ].join('\n'),
  );
const compared = (document: string, files: ReturnType<typeof diffOf>, source?: string) =>
  compareWithDocuments({ files, documents: [{ path: 'README.md', text: document }], sourceOf: () => source });

describe('something that a document describes', () => {
  it.each<[string, string, ReturnType<typeof diffOf>, string]>([
    [
      'an identifier in code',
      'Call `parseConfig()`.',
      diffOf('src/a.ts', '-parseConfig(1);', '+parseConfig(2);'),
      'parseConfig',
    ],
    [
      'an option',
      'Use `--max-depth 3`.',
      diffOf('cli.py', '-  p.add("--max-depth", 3)', '+  p.add("--max-depth", 4)'),
      '--max-depth',
    ],
    [
      'an option, in prose',
      'With --dry-run nothing is written.',
      diffOf('cli.sh', '-  --dry-run) x=1', '+  --dry-run) x=2'),
      '--dry-run',
    ],
    [
      'a route',
      '```\nGET /users/:id\n```',
      diffOf('s.js', "-app.get('/users/:id', a)", "+app.get('/users/:id', b)"),
      '/users/:id',
    ],
    [
      'a key of a configuration',
      '| `idle-timeout` | 10 |',
      diffOf('c.yml', '-idle-timeout: 10', '+idle-timeout: 20'),
      'idle-timeout',
    ],
    [
      'a variable',
      'Set MY_TOKEN before.',
      diffOf('a.rb', "-ENV['MY_TOKEN'].strip", "+ENV['MY_TOKEN']"),
      'MY_TOKEN',
    ],
    [
      'a line beside the change',
      'Call `parseConfig()`.',
      diffOf('src/a.ts', ' function parseConfig() {', '-  return 1;', '+  return 2;'),
      'parseConfig',
    ],
    ['a file by its path', 'See src/deep/a.ts.', diffOf('src/deep/a.ts', '-1', '+2'), 'src/deep/a.ts'],
    [
      'the part of a key',
      'Set `timeout`.',
      diffOf('a.toml', '-limits.timeout = 1', '+limits.timeout = 2'),
      'timeout',
    ],
    ['something that is removed', 'Call `oldName`.', diffOf('src/a.go', '-oldName()'), 'oldName'],
  ])('is %s', (_, document, files, name) => {
    expect(compared(document, files).described).toContain(name);
  });

  it('is the function that a change is deep inside of', () => {
    const source = [
      'export class Client {',
      '  fetchAll(max) {',
      ...Array.from({ length: 7 }, () => '    step();'),
      '    return 2;',
      '  }',
      '}',
    ];
    const files = diffOf('src/a.js', '-    return 1;', '+    return 2;');
    for (const name of ['fetchAll', 'Client'])
      expect(compared(`Call \`${name}\`.`, files, source.join('\n')).described).toEqual([name]);
  });
});

describe('a new public name', () => {
  it.each<[string, string, string]>([
    ['src/a.ts', 'export async function loadAll() {', 'loadAll'],
    ['src/index.ts', "export { one, two } from './x.js';", 'two'],
    ['lib.rs', 'pub fn load_all() {', 'load_all'],
    ['a.go', 'func (c *Client) LoadAll() error {', 'LoadAll'],
    ['a.py', 'def load_all():', 'load_all'],
    ['A.java', '  public static List<String> loadAll(int x) {', 'loadAll'],
    ['cli.js', "  .option('--all', 'Load all')", '--all'],
    ['server.js', "router.post('/all', load);", '/all'],
    ['a.ts', "const x = process.env['LOAD_ALL'];", 'LOAD_ALL'],
    ['main.go', '  x := os.Getenv("LOAD_ALL")', 'LOAD_ALL'],
    ['action.yml', '  load-all:', 'load-all'],
  ])('in %s: %s', (path, line, name) => {
    expect(compared('# Nothing', diffOf(path, `+${line}`)).added).toContain(name);
  });

  it.each<[string, ReturnType<typeof diffOf>]>([
    [
      'one that only moved',
      [...diffOf('a.ts', '-export const a1 = 1;'), ...diffOf('b.ts', '+export const a1 = 1;')],
    ],
    ['one of the crate', diffOf('a.rs', '+pub(crate) fn load() {')],
    ['one for this file', diffOf('a.py', '+def _load():')],
    ['one in a test', diffOf('__tests__/a.ts', '+export const fake = 1;')],
    ['one in a generated file', diffOf('dist/index.js', '+export const bundled = 1;')],
    ['one in a document', diffOf('docs/a.md', '+`export const a = 1`')],
  ])('is not %s', (_, files) => {
    expect(compared('# Nothing', files).added).toEqual([]);
  });
});

it('nothing is described of a change of names that no document has', () => {
  const files = diffOf(
    'src/a.ts',
    '-  const total = items.length;',
    '+  const total = items.filter(Boolean).length;',
  );
  const text = 'This project returns the total of const items.\n\n```js\nconst x = await import("y");\n```';
  expect(compared(text, files)).toEqual({ described: [], added: [], files: 1, names: 6 });
});

it('a hostile file takes no time', () => {
  const startedAt = Date.now();
  compared('`'.repeat(100_000), diffOf('a.ts', `+public ${'a '.repeat(50_000)}`), 'a '.repeat(200_000));
  compared(
    `\`${'/a'.repeat(50_000)}`,
    diffOf('a.ts', `+${'/a-'.repeat(50_000)}`),
    `${'x('.repeat(100_000)}\n`,
  );
  expect(Date.now() - startedAt).toBeLessThan(3000);
});

describe('the documents of a folder', () => {
  it('are found by their names, without links and those of others', () => {
    const top = mkdtempSync(join(tmpdir(), 'documents-'));
    try {
      for (const path of ['docs/deep', 'node_modules/x', 'src'])
        mkdirSync(join(top, path), { recursive: true });
      for (const path of [
        'README.md',
        'docs/deep/a.rst',
        'node_modules/x/README.md',
        'src/a.ts',
        'docs/a.txt',
      ])
        writeFileSync(join(top, path), path);
      symlinkSync('/etc/passwd', join(top, 'docs/link.md'));
      expect(
        readDocuments(top)
          ?.map(({ path }) => path)
          .sort(),
      ).toEqual(['README.md', 'docs/a.txt', 'docs/deep/a.rst']);
      writeFileSync(join(top, 'big.md'), Buffer.alloc(2 * 1024 * 1024 + 1));
      expect(readDocuments(top)).toBeUndefined();
    } finally {
      rmSync(top, { recursive: true });
    }
  });
  it.each(['a/b.mdx', 'README', 'readme.md', 'doc/x.html'])('include %s', (path) => {
    expect(isDocument(path)).toBe(true);
  });
  it.each(['src/readme.ts', 'a.txt', 'index.html'])('do not include %s', (path) => {
    expect(isDocument(path)).toBe(false);
  });
});
