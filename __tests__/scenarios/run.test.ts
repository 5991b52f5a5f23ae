import { describe, expect, it } from '@jest/globals';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { presetInstruction } from '../../src/context/prompt.js';
import { buildOutputs } from '../../src/run/outputs.js';
import { beginRun } from '../../src/run/run-state.js';
import { ANSWERS, fakeAgent } from './fake-agent.js';
import { isGone } from './processes.js';
import { eventVariables } from '../trust/events.js';
import { readStrictFile } from '../report/strict-report.js';
import { API_KEY, GITHUB_TOKEN, runStep, type StepResult } from './step.js';
import { git, makeFolder, makeWorkspace, writeTree } from './workspace.js';

const OUTPUT_NAMES = Object.keys(buildOutputs(beginRun().record));

/** What the report of a refused run says. It has a page too. */
function refusalIn(step: StepResult) {
  expect(readFileSync(step.outputs.get('report-html') ?? '', 'utf8')).toMatch(/^<!doctype html>/i);
  return readStrictFile(step.outputs.get('report-file') ?? '').verdict;
}

describe('a run that succeeds', () => {
  it('answers with the plan in plan mode', async () => {
    const agent = fakeAgent(`
      init();
      say('Here comes a plan.');
      call('1', 'createPlanToolCall', { plan: '# The plan\\n\\n1. Look.', name: 'Look' }, { success: {}, planUri: '' });
      finish('Here comes a plan.');
    `);
    const step = await runStep({ inputs: { 'cli-path': agent.path, mode: 'plan' } });
    expect(step.code).toBe(0);
    expect(step.outputs.get('result')).toBe('# The plan\n\n1. Look.');
    expect(step.outputs.get('result-full')).toBe('Here comes a plan.');
    expect(readFileSync(step.outputs.get('result-file')!, 'utf8')).toBe('# The plan\n\n1. Look.');
    expect(step.summary).toContain('The plan');
    expect(readFileSync(step.outputs.get('report-html')!, 'utf8')).toContain('<li>Look.</li>');
  });

  it('tells it in exit code, outputs, summary and files', async () => {
    const agent = fakeAgent(`
      init();
      call('1', 'readToolCall', { path: process.cwd() + '/README.md' }, { success: { content: '# Project', totalLines: 1 } });
      call('2', 'readToolCall', { path: 'gone.md' }, { error: { errorMessage: 'File not found' } });
      call('3', 'shellToolCall', { command: 'git push' }, { rejected: { command: 'git push', reason: 'not allowed' } });
      say('All is well.');
      finish('All is well.', { usage: { inputTokens: 10, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 } });
    `);
    const step = await runStep({ inputs: { 'cli-path': agent.path } });

    expect(step.errors).toEqual([]);
    expect(step.code).toBe(0);
    expect([...step.outputs.keys()]).toEqual(OUTPUT_NAMES);
    expect(Object.fromEntries(step.outputs)).toMatchObject({
      status: 'success',
      'failure-reason': '',
      result: 'All is well.',
      'result-full': 'All is well.',
      'duration-ms': '1200',
      'duration-api-ms': '900',
      'session-id': 'chat-1',
      'request-id': 'request-1',
      model: 'Test Model',
      'exit-code': '0',
      'tool-calls': '3',
      'tool-calls-failed': '1',
      'tool-calls-denied': '1',
      usage: '{"inputTokens":10,"outputTokens":2,"cacheReadTokens":3,"cacheWriteTokens":4}',
    });
    expect(readFileSync(step.outputs.get('result-file')!, 'utf8')).toBe('All is well.');
    expect(step.outputs.get('result-file')).toContain(join(step.temp, 'cursor-agent-'));
    const transcript = readFileSync(step.outputs.get('transcript-file')!, 'utf8').trim().split('\n');
    expect(transcript.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      'system',
      ...Array<string>(6).fill('tool_call'),
      'assistant',
      'result',
    ]);
    expect(JSON.parse(readFileSync(step.outputs.get('report-file')!, 'utf8'))).toMatchObject({
      version: 1,
      verdict: { status: 'success' },
    });
    expect(step.summary).toContain('done');
    expect(step.summary).toContain('All is well.');
    expect(step.summary).toContain('<code>README.md</code>');
    expect(step.stdout).toMatch(/\+0:\d\d read {3}README\.md \(1 line\)/);
    expect(step.stdout).toMatch(/\+0:\d\d read {3}gone\.md → File not found/);
    expect(step.stdout).toMatch(/\+0:\d\d denied git push — not allowed\. git and gh stay denied/);
  });

  it('starts the CLI as it has to be started', async () => {
    const agent = fakeAgent(ANSWERS);
    await runStep({ inputs: { 'cli-path': agent.path, prompt: 'Look\nat “this”.' } });
    const [seen] = agent.sightings();
    expect(seen?.argv).toEqual([
      ...['-p', '--output-format', 'stream-json', '--trust', '--sandbox', 'disabled'],
      ...['--model', 'auto', '--mode', 'ask'],
    ]);
    expect(seen?.stdin).toBe(`${presetInstruction('review')}\n\n# Task\n\nLook\nat “this”.`);
    // Not isolated here, so it is a copy of the checkout.
    expect(seen?.cwd).toMatch(/cursor-agent-\w+\/sandbox\/layer\/current$/);
  });

  it.each<[string, string[], string?]>([
    ['review', ['--mode', 'ask']],
    ['docs', ['--force']],
    ['edit', ['--force']],
    ['fix-ci', ['--force']],
    ['custom', []],
    ['custom', [], 'Read(**)\nWebFetch(example.com)'],
    ['custom', ['--force'], 'Write(src/**)'],
    ['custom', ['--force'], 'Shell(npm)'],
  ])('passes mode and force by preset: %s %j %s', async (preset, flags, allow = '') => {
    const agent = fakeAgent(ANSWERS);
    await runStep({ inputs: { 'cli-path': agent.path, preset, allow } });
    expect(agent.sightings()[0]?.argv.slice(8)).toEqual(flags);
  });

  it('lets inputs override mode, model, resume and adds further arguments', async () => {
    const agent = fakeAgent(ANSWERS);
    await runStep({
      inputs: {
        'cli-path': agent.path,
        mode: 'plan',
        model: 'gpt-5',
        resume: 'chat-0',
        'extra-args': '--sandbox\nenabled',
      },
    });
    expect(agent.sightings()[0]?.argv.slice(6)).toEqual([
      ...['--model', 'gpt-5', '--mode', 'plan', '--resume', 'chat-0', '--sandbox', 'enabled'],
    ]);
  });

  it('takes the prompt from a file of the working directory, and works there', async () => {
    const workspace = makeWorkspace({ 'sub/task.md': 'The task.\n' });
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({
      workspace,
      inputs: { 'cli-path': agent.path, prompt: '', 'prompt-file': 'task.md', 'working-directory': 'sub' },
    });
    expect(step.code).toBe(0);
    expect(agent.sightings()[0]?.stdin).toMatch(/\n\n# Task\n\nThe task\.\n$/);
    expect(agent.sightings()[0]?.cwd).toMatch(/layer\/current\/sub$/);
  });

  it('writes a compact summary, or none', async () => {
    const agent = fakeAgent(
      `init(); call('1', 'lsToolCall', { path: '.' }, { success: {} }); say('Hi.'); finish('Hi.');`,
    );
    const compact = await runStep({ inputs: { 'cli-path': agent.path, summary: 'compact' } });
    const off = await runStep({ inputs: { 'cli-path': agent.path, summary: 'off' } });
    expect(compact.summary).toContain('Hi.');
    expect(compact.summary).not.toContain('<details>');
    expect(off.summary).toBe('');
  });
});

describe('what the agent gets', () => {
  it('has an environment built from nothing', async () => {
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({
      inputs: { 'cli-path': agent.path, 'pass-env': 'WANTED, ABSENT' },
      env: {
        WANTED: 'yes',
        UNWANTED: 'no',
        LC_ALL: 'C.UTF-8',
        TZ: 'UTC',
        HTTPS_PROXY: 'http://127.0.0.1:9',
        GH_TOKEN: 'canary',
        NODE_OPTIONS: '--no-warnings',
        GIT_DIR: '/nowhere',
      },
    });
    const { HOME, TMPDIR, ...env } = agent.sightings()[0]!.env;
    expect(env).toEqual({
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      TERM: 'dumb',
      NO_COLOR: '1',
      CI: 'true',
      RUNNER_TRACKING_ID: 'github_scenario',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      CURSOR_API_KEY: API_KEY,
      AGENT_CLI_CREDENTIAL_STORE: 'memory',
      CURSOR_AGENT_DISABLE_DEBUG_LOG: '1',
      DIRENV_DISABLE: '1',
      WANTED: 'yes',
    });
    expect(HOME).toContain(join(step.temp, 'cursor-agent-'));
    expect(TMPDIR).toContain(join(step.temp, 'cursor-agent-'));
  });

  it('has a policy in the workspace, of exactly two lists, and a configuration in its home', async () => {
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({
      inputs: { 'cli-path': agent.path, preset: 'docs', allow: 'Write(notes/**)', deny: 'Read(secret/**)' },
    });
    const { cliJson, homeConfig, cwd } = agent.sightings()[0]!;
    expect(step.code).toBe(0);
    const permissions = {
      allow: expect.arrayContaining(['Read(**)', `Write(${cwd}/notes/**)`]) as unknown,
      deny: expect.arrayContaining(['Shell(*)', 'Read(**/secret/**)']) as unknown,
    };
    expect(cliJson).toEqual({ permissions });
    expect(homeConfig).toMatchObject({ version: 1, channel: 'static', permissions });
  });

  it('has rules for where a link in an absolute path leads', async () => {
    const folder = makeFolder('real');
    const link = join(makeFolder('links'), 'link');
    symlinkSync(folder, link);
    const agent = fakeAgent(ANSWERS);
    await runStep({ inputs: { 'cli-path': agent.path, deny: `Read(${link}/not-there/**)` } });
    expect(agent.sightings()[0]?.cliJson).toMatchObject({
      permissions: {
        deny: expect.arrayContaining([
          `Read(${link}/not-there/**)`,
          `Read(${realpathSync(folder)}/not-there/**)`,
        ]) as unknown,
      },
    });
  });
});

describe('a CLI with known defects', () => {
  it('is used, with a warning that names them', async () => {
    const { path } = fakeAgent(ANSWERS);
    const cli = join(makeFolder('share'), 'versions', '2026.08.10-abc', 'cursor-agent');
    mkdirSync(dirname(cli), { recursive: true });
    copyFileSync(path, cli);
    writeFileSync(join(dirname(cli), 'package.json'), '{"type":"module"}');
    const step = await runStep({ inputs: { 'cli-path': cli } });
    expect(step.code).toBe(0);
    expect(step.warnings.join('\n')).toMatch(/2026\.08\.10-abc.*too old.*git configuration.*another model/);
  });
});

describe('a CLI that asks for its own sandbox', () => {
  it('fails with what to do', async () => {
    const { path } = fakeAgent(
      `complain('Error: Sandbox mode is enabled but not available on this system'); process.exit(1);`,
    );
    const step = await runStep({ inputs: { 'cli-path': path } });
    expect(step.outputs.get('failure-reason')).toBe('agent-error');
    expect(step.errors.join('\n')).toContain('Remove --sandbox from extra-args');
  });
});

describe('the workspace afterwards', () => {
  it('has no trace of us where there was nothing', async () => {
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({ inputs: { 'cli-path': agent.path } });
    expect(git(step.workspace, 'status', '--porcelain', '--ignored')).toBe('');
    expect(existsSync(join(step.workspace, '.cursor'))).toBe(false);
  });

  it('has its own file back, byte for byte, and its neighbours', async () => {
    const own = '{\r\n  "permissions": {"allow": [], "deny": []}\r\n}';
    const workspace = makeWorkspace({ '.cursor/cli.json': own, '.cursor/rules/a.mdc': 'rule' });
    const agent = fakeAgent(ANSWERS);
    await runStep({ workspace, inputs: { 'cli-path': agent.path } });
    expect(agent.sightings()[0]?.cliJson).not.toEqual({ permissions: { allow: [], deny: [] } });
    expect(readFileSync(join(workspace, '.cursor/cli.json'), 'utf8')).toBe(own);
    expect(git(workspace, 'status', '--porcelain')).toBe('');
  });

  it('never follows a link', async () => {
    const outside = makeFolder('outside');
    writeTree(outside, { 'cli.json': 'theirs' });
    const workspace = makeWorkspace();
    symlinkSync(outside, join(workspace, '.cursor'));
    const agent = fakeAgent(ANSWERS);
    await runStep({ workspace, inputs: { 'cli-path': agent.path } });
    expect(agent.sightings()[0]?.cliJson).toHaveProperty('permissions');
    expect(readFileSync(join(outside, 'cli.json'), 'utf8')).toBe('theirs');
    expect(readlinkSync(join(workspace, '.cursor'))).toBe(outside);
  });

  it('is put back when the agent fails, and when it meddled with our file', async () => {
    const workspace = makeWorkspace({ '.cursor/cli.json': 'own' });
    const agent = fakeAgent(`
      const { writeFileSync } = await import('node:fs');
      writeFileSync('.cursor/cli.json', '{"permissions":{"allow":["Shell(*)"],"deny":[]}}');
      init(); process.exit(7);
    `);
    const step = await runStep({ workspace, inputs: { 'cli-path': agent.path } });
    expect(step.code).toBe(1);
    expect(readFileSync(join(workspace, '.cursor/cli.json'), 'utf8')).toBe('own');
    expect(step.errors[0]).toMatch(
      /\.cursor\/cli\.json: the action put it there, and the agent changed or removed it/,
    );
  });

  it('keeps a file that stands where our folder has to be', async () => {
    const workspace = makeWorkspace({ '.cursor': 'a file' });
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({ workspace, inputs: { 'cli-path': agent.path } });
    expect(step.code).toBe(0);
    expect(lstatSync(join(workspace, '.cursor')).isFile()).toBe(true);
    expect(readFileSync(join(workspace, '.cursor'), 'utf8')).toBe('a file');
  });
});

describe('a run without its key', () => {
  const without = (event: string, fixture: string, actor?: string) =>
    runStep({ inputs: { 'api-key': '' }, env: eventVariables(event, fixture, actor) });

  it.each<[string, string, string | undefined, RegExp]>([
    ['pull_request', 'pull-request-fork', undefined, /no secrets to pull_request runs for a fork/],
    ['pull_request', 'pull-request-bot', undefined, /only the Dependabot secrets/],
    ['push', 'push', 'dependabot[bot]', /only the Dependabot secrets to push runs/],
  ])('says that GitHub keeps it from such a run: %s with %s', async (event, fixture, actor, words) => {
    const step = await without(event, fixture, actor);
    expect(step.code).toBe(1);
    expect(step.outputs.get('failure-reason')).toBe('secrets-unavailable');
    expect(step.errors[0]).toMatch(words);
    expect(step.errors[0]).not.toContain('Correct what the message names');
    expect(refusalIn(step)).toMatchObject({ reason: 'secrets-unavailable' });
  });

  it('is a mistake in the workflow anywhere else', async () => {
    const step = await without('pull_request', 'pull-request-own');
    expect(step.outputs.get('failure-reason')).toBe('invalid-input');
    expect(step.errors[0]).toMatch(/api-key: empty or not given/);
    expect(refusalIn(step)).toMatchObject({ reason: 'invalid-input' });
  });

  it('tells the other problems of the inputs too', async () => {
    const env = eventVariables('pull_request', 'pull-request-fork');
    const step = await runStep({ inputs: { 'api-key': '', preset: 'none' }, env });
    expect(step.outputs.get('failure-reason')).toBe('invalid-input');
    expect(step.errors[0]).toMatch(/preset: "none" given[\s\S]*api-key: empty/);
  });
});

describe('bad inputs', () => {
  const stopped = async (inputs: Record<string, string>, words: RegExp[], workspace = makeWorkspace()) => {
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({ workspace, inputs: { 'cli-path': agent.path, ...inputs } });
    expect(step.code).toBe(1);
    expect(step.errors).toHaveLength(1);
    for (const word of words) expect(step.errors[0]).toMatch(word);
    expect(step.outputs.get('status')).toBe('failure');
    expect(step.outputs.get('failure-reason')).toBe('invalid-input');
    expect(step.summary).toContain('invalid-input');
    expect(refusalIn(step)).toMatchObject({ status: 'failure', reason: 'invalid-input' });
    expect(agent.sightings()).toEqual([]);
    expect(git(workspace, 'status', '--porcelain', '--ignored')).toBe('');
    return step;
  };

  it.each<[string, Record<string, string>, RegExp]>([
    ['no prompt for custom', { prompt: '', preset: 'custom' }, /prompt: preset custom has no task/],
    ['both prompts', { 'prompt-file': 'README.md' }, /both prompt and prompt-file/],
    ['a missing prompt file', { prompt: '', 'prompt-file': 'no.md' }, /prompt-file: "no\.md" does not exist/],
    ['an empty prompt file', { prompt: '', 'prompt-file': 'empty.md' }, /prompt-file: "empty\.md" is empty/],
    ['a directory outside', { 'working-directory': '..' }, /working-directory: "\.\." is outside/],
    ['a missing directory', { 'working-directory': 'no' }, /working-directory: "no" does not exist/],
    ['no key', { 'api-key': '' }, /api-key: empty or not given/],
    [
      'no such preset',
      { preset: 'reviw' },
      /preset: "reviw" given; use one of review, docs, edit, fix-ci, custom/,
    ],
    ['no number', { 'timeout-minutes': 'soon' }, /timeout-minutes: "soon" given; use a number/],
    ['zero minutes', { 'timeout-minutes': '0' }, /timeout-minutes: "0" given/],
    ['a malformed token', { allow: 'Shell git' }, /allow: "Shell git" is malformed; write Shell\(npm\)/],
    ['an unknown token', { deny: 'Fly(home)' }, /deny: "Fly\(home\)" is not a permission token/],
    ['a token variable', { 'pass-env': 'GITHUB_TOKEN' }, /pass-env: "GITHUB_TOKEN": never reaches the agent/],
    ['an own flag', { 'extra-args': '--api-key=1' }, /extra-args: "--api-key=1": would show the key/],
    ['no such CLI', { 'cli-path': 'no/cursor-agent' }, /cli-path: there is no CLI at/],
    ['a misspelt name', { modle: 'x' }, /modle: is not an input; did you mean model\?/],
    ['an underscore', { api_key: 'x' }, /api_key: is not an input; did you mean api-key\?/],
    ['an input that was removed', { force: 'true' }, /force: was removed: .*name Write or Shell in allow/],
    ['plain http', { 'cli-download-url': 'http://example.com' }, /cli-download-url: .*use an https/],
  ])('stop before anything is touched: %s', async (_name, inputs, words) => {
    await stopped(inputs, [words], makeWorkspace({ 'README.md': 'x', 'empty.md': '' }));
  });

  it('are all told at once', async () => {
    await stopped(
      {
        ...{ 'prompt-file': 'x', 'api-key': '', preset: 'x', retries: '-1', 'working-directory': '../..' },
        ...{ 'timeout-minute': '5', 'reuse-result': 'true' },
      },
      [
        /timeout-minute: is not an input/,
        /reuse-result: was removed/,
        /prompt: /,
        /api-key: /,
        /preset: /,
        /retries: /,
        /working-directory: /,
        /Correct what the message names/,
      ],
    );
  });

  it('are none if nobody can have meant them: a step can set INPUT_* itself', async () => {
    const step = await runStep({
      inputs: { 'cli-path': fakeAgent(ANSWERS).path, 'who-to-greet': 'secret-value' },
    });
    expect([step.code, step.errors]).toEqual([0, []]);
    expect(step.stdout).toContain('Not inputs of this action, so they are ignored: "who-to-greet".');
    expect(step.stdout).not.toContain('secret-value');
  });

  it.each(['cursor', 'clido'])('are an empty workspace, with the line that fills it: %s', async (name) => {
    const inputs = name === 'clido' ? { agent: 'clido', model: 'x', credential: 'auto' } : {};
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({
      workspace: makeFolder('empty'),
      inputs: { 'cli-path': agent.path, ...inputs },
    });
    expect(step.outputs.get('failure-reason')).toBe('invalid-input');
    expect(step.errors[0]).toMatch(
      /^workspace: "[^"]*" is empty; add actions\/checkout before this step:\n- uses: actions\/checkout@v\d+\n/m,
    );
    expect(agent.sightings()).toEqual([]);
    // One file is enough, also without git.
    writeFileSync(join(step.workspace, 'notes.txt'), 'x');
    const again = await runStep({
      workspace: step.workspace,
      inputs: { 'cli-path': agent.path, 'output-schema': 'none', ...inputs },
    });
    expect(again.errors).toEqual([]);
  });

  it('show the line to write where the key is the name of its secret', async () => {
    const step = await stopped({ 'api-key': 'CURSOR_API_KEY' }, [
      /api-key: this is the name of a secret, .* write api-key: \$\{\{ secrets\.CURSOR_API_KEY \}\}/,
    ]);
    expect(step.stdout).not.toContain('::add-mask::CURSOR_API_KEY');
    expect(step.summary).not.toContain('***');
  });

  it('refuse what the event does not have, rather than ignoring it', async () => {
    await stopped({ context: 'diff' }, [
      /context: "diff" is requested, but this workflow_dispatch event has none/,
    ]);
  });

  it('refuse a prompt file that is a link out of the workspace', async () => {
    const secret = join(makeFolder('secret'), 'secret.txt');
    writeFileSync(secret, 'the secret');
    const workspace = makeWorkspace();
    symlinkSync(secret, join(workspace, 'task.md'));
    git(workspace, 'add', '--all');
    git(workspace, 'commit', '--quiet', '--message', 'link');
    await stopped({ prompt: '', 'prompt-file': 'task.md' }, [/leads out of the workspace/], workspace);
  });

  it('say that the workspace is missing, when it is', async () => {
    const step = await runStep({ env: { GITHUB_WORKSPACE: join(makeFolder(), 'gone') } });
    expect(step.code).toBe(1);
    expect(step.outputs.get('failure-reason')).toBe('invalid-input');
    expect(step.errors[0]).toMatch(/^workspace: "[^"]*" does not exist; add actions\/checkout/m);
  });
});

describe('a run that fails', () => {
  it.each<[string, string, string, RegExp]>([
    ['no result', `init(); say('I did it!');`, 'no-result', /without a result or an answer/],
    ['an empty answer', `init(); finish('');`, 'no-result', /reported success, but gave no answer/],
    [
      'a crash',
      `init(); complain('Segfault in module x'); process.exit(3);`,
      'crashed',
      /exit code 3.*Segfault/s,
    ],
    [
      'a crash after the result',
      `init(); finish(); process.exit(1);`,
      'crashed',
      /result before; that is kept/,
    ],
    ['a signal', `init(); process.kill(process.pid, 'SIGKILL'); await sleep(9999);`, 'crashed', /SIGKILL/],
    [
      'an error result',
      `init(); emit({type:'result',subtype:'error',is_error:true,result:'No idea.'});`,
      'agent-error',
      /No idea\./,
    ],
    ['a bad key', `complain('The provided API key is invalid'); process.exit(1);`, 'auth', /API key/],
    ['no trust', `complain('Workspace Trust Required'); process.exit(0);`, 'workspace-trust', /trust/],
  ])('says why: %s', async (_name, body, reason, words) => {
    const step = await runStep({ inputs: { 'cli-path': fakeAgent(body).path } });
    expect(step.code).toBe(1);
    expect(step.outputs.get('status')).toBe('failure');
    expect(step.outputs.get('failure-reason')).toBe(reason);
    expect(step.errors).toHaveLength(1);
    expect(step.errors[0]).toMatch(words);
    expect(step.summary).toContain(reason);
    expect(step.summary).toContain('What to do');
  });

  it('keeps what the agent had said', async () => {
    const step = await runStep({
      inputs: { 'cli-path': fakeAgent(`init(); say('Half done.'); process.exit(1);`).path },
    });
    expect(step.outputs.get('result')).toBe('Half done.');
    expect(step.summary).toContain('Half done.');
  });

  it('fails on denials only when asked to', async () => {
    const { path } = fakeAgent(
      `init(); call('1', 'shellToolCall', { command: 'x' }, { permissionDenied: { command: 'x', error: 'no' } }); finish();`,
    );
    const lenient = await runStep({ inputs: { 'cli-path': path } });
    const strict = await runStep({ inputs: { 'cli-path': path, 'fail-on-denied': 'true' } });
    expect(lenient.outputs.get('status')).toBe('success');
    expect(strict.outputs.get('failure-reason')).toBe('denied');
  });

  it('ends an agent that does not exit after its result, and counts the result', async () => {
    const step = await runStep({
      inputs: { 'cli-path': fakeAgent(`${ANSWERS} await sleep(600_000);`).path },
    });
    expect(step.code).toBe(0);
    expect(step.outputs.get('status')).toBe('success');
  });

  it('ends an agent that takes too long, with all it has started', async () => {
    const { path } = fakeAgent(`
      const { spawn } = await import('node:child_process');
      process.on('SIGTERM', () => undefined);
      const child = spawn('sleep', ['600'], { stdio: 'inherit' });
      const away = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
      init(); say('pids ' + [process.pid, child.pid, away.pid].join(' '));
      start('1', 'shellToolCall', { command: 'sleep 600' });
      await sleep(600_000);
    `);
    const step = await runStep({ inputs: { 'cli-path': path, 'timeout-minutes': '0.02' } });
    expect(step.outputs.get('failure-reason')).toBe('timeout');
    expect(step.summary).toContain('still running when the run ended');
    const pids = /pids (\d+) (\d+) (\d+)/.exec(step.outputs.get('result') ?? '')?.slice(1) ?? [];
    expect(pids).toHaveLength(3);
    expect(pids.filter((pid) => !isGone(pid))).toEqual([]);
  });

  it('shows lines it does not know, and counts them', async () => {
    const { path } = fakeAgent(
      `init(); print('Hello from a banner'); emit({ type: 'surprise', subtype: 'party', x: 1 }); finish();`,
    );
    const step = await runStep({ inputs: { 'cli-path': path } });
    expect(step.code).toBe(0);
    expect(step.stdout).toContain('Hello from a banner');
    expect(step.stdout).toContain('surprise/party');
    expect(step.summary).toContain('2 lines not recognised');
  });
});

/** What the runner takes for commands, and what it was told not to look at. */
function asTheRunner(stdout: string): { obeyed: string[]; inside: string[] } {
  const [obeyed, inside]: string[][] = [[], []];
  let token: string | undefined;
  for (const line of stdout.split(/\r\n|\r|\n/)) {
    if (token !== undefined && line.trim() === `::${token}::`) token = undefined;
    else if (token !== undefined) inside!.push(line);
    else if (/^\s*::/.test(line) || line.includes('##[')) {
      obeyed!.push(line.trim());
      token = /^::stop-commands::(\S+)$/.exec(line.trim())?.[1];
    }
  }
  return { obeyed: obeyed!, inside: inside! };
}

describe('what the agent says', () => {
  it('never reaches the runner as a command', async () => {
    const { path } = fakeAgent(`
      init();
      const evil = '::set-output name=x::1\\n  ::add-mask::a\\r::error::b\\n##[group]c\\ntext ##[add-mask]d';
      say(evil); complain(evil); print(evil.split('\\n')[0]);
      call('1', 'shellToolCall', { command: evil }, { failure: { exitCode: 1, stderr: evil } });
      finish(evil);
    `);
    const step = await runStep({ inputs: { 'cli-path': path, preset: 'fix-ci' } });
    const { obeyed, inside } = asTheRunner(step.stdout);
    expect(inside.join('\n')).toContain('set-output');
    for (const line of inside) {
      expect(line).not.toMatch(/^\s*::/);
      expect(line).not.toContain('##[');
    }
    const names = obeyed.map((line) => /^::([\w-]+)/.exec(line)?.[1]);
    expect([...new Set(names)].sort()).toEqual(['add-mask', 'endgroup', 'group', 'stop-commands']);
    const masked = obeyed.filter((line) => line.startsWith('::add-mask::'));
    expect(masked.sort()).toEqual(
      [GITHUB_TOKEN, API_KEY, 'runtime-token-canary'].map((secret) => `::add-mask::${secret}`).sort(),
    );
  });

  it('has no secret in it, wherever it goes', async () => {
    const { path } = fakeAgent(`
      init();
      const key = process.env.CURSOR_API_KEY;
      const forms = [key, Buffer.from('x' + key).toString('base64'), Buffer.from(key).toString('hex'), [...key].reverse().join(''), '${GITHUB_TOKEN}'];
      say(forms.join(' ')); complain(forms.join(' '));
      call('1', 'shellToolCall', { command: 'echo ' + key }, { success: { exitCode: 0, stdout: forms.join('\\n') } });
      finish(forms.join(' '));
    `);
    const step = await runStep({ inputs: { 'cli-path': path } });
    const base64 = Buffer.from(API_KEY).toString('base64').slice(4, -4);
    const log = step.stdout.split('\n').filter((line) => !line.startsWith('::add-mask::'));
    const sinks = [
      log.join('\n'),
      step.stderr,
      step.summary,
      ...step.outputs.values(),
      ...['transcript-file', 'report-file', 'result-file'].map((name) =>
        readFileSync(step.outputs.get(name)!, 'utf8'),
      ),
    ];
    for (const sink of sinks) {
      for (const secret of [API_KEY, GITHUB_TOKEN, base64, Buffer.from(API_KEY).toString('hex')]) {
        expect(sink).not.toContain(secret);
      }
      expect(sink).not.toContain(Array.from(API_KEY).reverse().join(''));
    }
    expect(step.stdout).toContain(`::add-mask::${API_KEY}`);
  });

  it('cannot forge an output', async () => {
    const { path } = fakeAgent(
      `init(); say('x\\nghadelimiter_1\\nstatus=forged\\nstatus<<E\\nforged\\nE\\n'); finish();`,
    );
    const step = await runStep({ inputs: { 'cli-path': path } });
    expect(step.outputs.get('status')).toBe('success');
    expect(step.outputs.size).toBe(OUTPUT_NAMES.length);
  });
});

describe('the surroundings', () => {
  it('may lack a temporary folder, a home and file commands', async () => {
    const step = await runStep({
      inputs: { 'cli-path': fakeAgent(ANSWERS).path },
      env: { RUNNER_TEMP: undefined, HOME: undefined, GITHUB_STEP_SUMMARY: undefined },
    });
    expect(step.code).toBe(0);
    expect(step.outputs.get('status')).toBe('success');
  });

  it('may have a temporary folder that is yet to be made', async () => {
    const temp = join(makeFolder(), 'a', 'b');
    const step = await runStep({
      inputs: { 'cli-path': fakeAgent(ANSWERS).path },
      env: { RUNNER_TEMP: temp },
    });
    expect(step.outputs.get('result-file')).toContain(temp);
  });

  it('names a CLI that cannot be started', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'cursor-agent'), '#!/no/such/interpreter\n', { mode: 0o755 });
    const step = await runStep({ inputs: { 'cli-path': join(folder, 'cursor-agent') } });
    expect(step.outputs.get('failure-reason')).toBe('install-failed');
    expect(step.errors[0]).toMatch(/could not be started/);
  });
});
