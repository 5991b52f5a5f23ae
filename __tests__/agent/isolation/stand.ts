import { transformFileSync } from '@swc/core';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import type { Places } from '../../../src/agent/isolation/surroundings.js';

const HERE = import.meta.dirname;
const SRC = resolve(HERE, '..', '..', '..', 'src');

/** In the environment of the action's own process, as the runtime token is. Nothing inside may ever see it. */
export const CANARY = 'canary-of-the-action-process';
/** Left by the checkout in `.git/config` and below the runner's temporary folder. */
export const GIT_CREDENTIAL = 'cGVyc2lzdGVkLWNyZWRlbnRpYWw';
/** The agent's own key: it has to reach the agent and no command line. */
export const AGENT_KEY = 'key-of-the-agent-itself';

export type Account = { kind: 'root' } | { kind: 'user'; name: string; uid: number; gid: number };

export interface Job {
  how: 'root' | 'sudo' | 'bare' | 'probe';
  access?: 'read' | 'write';
  /** A script for sh, or a whole command. */
  run?: string | readonly string[];
  input?: string;
  /** Changes of the places. */
  places?: Partial<Places>;
  env?: Record<string, string>;
  limits?: { totalMs: number; graceMs: number; killMs: number };
  /** A signal for the whole group once the agent says `ready`, or word of it to the test. */
  onReady?: NodeJS.Signals | 'tell';
  /** Put before the action's own command. */
  before?: readonly string[];
}

export interface Answer {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  isSentinelAlive: boolean;
  exit?: unknown;
}

/** A runner's folders, owned by an account, and the action's process to start in them. */
export interface Stand {
  root: string;
  workspace: string;
  runnerTemp: string;
  userHome: string;
  socket: string;
  places(access: 'read' | 'write'): Places;
  start(job: Job): ChildProcess;
  /** Runs a job to its end and returns the last line it answered. */
  answer(job: Job): Promise<unknown>;
  remove(): void;
}

export async function runJob(stand: Stand, job: Job): Promise<Answer> {
  return (await stand.answer(job)) as Answer;
}

export function git(cwd: string, ...args: readonly string[]): string {
  const run = spawnSync('git', ['-c', 'safe.directory=*', '-c', 'protocol.file.allow=always', ...args], {
    cwd,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      ...Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((who) => [
          [`GIT_${who}_NAME`, 'Somebody'],
          [`GIT_${who}_EMAIL`, 'somebody@example.com'],
        ]),
      ),
    },
  });
  if (run.status !== 0) throw new Error(`git ${args.join(' ')}: ${run.stderr}`);
  return run.stdout;
}

/** An ordinary user who may use sudo without a password, as on GitHub's own machines. */
export function makeUser(): Account & { kind: 'user' } {
  const name = `isolation-${process.pid}`;
  must('useradd', ['--create-home', '--user-group', name]);
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(must('id', [flag, name])));
  allowSudo(name, true);
  return { kind: 'user', name, uid: uid!, gid: gid! };
}

export function allowSudo(name: string, isAllowed: boolean): void {
  const file = `/etc/sudoers.d/${name}`;
  if (isAllowed) writeFileSync(file, `${name} ALL=(ALL) NOPASSWD:ALL\n`, { mode: 0o440 });
  else rmSync(file, { force: true });
}

export function removeUser(name: string): void {
  allowSudo(name, false);
  must('userdel', ['--remove', name]);
}

/** Why the tests of an account cannot run on this machine; nothing where they can. */
export function obstacle(kind: Account['kind']): string | undefined {
  if (process.platform !== 'linux') return 'this is not Linux';
  if (process.getuid?.() !== 0) return 'the tests do not run as root';
  if (kind === 'root') return undefined;
  const missing = ['useradd', 'userdel', 'sudo'].filter(
    (tool) => !['/usr/sbin', '/usr/bin', '/sbin', '/bin'].some((folder) => existsSync(join(folder, tool))),
  );
  return missing.length === 0 ? undefined : `${missing.join(', ')} not installed`;
}

export function makeStand(account: Account): Stand {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'isolation-')));
  chmodSync(root, 0o755);
  const at = (...names: string[]) => join(root, ...names);
  const modules = at('action');
  compile(modules);
  copyFileSync(join(HERE, 'action-process.mjs'), join(modules, 'action-process.mjs'));
  const node = nodeFor(account, at('node'));
  const [workspace, runnerTemp, userHome] = [at('work', 'repo'), at('work', '_temp'), at('user-home')];
  for (const folder of [runnerTemp, userHome, join(userHome, '.ssh'), join(runnerTemp, 'own', 'control')]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const name of ['home', 'tmp']) mkdirSync(join(runnerTemp, 'own', 'agent', name), { recursive: true });
  writeFileSync(join(userHome, '.ssh', 'id_ed25519'), GIT_CREDENTIAL);
  writeFileSync(join(runnerTemp, 'git-credentials-1.config'), GIT_CREDENTIAL);
  writeFileSync(join(runnerTemp, 'set_env'), '');
  makeRepository(workspace);
  if (account.kind === 'user') must('chown', ['-R', `${account.uid}:${account.gid}`, at('work'), userHome]);
  const socket = join(userHome, 'powerful.sock');

  const env = {
    PATH: `${dirname(node)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    HOME: join(runnerTemp, 'own', 'agent', 'home'),
    TMPDIR: join(runnerTemp, 'own', 'agent', 'tmp'),
    AGENT_KEY,
  };
  const places = (access: 'read' | 'write'): Places => ({
    workspace,
    access,
    home: env.HOME,
    temp: env.TMPDIR,
    ownFiles: [join(workspace, '.cursor', 'cli.json')],
    hidden: [runnerTemp, join(runnerTemp, 'own')],
    shown: [],
    cli: '/bin/sh',
    env,
    control: join(runnerTemp, 'own', 'control'),
  });
  const start = (job: Job) => {
    const command = typeof job.run === 'string' ? ['sh', '-c', job.run] : [...(job.run ?? ['true'])];
    const spec = {
      file: command[0],
      args: command.slice(1),
      cwd: workspace,
      env: { ...env, ...job.env },
      input: job.input ?? '',
    };
    const { how, limits, onReady } = job;
    const request = {
      modules,
      how,
      limits,
      onReady,
      spec,
      places: { ...places(job.access ?? 'write'), ...job.places },
      sockets: [socket],
    };
    const action = [...(job.before ?? []), ...become(account), node, join(modules, 'action-process.mjs')];
    const child = spawn(action[0]!, action.slice(1), {
      cwd: root,
      env: { PATH: env.PATH, HOME: userHome, ACTIONS_RUNTIME_TOKEN: CANARY, RUNNER_TEMP: runnerTemp },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(JSON.stringify(request));
    return child;
  };
  return {
    ...{ root, workspace, runnerTemp, userHome, socket, places, start },
    answer: (job) => lastAnswer(start(job)),
    remove: () => {
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function become(account: Account): string[] {
  if (account.kind === 'root') return [];
  return ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--init-groups', '--'];
}

function lastAnswer(child: ChildProcess): Promise<unknown> {
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => {
      const line = Buffer.concat(chunks).toString('utf8').trimEnd().split('\n').at(-1) ?? '';
      if (line === '') fail(new Error(`The action's process ended without an answer (${code}, ${signal}).`));
      else done(JSON.parse(line));
    });
  });
}

/** With a credential as actions/checkout leaves it, and the action's own file in place. */
function makeRepository(workspace: string): void {
  mkdirSync(join(workspace, '.cursor'), { recursive: true });
  writeFileSync(join(workspace, 'README.md'), '# A project\n');
  git(workspace, 'init', '--quiet', '--initial-branch=main');
  git(workspace, 'add', '.');
  git(workspace, 'commit', '--quiet', '-m', 'first');
  git(
    workspace,
    'remote',
    'add',
    'origin',
    `https://x-access-token:${GIT_CREDENTIAL}@github.com/some/project`,
  );
  git(workspace, 'config', 'http.https://github.com/.extraheader', `AUTHORIZATION: basic ${GIT_CREDENTIAL}`);
  writeFileSync(join(workspace, '.cursor', 'cli.json'), '{"permissions":{"allow":[],"deny":[]}}\n');
}

/** The sources as they are, in JavaScript, where any user can read them. */
function compile(folder: string): void {
  const names = ['', 'agent', 'agent/isolation'].flatMap((part) =>
    readdirSync(join(SRC, part))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(part, name)),
  );
  for (const name of names) {
    const { code } = transformFileSync(join(SRC, name), {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    });
    const target = join(folder, relative('.', name).replace(/ts$/, 'js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
}

/** The Node of this test, or a copy where the account cannot get at it. */
function nodeFor(account: Account, folder: string): string {
  const test = [...become(account), 'test', '-x', process.execPath];
  if (account.kind === 'root' || spawnSync(test[0]!, test.slice(1)).status === 0) return process.execPath;
  mkdirSync(folder);
  copyFileSync(process.execPath, join(folder, 'node'));
  chmodSync(join(folder, 'node'), 0o755);
  return join(folder, 'node');
}

function must(file: string, args: readonly string[]): string {
  const run = spawnSync(file, args, { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`${file} ${args.join(' ')}: ${run.stderr}`);
  return run.stdout;
}
