/**
 * Plays the action's own process: a Node with secrets in its environment that starts an agent, isolated or bare,
 * through the real code. Takes a job as JSON on stdin, answers with one line of JSON.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { openCheckoutGit } from '../../../src/git/checkout-git.js';
import { fromText, toText } from '../../../src/git/paths.js';
import { findGit } from '../../../src/git/private-git.js';
import { findRepository } from '../../../src/git/repository.js';
import { arrangeConfig, findConfig } from '../../../src/permissions/checkout-config.js';
import { writeFiles } from '../../../src/sandbox/files.js';
import { openCopy } from '../../../src/sandbox/layer/copy-layer.js';
import { planLayer, type Layer, type Planted } from '../../../src/sandbox/layer/layer.js';
import { openOverlay } from '../../../src/sandbox/layer/overlay-layer.js';
import { awaitReady } from '../../../src/sandbox/namespace/check.js';
import { isolate, type PrivilegeSource } from '../../../src/sandbox/namespace/isolate.js';
import { probeMachine } from '../../../src/sandbox/namespace/probe.js';
import { planEnclosure } from '../../../src/sandbox/namespace/survey.js';
import { parseHostLine } from '../../../src/sandbox/network/allowed-hosts.js';
import type { ClosedNetwork } from '../../../src/sandbox/network/proxy.js';
import { runProcess, type ProcessSpec } from '../../../src/sandbox/process.js';
import { openSandbox, type SandboxPlan } from '../../../src/sandbox/index.js';
import { buildPolicy } from '../../../src/permissions/policy.js';
import { OWN_FILE, type Request, type SeveralAnswer } from './job.js';

const request = JSON.parse(readFileSync(0, 'utf8')) as Request;
const { RUNNER_TEMP: runnerTemp = '' } = process.env;
const root = realpathSync(mkdtempSync(join(runnerTemp, 'cursor-agent-')));
const [home, temp, context] = [join(root, 'home'), join(root, 'tmp'), join(root, 'context')];
const directory = join(request.workspace, request.directory ?? '.');
const env = agentEnvironment();
let network: ClosedNetwork | undefined;

const answer = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

main().catch((error: unknown) => {
  answer({ failure: error instanceof Error ? error.message : String(error) });
  process.exit(1);
});

async function main(): Promise<void> {
  const { how } = request;
  if (how !== 'probe' && how !== 'bare' && request.several) {
    answer(await runSeveral(how, request.several));
    return;
  }
  if (how !== 'probe') return run(how);
  const wanted = { isolation: 'auto', network: request.network ? 'auto' : 'off' } as const;
  answer(await probeMachine(wanted, { checkout: request.workspace, scratch: join(root, 'probe') }));
  rmSync(root, { recursive: true, force: true });
}

/** Through the door, as a review with several passes does it. */
async function runSeveral(privilege: PrivilegeSource, scripts: readonly string[]): Promise<SeveralAnswer> {
  const { workspace, layer = 'overlay', keyring, cancelAt = Infinity } = request;
  const environment: SandboxPlan['environment'] = (places) => ({
    PATH: request.agentPath,
    HOME: places.home,
    TMPDIR: places.temp,
  });
  const sandbox = openSandbox({
    machine: { kind: 'isolated', privilege, layer, keyring, network: 'closed' },
    folder: join(root, 'sandbox'),
    checkout: { top: workspace, directory: workspace, git: undefined, gitEntries: ['.git'] },
    ...{ access: 'read', runsCommands: false, hide: [], keep: [], hook: undefined },
    plant: () => ({ '.cursor/cli.json': OWN_FILE }),
    homeFiles: (places) => ({ 'own.txt': places.home }),
    policy: buildPolicy({ preset: 'review', allow: [], deny: [] }),
    ...{ program: '/bin/sh', readable: [], hidden: [runnerTemp, root] },
    ...{ environment, commandEnvironment: environment, hosts: { agent: [], vendor: [], commands: [] } },
    env: process.env,
    ...{ isSecret: () => false, onRefused: () => undefined, onProgress: () => undefined },
  });
  const cancelling = new AbortController();
  let [ready, cancelledMs] = [0, 0];
  const start = async (script: string, seat: number) => {
    let stdout = '';
    const onStdout = (chunk: Buffer) => {
      ready += Number(!stdout.includes('ready') && (stdout += chunk.toString()).includes('ready'));
      if (ready < cancelAt || cancelledMs > 0) return;
      cancelledMs = performance.now();
      cancelling.abort();
    };
    const { exit, network: seen } = await sandbox.run(
      {
        ...{ args: ['-c', script], env: { SEAT: String(seat) }, input: '', seat },
        ...{ from: 'checkout', continuesChat: false },
      },
      {
        ...{ onStdout, onStderr: () => undefined, patienceMs: () => Infinity },
        ...{ hasResult: () => false, hasSubagent: () => false },
      },
      { totalMs: 40_000, graceMs: 0, subagentMs: 0, cancel: cancelling.signal },
    );
    const refused = seen?.refused.map(({ host }) => host) ?? [];
    return { exit, lines: stdout.trimEnd().split('\n'), refused };
  };
  const starts = await Promise.all(scripts.map(start));
  const endedMs = performance.now() - cancelledMs;
  const violations = sandbox.inspect(() => []).violations.map(({ path }) => path);
  sandbox.close();
  rmSync(root, { recursive: true, force: true });
  return { starts, endedMs, violations };
}

async function run(how: Exclude<Request['how'], 'probe'>): Promise<void> {
  for (const folder of [home, temp, context]) mkdirSync(folder);
  if (request.locked !== undefined) writeFiles(home, { [request.locked]: OWN_FILE });
  if (request.network) network = await openNetwork(request.network);
  // Somebody else's process on the same machine; it goes when this one is killed.
  const sentinel = spawn('setpriv', ['--pdeathsig=KILL', 'sleep', '1000'], { stdio: 'ignore' });
  const layer = how === 'bare' ? undefined : makeLayer(how);
  const spec = agentCommand(sentinel.pid);
  const entered = layer && how !== 'bare' ? enclose(layer, how, spec) : spec;
  const result = request.limits ? await runWatched(entered, request.limits) : await runPlainly(entered);
  const isSentinelAlive = sentinel.exitCode === null && sentinel.signalCode === null;
  sentinel.kill('SIGKILL');
  const changes = layer?.changes().map(({ path }) => toText(path)) ?? [];
  const tampering = layer?.tampering().map(({ path }) => path) ?? [];
  layer?.close();
  rmSync(root, { recursive: true, force: true });
  const ledger = network?.ledger();
  network?.close();
  answer({ ...result, isSentinelAlive, changes: changes.sort(), tampering, ledger });
}

function agentCommand(sentinel: number | undefined): ProcessSpec {
  const { run: asked = 'true', input = '' } = request;
  const [file = '', ...args] = typeof asked === 'string' ? ['sh', '-c', asked] : asked;
  const fill = (text: string) =>
    text.replaceAll('SENTINEL_PID', String(sentinel)).replaceAll('ACTION_PID', String(process.pid));
  return { file, args: args.map(fill), cwd: directory, env, input };
}

/** The code of the network is loaded for the tests that need it. This process is started hundreds of times. */
async function openNetwork({ lines, names = {} }: NonNullable<Request['network']>): Promise<ClosedNetwork> {
  const { openClosedNetwork } = await import('../../../src/sandbox/network/proxy.js');
  return openClosedNetwork({
    folder: join(root, 'network'),
    rules: lines.map(parseHostLine).flatMap((line) => ('rule' in line ? [line.rule] : [])),
    env: {},
    lookup: (name) => {
      const found = names[name];
      return found ? Promise.resolve([...found]) : Promise.reject(new Error('ENOTFOUND'));
    },
    onRefused: () => undefined,
  });
}

function agentEnvironment(): Record<string, string> {
  return {
    PATH: [...(request.path ?? []), request.agentPath].join(delimiter),
    HOME: home,
    TMPDIR: temp,
    AGENT_KEY: request.agentKey,
    ...request.env,
  };
}

/** With a file of ours, and without what else could configure an agent. */
function makeLayer(privilege: PrivilegeSource): Layer {
  const { layer = 'overlay', access = 'write', workspace } = request;
  const { config, gitEntries } = findConfig(workspace);
  const own = { [join(relative(workspace, directory), '.cursor', 'cli.json')]: OWN_FILE };
  const { setAside, files } = arrangeConfig({ choice: 'none', base: undefined, found: config, own });
  const repository = findRepository(directory);
  const ownGit = relative(workspace, join(repository?.root ?? workspace, '.git'));
  const planted = Object.entries(files).map(
    ([path, content]) => [fromText(path), { content: Buffer.from(content) }] as [string, Planted],
  );
  const common = {
    ...{ checkout: workspace, folder: join(root, 'layer'), access, privilege },
    plan: planLayer({
      ...{ root: workspace, absent: setAside.map(fromText), planted: new Map(planted), isLocked: true },
      nestedGit: gitEntries.filter((entry) => entry !== ownGit),
    }),
  };
  if (layer === 'overlay') return openOverlay(common);
  const program = findGit({ path: process.env['PATH'], untrusted: [workspace, root] });
  const git =
    repository && program !== undefined
      ? openCheckoutGit({ repository, program, scratch: join(root, 'git') })
      : undefined;
  return openCopy({ ...common, git, skipsIgnored: false, onProgress: () => undefined });
}

function enclose(layer: Layer, privilege: PrivilegeSource, spec: ProcessSpec): ProcessSpec {
  const mount = layer.mountFor(0);
  if (!mount) throw new Error('This layer cannot be mounted.');
  mount.onReady();
  const { workspace, cli = '/bin/sh', shown = [], locked, keyring } = request;
  const enclosure = planEnclosure(
    {
      ...{ home, temp, env, cli, directory, control: join(root, 'control') },
      layer: { root: workspace, by: mount.by, as: mount.as },
      hidden: [runnerTemp, root],
      shown: [context, ...shown, ...(network?.shown ?? [])],
      locked: locked === undefined ? [] : [join(home, locked)],
    },
    { privilege, keyring },
  );
  return isolate(spec, { ...enclosure, layer: mount.setup, network });
}

/** Nothing but the start: whatever ends the agent's leftovers here is the isolation itself. */
function runPlainly({ file, args, cwd, env: variables, input, isIsolated }: ProcessSpec): Promise<object> {
  const child = spawn(file, args, { cwd, env: variables, detached: true });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let isTold = false;
  child.stdout.on('data', (chunk: Buffer) => {
    out.push(chunk);
    if (isTold || !request.onReady || !Buffer.concat(out).includes('ready\n')) return;
    isTold = true;
    tellReady(child);
  });
  const gate = awaitReady((chunk) => err.push(chunk));
  child.stderr.on('data', isIsolated ? gate.onStderr : (chunk: Buffer) => err.push(chunk));
  const text = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString('utf8');
  return new Promise((done) => {
    child.on('close', (code, signal) => {
      const stderr = !isIsolated || gate.isReady() ? text(err) : gate.printed();
      done({ code, signal, stdout: text(out), stderr, isReady: gate.isReady() });
    });
  });
}

function tellReady({ pid = 0 }: ChildProcess): void {
  if (request.onReady === 'tell') answer({ ready: pid });
  else process.kill(-pid, request.onReady);
}

/** With the watchdogs of a real run. */
async function runWatched(spec: ProcessSpec, limits: NonNullable<Request['limits']>): Promise<object> {
  const out: Buffer[] = [];
  const watcher = {
    onStdout: (chunk: Buffer) => void out.push(chunk),
    onStderr: () => undefined,
    hasResult: () => false,
    hasSubagent: () => false,
    patienceMs: () => Infinity,
  };
  const exit = await runProcess(spec, watcher, {
    ...limits,
    subagentMs: 0,
    cancel: new AbortController().signal,
  });
  return { exit, stdout: Buffer.concat(out).toString('utf8') };
}
