import { describe, expect, it } from '@jest/globals';
import { failureLines, keyLines, lineKeys, missingLine } from '../../src/report/failure-lines.js';

const names = (output: string) => failureLines(output).map(({ kind, key }) => [kind, key]);

describe('a test that failed', () => {
  it.each<[string, string, string]>([
    ['node, TAP', 'not ok 3 - adds two numbers', 'adds two numbers'],
    ['node, spec', '✖ adds two numbers (1.234ms)', 'adds two numbers'],
    ['vitest', '   × sum > adds two numbers 5ms', 'sum > adds two numbers'],
    ['jest', '  ● sum › adds two numbers', 'sum › adds two numbers'],
    ['mocha', '  1) sum adds two numbers:', 'sum adds two numbers:'],
    ['pytest', 'FAILED tests/test_sum.py::test_adds - assert 3 == -1', 'tests/test_sum.py::test_adds'],
    ['pytest, heading', '_______________ test_adds _______________', 'test_adds'],
    ['unittest', 'FAIL: test_adds (test_sum.SumTest.test_adds)', 'test_adds (test_sum.SumTest.test_adds)'],
    ['go', '    --- FAIL: TestAdds/small (0.00s)', 'TestAdds/small'],
    ['cargo', 'test tests::adds ... FAILED', 'tests::adds'],
    ['Maven', '[ERROR] SumTest.adds:12 expected: <3> but was: <-1>', 'SumTest.adds:12'],
    ['Gradle', 'SumTest > adds() FAILED', 'SumTest > adds()'],
    ['rspec', 'rspec ./spec/sum_spec.rb:4 # Sum adds', './spec/sum_spec.rb:4'],
    ['dotnet', '  Failed Sum.Tests.Adds [12 ms]', 'Sum.Tests.Adds'],
  ])('is named by %s', (_, line, name) => {
    expect(names(line)).toEqual([['test', `test ${name}`]]);
  });

  it('is the same one on another machine, at another time, in colour', () => {
    const ci =
      '2026-01-01T08:00:01.0000000Z \u001b[31m✖ reads /home/runner/work/a/a/src/x.js (12.5ms)\u001b[39m';
    const here = '✖ reads /tmp/other/src/x.js (9ms)';
    expect(lineKeys(here)).toContain(failureLines(ci)[0]?.key);
  });

  it.each([
    ['ok 1 - adds'],
    ['✔ adds (1ms)'],
    ['not ok 1 - later # TODO'],
    ['# tests 3'],
    ['PASS src/a.test.js'],
  ])('is not: %s', (line) => {
    expect(failureLines(line)).toEqual([]);
  });
});

describe('an error', () => {
  it.each([
    ['tsc', 'src/a.ts(3,5): error TS2322: Type string is not assignable', undefined],
    ['eslint', "  3:5  error  'x' is not defined  no-undef", "3:5 error 'x' is not defined no-undef"],
    ['go', './a.go:3:2: undefined: x', undefined],
    ['rust', 'error[E0308]: mismatched types', undefined],
    ['the runner', '##[error]expected 2, got 1', 'expected 2, got 1'],
    ['python', "ModuleNotFoundError: No module named 'yaml'", undefined],
    ['a panic', "thread 'main' panicked at src/lib.rs:10:9:", undefined],
  ])('is seen in a line of %s', (_, line, key) => {
    expect(names(line)).toEqual([['error', key ?? line.trim()]]);
  });

  it.each([
    ['##[error]Process completed with exit code 1.'],
    ['npm ERR! code ELIFECYCLE'],
    ['npm error Lifecycle script `test` failed with error:'],
    ['make: *** [Makefile:3: test] Error 1'],
    ['error: test failed, to rerun pass `--lib`'],
    ['error: could not compile `sum` (lib) due to 1 previous error'],
    ['[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test'],
    ['[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0'],
    ['BUILD FAILED in 3s'],
    ['Tests:       1 failed, 1 total'],
    ['FAILED (failures=1)'],
    ['Traceback (most recent call last):'],
    ['AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:'],
    ["  code: 'ERR_ASSERTION',"],
    ['  expected: 3'],
    ['============ 1 failed in 0.03s ============'],
    ['ℹ fail 1'],
  ])('says nothing about which failure it is: %s', (line) => {
    expect(failureLines(line)).toEqual([]);
  });
});

it('what is missing here is named', () => {
  for (const line of [
    'sh: 1: jest: not found',
    'bash: line 1: pytest: command not found',
    "Error: Cannot find module 'lodash'",
    "E   ModuleNotFoundError: No module named 'yaml'",
    'connect ECONNREFUSED 127.0.0.1:5432',
    'curl: (6) Could not resolve host: example.com',
  ])
    expect(missingLine(`first\n${line}\nlast`)?.text).toBe(line);
  expect(missingLine('not ok 1 - says what was not found')).toBeUndefined();
});

it('the lines that matter are those of tests, then errors, then the last one', () => {
  expect(keyLines('Error: it broke badly\nnot ok 1 - adds\nnoise\n', 2)).toEqual([
    'not ok 1 - adds',
    'Error: it broke badly',
  ]);
  expect(keyLines('first\nlast\n\n', 2)).toEqual(['last']);
  expect(keyLines('', 2)).toEqual([]);
});

it('a log of any length is read in bounded time', () => {
  const startedAt = Date.now();
  expect(failureLines(`error it is ${'/a'.repeat(50_000)}\n`.repeat(20))).toHaveLength(1);
  expect(failureLines('not ok 1 - x'.padEnd(200_000, ' 1234567890 '))).toHaveLength(1);
  expect(
    failureLines(Array.from({ length: 50_000 }, (_, at) => `Error: number is ${at}x`).join('\n')),
  ).toHaveLength(500);
  expect(Date.now() - startedAt).toBeLessThan(3000);
});
