import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { obstacle, removeAccounts, runStepAs, type Account } from './accounts.js';
import { fakeAgent } from './fake-agent.js';
import { API_KEY, type Step } from './step.js';
import { git, makeWorkspace } from './workspace.js';

afterAll(removeAccounts);

const canIsolate =
  process.platform === 'linux' &&
  spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '--make-rprivate', '/']).status === 0;

/** A small project with a test that fails. */
const PROJECT = {
  'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
  'sum.js': 'export const sum = (a, b) => a - b;\n',
  'sum.test.js': [
    "import { test } from 'node:test';",
    "import assert from 'node:assert';",
    "import { sum } from './sum.js';",
    "test('adds', () => {",
    '  assert.equal(sum(1, 2), 3);',
    '});',
    '',
  ].join('\n'),
};
const FIX = "writeFileSync('sum.js', 'export const sum = (a, b) => a + b;\\n');";
const isResumed = "sighting.argv.includes('--resume')";

async function run(
  body: string,
  inputs: Record<string, string> = {},
  { account = 'root', ...step }: Step & { account?: Account } = {},
) {
  const workspace = makeWorkspace(PROJECT);
  const agent = fakeAgent(
    `const { writeFileSync, rmSync } = await import('node:fs'); init(); ${body}; say('Repaired.'); finish('Repaired.');`,
  );
  const result = await runStepAs(account, agent, {
    ...step,
    workspace,
    inputs: {
      preset: 'fix-ci',
      verify: 'node --test',
      isolation: canIsolate ? 'required' : 'off',
      ...inputs,
    },
  });
  const report = JSON.parse(readFileSync(result.outputs.get('report-file') ?? '', 'utf8')) as {
    verification: { state: string; rounds: { results: { exit: unknown; output: string }[] }[] };
  };
  return { result, workspace, agent, report };
}

describe('a change that is verified', () => {
  it('is applied with the evidence, and nothing of what the commands wrote', async () => {
    const { result, workspace, report } = await run(FIX, {
      verify: 'node --test\necho built > built.txt; echo evil > sum.js\ntest -e built.txt',
    });
    expect(result.errors).toEqual([]);
    expect(result.outputs.get('verification')).toBe('passed');
    expect(result.outputs.get('changed-files')).toBe('["sum.js"]');
    expect(git(workspace, 'status', '--porcelain')).toBe(' M sum.js\n');
    expect(readFileSync(join(workspace, 'sum.js'), 'utf8')).toContain('a + b');
    expect(report.verification.rounds[0]?.results).toHaveLength(3);
    expect(result.summary).toContain('Verified');
    expect(result.summary).toContain('<code>node --test</code>');
    expect(readFileSync(result.outputs.get('report-html') ?? '', 'utf8')).toContain('3 commands passed');
  });

  it('can be one of the preset edit, whose agent runs no commands itself', async () => {
    const { result } = await run(FIX, { preset: 'edit' });
    expect([result.errors, result.outputs.get('verification')]).toEqual([[], 'passed']);
    expect(result.outputs.get('changed-files')).toBe('["sum.js"]');
  });

  it('goes back to the agent in the same chat, and is verified again', async () => {
    const { result, report } = await run(
      `if (${isResumed}) { if (sighting.stdin.includes('1 - 2') || sighting.stdin.includes('adds')) { ${FIX} } } else writeFileSync('notes.txt', 'x')`,
    );
    expect([result.errors, result.outputs.get('verification')]).toEqual([[], 'passed']);
    expect(report.verification.rounds).toHaveLength(2);
    expect(result.outputs.get('changed-files')).toBe('["notes.txt","sum.js"]');
  });

  it('fails the step if it still does not pass; the checkout stays as it was, and the patch is kept', async () => {
    const { result, workspace, report } = await run("writeFileSync('notes.txt', 'x')");
    expect(result.code).toBe(1);
    expect(result.outputs.get('failure-reason')).toBe('verification-failed');
    expect(result.outputs.get('verification')).toBe('failed');
    expect(report.verification.rounds).toHaveLength(2);
    expect(result.errors.join()).toContain('asked once to repair it');
    expect(git(workspace, 'status', '--porcelain')).toBe('');
    expect(readFileSync(result.outputs.get('rejected-patch-file') ?? '', 'utf8')).toContain('notes.txt');
    expect(result.summary).toContain('verification-failed');
  });

  it('does not exist if nothing was changed', async () => {
    const { result } = await run('');
    expect([result.outputs.get('status'), result.outputs.get('verification')]).toEqual(['success', 'none']);
  });
});

describe('a command that verifies', () => {
  it('is stopped when its share of the time is over, with everything it started', async () => {
    const { result, report } = await run(FIX, {
      verify: '(sleep 300; echo late) &\necho begun; sleep 300',
      'timeout-minutes': '0.1',
    });
    expect(result.outputs.get('failure-reason')).toBe('verification-failed');
    const [first, second] = report.verification.rounds[0]?.results ?? [];
    expect([first?.exit, second]).toMatchObject([
      { kind: 'exited', code: 0 },
      { exit: { kind: 'ended', why: 'timeout' }, output: 'begun' },
    ]);
    expect(spawnSync('pgrep', ['-fx', 'sleep 300']).stdout.toString()).toBe('');
  });

  it('prints text only', async () => {
    const { result } = await run(FIX, {
      verify: `printf '::error::forged\\n##[error]forged\\n\\033[31m<script>alert(1)</script> @everyone\\n::set-output name=status::x\\n'; exit 1`,
    });
    expect(result.errors.join()).not.toMatch(/^::error::forged/m);
    expect(result.stdout).not.toMatch(/^\s*(::error::forged|##\[error\]forged)/m);
    expect(result.summary).toContain('forged');
    expect(readFileSync(result.outputs.get('report-html') ?? '', 'utf8')).not.toContain('<script>alert(1)');
  });

  (canIsolate ? describe : describe.skip)('and is hostile', () => {
    const HOSTILE = [
      'env > env.txt; cat env.txt',
      'for f in "$GITHUB_ENV" "$HOST_ENV"; do echo EVIL=1 >> "$f" && echo "wrote $f"; done; true',
      'echo evil > .git/hooks/post-checkout && echo "wrote .git"; true',
      'ls -A "$HOME"; cat "$HOME/.cursor/cli-config.json" && echo "saw the home"; true',
    ].join('\n');

    const judge = async (account: Account) => {
      const env = { MY_TOKEN: 'token-of-mine-0123456789' };
      const { result, workspace, report } = await run(
        FIX,
        { verify: HOSTILE, 'pass-env': 'MY_TOKEN' },
        { env, account },
      );
      expect([result.errors, result.outputs.get('verification')]).toEqual([[], 'passed']);
      const said = report.verification.rounds[0]?.results.map(({ output }) => output).join('\n') ?? '';
      expect(said).toContain('PATH=');
      expect(said).not.toMatch(/CURSOR_API_KEY|CURSOR_AUTH|MY_TOKEN|GITHUB_|ACTIONS_|wrote|saw/);
      expect(said).not.toContain(API_KEY);
      expect(existsSync(join(workspace, '.git/hooks/post-checkout'))).toBe(false);
      expect(result.outputs.get('changed-files')).toBe('["sum.js"]');
    };
    it('reaches no credential, no file of the runner and no .git', () => judge('root'));

    (obstacle('sudo') === undefined ? it : it.skip)('nor does it for an ordinary user with sudo', () =>
      judge('sudo'),
    );
  });
});
