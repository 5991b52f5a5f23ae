import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCheckoutGit } from '../src/git/checkout-git.js';
import { findGit } from '../src/git/private-git.js';
import { findRepository } from '../src/git/repository.js';
import { findConfig } from '../src/permissions/checkout-config.js';
import { buildPolicy } from '../src/permissions/policy.js';
import { openSandbox, probeMachine, type SandboxPlan } from '../src/sandbox/index.js';

/**
 * Compares the cost of the layer with `git status`, on a repository of 100,000 files of which 20 are changed. The cost is
 * the time to search the checkout before the run, to find and judge the changes, to write the patch and to apply it.
 */
const FOLDERS = 1000;
const FILES_EACH = 100;
const CHANGED = 20;
const MARK = 2;
const ROUNDS = 5;

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'bench-layer-')));
const root = join(scratch, 'repository');
const program = findGit({ path: process.env['PATH'], untrusted: [] }) ?? 'git';
const git = (...args: string[]) =>
  execFileSync(program, ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...args], {
    cwd: root,
  });

function build(): void {
  mkdirSync(root);
  git('init', '-q');
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(root, 'src', String(folder));
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_EACH; file++)
      writeFileSync(join(path, `${file}.txt`), `${folder} ${file}\n`);
  }
  writeFileSync(join(root, '.gitignore'), 'node_modules/\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'all');
  // The objects of a real checkout are in a pack.
  git('-c', 'gc.auto=0', 'repack', '-a', '-d', '-q');
  git('prune-packed');
  git('status', '--porcelain');
}

/** Does what one run does. The agent's own work is not timed. */
async function layerOnce(round: number): Promise<{ before: number; after: number }> {
  const own = join(scratch, `run-${round}`);
  mkdirSync(own);
  const wanted = { isolation: 'auto', network: 'off' } as const;
  const machine = await probeMachine(wanted, { checkout: root, scratch: join(own, 'probe') });
  if (machine.kind !== 'isolated' || machine.layer !== 'overlay')
    throw new Error('This benchmark needs a machine that can isolate the agent and make an overlay.');
  const before = time(() => openSandbox(planSandbox(machine, own)));
  const sandbox = before.result;
  const script = `i=0; while [ $i -lt ${CHANGED} ]; do echo "round ${round}" >> src/$((i * 7))/$i.txt; i=$((i + 1)); done`;
  let stderr = '';
  const { exit } = await sandbox.run(
    { args: ['-c', script], env: {}, input: '', from: 'checkout', continuesChat: false },
    {
      onStdout: () => undefined,
      onStderr: (chunk) => (stderr += chunk.toString()),
      ...{ hasResult: () => false, hasSubagent: () => false, patienceMs: () => Infinity },
    },
    { totalMs: 60_000, graceMs: 0, subagentMs: 0, cancel: new AbortController().signal },
  );
  if (exit.kind !== 'exited' || exit.code !== 0) throw new Error(stderr);
  const after = time(() => {
    const inspection = sandbox.inspect(() => []);
    inspection.writePatch(inspection.allowed, join(own, 'changes.patch'), { mayShow: () => true });
    sandbox.apply({ changes: inspection.allowed, sourceOf: inspection.sourceOf });
    inspection.close();
    return inspection;
  });
  const found = after.result.allowed.length;
  if (found !== CHANGED) throw new Error(`${found} changes were found instead of ${CHANGED}.`);
  sandbox.close();
  return { before: before.ms, after: after.ms };
}

function planSandbox(machine: SandboxPlan['machine'], own: string): SandboxPlan {
  const repository = findRepository(root);
  if (!repository) throw new Error('There is no repository.');
  const { config, gitEntries } = findConfig(root);
  const git = openCheckoutGit({ repository, program, scratch: join(own, 'git') });
  const environment = () => ({ PATH: '/usr/bin:/bin' });
  return {
    ...{ machine, folder: join(own, 'sandbox'), access: 'write', runsCommands: false },
    checkout: { top: root, directory: root, git, gitEntries },
    hide: config.map(({ path }) => path),
    ...{ plant: () => ({}), homeFiles: () => ({}), keep: [], hook: undefined },
    policy: buildPolicy({ preset: 'fix-ci', allow: [], deny: [] }),
    ...{ program: '/bin/sh', readable: [], hidden: [own] },
    ...{ environment, commandEnvironment: environment, env: {} },
    hosts: { agent: [], vendor: [], commands: [] },
    ...{ isSecret: () => false, onRefused: () => undefined, onProgress: () => undefined },
  };
}

function time<T>(work: () => T): { result: T; ms: number } {
  const start = performance.now();
  const result = work();
  return { result, ms: performance.now() - start };
}

/** The fastest of several, because other load on the machine can only add time. */
const best = (times: readonly number[]): number => Math.min(...times);

try {
  build();
  const status: number[] = [];
  const layer: { before: number; after: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    status.push(time(() => git('status', '--porcelain')).ms);
    layer.push(await layerOnce(round));
  }
  const baseline = best(status);
  const [before, after] = [best(layer.map((one) => one.before)), best(layer.map((one) => one.after))];
  const ratio = (before + after) / baseline;
  const met = ratio <= MARK;
  console.log(`git status, ${FOLDERS * FILES_EACH} files: ${baseline.toFixed(0)} ms`);
  console.log(
    `before the agent: ${(before / baseline).toFixed(2)} x, after it: ${(after / baseline).toFixed(2)} x`,
  );
  console.log(`ratio ${ratio.toFixed(2)} (at most ${MARK}) ${met ? 'ok' : 'MISSED'}`);
  process.exitCode = met ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
