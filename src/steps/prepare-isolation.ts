import { join } from 'node:path';
import { chooseIsolation, describeIsolation, type Isolation } from '../agent/isolation/choice.js';
import { probeIsolation, type MachinePlaces } from '../agent/isolation/probe.js';
import { mayWrite, type Policy } from '../agent/policy.js';
import { warning } from '../runner.js';
import type { Workplace } from './workplace.js';

export interface IsolationRequest {
  setting: 'auto' | 'required' | 'off';
  policy: Policy;
  workplace: Workplace;
  runnerTemp: string | undefined;
  cliPath: string;
  env: Readonly<Record<string, string>>;
}

export interface Shelter {
  isolation: Isolation;
  machine: MachinePlaces;
  /** For log and summary. */
  description: string;
}

/** Finds out whether this machine can isolate the agent, without a look at the checkout. Loud when it cannot. */
export function prepareIsolation(request: IsolationRequest): Shelter {
  const { setting, workplace, policy } = request;
  const machine: MachinePlaces = {
    home: workplace.home,
    temp: workplace.temp,
    hidden: [...(request.runnerTemp ? [request.runnerTemp] : []), workplace.root],
    cli: request.cliPath,
    shown: [workplace.context],
    env: request.env,
    control: join(workplace.root, 'control'),
  };
  const isolation = chooseIsolation(setting, () => probeIsolation(machine));
  if (isolation.kind === 'not-isolated' && setting === 'auto')
    warning(`The agent is not isolated on this runner. ${isolation.why}`);
  const description = describeIsolation(isolation, mayWrite(policy) ? 'write' : 'read');
  return { isolation, machine, description };
}
