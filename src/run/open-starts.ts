import { SetupFailed } from '../isolation/check.js';
import type { Attempt, AttemptLimits } from './attempts.js';
import type { SignIn } from './credentials.js';
import { mayOpenNetwork, reopen, UNREACHED } from './open-network.js';
import { prepareAgain, type Preparation, type Prepared } from './prepare-agent.js';
import type { Invocation } from './run.js';
import { startAgent, type Setting } from './start-agent.js';

export interface Starting {
  setting: Omit<Setting, 'prepared' | 'credential'>;
  signIn: SignIn;
  preparation: Preparation;
  invocation: Invocation;
  note(notes: readonly string[]): void;
}

/**
 * Starts the agent. It is prepared in another way and started again if its isolation cannot be set up, or if it cannot
 * reach its vendor from a closed network; both only before it has done anything.
 */
export function openStarts(first: Prepared, { setting, signIn, preparation, invocation, note }: Starting) {
  const { inputs, network } = preparation;
  const { output } = setting;
  let prepared = first;
  let [hasStarted, hasWorked] = [false, false];
  const start = async (limits: AttemptLimits): Promise<Attempt> => {
    const credential = await signIn(limits.totalMs);
    try {
      const attempt = await startAgent({ ...setting, prepared, credential }, limits);
      hasStarted = true;
      hasWorked ||= attempt.hasWorked;
      if (!mayOpenNetwork({ ...attempt, hasWorked }, network)) return attempt;
      note([inputs.network === 'required' ? UNREACHED : reopen(network, output)]);
      return network.state() === 'closed' ? attempt : await start(limits);
    } catch (error) {
      if (!(error instanceof SetupFailed)) throw error;
      prepared = await prepareAgain({ prepared, error, hasStarted }, preparation, invocation);
      output.print([prepared.setup.isolation, network.describe()]);
      return start(limits);
    }
  };
  return { start, current: () => prepared };
}
