import { describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SYSTEM_PATH } from '../../src/core/programs.js';
import { obstacle } from './accounts.js';
import { ANSWERS, fakeAgent } from './fake-agent.js';
import { API_KEY, built, NODE } from './step.js';
import { git, makeFolder, makeWorkspace } from './workspace.js';

interface Shown {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The temporary folder, with what the trial left there. */
  temp: string;
}

interface Call {
  /** A program that starts the trial, with its arguments. */
  before?: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
  started?: (child: ChildProcess) => void;
  during?: (interrupt: () => void, stdout: () => string) => Promise<void>;
}

async function tryIt(args: string[], call: Call = {}): Promise<Shown> {
  const temp = makeFolder('try-temp');
  const [program = NODE, ...rest] = [...(call.before ?? []), NODE, built('dist/try/index.js'), ...args];
  const child = spawn(program, rest, {
    cwd: call.cwd ?? makeFolder('somewhere'),
    env: { PATH: process.env['PATH'], HOME: makeFolder('home'), TMPDIR: temp, ...call.env },
    // A group of its own, which can be interrupted as a terminal does it.
    detached: true,
  });
  call.started?.(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | null>((done) => child.on('close', done));
  await call.during?.(
    () => process.kill(-(child.pid ?? 0), 'SIGINT'),
    () => stdout,
  );
  return { code: await ended, stdout, stderr, temp };
}

const onPath = (agent: { path: string }) => ({
  PATH: `${dirname(agent.path)}${delimiter}${process.env['PATH'] ?? ''}`,
  CURSOR_API_KEY: API_KEY,
});
const REAL = ['--prompt', 'Look around.', '--isolation', 'off', '--credential', 'key'];

describe('npm run try', () => {
  it('plays the whole action without anything installed, and shows it', async () => {
    const { code, stdout, temp } = await tryIt([]);
    const parts = [
      'Steps',
      'read   src/invoices.js',
      'denied git log',
      'Result',
      'critical · src/invoices.js:10',
      'const rows = await db.query',
      'The page with every tool call',
    ];
    expect(parts.map((part) => stdout.indexOf(part))).toEqual(
      parts.map((part) => stdout.lastIndexOf(part)).sort((a, b) => a - b),
    );
    expect(stdout).not.toContain('::stop-commands');
    // Nothing that reads broken, and nothing that fills more than a screen or two.
    expect(stdout).not.toMatch(/\[object|saw no tool calls|API key itself/);
    expect(stdout).not.toMatch(/&(?:nbsp|#\d+|lt|gt|amp);|<\/?(?:code|details|summary|br)|\bdeny {2}/);
    expect(stdout).toContain('▸ Permissions: preset review');
    expect(stdout.split('\n').length).toBeLessThan(60);
    expect(code).toBe(0);
    const [folder = '', ...others] = readdirSync(temp);
    expect(others).toEqual([]);
    // What the outputs name, and nothing else.
    expect(readdirSync(join(temp, folder)).sort()).toEqual([
      'findings.rdjson',
      'findings.sarif',
      'report.html',
      'report.json',
      'result.md',
      'transcript.ndjson',
    ]);
    expect(stdout).toContain(`The page with every tool call: ${join(temp, folder, 'report.html')}`);
  });

  it('shows every rule and every output when asked, also in a job of a workflow', async () => {
    const { stdout } = await tryIt(['--prompt', 'Look around.', '--isolation', 'off', '--verbose'], {
      cwd: makeWorkspace(),
      env: { ...onPath(fakeAgent(ANSWERS)), GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'pull_request' },
    });
    expect(stdout).toContain('deny  Shell(git)');
    expect(stdout).toMatch(/^status +success$/m);
  });

  const USUAL = ['/usr/bin/git', '/usr/local/bin/git', '/opt/homebrew/bin/git'].filter((path) =>
    existsSync(path),
  );
  const onlyNode = () => {
    const bin = makeFolder('bin');
    symlinkSync(NODE, join(bin, 'node'));
    return { PATH: bin };
  };

  (USUAL.length > 0 ? it : it.skip)('finds git in its usual place, whatever PATH says', async () => {
    const { code, stdout } = await tryIt([], { env: onlyNode() });
    expect(code).toBe(0);
    expect(stdout).not.toContain('git was not found');
    expect(stdout).toContain('▸ Gathered for the agent: diff');
    expect(stdout).toContain('3 findings: 1 critical, 1 high, 1 medium');
  });

  const canHide = obstacle('root') === undefined;
  (canHide ? it : it.skip)('says at once that it cannot check changes without git', async () => {
    const hide = `const { execFileSync, spawnSync } = require('node:child_process');
      for (const path of ${JSON.stringify(USUAL)}) execFileSync('mount', ['--bind', '/dev/null', path], { env: { PATH: ${JSON.stringify(SYSTEM_PATH)} } });
      process.exit(spawnSync(process.argv[1], process.argv.slice(2), { stdio: 'inherit' }).status ?? 1);`;
    const { stdout } = await tryIt([], {
      before: ['/usr/bin/unshare', '--mount', '--', NODE, '-e', hide, '--'],
      env: onlyNode(),
    });
    const message = 'git was not found, so what the agent changes cannot be checked or shown.';
    expect(stdout.split('── Steps')[0]).toContain(message);
    expect(stdout).not.toContain('Gathered for the agent');
  });

  it('refuses to play what is no stream', async () => {
    const cwd = makeFolder('streams');
    writeFileSync(join(cwd, 'notes.txt'), '{"a": 1}\nnot a stream\n');
    const { code, stderr } = await tryIt(['--replay', 'notes.txt'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain('notes.txt is not a recorded stream');
  });

  it('makes the folder of a record, or says what is wrong before the agent runs', async () => {
    const cwd = makeWorkspace({ file: 'x' });
    const agent = fakeAgent(ANSWERS);
    await tryIt([...REAL, '--record', 'new/folder/out.ndjson'], { cwd, env: onPath(agent) });
    expect(existsSync(join(cwd, 'new/folder/out.ndjson'))).toBe(true);
    const wrong = await tryIt([...REAL, '--record', 'file/out.ndjson'], { cwd, env: onPath(agent) });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/--record cannot write .*file\/out\.ndjson: /);
    expect(agent.sightings()).toHaveLength(1);
  });

  it('tells its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await tryIt(['--version'])).stdout.trim()).toBe(version);
  });

  it('runs the CLI on the path on the user’s folder, and leaves it as it was', async () => {
    const agent = fakeAgent(ANSWERS);
    const cwd = makeWorkspace({ 'a.txt': 'a', '.cursor/cli.json': '{"own":1}' });
    writeFileSync(join(cwd, 'a.txt'), 'changed by hand');
    const { code, stdout, stderr } = await tryIt(REAL, { cwd, env: onPath(agent) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('All is well.');
    expect(agent.sightings()[0]?.stdin).toContain('Look around.');
    expect(readFileSync(join(cwd, '.cursor/cli.json'), 'utf8')).toBe('{"own":1}');
    expect(git(cwd, 'status', '--porcelain').trim()).toBe('M a.txt');
  });

  it('asks for a key before anything else', async () => {
    const { code, stderr } = await tryIt(REAL);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Set CURSOR_API_KEY/);
  });

  it('lets the doctor check the real CLI, and shows its answers', async () => {
    const { code, stdout } = await tryIt(['--doctor', '--isolation', 'off', '--credential', 'key'], {
      env: onPath(fakeAgent(ANSWERS)),
    });
    expect(code).toBe(0);
    expect(stdout).toContain('usually a few cents');
    expect(stdout).toMatch(/^Does Cursor accept the API key\? +pass +The agent worked with it\.$/m);
    expect(stdout).not.toMatch(/::|\*\*|<code>/);
    const [, recording = ''] = /for a bug report: (\S+)/.exec(stdout) ?? [];
    expect(readFileSync(recording, 'utf8')).toContain('{"type":"doctor","start":"control"}');
    expect(readdirSync(dirname(recording)).sort()).toEqual(['doctor.json', 'transcript.ndjson']);
  });

  it('explains what the doctor needs, and which options it has', async () => {
    expect((await tryIt(['--doctor'])).stderr).toContain('Set CURSOR_API_KEY: the doctor checks');
    expect((await tryIt(['--doctor', '--prompt', 'x'])).stderr).toContain('Cannot read "--prompt"');
  });

  it('keeps a stream without secrets, and plays it again to the same end', async () => {
    const agent = fakeAgent(
      `init(); print('not JSON at all'); say('The key is ' + process.env.CURSOR_API_KEY); finish('Done.');`,
    );
    const cwd = makeWorkspace();
    const recorded = await tryIt([...REAL, '--verbose', '--record', 'out.ndjson'], {
      cwd,
      env: onPath(agent),
    });
    expect(recorded.stdout).toContain(`The stream, redacted: ${join(cwd, 'out.ndjson')}`);
    const stream = readFileSync(join(cwd, 'out.ndjson'), 'utf8');
    expect(stream).toContain('The key is ***');
    expect(stream).not.toContain(API_KEY);

    const again = await tryIt(['--replay', 'out.ndjson', '--isolation', 'off', '--verbose'], { cwd });
    expect({ code: again.code, stderr: again.stderr }).toEqual({ code: 0, stderr: '' });
    for (const { stdout } of [recorded, again]) {
      expect(stdout).toMatch(/result {2,}The key is \*\*\*\n/);
      expect(stdout).toMatch(/not JSON at all/);
    }
    expect(existsSync(join(cwd, '.cursor'))).toBe(false);
  });

  it('ends well when nobody reads what it prints any more', async () => {
    const agent = fakeAgent(ANSWERS);
    const cwd = makeWorkspace({ '.cursor/cli.json': 'own' });
    const deaf = (child: ChildProcess) => child.stdout?.destroy();
    const { code, stderr } = await tryIt(REAL, { cwd, env: onPath(agent), started: deaf });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(readFileSync(join(cwd, '.cursor/cli.json'), 'utf8')).toBe('own');
  });

  it('says so when there is no recording, and helps', async () => {
    const missing = await tryIt(['--replay', 'nowhere.ndjson']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(/There is no recording at .*nowhere\.ndjson/);
    const help = await tryIt(['--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('--replay in.ndjson');
  });

  it('ends well when it is interrupted: the folder is put back, and what is known is shown', async () => {
    const agent = fakeAgent(
      `init(); call('1', 'readToolCall', { path: 'begun.txt' }, { success: { content: 'x' } }); await sleep(60_000);`,
    );
    const cwd = makeWorkspace({ '.cursor/cli.json': 'own' });
    const { code, stdout, temp } = await tryIt([...REAL, '--verbose'], {
      cwd,
      env: onPath(agent),
      during: async (interrupt, shown) => {
        while (!shown().includes('begun.txt')) await sleep(50);
        interrupt();
      },
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/failure-reason +cancelled/);
    expect(readFileSync(join(cwd, '.cursor/cli.json'), 'utf8')).toBe('own');
    expect(readdirSync(temp).filter((name) => name.startsWith('try-'))).toEqual([]);
  });
});
