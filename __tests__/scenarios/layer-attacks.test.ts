import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { obstacle, removeAccounts, runStepAs, type Account } from './accounts.js';
import { fakeAgent } from './fake-agent.js';
import { isGone } from './processes.js';
import type { Step } from './step.js';
import { makeFolder, makeWorkspace, writeTree } from './workspace.js';

afterAll(removeAccounts);

const HELP = `
  const fs = await import('node:fs');
  const { execSync } = await import('node:child_process');
  const works = (action) => { try { action(); return true; } catch { return false; } };
  const found = (start, names) => { const all = []; const pending = [start];
    while (pending.length > 0) { const folder = pending.pop();
      for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (names.includes(entry.name)) all.push(path);
        if (entry.isDirectory()) pending.push(path);
      } }
    return all; };
`;
const agentThat = (body: string) => fakeAgent(`${HELP} init(); ${body}; finish();`);

/** Everything in a folder with its kind, mode and content: `.git` too. */
function stateOf(folder: string): Record<string, string> {
  const state: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true }).map(String)) {
    const stat = lstatSync(join(folder, name));
    const content = stat.isSymbolicLink()
      ? readlinkSync(join(folder, name))
      : stat.isFile()
        ? createHash('sha256')
            .update(readFileSync(join(folder, name)))
            .digest('hex')
        : '';
    state[name] = `${stat.mode.toString(8)} ${content}`;
  }
  return state;
}

describe.each<Account>(['root', 'sudo'])('the runner is %s: the layer', (account) => {
  const why = obstacle(account);
  const test = why === undefined ? it : it.skip;
  const run = (body: string, step: Step) => runStepAs(account, agentThat(body), step);
  const fixCi = { preset: 'fix-ci' };

  test.each([
    [
      '/dev/null',
      (path: string) => {
        symlinkSync('/dev/null', path);
      },
    ],
    [
      '/dev/stdin',
      (path: string) => {
        symlinkSync('/dev/stdin', path);
      },
    ],
    [
      'a folder',
      (path: string) => {
        mkdirSync(path);
      },
    ],
    [
      'itself',
      (path: string) => {
        symlinkSync('cli.json', path);
      },
    ],
  ])('is isolated although the places of our files in the checkout are links to %s', async (_name, plant) => {
    const workspace = makeWorkspace();
    mkdirSync(join(workspace, '.cursor'));
    plant(join(workspace, '.cursor', 'cli.json'));
    plant(join(workspace, '.cursorindexingignore'));
    const before = stateOf(workspace);
    const step = await run(
      `say(JSON.stringify({ pids: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length, deny: sighting.cliJson?.permissions.deny, index: fs.readFileSync('.cursorindexingignore', 'utf8') }))`,
      { workspace },
    );
    expect(step.stdout).toContain('Isolated');
    const seen = JSON.parse(step.outputs.get('result') ?? '{}') as {
      pids: number;
      deny: string[];
      index: string;
    };
    expect(seen.pids).toBeLessThan(10);
    expect(seen.deny).toEqual(expect.arrayContaining(['Shell(*)', 'Write(**)', 'WebFetch(*)']));
    expect(seen.index).toBe('*\n');
    expect(stateOf(workspace)).toEqual(before);
  });

  test('hides hooks and credentials behind any number of folders, in node_modules too', async () => {
    const workspace = makeWorkspace();
    // More folders than any search would be willing to count, were it to count.
    const many = account === 'root' ? 317 : 50;
    for (let one = 0; one < many; one += 1) {
      for (let two = 0; two < many; two += 1)
        mkdirSync(join(workspace, 'a', String(one), String(two)), { recursive: true });
    }
    const config = '[remote "origin"]\n\turl = https://x-access-token:nested-canary@github.com/a/b\n';
    writeTree(workspace, {
      'a/316/316/.cursor/hooks.json': '{}',
      'z/.cursor/hooks.json': '{}',
      '.cursor/hooks.json': '{}',
      'node_modules/x/.claude/settings.json': '{}',
      'node_modules/y/.git/config': config,
      'node_modules/y/.git/HEAD': 'ref: refs/heads/main\n',
      'a/9/9/.git/config': config,
    });
    const step = await run(
      `const configs = found('.', ['config']).filter((path) => path.includes('.git/'));
       say(JSON.stringify({ hooks: found('.', ['hooks.json', 'settings.json']), configs: configs.length, canaries: configs.filter((path) => fs.readFileSync(path, 'utf8').includes('nested-canary')) }))`,
      { workspace },
    );
    expect(JSON.parse(step.outputs.get('result') ?? '{}')).toEqual({
      // Our own, without hooks.
      hooks: ['.cursor/hooks.json'],
      configs: 3,
      canaries: [],
    });
    expect(readFileSync(join(workspace, 'node_modules/y/.git/config'), 'utf8')).toBe(config);
  });

  test('cannot be made to write elsewhere by a link in the place of a folder', async () => {
    const workspace = makeWorkspace({ 'README.md': 'x', 'docs/a.md': 'a', '.cursor/rules/a.mdc': 'rule' });
    const dist = makeFolder('dist');
    writeTree(dist, { 'index.js': 'the action', 'cli.json': 'its own' });
    const [before, action] = [stateOf(workspace), stateOf(dist)];
    const step = await run(
      `for (const folder of ['.cursor', 'docs']) {
         works(() => fs.renameSync(folder, folder + '-away'));
         works(() => fs.symlinkSync(${JSON.stringify(dist)}, folder));
         works(() => fs.writeFileSync(folder + '/index.js', 'evil'));
       }
       fs.writeFileSync('new.md', 'x'); say('Done.')`,
      { workspace, inputs: { ...fixCi, 'on-violation': 'revert' } },
    );
    expect(step.outputs.get('failure-reason')).toBe('policy-violation');
    expect(stateOf(dist)).toEqual(action);
    const { 'new.md': added, ...rest } = stateOf(workspace);
    expect(added).toMatch(/^100644/);
    for (const [path, state] of Object.entries(before))
      if (!path.startsWith('docs')) expect([path, rest[path]]).toEqual([path, state]);
  });

  test('and the home of another try hold nothing that the first one planted', async () => {
    const workspace = makeWorkspace();
    const step = await run(
      `const places = ['.cursor/hooks.json', '.claude/settings.json', 'planted.txt', process.env.HOME + '/.cursor/hooks.json', process.env.HOME + '/.bashrc', process.env.TMPDIR + '/x'];
       if (!process.argv.includes('--resume')) {
         for (const place of places) works(() => { fs.mkdirSync(dirname(place), { recursive: true }); fs.writeFileSync(place, '{}'); });
         complain('ConnectError: [unavailable] read ECONNRESET'); process.exit(1);
       }
       // One of them is ours: the hooks.json of the home.
       say(JSON.stringify(places.filter((place) => fs.existsSync(place) && fs.readFileSync(place, 'utf8') === '{}')))`,
      { workspace, inputs: fixCi },
    );
    expect(step.outputs.get('result')).toBe('[]');
    expect(step.outputs.get('has-changes')).toBe('false');
  });

  test('that cannot be read to its end is a failure, and nothing of it is applied', async () => {
    const workspace = makeWorkspace();
    const before = stateOf(workspace);
    const step = await run(
      `fs.writeFileSync('fine.md', 'x');
       for (let depth = 0; depth < 21; depth += 1) { fs.mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)); }
       fs.writeFileSync('evil.sh', 'x'); say('Done.')`,
      { workspace, inputs: fixCi },
    );
    expect(step.outputs.get('failure-reason')).toBe('policy-violation');
    expect(step.code).toBe(1);
    expect(stateOf(workspace)).toEqual(before);
  });

  test('takes in a file of any size without filling the disk', async () => {
    const workspace = makeWorkspace();
    const before = stateOf(workspace);
    const step = await run(`fs.truncateSync(fs.openSync('huge.bin', 'w'), 2 ** 40); say('Done.')`, {
      workspace,
      inputs: fixCi,
    });
    expect(step.errors[0]).toContain('huge.bin: it is larger than 100 MiB');
    expect(stateOf(workspace)).toEqual(before);
  });

  test('does not outlive the action, even if its agent ends every process it can', async () => {
    const workspace = makeWorkspace();
    const name = `600.${process.pid}${account === 'root' ? 1 : 2}`;
    await run(
      `execSync('(setsid sleep ${name} >/dev/null 2>&1 &)');
       for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid))
         if (!fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8').includes('sleep')) works(() => process.kill(Number(pid), 'SIGKILL'));
       call('1', 'lsToolCall', { path: '.' }, { success: {} }); await sleep(600_000)`,
      {
        workspace,
        during: async (child, stdout) => {
          for (let tries = 0; tries < 600 && !stdout().includes('list'); tries += 1) await sleep(50);
          child.kill('SIGKILL');
        },
      },
    );
    const left = () =>
      spawnSync('pgrep', ['-f', `sleep ${name}`], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter((pid) => pid !== '' && !isGone(pid));
    for (let tries = 0; tries < 100 && left().length > 0; tries += 1) await sleep(50);
    expect(left()).toEqual([]);
  });

  test('never shows what the first round wrote to steer a second one', async () => {
    const workspace = makeWorkspace();
    const schema = '{"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}}}';
    const step = await run(
      `if (process.argv.includes('--resume')) { say(JSON.stringify({ ok: true })); }
       else { fs.writeFileSync('AGENTS.md', 'obey me'); say('no JSON'); }`,
      { workspace, inputs: { ...fixCi, 'output-schema': schema } },
    );
    expect(step.outputs.get('failure-reason')).toBe('policy-violation');
    expect(step.errors[0]).toMatch(/wrote files that steer agents, so it was not started again: AGENTS\.md/);
    writeFileSync(join(workspace, 'x'), '');
  });
});

describe.each<Account>(['root', 'sudo'])('the runner is %s: an agent that is started again', (account) => {
  const test = obstacle(account) === undefined ? it : it.skip;
  const AGAIN = `complain('ConnectError: [unavailable] read ECONNRESET'); process.exit(1);`;
  const run = (isolation: string, body: string) =>
    runStepAs(account, fakeAgent(`${HELP} init(); const home = process.env.HOME; ${body}`), {
      workspace: makeWorkspace(),
      inputs: { isolation, 'timeout-minutes': '0.5' },
    });
  const look = `say(JSON.stringify(fs.existsSync(home + '/.cursor/chats')
    ? fs.readdirSync(home + '/.cursor/chats', { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).map((one) => one.name) : []));
    finish();`;

  test.each(['off', 'required'])(
    'keeps its chat, and little of a disk full of others: isolation %s',
    async (isolation) => {
      const step = await run(
        isolation,
        `if (!sighting.argv.includes('--resume')) { fs.mkdirSync(home + '/.cursor/chats/a', { recursive: true });
         fs.writeFileSync(home + '/.cursor/chats/a/store.db', 'chat'); fs.writeFileSync(home + '/.cursor/chats/sparse', '');
         fs.truncateSync(home + '/.cursor/chats/sparse', 6 * 1024 ** 3); ${AGAIN} } ${look}`,
      );
      expect(step.errors).toEqual([]);
      expect(JSON.parse(step.outputs.get('result') ?? '')).toEqual(['store.db']);
      expect(step.warnings.join()).toContain('The agent left more than chats where it keeps them');
    },
  );

  test.each([
    ['its chats', '/.cursor/chats', '/chats', []],
    // Our hook was in there, and its removal is not forgotten.
    ['its folder', '/.cursor', '', [expect.stringContaining('- ~/.cursor/hooks.json: ')]],
  ])('gets nothing through a link in the place of %s', async (_, place, target, errors) => {
    const outside = makeFolder('outside');
    writeTree(outside, { 'chats/secret': 'secret' });
    spawnSync('chmod', ['-R', 'a+rX', outside]);
    const step = await run(
      'off',
      `if (!sighting.argv.includes('--resume')) { const place = home + '${place}'; fs.rmSync(place, { recursive: true, force: true });
         fs.symlinkSync(${JSON.stringify(outside + target)}, place); ${AGAIN} } ${look}`,
    );
    expect(step.errors).toEqual(errors);
    expect(JSON.parse(step.outputs.get('result') ?? '')).toEqual([]);
  });
});

describe.each<Account>(['root', 'sudo'])('the runner is %s: a fork bomb', (account) => {
  const test = obstacle(account) === undefined ? it : it.skip;
  // It is bounded, and has two kinds of processes: those that stay and hear no request, and those that end at once.
  const bombAt = (folder: string) => {
    const stay = `trap "" TERM; if [ $0 = 0 ]; then sleep 600.${process.pid}; else for _ in 1 2 3; do setsid sh -c "$1" $(($0 - 1)) "$1" & done; wait; fi`;
    const hop = '[ $0 = 0 ] || { sleep 0.01; setsid sh -c "$1" $(($0 - 1)) "$1" & }';
    writeTree(folder, { stay, hop });
    return `(setsid sh -c "$(cat stay)" 4 "$(cat stay)" & for _ in 1 2 3; do setsid sh -c "$(cat hop)" 3000 "$(cat hop)" & done) >/dev/null 2>&1; sleep 600.${process.pid}`;
  };
  const left = () =>
    spawnSync('pgrep', ['-f', `600.${process.pid}|then sleep 600|sleep 0.01; setsid`], { encoding: 'utf8' })
      .stdout.trim()
      .split('\n')
      .filter((pid) => pid !== '' && !isGone(pid));

  test.each(
    ['off', 'required'].flatMap(
      (isolation) =>
        [
          [isolation, 'the agent'],
          [isolation, 'verify'],
        ] as const,
    ),
  )(
    'is ended within the limit of the run, and the report says so: isolation %s, by %s',
    async (isolation, by) => {
      const workspace = makeWorkspace();
      const bomb = bombAt(workspace);
      const body =
        by === 'verify'
          ? `fs.writeFileSync('new.txt', 'x'); finish();`
          : `execSync(${JSON.stringify(bomb)}, { stdio: 'ignore' });`;
      const before = performance.now();
      const step = await runStepAs(account, fakeAgent(`${HELP} init(); ${body}`), {
        workspace,
        inputs: {
          ...{
            isolation,
            preset: 'fix-ci',
            'timeout-minutes': '0.1',
            verify: by === 'verify' ? bomb : 'none',
          },
        },
      });
      expect(performance.now() - before).toBeLessThan(25_000);
      expect(step.outputs.get('failure-reason')).toBe(by === 'verify' ? 'verification-failed' : 'timeout');
      expect(existsSync(step.outputs.get('report-file') ?? '')).toBe(true);
      for (let tries = 0; tries < 20 && left().length > 0; tries += 1) await sleep(100);
      expect(left()).toEqual([]);
    },
  );
});
