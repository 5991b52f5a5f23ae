import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { permissions } from '../../src/permissions/permission-token.js';
import { buildPolicy } from '../../src/permissions/policy.js';
import type * as Door from '../../src/sandbox/hook.js';
import { makeFolder } from '../scenarios/workspace.js';

/** As in the action: the program of the hook, built from these sources, is beside its own. */
async function loadDoor(): Promise<typeof Door> {
  const dist = makeFolder('dist');
  buildSync({
    entryPoints: [resolve('src/entries/hook.ts')],
    outfile: join(dist, 'hook', 'index.js'),
    ...{ bundle: true, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'error' },
  });
  const [, own = ''] = process.argv;
  process.argv[1] = join(dist, 'run', 'index.js');
  try {
    return await import('../../src/sandbox/hook.js');
  } finally {
    process.argv[1] = own;
  }
}

let door: typeof Door;
let root: string;
let hook: Door.Hook;
/** The file that decisions are appended to. */
let file: string;
beforeAll(async () => {
  door = await loadDoor();
});
beforeEach(() => {
  open(makeFolder('hook'));
});

function open(folder: string): void {
  root = folder;
  const [home, temp] = [join(root, 'home'), join(root, 'tmp')];
  for (const path of [home, temp]) mkdirSync(path, { recursive: true });
  file = join(temp, 'hook-decisions.ndjson');
  const policy = buildPolicy({ preset: 'fix-ci', allow: [], deny: permissions('Shell(curl)') });
  hook = door.openHook({
    ...{ folder: join(root, 'own'), home, temp },
    policy: { policy, root, directory: root, own: [home, temp] },
    files: ({ command, failClosed }) => ({ '.cursor/hooks.json': JSON.stringify({ command, failClosed }) }),
  });
}

/** The command line that the CLI starts. */
function configured(): string {
  const text = readFileSync(join(root, 'home', '.cursor', 'hooks.json'), 'utf8');
  return (JSON.parse(text) as { command: string }).command;
}

/** Asks the program as the CLI does, and returns what it permits. */
function ask(command: string): unknown {
  const input = JSON.stringify({ tool_name: 'Shell', tool_input: { command }, cwd: root });
  const run = spawnSync('sh', ['-c', configured()], { input, encoding: 'utf8', timeout: 20_000 });
  return (JSON.parse(run.stdout) as { permission: unknown }).permission;
}

const NOTHING = { judged: 0, denied: 0, denials: {} };
const ALLOWED = '{"tool":"Read","permission":"allow"}\n';
const denied = (why: string) => `${JSON.stringify({ tool: 'Shell', permission: 'deny', why })}\n`;

describe('the decisions of the hook', () => {
  it('are counted, with the reasons', () => {
    expect([ask('ls'), ask('curl x'), ask('curl y')]).toEqual(['allow', 'deny', 'deny']);
    expect(hook.tally()).toEqual({
      judged: 3,
      denied: 2,
      denials: { 'cursor-agent-action: denied by Shell(curl)': 2 },
    });
    expect(hook.tampering()).toEqual([]);
  });

  it('count nothing before the first one', () => {
    expect(existsSync(file)).toBe(false);
    expect(hook.tally()).toEqual(NOTHING);
  });

  it('are added up for several starts', () => {
    const total = { judged: 0, denied: 0, denials: {} };
    ask('curl x');
    door.addTally(total, hook.tally());
    open(makeFolder('hook'));
    ask('curl x');
    ask('ls');
    door.addTally(total, hook.tally());
    expect(total).toEqual({
      judged: 3,
      denied: 2,
      denials: { 'cursor-agent-action: denied by Shell(curl)': 2 },
    });
  });

  it('arrive in a folder with a path of any length, and with any characters', () => {
    open(join(makeFolder('hook'), `it's "here" $(x)`, 'long'.repeat(30), 'folder'.repeat(20)));
    expect(ask('curl x')).toBe('deny');
    expect(hook.tally()).toMatchObject({ judged: 1, denied: 1 });
  });

  it('are appended while several calls are judged at once', () => {
    const question = `echo '{"tool_name":"Shell","tool_input":{"command":"curl x"}}'`;
    const script = `for call in $(seq 20); do ${question} | ${configured()} & done; wait`;
    expect(spawnSync('sh', ['-c', script]).status).toBe(0);
    expect(hook.tally()).toMatchObject({ judged: 20, denied: 20 });
  });
});

describe('the file of decisions, which the agent can write as well', () => {
  it('has lines that are none, which count for nothing', () => {
    const lines = ['', 'x', '{}', '[]', '{"tool":1,"permission":"allow"}', '{"tool":"x","permission":"ask"}'];
    appendFileSync(file, lines.map((line) => `${line}\n`).join(''));
    appendFileSync(file, `{"tool":"${'x'.repeat(100_000)}","permission":"allow"}\n`);
    appendFileSync(file, Buffer.from([0xff, 0, 0xfe, 10]));
    appendFileSync(file, denied('x'.repeat(501)));
    expect(hook.tally()).toEqual(NOTHING);
    appendFileSync(file, denied('::error::forged'));
    expect(hook.tally()).toEqual({ judged: 1, denied: 1, denials: {} });
  });

  it('can be forged, which changes counts and no decision', () => {
    appendFileSync(file, ALLOWED.repeat(3) + denied('cursor-agent-action: denied by Shell(rm)'));
    expect(ask('curl x')).toBe('deny');
    expect(hook.tally()).toEqual({
      judged: 5,
      denied: 2,
      denials: {
        'cursor-agent-action: denied by Shell(rm)': 1,
        'cursor-agent-action: denied by Shell(curl)': 1,
      },
    });
    rmSync(file);
    expect(hook.tally()).toEqual(NOTHING);
  });

  it('fills no memory, however many reasons are forged', () => {
    const reason = (index: number) => denied(`cursor-agent-action: denied by Shell(x${index})`);
    appendFileSync(file, Array.from({ length: 100 }, (_, index) => reason(index)).join(''));
    expect(hook.tally().denied).toBe(100);
    expect(Object.keys(hook.tally().denials)).toHaveLength(50);
    const total = hook.tally();
    writeFileSync(file, denied('cursor-agent-action: denied by Shell(another)'));
    door.addTally(total, hook.tally());
    expect([total.denied, Object.keys(total.denials).length]).toEqual([101, 50]);
  });

  it('is read at its beginning only, whatever its size', () => {
    appendFileSync(file, ALLOWED);
    truncateSync(file, 1024 ** 4);
    expect(hook.tally()).toEqual({ ...NOTHING, judged: 1 });
    expect(ask('curl x')).toBe('deny');
  });

  it('is never followed if it is a link, and nothing is written through one', () => {
    const other = join(root, 'other');
    writeFileSync(other, ALLOWED);
    for (const target of [other, 'nowhere', '/dev/zero', file]) {
      symlinkSync(target, file);
      expect([ask('curl x'), ask('ls')]).toEqual(['deny', 'allow']);
      expect(hook.tally()).toEqual(NOTHING);
      rmSync(file);
    }
    expect(readFileSync(other, 'utf8')).toBe(ALLOWED);
  });

  it('gives nothing away of a file that it was made another name of', () => {
    writeFileSync(join(root, 'secret'), 'a secret\n');
    linkSync(join(root, 'secret'), file);
    expect(hook.tally()).toEqual(NOTHING);
  });

  it('is not waited for if it is a pipe', () => {
    spawnSync('mkfifo', [file]);
    expect([ask('curl x'), ask('ls')]).toEqual(['deny', 'allow']);
    expect(hook.tally()).toEqual(NOTHING);
  });

  it('can be a folder, or in no folder', () => {
    mkdirSync(file);
    expect([ask('curl x'), hook.tally()]).toEqual(['deny', NOTHING]);
    renameSync(join(root, 'tmp'), join(root, 'moved'));
    expect([ask('curl x'), ask('ls'), hook.tally()]).toEqual(['deny', 'allow', NOTHING]);
  });

  const isOrdinary = process.getuid?.() !== 0;
  it('is read although it was made unreadable', () => {
    appendFileSync(file, ALLOWED);
    chmodSync(file, 0);
    expect(ask('curl x')).toBe('deny');
    expect(hook.tally().judged).toBe(isOrdinary ? 1 : 2);
  });
});

describe('the program of the hook', () => {
  it('can be started where it is', () => {
    expect(door.canHook(root)).toBe(true);
  });

  it.each(['own/hook.cjs', 'own/policy.json', 'home/.cursor/hooks.json'])(
    'is missed if %s is changed or gone',
    (path) => {
      appendFileSync(join(root, path), ' ');
      const name = path.replace('own/', 'hook/').replace('home/', '~/');
      const reason = 'the action put it there, and the agent changed or removed it';
      expect(hook.tampering()).toEqual([{ path: name, reason }]);
      rmSync(join(root, path));
      expect(hook.tampering()).toEqual([{ path: name, reason }]);
    },
  );
});
