import type { PermissionToken } from '../permissions/permission-token.js';
import { allowsKind } from '../permissions/policy.js';
import { isOpenToStrangers } from './decide.js';
import type { Trigger } from './event.js';

/** The parts of a run that are harmless alone. */
export interface Mix {
  preset: string;
  force: boolean;
  allow: readonly PermissionToken[];
  deny: readonly PermissionToken[];
  /** Names in `pass-env` that look like secrets. */
  secretNames: readonly string[];
  /** Whether the MCP servers come from a file of the checkout. */
  mcpFromCheckout: boolean;
}

export interface Danger {
  level: 'refuse' | 'warn';
  text: string;
}

/** Mixes of settings and event that are dangerous together, each by name. */
export function findDangers(mix: Mix, trigger: Trigger): Danger[] {
  const { event } = trigger;
  const runsAnything = allowsKind(mix, 'Shell');
  const dangers: Danger[] = [];
  if (!isOpenToStrangers(trigger)) {
    return mix.mcpFromCheckout && event.startsWith('pull_request') ? [changedServers(event)] : [];
  }
  if (mix.preset === 'custom' && runsAnything && mix.force) {
    dangers.push({
      level: 'refuse',
      text:
        `Shell(*) with force: true (preset custom) on ${event}: strangers have a say in what the agent reads there, and it ` +
        'could run any command. Name the commands it needs, set force: false, or use another event.',
    });
  } else if (runsAnything) {
    dangers.push({
      level: 'warn',
      text:
        `preset ${mix.preset} lets the agent run any command, and on ${event} it may read what strangers wrote. ` +
        'Commands can read the agent’s key and reach the network: use it for code whose authors you trust.',
    });
  }
  if (runsAnything && mix.secretNames.length > 0) {
    dangers.push({
      level: 'warn',
      text:
        `pass-env hands ${mix.secretNames.join(', ')} to an agent that can run any command, on ${event}, which ` +
        'strangers have a say in. Leave them out unless the task needs them.',
    });
  }
  if (mix.mcpFromCheckout) dangers.push(changedServers(event));
  return dangers;
}

const changedServers = (event: string): Danger => ({
  level: 'warn',
  text:
    `mcp-config is a file of the checkout, which on ${event} may hold what somebody proposes: whoever can change it ` +
    'runs commands here. Write the servers into the workflow, or check out the base branch.',
});
