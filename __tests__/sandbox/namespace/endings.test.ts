import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { AGENT_KEY } from './stand.js';
import { describeWays } from './ways.js';

/** Processes of this machine, by a text in their command line or, asked for so, their environment. */
function processesWith(text: string, file: 'cmdline' | 'environ' = 'cmdline'): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(text);
      } catch {
        return false;
      }
    });
}

/** Waits for what must come; where it does not, the expectation that follows says so. */
async function until(condition: () => boolean, patienceMs = 10_000): Promise<void> {
  for (let waited = 0; waited < patienceMs && !condition(); waited += 20) await sleep(20);
}

describeWays('an isolated agent comes to an end', (way) => {
  /** A length of sleep that no other process on this machine has. */
  let marks = 0;
  const newMark = () =>
    `98${process.pid}.${['root', 'sudo', 'user-namespace'].indexOf(way.how)}${(marks += 1)}`;

  it('leaves nothing behind, however it was started', async () => {
    const mark = newMark();
    const script = `setsid sleep ${mark} & (setsid nohup sleep ${mark} >/dev/null 2>&1 &)
      node -e 'require("child_process").spawn("sleep", ["${mark}"], {detached: true, stdio: "ignore"}).unref()'
      while [ "$(pgrep -c -f 'sleep ${mark}')" -lt 3 ]; do :; done; echo started`;
    const answer = await way.run({ run: script });
    expect(answer).toMatchObject({ code: 0, stdout: 'started\n' });
    expect(processesWith(mark)).toEqual([]);
  });

  it('hears the signal that asks it to stop, and its answer is passed on', async () => {
    const script = 'trap "echo stopping; exit 7" TERM; echo ready; while :; do sleep 0.05; done';
    const answer = await way.run({ run: script, onReady: 'SIGTERM' });
    expect(answer).toMatchObject({ code: 7, stdout: 'ready\nstopping\n' });
  });

  it('ends wholly when its group is killed, deaf and detached children too', async () => {
    const mark = newMark();
    const script = `trap '' TERM; setsid sh -c 'trap "" TERM; sleep ${mark}' & sleep ${mark} & echo ready; wait`;
    await way.run({ run: script, onReady: 'SIGKILL' });
    await until(() => processesWith(mark).length === 0);
    expect(processesWith(mark)).toEqual([]);
  });

  it('ends by the clock of the run, with all it started', async () => {
    const mark = newMark();
    const script = `trap '' TERM; setsid sleep ${mark} & echo ready; while :; do sleep 0.1; done`;
    const answer = await way.run({ run: script, limits: { totalMs: 1000, graceMs: 100, killMs: 300 } });
    expect(answer).toMatchObject({ stdout: 'ready\n', exit: { kind: 'ended', why: 'timeout' } });
    await until(() => processesWith(mark).length === 0);
    expect(processesWith(mark)).toEqual([]);
  });

  it('shows its key in no command line, and ends when the action itself is killed', async () => {
    const mark = newMark();
    const script = `trap '' TERM; setsid sleep ${mark} & echo ready; sleep ${mark}`;
    const action = way.stand.start({ how: way.how, run: script, onReady: 'tell' });
    try {
      await new Promise((done) => action.stdout?.once('data', done));
      expect(processesWith(mark).length).toBeGreaterThan(0);
      expect(processesWith(AGENT_KEY)).toEqual([]);
      const holders = processesWith(AGENT_KEY, 'environ').map((pid) =>
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim(),
      );
      // The agent and what it started; no sudo, no unshare, no first process.
      expect(holders.filter((command) => !command.includes(mark))).toEqual([]);
      expect(holders.length).toBeGreaterThan(1);
    } finally {
      action.kill('SIGKILL');
    }
    await until(() => processesWith(mark).length === 0);
    expect(processesWith(mark)).toEqual([]);
  });

  it.each([
    ['itself', (mark: string) => `sleep ${mark}`],
    [
      'what it left in a session of its own',
      (mark: string) => `(setsid sh -c 'trap "" TERM HUP INT; sleep ${mark}; :' &); wait; sleep ${mark}`,
    ],
  ])('ends soon after the action was killed although it killed all it saw: %s', async (_, rest) => {
    const mark = newMark();
    const killAll = `trap '' TERM HUP INT; kill -9 -1
      for folder in /proc/[0-9]*; do pid=\${folder#/proc/}; [ "$pid" = $$ ] || kill -9 "$pid" 2>/dev/null; done`;
    const script = `${killAll}; ${rest(mark).replace(/sleep [\d.]+$/, `echo ready; sleep ${mark}`)}`;
    const action = way.stand.start({ how: way.how, run: script, onReady: 'tell' });
    await new Promise((done) => action.stdout?.once('data', done));
    await until(() => processesWith(mark).length > 0);
    expect(processesWith(mark).length).toBeGreaterThan(0);
    action.kill('SIGKILL');
    await until(() => processesWith(mark).length === 0, 2000);
    expect(processesWith(mark)).toEqual([]);
  });
});
