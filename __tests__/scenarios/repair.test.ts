import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { triedMark, writeMarker } from '../../src/github/marker.js';
import { FIX, github, logOf, PROJECT, repair, timed, type Case } from './repair-run.js';
import { git, makeFolder, makeWorkspace, writeTree } from './workspace.js';

describe('a repair', () => {
  it('is proven by a failure that was there before, and is not there after', async () => {
    const { step, report, page, verdict, starts } = await repair(FIX);
    expect([step.errors, verdict]).toEqual([[], ['', 'passed']]);
    expect(report.verification.before).toMatchObject({
      state: 'reproduced',
      lines: [expect.stringContaining('adds two numbers')],
    });
    expect(report.verification).not.toHaveProperty('originals');
    // The agent is told what happened, as data.
    expect(starts).toHaveLength(1);
    expect(starts[0]?.stdin).toMatch(
      /# Before you were started\n\n.*The failure was reproduced[\s\S]*begin output data-/,
    );
    // The evidence stands before the words of the agent.
    for (const text of [step.summary, page]) {
      expect(text).toMatch(/Command.*Before.*After/s);
      expect(text).toContain('adds two numbers');
      expect(text.indexOf('The failure was reproduced')).toBeGreaterThan(0);
      expect(text.indexOf('The failure was reproduced')).toBeLessThan(text.lastIndexOf('Repaired.'));
    }
  });

  it('fails if the failure is there and the agent changes nothing', async () => {
    const { step, workspace, verdict } = await repair('');
    expect(verdict).toEqual(['verification-failed', 'failed']);
    expect(step.errors.join()).toContain('the agent changed nothing');
    expect(step.summary).toMatch(/The agent said[\s\S]*Repaired\./);
    expect(git(workspace, 'status', '--porcelain')).toBe('');
  });

  it('goes back to the agent once, as long as `max-starts` has a start left for it', async () => {
    const body = "writeFileSync('notes.txt', 'x')";
    const { step, verdict, starts } = await repair(body);
    expect([verdict, starts.length]).toEqual([['verification-failed', 'failed'], 2]);
    expect(step.stdout).toContain('1 chat; at most 8 starts');
    const bounded = await repair(body, { inputs: { 'max-starts': '1' } });
    expect([bounded.verdict, bounded.starts.length]).toEqual([['verification-failed', 'failed'], 1]);
    expect(bounded.step.warnings.join()).toMatch(
      /could not be asked to repair.*max-starts.* \(1\) was reached/,
    );
    expect(bounded.step.summary).toMatch(/Starts.*1&nbsp;of&nbsp;1/);
  });

  it('that weakens the test is told apart, and named', async () => {
    const { step, report, page, verdict } = await repair(
      "writeFileSync('sum.test.js', \"import { test } from 'node:test';\\ntest('adds two numbers', () => {});\\n\")",
    );
    expect([step.code, verdict]).toEqual([0, ['', 'passed-with-changed-tests']]);
    expect(report.verification.originals?.paths).toEqual(['sum.test.js']);
    for (const text of [step.summary, page]) {
      expect(text).toContain('Verified only with changed tests');
      expect(text).toContain('With the original tests');
      expect(text).toContain('sum.test.js');
    }
    expect(step.warnings.join()).toContain('sum.test.js');
  });

  it.each<[string, string, string[]]>([
    ['deletes the test', "rmSync('sum.test.js')", ['sum.test.js']],
    [
      'moves the test away',
      "renameSync('sum.test.js', 'sum.test.js.off')",
      ['sum.test.js', 'sum.test.js.off'],
    ],
    [
      'changes the script that runs the test',
      `writeFileSync('package.json', '{"type":"module","scripts":{"test":"true"}}\\n')`,
      ['package.json'],
    ],
  ])('that %s passes only with changed tests', async (_, body, paths) => {
    const { report, verdict } = await repair(body);
    expect([verdict, report.verification.originals?.paths]).toEqual([
      ['', 'passed-with-changed-tests'],
      paths,
    ]);
  });

  it('may change tests too, if it also passes with the original ones', async () => {
    const { report, verdict, step } = await repair(
      `${FIX} writeFileSync('more.test.js', read('sum.test.js', 'utf8').replace('adds two', 'adds these two'));`,
    );
    expect(verdict).toEqual(['', 'passed']);
    expect(report.verification.originals?.paths).toEqual(['more.test.js']);
    expect(step.outputs.get('changed-files')).toBe('["more.test.js","sum.js"]');
    expect(step.summary).toContain('also with the original tests');
  });

  it.each<[string, string, Case]>([
    [
      'a replaced test runner among ignored files',
      "writeFileSync('node_modules/runner/run.js', 'console.log(\"ok\")')",
      {
        inputs: { verify: 'node node_modules/runner/run.js' },
        prepare: (workspace) => {
          const runner =
            "import { spawnSync } from 'node:child_process';\nprocess.exit(spawnSync(process.execPath, ['--test'], { stdio: 'inherit' }).status);\n";
          writeTree(workspace, {
            'node_modules/runner/run.js': runner,
            'node_modules/runner/package.json': '{"type":"module"}',
          });
        },
      },
    ],
    [
      'a stamp file',
      "mkdirSync('out', { recursive: true }); writeFileSync('out/passed', '')",
      { inputs: { verify: 'test -e out/passed || npm test' } },
    ],
    [
      'old time stamps',
      "utimesSync('sum.js', 0, 0)",
      { inputs: { verify: 'if [ -n "$(find sum.js -mtime -1000)" ]; then npm test; fi' } },
    ],
    [
      'an empty folder',
      "mkdirSync('skip', { recursive: true })",
      { inputs: { verify: 'test -d skip || npm test' } },
    ],
  ])('is not one if only %s makes the commands pass', async (_, body, more) => {
    const { verdict } = await repair(`writeFileSync('notes.txt', 'x'); ${body};`, more);
    expect(verdict).toEqual(['verification-failed', 'failed']);
  });

  it('that changes a lock file says what has to be installed, and from where', async () => {
    const { step, verdict } = await repair("writeFileSync('package-lock.json', '{}')");
    expect(verdict).toEqual(['verification-failed', 'failed']);
    expect(step.errors.join()).toMatch(/alters package-lock\.json[\s\S]*npm ci[\s\S]*registry\.npmjs\.org/);
  });
});

describe('a failure that needs no repair', () => {
  afterEach(() => {
    Object.assign(github, { runs: [], pulls: [], baseLog: '' });
  });
  const run = (id: number, more: object = {}) => ({
    ...{ id, run_attempt: 1, head_branch: 'feature', conclusion: 'failure', name: 'CI' },
    head_repository: { full_name: 'acme/project' },
    ...{ html_url: `https://github.com/acme/project/actions/runs/${id}`, ...more },
  });
  const skipped = async (more: Case = {}) => {
    const { step, starts, report } = await repair(FIX, more);
    expect([step.code, starts.length]).toEqual([0, 0]);
    expect(step.summary).toContain(report.skipped?.reason.slice(0, 20));
    return step.outputs.get('skipped');
  };

  it.each<[string, object]>([
    ['run', run(4)],
    ['attempt', run(3, { run_attempt: 2, conclusion: 'success' })],
  ])('is outdated after a newer %s', async (_, newer) => {
    github.runs = [newer, run(3)];
    expect(await skipped()).toBe('outdated');
  });

  it('is not outdated after the run of a fork whose branch has the same name', async () => {
    github.runs = [run(4, { head_repository: { full_name: 'stranger/project' } }), run(3)];
    expect((await repair(FIX)).starts).toHaveLength(1);
  });

  it('is one of the machine', async () => {
    const lost = 'The hosted runner: GitHub Actions 8 lost communication with the server.';
    expect(await skipped({ log: () => timed(`Compiling\n##[error]${lost}`) })).toBe('infrastructure');
  });

  it('was repaired already, as the mark of a pull request of this repository says', async () => {
    github.runs = [run(3), run(1)];
    const first = await repair(FIX);
    const key = first.report.failureKey ?? '';
    const marker = writeMarker({ kind: 'proposal', key: 'a'.repeat(20), title: 'b'.repeat(20) });
    const body = `${marker}\n${triedMark(key)}\nRepaired.`;
    const pull = (owner: string) => ({
      ...{ number: 12, body, html_url: 'https://github.com/acme/project/pull/12' },
      head: { repo: { full_name: owner } },
    });
    github.pulls = [pull('acme/project')];
    expect(await skipped()).toBe('already-tried');
    // A fork can write what it wants.
    github.pulls = [pull('stranger/project')];
    expect((await repair(FIX)).starts).toHaveLength(1);
  });

  it('may be there on the default branch too, which the agent is told', async () => {
    github.runs = [run(2, { head_branch: 'main' })];
    github.baseLog = logOf(makeWorkspace(PROJECT));
    const { starts } = await repair(FIX);
    expect(starts[0]?.stdin).toMatch(/default branch fails in the same way.*adds two numbers/);
    github.baseLog = timed('##[error]something else is wrong');
    expect((await repair(FIX)).starts[0]?.stdin).not.toContain('default branch');
  });
});

describe('a failure that is not there', () => {
  const GREEN = { ...PROJECT, 'sum.js': 'export const sum = (a, b) => a + b;\n' };
  const red = () => logOf(makeWorkspace(PROJECT));

  it('starts no agent, and says what failed in CI and what can differ', async () => {
    const { step, report, verdict, starts } = await repair(FIX, { files: GREEN, log: red });
    expect([step.code, verdict]).toEqual([0, ['', 'not-reproduced']]);
    expect([step.outputs.get('status'), step.outputs.get('skipped')]).toEqual(['success', 'not-reproduced']);
    expect(starts).toEqual([]);
    expect(report.skipped?.reason).toMatch(/passed 3 times.*adds two numbers.*only sometimes/s);
    expect(step.summary).toContain('adds two numbers');
  });

  it('is one that appears only sometimes, if it appears again', async () => {
    const counter = join(makeFolder('counter'), 'count');
    const flaky = `echo x >> ${counter}; if [ $(wc -l < ${counter}) -eq 2 ]; then npm test; fi`;
    const { report, starts } = await repair(FIX, { inputs: { verify: flaky } });
    expect(starts).toHaveLength(1);
    expect(report.verification.before).toMatchObject({
      state: 'reproduced',
      why: expect.stringContaining('flaky'),
    });
  });

  it.each<[string, string, string]>([
    ['fails in another way', 'echo "Error: the disk is on fire today"; exit 1', 'in another way'],
    ['cannot be found', 'no-such-tool --test', 'exit 127'],
    ['may not be run', './sum.js', 'exit 126'],
    ['lacks a module', 'node -e "require(\'left-pad-of-ci\')"', 'is missing here'],
  ])('is not known of a command that %s: the agent is started', async (_, verify, why) => {
    const { report, starts } = await repair("writeFileSync('notes.txt', 'x')", { inputs: { verify } });
    expect(report.verification.before?.state).toBe('not-comparable');
    expect(report.verification.before?.why).toContain(why);
    expect(starts.length).toBeGreaterThan(0);
  });

  it('is not known of a command that does not finish in its share of the time', async () => {
    const { report, starts } = await repair(FIX, {
      inputs: { verify: 'sleep 3; npm test', 'timeout-minutes': '0.2' },
    });
    expect(report.verification.before).toMatchObject({
      state: 'not-comparable',
      why: expect.stringContaining('did not finish'),
    });
    expect(starts).toHaveLength(1);
    expect(report.verification.state).toBe('passed');
  });

  it('is only a baseline without a log of CI', async () => {
    const { report, verdict, starts } = await repair('', { files: GREEN, inputs: { context: 'none' } });
    expect(report.verification.before?.state).toBe('baseline');
    expect([verdict, starts.length]).toEqual([['', 'none'], 1]);
  });
});

it('nothing of the runs before the agent is left in the checkout', async () => {
  const { workspace, step } = await repair(FIX, { inputs: { verify: 'echo x > left.txt; npm test' } });
  expect(step.errors).toEqual([]);
  expect(existsSync(join(workspace, 'left.txt'))).toBe(false);
});
