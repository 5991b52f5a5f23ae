import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { presetInstruction } from '../../src/context/prompt.js';
import { fakeAgent } from './fake-agent.js';
import { isGone } from './processes.js';
import { API_KEY, built, runStep } from './step.js';
import { git, makeFolder, makeWorkspace } from './workspace.js';

const canIsolate =
  process.platform === 'linux' &&
  spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '--make-rprivate', '/']).status === 0;

/** Tries things, and says of each whether it worked. */
const TRIES = `
  const { readdirSync, writeFileSync } = await import('node:fs');
  const { execSync } = await import('node:child_process');
  const works = (action) => { try { action(); return true; } catch { return false; } };
  const tries = (names) => JSON.stringify(Object.fromEntries(Object.entries(names).map(([name, action]) => [name, works(action)])));
`;

(canIsolate ? describe : describe.skip)('an isolated run', () => {
  const run = async (body: string, inputs: Record<string, string> = {}, env: Record<string, string> = {}) => {
    const workspace = makeWorkspace({ 'README.md': '# Project\n', 'docs/a.md': 'a\n' });
    const agent = fakeAgent(`${TRIES} init(); ${body}; finish();`);
    const step = await runStep({
      workspace,
      env,
      inputs: { 'cli-path': agent.path, isolation: 'required', ...inputs },
    });
    return { step, workspace };
  };

  it('is read-only in review, and reads our policy', async () => {
    const { step, workspace } = await run(`say(tries({
      readme: () => readFileSync('README.md'),
      policy: () => readFileSync('.cursor/cli.json'),
      write: () => writeFileSync('new', 'x'),
      change: () => writeFileSync('README.md', 'x'),
      policyChange: () => writeFileSync('.cursor/cli.json', 'x'),
      ownTemp: () => writeFileSync(process.env.TMPDIR + '/x', 'x'),
      ownHome: () => writeFileSync(process.env.HOME + '/x', 'x'),
    }))`);
    expect(step.errors).toEqual([]);
    expect(JSON.parse(step.outputs.get('result') ?? '')).toEqual({
      readme: true,
      policy: true,
      write: false,
      change: false,
      policyChange: false,
      ownTemp: true,
      ownHome: true,
    });
    expect(step.summary).toContain('Isolated');
    expect(git(workspace, 'status', '--porcelain', '--ignored')).toBe('');
  });

  it('writes the workspace where its preset says so, but never .git or what lies outside', async () => {
    const outside = makeFolder('outside');
    const { step, workspace } = await run(
      `say(tries({
        docs: () => writeFileSync('docs/a.md', 'better\\n'),
        hook: () => writeFileSync('.git/hooks/pre-commit', 'x'),
        commit: () => execSync('git -c user.name=x -c user.email=x@x commit --allow-empty -m x', { stdio: 'ignore' }),
        outside: () => writeFileSync(${JSON.stringify(join(outside, 'x'))}, 'x'),
        tmp: () => writeFileSync('/tmp/isolation-canary', 'x'),
      }))`,
      { preset: 'docs' },
    );
    expect(JSON.parse(step.outputs.get('result') ?? '')).toEqual({
      docs: true,
      hook: false,
      commit: false,
      outside: false,
      tmp: true,
    });
    expect(step.outputs.get('status')).toBe('success');
    expect(step.outputs.get('changed-files')).toBe('["docs/a.md"]');
    expect(readFileSync(join(workspace, 'docs/a.md'), 'utf8')).toBe('better\n');
    expect(existsSync('/tmp/isolation-canary')).toBe(false);
  });

  it('shows the agent no process but its own, and nothing of the runner’s environment', async () => {
    const { step } = await run(
      `const pids = readdirSync('/proc').filter((name) => /^\\d+$/.test(name));
       const all = pids.map((pid) => { try { return readFileSync('/proc/' + pid + '/environ', 'utf8') + readFileSync('/proc/' + pid + '/cmdline', 'utf8'); } catch { return ''; } }).join('\\n');
       say(JSON.stringify({ few: pids.length < 10, canary: all.includes('runtime-token-canary'), github: all.includes('GITHUB_OUTPUT') }))`,
    );
    expect(JSON.parse(step.outputs.get('result') ?? '')).toEqual({ few: true, canary: false, github: false });
  });

  it('gives the agent its environment and its prompt as ever', async () => {
    const { step } = await run(
      `say(JSON.stringify({ key: process.env.CURSOR_API_KEY.length, stdin: sighting.stdin, cwd: process.cwd() }))`,
      { prompt: 'Look: “this”\nand that' },
    );
    expect(JSON.parse(step.outputs.get('result') ?? '')).toEqual({
      key: API_KEY.length,
      stdin: `${presetInstruction('review')}\n\n# Task\n\nLook: “this”\nand that`,
      cwd: step.workspace,
    });
  });

  it('tells a crash as it is, and ends what was left running', async () => {
    const { step } = await run(`const { spawn } = await import('node:child_process');
      spawn('setsid', ['sleep', '600.${String(process.pid)}'], { detached: true, stdio: 'ignore' }).unref();
      say('half'); await sleep(200); process.exit(9)`);
    expect(step.outputs.get('failure-reason')).toBe('crashed');
    expect(step.outputs.get('exit-code')).toBe('9');
    const left = spawnSync('pgrep', ['-f', `sleep 600.${String(process.pid)}`], { encoding: 'utf8' })
      .stdout.trim()
      .split('\n');
    expect(left.filter((pid) => pid !== '' && !isGone(pid))).toEqual([]);
  });

  it('can be cancelled, and ended at its time limit', async () => {
    const { step } = await run(`await sleep(600_000)`, { 'timeout-minutes': '0.03' });
    expect(step.outputs.get('failure-reason')).toBe('timeout');
  });
});

describe('an agent that pretends it was never started', () => {
  it('is not started again without isolation', async () => {
    const agent = fakeAgent(`
      process.stderr.write('unshare: unshare failed: Operation not permitted\\n');
      process.exit(125);`);
    const step = await runStep({
      workspace: makeWorkspace(),
      inputs: { 'cli-path': agent.path, isolation: 'auto' },
    });
    expect(step.outputs.get('failure-reason')).toBe('crashed');
    expect(step.warnings.join()).not.toMatch(/not isolated on this runner/);
  });
});

(process.getuid?.() === 0 ? describe : describe.skip)('a machine that cannot isolate', () => {
  // An ordinary user without sudo, on a machine without the tools.
  const ORDINARY = 65534;
  // By Node: a shell would drop the inputs, whose names are no names of variables to it.
  const HIDE_UNSHARE = `const { execFileSync, spawnSync } = require('node:child_process');
    execFileSync('mount', ['--bind', '/dev/null', '/usr/bin/unshare']);
    process.exit(spawnSync(process.argv[1], process.argv.slice(2), { stdio: 'inherit' }).status ?? 1);`;
  const before = [
    ...['unshare', '--mount', '--', process.execPath, '-e', HIDE_UNSHARE, '--'],
    ...['setpriv', `--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, '--clear-groups', '--'],
  ];
  const runAs = async (isolation: string) => {
    const place = makeFolder('ordinary');
    chmodSync(place, 0o777);
    cpSync(built('dist/run'), join(place, 'run'), { recursive: true });
    const folder = dirname(fakeAgent(`init(); say('Hello.'); finish();`).path);
    cpSync(folder, join(place, 'agent'), { recursive: true });
    const workspace = makeWorkspace();
    for (const path of [workspace, place]) spawnSync('chown', ['-R', String(ORDINARY), path]);
    return runStep({
      workspace,
      uid: ORDINARY,
      before,
      entry: join(place, 'run', 'index.js'),
      inputs: { 'cli-path': join(place, 'agent', 'cursor-agent'), isolation },
      env: {
        RUNNER_TEMP: place,
        GITHUB_OUTPUT: undefined,
        GITHUB_STEP_SUMMARY: undefined,
        GITHUB_STATE: undefined,
      },
    });
  };

  it('fails the run where isolation is required, and says why', async () => {
    const step = await runAs('required');
    expect(step.code).toBe(1);
    expect(step.errors[0]).toMatch(/isolation-unavailable/);
    expect(step.stdout).not.toContain('Hello.');
  });

  it('goes on without, loudly, where it is left to us', async () => {
    const step = await runAs('auto');
    expect(step.code).toBe(0);
    expect(step.stdout).toContain('Hello.');
    expect(step.warnings.join()).toMatch(/not isolated on this runner/);
  });

  // The tools are there, so only the attempt shows that it does not work.
  describe('because root may not make namespaces', () => {
    const before = ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin', '--'];
    const runWith = (isolation: string) =>
      runStep({
        before,
        workspace: makeWorkspace(),
        inputs: { 'cli-path': fakeAgent(`init(); say('Hello.'); finish();`).path, isolation },
      });

    it('fails the run where isolation is required, and says why', async () => {
      const step = await runWith('required');
      expect(step.code).toBe(1);
      expect(step.outputs.get('failure-reason')).toBe('isolation-unavailable');
      expect(step.errors[0]).toMatch(/Root cannot create namespaces here/);
      expect(step.stdout).not.toContain('Hello.');
    });

    it('runs on a copy, loudly, where it is left to us', async () => {
      const step = await runWith('auto');
      expect(step.code).toBe(0);
      expect(step.outputs.get('result')).toBe('Hello.');
      expect(step.warnings.join()).toMatch(/not isolated on this runner.*Root cannot create namespaces here/);
      expect(step.summary).toContain('Not isolated');
    });
  });
});
