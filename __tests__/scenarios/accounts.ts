import { afterAll } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { allowSudo, obstacle as namespaceObstacle } from '../sandbox/namespace/stand.js';
import type { FakeAgent } from './fake-agent.js';
import { built, giveTo, nodeForAnyone, runStep, type Step, type StepResult } from './step.js';
import { makeFolder } from './workspace.js';

/**
 * Who the runner is: root, as in many containers, an ordinary user with sudo, as on GitHub's own machines, or one without,
 * who can be isolated only in a user namespace.
 */
export type Account = 'root' | 'sudo' | 'user-namespace';

const USER = `scenario-${process.pid}`;

/** Why this machine cannot run tests with an account; undefined if it can. */
export function obstacle(account: Account): string | undefined {
  if (process.platform !== 'linux') return 'this is not Linux';
  if (process.getuid?.() !== 0) return 'the tests do not run as root';
  if (spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status !== 0) return 'no namespaces here';
  if (account === 'sudo' && !existsSync('/usr/bin/sudo')) return 'sudo is not installed';
  return account === 'user-namespace' ? namespaceObstacle(account) : undefined;
}

let uid: number | undefined;

function userId(): number {
  if (uid === undefined) {
    must('useradd', '--create-home', '--user-group', USER);
    uid = Number(must('id', '-u', USER));
  }
  return uid;
}

export function removeAccounts(): void {
  if (uid === undefined) return;
  allowSudo(USER, false);
  must('userdel', '--remove', USER);
  uid = undefined;
}

function must(file: string, ...args: string[]): string {
  const run = spawnSync(file, args, { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`${file} ${args.join(' ')}: ${run.stderr}`);
  return run.stdout.trim();
}

/** An ordinary user, and copies of what this user may not be able to reach. */
export interface Runner {
  uid: number;
  node: string;
  agent: string;
  /** The main file of a bundle. */
  entry(bundle: string): string;
}

export function openRunner(
  agent: FakeAgent,
  bundles: readonly string[],
  account: Exclude<Account, 'root'> = 'sudo',
): Runner {
  const place = makeFolder('ordinary');
  if (!agent.isForAnyone) cpSync(dirname(agent.path), join(place, 'agent'), { recursive: true });
  giveTo(userId(), [place]);
  allowSudo(USER, account === 'sudo');
  chmodSync(place, 0o755);
  const dist = distFor(userId(), bundles);
  return {
    uid: userId(),
    node: nodeForAnyone(),
    agent: agent.isForAnyone ? agent.path : join(place, 'agent', basename(agent.path)),
    entry: (bundle) => join(dist, bundle, 'index.js'),
  };
}

let copiedDist: string | undefined;
afterAll(() => {
  if (copiedDist !== undefined) rmSync(copiedDist, { recursive: true, force: true });
});

/** The user's own copies of bundles, made once per test file: Node finds what it compiled of them by where they are. */
function distFor(user: number, bundles: readonly string[]): string {
  if (copiedDist === undefined) {
    copiedDist = mkdtempSync(join(tmpdir(), 'dist-'));
    chmodSync(copiedDist, 0o755);
  }
  const dist = copiedDist;
  for (const name of bundles.filter((each) => !existsSync(join(dist, each)))) {
    cpSync(built(`dist/${name}`), join(dist, name), { recursive: true });
    giveTo(user, [join(dist, name)]);
  }
  return dist;
}

/** Runs a step as an account that owns the workspace, with bundles and an agent that it can read. */
export async function runStepAs(account: Account, agent: FakeAgent, step: Step): Promise<StepResult> {
  const inputs = { isolation: 'auto', 'cli-path': agent.path, ...step.inputs };
  if (account === 'root') return runStep({ ...step, inputs });
  const bundle = basename(dirname(step.entry ?? 'run/index.js'));
  const runner = openRunner(agent, [bundle, 'hook'], account);
  if (step.workspace !== undefined) giveTo(runner.uid, [step.workspace]);
  return runStep({
    ...step,
    uid: runner.uid,
    entry: runner.entry(bundle),
    // An empty path has one installed.
    inputs: inputs['cli-path'] === '' ? inputs : { ...inputs, 'cli-path': runner.agent },
  });
}
