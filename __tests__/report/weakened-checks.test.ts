import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseGitDiff, type FileDiff } from '../../src/git/diff.js';
import { findWeakenedChecks } from '../../src/report/weakened-checks.js';

/** The diff of one file, from its lines with their signs. */
const diffOf = (path: string, ...lines: string[]): FileDiff[] => {
  const count = (sign: string) => lines.filter((line) => line[0] === sign || line[0] === ' ').length;
  return parseGitDiff(
    [
      `diff --git a/${path} b/${path}`,
      `--- a/${path}`,
      `+++ b/${path}`,
      `@@ -1,${count('-')} +1,${count('+')} @@`,
      ...lines,
      '',
    ].join('\n'),
  );
};
const deleted = (path: string, ...lines: string[]): FileDiff[] =>
  diffOf(path, ...lines.map((line) => `-${line}`)).map((file) => ({ ...file, status: 'deleted' }));
const found = (...files: FileDiff[]) =>
  findWeakenedChecks(files).map(
    ({ path, line, what }) => `${path}${line === undefined ? '' : `:${line}`} ${what}`,
  );

describe('a check that was made weaker', () => {
  it.each<[string, string, string[]]>([
    ['a.test.ts', "+it.skip('adds', () => {", ['a.test.ts:1 a test is skipped']],
    ['a.test.ts', "+  xit('adds', () => {", ['a.test.ts:1 a test is skipped']],
    ['src/a.spec.js', "+describe.only('x', () => {", ['src/a.spec.js:1 only some tests are run']],
    ['tests/test_a.py', '+@pytest.mark.skip(reason="flaky")', ['tests/test_a.py:1 a test is skipped']],
    ['tests/test_a.py', '+    self.skipTest("x")', ['tests/test_a.py:1 a test is skipped']],
    ['a_test.go', '+\tt.Skip("later")', ['a_test.go:1 a test is skipped']],
    ['src/test/java/ATest.java', '+  @Disabled("x")', ['src/test/java/ATest.java:1 a test is skipped']],
    ['src/test/java/ATest.java', '+  @Ignore', ['src/test/java/ATest.java:1 a test is skipped']],
    ['src/lib.rs', '+    #[ignore]', ['src/lib.rs:1 a test is skipped']],
    [
      '.github/workflows/ci.yml',
      '+    continue-on-error: true',
      ['.github/workflows/ci.yml:1 a failure of this step no longer counts (continue-on-error)'],
    ],
    [
      'package.json',
      '+    "test": "jest || true",',
      ['package.json:1 a failure of this command no longer counts (|| true)'],
    ],
    [
      'package.json',
      '+    "test": "jest --passWithNoTests",',
      ['package.json:1 a run without tests now passes'],
    ],
    [
      'src/a.ts',
      '+// eslint-disable-next-line no-eval',
      ['src/a.ts:1 a rule of the linter or the compiler is switched off'],
    ],
    [
      'src/a.ts',
      '+/* oxlint-disable no-eval */',
      ['src/a.ts:1 a rule of the linter or the compiler is switched off'],
    ],
    ['src/a.ts', '+  // @ts-ignore', ['src/a.ts:1 a rule of the linter or the compiler is switched off']],
    [
      'app/a.py',
      '+x = f()  # type: ignore',
      ['app/a.py:1 a rule of the linter or the type checker is switched off'],
    ],
    ['.eslintrc.json', '+    "no-eval": "off",', ['.eslintrc.json:1 a rule is switched off']],
  ])('%s: %s', (path, line, expected) => {
    expect(found(...diffOf(path, line))).toEqual(expected);
  });

  it('is a test that is gone, and says which', () => {
    const lines = ["-it('adds', () => {", '-  expect(add(1, 2)).toBe(3);', '-});'];
    expect(found(...diffOf('a.test.js', " it('subtracts', () => {", ...lines))).toEqual([
      'a.test.js:2 1 test fewer: adds',
    ]);
    expect(found(...deleted('tests/test_a.py', 'def test_a():', '    assert a()'))).toEqual([
      'tests/test_a.py a file with tests was deleted',
    ]);
  });

  it('is an assertion that is gone', () => {
    expect(
      found(...diffOf('a.test.js', "  it('adds', () => {", '-  expect(add(1, 2)).toBe(3);', '+  add(1, 2);')),
    ).toEqual(['a.test.js:2 1 assertion fewer']);
  });

  it('is a threshold that is lower, or a limit that is higher', () => {
    expect(found(...diffOf('jest.config.js', '-      branches: 90,', '+      branches: 40,'))).toEqual([
      'jest.config.js:1 a threshold was lowered: branches from 90 to 40',
    ]);
    expect(found(...diffOf('tox.ini', '-fail_under = 90', '+fail_under = 0'))).toEqual([
      'tox.ini:1 a threshold was lowered: fail_under from 90 to 0',
    ]);
    expect(
      found(
        ...diffOf(
          'package.json',
          '-"lint": "eslint --max-warnings 0"',
          '+"lint": "eslint --max-warnings 99"',
        ),
      ),
    ).toEqual(['package.json:1 a threshold was raised: --max-warnings from 0 to 99']);
    expect(found(...diffOf('a.test.js', '-jest.setTimeout(5000);', '+jest.setTimeout(60_000);'))).toEqual([
      'a.test.js:1 a time limit was raised: jest.setTimeout from 5000 to 60000',
    ]);
  });
});

describe('what is not weaker', () => {
  it.each<[string, FileDiff[]]>([
    [
      'a test with another name',
      diffOf('a.test.js', "-it('adds', () => {", "+it('adds two numbers', () => {"),
    ],
    [
      'a test in another file',
      [
        ...deleted('old/a.test.js', "it('adds', () => {", 'expect(1).toBe(1)'),
        ...diffOf('test/a.js', "+it('adds', () => {", '+expect(1).toBe(1)'),
      ],
    ],
    [
      'a test that was skipped before',
      diffOf('a.test.js', "-it.skip('adds', () => {", "+  it.skip('adds', () => {"),
    ],
    [
      'a test that is no longer skipped',
      diffOf('a.test.js', "-it.skip('adds', () => {", "+it('adds', () => {"),
    ],
    [
      'an assertion with another value',
      diffOf('a.test.js', '-  expect(a).toBe(1);', '+  expect(a).toBe(2);'),
    ],
    ['a higher threshold', diffOf('jest.config.js', '-  branches: 40,', '+  branches: 90,')],
    [
      'a word in the documentation',
      diffOf('docs/a.md', '+Use `eslint-disable` or `|| true`, never `it.skip`.'),
    ],
    ['a default value', diffOf('src/a.js', '+const isOn = given || true;', '+const lines = 3; // skip')],
    ['a file that is no test', deleted('src/a.js', 'export const a = 1;')],
    ['a variable named lines', diffOf('src/a.js', '-const lines = 90;', '+const lines = 40;')],
  ])('%s', (_, files) => {
    expect(found(...files)).toEqual([]);
  });

  it('survives every diff, and says little about it', () => {
    const line = fc
      .tuple(fc.constantFrom('+', '-', ' '), fc.string({ unit: 'binary', maxLength: 80 }))
      .map(([sign, text]) => `${sign}${text.replaceAll('\n', '')}`);
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 30 }),
        fc.constantFrom('a.test.js', 'package.json', 'x/test_a.py', 'ci.yml'),
        (lines, path) => {
          expect(findWeakenedChecks(diffOf(path, ...lines)).length).toBeLessThanOrEqual(100);
        },
      ),
    );
  });

  it('takes no time for a line that is made to take long', () => {
    for (const piece of ['expect(', 'it(', 'public ', '|| ', '"a": ', 'min', 'coverage', 'test.a'])
      expect(findWeakenedChecks(diffOf('a.test.js', `+${piece.repeat(200)}`)).length).toBeLessThanOrEqual(1);
  });
});
