import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  findFamily,
  listProcesses,
  parsePs,
  parseStat,
  runProcess,
  type ProcessLimits,
  type ProcessSpec,
  type Watcher,
} from '../../src/sandbox/process.js';
import { isGone } from '../scenarios/processes.js';
import { makeFolder } from '../scenarios/workspace.js';

const NEVER = new AbortController().signal;
const LONG = 30_000;

interface Watched extends Watcher {
  stdout: string;
  stderr: string;
}
const watcher = (given: Partial<Watcher> = {}): Watched => {
  const watched: Watched = {
    stdout: '',
    stderr: '',
    onStdout: (chunk) => (watched.stdout += chunk.toString('utf8')),
    onStderr: (chunk) => (watched.stderr += chunk.toString('utf8')),
    hasResult: () => watched.stdout.includes('RESULT'),
    hasSubagent: () => false,
    patienceMs: () => LONG,
    ...given,
  };
  return watched;
};
const script = (code: string, given: Partial<ProcessSpec> = {}): ProcessSpec => ({
  file: process.execPath,
  args: ['--input-type=module', '-e', code],
  cwd: makeFolder(),
  env: { PATH: process.env['PATH'] ?? '', HOME: makeFolder('home') },
  input: '',
  ...given,
});
const limits = (given: Partial<ProcessLimits> = {}): ProcessLimits => ({
  totalMs: LONG,
  graceMs: 200,
  subagentMs: LONG,
  killMs: 300,
  cancel: NEVER,
  ...given,
});
const STAY = 'setInterval(() => {}, 1000);';
const pidsIn = (text: string) => [...text.matchAll(/pid (\d+)/g)].map(([, pid = '']) => pid);

(process.platform === 'linux' ? describe : describe.skip)('a fork bomb', () => {
  it('is ended with all of it, although each process sits in a session of its own and hears no request', async () => {
    const fork = 'for _ in 1 2 3; do setsid sh -c "$1" $(($0 - 1)) "$1" & done; wait';
    const bomb = `trap "" TERM; echo "pid $$"; if [ $0 = 0 ]; then sleep 60; else ${fork}; fi`;
    const spec = { ...script(''), file: '/bin/sh', args: ['-c', bomb, '4', bomb] };
    const watched = watcher();
    const before = performance.now();
    const exit = await runProcess(spec, watched, limits({ totalMs: 3000 }));
    expect(exit).toMatchObject({ kind: 'ended', why: 'timeout' });
    expect(performance.now() - before).toBeLessThan(8000);
    const pids = pidsIn(watched.stdout);
    expect(pids.length).toBeGreaterThan(100);
    expect(pids.filter((pid) => !isGone(pid))).toEqual([]);
  });

  it('is ended although each process starts the next one and ends at once', async () => {
    const folder = makeFolder();
    const beats = join(folder, 'beats');
    // It would end by itself.
    const next = `echo x >>${beats}; [ $(wc -l <${beats}) -gt 20000 ] || setsid sh -c "$0" "$0" &`;
    const start = `for _ in 1 2 3 4 5; do setsid sh -c "$0" "$0" & done; sleep 0.5`;
    const spec = { ...script(''), file: '/bin/sh', args: ['-c', start.replaceAll('$0', '$1'), 'sh', next] };
    expect(await runProcess(spec, watcher(), limits())).toEqual({ kind: 'exited', code: 0 });
    const { length } = readFileSync(beats);
    expect(length).toBeGreaterThan(20);
    await sleep(500);
    expect(readFileSync(beats)).toHaveLength(length);
  });
});

describe('runProcess', () => {
  it('tells exit code and output of a process that ends by itself', async () => {
    const watched = watcher();
    const exit = await runProcess(
      script('console.log("out"); console.error("err"); process.exit(3)'),
      watched,
      limits(),
    );
    expect(exit).toEqual({ kind: 'exited', code: 3 });
    expect(watched).toMatchObject({ stdout: 'out\n', stderr: 'err\n' });
  });

  it('tells a signal', async () => {
    const exit = await runProcess(script('process.kill(process.pid, "SIGKILL");'), watcher(), limits());
    expect(exit).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  });

  it('tells that a program cannot be started', async () => {
    const exit = await runProcess(script('', { file: '/no/such/program' }), watcher(), limits());
    expect(exit).toEqual({ kind: 'not-started', error: expect.stringContaining('ENOENT') as unknown });
  });

  it('ends a process that stays after its result', async () => {
    const exit = await runProcess(script(`console.log('RESULT'); ${STAY}`), watcher(), limits());
    expect(exit).toMatchObject({ kind: 'ended', why: 'after-result' });
  });

  it('gives a process the grace to end by itself after its result', async () => {
    const code = `console.log('RESULT'); setTimeout(() => process.exit(0), 50);`;
    expect(await runProcess(script(code), watcher(), limits({ graceMs: LONG }))).toEqual({
      kind: 'exited',
      code: 0,
    });
  });

  it('waits after the result for a sub-agent, until that has ended', async () => {
    const code = `console.log('RESULT'); setTimeout(() => console.log('DONE'), 700); ${STAY}`;
    const watched = watcher({ hasSubagent: () => !watched.stdout.includes('DONE') });
    expect(await runProcess(script(code), watched, limits())).toMatchObject({ why: 'after-result' });
    expect(watched.stdout).toContain('DONE');
  });

  it.each([
    ['its own limit', { subagentMs: 400 }, 'after-result'],
    ['the limit of the run', { totalMs: 1500 }, 'timeout'],
  ])('does not wait for a sub-agent beyond %s', async (_limit, given, why) => {
    const watched = watcher({
      hasSubagent: () => true,
      patienceMs: () => (watched.hasResult() ? 0 : LONG),
    });
    const exit = await runProcess(script(`console.log('RESULT'); ${STAY}`), watched, limits(given));
    expect(exit).toMatchObject({ kind: 'ended', why });
  });

  it('does not take the silence after a result for idleness', async () => {
    const watched = watcher({ patienceMs: () => (watched.hasResult() ? 0 : LONG) });
    const exit = await runProcess(
      script(`console.log('RESULT'); ${STAY}`),
      watched,
      limits({ graceMs: 600 }),
    );
    expect(exit).toMatchObject({ kind: 'ended', why: 'after-result' });
  });

  it('ends a process at its time limit', async () => {
    expect(await runProcess(script(STAY), watcher(), limits({ totalMs: 500 }))).toMatchObject({
      why: 'timeout',
    });
  });

  it('ends a process that does not listen to SIGTERM', async () => {
    const code = `process.on('SIGTERM', () => console.log('not yet')); console.log('pid ' + process.pid + ' RESULT'); ${STAY}`;
    const watched = watcher();
    expect(await runProcess(script(code), watched, limits())).toEqual({ kind: 'ended', why: 'after-result' });
    expect(watched.stdout).toContain('not yet');
    expect(pidsIn(watched.stdout).every(isGone)).toBe(true);
  });

  it('ends a process that has fallen silent, as silence is judged at that moment', async () => {
    let patience = LONG;
    const watched = watcher({ patienceMs: () => patience });
    const running = runProcess(script(`console.log('hello'); ${STAY}`), watched, limits());
    setTimeout(() => (patience = 50), 300);
    expect(await running).toMatchObject({ kind: 'ended', why: 'idle' });
  });

  it('is not idle as long as something comes', async () => {
    const code = `let n = 0; const t = setInterval(() => { console.log('tick'); if (++n === 30) clearInterval(t); }, 100);`;
    const watched = watcher({ patienceMs: () => (watched.stdout === '' ? LONG : 2000) });
    expect(await runProcess(script(code), watched, limits())).toEqual({ kind: 'exited', code: 0 });
  });

  it('ends a process when the job is cancelled, also before it has begun', async () => {
    const cancel = new AbortController();
    const running = runProcess(script(STAY), watcher(), limits({ cancel: cancel.signal }));
    setTimeout(() => {
      cancel.abort();
    }, 200);
    expect(await running).toMatchObject({ kind: 'ended', why: 'cancelled' });
    expect(await runProcess(script(STAY), watcher(), limits({ cancel: cancel.signal }))).toMatchObject({
      why: 'cancelled',
    });
  });

  it('ends what the process has started, in its group or out of it', async () => {
    const code = `
      import { spawn } from 'node:child_process';
      const near = spawn('sleep', ['600'], { stdio: 'inherit' });
      const away = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
      const orphan = spawn('sh', ['-c', 'setsid sleep 600 >/dev/null 2>&1 & echo pid $!'], { stdio: ['ignore', 'inherit', 'ignore'] });
      orphan.on('exit', () => console.log('pid ' + near.pid + ' pid ' + away.pid + ' RESULT'));
    `;
    const watched = watcher();
    await runProcess(script(code), watched, limits());
    const pids = pidsIn(watched.stdout);
    expect(pids).toHaveLength(3);
    expect(pids.filter((pid) => !isGone(pid))).toEqual([]);
  });

  it('finds a process that hid its home and left its parents, by having seen it before', async () => {
    const code = `
      import { spawn } from 'node:child_process';
      const parent = spawn('sh', ['-c', 'HOME=/ setsid sh -c "echo pid \\$\\$; exec sleep 600" & sleep 2'], { stdio: ['ignore', 'inherit', 'ignore'] });
      parent.on('exit', () => console.log('RESULT'));
    `;
    const watched = watcher();
    await runProcess(script(code), watched, limits());
    expect(pidsIn(watched.stdout)).toHaveLength(1);
    expect(pidsIn(watched.stdout).every(isGone)).toBe(true);
  });

  it('does not wait for a stranger that holds the output open', async () => {
    const code = `
      import { spawn } from 'node:child_process';
      const away = spawn('sleep', ['600'], { detached: true, stdio: 'inherit' });
      away.unref(); console.log('pid ' + away.pid); process.exit(0);
    `;
    const watched = watcher();
    expect(await runProcess(script(code), watched, limits())).toEqual({ kind: 'exited', code: 0 });
    expect(pidsIn(watched.stdout).every(isGone)).toBe(true);
  });

  it('leaves the processes of others alone', async () => {
    const other = runProcess(script(`setTimeout(() => process.exit(5), 1500)`), watcher(), limits());
    await runProcess(script(`console.log('RESULT'); ${STAY}`), watcher(), limits());
    expect(await other).toEqual({ kind: 'exited', code: 5 });
  });

  it('ends the process, and says so, when a watcher throws', async () => {
    const file = join(makeFolder(), 'pid');
    const code = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(file)}, String(process.pid)); console.log('x'); ${STAY}`;
    const onStdout = () => {
      throw new Error('a bug');
    };
    await expect(runProcess(script(code), watcher({ onStdout }), limits())).rejects.toThrow('a bug');
    expect(isGone(readFileSync(file, 'utf8'))).toBe(true);
  });

  it('hands over a prompt of ten megabytes', async () => {
    const code = `let n = 0; process.stdin.on('data', (c) => (n += c.length)).on('end', () => console.log(n));`;
    const watched = watcher();
    await runProcess(script(code, { input: 'é'.repeat(5_000_000) }), watched, limits());
    expect(watched.stdout).toBe('10000000\n');
  });

  it.each([
    ['never reads', `setTimeout(() => process.exit(0), 100);`],
    ['closes', `import { closeSync } from 'node:fs'; closeSync(0); setTimeout(() => process.exit(0), 100);`],
  ])('does not mind an agent that %s its input', async (_name, code) => {
    const exit = await runProcess(script(code, { input: 'x'.repeat(10_000_000) }), watcher(), limits());
    expect(exit).toEqual({ kind: 'exited', code: 0 });
  });

  it('reads all of a large output, to the last byte', async () => {
    const watched = watcher();
    const code = `process.stdout.write('x'.repeat(3_000_000) + 'end');`;
    await runProcess(script(code), watched, limits());
    expect(watched.stdout).toHaveLength(3_000_003);
  });

  it('starts a script with arguments that a shell would misread', async () => {
    const folder = makeFolder();
    const path = join(folder, 'agent');
    writeFileSync(path, `#!${process.execPath}\nconsole.log(JSON.stringify(process.argv.slice(2)))`, {
      mode: 0o755,
    });
    const args = ['$(x)', 'a b', '"', "'", ';', '', '*'];
    const watched = watcher();
    await runProcess(script('', { file: path, args }), watched, limits());
    expect(JSON.parse(watched.stdout)).toEqual(args);
  });
});

describe('parseStat', () => {
  const tail = '1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 9 10 11 12 13 98765 100';
  it('reads a line whose name contains anything', () => {
    expect(parseStat(`123 (a) S 9 (b) S ${tail}`)).toMatchObject({ pid: 123, parent: 1, group: 42 });
  });
  it('ignores a process that has ended', () => {
    expect(parseStat(`123 (sh) Z ${tail}`)).toBeUndefined();
  });
});

describe('parsePs', () => {
  it('reads what macOS prints', () => {
    expect(
      parsePs('    1     0     1 Mon Nov 16 05:00:00 2026    \n  501     1   501 Mon Nov 16 05:00:01 2026\n'),
    ).toEqual([
      { pid: 1, parent: 0, group: 1, started: 'Mon Nov 16 05:00:00 2026' },
      { pid: 501, parent: 1, group: 501, started: 'Mon Nov 16 05:00:01 2026' },
    ]);
  });
});

describe('findFamily', () => {
  it('finds nothing by a home that no process has, or by an empty one', () => {
    expect(findFamily({ home: '/no/such/home' }, [])).toEqual([]);
    expect(findFamily({ home: '' }, [])).toEqual([]);
  });
  it('does not mistake a process for an earlier one with the same pid', () => {
    const [other] = listProcesses().filter(({ pid }) => pid !== process.pid);
    expect(findFamily({ home: '' }, [{ ...other!, started: 'another time' }])).toEqual([]);
  });
});
