import type { Exit } from '../core/exit.js';
import { messageOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import type { BytePath } from '../git/paths.js';
import { openCopy } from './layer/copy-layer.js';
import type { Layer, LayerMount, LayerPlan } from './layer/layer.js';
import { openOverlay } from './layer/overlay-layer.js';
import { awaitReady, explainSetupFailure } from './namespace/check.js';
import { isolate, removeLayer, type Enclosure } from './namespace/isolate.js';
import { openNetworkReason } from './namespace/probe.js';
import { planEnclosure } from './namespace/survey.js';
import type { HostRule } from './network/allowed-hosts.js';
import type { NetworkLedger } from './network/ledger.js';
import { openClosedNetwork, type ClosedNetwork } from './network/proxy.js';
import type { SandboxPlan } from './plan.js';
import { runProcess, type ProcessLimits, type ProcessSpec, type Watcher } from './process.js';
import type { Seat } from './seat.js';
import type { OpenToolchain } from './tools/open-toolchain.js';

// What one program of the sandbox needs: a layer, tools, a network, and the isolation around it.

interface LayerWish {
  folder: string;
  access: 'read' | 'write';
  plan: LayerPlan;
  carried?: ReadonlyMap<BytePath, Buffer>;
  /** Leaves out of a copy what git ignores. */
  skipsIgnored: boolean;
}

export function openLayer({ machine, checkout, onProgress }: SandboxPlan, wish: LayerWish): Layer {
  const request = { ...wish, checkout: checkout.top };
  try {
    if (machine.kind === 'isolated' && machine.layer === 'overlay')
      return openOverlay({ ...request, privilege: machine.privilege });
    return openCopy({
      ...request,
      privilege: machine.kind === 'isolated' ? machine.privilege : undefined,
      git: checkout.git,
      onProgress: (work, files) => {
        onProgress(`${work}: ${files} files so far.`);
      },
    });
  } catch (error) {
    removeLayer(wish.folder);
    throw error;
  }
}

/** One program, in a seat of a layer. */
interface SeatedRun {
  /** What its programs are enclosed in is surveyed once and kept. */
  seat: Seat & { toolchain: OpenToolchain | undefined; survey?: Enclosure | undefined };
  layer: Layer;
  command: ProcessSpec;
  rules: readonly HostRule[];
  shown: readonly string[];
  locked: readonly string[];
  watcher: Watcher;
  limits: RunLimits;
  /** Called at the end with what its network saw, if that was closed. */
  onNetwork(ledger: NetworkLedger): void;
}

/** Runs a program with a network of its own, isolated as this machine can do it. */
export async function runInSeat(plan: SandboxPlan, run: SeatedRun): Promise<Exit> {
  const { seat, layer, command } = run;
  const proxy = await openNetwork(plan, seat, run.rules);
  try {
    const mount = layer.mountFor(seat.number);
    seat.survey ??= mount && survey(plan, { ...run, mount, proxy });
    const isolated = seat.survey
      ? isolate(command, { ...seat.survey, layer: mount?.setup, network: proxy })
      : command;
    return await runGuarded({ command: isolated, mount }, run.watcher, run.limits);
  } finally {
    if (proxy) run.onNetwork(proxy.ledger());
    proxy?.close();
  }
}

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

/** What programs of a seat are enclosed in, without layer and network. Undefined if they are not isolated. */
function survey(
  plan: SandboxPlan,
  {
    seat,
    command,
    shown,
    locked,
    mount,
    proxy,
  }: SeatedRun & { mount: LayerMount; proxy: ClosedNetwork | undefined },
): Enclosure | undefined {
  const { machine, checkout, program, hidden, folder } = plan;
  if (machine.kind === 'not-isolated') return undefined;
  const { toolchain, home, temp, control } = seat;
  return planEnclosure(
    {
      ...{ home, temp, control, locked, env: command.env, cli: program, directory: checkout.directory },
      layer: { root: checkout.top, by: mount.by, as: mount.as },
      hidden: [...hidden, folder],
      shown: [...shown, ...(toolchain?.shown ?? []), ...(proxy?.shown ?? [])],
      ...(toolchain ? { tools: toolchain.folders } : {}),
    },
    machine,
  );
}

export type RunLimits = Omit<ProcessLimits, 'killMs'>;

/** From SIGTERM to SIGKILL. The runner gives a cancelled step 7.5 s in total. */
const KILL_MS = 2000;

interface Guarded {
  command: ProcessSpec;
  mount: LayerMount | undefined;
}

/** Runs a process. If its isolation could not be set up, the process was never started. */
async function runGuarded({ command, mount }: Guarded, watcher: Watcher, limits: RunLimits): Promise<Exit> {
  const gate = command.isIsolated ? awaitReady(watcher.onStderr) : undefined;
  const watched = { ...watcher, onStderr: gate?.onStderr ?? watcher.onStderr };
  const exit = await runProcess(command, watched, { ...limits, killMs: KILL_MS }).finally(() => {
    if (gate?.isReady()) mount?.onReady();
  });
  if (!gate || gate.isReady()) return exit;
  if (exit.kind !== 'ended') throw unavailable(explainSetupFailure(gate.printed()));
  if (exit.why === 'timeout')
    throw new RunFailure('timeout', 'The time limit was over before the isolation was set up.');
  return exit;
}
