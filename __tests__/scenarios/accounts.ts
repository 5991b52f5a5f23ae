import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { allowSudo } from '../isolation/stand.js';
import type { FakeAgent } from './fake-agent.js';
import { built, runStep, type Step, type StepResult } from './step.js';
import { makeFolder } from './workspace.js';

/** Who the runner is: root, as in many containers, or an ordinary user with sudo, as on GitHub's own machines. */
export type Account = 'root' | 'sudo';

const USER = `scenario-${process.pid}`;

/** Why this machine cannot run tests with an account; undefined if it can. */
export function obstacle(account: Account): string | undefined {
  if (process.platform !== 'linux') return 'this is not Linux';
  if (process.getuid?.() !== 0) return 'the tests do not run as root';
  if (spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status !== 0) return 'no namespaces here';
  return account === 'sudo' && !existsSync('/usr/bin/sudo') ? 'sudo is not installed' : undefined;
}

let uid: number | undefined;

function userId(): number {
  if (uid === undefined) {
    must('useradd', '--create-home', '--user-group', USER);
    allowSudo(USER, true);
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

/** Runs a step as an account that owns the workspace, with bundles and an agent that it can read. */
export async function runStepAs(account: Account, agent: FakeAgent, step: Step): Promise<StepResult> {
  const inputs = { isolation: 'auto', 'cli-path': agent.path, ...step.inputs };
  if (account === 'root') return runStep({ ...step, inputs });
  const place = makeFolder('ordinary');
  const bundle = basename(dirname(step.entry ?? 'run/index.js'));
  for (const name of [bundle, 'hook']) cpSync(built(`dist/${name}`), join(place, name), { recursive: true });
  cpSync(dirname(agent.path), join(place, 'agent'), { recursive: true });
  for (const folder of [place, ...(step.workspace === undefined ? [] : [step.workspace])])
    must('chown', '-R', `${userId()}:${userId()}`, folder);
  chmodSync(place, 0o755);
  return runStep({
    ...step,
    uid: userId(),
    entry: join(place, bundle, 'index.js'),
    // An empty path has one installed.
    inputs:
      inputs['cli-path'] === '' ? inputs : { ...inputs, 'cli-path': join(place, 'agent', 'cursor-agent') },
  });
}
