import { describe, expect, it } from '@jest/globals';
import {
  failureLines,
  keyLines,
  lineKeys,
  machineLine,
  missingLine,
} from '../../src/report/failure-lines.js';

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

describe('a failure of the machine', () => {
  it.each([
    ...[
      'The hosted runner: GitHub Actions 8 lost communication with the server. Anything in your workflow that terminates the runner process, starves it for CPU/Memory, or blocks its network access can cause this error.',
      '##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped, or a manually started runner is canceled.',
      '##[error]The operation was canceled.',
      '- failure .github:1: The self-hosted runner: pod-1 lost communication with the server. Verify the machine is running and has a healthy network connection.',
    ],
    ...[
      "##[error]No space left on device : '/home/runner/actions-runner/cached/_diag/pages/3f5a.log'",
      'tar: x: Cannot write: No space left on device',
      "Error: ENOSPC: no space left on device, write '/home/runner/x'",
    ],
    ...[
      'npm ERR! network request to https://registry.npmjs.org/has-values/-/has-values-0.1.4.tgz failed, reason: connect ETIMEDOUT 104.16.18.35:443',
      'npm error code ECONNRESET',
      "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='files.pythonhosted.org', port=443): Read timed out.",
      'Error response from daemon: toomanyrequests: You have reached your pull rate limit.',
      '[ERROR] Could not transfer artifact org.a:b:jar:1.0 from/to central (https://repo.maven.apache.org/maven2): Connection timed out',
      'go: github.com/a/b@v1.0.0: Get "https://proxy.golang.org/github.com/a/b/@v/v1.0.0.mod": dial tcp 1.2.3.4:443: i/o timeout',
      "fatal: unable to access 'https://github.com/a/b/': The requested URL returned error: 503",
    ],
  ])('is: %s', (line) => {
    expect(machineLine(`Compiling\n${line}\n##[error]Process completed with exit code 1.`)).toBeDefined();
  });

  it.each([
    ['a test failed too', 'not ok 1 - writes\nError: ENOSPC: no space left on device'],
    [
      'the job took too long',
      '##[error]The job running on runner GitHub Actions 2 has exceeded the maximum execution time of 360 minutes.\n##[error]The operation was canceled.',
    ],
    [
      'a package does not exist',
      'npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/x',
    ],
    ['it is an ordinary error', 'src/a.ts(3,1): error TS1005: it does not compile'],
  ])('is none if %s', (_, output) => {
    expect(machineLine(output)).toBeUndefined();
  });
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
