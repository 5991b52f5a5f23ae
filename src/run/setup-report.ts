import type { Agent } from '../agent/agent.js';
import { formatPermission } from '../permissions/permission-token.js';
import type { Policy } from '../permissions/policy.js';
import type { Setup } from '../report/model.js';
import { printGroup } from '../core/runner.js';

/** How a run is set up, for log, summary and report. */
export function describeSetup(
  agent: Agent,
  policy: Policy,
  { isolation, cliVersion }: { isolation: string; cliVersion: string | undefined },
): Setup {
  return {
    agent: agent.title,
    preset: policy.preset,
    mode: policy.mode,
    force: policy.force,
    allow: policy.allow.map(formatPermission),
    deny: policy.deny.map(formatPermission),
    isolation,
    ...(cliVersion === undefined ? {} : { cliVersion }),
  };
}

export function printSetup(setup: Setup): void {
  const force = setup.force ? 'on' : 'off';
  printGroup(`${setup.agent} may do: preset ${setup.preset}, mode ${setup.mode}, force ${force}`, [
    setup.force ? 'force is on: whatever is not denied runs' : 'force is off: only what is allowed runs',
    ...setup.allow.map((rule) => `allow ${rule}`),
    ...setup.deny.map((rule) => `deny  ${rule}`),
    setup.isolation,
  ]);
}
