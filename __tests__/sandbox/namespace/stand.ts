import { buildSync } from 'esbuild';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { dirname, join, resolve } from 'node:path';
import type { PrivilegeSource } from '../../../src/sandbox/namespace/isolate.js';
import { findInterpreter } from '../../../src/sandbox/namespace/keyring.js';
import type { Answer, Job, Request } from './job.js';

const HERE = import.meta.dirname;

/** In the environment of the action's own process, as the runtime token is. Nothing inside may ever see it. */
export const CANARY = 'canary-of-the-action-process';
/** Left by the checkout in `.git/config`, below the runner's temporary folder, and by others in their own places. */
export const CREDENTIAL = 'cGVyc2lzdGVkLWNyZWRlbnRpYWw';
/**
 * The agent's own key: it has to reach the agent and no command line. Each worker has another one, because other tests run
 * isolated agents at the same time.
 */
export const AGENT_KEY = `key-of-the-agent-itself-${process.pid}`;

export type Account = { kind: 'root' } | { kind: 'user'; name: string; uid: number; gid: number };

/** A runner's folders, as GitHub's own machines have them, owned by an account, and the action's process in them. */
export interface Stand {
  root: string;
  workspace: string;
  runnerTemp: string;
  userHome: string;
  /** Sockets that somebody of the same account listens at, by where they are. */
  sockets: Readonly<Record<string, string>>;
  start(job: Job): ChildProcess;
  /** Runs a job to its end and returns the last line it answered. */
  answer(job: Job): Promise<unknown>;
  remove(): void;
}

export async function runJob(stand: Stand, job: Job): Promise<Answer> {
  const answer = (await stand.answer(job)) as Answer | { failure: string };
  if ('failure' in answer) throw new Error(answer.failure);
  return answer;
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

/** An ordinary user; `sudo` asks for no password, as on GitHub's own machines, or the user may not use it at all. */
export function makeUser(isSudoer: boolean): Account & { kind: 'user' } {
  const name = `isolation-${process.pid}`;
  must('useradd', ['--create-home', '--user-group', name]);
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(must('id', [flag, name])));
  allowSudo(name, isSudoer);
  return { kind: 'user', name, uid: uid!, gid: gid! };
}

export function allowSudo(name: string, isAllowed: boolean): void {
  const file = `/etc/sudoers.d/${name}`;
  if (!isAllowed) {
    rmSync(file, { force: true });
    return;
  }
  // Put in place whole, because sudo may read it at any moment for a test that runs beside this one. It passes over names with a dot.
  writeFileSync(`${file}.new`, `${name} ALL=(ALL) NOPASSWD:ALL\n`, { mode: 0o440 });
  renameSync(`${file}.new`, file);
}

export function removeUser(name: string): void {
  allowSudo(name, false);
  must('userdel', ['--remove', name]);
}

/** Why the tests of one way to isolate cannot run on this machine; nothing where they can. */
export function obstacle(how: PrivilegeSource): string | undefined {
  if (process.platform !== 'linux') return 'this is not Linux';
  if (process.getuid?.() !== 0) return 'the tests do not run as root';
  if (how === 'root') return undefined;
  const missing = ['useradd', 'userdel', ...(how === 'sudo' ? ['sudo'] : [])].filter(
    (tool) => !['/usr/sbin', '/usr/bin', '/sbin', '/bin'].some((folder) => existsSync(join(folder, tool))),
  );
  if (missing.length > 0) return `${missing.join(', ')} not installed`;
  if (how === 'sudo') return undefined;
  const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups', 'unshare', '--user', '--mount', 'true'];
  const tried = spawnSync('setpriv', nobody, { encoding: 'utf8' });
  return tried.status === 0
    ? undefined
    : `ordinary users may not make user namespaces: ${tried.stderr.trim()}`;
}

export interface StandOptions {
  /** Whether somebody listens at sockets. Their paths must be short, which those of odd folders are not. */
  hasSockets?: boolean;
  /** Where all of it lies; not below the temporary folders, which the agent has to itself. */
  parent?: string;
  /** Odd names for folders. */
  workspace?: string;
  runnerTemp?: string;
}

export async function makeStand(account: Account, options: StandOptions = {}): Promise<Stand> {
  const root = realpathSync(mkdtempSync(join(options.parent ?? '/opt', 'isolation-')));
  chmodSync(root, 0o755);
  const userHome = join(root, 'home', 'runner');
  const workspace = join(userHome, 'work', options.workspace ?? 'repo/repo');
  const runnerTemp = join(userHome, 'work', options.runnerTemp ?? '_temp');
  const action = bundle(join(root, 'action'));
  const node = nodeFor(account, join(root, 'node'));
  for (const folder of [runnerTemp, join(userHome, '.ssh')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(userHome, '.ssh', 'id_ed25519'), CREDENTIAL);
  writeFileSync(join(runnerTemp, 'git-credentials-1.config'), CREDENTIAL);
  writeFileSync(join(runnerTemp, 'set_env'), '');
  makeRepository(workspace);
  give(account, userHome);
  const sockets = options.hasSockets ? socketPlaces({ root, userHome, workspace }) : [];
  give(account, ...sockets.map(({ folder }) => folder).filter((folder) => folder.startsWith(root)));
  const listener = await listen([...become(account), node], join(root, 'service'), sockets);
  const agentPath = `${dirname(node)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
  const keyring = await findInterpreter();
  const start = ({ before = [], ...job }: Job) => {
    const request: Request = { workspace, ...job, agentPath, agentKey: AGENT_KEY, keyring };
    const [file, ...args] = [...become(account), ...before, node, action];
    const child = spawn(file, args, {
      cwd: root,
      env: { PATH: agentPath, HOME: userHome, ACTIONS_RUNTIME_TOKEN: CANARY, RUNNER_TEMP: runnerTemp },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(JSON.stringify(request));
    return child;
  };
  return {
    ...{ root, workspace, runnerTemp, userHome, start },
    sockets: Object.fromEntries(sockets.map(({ what, folder, name }) => [what, join(folder, name)])),
    answer: (job) => lastAnswer(start(job)),
    remove: () => {
      listener?.kill('SIGKILL');
      for (const { folder, name } of sockets) rmSync(join(folder, name), { force: true });
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Wherever somebody could listen who does for others what those may not do themselves. */
function socketPlaces(at: { root: string; userHome: string; workspace: string }) {
  const mark = `isolation-${process.pid}.sock`;
  const places = [
    { what: 'elsewhere', folder: join(at.root, 'service') },
    { what: 'elsewhere, bound by a relative path', folder: join(at.root, 'service'), isRelative: true },
    { what: 'in the home folder', folder: at.userHome },
    { what: 'beside programs in the home folder', folder: join(at.userHome, 'tools', 'venv') },
    { what: 'in /tmp', folder: '/tmp' },
    { what: 'in the checkout', folder: at.workspace },
    { what: 'in .git', folder: join(at.workspace, '.git') },
    { what: 'elsewhere, bound through a link at home', folder: join(at.root, 'linked'), link: 'link' },
  ];
  return places.map(({ what, folder, isRelative = false, link }) => {
    mkdirSync(folder, { recursive: true });
    const name = isRelative ? `relative-${mark}` : mark;
    if (link !== undefined) symlinkSync(folder, join(at.userHome, link));
    return {
      what,
      folder,
      name,
      bind: isRelative ? name : join(link ? join(at.userHome, link) : folder, name),
    };
  });
}

const LISTENER = `for (const path of process.argv.slice(1))
  require('net').createServer((connection) => connection.end('reached')).listen(path, () => console.log(path));`;

/** Another step's process that listens at all of them, those with a relative path in the folder it works in. */
async function listen(
  [file = '', ...args]: readonly string[],
  cwd: string,
  sockets: ReturnType<typeof socketPlaces>,
): Promise<ChildProcess | undefined> {
  if (sockets.length === 0) return undefined;
  const paths = sockets.map(({ bind }) => bind);
  const child = spawn(file, [...args, '-e', LISTENER, '--', ...paths], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for (let told = 0; told < paths.length;) {
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    told += chunk.toString().split('\n').length - 1;
  }
  return child;
}

function give(account: Account, ...paths: readonly string[]): void {
  if (account.kind === 'user' && paths.length > 0)
    must('chown', ['-R', '-h', `${account.uid}:${account.gid}`, ...paths]);
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

/** With a credential as actions/checkout leaves it. */
function makeRepository(workspace: string): void {
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, 'README.md'), '# A project\n');
  mkdirSync(join(workspace, '.cursor'));
  writeFileSync(join(workspace, '.cursor', 'cli.json'), '{"permissions":{"allow":["Shell(*)"]}}\n');
  git(workspace, 'init', '--quiet', '--initial-branch=main');
  git(workspace, 'add', '.');
  git(workspace, 'commit', '--quiet', '-m', 'first');
  leaveCredential(workspace);
}

/** In every place where a configuration can have one. */
export function leaveCredential(repository: string): void {
  const address = `https://x-access-token:${CREDENTIAL}@github.com/some/project`;
  git(repository, 'remote', 'add', 'origin', address);
  git(repository, 'config', 'http.https://github.com/.extraheader', `AUTHORIZATION: basic ${CREDENTIAL}`);
}

let bundled: Uint8Array | undefined;
/** The action's process with all it needs in one file, where any user can read it. It is built once per test file. */
function bundle(folder: string): string {
  bundled ??= buildSync({
    entryPoints: [resolve(HERE, 'action-process.ts')],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
  }).outputFiles[0]!.contents;
  mkdirSync(folder);
  writeFileSync(join(folder, 'action-process.cjs'), bundled);
  return join(folder, 'action-process.cjs');
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
