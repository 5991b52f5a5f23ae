import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Exit } from '../core/exit.js';
import { RunFailure } from '../core/failure.js';
import { fromText, joinBytes, pathFrom, toText } from '../git/paths.js';
import type { Violation } from '../permissions/layer-change.js';
import { classify } from '../permissions/steering-files.js';
import { somePaths } from '../text/format.js';
import { openCleanTree, type ChosenChanges, type CleanTree } from './clean-tree.js';
import { openLayer, runInSeat, type RunLimits } from './enclose.js';
import { writeFiles } from './files.js';
import { addTally, openHook, type Hook, type HookCounts } from './hook.js';
import { keepChats } from './keep-chats.js';
import { applyChanges } from './layer/apply-changes.js';
import type { FindKnown } from './layer/find-secrets.js';
import { inspectLayer, type Inspection } from './layer/inspect-layer.js';
import { currentLayer, planLayer, type Layer, type Planted } from './layer/layer.js';
import type { Enclosure } from './namespace/isolate.js';
import { openNetworkReason, type Machine } from './namespace/probe.js';
import { isAllowedBy } from './network/allowed-hosts.js';
import { earlyNetwork, mergeLedgers, type StartNetwork, type NetworkLedger } from './network/ledger.js';
import { gitEntriesOf, repositoryTop, type Places, type SandboxPlan } from './plan.js';
import type { Watcher } from './process.js';
import { renewSeat, seatAt, type Seat } from './seat.js';
import { openToolchain, type OpenToolchain } from './tools/open-toolchain.js';
import { describeToolchain, toolchainNotes } from './tools/toolchain.js';

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

export interface EndedStart {
  exit: Exit;
  /** What its network saw, if it was closed. */
  network?: StartNetwork;
}

/** What holds from the first start to the end. */
interface SandboxFacts {
  machine: Machine;
  /** What the agent gets of the tools of this machine, for the log. */
  tools: { title: string; lines: string[] } | undefined;
}

interface SandboxRecord {
  hook?: HookCounts;
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
  const state: SandboxState = {
    plan,
    layer,
    directory,
    seats: new Map(),
    trees: [],
    ledgers: [],
    notes: new Set(),
    discarded: new Map(),
    starts: 0,
    isClosed: false,
  };
  const close = () => {
    if (state.isClosed) return;
    state.isClosed = true;
    for (const one of [...state.trees, layer]) one.close();
  };
  try {
    const { home, temp, toolchain } = seatOf(state, 0);
    for (const note of toolchain ? toolchainNotes(toolchain) : []) state.notes.add(note);
    return {
      facts: { machine, tools: toolchain && describeToolchain(toolchain) },
      places: { home, temp, top: layer.seen, directory },
      run: (start, watcher, limits) => run(state, start, { watcher, limits }),
      inspect(findKnown) {
        const tampering = [...state.seats.values()].flatMap((seat) => seat.tampering);
        const inspection = inspect(state, { findKnown, tampering });
        const known = new Map(byWords(inspection.violations));
        const others = [...state.discarded].filter(([words]) => !known.has(words));
        const earlier = others.map(([, violation]) => violation);
        return { ...inspection, violations: [...inspection.violations, ...earlier] };
      },
      openCleanTree(chosen) {
        const place = join(folder, `tree-${state.trees.length}`);
        const onNetwork = (ledger: NetworkLedger) => void state.ledgers.push(ledger);
        const tree = openCleanTree(plan, { chosen, folder: place, watched: layer, onNetwork });
        state.trees.push(tree);
        return tree;
      },
      apply: ({ changes, sourceOf }) => {
        applyChanges({ changes, sourceOf, to: fromText(repositoryTop(checkout)), spare: folder });
      },
      record: () => recordOf(state),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** What is open, and what happened until now: the only state behind the door. */
interface SandboxState {
  readonly plan: SandboxPlan;
  readonly layer: Layer;
  /** The working directory as the agent sees it. */
  readonly directory: string;
  readonly seats: Map<number, AgentSeat>;
  readonly trees: CleanTree[];
  /** Those of the starts and commands that have ended. */
  readonly ledgers: NetworkLedger[];
  readonly notes: Set<string>;
  /** What agents wrote that must not write, and a later start does not find. */
  readonly discarded: Map<string, Violation>;
  starts: number;
  isClosed: boolean;
}

function seatOf({ plan, seats }: SandboxState, number: number): AgentSeat {
  const known = seats.get(number);
  if (known) return known;
  const seat = seatAt(join(plan.folder, 'agents', String(number)), number);
  const toolchain = plan.runsCommands ? openToolchain(plan, seat) : undefined;
  const opened = { ...seat, toolchain, isBusy: false, tally: emptyTally(), tampering: [] };
  seats.set(number, opened);
  return opened;
}

async function run(
  state: SandboxState,
  start: AgentStart,
  { watcher, limits }: { watcher: Watcher; limits: RunLimits },
): Promise<EndedStart> {
  const { plan, layer, directory } = state;
  const seat = seatOf(state, start.seat ?? 0);
  const places = prepare(state, seat, start);
  seat.isBusy = true;
  const ledgers: NetworkLedger[] = [];
  try {
    const env = { ...plan.environment(places), ...start.env };
    const exit = await runInSeat(plan, {
      seat,
      layer,
      watcher,
      limits,
      command: { file: plan.program, args: start.args, cwd: directory, env, input: start.input },
      rules: plan.hosts.agent,
      shown: [...plan.readable, ...(seat.hook?.shown ?? [])],
      locked: Object.keys(seat.hook?.homeFiles ?? {}).map((name) => join(seat.home, name)),
      onNetwork: (ledger) => void ledgers.push(ledger),
    });
    const isVendor = (host: string) => isAllowedBy(host, plan.hosts.vendor);
    const [ledger] = ledgers;
    return { exit, ...(ledger ? { network: earlyNetwork(ledger, isVendor) } : {}) };
  } finally {
    state.ledgers.push(...ledgers);
    if (seat.hook) addTally(seat.tally, seat.hook.tally());
    // Its files are written anew for the next start.
    seat.tampering.push(...(seat.hook?.tampering() ?? []));
    seat.isBusy = false;
  }
}

/** Makes the layer and the home what they have to be for this start. */
function prepare(state: SandboxState, seat: AgentSeat, { from, continuesChat }: AgentStart): Places {
  const { plan, layer, directory, seats } = state;
  const isAlone = [...seats.values()].every(({ isBusy }) => !isBusy);
  if (!isAlone && (seat.isBusy || plan.access === 'write'))
    throw new Error('Only agents that do not write can run at the same time, each in its own seat.');
  if (from === 'left') refuseSteering([...layer.tampering(), ...seat.tampering], layer);
  else if (state.starts > 0 && isAlone) {
    if (plan.access === 'read')
      for (const [words, violation] of byWords(judgeWritten(state))) state.discarded.set(words, violation);
    layer.renew();
  }
  state.starts += 1;
  const earlier = renewSeat(seat);
  seat.toolchain?.renew();
  const places = {
    home: seat.home,
    temp: seat.temp,
    top: layer.seen,
    directory,
    tools: seat.toolchain?.env ?? {},
  };
  writeFiles(seat.home, plan.homeFiles(places));
  if (plan.hook) {
    const policy = { policy: plan.policy, root: layer.seen, directory, own: [seat.home, seat.temp] };
    seat.hook = openHook({ ...seat, folder: seat.hookFolder, policy, files: plan.hook });
  }
  seat.toolchain?.linkInto(seat.home);
  if (continuesChat && earlier !== undefined) {
    const move = { root: plan.folder, from: earlier, to: seat.home, folders: plan.keep };
    for (const note of keepChats(move)) state.notes.add(note);
  }
  return places;
}

function inspect(
  { plan: { checkout, policy }, layer }: SandboxState,
  found: { findKnown: FindKnown; tampering: readonly Violation[] },
): Inspection {
  return inspectLayer({
    ...found,
    layer,
    policy,
    nestedGit: checkout.gitEntries,
    checkout: checkout.top,
    directory: checkout.directory,
    git: checkout.git,
  });
}

/** What is wrong with the layer as it is now, without the changes that it is about. They cannot be applied any more. */
function judgeWritten(state: SandboxState): Violation[] {
  const inspection = inspect(state, { findKnown: () => [], tampering: [] });
  inspection.close();
  return inspection.violations.map(({ path, reason }) => ({ path, reason }));
}

/** What is found more than once is said once. */
const byWords = (violations: readonly Violation[]): [string, Violation][] =>
  violations.map((violation) => [`${violation.path}: ${violation.reason}`, violation]);

function recordOf({ plan, seats, ledgers, notes }: SandboxState): SandboxRecord {
  const total = emptyTally();
  for (const { tally } of seats.values()) addTally(total, tally);
  return {
    ...(plan.hook ? { hook: total } : {}),
    ...(openNetworkReason(plan.machine) === undefined ? { network: mergeLedgers(ledgers) } : {}),
    notes: [...notes],
  };
}

/** A seat of the agent, with what is opened for its starts. */
interface AgentSeat extends Seat {
  toolchain: OpenToolchain | undefined;
  hook?: Hook;
  tally: HookCounts;
  /** Files of our hook that were changed or removed in any start. */
  tampering: Violation[];
  /** How its programs are enclosed. Surveyed before the first start, when no agent can have changed anything. */
  survey?: Enclosure | undefined;
  isBusy: boolean;
}

const emptyTally = (): HookCounts => ({ judged: 0, denied: 0, denials: {} });

function openAgentLayer(plan: SandboxPlan): Layer {
  const { machine, checkout, hide } = plan;
  const { absent, nested } = gitEntriesOf(plan);
  const folder = join(plan.folder, 'layer');
  const isIsolated = machine.kind === 'isolated';
  const top = isIsolated ? checkout.top : currentLayer(folder);
  const repository = fromText(pathFrom(checkout.top, repositoryTop(checkout)));
  const files = plan.plant(join(top, relative(checkout.top, checkout.directory)));
  const planted = new Map<string, Planted>(
    Object.entries(files).map(([path, content]) => [fromText(path), { content: Buffer.from(content) }]),
  );
  return openLayer(plan, {
    folder,
    access: plan.access,
    carried: new Map(
      [...(plan.carried ?? [])].map(([path, content]) => [joinBytes(repository, path), content]),
    ),
    skipsIgnored: !plan.runsCommands,
    plan: planLayer({
      root: checkout.top,
      absent: [...hide, ...absent].map(fromText),
      planted,
      isLocked: true,
      nestedGit: nested,
    }),
  });
}

/** Files that an agent wrote to steer itself must never take effect. */
function refuseSteering(tampering: readonly Violation[], layer: Layer): void {
  const written = layer
    .changes()
    .map(({ path }) => toText(path))
    .filter((path) => classify(path) !== undefined);
  const paths = [...written, ...tampering.map(({ path }) => path)];
  if (paths.length > 0)
    throw new RunFailure(
      'policy-violation',
      `The agent wrote files that steer agents, so it was not started again: ${somePaths(paths)}.`,
    );
}
