import { pathFrom } from '../git/paths.js';
import { dirname, join, relative, sep } from 'node:path';
import type { Agent } from '../agent/agent.js';
import { arrangePath, buildEnvironment, pathNotes } from '../agent/environment.js';
import { info, isDebug, printGroup } from '../core/runner.js';
import { arrangeConfig, type RulesRequest } from '../permissions/checkout-config.js';
import { formatPermission } from '../permissions/permission-token.js';
import { heldByHook, mayRunCommands, mayWrite, type Policy } from '../permissions/policy.js';
import type { Setup } from '../report/model.js';
import {
  describeCgroup,
  describeMachine,
  openNetworkReason,
  proxyProblems,
  type Checkout,
  type Machine,
  type RefusedHost,
  type Sandbox,
  type SandboxPlan,
} from '../sandbox/index.js';
import { logLine } from '../text/plain-text.js';
import type { Redact } from '../text/redact.js';
import type { Continuation } from './continue-proposal.js';
import type { Cli } from './find-cli.js';
import { findCheckout } from './find-checkout.js';
import type { Inputs } from './inputs.js';
import { describeNetwork, networkRules, refusalLine } from './network-rules.js';
import type { AgentRules } from './project-rules.js';
import type { ResolvedInputs } from './resolve-inputs.js';
import type { RunFolder } from './run-folder.js';
import { secretNames } from './secrets.js';

/** What the sandbox of a run is planned from. */
interface SandboxRequest {
  agent: Agent;
  cli: Cli;
  machine: Machine;
  inputs: Inputs;
  resolved: ResolvedInputs;
  rules: AgentRules;
  policy: Policy;
  runFolder: RunFolder;
  hasHook: boolean;
  env: NodeJS.ProcessEnv;
  redact: Redact;
  continuation?: Pick<Continuation, 'carried'>;
  /** Prints a line while the agent runs. */
  print(line: string): void;
}

interface PlannedSandbox {
  plan: SandboxPlan;
  /** What to warn about. */
  notes: string[];
}

/** Decides everything about the place where the agent works. Only the checkout is searched. */
export function planSandbox(request: SandboxRequest): PlannedSandbox {
  const { agent, cli, machine, inputs, resolved, policy, runFolder, hasHook, env, redact } = request;
  const { checkout, config } = findCheckout(resolved, runFolder, env['PATH']);
  const arranged = arrange(request, checkout, config);
  const search = arrangePath(env['PATH'], [checkout.top, resolved.workspace]);
  const runsCommands = mayRunCommands(policy);
  const network = networkRules({ agent, inputs, resolved, env });
  const { hookFiles } = agent;
  const isNetworkClosed = openNetworkReason(machine) === undefined;
  const secret = secretNames(inputs.passEnv);
  const environment: SandboxPlan['environment'] = ({ home, temp, tools: toolchain }) => {
    const path = runsCommands ? search.whole : search.trusted;
    return buildEnvironment({ home, temp, path, passEnv: inputs.passEnv, toolchain }, env, process.platform);
  };
  const plan: SandboxPlan = {
    machine,
    checkout,
    policy,
    runsCommands,
    env,
    environment,
    folder: runFolder.sandbox,
    access: mayWrite(policy) ? 'write' : 'read',
    hide: arranged.hide,
    plant: arranged.plant,
    carried: request.continuation?.carried ?? new Map(),
    homeFiles: ({ directory }) =>
      agent.homeFiles(policy, directory, { mcp: resolved.mcp?.config, isNetworkClosed }),
    keep: agent.chatFolders,
    hook: hasHook ? hookFiles : undefined,
    program: cli.path,
    readable: [runFolder.context],
    hidden: [...(env['RUNNER_TEMP'] ? [env['RUNNER_TEMP']] : []), runFolder.root],
    commandEnvironment: (places) => {
      const all = { ...environment(places), PATH: search.whole };
      return Object.fromEntries(Object.entries(all).filter(([name]) => !secret.includes(name)));
    },
    hosts: network,
    isSecret: (value) => redact(value) !== value,
    onRefused: firstRefusals(request),
    onProgress: info,
  };
  const notes = [
    ...(machine.kind === 'not-isolated' && inputs.isolation === 'auto'
      ? [`The agent is not isolated on this runner. ${machine.why}`]
      : []),
    ...(machine.kind === 'isolated' && machine.network === 'open' && inputs.network !== 'off'
      ? [describeNetwork(machine, inputs)]
      : []),
    ...network.notes,
    ...(isNetworkClosed ? proxyProblems(env).map(proxyNote) : []),
    ...(hookFiles && !hasHook ? [hookNote(policy)] : []),
    ...arranged.notes,
    ...(runsCommands || inputs.verify.kind === 'commands' ? pathNotes(search) : []),
  ];
  return { plan, notes };
}

interface Arranged {
  hide: readonly string[];
  plant: SandboxPlan['plant'];
  notes: string[];
}

/** Our own files and the chosen project rules. What else could configure the agent is hidden. */
function arrange(
  { agent, policy, rules, resolved }: SandboxRequest,
  checkout: Checkout,
  config: RulesRequest['found'],
): Arranged {
  const below = relative(checkout.top, resolved.directory);
  const found = rules.only === undefined ? config : onlyRulesOf(rules.only, checkout, config);
  const filesAt = (directory: string) => {
    const own = {
      ...filesIn([below], agent.projectFiles(policy, directory)),
      ...filesIn(['', below, ...repositoriesAround(below, checkout.gitEntries)], agent.repositoryFiles),
    };
    return arrangeConfig({ ...rules, found, own });
  };
  // Which files there are does not depend on where the agent sees them.
  const { setAside, note } = filesAt(resolved.directory);
  return {
    hide: setAside,
    plant: (directory) => filesAt(directory).files,
    notes: note === undefined ? [] : [note],
  };
}

/** Rules in other checkouts and in submodules are taken for configuration, which is always set aside. */
function onlyRulesOf(top: string, checkout: Checkout, config: RulesRequest['found']): RulesRequest['found'] {
  const own = pathFrom(checkout.top, top);
  const tops = checkout.gitEntries.map((entry) => entry.replace(/\/?\.git$/i, ''));
  const isIn = (path: string, folder: string) => folder === '' || path.startsWith(`${folder}/`);
  const topOf = (path: string) =>
    tops.filter((folder) => isIn(path, folder)).sort((a, b) => b.length - a.length)[0];
  return config.map((file) => (topOf(file.path) === own ? file : { ...file, kind: 'configuration' }));
}

/** The same files in each folder, by their path from the top of the checkout. */
const filesIn = (
  folders: readonly string[],
  files: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    folders.flatMap((folder) =>
      Object.entries(files).map(([name, text]) => [join(folder, name).split(sep).join('/'), text]),
    ),
  );

/** The tops of the repositories that a folder is in. */
const repositoriesAround = (folder: string, gitEntries: readonly string[]): string[] =>
  gitEntries.map((entry) => dirname(entry)).filter((top) => !relative(top, folder).startsWith('..'));

const proxyNote = (name: string): string =>
  `The proxy in ${name} cannot be used by the closed network: only http:// and https:// proxies can.`;

function hookNote(policy: Policy): string {
  const denied = heldByHook(policy);
  const consequence =
    denied.length === 0
      ? ''
      : ` They cannot make exceptions, so everything of ${denied.join(' and ')} stays denied.`;
  return `The hook of the action could not be set up here, so only the CLI’s own permission rules hold.${consequence}`;
}

/** Lines in the log about refused hosts. The report has more of them. */
const MAX_REFUSALS = 20;

function firstRefusals({ print }: SandboxRequest): (host: RefusedHost) => void {
  let printed = 0;
  return (host) => {
    printed += 1;
    if (printed <= MAX_REFUSALS) print(logLine(refusalLine(host)));
  };
}

/** How a run is set up, for log, summary and report. */
export function describeSetup(
  {
    agent,
    cli,
    policy,
    inputs,
    machine,
  }: Pick<SandboxRequest, 'agent' | 'cli' | 'policy' | 'inputs' | 'machine'>,
  credential: string | undefined,
): Setup {
  return {
    agent: agent.title,
    preset: policy.preset,
    mode: policy.mode,
    force: policy.force,
    allow: policy.allow.map(formatPermission),
    deny: policy.deny.map(formatPermission),
    ...(policy.onlyAllowed.length === 0 ? {} : { onlyAllowed: [...policy.onlyAllowed] }),
    isolation: describeMachine(machine, mayWrite(policy) ? 'write' : 'read'),
    network: describeNetwork(machine, inputs),
    ...(cli.version === undefined ? {} : { cliVersion: cli.version }),
    ...(credential === undefined ? {} : { credential }),
  };
}

/** Prints what the agent may do, which tools it gets, and what it signs in with. */
export function printSetup(setup: Setup, tools: Sandbox['facts']['tools']): void {
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
  if (!tools) return;
  if (tools.lines.length === 0) info(tools.title);
  else printGroup(tools.title, tools.lines);
}
