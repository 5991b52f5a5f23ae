import { afterEach, expect } from '@jest/globals';
import { join } from 'node:path';
import { openRunner, type Account } from '../scenarios/accounts.js';
import { fakeAgent, type FakeAgent } from '../scenarios/fake-agent.js';
import { removeFolders } from '../scenarios/workspace.js';
import type { RecipeEvent } from './events.js';
import { runWorkflow, type JobRun, type WorkflowRun } from './run-workflow.js';
import { readWorkflow, type Workflow } from './workflow-file.js';
import { API_KEY, startWorld, type World } from './world.js';

export const RECIPES = 'examples';

const workflows = new Map<string, Promise<Workflow>>();
export function recipe(name: string): Promise<Workflow> {
  const read = workflows.get(name) ?? readWorkflow(join(RECIPES, `${name}.yml`));
  workflows.set(name, read);
  return read;
}

/** Starts a GitHub for each test and stops it afterwards, which fails if it got a request that it does not know. */
export function worlds(): (files: Readonly<Record<string, string>>) => Promise<World> {
  const open: World[] = [];
  afterEach(async () => {
    const closing = open.splice(0).map((world) => world.close());
    try {
      await Promise.all(closing);
    } finally {
      removeFolders();
    }
  });
  return async (files) => {
    const world = await startWorld(files);
    open.push(world);
    return world;
  };
}

export interface Played extends WorkflowRun {
  agent: FakeAgent;
  job(id: string): JobRun;
  results: Record<string, string>;
}

export interface Playing {
  world: World;
  /** What the scripted agent does. */
  agent: string;
  /** Whether the agent is isolated as the recipe says. */
  isolated?: boolean;
  /** Who runs the steps. */
  account?: Account;
  /** The jobs that run; the others are skipped. */
  jobs?: readonly string[];
  afterJob?: (id: string, artifacts: string) => void;
}

/** Runs a recipe on an event, with a scripted agent instead of the CLI. */
export const play = async (name: string, event: RecipeEvent, playing: Playing): Promise<Played> =>
  playWorkflow(await recipe(name), event, playing);

export async function playWorkflow(
  workflow: Workflow,
  event: RecipeEvent,
  { world, agent: body, isolated = false, account = 'root', ...options }: Playing,
): Promise<Played> {
  const agent = fakeAgent(body);
  const runner = account === 'sudo' ? openRunner(agent, ['run', 'hook', 'publish']) : undefined;
  // An isolated agent could not write its notes.
  const inputs = {
    'cli-path': runner?.agent ?? agent.path,
    ...(isolated ? {} : { isolation: 'off', network: 'off' }),
  };
  const run = await runWorkflow({
    workflow,
    event,
    runner,
    surroundings: world.surroundings,
    overrides: { '.': inputs, run: inputs },
    ...options,
  });
  expect(run.log).not.toContain(API_KEY);
  const job = (id: string) => {
    const found = run.jobs.find((each) => each.id === id);
    if (!found) throw new Error(`there is no job ${id}`);
    return found;
  };
  const results = Object.fromEntries(run.jobs.map(({ id, result }) => [id, result]));
  return { ...run, agent, job, results };
}

/** The log of a run, for the message of a failing test. */
export const story = (run: WorkflowRun): string =>
  run.jobs
    .flatMap((job) => [
      `== ${job.id}: ${job.result}`,
      ...job.steps.map((step) => `-- ${step.name}: ${step.outcome}\n${step.log.slice(-3000)}`),
    ])
    .join('\n');
