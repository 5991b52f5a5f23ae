import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { obstacle, removeAccounts, runStepAs, type Account } from './accounts.js';
import { ANSWERS, fakeAgent } from './fake-agent.js';
import { readCommands } from './runner-rules.js';
import { API_KEY, runStep, type StepResult } from './step.js';
import {
  giveStatus,
  giveText,
  giveToken,
  makeToken,
  redirectTo,
  startVendor,
  type Vendor,
  type VendorAnswer,
} from './vendor.js';
import { makeFolder, makeWorkspace, removeFolders } from './workspace.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  removeFolders();
});
afterAll(removeAccounts);

async function vendorWith(...answers: VendorAnswer[]): Promise<Vendor> {
  const vendor = await startVendor(answers.length === 0 ? undefined : answers);
  closers.push(vendor.close);
  return vendor;
}

/** A run against this vendor, with the default credential. */
async function run(vendor: Vendor, inputs: Record<string, string> = {}, body = ANSWERS) {
  const agent = fakeAgent(body);
  const step = await runStep({
    inputs: { 'cli-path': agent.path, credential: 'auto', ...inputs },
    env: { CURSOR_API_ENDPOINT: vendor.url, CURSOR_API_KEY: API_KEY, CURSOR_AUTH_TOKEN: 'token-of-the-job' },
  });
  return { step, agent };
}

/** What the runner masks. It obeys no command while commands are stopped. */
const masksOf = ({ stdout }: StepResult) =>
  readCommands(stdout).flatMap(({ name, data, stopped }) => (name === 'add-mask' && !stopped ? [data] : []));
const setupOf = (step: StepResult) =>
  (JSON.parse(readFileSync(step.outputs.get('report-file')!, 'utf8')) as { setup: Record<string, unknown> })
    .setup;

describe('an agent with a short-lived token', () => {
  it('has the token and not the key, and the log, the summary and the report say until when', async () => {
    const vendor = await vendorWith();
    const { step, agent } = await run(vendor);
    expect(step.errors).toEqual([]);
    expect(step.warnings).toEqual([]);
    const { env, argv, stdin, homeConfig } = agent.sightings()[0]!;
    expect(env['CURSOR_AUTH_TOKEN']).toBe(vendor.tokens[0]);
    expect(env).not.toHaveProperty('CURSOR_API_KEY');
    expect(JSON.stringify([env, argv, stdin, homeConfig])).not.toContain(API_KEY);
    expect(vendor.calls).toMatchObject([{ authorization: `Bearer ${API_KEY}` }]);
    const sentence = /The agent signs in with a token that expires on [\d-]+ at [\d:]+ UTC\./;
    for (const text of [step.stdout, step.summary, String(setupOf(step)['credential'])])
      expect(text).toMatch(sentence);
  });

  it('finds nothing of it in any sink: it is masked and redacted, and so is the refresh token', async () => {
    const vendor = await vendorWith();
    const { step } = await run(
      vendor,
      {},
      `init(); const token = process.env.CURSOR_AUTH_TOKEN; const [a, b, c] = token.split('.');
       say(token + ' ' + Buffer.from(token).toString('base64')); complain(token);
       call('1', 'shellToolCall', { command: 'echo ' + token }, { success: { exitCode: 0, stdout: token } });
       say([a, b].join('.') + '.'); say(c); finish(token);`,
    );
    const [token = '', refresh = ''] = vendor.tokens;
    for (const secret of [token, refresh, API_KEY, 'token-of-the-job'])
      expect(masksOf(step)).toContain(secret);
    const sinks = [
      step.stdout.replace(/^::add-mask::.*$/gm, ''),
      ...[step.stderr, step.summary, ...step.outputs.values()],
      ...['transcript-file', 'report-file', 'report-html', 'result-file'].map((name) =>
        readFileSync(step.outputs.get(name)!, 'utf8'),
      ),
    ];
    for (const sink of sinks) {
      expect(sink).not.toContain(token);
      expect(sink).not.toContain(Buffer.from(token).toString('base64'));
    }
  });

  it('is given it where a proxy is in between and the certificate is the company’s own', async () => {
    const folder = makeFolder('tls');
    const made = spawnSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=cursor.test'],
        ...['-addext', 'subjectAltName=DNS:cursor.test', '-keyout', 'key.pem', '-out', 'cert.pem'],
      ],
      { cwd: folder },
    );
    expect(made.status).toBe(0);
    const tls = { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'cert.pem')) };
    const vendor = await startVendor(undefined, tls);
    closers.push(vendor.close);
    const tunnels: string[] = [];
    const ends: Duplex[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      tunnels.push(`${request.url} ${request.headers['proxy-authorization']}`);
      const upstream = connect(vendor.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [upstream, socket]) ends.push(end.on('error', () => undefined));
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    closers.push(async () => {
      for (const end of ends) end.destroy();
      proxy.close();
      await once(proxy, 'close');
    });
    const { port } = proxy.address() as AddressInfo;
    const agent = fakeAgent(ANSWERS);
    const env = {
      CURSOR_API_BASE_URL: 'https://cursor.test',
      HTTPS_PROXY: `http://me:proxy-password@127.0.0.1:${port}`,
      NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem'),
    };
    const inputs = { 'cli-path': agent.path, credential: 'token' };
    const step = await runStep({ inputs, env });
    expect(step.errors).toEqual([]);
    expect(tunnels).toEqual([`cursor.test:443 Basic ${Buffer.from('me:proxy-password').toString('base64')}`]);
    expect(agent.sightings()[0]!.env['CURSOR_AUTH_TOKEN']).toBe(vendor.tokens[0]);

    // Without the certificate nobody can tell who answers, so the key is not sent.
    const distrusting = await runStep({ inputs, env: { ...env, NODE_EXTRA_CA_CERTS: undefined } });
    expect(distrusting.outputs.get('failure-reason')).toBe('network');
    expect(vendor.calls).toHaveLength(1);
  });
});

describe('a key that Cursor refuses', () => {
  it.each(['auto', 'token'])('ends the run before an agent is started (%s)', async (credential) => {
    const { step, agent } = await run(await vendorWith(giveStatus(401)), { credential });
    expect(step.outputs.get('failure-reason')).toBe('auth');
    expect(step.errors.join()).toMatch(/refused the API key \(status 401\)/);
    expect(agent.sightings()).toEqual([]);
    expect(step.code).toBe(1);
  });

  it('is told from a policy of the team', async () => {
    const vendor = await vendorWith(giveStatus(403, { error: { code: 'sign_in_policy_violation' } }));
    const { step, agent } = await run(vendor);
    expect(step.outputs.get('failure-reason')).toBe('auth');
    expect(step.errors.join()).toMatch(/sign-in policy of the team/);
    expect(agent.sightings()).toEqual([]);
  });
});

describe('an exchange that does not answer as known', () => {
  it('is tried again after errors of the server', async () => {
    const vendor = await vendorWith(giveStatus(500), giveStatus(500), giveToken());
    const { step, agent } = await run(vendor);
    expect(step.warnings).toEqual([]);
    expect(agent.sightings()[0]!.env['CURSOR_AUTH_TOKEN']).toBe(vendor.tokens[0]);
  });

  const json = (value: unknown) => giveText(JSON.stringify(value));
  it.each<[string, VendorAnswer, RegExp]>([
    ['errors without end', giveStatus(503), /status 503/],
    ['no such address', giveStatus(404), /status 404/],
    ['a broken JSON', giveText('{"accessToken": '), /holds no token/],
    ['the page of a network login', giveText('<html>Log in</html>', 'text/html'), /web page/],
    ['a token without an expiry', json({ accessToken: makeToken({}) }), /when it expires/],
    ['an expired token', json({ accessToken: makeToken({ exp: 1_000_000 }) }), /has expired/],
    ['a huge answer', giveText('x'.repeat(1_000_000)), /more text/],
    ['a redirect', redirectTo('http://127.0.0.1:9/'), /redirects to another address/],
  ])('gives the agent the key and a warning, and is a failure with token: %s', async (_, answer, why) => {
    const { step, agent } = await run(await vendorWith(answer));
    expect(step.errors).toEqual([]);
    expect(step.warnings).toHaveLength(1);
    expect(step.warnings[0]).toMatch(why);
    expect(step.warnings[0]).toMatch(/So the agent has the key/);
    const { env } = agent.sightings()[0]!;
    expect(env['CURSOR_API_KEY']).toBe(API_KEY);
    expect(env).not.toHaveProperty('CURSOR_AUTH_TOKEN');
    expect(setupOf(step)['credential']).toBe('The agent signs in with the API key itself.');

    const strict = await run(await vendorWith(answer), { credential: 'token' });
    expect(strict.step.outputs.get('failure-reason')).toBe('network');
    expect(strict.step.errors.join()).toMatch(why);
    expect(strict.agent.sightings()).toEqual([]);
  });

  it.each([
    ['fix-ci', {}],
    ['custom', { allow: 'Shell(npm)' }],
  ])('is a failure for an agent that may run commands: %s', async (preset, inputs) => {
    const given = { preset, prompt: 'Repair it.', verify: 'none', ...inputs };
    const { step, agent } = await run(await vendorWith(giveStatus(404)), given);
    expect(step.outputs.get('failure-reason')).toBe('network');
    expect(step.errors.join()).toMatch(/status 404.*may run commands.*credential: key/s);
    expect(agent.sightings()).toEqual([]);
    const late = await run(await vendorWith(), { ...given, 'timeout-minutes': '90' });
    expect(late.step.outputs.get('failure-reason')).toBe('invalid-input');
    expect(late.agent.sightings()).toEqual([]);
    const chosen = await run(await vendorWith(giveStatus(404)), { ...given, credential: 'key' });
    expect(chosen.agent.sightings()[0]!.env['CURSOR_API_KEY']).toBe(API_KEY);
  });

  it('ends at once when the job is cancelled meanwhile', async () => {
    const agent = fakeAgent(ANSWERS);
    let asked = () => undefined as unknown;
    const waiting = new Promise<void>((done) => (asked = done));
    const vendor = await vendorWith(() => asked());
    const step = await runStep({
      inputs: { 'cli-path': agent.path, credential: 'auto' },
      env: { CURSOR_API_ENDPOINT: vendor.url },
      during: async (child) => {
        await waiting;
        child.kill('SIGTERM');
      },
    });
    expect(step.outputs.get('failure-reason')).toBe('cancelled');
    expect(agent.sightings()).toEqual([]);
  });
});

describe('a run that may outlast the token', () => {
  it('gets the key, and the warning says which timeout would get it the token', async () => {
    const { step, agent } = await run(await vendorWith(), { 'timeout-minutes': '90' });
    expect(step.warnings.join()).toMatch(
      /may run for 90 min\. To give it a token, set timeout-minutes to at most 58/,
    );
    expect(agent.sightings()[0]!.env['CURSOR_API_KEY']).toBe(API_KEY);
  });

  it('is refused with credential: token', async () => {
    const { step, agent } = await run(await vendorWith(), { 'timeout-minutes': '90', credential: 'token' });
    expect(step.outputs.get('failure-reason')).toBe('invalid-input');
    expect(step.errors.join()).toMatch(/credential: the token expires in 59 min/);
    expect(agent.sightings()).toEqual([]);
  });
});

describe('settings that could give the key away', () => {
  it.each([
    ['CURSOR_API_ENDPOINT', 'http://mirror.example'],
    ['CURSOR_API_BASE_URL', 'mirror.example'],
  ])('%s must be https', async (name, address) => {
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({ inputs: { 'cli-path': agent.path }, env: { [name]: address } });
    expect(step.outputs.get('failure-reason')).toBe('invalid-input');
    expect(step.errors.join()).toContain(`${name}: `);
    expect(agent.sightings()).toEqual([]);
  });

  it('are not read from the checkout', async () => {
    const elsewhere = await vendorWith();
    const vendor = await vendorWith();
    const files = Object.fromEntries(
      ['.env', '.envrc', '.cursor/.env', '.npmrc', '.cursor/cli.json'].map((name) => [
        name,
        `CURSOR_API_ENDPOINT=${elsewhere.url}\nCURSOR_API_BASE_URL=${elsewhere.url}\n`,
      ]),
    );
    const agent = fakeAgent(ANSWERS);
    await runStep({
      workspace: makeWorkspace(files),
      inputs: { 'cli-path': agent.path, credential: 'auto' },
      env: { CURSOR_API_ENDPOINT: vendor.url },
    });
    expect(vendor.calls).toHaveLength(1);
    expect(elsewhere.calls).toEqual([]);
  });

  it.each(['CURSOR_API_KEY', 'CURSOR_AUTH_TOKEN'])('pass-env cannot name %s', async (name) => {
    const { step, agent } = await run(await vendorWith(), { 'pass-env': name });
    expect(step.errors.join()).toMatch(/pass-env: ".*": is set by the action itself/);
    expect(agent.sightings()).toEqual([]);
  });
});

/** A command of the agent that looks for the key everywhere it can, and says where it is. */
const SEARCH = `
  const { execFileSync } = await import('node:child_process');
  const KEY = ${JSON.stringify(Buffer.from(API_KEY).toString('hex'))};
  const found = execFileSync(process.execPath, ['-e', \`
    const { readdirSync, readFileSync, lstatSync } = require('node:fs');
    const { join } = require('node:path');
    const key = Buffer.from('\${KEY}', 'hex');
    const found = [];
    let read = 0;
    const look = (path) => { try { const bytes = readFileSync(path); read += 1; if (bytes.includes(key)) found.push(path); } catch {} };
    const walk = (folder, depth) => {
      let names = []; try { names = readdirSync(folder); } catch {}
      for (const name of names) { const path = join(folder, name); let stat; try { stat = lstatSync(path); } catch { continue; }
        if (stat.isDirectory() && depth > 0) walk(path, depth - 1); else if (stat.isFile() && stat.size < 1e6) look(path); }
    };
    for (const name of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)))
      for (const file of ['environ', 'cmdline']) look('/proc/' + name + '/' + file);
    for (const folder of [process.cwd(), process.env.HOME, process.env.TMPDIR, '/tmp', '/run', '/dev/shm']) walk(folder, 5);
    console.log(JSON.stringify({ found, hasRead: read > 5, env: Object.keys(process.env).filter((name) => process.env[name].includes(key.toString())) }));
  \`], { encoding: 'utf8' });
  init(); say(found); finish();
`;

describe.each<Account>(['root', 'sudo'])(
  'a command of an isolated agent, where the runner is %s',
  (account) => {
    const why = obstacle(account);
    (why === undefined ? it : it.skip)(
      `finds the token and no key${why === undefined ? '' : ` (${why})`}`,
      async () => {
        const vendor = await vendorWith();
        const step = await runStepAs(account, fakeAgent(SEARCH), {
          workspace: makeWorkspace({ 'README.md': '# Project\n' }),
          inputs: { isolation: 'required', credential: 'token', preset: 'fix-ci' },
          env: { CURSOR_API_ENDPOINT: vendor.url, CURSOR_API_KEY: API_KEY },
        });
        expect(step.errors).toEqual([]);
        expect(JSON.parse(step.outputs.get('result') ?? '')).toEqual({ found: [], hasRead: true, env: [] });
      },
    );
  },
);
