import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TESTED_CLI_VERSION } from '../../src/agent/cursor.js';
import { CHECKS, DoctorSchema, type DoctorReport } from '../../src/doctor/checks.js';
import { obstacle, removeAccounts, runStepAs } from './accounts.js';
import { fakeAgent } from './fake-agent.js';
import { API_KEY, built, runStep, type Step, type StepResult } from './step.js';
import { giveStatus, giveText, startVendor, type Vendor, type VendorAnswer } from './vendor.js';
import { makeFolder, makeWorkspace } from './workspace.js';

/**
 * A CLI that does what the prompt asks and honours every rule, as the real one does: first its own rules, then the
 * hook. `flaws` names what it does wrong; the name is that of the check that must find it, or of what its model does.
 */
const cliWith = (...flaws: string[]) =>
  fakeAgent(`
  const flaws = ${JSON.stringify(flaws)};
  const has = (name) => flaws.includes(name);
  const { spawnSync, execSync } = await import('node:child_process');
  const { writeFileSync } = await import('node:fs');
  const force = sighting.argv.includes('--force');
  const isControl = !sighting.cliJson.permissions.deny.includes('Shell(doctor-rule)');
  if (has('token') && process.env.CURSOR_AUTH_TOKEN) {
    complain("Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.");
    process.exit(1);
  }
  // What a program says that does not know the proxy.
  if (has('proxy') && process.env.HTTPS_PROXY) {
    complain('Error: getaddrinfo EAI_AGAIN api2.cursor.sh');
    process.exit(1);
  }
  // Not with fetch, which takes five times as long to load as all of the rest.
  const { get } = await import('node:http');
  if (!has('vendor'))
    await new Promise((done, failed) => get(process.env.CURSOR_API_ENDPOINT, (answer) => answer.resume().on('end', done)).on('error', failed));
  init();
  if (has('events')) emit({ type: 'brand_new_event', subtype: '<b>@everyone</b>', session_id });
  const ask = (kind, tool_name, tool_input) => {
    if (has('hook-asked') || has('hook-' + kind)) return undefined;
    for (const hook of json(join(process.env.HOME, '.cursor/hooks.json'))?.hooks?.preToolUse ?? []) {
      const run = spawnSync('sh', ['-c', hook.command],
        { input: JSON.stringify({ cwd: process.cwd(), tool_name, tool_input }), encoding: 'utf8' });
      const { permission, user_message } = JSON.parse(run.stdout);
      const words = user_message + '\\n\\nAgent note: Do not suggest workarounds to the blocked tool.';
      if (permission !== 'allow') return kind === 'write' ? { error: { path: '', error: words } } : { rejected: { reason: words } };
    }
  };
  const byRule = (kind, rule) => {
    const isDenied = sighting.cliJson.permissions.deny.includes(rule);
    if (has('control') && isControl) return { permissionDenied: { error: 'Blocked' } };
    if (has('rule-' + kind) || (has('force wins') && force)) return undefined;
    return isDenied ? { permissionDenied: { error: 'Command blocked by permissions configuration' } } : undefined;
  };
  let calls = 0;
  const use = (key, args, { refusal, act, success }) => {
    calls += 1;
    if (refusal === undefined) act();
    call('c' + calls, key, args, refusal ?? { success });
  };
  for (const [, command] of has('refuses') ? [] : sighting.stdin.matchAll(/shell command: (\\S+)/g)) {
    if (has('skips') && command !== 'doctor-free') continue;
    const refusal = byRule('command', 'Shell(' + command + ')') ?? ask('command', 'Shell', { command });
    const act = () => execSync(command, { stdio: 'ignore' });
    use('shellToolCall', { command }, { refusal, act, success: { exitCode: 0, stdout: 'done', stderr: '' } });
  }
  for (const [, file] of has('refuses') ? [] : sighting.stdin.matchAll(/Create the file (\\S+)/g)) {
    const path = join(process.cwd(), file);
    if (has('skips') && file !== 'doctor-free.md') continue;
    if (has('writes by shell')) {
      const command = 'printf doctor > ' + file;
      use('shellToolCall', { command }, { act: () => execSync(command), success: { exitCode: 0, stdout: '', stderr: '' } });
      continue;
    }
    const refusal = byRule('write', 'Write(**/' + file + ')') ?? ask('write', 'Write', { file_path: path, contents: 'doctor' });
    const act = () => writeFileSync(path, 'doctor');
    use('editToolCall', { path }, { refusal, act, success: { path, linesAdded: 1, linesRemoved: 0 } });
    // Without isolation nothing but a rule keeps the agent from the checkout.
    if (has('layer')) writeFileSync(join(process.env.HOME.split('/sandbox/')[0], 'checkout/doctor-unasked.txt'), 'other');
  }
  say('done ' + (process.env.CURSOR_AUTH_TOKEN ?? process.env.CURSOR_API_KEY));
  finish();
  if (has('exit') && isControl) await sleep(60000);
`);

let vendor: Vendor;
beforeAll(async () => {
  vendor = await startVendor();
});
afterAll(async () => {
  removeAccounts();
  await vendor.close();
});

/** Puts the CLI where the vendor's installer would, so that its build is known. */
function inFolderOf(version: string, { path }: { path: string }): string {
  const folder = join(makeFolder('cli'), 'versions', version);
  cpSync(dirname(path), folder, { recursive: true });
  return join(folder, 'cursor-agent');
}

const doctorStep = (cliPath: string, { inputs, ...step }: Step = {}): Step => ({
  entry: built('dist/doctor/index.js'),
  readReport: reportIn,
  ...step,
  inputs: { 'cli-path': cliPath, credential: 'auto', 'timeout-minutes': '5', ...inputs },
  env: { CURSOR_API_ENDPOINT: vendor.url, ...step.env },
});
const runDoctor = (cliPath: string, step: Step = {}): Promise<StepResult> =>
  runStep(doctorStep(cliPath, step));
const reportIn = (path: string): DoctorReport => DoctorSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
const reportOf = (step: StepResult) => reportIn(step.outputs.get('report-file') ?? '');
const idsWith = (answer: string, step: StepResult) =>
  reportOf(step)
    .checks.filter((check) => check.answer === answer)
    .map(({ id }) => id);
const detailOf = (id: string, step: StepResult) =>
  reportOf(step).checks.find((check) => check.id === id)?.detail;
const recordingOf = (step: StepResult) => readFileSync(step.outputs.get('recording-file') ?? '', 'utf8');
const startsIn = (step: StepResult) =>
  [...recordingOf(step).matchAll(/"type":"doctor","start":"([\w-]+)"/g)].map(([, name]) => name);

describe('the doctor', () => {
  const test = obstacle('root') === undefined ? it : it.skip;

  test('passes a CLI that honours every rule, in isolation, and leaves the checkout alone', async () => {
    const workspace = makeWorkspace();
    const step = await runDoctor(inFolderOf(TESTED_CLI_VERSION, cliWith()), {
      workspace,
      inputs: { isolation: 'required' },
    });
    expect(idsWith('pass', step)).toEqual(CHECKS.map(({ id }) => id));
    expect({ code: step.code, status: step.outputs.get('status') }).toEqual({ code: 0, status: 'pass' });
    expect(step.errors).toEqual([]);
    expect(reportOf(step)).toMatchObject({ version: 1, cliVersion: TESTED_CLI_VERSION, model: 'auto' });
    expect(existsSync(join(workspace, 'doctor-free.md'))).toBe(false);
    // What it costs is said before anything is started.
    expect(step.stdout.indexOf('starts the agent 3 times')).toBeGreaterThan(0);
    expect(step.stdout.indexOf('a few cents')).toBeLessThan(step.stdout.indexOf('Start 1 of 3'));
    expect(step.summary).toContain('| Is a command refused that only cli.json denies? | pass |');
    expect(startsIn(step)).toEqual(['control', 'force', 'no-force']);
    for (const secret of [API_KEY, ...vendor.tokens]) {
      expect(recordingOf(step)).not.toContain(secret);
      expect(step.summary).not.toContain(secret);
    }
    expect(recordingOf(step)).toContain('done ***');
  });

  (obstacle('sudo') === undefined ? it : it.skip)('does so as an ordinary user with sudo', async () => {
    const agent = cliWith();
    const workspace = makeWorkspace();
    const step = doctorStep(agent.path, { workspace, inputs: { isolation: 'required' } });
    const result = await runStepAs('sudo', agent, step);
    expect(idsWith('unknown', result)).toEqual(['cli']);
    expect(idsWith('fail', result)).toEqual([]);
  });

  it('stops if the job is cancelled', async () => {
    const agent = fakeAgent(`init(); await sleep(60000);`);
    const step = await runDoctor(agent.path, {
      during: async (child, stdout) => {
        while (!stdout().includes('Test Model')) await sleep(20);
        child.kill('SIGTERM');
      },
    });
    expect(step.code).toBe(1);
    expect(step.errors.join()).toContain('The job was cancelled.');
    expect(step.stdout).not.toContain('Start 2 of 3');
    expect(step.outputs.size).toBe(0);
  });

  it('fails if the CLI cannot be installed, and still says what is known about the key', async () => {
    const mirror = await startVendor([giveStatus(404)]);
    const step = await runDoctor('', {
      inputs: { 'cli-version': TESTED_CLI_VERSION, 'cli-download-url': mirror.url },
    });
    await mirror.close();
    expect(idsWith('fail', step)).toEqual(['cli']);
    expect(idsWith('pass', step)).toEqual(['key', 'exchange']);
  });

  describe('on a machine that cannot isolate', () => {
    const before = ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin', '--'];

    test('fails without a start if isolation is required', async () => {
      const step = await runDoctor(cliWith().path, { before, inputs: { isolation: 'required' } });
      expect(idsWith('fail', step)).toEqual(['isolation']);
      expect(detailOf('isolation', step)).toContain('Root cannot create namespaces here');
      expect(startsIn(step)).toEqual([]);
    });

    test('fails, and checks the rest, if isolation is left to us', async () => {
      const step = await runDoctor(cliWith().path, { before, inputs: { isolation: 'auto' } });
      expect(idsWith('fail', step)).toEqual(['isolation', 'network']);
      expect(detailOf('isolation', step)).toContain('If you accept that, set isolation: off.');
      expect(detailOf('network', step)).toMatch(/The network is open: .* set network: off\./);
      expect(idsWith('unknown', step)).toEqual(['cli', 'hosts']);
    });
  });

  describe('and the network', () => {
    const check = (flaw: string, network: string) =>
      runDoctor(cliWith(flaw).path, { inputs: { isolation: 'required', network } });

    test('fails if the agent does not reach its vendor while it is closed', async () => {
      const step = await check('proxy', 'auto');
      expect(idsWith('fail', step)).toEqual(['network']);
      expect(detailOf('network', step)).toContain('did not reach its vendor');
    });

    test('does not guess if the agent never asked for its vendor', async () => {
      const step = await check('vendor', 'required');
      expect([idsWith('fail', step), idsWith('unknown', step)]).toEqual([[], ['cli', 'network']]);
    });

    test('does not check it if it is off', async () => {
      const step = await check('', 'off');
      expect([idsWith('fail', step), idsWith('unknown', step)]).toEqual([[], ['cli', 'network', 'hosts']]);
      expect(detailOf('network', step)).toContain('the input network is off');
    });
  });

  it('does not check the isolation if it is off', async () => {
    const step = await runDoctor(cliWith().path, { inputs: { isolation: 'off' } });
    // The commands reached the folder outside, but nobody asked for isolation.
    expect(idsWith('unknown', step)).toEqual(['cli', 'isolation', 'network', 'hosts']);
    expect(step.code).toBe(0);
    expect(step.outputs.get('status')).toBe('unknown');
    expect(detailOf('isolation', step)).toContain('the input isolation is off');
  });

  it.each([
    ['rule-command', ['rule-command']],
    ['rule-write', ['rule-write']],
    ['force wins', ['rule-command', 'rule-write']],
    ['hook-command', ['hook-command']],
    ['hook-write', ['hook-write']],
    ['hook-asked', ['hook-asked', 'hook-command', 'hook-write']],
    ['layer', ['layer', 'guard']],
    ['exit', ['exit']],
    ['events', ['events']],
  ])('finds a CLI with the flaw %j', async (flaw, failing) => {
    const step = await runDoctor(cliWith(flaw).path);
    expect(idsWith('fail', step)).toEqual(failing);
    expect(idsWith('unknown', step)).toEqual(['cli', 'isolation', 'network', 'hosts']);
    expect({ code: step.code, status: step.outputs.get('status') }).toEqual({ code: 1, status: 'fail' });
    expect(step.errors).toHaveLength(1);
    expect(step.summary.match(/\*\*fail\*\*/g)).toHaveLength(failing.length);
    // The name of an event comes from the CLI.
    expect(step.summary).not.toContain('<b>');
    if (flaw === 'force wins')
      expect(detailOf('rule-command', step)).toMatch(/^With --force: doctor-rule ran/);
  });

  it('finds a CLI that refuses what nothing denies, and then believes no refusal', async () => {
    const step = await runDoctor(cliWith('control').path);
    expect(idsWith('fail', step)).toEqual(['control']);
    expect(idsWith('unknown', step)).toEqual(
      expect.arrayContaining(['rule-command', 'rule-write', 'hook-command', 'hook-write']),
    );
  });

  it.each([
    [
      'refuses',
      ['layer', 'control', 'rule-command', 'rule-write', 'hook-asked', 'hook-command', 'hook-write', 'guard'],
      1,
    ],
    ['skips', ['control', 'rule-command', 'rule-write', 'hook-command', 'hook-write'], 3],
    ['writes by shell', ['rule-write', 'hook-write'], 3],
  ])('does not guess if the model %s', async (flaw, unknown, starts) => {
    const step = await runDoctor(cliWith(flaw).path);
    expect(idsWith('fail', step)).toEqual([]);
    expect(idsWith('unknown', step)).toEqual(['cli', 'isolation', 'network', ...unknown, 'hosts']);
    expect({ code: step.code, status: step.outputs.get('status') }).toEqual({ code: 0, status: 'unknown' });
    expect(startsIn(step)).toHaveLength(starts);
  });
});

describe('the doctor and the key', () => {
  const withVendor = async (answer: VendorAnswer, inputs: Record<string, string> = {}) => {
    const other = await startVendor([answer]);
    const agent = cliWith();
    const step = await runDoctor(agent.path, { inputs, env: { CURSOR_API_ENDPOINT: other.url } });
    await other.close();
    return { step, agent };
  };

  it('starts nothing with a key that Cursor refuses', async () => {
    const { step, agent } = await withVendor(giveStatus(401));
    expect(idsWith('fail', step)).toEqual(['key']);
    expect(idsWith('pass', step)).toEqual([]);
    expect(step.code).toBe(1);
    expect(agent.sightings()).toEqual([]);
  });

  it('finds an exchange that is not as it was', async () => {
    const { step } = await withVendor(giveText('{"session":"new"}'));
    expect(idsWith('fail', step)).toEqual(['exchange']);
    expect(idsWith('unknown', step)).toEqual(['cli', 'token', 'isolation', 'network', 'hosts']);
    expect(idsWith('pass', step)).toContain('key');
  });

  it('starts nothing if only a token will do and there is none', async () => {
    const { step, agent } = await withVendor(giveText('{"session":"new"}'), { credential: 'token' });
    expect(idsWith('fail', step)).toEqual(['exchange']);
    expect(idsWith('pass', step)).toEqual([]);
    expect(agent.sightings()).toEqual([]);
  });

  it('finds a CLI that does not take the token, and does not start it again', async () => {
    const step = await runDoctor(cliWith('token').path);
    expect(idsWith('fail', step)).toEqual(['token']);
    expect(idsWith('pass', step)).toEqual(['key', 'exchange']);
    expect(startsIn(step)).toEqual(['control']);
  });

  it('says that the exchange was not checked if the agent is to have the key', async () => {
    const exchanges = () => vendor.calls.filter(({ method }) => method === 'POST');
    const before = exchanges().length;
    const step = await runDoctor(cliWith('refuses').path, { inputs: { credential: 'key' } });
    expect(idsWith('pass', step)).toEqual(['key', 'exit', 'events']);
    expect(detailOf('exchange', step)).toContain('the input credential is key');
    expect(exchanges()).toHaveLength(before);
  });
});

describe('the doctor refuses', () => {
  it.each([
    ['no key', { inputs: { 'api-key': '' } }, 'api-key: empty or not given'],
    [
      'an event of strangers',
      { env: { GITHUB_EVENT_NAME: 'issue_comment' } },
      'only events that require write access may start it',
    ],
    ['a version that is none', { inputs: { 'cli-version': '7' } }, 'cli-version: "7" given'],
  ])('%s', async (_, step: Step, message) => {
    const agent = cliWith();
    const { code, errors, outputs } = await runDoctor(agent.path, step);
    expect({ code, status: outputs.get('status') }).toEqual({ code: 1, status: undefined });
    expect(errors.join()).toContain(message);
    expect(agent.sightings()).toEqual([]);
  });
});
