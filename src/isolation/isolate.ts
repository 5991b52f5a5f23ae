import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessSpec } from '../agent/process.js';
import { closedEnvironment, type ForwarderOptions } from '../network/forwarder.js';
import { NETWORK_NAMESPACE, READY } from './check.js';
import type { Interpreter } from './keyring.js';
import { flagsAt, planMounts, reachableMounts, type Mount, type Rule } from './mounts.js';
import {
  forwarderPipe,
  KEEPER_SCRIPT,
  OUTER_SCRIPT,
  sentScript,
  SYSTEM_PATH,
  type LayerSetup,
  type User,
} from './script.js';
import { RUN_SENT_SCRIPT } from './shell-words.js';

/**
 * What gives us the right to create namespaces: the runner is root, its sudo asks for no password, or the kernel lets
 * every user create a user namespace and be root in it.
 */
export type How = 'root' | 'sudo' | 'user-namespace';

export interface Enclosure {
  how: How;
  user: User;
  rules: readonly Rule[];
  mounts: readonly Mount[];
  /** Installs the filter that blocks the kernel's keyrings. Missing if this machine has no interpreter for it. */
  keyring?: Interpreter | undefined;
  /** Files below a folder that the agent can write to, which it must not change. */
  locked?: { below: string; files: readonly string[] } | undefined;
  /** What is done to the layer before the agent sees it. */
  layer?: LayerSetup | undefined;
  /** Files in other layers than that of the checkout, which the agent must not see. */
  absent?: readonly string[] | undefined;
  /**
   * Gives the agent a network of its own, with the forwarder as the only way out. Undefined while the agent uses the
   * network of this machine.
   */
  network?: (() => ForwarderOptions | undefined) | undefined;
  /** A folder in which a cgroup is made for each start of the agent. */
  cgroups?: string | undefined;
  /** The path of a named pipe. When its writing end is closed, the agent is killed. */
  alive: string;
}

/** Creates the namespaces and becomes root in them. */
export const namespaceCommand = (how: How, kinds: readonly string[]): string[] => [
  'unshare',
  ...(how === 'user-namespace' ? ['--user', '--map-root-user'] : []),
  ...['--mount', '--propagation=private'],
  ...kinds,
  '--',
];

/** Becomes root, through sudo if needed, with an empty environment. */
export const asRoot = (how: How): string[] => [
  ...(how === 'sudo' ? ['sudo', '-n', '--'] : []),
  ...['env', '-i', `PATH=${SYSTEM_PATH}`],
];

/**
 * Wraps a command so that it runs in namespaces of its own. It is started, watched and ended like any other process.
 * The new command line shows nothing of it: the whole set-up is sent to stdin, and the agent reads what follows.
 */
export function isolate(spec: ProcessSpec, enclosure: Enclosure): ProcessSpec {
  const { how, rules, layer, alive } = enclosure;
  const plan = planMounts(rules, reachableMounts(enclosure.mounts));
  const mounted = enclosure.mounts.map(({ path }) => path);
  const writable = [
    ...rules.filter(({ kind }) => kind === 'writable').map(({ path }) => path),
    ...(layer?.access === 'write' ? [layer.root] : []),
  ];
  const { below, files } = enclosure.locked ?? { below: '/', files: [] };
  const locked = files.map((path) => ({ path, below, flags: flagsAt(path, enclosure.mounts) }));
  // A new one for each start, because the last one may still be about to be removed.
  const cgroup =
    how === 'user-namespace' || enclosure.cgroups === undefined
      ? ''
      : join(enclosure.cgroups, `cursor-agent-${randomUUID()}`);
  const forwarder = enclosure.network?.();
  const network = forwarder && {
    ...{ forwarder, node: process.execPath },
    outside: readlinkSync(NETWORK_NAMESPACE),
    pipe: forwarderPipe(alive),
  };
  const env = forwarder ? closedEnvironment(spec.env, forwarder) : spec.env;
  const tracking = spec.env['RUNNER_TRACKING_ID'];
  return {
    file: 'setpriv',
    args: [
      // The kernel kills the outer script when the action dies, and everything else ends with that script.
      ...['--pdeathsig=KILL', '--', 'sh', '-c', OUTER_SCRIPT, 'isolation', alive],
      ...asRoot(how),
      ...['sh', '-c', KEEPER_SCRIPT, 'isolation', alive, cgroup],
      ...namespaceCommand(how, ['--pid', '--ipc', ...(network ? ['--net'] : []), '--fork', '--kill-child']),
      // Runs as root, as the first process in the new namespaces.
      ...['sh', '-c', RUN_SENT_SCRIPT, 'isolation'],
    ],
    cwd: '/',
    // The runner uses the tracking id to find and end processes that a killed action left behind.
    env: { PATH: SYSTEM_PATH, ...(tracking === undefined ? {} : { RUNNER_TRACKING_ID: tracking }) },
    input:
      sentScript({ ...spec, env }, { ...enclosure, plan, mounted, writable, locked, network, cgroup }) +
      spec.input,
    ready: READY,
  };
}

const REMOVAL_MS = 60_000;

/**
 * Removes a layer. It can contain files of root, paths that are too long for Node, and folders that are closed to us. If
 * something remains, the runner removes it with its temporary folder, so no run fails because of it.
 */
export function removeLayer(folder: string, how?: How): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    const remove = ['sh', '-c', 'chmod -R u+rwX -- "$1"; rm -rf -- "$1"', 'removal', folder];
    const [file = '', ...args] = [
      ...(how === undefined ? [] : [...asRoot(how), ...namespaceCommand(how, [])]),
      ...remove,
    ];
    spawnSync(file, args, { cwd: '/', env: { PATH: SYSTEM_PATH }, stdio: 'ignore', timeout: REMOVAL_MS });
  }
}
