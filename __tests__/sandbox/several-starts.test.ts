import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPolicy } from '../../src/permissions/policy.js';
import {
  openSandbox,
  parseHostLine,
  probeMachine,
  type AgentStart,
  type Machine,
  type Sandbox,
  type SandboxPlan,
} from '../../src/sandbox/index.js';
import { picture, scratchFolder, scratchRepository } from './layer/scratch-repository.js';

const PATH = '/usr/local/bin:/usr/bin:/bin';
const AGENTS = [0, 1, 2, 3, 4];
const isolated = process.platform === 'linux' && process.getuid?.() === 0;
const KINDS = isolated
  ? (['overlay', 'isolated copy', 'not isolated'] as const)
  : (['not isolated'] as const);

const open: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of open.splice(0)) sandbox.close();
});

async function openWith(kind: (typeof KINDS)[number], changes: Partial<SandboxPlan> = {}) {
  const root = scratchRepository();
  const folder = scratchFolder();
  const wanted = { isolation: kind === 'not isolated' ? 'off' : 'required', network: 'auto' } as const;
  const probed = await probeMachine(wanted, { checkout: root, scratch: join(folder, 'probe') });
  const machine: Machine =
    probed.kind === 'isolated' && kind === 'isolated copy' ? { ...probed, layer: 'copy' } : probed;
  mkdirSync(join(folder, 'context'));
  const rule = parseHostLine('vendor.example:443');
  const rules = 'rule' in rule ? [rule.rule] : [];
  const refused: string[] = [];
  const sandbox = openSandbox({
    machine,
    folder: join(folder, 'sandbox'),
    checkout: { top: root, directory: root, git: undefined, gitEntries: ['.git'] },
    access: 'read',
    runsCommands: false,
    hide: [],
    plant: () => ({ '.cursor/cli.json': '{}' }),
    homeFiles: ({ home }) => ({ 'own.txt': home }),
    keep: ['chats'],
    policy: buildPolicy({ preset: 'review', allow: [], deny: [] }),
    hook: undefined,
    program: '/bin/sh',
    readable: [join(folder, 'context')],
    hidden: [folder],
    environment: ({ home, temp }) => ({ PATH, HOME: home, TMPDIR: temp }),
    commandEnvironment: ({ home, temp }) => ({ PATH, HOME: home, TMPDIR: temp }),
    hosts: { agent: rules, vendor: rules, commands: [] },
    env: { PATH },
    isSecret: () => false,
    onRefused: ({ host }) => refused.push(host),
    onProgress: () => undefined,
    ...changes,
  });
  open.push(sandbox);
  return { root, sandbox, refused, machine, folder };
}

const QUIET = {
  ...{ onStdout: () => undefined, onStderr: () => undefined },
  ...{ hasResult: () => false, hasSubagent: () => false, patienceMs: () => Infinity },
};
const LIMITS = { totalMs: 20_000, graceMs: 0, subagentMs: 0, cancel: new AbortController().signal };

/** Runs a script in a seat. What it prints is returned line by line. */
async function act(
  sandbox: Sandbox,
  script: string,
  {
    cancel = new AbortController().signal,
    totalMs = 20_000,
    ...start
  }: Partial<AgentStart> & { cancel?: AbortSignal; totalMs?: number } = {},
) {
  let stdout = '';
  const watcher = {
    onStdout: (chunk: Buffer) => void (stdout += chunk.toString('utf8')),
    onStderr: () => undefined,
    hasResult: () => false,
    hasSubagent: () => false,
    patienceMs: () => Infinity,
  };
  const ended = await sandbox.run(
    { args: ['-c', script], env: {}, input: '', from: 'checkout', continuesChat: false, ...start },
    watcher,
    { totalMs, graceMs: 0, subagentMs: 0, cancel },
  );
  return { ...ended, lines: stdout.trimEnd().split('\n') };
}

describe.each(KINDS)('five agents at the same time (%s)', (kind) => {
  it('have a home, temporary files and a process tree each, and see the same checkout', async () => {
    const { root, sandbox } = await openWith(kind);
    const before = picture(root);
    const script = `echo "$HOME"; echo "$TMPDIR"; cat "$HOME/own.txt"; echo; head -n 1 README.md
      : > "$HOME/mine-$SEAT"; : > "$TMPDIR/mine-$SEAT"; sleep 0.5
      ls "$HOME" "$TMPDIR" | grep mine | sort -u; cat .cursor/cli.json; echo
      ls -d "$HOME/../../../"*/own/home/mine-* 2>/dev/null | wc -l
      (: > written-$SEAT) 2>/dev/null && echo wrote || echo refused`;
    const starts = await Promise.all(
      AGENTS.map((seat) => act(sandbox, script, { seat, env: { SEAT: String(seat) } })),
    );
    const homes = starts.map(({ lines }) => lines[0]);
    expect(new Set(homes).size).toBe(5);
    expect(new Set(starts.map(({ lines }) => lines[1])).size).toBe(5);
    const isIsolated = kind !== 'not isolated';
    for (const [seat, { exit, lines }] of starts.entries()) {
      expect(exit).toEqual({ kind: 'exited', code: 0 });
      expect(lines.slice(2)).toEqual([
        homes[seat],
        '# Readme',
        `mine-${seat}`,
        '{}',
        // Without isolation nothing keeps a program from looking.
        isIsolated ? '1' : expect.stringMatching(/^[1-5]$/),
        isIsolated ? 'refused' : 'wrote',
      ]);
    }
    expect(picture(root)).toEqual(before);
    const { violations } = sandbox.inspect(() => []);
    expect(violations.map(({ path }) => path).sort()).toEqual(
      isIsolated ? [] : AGENTS.map((seat) => `written-${seat}`),
    );
  });

  it('are not held up by one that hangs, and all end within seconds when the job is cancelled', async () => {
    const { sandbox } = await openWith(kind);
    const cancelling = new AbortController();
    const { signal: cancel } = cancelling;
    const stubborn = `trap '' TERM INT HUP; (trap '' TERM; setsid sh -c 'trap "" TERM; sleep 1000') & echo "$TMPDIR"; while :; do sleep 1; done`;
    const hanging = act(sandbox, stubborn, { seat: 0, cancel, totalMs: 60_000 });
    const others = await Promise.all(
      [1, 2].map((seat) => act(sandbox, 'echo done', { seat, cancel, totalMs: 60_000 })),
    );
    expect(others.map(({ lines }) => lines)).toEqual([['done'], ['done']]);
    const more = [1, 2, 3, 4].map((seat) => act(sandbox, stubborn, { seat, cancel, totalMs: 60_000 }));
    await new Promise((done) => setTimeout(done, 1500));
    const startedAt = performance.now();
    cancelling.abort();
    const all = await Promise.all([hanging, ...more]);
    expect(performance.now() - startedAt).toBeLessThan(6500);
    for (const { exit } of all) expect(exit).toMatchObject({ kind: 'ended', why: 'cancelled' });
    expect(runningWith(all.map(({ lines }) => lines[0] ?? ''))).toEqual([]);
  });

  it('are refused where one of them may write, and where two share a seat', async () => {
    const reading = await openWith(kind);
    const first = act(reading.sandbox, 'sleep 0.5', { seat: 1 });
    await expect(act(reading.sandbox, 'true', { seat: 1 })).rejects.toThrow('each in its own seat');
    await first;
    const writing = await openWith(kind, { access: 'write' });
    const writer = act(writing.sandbox, 'sleep 0.5', { seat: 0 });
    await expect(act(writing.sandbox, 'true', { seat: 1 })).rejects.toThrow('Only agents that do not write');
    await writer;
  });

  it('find the chats of their own last start, and of no other seat', async () => {
    const { sandbox } = await openWith(kind);
    await Promise.all(
      [0, 1].map((seat) =>
        act(sandbox, `mkdir "$HOME/chats"; echo ${seat} > "$HOME/chats/id"; : > "$HOME/other"`, { seat }),
      ),
    );
    const next = await Promise.all(
      [0, 1].map((seat) =>
        act(sandbox, 'cat "$HOME/chats/id"; ls "$HOME"', { seat, from: 'left', continuesChat: true }),
      ),
    );
    expect(next.map(({ lines }) => lines)).toEqual([0, 1].map((seat) => [String(seat), 'chats', 'own.txt']));
    const fresh = await act(sandbox, 'ls "$HOME"', { seat: 0 });
    expect(fresh.lines).toEqual(['own.txt']);
  });

  it('answer for what they wrote, also if another one starts from the checkout after them', async () => {
    const { root, sandbox } = await openWith(kind);
    // Without isolation they can also find the checkout itself, which stays as they left it.
    const inCheckout = kind === 'not isolated' ? `echo x > ${root}/src/in-checkout` : 'true';
    const write = `echo x 2>/dev/null > written; echo "{ }" 2>/dev/null > .cursor/cli.json; ${inCheckout}`;
    await Promise.all([0, 1].map((seat) => act(sandbox, write, { seat })));
    const { lines } = await act(sandbox, 'ls; cat .cursor/cli.json', { seat: 0 });
    expect(lines).not.toContain('written');
    expect(lines.at(-1)).toBe('{}');
    const { violations } = sandbox.inspect(() => []);
    expect(violations.map(({ path }) => path).sort()).toEqual(
      kind === 'not isolated' ? ['.cursor/cli.json', 'src/in-checkout', 'written'] : [],
    );
  });
});

(isolated ? it : it.skip)(
  'blames no agent that was never started for files that are not in place',
  async () => {
    const { sandbox, folder } = await openWith('overlay');
    // Without them the isolation cannot be set up.
    rmSync(join(folder, 'sandbox', 'layer', 'planted', '.cursor'), { recursive: true });
    for (const seat of [0, 1])
      await expect(act(sandbox, 'true', { seat })).rejects.toMatchObject({ reason: 'isolation-unavailable' });
    expect(sandbox.inspect(() => []).violations).toEqual([]);
  },
);

it('shows commands no .git that cannot be copied without its credentials', async () => {
  const { sandbox, root } = await openWith('not isolated');
  expect(existsSync(join(root, '.git', 'config'))).toBe(true);
  const tree = sandbox.openCleanTree({ changes: [], sourceOf: ({ path }) => path });
  const exit = await tree.run(
    { file: '/bin/sh', args: ['-c', 'test -e README.md && test ! -e .git'], env: {}, folder: '' },
    QUIET,
    LIMITS,
  );
  expect(exit).toEqual({ kind: 'exited', code: 0 });
});

(isolated ? describe : describe.skip)('the network of five agents', () => {
  it('is closed for each, with a ledger of its own', async () => {
    const { sandbox, refused } = await openWith('overlay');
    const ask = `node -e '
      const net = require("net"), { port } = new URL(process.env.HTTPS_PROXY);
      const socket = net.connect(port, "127.0.0.1", () => socket.write("CONNECT host-" + process.env.SEAT + ".example:443 HTTP/1.1\\r\\n\\r\\n"));
      socket.on("data", (data) => { console.log(String(data).split("\\r")[0]); socket.destroy(); });'`;
    const environment: SandboxPlan['environment'] = ({ home, temp }) => ({
      PATH: `${join(process.execPath, '..')}:${PATH}`,
      HOME: home,
      TMPDIR: temp,
    });
    const other = await openWith('overlay', { environment });
    const starts = await Promise.all(
      AGENTS.map((seat) => act(other.sandbox, ask, { seat, env: { SEAT: String(seat) } })),
    );
    for (const [seat, { lines, network }] of starts.entries()) {
      expect(lines).toEqual(['HTTP/1.1 403 Forbidden']);
      expect(network?.refused.map(({ host }) => host)).toEqual([`host-${seat}.example:443`]);
    }
    expect(other.sandbox.record().network?.refused).toHaveLength(5);
    expect(other.refused).toHaveLength(5);
    const tree = other.sandbox.openCleanTree({ changes: [], sourceOf: ({ path }) => path });
    const node = { file: '/bin/sh', args: ['-c', `PATH=${join(process.execPath, '..')}:$PATH; ${ask}`] };
    await tree.run({ ...node, env: { SEAT: 'of-a-command' }, folder: '' }, QUIET, LIMITS);
    expect(other.sandbox.record().network?.refused.map(({ host }) => host)).toContain(
      'host-of-a-command.example:443',
    );
    expect([sandbox.record().network?.refused, refused]).toEqual([[], []]);
  });
});

it('leaves nothing if it cannot be opened, and may be closed twice', async () => {
  const folder = scratchFolder();
  await expect(
    openWith('not isolated', {
      folder: join(folder, 'sandbox'),
      plant: () => {
        throw new Error('No disk.');
      },
    }),
  ).rejects.toThrow('No disk.');
  expect(existsSync(join(folder, 'sandbox', 'layer'))).toBe(false);
  const { sandbox } = await openWith('not isolated');
  sandbox.close();
  sandbox.close();
});

/** Processes that have one of these temporary folders in their environment. */
function runningWith(temps: readonly string[]): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      const environ = readFileSync(`/proc/${pid}/environ`, 'utf8');
      return temps.some((temp) => temp !== '' && environ.includes(`TMPDIR=${temp}\0`));
    } catch {
      return false;
    }
  });
}
