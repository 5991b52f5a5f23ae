import { join } from 'node:path';
import { chooseIsolation, describeIsolation } from '../agent/isolation/choice.js';
import { isolateHere, probeIsolation } from '../agent/isolation/probe.js';
import type { Places as IsolationPlaces } from '../agent/isolation/surroundings.js';
import type { Policy } from '../agent/policy.js';
import type { ProcessSpec } from '../agent/process.js';
import { warning } from '../runner.js';
import type { Workplace } from './workplace.js';

export interface IsolationRequest {
  setting: 'auto' | 'required' | 'off';
  policy: Policy;
  workspace: string;
  workplace: Workplace;
  runnerTemp: string | undefined;
  cliPath: string;
  env: Readonly<Record<string, string>>;
  /** Our files in the workspace, by absolute path. */
  ownFiles: readonly string[];
}

export interface Shelter {
  /** For log and summary. */
  description: string;
  /** Turns the agent's command into one that runs isolated, where it can be. */
  wrap(spec: ProcessSpec): ProcessSpec;
}

/** Tries whether this machine can isolate the agent, and says loudly when it cannot. */
export function prepareIsolation(request: IsolationRequest): Shelter {
  const { setting, workplace } = request;
  const places: IsolationPlaces = {
    workspace: request.workspace,
    access: mayWrite(request.policy) ? 'write' : 'read',
    home: workplace.home,
    temp: workplace.temp,
    ownFiles: request.ownFiles,
    hidden: [...(request.runnerTemp ? [request.runnerTemp] : []), workplace.root],
    cli: request.cliPath,
    shown: [workplace.context],
    env: request.env,
    control: join(workplace.root, 'control'),
  };
  const isolation = chooseIsolation(setting, () => probeIsolation(places));
  const description = describeIsolation(isolation, places.access);
  if (isolation.kind === 'isolated')
    return { description, wrap: (spec) => isolateHere(spec, places, isolation.how) };
  if (setting === 'auto') warning(`The agent is not isolated on this runner. ${isolation.why}`);
  return { description, wrap: (spec) => spec };
}

const mayWrite = ({ preset, allow }: Policy): boolean =>
  preset !== 'review' || allow.some((rule) => rule.kind === 'Write');
