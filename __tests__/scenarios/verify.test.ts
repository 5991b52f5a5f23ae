import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, utimesSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { obstacle, removeAccounts, runStepAs, type Account } from './accounts.js';
import { fakeAgent } from './fake-agent.js';
import { NOT_PERMITTED, withUnshare, worksTimes } from './set-up-program.js';
import { API_KEY, type Step } from './step.js';
import { missing } from './toolchains.js';
import { git, makeFolder, makeWorkspace, writeTree } from './workspace.js';

afterAll(removeAccounts);

const canIsolate =
  process.platform === 'linux' &&
  spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '--make-rprivate', '/']).status === 0;

/** A small project with a test that fails. */
const PROJECT = {
  'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
  'sum.js': 'export const sum = (a, b) => a - b;\n',
  'sum.test.js': [
    "import { test } from 'node:test';",
    "import assert from 'node:assert';",
    "import { sum } from './sum.js';",
    "test('adds', () => {",
    '  assert.equal(sum(1, 2), 3);',
    '});',
    '',
  ].join('\n'),
};
const FIX = "writeFileSync('sum.js', 'export const sum = (a, b) => a + b;\\n');";
const isResumed = "sighting.argv.includes('--resume')";

async function run(
  body: string,
  inputs: Record<string, string> = {},
  { account = 'root', ...step }: Step & { account?: Account } = {},
) {
  const workspace = step.workspace ?? makeWorkspace(PROJECT);
  const agent = fakeAgent(
    `const { writeFileSync, rmSync } = await import('node:fs'); init(); ${body}; say('Repaired.'); finish('Repaired.');`,
  );
  const result = await runStepAs(account, agent, {
    ...step,
    workspace,
    inputs: {
      preset: 'fix-ci',
      verify: 'node --test',
      isolation: canIsolate ? 'required' : 'off',
      ...inputs,
    },
  });
  const report = JSON.parse(readFileSync(result.outputs.get('report-file') ?? '', 'utf8')) as {
    verification: { state: string; rounds: { results: { exit: unknown; output: string }[] }[] };
  };
  return { result, workspace, agent, report };
}

describe('a change that is verified', () => {
  it('is applied with the evidence, and nothing of what the commands wrote', async () => {
    const { result, workspace, report } = await run(FIX, {
      verify: 'node --test\necho built > built.txt; echo evil > sum.js\ntest -e built.txt',
    });
    expect(result.errors).toEqual([]);
    expect(result.outputs.get('verification')).toBe('passed');
    expect(result.outputs.get('changed-files')).toBe('["sum.js"]');
    expect(git(workspace, 'status', '--porcelain')).toBe(' M sum.js\n');
    expect(readFileSync(join(workspace, 'sum.js'), 'utf8')).toContain('a + b');
    expect(report.verification.rounds[0]?.results).toHaveLength(3);
    expect(result.summary).toContain('Verified');
    expect(result.summary).toContain('<code>node --test</code>');
    expect(readFileSync(result.outputs.get('report-html') ?? '', 'utf8')).toContain('3 commands passed');
  });

  it('can be one of the preset edit, whose agent runs no commands itself', async () => {
    const { result } = await run(FIX, { preset: 'edit' });
    expect([result.errors, result.outputs.get('verification')]).toEqual([[], 'passed']);
    expect(result.outputs.get('changed-files')).toBe('["sum.js"]');
  });

  it('goes back to the agent in the same chat, and is verified again', async () => {
    const { result, report } = await run(
      `if (${isResumed}) { if (sighting.stdin.includes('1 - 2') || sighting.stdin.includes('adds')) { ${FIX} } } else writeFileSync('notes.txt', 'x')`,
    );
    expect([result.errors, result.outputs.get('verification')]).toEqual([[], 'passed']);
    expect(report.verification.rounds).toHaveLength(2);
    expect(result.outputs.get('changed-files')).toBe('["notes.txt","sum.js"]');
  });

  it('fails the step if it still does not pass; the checkout stays as it was, and the patch is kept', async () => {
    const { result, workspace, report } = await run("writeFileSync('notes.txt', 'x')");
    expect(result.code).toBe(1);
    expect(result.outputs.get('failure-reason')).toBe('verification-failed');
    expect(result.outputs.get('verification')).toBe('failed');
    expect(report.verification.rounds).toHaveLength(2);
    expect(result.errors.join()).toContain('asked once to repair it');
    expect(git(workspace, 'status', '--porcelain')).toBe('');
    expect(readFileSync(result.outputs.get('rejected-patch-file') ?? '', 'utf8')).toContain('notes.txt');
    expect(result.summary).toContain('verification-failed');
  });

  it('does not exist if nothing was changed', async () => {
    const { result } = await run('');
    expect([result.outputs.get('status'), result.outputs.get('verification')]).toEqual(['success', 'none']);
  });
});

describe('a command that verifies', () => {
  it('is stopped when its share of the time is over, with everything it started', async () => {
    const { result, report } = await run(FIX, {
      verify: '(sleep 300; echo late) &\necho begun; sleep 300',
      'timeout-minutes': '0.1',
    });
    expect(result.outputs.get('failure-reason')).toBe('verification-failed');
    const [first, second] = report.verification.rounds[0]?.results ?? [];
    expect([first?.exit, second]).toMatchObject([
      { kind: 'exited', code: 0 },
      { exit: { kind: 'ended', why: 'timeout' }, output: 'begun' },
    ]);
    expect(spawnSync('pgrep', ['-fx', 'sleep 300']).stdout.toString()).toBe('');
  });

  (obstacle('root') === undefined ? it : it.skip)(
    'is not run if it cannot be isolated any more',
    async () => {
      const { result, workspace, report } = await run(
        FIX,
        { verify: 'echo ran' },
        // The probe, the command before the agent, and the agent.
        { before: withUnshare(worksTimes(3, NOT_PERMITTED)) },
      );
      expect(result.outputs.get('failure-reason')).toBe('isolation-unavailable');
      expect(result.errors.join()).toContain('could not be isolated, so they were not run');
      expect(report.verification).toMatchObject({ state: 'none', rounds: [] });
      expect(git(workspace, 'status', '--porcelain')).toBe('');
      expect(readFileSync(result.outputs.get('rejected-patch-file') ?? '', 'utf8')).toContain('a + b');
    },
  );

  it('prints text only', async () => {
    const { result } = await run(FIX, {
      verify: `printf '::error::forged\\n##[error]forged\\n\\033[31m<script>alert(1)</script> @everyone\\n::set-output name=status::x\\n'; exit 1`,
    });
    expect(result.errors.join()).not.toMatch(/^::error::forged/m);
    expect(result.stdout).not.toMatch(/^\s*(::error::forged|##\[error\]forged)/m);
    expect(result.summary).toContain('forged');
    expect(readFileSync(result.outputs.get('report-html') ?? '', 'utf8')).not.toContain('<script>alert(1)');
  });

  (canIsolate ? describe : describe.skip)('and is hostile', () => {
    const HOSTILE = [
      'env > env.txt; cat env.txt',
      'for f in "$GITHUB_ENV" "$HOST_ENV"; do echo EVIL=1 >> "$f" && echo "wrote $f"; done; true',
      'echo evil > .git/hooks/post-checkout && echo "wrote .git"; true',
      'ls -A "$HOME"; cat "$HOME/.cursor/cli-config.json" && echo "saw the home"; true',
    ].join('\n');

    const judge = async (account: Account) => {
      const env = { MY_TOKEN: 'token-of-mine-0123456789' };
      const { result, workspace, report } = await run(
        FIX,
        { verify: HOSTILE, 'pass-env': 'MY_TOKEN' },
        { env, account },
      );
      expect([result.errors, result.outputs.get('verification')]).toEqual([[], 'passed']);
      const said = report.verification.rounds[0]?.results.map(({ output }) => output).join('\n') ?? '';
      expect(said).toContain('PATH=');
      expect(said).not.toMatch(/CURSOR_API_KEY|CURSOR_AUTH|MY_TOKEN|GITHUB_|ACTIONS_|wrote|saw/);
      expect(said).not.toContain(API_KEY);
      expect(existsSync(join(workspace, '.git/hooks/post-checkout'))).toBe(false);
      expect(result.outputs.get('changed-files')).toBe('["sum.js"]');
    };
    it('reaches no credential, no file of the runner and no .git', () => judge('root'));

    (obstacle('sudo') === undefined ? it : it.skip)('nor does it for an ordinary user with sudo', () =>
      judge('sudo'),
    );
  });
});

/** The project as a job has it before this action: an earlier step installed the test runner and ran the tests once. */
function makeInstalled(): string {
  const workspace = makeWorkspace({
    ...PROJECT,
    'sum.js': 'export const sum = (a, b) => a + b;\n',
    '.gitignore': 'node_modules\nbuild\n',
    Makefile: 'build/passed: sum.js sum.test.js\n\tnode --test && touch $@\n',
  });
  writeTree(workspace, {
    'node_modules/.bin/runner': '#!/bin/sh\necho "the installed runner"\nexec node --test\n',
    'build/passed': '',
  });
  chmodSync(join(workspace, 'node_modules/.bin/runner'), 0o755);
  const hourAgo = new Date(Date.now() - 3_600_000);
  for (const name of ['sum.js', 'sum.test.js']) utimesSync(join(workspace, name), hourAgo, hourAgo);
  return workspace;
}

const BREAK = "writeFileSync('sum.js', 'export const sum = (a, b) => a * b;\\n');";

interface Attack {
  name: string;
  /** A command that an agent can make succeed although its change is wrong. */
  command: string;
  attack: string;
  needs?: readonly string[];
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'a test runner that it replaced among ignored files',
    command: 'node_modules/.bin/runner',
    attack: "replace('node_modules/.bin/runner', '#!/bin/sh\\nexit 0\\n');",
  },
  {
    name: 'a stamp that it wrote among ignored files',
    command: 'make build/passed',
    attack: "replace('build/passed', ''); utimesSync('build/passed', soon, soon);",
    needs: ['make'],
  },
  {
    name: 'the time of a file that it changed',
    command: 'make build/passed',
    attack: "utimesSync('sum.js', longAgo, longAgo);",
    needs: ['make'],
  },
  {
    name: 'a stamp that the command leaves, when it runs again after the repair',
    command: 'test -e build/begun || (mkdir -p build && touch build/begun && node --test)',
    attack: "replace('build/begun', '');",
  },
  {
    name: 'an empty folder',
    command: 'test -d tested || node --test',
    attack: "mkdirSync('tested', { recursive: true });",
  },
  {
    name: 'an ignored file that it removed',
    command: 'test ! -e node_modules/.bin/runner || node --test',
    attack: "rmSync('node_modules', { recursive: true, force: true });",
  },
  {
    name: 'a tool in its home',
    command: 'PATH="$HOME/.local/bin:$PATH" node --test',
    attack: "replace(process.env.HOME + '/.local/bin/node', '#!/bin/sh\\nexit 0\\n');",
  },
  {
    name: 'a file in its home or its temporary folder',
    command: 'grep -qs passed "$HOME/.cache/tests" "$TMPDIR/tests" || node --test',
    attack:
      "for (const top of [process.env.HOME + '/.cache', process.env.TMPDIR]) replace(top + '/tests', 'passed');",
  },
];

/** The agent has a layer over the cache of the runner. Without isolation it has none of it. */
const SPOILED_CACHE: Attack = {
  name: 'a cache that it changed',
  command: 'grep -qs passed "$HOME/.cache/go-build/tests" || node --test',
  attack: "replace(process.env.HOME + '/.cache/go-build/tests', 'passed');",
};

/** Changes the code for the worse, attacks, and reports what the command says where the agent is. */
const attacking = ({ command, attack }: Attack) => `
  const { chmodSync, mkdirSync, utimesSync } = await import('node:fs');
  const { spawnSync } = await import('node:child_process');
  const [soon, longAgo] = [new Date(Date.now() + 3_600_000), new Date(0)];
  const replace = (path, text) => { mkdirSync(dirname(path), { recursive: true }); writeFileSync(path, text); chmodSync(path, 0o755); };
  ${BREAK} ${attack}
  say('for the agent it ended with ' + spawnSync('bash', ['-c', ${JSON.stringify(command)}]).status);`;

describe.each<{ title: string; account: Account; isolation: 'required' | 'off' }>([
  { title: 'isolated, as root', account: 'root', isolation: 'required' },
  { title: 'isolated, with sudo', account: 'sudo', isolation: 'required' },
  { title: 'isolated in a user namespace', account: 'user-namespace', isolation: 'required' },
  { title: 'not isolated', account: 'root', isolation: 'off' },
])('a verification ($title)', ({ account, isolation }) => {
  const why = isolation === 'required' ? obstacle(account) : undefined;
  if (why !== undefined) {
    it(`was not tried here: ${why}`, () => {
      expect(obstacle(account)).toBe(why);
    });
    return;
  }

  const verify = (body: string, command: string) => {
    const home = makeFolder('runner-home');
    writeTree(home, { '.cache/go-build/tests': 'failed' });
    const step = { account, workspace: makeInstalled(), env: { HOME: home } };
    return run(body, { verify: command, isolation }, step);
  };

  const attacks = isolation === 'required' ? [...ATTACKS, SPOILED_CACHE] : ATTACKS;
  for (const attack of attacks.filter(({ needs = [] }) => missing(needs).length === 0))
    it(`is not passed by ${attack.name}`, async () => {
      const { result, workspace, report } = await verify(attacking(attack), attack.command);
      expect(result.stdout).toContain('for the agent it ended with 0');
      expect(result.outputs.get('failure-reason')).toBe('verification-failed');
      expect(result.outputs.get('verification')).toBe('failed');
      // The tests themselves ran, and failed.
      for (const { results } of report.verification.rounds)
        expect(results).toEqual([expect.objectContaining({ output: expect.stringContaining('2 == 3') })]);
      expect(report.verification.rounds).toHaveLength(2);
      // The workspace can belong to another user.
      expect(git(workspace, '-c', 'safe.directory=*', 'status', '--porcelain')).toBe('');
      expect(readFileSync(join(workspace, 'node_modules/.bin/runner'), 'utf8')).toContain('node --test');
    });

  it('has what an earlier step installed into the checkout', async () => {
    const { result, report } = await verify("writeFileSync('notes.txt', 'x');", 'node_modules/.bin/runner');
    expect([result.errors, result.outputs.get('verification')]).toEqual([[], 'passed']);
    expect(report.verification.rounds[0]?.results[0]?.output).toContain('the installed runner');
  });

  it('keeps what one command writes for the next one, in the tree and in its home', async () => {
    const { result } = await verify(
      "writeFileSync('notes.txt', 'x'); rmSync('Makefile', { force: true });",
      'mkdir -p "$HOME/.local/bin" build && touch "$HOME/.local/bin/tool" "$TMPDIR/state" build/made\n' +
        'test -e "$HOME/.local/bin/tool" && test -e "$TMPDIR/state" && test -e build/made\n' +
        // Files that the change itself wrote and removed, too.
        'echo formatted > notes.txt; touch -t 200102030000 notes.txt; echo generated > Makefile\n' +
        'grep formatted notes.txt; test notes.txt -ot package.json; grep generated Makefile',
    );
    expect([result.errors, result.outputs.get('verification')]).toEqual([[], 'passed']);
  });

  it('has the permissions that the change would get, and not those of the agent', async () => {
    const print = `for (const name of ['sum.js', 'notes.txt', 'more.txt'])
      console.log(name, (require('fs').statSync(name).mode & 0o7777).toString(8));`;
    const { report } = await verify(
      `const { chmodSync } = await import('node:fs');
      for (const [name, mode] of [['sum.js', 0o600], ['notes.txt', 0o200], ['more.txt', 0o666]]) {
        rmSync(name, { force: true }); writeFileSync(name, 'x'); chmodSync(name, mode);
      }`,
      `node -e "${print.replaceAll('\n', ' ')}"`,
    );
    const output = report.verification.rounds[0]?.results[0]?.output;
    expect(output).toBe('sum.js 644\nnotes.txt 644\nmore.txt 644');
  });
});

(canIsolate ? describe : describe.skip)('the network of a verification', () => {
  let server: Server;
  let address: string;
  const asked: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.setHeader('connection', 'close');
      response.end('served');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
  });

  const reach = async (inputs: Record<string, string>) => {
    asked.length = 0;
    const ask = (path: string) =>
      `(exec 3<>/dev/tcp/${address.replace(':', '/')} && printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3)`;
    const tunnel = `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT api2.cursor.sh:443 HTTP/1.1\\r\\n\\r\\n' >&3; head -1 <&3`;
    const { report } = await run(
      `${FIX} const { spawnSync } = await import('node:child_process'); spawnSync('bash', ['-c', ${JSON.stringify(ask('/agent'))}]);`,
      { verify: `${ask('/command')} || true\n${tunnel}`, ...inputs },
      { env: { CURSOR_API_ENDPOINT: `http://${address}` } },
    );
    return report.verification.rounds[0]?.results.at(-1)?.output;
  };

  it('has no host of the vendor', async () => {
    expect(await reach({})).toContain('403 Forbidden');
    expect(asked).toEqual(['/agent']);
  });

  it('has one that is allowed by name', async () => {
    expect(await reach({ 'allowed-hosts': `localhost:${address.split(':')[1] ?? ''}` })).toContain('403');
    // The first one is asked before the agent is started.
    expect(asked).toEqual(['/command', '/agent', '/command']);
  });
});
