import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { breakOut, outcomes, reachOutside, repositoryAttacks } from './attack-scripts.js';
import {
  AGENT_KEY,
  allowSudo,
  CANARY,
  GIT_CREDENTIAL,
  makeStand,
  makeUser,
  obstacle,
  removeUser,
  runJob,
  type Account,
  type Answer,
  type Stand,
} from './stand.js';

const isSudoInstalled = existsSync('/usr/bin/sudo');

/** Every name below a folder with its mode and content: two that are equal are the same tree. */
function fingerprint(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const stat = statSync(join(folder, name));
    hash.update(`${name} ${stat.mode} ${stat.isFile() ? readFileSync(join(folder, name), 'hex') : ''}\n`);
  }
  return hash.digest('hex');
}

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
async function until(condition: () => boolean): Promise<void> {
  for (let round = 0; round < 500 && !condition(); round += 1) await sleep(20);
}

describe.each<Account['kind']>(['root', 'user'])('an isolated agent, started by %s', (kind) => {
  const missing = obstacle(kind);
  if (missing !== undefined) {
    it(`was not tried here: ${missing}`, () => {
      expect(obstacle(kind)).toBe(missing);
    });
    return;
  }

  const how = kind === 'root' ? 'root' : 'sudo';
  let account: Account;
  let stand: Stand;
  const run = (job: Omit<Parameters<typeof runJob>[1], 'how'>) => runJob(stand, { how, ...job });

  beforeAll(() => {
    account = kind === 'root' ? { kind } : makeUser();
    stand = makeStand(account);
  });
  afterAll(() => {
    stand.remove();
    if (account.kind === 'user') removeUser(account.name);
  });

  it('is found to be possible by trying it', async () => {
    expect(await stand.answer({ how: 'probe' })).toEqual({ kind: 'available', how });
    expect(readdirSync(stand.places('write').home)).toEqual([]);
  });

  describe('attacking the repository', () => {
    let bare: Record<string, string>;
    let isolated: Record<string, string>;
    let before: string;
    beforeAll(async () => {
      const saved = join(stand.root, 'saved');
      cpSync(stand.workspace, saved, { recursive: true, preserveTimestamps: true });
      bare = outcomes((await runJob(stand, { how: 'bare', run: repositoryAttacks() })).stdout);
      rmSync(stand.workspace, { recursive: true });
      cpSync(saved, stand.workspace, { recursive: true, preserveTimestamps: true });
      if (account.kind === 'user') execFileSync('chown', ['-R', account.name, stand.workspace]);
      before = fingerprint(join(stand.workspace, '.git'));
      isolated = outcomes((await run({ run: repositoryAttacks() })).stdout);
    });

    it('would succeed in every way without isolation', () => {
      expect(Object.keys(bare).length).toBeGreaterThan(20);
      expect(bare).toEqual(Object.fromEntries(Object.keys(bare).map((name) => [name, 'done'])));
    });

    it('fails in every way', () => {
      expect(isolated).toEqual(Object.fromEntries(Object.keys(bare).map((name) => [name, 'refused'])));
    });

    it('leaves .git as it was, byte for byte', () => {
      expect(fingerprint(join(stand.workspace, '.git'))).toBe(before);
    });
  });

  describe('reaching outside', () => {
    const script = () =>
      reachOutside({
        runnerTemp: stand.runnerTemp,
        userHome: stand.userHome,
        socket: stand.socket,
        canary: CANARY,
        credential: GIT_CREDENTIAL,
      });
    afterAll(() => {
      for (const name of readdirSync('/tmp').filter((entry) => entry.startsWith('isolation-planted-'))) {
        rmSync(join('/tmp', name));
      }
    });

    it('fails in every way that would succeed without isolation', async () => {
      const isolated = outcomes((await run({ run: script() })).stdout);
      expect(readFileSync(join(stand.runnerTemp, 'set_env'), 'utf8')).toBe('');
      expect(existsSync(join(stand.userHome, 'planted'))).toBe(false);
      const ownFile = join(stand.workspace, '.cursor', 'cli.json');
      const written = readFileSync(ownFile);
      const bare = outcomes((await runJob(stand, { how: 'bare', run: script() })).stdout);
      writeFileSync(ownFile, written);
      if (!isSudoInstalled) delete bare['become root by sudo'];
      expect(new Set(Object.values(bare))).toEqual(new Set(['done']));
      expect(isolated).toEqual(Object.fromEntries(Object.keys(isolated).map((name) => [name, 'refused'])));
      expect(Object.keys(isolated)).toEqual(expect.arrayContaining(Object.keys(bare)));
    });

    it('fails when it tries to undo the isolation', async () => {
      const before = fingerprint(join(stand.workspace, '.git'));
      const answer = await run({ run: breakOut() });
      const tried = outcomes(answer.stdout);
      expect(Object.keys(tried).length).toBeGreaterThan(20);
      expect(tried).toEqual(Object.fromEntries(Object.keys(tried).map((name) => [name, 'refused'])));
      expect(answer.isSentinelAlive).toBe(true);
      expect(fingerprint(join(stand.workspace, '.git'))).toBe(before);
    });

    it('kills nobody but itself', async () => {
      const answer = await run({ run: 'kill -KILL -1; kill -KILL $$' });
      expect(answer).toMatchObject({ code: 137, isSentinelAlive: true });
    });

    it('keeps its own shared memory to itself', async () => {
      const name = `isolation-shared-${process.pid}`;
      const answer = await run({ run: `echo x >/dev/shm/${name} && cat /dev/shm/${name}` });
      expect(answer.stdout).toBe('x\n');
      expect(existsSync(`/dev/shm/${name}`)).toBe(false);
    });
  });

  describe('doing its work', () => {
    it('reads but cannot write the workspace where that is read-only', async () => {
      const script = `cat README.md .cursor/cli.json && git log --oneline | wc -l
        for file in README.md new .cursor/new; do (echo x >>$file) 2>/dev/null && echo "wrote $file"; done
        mkdir new-folder 2>/dev/null && echo made; rm -f README.md 2>/dev/null && echo removed
        echo x >"$HOME/h" && echo x >"$TMPDIR/t" && cat "$HOME/h" "$TMPDIR/t"`;
      const answer = await run({ run: script, access: 'read' });
      expect(answer.stdout).toBe('# A project\n{"permissions":{"allow":[],"deny":[]}}\n1\nx\nx\n');
    });

    it('writes the workspace where it may, as the user it was started by', async () => {
      const answer = await run({ run: 'mkdir -p docs && echo text >docs/new.md && git status --short' });
      expect(answer.stdout).toContain('?? docs/');
      const made = statSync(join(stand.workspace, 'docs', 'new.md'));
      expect([made.uid, made.gid]).toEqual(account.kind === 'user' ? [account.uid, account.gid] : [0, 0]);
      rmSync(join(stand.workspace, 'docs'), { recursive: true });
    });

    it('has exactly the environment, arguments, folder and user it was given', async () => {
      const env = { ODD: `a'b"c\n$(id) \\ \`id\` é 漢\t`, EMPTY: '' };
      const args = ['--', '', ' ', "it's", '$HOME', 'line\nbreak', '-n', '*', 'é'];
      const show = `console.log(JSON.stringify({ env: process.env, args: process.argv.slice(1), cwd: process.cwd(),
        ids: [process.getuid(), process.getgid(), process.getgroups().sort()], umask: process.umask() }))`;
      const command = ['node', '-e', show, ...args];
      const bare = await runJob(stand, { how: 'bare', run: command, env });
      const isolated = await run({ run: command, env });
      const seen = JSON.parse(isolated.stdout) as { env: object; args: string[] };
      expect(seen).toEqual(JSON.parse(bare.stdout));
      expect(seen.env).toEqual({ ...stand.places('write').env, ...env });
      expect(seen.args).toEqual(args.slice(1));
    });

    it('can use the devices every program expects', async () => {
      const answer = await run({
        run: `echo x >/dev/null && head -c 8 /dev/urandom | wc -c && head -c 2 /dev/zero | wc -c
          echo out >/dev/stderr 2>/dev/null; [ -c /dev/ptmx ] && [ -c /dev/tty ] && ls /proc/self/fd >/dev/null && echo fine`,
      });
      expect(answer.stdout).toBe('8\n2\nfine\n');
    });

    it('finds its program and what it is told to read in a folder that is hidden else', async () => {
      const [tool, context] = [join(stand.runnerTemp, 'tool'), join(stand.runnerTemp, 'own', 'diff.txt')];
      mkdirSync(join(tool, 'build'), { recursive: true });
      writeFileSync(join(tool, 'build', 'part'), 'part\n');
      writeFileSync(
        join(tool, 'build', 'agent'),
        '#!/bin/sh\ncat "$(dirname "$(realpath "$0")")/part" "$1"\n',
      );
      chmodSync(join(tool, 'build', 'agent'), 0o755);
      symlinkSync('build/agent', join(tool, 'agent'));
      writeFileSync(context, 'diff\n');
      const cli = join(tool, 'agent');
      const answer = await run({ run: [cli, context], places: { cli, shown: [context] } });
      expect(answer).toMatchObject({ code: 0, stdout: 'part\ndiff\n', stderr: '' });
    });

    it('may write a folder of programs in the workspace, and finds the name servers', async () => {
      const bin = join(stand.workspace, 'bin');
      const script = 'mkdir -p bin && echo x >bin/y && [ -r /etc/resolv.conf ] && cat bin/y; rm -r bin';
      const { env } = stand.places('write');
      const answer = await run({ run: script, places: { env: { ...env, PATH: `${bin}:${env['PATH']}` } } });
      expect(answer.stdout).toBe('x\n');
    });

    it('gets all of a large input, and all of its output comes out', async () => {
      const input = 'a line of input, with an é and a 漢\n'.repeat(200_000);
      const answer = await run({ run: 'cat; echo end >&2', input });
      expect(createHash('sha256').update(answer.stdout).digest('hex')).toBe(
        createHash('sha256').update(input).digest('hex'),
      );
      expect(answer.stderr).toBe('end\n');
    });

    it.each<[string, string, Partial<Answer>]>([
      ['success', 'exit 0', { code: 0 }],
      ['an exit code', 'exit 42', { code: 42 }],
      ['a signal', 'kill -TERM $$', { code: 143 }],
      ['a kill', 'kill -KILL $$', { code: 137 }],
      ['a missing program', 'exec /does/not/exist 2>/dev/null', { code: 127 }],
    ])('ends with %s', async (_, script, expected) => {
      expect(await run({ run: script })).toMatchObject({ ...expected, signal: null, stderr: '' });
    });
  });

  describe('coming to an end', () => {
    /** A length of sleep that no other process on this machine has. */
    let marks = 0;
    const newMark = () => `98${process.pid}.${kind === 'root' ? 1 : 2}${(marks += 1)}`;

    it('leaves nothing behind, however it was started', async () => {
      const mark = newMark();
      const script = `setsid sleep ${mark} & (setsid nohup sleep ${mark} >/dev/null 2>&1 &)
        node -e 'require("child_process").spawn("sleep", ["${mark}"], {detached: true, stdio: "ignore"}).unref()'
        while [ "$(pgrep -c -f 'sleep ${mark}')" -lt 3 ]; do :; done; echo started`;
      const answer = await run({ run: script });
      expect(answer).toMatchObject({ code: 0, stdout: 'started\n' });
      expect(processesWith(mark)).toEqual([]);
    });

    it('hears the signal that asks it to stop, and its answer is passed on', async () => {
      const script = 'trap "echo stopping; exit 7" TERM; echo ready; while :; do sleep 0.05; done';
      const answer = await run({ run: script, onReady: 'SIGTERM' });
      expect(answer).toMatchObject({ code: 7, stdout: 'ready\nstopping\n' });
    });

    it('ends wholly when its group is killed, deaf and detached children too', async () => {
      const mark = newMark();
      const script = `trap '' TERM; setsid sh -c 'trap "" TERM; sleep ${mark}' & sleep ${mark} & echo ready; wait`;
      await run({ run: script, onReady: 'SIGKILL' });
      await until(() => processesWith(mark).length === 0);
      expect(processesWith(mark)).toEqual([]);
    });

    it('ends by the clock of the run, with all it started', async () => {
      const mark = newMark();
      const script = `trap '' TERM; setsid sleep ${mark} & echo ready; while :; do sleep 0.1; done`;
      const answer = await run({ run: script, limits: { totalMs: 1000, graceMs: 100, killMs: 300 } });
      expect(answer).toMatchObject({ stdout: 'ready\n', exit: { kind: 'ended', why: 'timeout' } });
      await until(() => processesWith(mark).length === 0);
      expect(processesWith(mark)).toEqual([]);
    });

    it('shows its key in no command line, and ends when the action itself is killed', async () => {
      const mark = newMark();
      const script = `trap '' TERM; setsid sleep ${mark} & echo ready; sleep ${mark}`;
      const action = stand.start({ how, run: script, onReady: 'tell' });
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
  });

  describe('where it is not possible', () => {
    if (kind === 'root') {
      it('says that root lacks the rights', async () => {
        const before = ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin', '--'];
        expect(await stand.answer({ how: 'probe', before })).toEqual({
          kind: 'unavailable',
          why: expect.stringMatching(/^Root may not make namespaces here.*CAP_SYS_ADMIN/),
        });
      });
      return;
    }
    it('says that sudo asks for a password', async () => {
      const name = account.kind === 'user' ? account.name : '';
      allowSudo(name, false);
      try {
        expect(await stand.answer({ how: 'probe' })).toEqual({
          kind: 'unavailable',
          why: expect.stringMatching(/not root, and its sudo asks for a password/),
        });
      } finally {
        allowSudo(name, true);
      }
    });

    it('says that sudo cannot work', async () => {
      expect(await stand.answer({ how: 'probe', before: ['setpriv', '--no-new-privs', '--'] })).toEqual({
        kind: 'unavailable',
        why: expect.stringMatching(/started with no_new_privs/),
      });
    });
  });
});
