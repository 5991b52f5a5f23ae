import { cpSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../agent/agent.js';
import { classify } from '../permissions/steering-files.js';
import { buildEnvironment } from '../agent/environment.js';
import type { Isolation } from '../isolation/choice.js';
import type { Policy } from '../permissions/policy.js';
import type { ProcessSpec } from '../agent/process.js';
import { RunFailure } from '../core/failure.js';
import { toText } from '../git/byte-path.js';
import type { Inputs } from './inputs.js';
import type { Setup } from '../report/model.js';
import type { Workspace } from '../workspace/workspace.js';
import type { AttemptLimits } from './attempts.js';
import type { Cli } from './find-cli.js';
import type { Places } from './input-files.js';
import { openLayer, type ChosenRules, type Layer } from './open-layer.js';
import { machineOf, tellIsolation, tryIsolation } from './prepare-isolation.js';
import { describeSetup, printSetup } from './setup-report.js';
import { preloadDocuments } from './tell-result.js';
import { renewAgentFolders, writeFiles, type Workplace } from './run-folder.js';

/** What surrounds the action itself. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  cancel: AbortSignal;
}

export interface Preparation {
  agent: Agent;
  cli: Cli;
  inputs: Inputs;
  isolation: Isolation;
  /** Its whole environment. */
  env: Readonly<Record<string, string>>;
  places: Places;
  rules: ChosenRules;
  policy: Policy;
  workplace: Workplace;
}

/** Everything the agent is given, settled before it starts. */
export interface Prepared {
  cliPath: string;
  /** Its whole environment. */
  env: Readonly<Record<string, string>>;
  layer: Layer;
  setup: Setup;
  /** The command of one start, with a home that nothing of an earlier start is left in. */
  ready(spec: ProcessSpec, limits: AttemptLimits): ProcessSpec;
}

/** Its environment, and whether this machine can keep it apart, which is found out while other things are done. */
export function beginIsolation(
  { agent, inputs, workplace }: Pick<Preparation, 'agent' | 'inputs' | 'workplace'>,
  { env: ours }: Surroundings,
): { env: Preparation['env']; isolation: Promise<Isolation> } {
  const { home, temp } = workplace;
  const own = agent.environment(inputs.apiKey);
  const env = buildEnvironment({ home, temp, passEnv: inputs.passEnv, own }, ours, process.platform);
  const isolation = tryIsolation(inputs.isolation, { workplace, runnerTemp: ours['RUNNER_TEMP'], env });
  if (inputs.isolation !== 'off') preloadDocuments();
  return { env, isolation };
}

/** Its layer and its home, told in the log. */
export function prepareAgent(preparation: Preparation, { env: ours }: Surroundings): Prepared {
  const { agent, cli, inputs, isolation, env, places, rules, policy, workplace } = preparation;
  const { home } = workplace;
  const description = tellIsolation(isolation, { setting: inputs.isolation, policy });
  const setup = describeSetup(agent, policy, { isolation: description, cliVersion: cli.version });
  printSetup(setup);
  const machine = machineOf({ workplace, runnerTemp: ours['RUNNER_TEMP'], env }, cli.path);
  const layer = openLayer({
    ...{ places, rules, policy, workplace, isolation, machine, path: ours['PATH'] },
    ownFiles: (directory) => agent.projectFiles(policy, directory),
  });
  const fillHome = () => {
    writeFiles(home, agent.homeFiles(policy, layer.directory, places.mcp?.config));
  };
  fillHome();
  let starts = 0;
  return {
    ...{ cliPath: cli.path, env, layer, setup },
    ready(spec, limits) {
      starts += 1;
      if (starts > 1) {
        const earlier = renewAgentFolders(workplace, starts - 1);
        fillHome();
        if (limits.resume !== undefined) keepChats(agent, earlier, home);
        // A further round goes on with what the agent has done; another try starts from the checkout.
        if (limits.prompt === undefined) layer.workspace.renew();
        else refuseSteering(layer.workspace);
      }
      return layer.workspace.enter(spec);
    },
  };
}

/** Nothing but files: what is behind a link is not the agent's to bring along. */
function keepChats({ chatFolders }: Agent, earlier: string, home: string): void {
  for (const folder of chatFolders) {
    if (lstatSync(join(earlier, folder), { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    const filter = (path: string) => {
      const stat = lstatSync(path);
      return stat.isFile() || stat.isDirectory();
    };
    cpSync(join(earlier, folder), join(home, folder), { recursive: true, filter });
  }
}

/** What an agent has written to steer itself must never come to act. */
function refuseSteering(workspace: Workspace): void {
  const written = workspace
    .changes()
    .map(({ path }) => toText(path))
    .filter((path) => classify(path) !== undefined);
  const paths = [...written, ...workspace.tampering().map(({ path }) => path)];
  if (paths.length === 0) return;
  const named = paths.slice(0, 5).join(', ');
  throw new RunFailure(
    'policy-violation',
    `The agent wrote files that steer agents, so it was not started again: ${named}${paths.length > 5 ? ' and more' : ''}.`,
  );
}
