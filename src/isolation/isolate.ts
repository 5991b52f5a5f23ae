import type { ProcessSpec } from '../agent/process.js';
import { planMounts, type Rule } from './access.js';
import type { Interpreter } from './keyring.js';
import { reachableMounts, type Mount } from './mounts.js';
import {
  INNER_SCRIPT,
  inputLine,
  KEEPER_SCRIPT,
  OUTER_SCRIPT,
  SYSTEM_PATH,
  type LayerSetup,
  type User,
} from './script.js';

/**
 * Where the rights to make namespaces come from: the runner is root, its sudo asks for no password, or the kernel
 * lets everybody make a user namespace and be root in there.
 */
export type How = 'root' | 'sudo' | 'user-namespace';

export interface Enclosure {
  how: How;
  user: User;
  rules: readonly Rule[];
  mounts: readonly Mount[];
  /** What keeps the agent from the kernel's keyrings, where this machine has it. */
  keyring?: Interpreter | undefined;
  /** What has to be done to the layer before the agent sees it. */
  layer?: LayerSetup | undefined;
  /** A path of ours where a pipe can be made: whoever closes it ends the agent. */
  alive: string;
}

/** The namespaces, with the rights to arrange them. */
export const namespaceCommand = (how: How, kinds: readonly string[]): string[] => [
  'unshare',
  ...(how === 'user-namespace' ? ['--user', '--map-root-user'] : []),
  ...['--mount', '--propagation=private'],
  ...kinds,
  '--',
];

/** Sudo where it is needed, and an environment with nothing in it. */
export const asRoot = (how: How): string[] => [
  ...(how === 'sudo' ? ['sudo', '-n', '--'] : []),
  ...['env', '-i', `PATH=${SYSTEM_PATH}`],
];

/**
 * The same command, in namespaces of its own: run, fed, watched and ended as any other process. Nothing of it
 * is in the new command line: all goes before the agent's input, and is taken off that before the agent starts.
 */
export function isolate(spec: ProcessSpec, enclosure: Enclosure): ProcessSpec {
  const { how, user, rules, keyring, layer, alive } = enclosure;
  const plan = planMounts(rules, reachableMounts(enclosure.mounts));
  const tracking = spec.env['RUNNER_TRACKING_ID'];
  return {
    file: 'setpriv',
    args: [
      // The outer script dies with us, and all the rest with it.
      ...['--pdeathsig=KILL', '--', 'sh', '-c', OUTER_SCRIPT, 'isolation', alive],
      ...asRoot(how),
      ...['sh', '-c', KEEPER_SCRIPT, 'isolation', alive],
      ...namespaceCommand(how, ['--pid', '--ipc', '--fork', '--kill-child']),
      ...['sh', '-c', INNER_SCRIPT, 'isolation'],
    ],
    cwd: '/',
    // By the tracking id the runner finds and ends what a killed action leaves behind.
    env: { PATH: SYSTEM_PATH, ...(tracking === undefined ? {} : { RUNNER_TRACKING_ID: tracking }) },
    input: inputLine(spec, { plan, user, how, keyring, layer }) + spec.input,
  };
}
