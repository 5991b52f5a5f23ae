import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import {
  CHECK_FILES,
  installAdvice,
  isCheckFile,
  isManifest,
  withOriginalScripts,
} from '../../src/run/check-files.js';

describe('files that decide whether a check passes', () => {
  it.each([
    ...['src/sum.test.ts', 'tests/helpers/data.json', 'pkg/sum_test.go', 'test_sum.py', 'pkg/conftest.py'],
    ...[
      'src/test/java/a/SumTest.java',
      'a/SumIT.java',
      'src/__tests__/a.ts',
      'src/__snapshots__/a.snap',
      'a/testdata/x.golden',
    ],
    ...[
      'jest.config.mjs',
      'packages/a/vitest.config.ts',
      'pytest.ini',
      'tox.ini',
      '.eslintrc.json',
      'eslint.config.js',
    ],
    ...[
      'tsconfig.json',
      '.golangci.yml',
      'clippy.toml',
      '.coveragerc',
      '.github/workflows/ci.yml',
      'Makefile',
      '.husky/pre-commit',
    ],
  ])('%s', (path) => {
    expect(isCheckFile(path)).toBe(true);
  });
  it.each([
    'src/sum.ts',
    'src/latest.java',
    'Commit.java',
    'package.json',
    'package-lock.json',
    'src/contest.go',
    'README.md',
  ])('and not %s', (path) => {
    expect(isCheckFile(path)).toBe(false);
  });
  it('are in the documents by their kinds, with a link to the list', () => {
    const page = readFileSync('docs/how-it-works.md', 'utf8');
    const sentence = /touches ([^(]+)\(\[the list\]\(\.\.\/src\/run\/check-files\.ts\)/.exec(page)?.[1] ?? '';
    expect(Object.keys(CHECK_FILES).filter((kind) => !sentence.includes(kind))).toEqual([]);
  });
});

describe('a manifest', () => {
  const json = (value: object) => JSON.stringify(value);
  it('keeps its new dependencies, and gets its original scripts and settings of checks back', () => {
    const before = json({ scripts: { test: 'jest' }, jest: { bail: 1 }, dependencies: { a: '1' } });
    const after = json({
      scripts: { test: 'true' },
      jest: { passWithNoTests: true },
      mocha: {},
      type: 'module',
      dependencies: { a: '2' },
    });
    expect(JSON.parse(withOriginalScripts('web/package.json', before, after) ?? '')).toEqual({
      ...{ scripts: { test: 'jest' }, jest: { bail: 1 }, type: 'module', dependencies: { a: '2' } },
    });
  });
  it('whose scripts are the original ones stays as it is', () => {
    const before = json({ scripts: { a: '1' }, version: '1' });
    const after = `${json({ version: '2', scripts: { a: '1' } })}\n`;
    expect(withOriginalScripts('package.json', before, after)).toBe(after);
  });
  it('that cannot be read is the original', () => {
    expect(withOriginalScripts('package.json', '{"a":1}', '{')).toBe('{"a":1}');
  });
  it('in TOML gets the tables of checks back', () => {
    const before = '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n';
    const after =
      '[project]\nname = "a"\ndependencies = ["b"]\n[tool.pytest.ini_options]\naddopts = "--deselect x"\n[tool.uv]\nx = 1\n';
    expect(withOriginalScripts('pyproject.toml', before, after)).toBe(
      '[project]\nname = "a"\ndependencies = ["b"]\n[tool.uv]\nx = 1\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
    );
  });
  it.each([
    ['a table of tables', '[tool]\npytest.ini_options.addopts = "-k none"\n'],
    ['a dotted key', 'tool.pytest.ini_options.addopts = "-k none"\n'],
    ['a text of several lines', 'x = """\n[tool.pytest.ini_options]\n"""\n'],
  ])('in TOML with %s is the original', (_, after) => {
    expect(withOriginalScripts('pyproject.toml', '[project]\n', after)).toBe('[project]\n');
  });
  it('is told from other files', () => {
    expect(['a/package.json', 'Cargo.toml', 'package-lock.json', 'constructor'].map(isManifest)).toEqual([
      ...[true, true, false, false],
    ]);
    expect(withOriginalScripts('a.json', '{}', '{"a":1}')).toBeUndefined();
  });
});

describe('a lock file', () => {
  it.each([
    ['web/package-lock.json', 'npm ci', 'registry.npmjs.org'],
    ['yarn.lock', 'yarn install', 'registry.yarnpkg.com'],
    ['uv.lock', 'uv sync --locked', 'pypi.org'],
    ['go.sum', 'go mod download', 'proxy.golang.org'],
    ['Cargo.lock', 'cargo fetch --locked', 'static.crates.io'],
    ['Gemfile.lock', 'bundle install', 'rubygems.org'],
  ])('%s says what installs it, and from where', (path, install, host) => {
    const advice = installAdvice(['src/a.ts', path]);
    expect(advice).toContain(path);
    expect(advice).toContain(install);
    expect(advice).toContain(`\`${host}\``);
  });
  it('is none of these', () => {
    expect(installAdvice(['src/lock.ts', 'package.json', 'a.lock'])).toBeUndefined();
  });
});
