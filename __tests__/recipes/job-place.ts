import { spawn } from 'node:child_process';
import type { Runner } from '../scenarios/accounts.js';

/** The part of the github context that recipes use, with the payload of the event. */
export interface GithubContext {
  event_name: string;
  event: Record<string, unknown>;
  event_path: string;
  repository: string;
  repository_owner: string;
  ref: string;
  ref_name: string;
  head_ref: string;
  base_ref: string;
  sha: string;
  actor: string;
  triggering_actor: string;
  run_id: string;
  run_number: string;
  run_attempt: string;
  workflow: string;
  /** The file of the workflow, also in a workflow that it calls. */
  workflow_ref: string;
  job: string;
  token: string;
  server_url: string;
  api_url: string;
  workspace: string;
}

/** Where the steps of one job do their work. */
export interface JobPlace {
  workspace: string;
  temp: string;
  /** Shared by the jobs of a run. */
  artifacts: string;
  github: GithubContext;
  /** A token with these permissions only. */
  mintToken: (permissions: Readonly<Record<string, string>>) => string;
  /** The variables of every step of a job. */
  baseEnv: Record<string, string>;
  /** The user of the steps, if that is not the user of the tests. */
  runner?: Runner | undefined;
}

/** The result of one step. */
export interface StepWork {
  ok: boolean;
  log: string;
  outputs?: ReadonlyMap<string, string>;
  summary?: string;
}

export interface Ended {
  code: number | null;
  /** What it printed, both streams in the order they came. */
  log: string;
}

/** Runs a program to its end, with exactly this environment, as the user of the steps. */
export function runChild(
  [program = '', ...args]: readonly string[],
  { workspace: cwd, runner }: JobPlace,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Ended> {
  const account = runner ? { uid: runner.uid, gid: runner.uid } : {};
  return new Promise((done, failed) => {
    const child = spawn(program, args, {
      ...{ cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
      ...account,
    });
    let log = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (log += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    child.on('error', failed);
    child.on('close', (code) => {
      done({ code, log });
    });
  });
}
