import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { formatHookPolicy } from '../../src/permissions/hook-messages.js';
import { buildPolicy } from '../../src/permissions/policy.js';
import { readStrictFile } from '../report/strict-report.js';
import { obstacle, removeAccounts, runStepAs, type Account } from './accounts.js';
import { fakeAgent } from './fake-agent.js';
import { built, NODE, runStep, type Step, type StepResult } from './step.js';
import { makeFolder, makeWorkspace } from './workspace.js';

afterAll(removeAccounts);

/** Asks hooks as the CLI does under --force: each of them before each call, through a shell, in `~/.cursor`. */
const ASKS_HOOKS = `
  const fs = await import('node:fs');
  const { execSync, spawnSync } = await import('node:child_process');
  const home = process.env.HOME;
  const works = (action) => { try { action(); return true; } catch { return false; } };
  const said = (value) => say(JSON.stringify(value));
  const ask = (tool_name, tool_input, env = process.env) => {
    for (const hook of json(join(home, '.cursor/hooks.json'))?.hooks?.preToolUse ?? []) {
      const question = { hook_event_name: 'preToolUse', conversation_id: 'c', workspace_roots: [process.cwd()],
        cwd: process.cwd(), tool_use_id: 't', tool_name, tool_input };
      const run = spawnSync('sh', ['-c', hook.command],
        { cwd: join(home, '.cursor'), input: JSON.stringify(question), encoding: 'utf8', timeout: hook.timeout * 1000, env });
      if (run.status !== 0) {
        if (hook.failClosed) return 'Tool blocked because this hook is configured to fail closed (block when it fails). Hook "' +
          hook.command + '" failed with exit code ' + run.status + ': ' + run.stderr.trim();
        continue;
      }
      const { permission, user_message } = JSON.parse(run.stdout);
      if (permission !== 'allow') return user_message;
    }
    return undefined;
  };
  let calls = 0;
  const refusal = (why) => why + '\\n\\nAgent note: Do not suggest workarounds to the blocked tool.';
  const shell = (command, env) => {
    const why = ask('Shell', { command, working_directory: process.cwd() }, env);
    calls += 1;
    if (why === undefined) execSync(command, { stdio: 'ignore' });
    call('c' + calls, 'shellToolCall', { command }, why === undefined
      ? { success: { exitCode: 0, stdout: '', stderr: '' } }
      : { rejected: { command, reason: refusal(why), isReadonly: false } });
    return why ?? 'ran';
  };
  const edit = (path, text) => {
    const why = ask('Read', { file_path: path }) ?? ask('Write', { file_path: path, contents: text });
    calls += 1;
    if (why === undefined) fs.writeFileSync(path, text);
    call('c' + calls, 'editToolCall', { path }, why === undefined
      ? { success: { path, linesAdded: 1, linesRemoved: 0 } }
      : { error: { path: '', error: refusal(why), modelVisibleError: refusal(why) } });
    return why ?? 'written';
  };
`;
const agentThat = (body: string) => fakeAgent(`${ASKS_HOOKS} init(); ${body}; finish();`);
const told = (step: StepResult): unknown => JSON.parse(step.outputs.get('result') ?? '');
const tallyOf = (step: StepResult) => readStrictFile(step.outputs.get('report-file') ?? '').hook;
const SENTENCE = 'cursor-agent-action: denied';

it('finds our hook from run/action.yml, with nothing but what the runner downloads', async () => {
  const action = makeFolder('action');
  cpSync('run', join(action, 'run'), { recursive: true });
  for (const bundle of ['run', 'hook'])
    cpSync(dirname(built(`dist/${bundle}/index.js`)), join(action, 'dist', bundle), { recursive: true });
  const { runs } = parse(readFileSync(join(action, 'run/action.yml'), 'utf8')) as { runs: { main: string } };
  const step = await runStep({
    // The runner joins both as they are.
    entry: `${action}/run/${runs.main}`,
    inputs: { preset: 'fix-ci', 'cli-path': agentThat(`said(shell("bash -c 'git log'"))`).path },
  });
  expect(told(step)).toBe(`${SENTENCE} by Shell(git)`);
  expect(tallyOf(step)).toMatchObject({ denied: 1 });
  expect(step.code).toBe(0);
});

describe.each<Account>(['root', 'sudo'])('the runner is %s: our hook', (account) => {
  const why = obstacle(account);
  const test = why === undefined ? it : it.skip;
  const run = (body: string, step: Step = {}) =>
    runStepAs(account, agentThat(body), {
      workspace: makeWorkspace(),
      ...step,
      inputs: { preset: 'fix-ci', ...step.inputs },
    });

  test('denies by the policy, also with --force, and lets the rest run', async () => {
    const step = await run(`said({
      force: sighting.argv.includes('--force'),
      touch: shell('touch made.txt'),
      git: shell("bash -c 'git log'"),
      source: edit('a.ts', 'x'),
      workflow: edit('.github/workflows/ci.yml', 'x'),
      ownRules: call('r', 'readToolCall', { path: '.env' }, { error: { errorMessage: 'Permission denied' } }),
      task: ask('Task', { prompt: 'x' }),
      search: ask('WebSearch', { query: 'x' }),
    })`);
    expect(told(step)).toEqual({
      force: true,
      touch: 'ran',
      git: `${SENTENCE} by Shell(git)`,
      source: 'written',
      workflow: `${SENTENCE} by Write(**/.github/**)`,
      task: expect.stringMatching(/denied because sub-agents cannot be allowed/),
      search: `${SENTENCE} by WebFetch(*)`,
    });
    expect(step.code).toBe(0);
    expect(existsSync(join(step.workspace, 'made.txt'))).toBe(true);
    expect(existsSync(join(step.workspace, '.github'))).toBe(false);
    // Each edit asks twice.
    expect(tallyOf(step)).toMatchObject({ judged: 8, denied: 4 });
    expect(step.stdout).toContain('permission hook: 8 calls, 4 denied');
    expect(step.summary).toContain('denied by Shell(git)');
    expect(readStrictFile(step.outputs.get('report-file') ?? '').report.tools).toMatchObject([
      { target: 'touch made.txt', state: 'ok' },
      { target: "bash -c 'git log'", state: 'denied', message: `${SENTENCE} by Shell(git)`, byHook: true },
      { target: 'a.ts', state: 'ok' },
      { target: '.github/workflows/ci.yml', state: 'denied', byHook: true },
      // The CLI’s own rules refused it, without asking.
      { target: '.env', state: 'denied', message: 'denied by Read(**/.env*)' },
    ]);
    expect(step.outputs.get('tool-calls-denied')).toBe('3');
  });

  test('holds custom to what allow names: an edit, and no command that would do the same', async () => {
    const step = await run(
      `said({ edit: edit('src/a.ts', 'x'), node: shell("node -e 'require(\\"fs\\").writeFileSync(\\"b\\", \\"\\")'"),
        other: edit('b.ts', 'x'), page: ask('WebFetch', { url: 'https://example.com/' }),
        rules: json('.cursor/cli.json').permissions.deny.filter((rule) => /^Shell|^Web|^Mcp/.test(rule)) })`,
      { workspace: makeWorkspace({ 'src/a.ts': '' }), inputs: { preset: 'custom', allow: 'Write(src/**)' } },
    );
    expect(told(step)).toEqual({
      edit: 'written',
      node: `${SENTENCE} by Shell(*)`,
      other: 'cursor-agent-action: not allowed without Read(b.ts)',
      page: `${SENTENCE} by WebFetch(*)`,
      rules: ['Shell(*)', 'WebFetch(*)', 'Mcp(*:*)'],
    });
    expect(step.outputs.get('changed-files')).toBe('["src/a.ts"]');
  });

  test('is out of the agent’s reach if it is isolated', async () => {
    const step = await run(
      `const hooks = join(home, '.cursor/hooks.json');
      const [, program] = /'([^']+hook\\.cjs)'/.exec(json(hooks).hooks.preToolUse[0].command);
      const folder = dirname(program);
      const tries = {
        write: works(() => fs.writeFileSync(hooks, '{}')),
        remove: works(() => fs.rmSync(hooks)),
        rename: works(() => fs.renameSync(hooks, hooks + '.old')),
        replace: works(() => { fs.writeFileSync(join(home, 'x'), '{}'); fs.renameSync(join(home, 'x'), hooks); }),
        moveFolder: works(() => fs.renameSync(join(home, '.cursor'), join(home, '.old'))),
        moveHome: works(() => fs.renameSync(home, home + '-old')),
        unmount: works(() => execSync('umount ' + hooks, { stdio: 'ignore' })),
        chmod: works(() => fs.chmodSync(hooks, 0o777)),
        program: works(() => fs.writeFileSync(program, '')),
        policy: works(() => fs.writeFileSync(join(folder, 'policy.json'), '{}')),
        removePolicy: works(() => fs.rmSync(join(folder, 'policy.json'))),
        beside: works(() => fs.writeFileSync(join(folder, 'x'), '')),
      };
      // What the CLI keeps there must still work.
      fs.writeFileSync(join(home, '.cursor/new.tmp'), '{}');
      fs.renameSync(join(home, '.cursor/new.tmp'), join(home, '.cursor/cli-config.json'));
      said({ tries: Object.keys(tries).filter((name) => tries[name]), git: shell('git log') })`,
    );
    expect(told(step)).toEqual({ tries: [], git: `${SENTENCE} by Shell(git)` });
    expect(step.code).toBe(0);
    expect(tallyOf(step)).toMatchObject({ judged: 1, denied: 1 });
  });

  test('counts forged decisions, and the run does not depend on them', async () => {
    const step = await run(
      `const decisions = join(process.env.TMPDIR, 'hook-decisions.ndjson');
      fs.appendFileSync(decisions, 'x'.repeat(1000000) + '\\n{}\\n');
      fs.appendFileSync(decisions, JSON.stringify({ tool: 'Shell', permission: 'deny', why: '::error::forged' }) + '\\n');
      shell('git log'); say('done')`,
    );
    expect(step.code).toBe(0);
    expect(step.errors).toEqual([]);
    expect(tallyOf(step)).toMatchObject({ judged: 2, denied: 2 });
  });

  test.each([
    ['a link', `fs.writeFileSync(other, ''); fs.symlinkSync(other, decisions)`],
    ['a pipe', `execSync('mkfifo ' + decisions)`],
    ['a folder', `fs.mkdirSync(decisions)`],
  ])('decides the same if %s is where its decisions are written', async (_, replace) => {
    const step = await run(
      `const [decisions, other] = ['hook-decisions.ndjson', 'other'].map((name) => join(process.env.TMPDIR, name));
      ${replace};
      said({ git: shell('git log'), written: fs.existsSync(other) && fs.readFileSync(other, 'utf8') !== '' })`,
    );
    expect(told(step)).toEqual({ git: `${SENTENCE} by Shell(git)`, written: false });
    expect(step.code).toBe(0);
    expect(tallyOf(step)).toMatchObject({ judged: 0, denied: 0 });
  });

  test('works in a folder whose path is too long for a socket', async () => {
    const temp = join(makeFolder('temp'), 'a-long-name-'.repeat(12));
    mkdirSync(temp);
    if (account === 'sudo') spawnSync('chmod', ['777', temp, join(temp, '..')]);
    const step = await run(`said(shell('git log'))`, { env: { RUNNER_TEMP: temp } });
    expect(told(step)).toBe(`${SENTENCE} by Shell(git)`);
    expect(tallyOf(step)).toMatchObject({ judged: 1, denied: 1 });
  });
});

describe('our hook', () => {
  const isolated = obstacle('root') === undefined ? it : it.skip;

  isolated('runs with a Node in the runner’s home, which is hidden from the agent', async () => {
    const START = `const { cpSync, mkdirSync } = require('node:fs');
      const folder = process.env.HOME + '/actions-runner/externals/node24/bin';
      mkdirSync(folder, { recursive: true });
      cpSync(process.argv[1], folder + '/node');
      const run = require('node:child_process').spawnSync(folder + '/node', process.argv.slice(2), { stdio: 'inherit' });
      process.exit(run.status ?? 1);`;
    const agent =
      agentThat(`said({ command: json(join(home, '.cursor/hooks.json')).hooks.preToolUse[0].command,
      git: shell('git log'), make: shell('true') })`);
    const step = await runStep({
      before: [NODE, '-e', START, '--'],
      workspace: makeWorkspace(),
      inputs: { 'cli-path': agent.path, isolation: 'required', preset: 'fix-ci' },
    });
    expect(told(step)).toEqual({
      command: expect.stringContaining('/actions-runner/externals/node24/bin/node'),
      git: `${SENTENCE} by Shell(git)`,
      make: 'ran',
    });
  });

  it('that an agent without isolation rewrote is a violation', async () => {
    const agent = agentThat(
      `fs.writeFileSync(join(home, '.cursor/hooks.json'), '{}'); shell('touch made.txt')`,
    );
    const step = await runStep({
      workspace: makeWorkspace(),
      inputs: { 'cli-path': agent.path, preset: 'fix-ci' },
    });
    expect(step.outputs.get('failure-reason')).toBe('policy-violation');
    expect(step.errors.join()).toContain('~/.cursor/hooks.json');
    expect(existsSync(join(step.workspace, 'made.txt'))).toBe(false);
  });

  it('that could not answer is named as ours', async () => {
    const agent = agentThat(
      `shell('make', { ...process.env, NODE_OPTIONS: '--require /gone.cjs' }); say('done')`,
    );
    const step = await runStep({ inputs: { 'cli-path': agent.path, preset: 'fix-ci' } });
    const [denial] = readStrictFile(step.outputs.get('report-file') ?? '').denials;
    expect(denial).toMatchObject({
      what: 'make',
      why: expect.stringMatching(/^the hook of this action did not answer: failed with exit code 1: /),
      allow: [],
    });
    expect(denial).not.toHaveProperty('byForeignHook');
  });

  it('holds in a second try as well', async () => {
    const agent = agentThat(
      `if (attempt === 1) { complain('ConnectError: [unavailable] read ECONNRESET'); process.exit(1); } said(shell('git log'))`,
    );
    const step = await runStep({
      workspace: makeWorkspace(),
      inputs: { 'cli-path': agent.path, preset: 'fix-ci', retries: '1' },
    });
    expect(agent.sightings()).toHaveLength(2);
    expect(told(step)).toBe(`${SENTENCE} by Shell(git)`);
    expect(tallyOf(step)).toMatchObject({ judged: 1, denied: 1 });
  });

  it('is missed by a build that knows no hooks, which is said and breaks nothing', async () => {
    const agent = fakeAgent(`init(); call('1', 'shellToolCall', { command: 'true' },
      { success: { exitCode: 0, stdout: '', stderr: '' } }); finish();`);
    const step = await runStep({ inputs: { 'cli-path': agent.path, preset: 'fix-ci' } });
    expect(step.code).toBe(0);
    expect(step.warnings).toEqual([]);
    expect(tallyOf(step)).toEqual({ judged: 0, denied: 0, denials: {} });
    expect(step.summary).toContain('This build of the CLI did not ask our hook');
  });

  it.each(['fail', 'revert', 'warn'])(
    'is not asked for some tools, which is a violation (%s)',
    async (mode) => {
      const agent = agentThat(`
      call('p', 'piBashToolCall', { command: 'make docs' }, { success: { exitCode: 0, stdout: '', stderr: '' } });
      edit('a.md', 'x'); say('done')`);
      const step = await runStep({
        inputs: { 'cli-path': agent.path, preset: 'docs', 'on-violation': mode },
      });
      const sentence = 'the CLI ran piBash without asking, although Shell(*) is denied: make docs';
      expect(step.outputs.get('failure-reason')).toBe(mode === 'warn' ? '' : 'policy-violation');
      expect(step.summary).toContain('without asking, although Shell');
      expect(step.errors.join('')).toContain(mode === 'warn' ? '' : sentence);
      expect(existsSync(join(step.workspace, 'a.md'))).toBe(mode !== 'fail');
    },
  );

  it('is not asked in a try that fails, which is a violation also if the next try succeeds', async () => {
    const agent = agentThat(`
      if (attempt === 1) {
        call('w', 'webFetchToolCall', { url: 'https://example.com/' }, { success: {} });
        complain('ConnectError: [unavailable] read ECONNRESET'); process.exit(1);
      }
      say('done')`);
    const step = await runStep({ inputs: { 'cli-path': agent.path, retries: '1' } });
    expect(agent.sightings()).toHaveLength(2);
    expect(step.outputs.get('failure-reason')).toBe('policy-violation');
    expect(step.errors.join('')).toContain('the CLI ran webFetch without asking');
  });

  it('is not there for clido, which knows no hooks', async () => {
    const agent = fakeAgent(`init(); say(String(existsSync(join(process.env.HOME, '.cursor')))); finish();`);
    const step = await runStep({ inputs: { 'cli-path': agent.path, agent: 'clido' } });
    expect(step.outputs.get('result')).toBe('false');
    expect(tallyOf(step)).toBeUndefined();
  });
});

describe('the program of the hook', () => {
  const policy = {
    policy: buildPolicy({ preset: 'fix-ci', allow: [], deny: [] }),
    root: '/work/repo',
    directory: '/work/repo',
    own: ['/agent/home'],
  };
  const ask = (
    input: string,
    { policyText = formatHookPolicy(policy) }: { policyText?: string | null } = {},
  ) => {
    const folder = makeFolder('hook');
    copyFileSync(built('dist/hook/index.js'), join(folder, 'hook.cjs'));
    if (policyText !== null) writeFileSync(join(folder, 'policy.json'), policyText);
    const run = spawnSync(NODE, [join(folder, 'hook.cjs')], { input, encoding: 'utf8', env: {} });
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
    return JSON.parse(run.stdout) as Record<string, string>;
  };
  const question = (tool_name: string, tool_input: object) => JSON.stringify({ tool_name, tool_input });

  it('answers in the fields that are documented', () => {
    expect(ask(question('Shell', { command: 'make' }))).toEqual({ permission: 'allow' });
    expect(ask(question('Shell', { command: 'git push' }))).toEqual({
      permission: 'deny',
      user_message: `${SENTENCE} by Shell(git)`,
      agent_message: expect.stringContaining('This is the policy of the run'),
    });
  });

  it.each(['', 'garbage', '{', '[]', 'null', '\u0000'])('denies the question %j', (input) => {
    expect(ask(input)).toMatchObject({ permission: 'deny' });
  });

  it('reads a whole file, and denies what is longer than any call', () => {
    const contents = 'x'.repeat(5_000_000);
    expect(ask(question('Write', { file_path: 'a.ts', contents }))).toEqual({ permission: 'allow' });
    expect(ask(question('Write', { file_path: 'a.ts', contents: 'x'.repeat(40_000_000) }))).toMatchObject({
      permission: 'deny',
    });
  });

  it.each<[string, object, string]>([
    ['Write', { file_path: 'a.ts', contents: 'x'.repeat(200_000) }, 'allow'],
    ['Write', { file_path: '.github/a.yml', contents: 'x'.repeat(200_000) }, 'deny'],
    ['Shell', { command: `echo ${'x '.repeat(40_000)}` }, 'allow'],
    ['Shell', { command: `echo ${'x '.repeat(40_000)}; git push` }, 'deny'],
    ['Shell', { command: `echo ${'x '.repeat(100_000)}; git push` }, 'deny'],
    ['Shell', { command: `git push ${'x '.repeat(100_000)}` }, 'deny'],
  ])('judges a %s of any length: %.50j', (tool, input, expected) => {
    expect(ask(question(tool, input))).toMatchObject({ permission: expected });
  });

  it.each([null, '', '{}', 'null'])('denies everything if the policy is %j', (policyText) => {
    const answer = ask(question('TodoWrite', {}), { policyText });
    expect(answer).toMatchObject({ permission: 'deny' });
    expect(answer['user_message']).toContain('the policy of the run could not be read');
  });

  it('answers if its decision cannot be written', () => {
    for (const reportTo of ['/nowhere/reports', join(makeFolder('x'), 'y'.repeat(300)), makeFolder('x')])
      expect(
        ask(question('Shell', { command: 'make' }), {
          policyText: formatHookPolicy({ ...policy, reportTo }),
        }),
      ).toEqual({ permission: 'allow' });
  });

  it('uses nothing but Node', () => {
    const code = readFileSync(built('dist/hook/index.js'), 'utf8');
    expect(code).not.toMatch(/node_modules/);
    expect(code.length).toBeLessThan(64_000);
  });
});
