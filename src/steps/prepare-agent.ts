import { join } from 'node:path';
import type { Agent } from '../agent/agent.js';
import { buildEnvironment } from '../agent/environment.js';
import type { Policy } from '../agent/policy.js';
import type { ProcessSpec } from '../agent/process.js';
import type { Cli } from './find-cli.js';
import type { Places } from './input-files.js';
import type { Inputs } from '../inputs.js';
import { prepareIsolation } from './prepare-isolation.js';
import type { Setup } from '../report/run-record.js';
import { describeSetup, printSetup } from './setup-report.js';
import { writeFiles, type Workplace } from './workplace.js';

/** What surrounds the action itself. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  cancel: AbortSignal;
}

export interface Preparation {
  agent: Agent;
  cli: Cli;
  inputs: Inputs;
  places: Places;
  policy: Policy;
  workplace: Workplace;
}

/** Everything the agent is given, settled before it starts. */
export interface Prepared {
  cliPath: string;
  /** Its whole environment. */
  env: Readonly<Record<string, string>>;
  /** Our files in its working directory. */
  projectFiles: Readonly<Record<string, string>>;
  /** Puts its command into namespaces of its own, where that works. */
  wrap: (spec: ProcessSpec) => ProcessSpec;
  setup: Setup;
}

/** Its environment, its home, its isolation, told in the log. */
export function prepareAgent(preparation: Preparation, { env: ours }: Surroundings): Prepared {
  const { agent, cli, inputs, places, policy, workplace } = preparation;
  const { home, temp } = workplace;
  const own = agent.environment(inputs.apiKey);
  const env = buildEnvironment({ home, temp, passEnv: inputs.passEnv, own }, ours, process.platform);
  const projectFiles = agent.projectFiles(policy, places.directory);
  writeFiles(home, agent.homeFiles(policy, places.directory, places.mcp?.config));
  const shelter = prepareIsolation({
    setting: inputs.isolation,
    policy,
    workspace: places.workspace,
    workplace,
    runnerTemp: ours['RUNNER_TEMP'],
    cliPath: cli.path,
    env,
    ownFiles: Object.keys(projectFiles).map((name) => join(places.directory, name)),
  });
  const setup = describeSetup(agent, policy, { isolation: shelter.description, cliVersion: cli.version });
  printSetup(setup);
  return { cliPath: cli.path, env, projectFiles, wrap: shelter.wrap, setup };
}
