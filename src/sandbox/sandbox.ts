import { mkdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Exit } from '../core/exit.js';
import { messageOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import type { CheckoutGit } from '../git/checkout-git.js';
import { fromText, joinBytes, toText, type BytePath } from '../git/paths.js';
import type { LayerChange } from '../permissions/layer-change.js';
import type { Policy } from '../permissions/policy.js';
import { classify } from '../permissions/steering-files.js';
import { somePaths } from '../text/format.js';
import { writeFiles } from './files.js';
import { addTally, openHook, type Hook, type HookCommand, type HookTally } from './hook.js';
import { keepChats } from './keep-chats.js';
import { applyChanges } from './layer/apply-changes.js';
import { openCopy } from './layer/copy-layer.js';
import type { FindKnown } from './layer/find-secrets.js';
import { inspectLayer, type Inspection } from './layer/inspect-layer.js';
import {
  currentLayer,
  planChanges,
  planLayer,
  type Layer,
  type LayerMount,
  type LayerPlan,
  type Planted,
} from './layer/layer.js';
import { openOverlay } from './layer/overlay-layer.js';
import { awaitReady, explainSetupFailure } from './namespace/check.js';
import { isolate, removeLayer, type Enclosure } from './namespace/isolate.js';
import { openNetworkReason, type Machine } from './namespace/probe.js';
import { planEnclosure } from './namespace/survey.js';
import { isAllowedBy, type HostRule } from './network/allowed-hosts.js';
import {
  earlyNetwork,
  mergeLedgers,
  type EarlyNetwork,
  type NetworkLedger,
  type RefusedHost,
} from './network/ledger.js';
import { openClosedNetwork, type ClosedNetwork } from './network/proxy.js';
import { runProcess, type ProcessLimits, type ProcessSpec, type Watcher } from './process.js';
import { renewSeat, seatAt, type Seat } from './seat.js';
import { openToolchain, type OpenToolchain } from './tools/open-toolchain.js';
import { describeToolchain, toolchainNotes } from './tools/toolchain.js';

/** The checkout under the sandbox. */
export interface Checkout {
  /** The highest folder that belongs to it. */
  top: string;
  /** Where the agent works: the top or a folder below it. */
  directory: string;
  /** Undefined if there is no repository, or no git that can be trusted. */
  git: CheckoutGit | undefined;
  /** The `.git` of each repository in it, by their path from the top. */
  gitEntries: readonly string[];
}

/** Where a program of the sandbox finds its folders. */
export interface Places {
  home: string;
  temp: string;
  /** The top of the checkout, and the folder to work in. */
  top: string;
  directory: string;
  /** Variables that lead tools to their folders. */
  tools: Readonly<Record<string, string>>;
}

export interface SandboxPlan {
  machine: Machine;
  /** A folder for the sandbox only. */
  folder: string;
  checkout: Checkout;
  /** Whether the agent may write to its version of the checkout. Programs that write run one at a time. */
  access: 'read' | 'write';
  /** Whether the agent may run commands: then it gets the tools of this machine, and the files that git ignores. */
  runsCommands: boolean;
  /** Paths of the checkout that the agent must not see. */
  hide: readonly string[];
  /** Files that the agent sees instead, by their path from the top. It must not change them. */
  plant(directory: string): Readonly<Record<string, string | Buffer>>;
  /** Files of its home. They are written anew for each start. */
  homeFiles(places: Places): Readonly<Record<string, string>>;
  /** Folders of its home that a start which continues a chat finds again. */
  keep: readonly string[];
  /** What the agent may do, for its hook and for the judgement of what it left. */
  policy: Policy;
  /** The files of its home that make it ask our hook before each tool call. Undefined if it knows no hooks. */
  hook: ((command: HookCommand) => Readonly<Record<string, string>>) | undefined;
  /** The agent's program. */
  program: string;
  /** Files and folders that the agent must be able to read. */
  readable: readonly string[];
  /** Folders with files that are not for it. */
  hidden: readonly string[];
  /** The whole environment of the agent, and that of the commands that verify its work. */
  environment(places: Places): Readonly<Record<string, string>>;
  commandEnvironment(places: Places): Readonly<Record<string, string>>;
  /** The hosts that the agent can reach, those of them that it cannot work without, and those that commands can reach. */
  hosts: { agent: readonly HostRule[]; vendor: readonly HostRule[]; commands: readonly HostRule[] };
  /** The environment of the action. */
  env: NodeJS.ProcessEnv;
  isSecret(value: string): boolean;
  /** Called for each host that is refused for the first time in a start. */
  onRefused(host: RefusedHost): void;
  /** Called while something takes long. */
  onProgress(line: string): void;
}

/** What the agent is started with, besides what the sandbox gives it. */
export interface AgentStart {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  input: string;
  /** `left`: goes on with what the last start left. */
  from: 'checkout' | 'left';
  /** Whether it finds the chats of the last start in its seat. */
  continuesChat: boolean;
  /** Starts that run at the same time have different seats: a home, temporary files and a hook of their own. */
  seat?: number;
}

/** How a start ended. */
export interface EndedStart {
  exit: Exit;
  /** What its network saw, if it was closed. */
  network?: EarlyNetwork;
}

/** Changes of the agent, by their path from the top of the repository, and where the file is that each of them leaves. */
export interface ChosenChanges {
  changes: readonly LayerChange[];
  sourceOf(change: LayerChange): BytePath;
}

/** A command of the action. `folder` is the path from the top of the checkout. */
export interface TreeCommand {
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  folder: string;
}

/** A version of the checkout for commands of the action: nothing in it is from the agent but the chosen changes. */
export interface CleanTree {
  /** Runs a command. What it writes stays for the next one. */
  run(command: TreeCommand, watcher: Watcher, limits: RunLimits): Promise<Exit>;
  /** What the commands changed outside of the tree. Isolation makes that impossible. */
  intrusions(): string[];
  close(): void;
}

export type RunLimits = Omit<ProcessLimits, 'killMs'>;

/** What holds from the first start to the end. */
interface SandboxFacts {
  machine: Machine;
  /** What the agent gets of the tools of this machine, for the log. */
  tools: { title: string; lines: string[] } | undefined;
}

/** What happened until now. */
interface SandboxRecord {
  hook?: HookTally;
  network?: NetworkLedger;
  /** What to warn about. */
  notes: string[];
}

/** The place where the agent works. */
export interface Sandbox {
  readonly facts: SandboxFacts;
  /** The folders as the agent sees them. Those of the first seat, where there are several. */
  readonly places: Omit<Places, 'tools'>;
  /** Runs the agent once. Several starts may run at once if none of them may write. */
  run(start: AgentStart, watcher: Watcher, limits: RunLimits): Promise<EndedStart>;
  /** What the agent left, judged. Changes nothing. */
  inspect(findKnown: FindKnown): Inspection;
  openCleanTree(chosen: ChosenChanges): CleanTree;
  /** Applies changes to the checkout, all or none. */
  apply(chosen: ChosenChanges): void;
  record(): SandboxRecord;
  /** Removes what was opened. May be called twice. */
  close(): void;
}

/** Opens the sandbox. Nothing is left of it if that fails. */
export function openSandbox(plan: SandboxPlan): Sandbox {
  const { machine, folder, checkout } = plan;
  mkdirSync(folder, { recursive: true });
  const layer = openAgentLayer(plan);
  const directory = join(layer.seen, relative(checkout.top, checkout.directory));
  const seats = new Map<number, AgentSeat>();
  const trees: CleanTree[] = [];
  const ledgers: NetworkLedger[] = [];
  const notes = new Set<string>();
  let starts = 0;
  let isClosed = false;

  const seatOf = (number: number): AgentSeat => {
    const known = seats.get(number);
    if (known) return known;
    const seat = seatAt(join(folder, 'agents', String(number)), number);
    const toolchain = plan.runsCommands ? openTools(plan, seat) : undefined;
    const fresh = { ...seat, toolchain, isBusy: false, tally: emptyTally() };
    seats.set(number, fresh);
    return fresh;
  };
  const first = seatOf(0);
  for (const note of first.toolchain ? toolchainNotes(first.toolchain) : []) notes.add(note);

  /** The layer and the home as they have to be for this start. */
  const prepare = (seat: AgentSeat, { from, continuesChat }: AgentStart): Places => {
    const isAlone = [...seats.values()].every(({ isBusy }) => !isBusy);
    if (!isAlone && (seat.isBusy || plan.access === 'write'))
      throw new Error('Only agents that do not write can run at the same time, each in its own seat.');
    if (from === 'left') refuseSteering(layer);
    else if (starts > 0 && isAlone) layer.renew();
    starts += 1;
    const earlier = renewSeat(seat);
    seat.toolchain?.renew();
    const places = placesOf(seat, { top: layer.seen, directory, tools: seat.toolchain?.env ?? {} });
    writeFiles(seat.home, plan.homeFiles(places));
    if (plan.hook) {
      const { policy } = plan;
      const judged = { policy, root: layer.seen, directory, own: [seat.home, seat.temp] };
      seat.hook = openHook({ ...seat, folder: seat.hookFolder, policy: judged, files: plan.hook });
    }
    seat.toolchain?.linkInto(seat.home);
    if (continuesChat && earlier !== undefined) {
      const move = { root: folder, from: earlier, to: seat.home, folders: plan.keep };
      for (const note of keepChats(move)) notes.add(note);
    }
    return places;
  };

  return {
    facts: { machine, tools: first.toolchain && describeToolchain(first.toolchain) },
    places: { home: first.home, temp: first.temp, top: layer.seen, directory },
    async run(start, watcher, limits) {
      const seat = seatOf(start.seat ?? 0);
      const places = prepare(seat, start);
      seat.isBusy = true;
      let proxy: ClosedNetwork | undefined;
      try {
        proxy = await openNetwork(plan, seat, plan.hosts.agent);
        const env = { ...plan.environment(places), ...start.env };
        const command = { file: plan.program, args: start.args, cwd: directory, env, input: start.input };
        const hook = {
          shown: [...plan.readable, ...(seat.hook?.shown ?? [])],
          locked: Object.keys(seat.hook?.homeFiles ?? {}).map((name) => join(seat.home, name)),
        };
        const mount = layer.mountFor(seat.number);
        // Surveyed before the first start, when no agent can have changed anything.
        seat.survey ??= mount && survey(plan, { ...seat, ...hook, mount, proxy, env });
        const exit = await runGuarded(isolateIn(seat.survey, command, { mount, proxy }), watcher, limits);
        const isVendor = (host: string) => isAllowedBy(host, plan.hosts.vendor);
        return { exit, ...(proxy ? { network: earlyNetwork(proxy.ledger(), isVendor) } : {}) };
      } finally {
        if (proxy) ledgers.push(proxy.ledger());
        proxy?.close();
        if (seat.hook) addTally(seat.tally, seat.hook.tally());
        seat.isBusy = false;
      }
    },
    inspect: (findKnown) =>
      inspectLayer({
        ...{ layer, policy: plan.policy, findKnown, nestedGit: checkout.gitEntries },
        ...{ checkout: checkout.top, directory: checkout.directory, git: checkout.git },
        tampering: [...seats.values()].flatMap(({ hook }) => hook?.tampering() ?? []),
      }),
    openCleanTree(chosen) {
      const tree = openTree(plan, { chosen, folder: join(folder, `tree-${trees.length}`), watched: layer });
      trees.push(tree);
      return tree;
    },
    apply: ({ changes, sourceOf }) => {
      applyChanges({ changes, sourceOf, to: fromText(repositoryOf(checkout)), spare: folder });
    },
    record() {
      const total = emptyTally();
      for (const { tally } of seats.values()) addTally(total, tally);
      return {
        ...(plan.hook ? { hook: total } : {}),
        ...(openNetworkReason(machine) === undefined ? { network: mergeLedgers(ledgers) } : {}),
        notes: [...notes],
      };
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const { close } of [...trees, layer]) close();
    },
  };
}

/** A seat of the agent, with what is opened for its starts. */
interface AgentSeat extends Seat {
  toolchain: OpenToolchain | undefined;
  hook?: Hook;
  tally: HookTally;
  /** How its programs are enclosed, without layer and network. */
  survey?: Enclosure | undefined;
  isBusy: boolean;
}

const emptyTally = (): HookTally => ({ judged: 0, denied: 0, denials: {} });

const repositoryOf = ({ git, top }: Checkout): string => git?.repository.root ?? top;

/** The paths in the checkout start at its top; those of a repository start at the top of that. */
const slashes = (path: string): string => path.split(sep).join('/');

/** The other repositories in the checkout, and the `.git` of its own. */
function gitEntriesOf({ checkout }: SandboxPlan): { own: string; nested: string[] } {
  const own = slashes(relative(checkout.top, join(repositoryOf(checkout), '.git')));
  return { own, nested: checkout.gitEntries.filter((entry) => entry !== own) };
}

function openAgentLayer(plan: SandboxPlan): Layer {
  const { machine, checkout, hide } = plan;
  const { own, nested } = gitEntriesOf(plan);
  const folder = join(plan.folder, 'layer');
  const isIsolated = machine.kind === 'isolated';
  const top = isIsolated ? checkout.top : currentLayer(folder);
  const files = plan.plant(join(top, relative(checkout.top, checkout.directory)));
  const planted = new Map<string, Planted>(
    Object.entries(files).map(([path, content]) => [path, { content: Buffer.from(content) }]),
  );
  return openLayer(plan, {
    folder,
    access: plan.access,
    skipsIgnored: !plan.runsCommands,
    plan: planLayer({
      root: checkout.top,
      // Without git we cannot make a copy of `.git` that has no credentials.
      absent: checkout.git || isIsolated ? hide : [...hide, own],
      ...{ planted, isLocked: true, nestedGit: nested },
    }),
  });
}

interface LayerWish {
  folder: string;
  access: 'read' | 'write';
  plan: LayerPlan;
  /** Leaves out of a copy what git ignores. */
  skipsIgnored: boolean;
}

function openLayer({ machine, checkout, onProgress }: SandboxPlan, wish: LayerWish): Layer {
  const request = { ...wish, checkout: checkout.top };
  try {
    if (machine.kind === 'isolated' && machine.layer === 'overlay')
      return openOverlay({ ...request, privilege: machine.privilege });
    return openCopy({
      ...request,
      privilege: machine.kind === 'isolated' ? machine.privilege : undefined,
      git: checkout.git,
      onProgress: (count) => {
        onProgress(`Copying the checkout: ${count} files so far.`);
      },
    });
  } catch (error) {
    removeLayer(wish.folder);
    throw error;
  }
}

const openTools = ({ machine, env, checkout, hidden, program, folder, isSecret }: SandboxPlan, seat: Seat) =>
  openToolchain({
    ...{ machine, ours: env, checkout: checkout.top, home: seat.home, written: seat.tools, isSecret },
    hidden: [...hidden, folder],
    fixed: [program, seat.hookFolder],
  });

const placesOf = ({ home, temp }: Seat, others: Omit<Places, 'home' | 'temp'>): Places => ({
  ...{ home, temp },
  ...others,
});

/** The proxy for one start. Undefined if the network is open. */
async function openNetwork(
  { machine, env, onRefused }: SandboxPlan,
  { network: folder }: Seat,
  rules: readonly HostRule[],
): Promise<ClosedNetwork | undefined> {
  if (openNetworkReason(machine) !== undefined) return undefined;
  try {
    return await openClosedNetwork({ folder, rules, env, onRefused });
  } catch (error) {
    throw unavailable(`The proxy could not be started: ${messageOf(error)}.`);
  }
}

/** Nothing is tried with less: what the machine could do at the beginning holds to the end. */
const unavailable = (detail: string): RunFailure => new RunFailure('isolation-unavailable', detail);

interface Enclosing extends Seat {
  mount: LayerMount;
  proxy: ClosedNetwork | undefined;
  toolchain: OpenToolchain | undefined;
  env: Readonly<Record<string, string>>;
  shown: readonly string[];
  locked: readonly string[];
}

/** What programs of a seat are enclosed in. Undefined if they are not isolated. */
function survey(plan: SandboxPlan, seat: Enclosing): Enclosure | undefined {
  const { machine, checkout, program, hidden, folder } = plan;
  if (machine.kind === 'not-isolated') return undefined;
  const { mount, proxy, toolchain, home, temp, control, env, shown, locked } = seat;
  return planEnclosure(
    {
      ...{ home, temp, control, env, locked, cli: program, directory: checkout.directory },
      layer: { root: checkout.top, by: mount.by, as: mount.as },
      hidden: [...hidden, folder],
      shown: [...shown, ...(toolchain?.shown ?? []), ...(proxy?.shown ?? [])],
      ...(toolchain ? { tools: toolchain.folders } : {}),
    },
    machine,
  );
}

const isolateIn = (
  enclosure: Enclosure | undefined,
  command: ProcessSpec,
  { mount, proxy }: { mount: LayerMount | undefined; proxy: ClosedNetwork | undefined },
): ProcessSpec =>
  enclosure ? isolate(command, { ...enclosure, layer: mount?.setup, network: proxy?.forwarder }) : command;

/** From SIGTERM to SIGKILL. The runner gives a cancelled step 7.5 s in total. */
const KILL_MS = 2000;

/** Runs a process. If its isolation could not be set up, the process was never started. */
async function runGuarded(command: ProcessSpec, watcher: Watcher, limits: RunLimits): Promise<Exit> {
  const gate = command.isIsolated ? awaitReady(watcher.onStderr) : undefined;
  const watched = { ...watcher, onStderr: gate?.onStderr ?? watcher.onStderr };
  const exit = await runProcess(command, watched, { ...limits, killMs: KILL_MS });
  if (gate && !gate.isReady() && exit.kind !== 'ended')
    throw unavailable(explainSetupFailure(gate.printed()));
  return exit;
}

/** Files that an agent wrote to steer itself must never take effect. */
function refuseSteering(layer: Layer): void {
  const written = layer
    .changes()
    .map(({ path }) => toText(path))
    .filter((path) => classify(path) !== undefined);
  const paths = [...written, ...layer.tampering().map(({ path }) => path)];
  if (paths.length > 0)
    throw new RunFailure(
      'policy-violation',
      `The agent wrote files that steer agents, so it was not started again: ${somePaths(paths)}.`,
    );
}

interface TreeRequest {
  chosen: ChosenChanges;
  folder: string;
  /** The layer of the agent, which commands without isolation could reach. */
  watched: Layer;
}

/** The checkout, these changes, the tools and caches of the runner, and nothing else. */
function openTree(plan: SandboxPlan, { chosen, folder, watched }: TreeRequest): CleanTree {
  const { checkout, hosts } = plan;
  const seat = seatAt(join(folder, 'seat'), 0);
  const prefix = fromText(slashes(relative(checkout.top, repositoryOf(checkout))));
  const changes = chosen.changes.map((change) => ({
    path: joinBytes(prefix, change.path),
    after: change.after,
    source: chosen.sourceOf(change),
  }));
  const tree = openLayer(plan, {
    ...{ folder: join(folder, 'layer'), access: 'write', skipsIgnored: false },
    plan: planChanges({ root: checkout.top, nestedGit: gitEntriesOf(plan).nested }, changes),
  });
  const intrusions = watched.watch();
  const toolchain = openTools(plan, seat);
  return {
    intrusions,
    close: tree.close,
    async run(command, watcher, limits) {
      renewSeat(seat);
      toolchain.renew();
      toolchain.linkInto(seat.home);
      const directory = join(tree.seen, command.folder);
      const places = placesOf(seat, { top: tree.seen, directory, tools: toolchain.env });
      const env = { ...command.env, ...plan.commandEnvironment(places) };
      const proxy = await openNetwork(plan, seat, hosts.commands);
      try {
        const mount = tree.mountFor(seat.number);
        const enclosure =
          mount && survey(plan, { ...seat, mount, proxy, toolchain, env, shown: [], locked: [] });
        const spec = { file: command.file, args: command.args, cwd: directory, env, input: '' };
        return await runGuarded(isolateIn(enclosure, spec, { mount, proxy }), watcher, limits);
      } finally {
        proxy?.close();
      }
    },
  };
}
