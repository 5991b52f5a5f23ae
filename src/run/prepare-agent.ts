import { join } from 'node:path';
import type { Agent } from '../agent/agent.js';
import { arrangePath, buildEnvironment, pathNotes } from '../agent/environment.js';
import { describeToolchain, toolchainNotes, type Toolchain } from '../agent/toolchain.js';
import type { ProcessSpec } from '../agent/process.js';
import { RunFailure } from '../core/failure.js';
import { info, isDebug, printGroup } from '../core/runner.js';
import { toText } from '../git/paths.js';
import {
  chooseIsolation,
  describeIsolation,
  otherIsolation,
  probeIsolation,
  type FailedIsolation,
  type Isolation,
} from '../isolation/probe.js';
import { describeCgroup, type MachinePaths } from '../isolation/survey.js';
import type { HookPolicy } from '../permissions/hook-messages.js';
import { formatPermission } from '../permissions/permission-token.js';
import { heldByHook, mayRunCommands, mayWrite, type Policy } from '../permissions/policy.js';
import { classify } from '../permissions/steering-files.js';
import type { Setup } from '../report/model.js';
import type { Redact } from '../text/redact.js';
import type { FindKnown } from '../workspace/find-secrets.js';
import type { Workspace } from '../workspace/workspace.js';
import type { StartRequest } from './attempts.js';
import type { Deadline } from './deadline.js';
import type { Cli } from './find-cli.js';
import { keepChats } from './keep-chats.js';
import type { Inputs } from './inputs.js';
import type { Hook } from './open-hook.js';
import type { AgentNetwork } from './open-network.js';
import { checkoutRoot, openLayer, type ChosenRules, type Layer } from './open-layer.js';
import { openToolchain, type OpenToolchain } from './open-toolchain.js';
import type { ResolvedInputs } from './resolve-inputs.js';
import type { Invocation } from './run-state.js';
import { renewAgentFolders, writeFiles, type RunFolder } from './run-folder.js';

/** What an agent is prepared from. */
export interface Preparation {
  invocation: Invocation;
  agent: Agent;
  cli: Cli;
  inputs: Inputs;
  resolved: ResolvedInputs;
  rules: ChosenRules;
  policy: Policy;
  runFolder: RunFolder;
  /** Our hook, if the agent knows hooks. */
  hook: Hook | undefined;
  /** Removes the secrets of this run from a text. */
  redact: Redact;
  findKnown: FindKnown;
  network: AgentNetwork;
}

/** Everything the agent is given, settled before it starts. */
export interface Prepared {
  /** The environment of the agent, without its own variables. */
  env: Readonly<Record<string, string>>;
  /** The PATH of the commands that verify the change. */
  pathOfCommands: string;
  isolation: Isolation;
  layer: Layer;
  setup: Setup;
  /** What the agent may do, with the folders that the rules start from. */
  policy: HookPolicy;
  /** The tools of this machine, if the agent may run commands. */
  toolchain: OpenToolchain | undefined;
  notes: string[];
  /** The command for one start of the agent. Its home contains nothing from an earlier start. */
  commandFor(spec: ProcessSpec, request: StartRequest): ProcessSpec;
}

/** Makes the environment, the layer and the home of the agent. */
export function prepareAgent(
  preparation: Preparation,
  isolation = chooseIsolation(preparation.inputs),
): Prepared {
  const ours = preparation.invocation.env;
  const { agent, inputs, resolved, rules, policy, runFolder, hook, network } = preparation;
  const { home, temp } = runFolder;
  const tools = openToolchain(preparation, isolation);
  const { passEnv } = inputs;
  const search = arrangePath(ours['PATH'], [checkoutRoot(resolved), resolved.workspace]);
  const runsCommands = mayRunCommands(policy);
  const path = runsCommands ? search.whole : search.trusted;
  const env = buildEnvironment({ home, temp, path, passEnv, toolchain: tools.env }, ours, process.platform);
  network.settle(isolation);
  const setup = describeSetup(preparation, isolation);
  const opened = openLayer({
    ...{ resolved, rules, policy, runFolder, isolation, path: ours['PATH'] },
    machine: { ...machinePaths(preparation, tools), env },
    network: network.forwarder,
    ownFiles: (directory) => agent.projectFiles(policy, directory),
    repositoryFiles: agent.repositoryFiles,
  });
  const workspace = withTools(opened.workspace, tools);
  const layer = { ...opened, workspace: hook ? withHook(workspace, hook) : workspace };
  const onLayer = { policy, root: layer.workspace.seen, directory: layer.directory, own: [home, temp] };
  hook?.usePolicy(onLayer);
  const fillHome = () => {
    const isNetworkClosed = network.state() === 'closed';
    const files = agent.homeFiles(policy, layer.directory, { mcp: resolved.mcp?.config, isNetworkClosed });
    writeFiles(home, { ...files, ...hook?.homeFiles });
    tools.linkInto(home);
  };
  fillHome();
  const notes = [
    ...notesOn(preparation, isolation),
    ...layer.notes,
    ...toolchainNotes(tools),
    ...(runsCommands || inputs.verify.kind === 'commands' ? pathNotes(search) : []),
  ];
  let starts = 0;
  return {
    ...{ env, isolation, layer, setup, policy: onLayer },
    pathOfCommands: search.whole,
    toolchain: runsCommands ? tools : undefined,
    notes,
    commandFor(spec, request) {
      starts += 1;
      if (starts > 1) {
        const earlier = renewAgentFolders(runFolder);
        fillHome();
        const move = { root: runFolder.root, from: earlier, to: home, folders: agent.chatFolders };
        if (request.resume !== undefined)
          notes.push(...keepChats(move).filter((one) => !notes.includes(one)));
        // A correction continues with what the agent has done. Another try starts from the checkout.
        if (request.prompt === undefined) layer.workspace.renew();
        else refuseSteering(layer.workspace);
      }
      return layer.workspace.enter(spec);
    },
  };
}

/** What to warn about: the isolation, the network and the hook, as far as they are not as they should be. */
function notesOn({ agent, inputs, policy, hook, network }: Preparation, isolation: Isolation): string[] {
  const notes: string[] = [];
  if (isolation.kind === 'not-isolated' && inputs.isolation === 'auto')
    notes.push(`The agent is not isolated on this runner. ${isolation.why}`);
  if (isolation.kind === 'isolated' && isolation.whyOpen !== undefined) notes.push(network.describe());
  notes.push(...network.notes);
  if (agent.hookFiles && !hook) {
    const denied = heldByHook(policy);
    notes.push(
      'The hook of the action could not be set up here, so only the CLI’s own permission rules hold.' +
        (denied.length > 0
          ? ` They cannot make exceptions, so everything of ${denied.join(' and ')} stays denied.`
          : ''),
    );
  }
  return notes;
}

/** Prepares the agent in another way after its isolation could not be set up. Throws if there is no other way. */
export async function prepareAgain(
  { prepared, ...failed }: { prepared: Prepared } & Omit<FailedIsolation, 'isolation'>,
  preparation: Preparation & { deadline: Deadline },
): Promise<Prepared> {
  const { inputs, runFolder, deadline } = preparation;
  const probe = () => probeIsolation(runFolder, inputs, deadline.agentMs);
  const isolation = await otherIsolation({ ...failed, isolation: prepared.isolation }, inputs, probe);
  prepared.layer.workspace.close();
  // What was put there for the isolation, such as links to caches, must not be left without it.
  renewAgentFolders(runFolder);
  return prepareAgent(preparation, isolation);
}

const machinePaths = (
  { runFolder, cli, hook, network, invocation: { env } }: Preparation,
  tools: OpenToolchain,
): Omit<MachinePaths, 'env'> => ({
  home: runFolder.home,
  temp: runFolder.temp,
  hidden: [...(env['RUNNER_TEMP'] ? [env['RUNNER_TEMP']] : []), runFolder.root],
  cli: cli.path,
  shown: [runFolder.context, ...(hook?.shown ?? []), ...tools.shown, ...network.shown],
  tools: tools.folders,
  locked: Object.keys(hook?.homeFiles ?? {}).map((name) => join(runFolder.home, name)),
  control: runFolder.control,
});

/** Whoever changes our hook changes the policy, so that counts as tampering too. */
const withHook = (workspace: Workspace, hook: Hook): Workspace => ({
  ...workspace,
  tampering: () => [...workspace.tampering(), ...hook.tampering()],
});

/** The agent and the verification find the tools of the runner, not what an earlier start made of them. */
const withTools = (workspace: Workspace, tools: OpenToolchain): Workspace => ({
  ...workspace,
  enter(spec) {
    tools.renew();
    return workspace.enter(spec);
  },
  openScratch() {
    tools.renew();
    return workspace.openScratch();
  },
});

/** How a run is set up, for log, summary and report. */
function describeSetup({ agent, policy, cli, network }: Preparation, isolation: Isolation): Setup {
  return {
    agent: agent.title,
    preset: policy.preset,
    mode: policy.mode,
    force: policy.force,
    allow: policy.allow.map(formatPermission),
    deny: policy.deny.map(formatPermission),
    ...(policy.onlyAllowed.length === 0 ? {} : { onlyAllowed: [...policy.onlyAllowed] }),
    isolation: describeIsolation(isolation, mayWrite(policy) ? 'write' : 'read'),
    network: network.describe(),
    ...(cli.version === undefined ? {} : { cliVersion: cli.version }),
  };
}

/** Prints what the agent may do, which tools it gets, and what it signs in with. */
export function printSetup(setup: Setup, toolchain: Toolchain | undefined): void {
  printGroup(`Permissions: preset ${setup.preset}, mode ${setup.mode}`, [
    setup.force
      ? `with --force: everything that is not denied runs${setup.onlyAllowed ? ', except:' : ''}`
      : 'without --force: the CLI is told to run only what is allowed',
    ...(setup.onlyAllowed ?? []).map(
      (kind) => `${kind}: only what is allowed below, held by the action’s hook`,
    ),
    ...setup.allow.map((rule) => `allow ${rule}`),
    ...setup.deny.map((rule) => `deny  ${rule}`),
    setup.isolation,
    ...(setup.network === undefined ? [] : [setup.network]),
    ...(setup.credential === undefined ? [] : [setup.credential]),
    ...(isDebug() ? [describeCgroup()] : []),
  ]);
  if (toolchain) {
    const { title, lines } = describeToolchain(toolchain);
    if (lines.length === 0) info(title);
    else printGroup(title, lines);
  }
}

/** Files that an agent wrote to steer itself must never take effect. */
function refuseSteering(workspace: Workspace): void {
  const written = workspace
    .changes()
    .map(({ path }) => toText(path))
    .filter((path) => classify(path) !== undefined);
  const paths = [...written, ...workspace.tampering().map(({ path }) => path)];
  if (paths.length === 0) return;
  throw new RunFailure(
    'policy-violation',
    `The agent wrote files that steer agents, so it was not started again: ${somePaths(paths)}.`,
  );
}

/** The first of them, for a sentence. */
export const somePaths = (paths: readonly string[]): string =>
  `${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ' and more' : ''}`;
