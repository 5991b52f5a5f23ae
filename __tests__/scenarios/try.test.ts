import { describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
  env?: Record<string, string>;
  cwd?: string;
  started?: (child: ChildProcess) => void;
  during?: (interrupt: () => void, stdout: () => string) => Promise<void>;
}

async function tryIt(args: string[], call: Call = {}): Promise<Shown> {
  const temp = makeFolder('try-temp');
  const child = spawn(NODE, [built('dist/try/index.js'), ...args], {
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
    for (const part of ['Log', 'read   src/greet.js', '+## greetAll(names)', 'Job summary', 'status']) {
      expect(stdout).toContain(part);
    }
    expect(stdout).not.toContain('::stop-commands');
    expect(code).toBe(0);
    const [folder = '', ...others] = readdirSync(temp);
    expect(others).toEqual([]);
    // What the outputs name, and nothing else.
    expect(stdout).toMatch(/changed-files +\["docs\/usage\.md"\]/);
    expect(readdirSync(join(temp, folder)).sort()).toEqual([
      'changes.patch',
      'report.html',
      'report.json',
      'result.md',
      'transcript.ndjson',
    ]);
    expect(stdout).toContain(`The HTML report: ${join(temp, folder, 'report.html')}`);
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

  it('keeps a stream without secrets, and plays it again to the same end', async () => {
    const agent = fakeAgent(
      `init(); print('not JSON at all'); say('The key is ' + process.env.CURSOR_API_KEY); finish('Done.');`,
    );
    const cwd = makeWorkspace();
    const recorded = await tryIt([...REAL, '--record', 'out.ndjson'], { cwd, env: onPath(agent) });
    expect(recorded.stdout).toContain(`The stream, redacted: ${join(cwd, 'out.ndjson')}`);
    const stream = readFileSync(join(cwd, 'out.ndjson'), 'utf8');
    expect(stream).toContain('The key is ***');
    expect(stream).not.toContain(API_KEY);

    const again = await tryIt(['--replay', 'out.ndjson', '--isolation', 'off'], { cwd });
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
    const { code, stdout, temp } = await tryIt(REAL, {
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
