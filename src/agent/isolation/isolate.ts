import type { ProcessSpec } from '../process.js';
import { planMounts, type Rule } from './access.js';
import { reachableMounts, type Mount } from './mounts.js';
import { INNER_SCRIPT, inputLine, OUTER_SCRIPT, SYSTEM_PATH, type User } from './script.js';

/** How the rights to make namespaces are had: by being root, or from a sudo that asks for no password. */
export type How = 'root' | 'sudo';

export interface Enclosure {
  how: How;
  user: User;
  rules: readonly Rule[];
  mounts: readonly Mount[];
  /** A path of ours where a pipe can be made: whoever closes it ends the agent. */
  alive: string;
}

/**
 * The same command, in namespaces of its own: run, fed, watched and ended as any other process. Nothing of it
 * is in the new command line: all goes before the agent's input, and is taken off that before the agent starts.
 */
export function isolate(spec: ProcessSpec, enclosure: Enclosure): ProcessSpec {
  const { how, user, rules, alive } = enclosure;
  const plan = planMounts(rules, reachableMounts(enclosure.mounts));
  const tracking = spec.env['RUNNER_TRACKING_ID'];
  return {
    file: 'setpriv',
    args: [
      // The outer script dies with us, and all the rest with it.
      ...['--pdeathsig=KILL', '--', 'sh', '-c', OUTER_SCRIPT, 'isolation', alive],
      ...(how === 'sudo' ? ['sudo', '-n', '--'] : []),
      ...['env', '-i', `PATH=${SYSTEM_PATH}`],
      ...['unshare', '--mount', '--propagation=private', '--pid', '--ipc', '--fork', '--kill-child', '--'],
      ...['sh', '-c', INNER_SCRIPT, 'isolation'],
    ],
    cwd: '/',
    // By the tracking id the runner finds and ends what a killed action leaves behind.
    env: { PATH: SYSTEM_PATH, ...(tracking === undefined ? {} : { RUNNER_TRACKING_ID: tracking }) },
    input: inputLine(spec, { plan, user, alive }) + spec.input,
  };
}
