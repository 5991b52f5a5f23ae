import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { cliArchive, tarGz, versionScript } from '../install/archive-builder.js';
import { serve, startServer, type FileServer } from '../install/file-server.js';
import { built, NODE } from './step.js';

const ROOT = resolve(import.meta.dirname, '..', '..');
const VERSION = '2030.01.02-abcdef0';
const ARCHIVE = cliArchive(VERSION);
const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

let root: string;
let server: FileServer;
beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'setup-test-')));
  for (const name of ['temp', 'home', 'tools']) mkdirSync(join(root, name));
  server = await startServer(serve(ARCHIVE));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

interface Step {
  child: ChildProcess;
  ended: Promise<{ code: number | null; log: string; outputs: Map<string, string>; path: string }>;
}

let steps = 0;
/** Runs the built step in a child, as the runner would. */
function start(inputs: Record<string, string>, env: Record<string, string> = {}): Step {
  steps += 1;
  const files = { GITHUB_OUTPUT: join(root, `output-${steps}`), GITHUB_PATH: join(root, `path-${steps}`) };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const given = {
    'cli-version': VERSION,
    'cli-sha256': hashOf(ARCHIVE),
    'cli-download-url': server.url,
    ...inputs,
  };
  const child = spawn(NODE, [built('dist/setup/index.js')], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: join(root, 'home'),
      RUNNER_TEMP: join(root, 'temp'),
      RUNNER_TOOL_CACHE: join(root, 'tools'),
      GITHUB_WORKSPACE: root,
      ...files,
      ...Object.fromEntries(
        Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
      ),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    log,
    outputs: readOutputs(readFileSync(files.GITHUB_OUTPUT, 'utf8')),
    path: readFileSync(files.GITHUB_PATH, 'utf8').trim(),
  }));
  return { child, ended };
}
const run = (inputs: Record<string, string> = {}, env: Record<string, string> = {}) =>
  start(inputs, env).ended;

function readOutputs(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^(.+?)<<(.+)\n([\s\S]*?)\n\2$/gm)].map(([, name = '', , value = '']) => [name, value]),
  );
}

const cacheFolder = () => join(root, 'tools', 'cursor-cli', VERSION);
const cachedName = (archive: Buffer) => `linux-x64-${hashOf(archive).slice(0, 16)}.tar.gz`;

describe('the setup step', () => {
  it('has the inputs and outputs its action.yml says', () => {
    const text = readFileSync(join(ROOT, 'setup', 'action.yml'), 'utf8');
    const action = parse(text) as { inputs: object; outputs: object; runs: { main: string; using: string } };
    expect(Object.keys(action.inputs)).toEqual(['agent', 'cli-version', 'cli-sha256', 'cli-download-url']);
    expect(Object.keys(action.outputs)).toEqual(['cli-path', 'cli-version', 'cache-hit']);
    expect(action.runs.using).toBe('node24');
    expect(existsSync(resolve(ROOT, 'setup', action.runs.main))).toBe(true);
  });

  it('puts the CLI, and nothing that lies beside it, on PATH', async () => {
    const { code, log, outputs, path } = await run();
    expect(log).not.toContain('::error');
    expect(code).toBe(0);
    expect(outputs.get('cli-version')).toBe(VERSION);
    expect(outputs.get('cache-hit')).toBe('false');
    expect(readdirSync(path)).toEqual(['cursor-agent']);
    const env = { PATH: `${path}:${process.env['PATH'] ?? ''}` };
    expect(execFileSync('cursor-agent', ['--version'], { env, encoding: 'utf8' }).trim()).toBe(VERSION);
    expect(realpathSync(join(path, 'cursor-agent'))).toBe(outputs.get('cli-path'));
    expect(outputs.get('cli-path')?.startsWith(`${join(root, 'temp')}/`)).toBe(true);
    expect(readFileSync(join(root, 'home', '.cursor', 'cli-config.json'), 'utf8')).toContain(
      '"channel": "static"',
    );
  });

  it('asks nobody the second time, and leaves a configuration alone', async () => {
    await run();
    const config = join(root, 'home', '.cursor', 'cli-config.json');
    writeFileSync(config, '{}');
    const asked = server.asked.length;
    const { code, log, outputs } = await run();
    expect([code, outputs.get('cache-hit')]).toEqual([0, 'true']);
    expect(log).toContain(
      `Using Cursor CLI ${VERSION} from the tool cache. Verified: sha256 ${hashOf(ARCHIVE)}`,
    );
    expect(server.asked).toHaveLength(asked);
    expect(readFileSync(config, 'utf8')).toBe('{}');
  });

  it('installs clido', async () => {
    const binary = versionScript('clido 1.0.15');
    server.answer(serve(binary));
    const { code, outputs, path } = await run({
      agent: 'clido',
      'cli-version': '',
      'cli-sha256': hashOf(binary),
    });
    expect([code, outputs.get('cli-version')]).toEqual([0, '1.0.15']);
    expect(readdirSync(path)).toEqual(['clido']);
    expect(existsSync(join(root, 'home', '.cursor'))).toBe(false);
  });

  it('replaces a planted archive, and starts no CLI', async () => {
    const canary = join(root, 'canary');
    const script = `#!/bin/sh\ntouch ${canary}\necho ${VERSION}\n`;
    const evil = tarGz([{ name: 'cursor-agent', content: script, mode: 0o755 }]);
    mkdirSync(cacheFolder(), { recursive: true });
    writeFileSync(join(cacheFolder(), cachedName(ARCHIVE)), evil);
    const { code, log, outputs } = await run();
    expect([code, outputs.get('cache-hit')]).toEqual([0, 'false']);
    expect(log).toMatch(/^::warning::The archive of .* in the tool cache is not used: its sha256 is /m);
    expect(readFileSync(join(cacheFolder(), cachedName(ARCHIVE)))).toEqual(ARCHIVE);

    server.answer(serve(evil));
    const unverified = await run({ 'cli-sha256': '' });
    expect([unverified.code, unverified.outputs.get('cli-version')]).toEqual([0, VERSION]);
    expect(existsSync(canary)).toBe(false);
  });

  it('fails on a mismatch with both hashes, and puts nothing on PATH', async () => {
    const { code, log, outputs, path } = await run({ 'cli-sha256': 'a'.repeat(64) });
    expect(code).toBe(1);
    expect(log).toMatch(new RegExp(`::error title=.*${hashOf(ARCHIVE)}.*${'a'.repeat(64)}`));
    expect(outputs.size).toBe(0);
    expect(path).toBe('');
    expect(existsSync(cacheFolder())).toBe(false);
  });

  it('names every bad input at once', async () => {
    const { code, log } = await run({
      agent: 'copilot',
      'cli-version': '../x',
      'cli-sha256': 'abc',
      'cli-download-url': 'http://example.com',
      'cli-cache': 'false',
      'cli-versoin': '1',
    });
    expect(code).toBe(1);
    for (const name of [
      'agent',
      'cli-version',
      'cli-sha256',
      'cli-download-url',
      'cli-cache',
      'cli-versoin',
    ]) {
      expect(log).toContain(`${name}: `);
    }
    expect(server.asked).toEqual([]);
  });
});

describe('two at once', () => {
  it('each have an installation of their own, and share one archive', async () => {
    const results = await Promise.all([run(), run(), run()]);
    expect(results.map(({ code, log }) => [code, log.includes('::error')])).toEqual(
      results.map(() => [0, false]),
    );
    expect(new Set(results.map(({ outputs }) => outputs.get('cli-path'))).size).toBe(results.length);
    expect(readdirSync(cacheFolder())).toEqual([cachedName(ARCHIVE)]);
    expect((await run()).outputs.get('cache-hit')).toBe('true');
  });
});

describe('a kill during unpacking', () => {
  it('leaves nothing in the tool cache', async () => {
    // Many small files, so that there is time to be killed in.
    const many = Array.from({ length: 4_000 }, (_, index) => ({
      name: `dist-package/files/${index}`,
      content: randomBytes(64),
    }));
    const archive = cliArchive(VERSION, many);
    server.answer(serve(archive));
    const sha256 = hashOf(archive);
    const { child, ended } = start({ 'cli-sha256': sha256 });
    const isUnpacking = () => {
      const temp = join(root, 'temp');
      return readdirSync(temp, { recursive: true }).some((path) => String(path).endsWith('files/9'));
    };
    while (!isUnpacking()) await sleep(1);
    child.kill('SIGKILL');
    expect((await ended).code).toBe(null);
    expect(existsSync(cacheFolder())).toBe(false);

    const again = await run({ 'cli-sha256': sha256 });
    expect([again.code, again.outputs.get('cache-hit')]).toEqual([0, 'false']);
    expect((await run({ 'cli-sha256': sha256 })).outputs.get('cache-hit')).toBe('true');
  });
});
