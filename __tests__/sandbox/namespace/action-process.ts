/**
 * Plays the action's own process: a Node with secrets in its environment that starts an agent, isolated or bare,
 * through the real code. Takes a job as JSON on stdin, answers with one line of JSON.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { awaitReady } from '../../../src/sandbox/namespace/check.js';
import { probeIsolation } from '../../../src/sandbox/namespace/probe.js';
import type { MachinePaths } from '../../../src/sandbox/namespace/survey.js';
import { buildPolicy } from '../../../src/permissions/policy.js';
import { runProcess, type ProcessSpec } from '../../../src/sandbox/process.js';
import { toText } from '../../../src/git/paths.js';
import { parseHostLine } from '../../../src/sandbox/network/allowed-hosts.js';
import type { ClosedNetwork } from '../../../src/sandbox/network/proxy.js';
import { openLayer, type Layer } from '../../../src/run/open-layer.js';
import { openRunFolder, writeFiles, type RunFolder } from '../../../src/run/run-folder.js';
import { OWN_FILE, type Request } from './job.js';

const request = JSON.parse(readFileSync(0, 'utf8')) as Request;
const runFolder = openRunFolder(process.env['RUNNER_TEMP']);
const directory = join(request.workspace, request.directory ?? '.');
const env = agentEnvironment();
let network: ClosedNetwork | undefined;
let machine: MachinePaths;

const answer = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

main().catch((error: unknown) => {
  answer({ failure: error instanceof Error ? error.message : String(error) });
  process.exit(1);
});

async function main(): Promise<void> {
  if (request.network && request.how !== 'probe') network = await openNetwork(request.network);
  machine = machinePaths(runFolder);
  if (request.how !== 'probe') return run();
  answer(await probeIsolation(machine, { network: request.network ? 'auto' : 'off' }));
  rmSync(runFolder.root, { recursive: true, force: true });
}

async function run(): Promise<void> {
  // Somebody else's process on the same machine; it goes when this one is killed.
  const sentinel = spawn('setpriv', ['--pdeathsig=KILL', 'sleep', '1000'], { stdio: 'ignore' });
  const layer = request.how === 'bare' ? undefined : makeLayer();
  const spec = agentCommand(sentinel.pid);
  const entered = layer ? layer.workspace.enter(spec) : spec;
  const result = request.limits ? await runWatched(entered, request.limits) : await runPlainly(entered);
  const isSentinelAlive = sentinel.exitCode === null && sentinel.signalCode === null;
  sentinel.kill('SIGKILL');
  const changes = layer?.workspace.changes().map(({ path }) => toText(path)) ?? [];
  const tampering = layer?.workspace.tampering().map(({ path }) => path) ?? [];
  layer?.workspace.close();
  rmSync(runFolder.root, { recursive: true, force: true });
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
    folder: join(runFolder.root, 'network'),
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
    HOME: runFolder.home,
    TMPDIR: runFolder.temp,
    AGENT_KEY: request.agentKey,
    ...request.env,
  };
}

function machinePaths({ home, temp, root, context }: RunFolder): MachinePaths {
  mkdirSync(context, { recursive: true });
  if (request.locked !== undefined) writeFiles(home, { [request.locked]: OWN_FILE });
  return {
    ...{ home, temp, env },
    hidden: [process.env['RUNNER_TEMP'] ?? root, root],
    cli: request.cli ?? '/bin/sh',
    shown: [context, ...(request.shown ?? []), ...(network?.shown ?? [])],
    locked: request.locked === undefined ? [] : [join(home, request.locked)],
    control: join(root, 'control'),
  };
}

function makeLayer(): Layer {
  const { how, layer = 'overlay', access = 'write', workspace, keyring } = request;
  if (how === 'bare' || how === 'probe') throw new Error(`There is no layer for ${how}.`);
  const preset = access === 'write' ? 'fix-ci' : 'review';
  const open = network;
  return openLayer({
    resolved: { workspace, directory, prompt: '' },
    rules: { choice: 'none', base: undefined },
    policy: buildPolicy({ preset, allow: [], deny: [] }),
    runFolder,
    isolation: { kind: 'isolated', how, layer, keyring },
    machine,
    ...(open ? { network: () => open.forwarder } : {}),
    path: process.env['PATH'],
    ownFiles: () => ({ '.cursor/cli.json': OWN_FILE }),
    repositoryFiles: {},
  });
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
