import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Runner } from '../scenarios/accounts.js';
import { giveTo } from '../scenarios/step.js';
import { makeFolder } from '../scenarios/workspace.js';
import { calledFile, checkPermissions, inputsOfCall, secretsOfCall } from './called-workflow.js';
import { asText, evaluate, evaluateTexts, holds, type Contexts, type Status } from './evaluation.js';
import { isGivenSecrets, type RecipeEvent } from './events.js';
import type { GithubContext, JobPlace, StepWork } from './job-place.js';
import { runScript, useAction } from './run-step.js';
import {
  isTriggered,
  readWorkflow,
  record,
  type Template,
  type Workflow,
  type WorkflowCall,
  type WorkflowJob,
  type WorkflowStep,
} from './workflow-file.js';

export type Result = 'success' | 'failure' | 'skipped';
export interface StepRun {
  id: string;
  name: string;
  outcome: Result;
  outputs: Record<string, string>;
  log: string;
  summary: string;
}
export interface JobRun {
  /** A job of a called workflow is named as GitHub shows it: `caller / job`. */
  id: string;
  result: Result;
  outputs: Record<string, string>;
  steps: StepRun[];
  /** The folder with the checkout and the agent's changes. */
  workspace: string;
}
export interface WorkflowRun {
  triggered: boolean;
  /** The concurrency groups that the run and its jobs enter, as the workflow says it. */
  groups: Group[];
  jobs: JobRun[];
  /** Everything that was printed. */
  log: string;
}

interface Group {
  group: string;
  'cancel-in-progress'?: boolean;
  queue?: string;
}

function groupsOf(concurrency: Template, contexts: Contexts): Group[] {
  const given = evaluate(concurrency, contexts);
  if (given === null) return [];
  return [typeof given === 'string' ? { group: given } : (given as unknown as Group)];
}

/** What a run needs from the GitHub it runs on. */
export interface Surroundings {
  serverUrl: string;
  apiUrl: string;
  repository: string;
  mintToken: JobPlace['mintToken'];
  secrets: Readonly<Record<string, string>>;
  /** Cursor's API. */
  cursorUrl: string;
  /** The folder with the program `gh`. */
  ghFolder: string;
}

export interface RunRequest {
  workflow: Workflow;
  event: RecipeEvent;
  surroundings: Surroundings;
  /** Inputs that the test sets, by the folder of our action. */
  overrides: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Called after a job with the folder of the artifacts, where a compromised job could leave anything. */
  afterJob?: (id: string, artifacts: string) => void;
  /** The jobs that run; the others only enter their groups. Without it, all run. */
  jobs?: readonly string[];
  /** The user of the steps, if that is not the user of the tests. */
  runner?: Runner | undefined;
}

interface Run extends RunRequest {
  folder: string;
  runId: string;
  groups: Group[];
  jobRuns: JobRun[];
}

/** One workflow of a run: the one that the event triggers, or one that it calls. */
interface Frame {
  run: Run;
  workflow: Workflow;
  /** What stands before the names of its jobs. */
  prefix: string;
  inputs: Record<string, unknown>;
  secrets: Readonly<Record<string, string>>;
  done: Map<string, JobRun[]>;
}

let runs = 1000;

/** Runs a workflow's jobs in order, as GitHub does. */
export async function runWorkflow(request: RunRequest): Promise<WorkflowRun> {
  const { workflow, event, surroundings } = request;
  if (!isTriggered(workflow, event)) return { triggered: false, groups: [], jobs: [], log: '' };
  const run: Run = {
    ...request,
    folder: makeFolder('recipe-run'),
    runId: String((runs += 1)),
    groups: [],
    jobRuns: [],
  };
  writeFileSync(join(run.folder, 'event.json'), JSON.stringify(event.payload));
  const secrets = isGivenSecrets(event) ? surroundings.secrets : {};
  await runFrame({ run, workflow, prefix: '', inputs: event.inputs, secrets, done: new Map() });
  const { groups, jobRuns: jobs } = run;
  const log = jobs.flatMap(({ steps }) => steps.map((step) => step.log)).join('\n');
  return { triggered: true, groups, jobs, log };
}

async function runFrame(frame: Frame): Promise<void> {
  const { run, workflow, done } = frame;
  const contexts = { github: githubContext(run, '', ''), inputs: frame.inputs };
  run.groups.push(...groupsOf(workflow.concurrency, contexts));
  for (const job of inOrder(workflow.jobs)) {
    done.set(job.id, await runJob(frame, job));
    run.afterJob?.(job.id, join(run.folder, 'artifacts'));
  }
}

function inOrder(jobs: readonly WorkflowJob[]): WorkflowJob[] {
  const ordered: WorkflowJob[] = [];
  while (ordered.length < jobs.length) {
    const next = jobs.find(
      (job) => !ordered.includes(job) && job.needs.every((id) => ordered.some((other) => other.id === id)),
    );
    if (!next) throw new Error('jobs need each other');
    ordered.push(next);
  }
  return ordered;
}

/** Runs one job, or one for each entry of its matrix, or the workflow that it calls. */
async function runJob(frame: Frame, job: WorkflowJob): Promise<JobRun[]> {
  const { run, prefix } = frame;
  const contexts = {
    github: githubContext(run, job.id, ''),
    needs: needsContext(frame, job),
    inputs: frame.inputs,
  };
  const skipped: JobRun = { ...NOT_RUN, id: prefix + job.id };
  if (!holds(job.condition, contexts, jobStatus(frame, job))) {
    run.jobRuns.push(skipped);
    return [skipped];
  }
  run.groups.push(...groupsOf(job.concurrency, contexts));
  if (job.call) return [await runCall(frame, job, { call: job.call, contexts })];
  if (run.jobs && !run.jobs.includes(job.id)) return [skipped];
  const strategy = job.strategy === null ? {} : record(job.strategy);
  const matrix = strategy['matrix'] === undefined ? undefined : evaluate(strategy['matrix'], contexts);
  const combinations =
    matrix === undefined ? [{}] : combinationsOf(matrix as Parameters<typeof combinationsOf>[0]);
  const most = Number(evaluate(strategy['max-parallel'] ?? Infinity, contexts));
  const all = await inPool(combinations, Math.min(most, 2), (values) => runOne(frame, job, values));
  run.jobRuns.push(...all);
  return all;
}

const NOT_RUN = {
  result: 'skipped',
  outputs: {},
  steps: [],
  workspace: '',
} as const satisfies Partial<JobRun>;

/** Runs the jobs of a called workflow as part of this run. Its event, its artifacts and its name are the caller's. */
async function runCall(
  frame: Frame,
  job: WorkflowJob,
  { call, contexts }: { call: WorkflowCall; contexts: Contexts },
): Promise<JobRun> {
  const workflow = await readWorkflow(calledFile(call.uses));
  checkPermissions(job, workflow);
  const id = frame.prefix + job.id;
  const called: Frame = {
    run: frame.run,
    workflow,
    prefix: `${id} / `,
    inputs: inputsOfCall(workflow, evaluate(call.with, contexts) as Record<string, unknown>),
    secrets: secretsOfCall(workflow, evaluateTexts(call.secrets, { ...contexts, secrets: frame.secrets })),
    done: new Map(),
  };
  await runFrame(called);
  const results = [...called.done.values()].flat().map(({ result }) => result);
  const result = results.includes('failure')
    ? 'failure'
    : results.every((each) => each === 'skipped')
      ? 'skipped'
      : 'success';
  return { ...NOT_RUN, id, result };
}

/** The matrix of a recipe is a list. */
function combinationsOf({ include }: { include?: Record<string, unknown>[] }): Record<string, unknown>[] {
  if (!include || include.length === 0) throw new Error('Matrix must define at least one vector');
  if (include.length > 256) throw new Error(`The matrix makes ${include.length} jobs, more than 256`);
  return include;
}

async function inPool<T, R>(items: readonly T[], size: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!);
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(size, items.length)) }, worker));
  return results;
}

/** All jobs that this one needs, directly or indirectly. */
function ancestors(frame: Frame, job: WorkflowJob): JobRun[] {
  const parents = job.needs.map((id) => frame.workflow.jobs.find((other) => other.id === id)!);
  return parents.flatMap((parent) => [...(frame.done.get(parent.id) ?? []), ...ancestors(frame, parent)]);
}

function jobStatus(frame: Frame, job: WorkflowJob): Status {
  const results = ancestors(frame, job).map(({ result }) => result);
  return {
    success: results.every((result) => result === 'success'),
    failure: results.includes('failure'),
    cancelled: false,
  };
}

function needsContext({ done }: Frame, job: WorkflowJob): Record<string, unknown> {
  const needed = job.needs.map((id) => {
    const all = done.get(id) ?? [];
    const result = all.find((each) => each.result !== 'success')?.result ?? 'success';
    const outputs = Object.assign({}, ...all.map((each) => each.outputs)) as Record<string, string>;
    return [id, { result: all.some((each) => each.result === 'failure') ? 'failure' : result, outputs }];
  });
  return Object.fromEntries(needed) as Record<string, unknown>;
}

async function runOne(frame: Frame, job: WorkflowJob, matrix: Record<string, unknown>): Promise<JobRun> {
  const { run, prefix } = frame;
  const place = makePlace(run, job);
  const contexts = {
    github: place.github,
    needs: needsContext(frame, job),
    matrix,
    inputs: frame.inputs,
    secrets: { ...frame.secrets, GITHUB_TOKEN: place.github.token },
    runner: { temp: place.temp, os: 'Linux', arch: 'X64', name: 'recipe', environment: 'github-hosted' },
  };
  const env = evaluateTexts(job.env, contexts);
  const { steps, failed } = await runSteps({ run, job, place, contexts, env });
  const stepsContext = Object.fromEntries(steps.map((step) => [step.id, step]));
  return {
    id: prefix + job.id,
    result: failed ? 'failure' : 'success',
    outputs: evaluateTexts(job.outputs, { ...contexts, steps: stepsContext }),
    steps,
    workspace: place.workspace,
  };
}

interface JobWork {
  run: Run;
  job: WorkflowJob;
  place: JobPlace;
  contexts: Contexts;
  env: Record<string, string>;
}

async function runSteps({
  run,
  job,
  place,
  contexts,
  env,
}: JobWork): Promise<{ steps: StepRun[]; failed: boolean }> {
  const steps: StepRun[] = [];
  let failed = false;
  for (const step of job.steps) {
    const seen = { ...contexts, env, steps: Object.fromEntries(steps.map((each) => [each.id, each])) };
    const status = { success: !failed, failure: failed, cancelled: false };
    if (!holds(step.condition, seen, status)) {
      steps.push({ ...blank(step), outcome: 'skipped' });
      continue;
    }
    const work = await runStep(run, step, { place, contexts: seen, env });
    failed ||= !work.ok;
    const { log, summary = '' } = work;
    const outputs = Object.fromEntries(work.outputs ?? []);
    steps.push({ ...blank(step), outcome: work.ok ? 'success' : 'failure', outputs, log, summary });
  }
  return { steps, failed };
}

const blank = ({ id, name }: WorkflowStep) => ({ id, name, outputs: {}, log: '', summary: '' });

function runStep(
  run: Run,
  step: WorkflowStep,
  { place, contexts, env }: { place: JobPlace; contexts: Contexts; env: Record<string, string> },
): Promise<StepWork> {
  const own = { ...env, ...evaluateTexts(step.env, { ...contexts, env }) };
  const { does } = step;
  if (does.kind === 'run') {
    const script = asText(evaluate(does.script, { ...contexts, env: own }));
    return runScript({ script, shell: does.shell, env: own }, place);
  }
  const given = evaluateTexts(does.with, { ...contexts, env: own });
  return useAction({ uses: does.uses, with: given, env: own, overrides: run.overrides }, place);
}

/** A fresh machine for a job. */
function makePlace(run: Run, job: WorkflowJob): JobPlace {
  const root = makeFolder(`recipe-${job.id}`);
  const folder = (name: string) => {
    mkdirSync(join(root, name), { recursive: true });
    return join(root, name);
  };
  const [workspace, temp, home] = [folder('work'), folder('temp'), folder('home')];
  const { event, surroundings, runner } = run;
  if (runner) {
    giveTo(runner.uid, [root]);
    // Programs and the event are there for every user.
    for (const shared of [surroundings.ghFolder, run.folder]) chmodSync(shared, 0o755);
  }
  // A run without secrets has read access at most, even if the workflow asks for more.
  const permissions = Object.fromEntries(
    Object.entries(job.permissions).map(([name, level]) => [name, isGivenSecrets(event) ? level : 'read']),
  );
  const github = {
    ...githubContext(run, job.id, workspace),
    token: surroundings.mintToken(permissions),
  };
  const baseEnv = {
    PATH: `${surroundings.ghFolder}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    LANG: 'C.UTF-8',
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    RUNNER_TEMP: temp,
    RUNNER_OS: 'Linux',
    RUNNER_TRACKING_ID: 'github_recipe',
    CURSOR_API_ENDPOINT: surroundings.cursorUrl,
    ...githubVariables(github),
  };
  const { mintToken } = surroundings;
  return { workspace, temp, artifacts: join(run.folder, 'artifacts'), github, mintToken, baseEnv, runner };
}

function githubContext(run: Run, job: string, workspace: string): GithubContext {
  const { event, workflow, surroundings } = run;
  return {
    event_name: event.name,
    event: event.payload,
    event_path: join(run.folder, 'event.json'),
    repository: surroundings.repository,
    repository_owner: surroundings.repository.split('/')[0] ?? '',
    ref: event.ref,
    ref_name: event.ref.replace(/^refs\/(heads|tags|pull)\//, ''),
    head_ref: event.headRef,
    base_ref: event.baseRef,
    sha: event.sha,
    actor: event.actor,
    triggering_actor: event.actor,
    run_id: run.runId,
    run_number: '1',
    run_attempt: '1',
    workflow: workflow.name,
    workflow_ref: `${surroundings.repository}/.github/workflows/${workflow.file}@refs/heads/main`,
    job,
    token: '',
    server_url: surroundings.serverUrl,
    api_url: surroundings.apiUrl,
    workspace,
  };
}

/** The runner sets no variable for the payload and the token. */
function githubVariables(github: GithubContext): Record<string, string> {
  const told = Object.entries(github).filter(([name]) => name !== 'event' && name !== 'token');
  return Object.fromEntries(told.map(([name, value]) => [`GITHUB_${name.toUpperCase()}`, value as string]));
}
