import { join } from 'node:path';
import {
  chooseIsolation,
  describeIsolation,
  probeIsolation,
  type Isolation,
  type MachinePaths,
} from '../isolation/probe.js';
import { mayWrite, type Policy } from '../permissions/policy.js';
import { warning } from '../core/runner.js';
import type { RunFolder } from './run-folder.js';

type MachineRequest = {
  runFolder: RunFolder;
  runnerTemp: string | undefined;
  /** The agent's environment. */
  env: Readonly<Record<string, string>>;
};

/**
 * Finds out whether this machine can isolate the agent, without a look at the checkout. It takes a moment, so it is
 * begun early, and is waited for only when the agent is about to start.
 */
export function tryIsolation(
  setting: 'auto' | 'required' | 'off',
  request: MachineRequest,
): Promise<Isolation> {
  const isolation = chooseIsolation(setting, () =>
    probeIsolation({ control: controlFolder(request.runFolder), home: request.runFolder.home }),
  );
  // Who waits for it is told; a run that ends before has no use for it.
  isolation.catch(() => undefined);
  return isolation;
}

/** What is known of a run before anybody has looked at the checkout. */
export const machineOf = ({ runFolder, runnerTemp, env }: MachineRequest, cli: string): MachinePaths => ({
  home: runFolder.home,
  temp: runFolder.temp,
  hidden: [...(runnerTemp ? [runnerTemp] : []), runFolder.root],
  cli,
  shown: [runFolder.context],
  env,
  control: controlFolder(runFolder),
});

const controlFolder = ({ root }: RunFolder): string => join(root, 'control');

/** For log and summary; loud where it is not what one would expect. */
export function tellIsolation(
  isolation: Isolation,
  { setting, policy }: { setting: 'auto' | 'required' | 'off'; policy: Policy },
): string {
  if (isolation.kind === 'not-isolated' && setting === 'auto')
    warning(`The agent is not isolated on this runner. ${isolation.why}`);
  return describeIsolation(isolation, mayWrite(policy) ? 'write' : 'read');
}
