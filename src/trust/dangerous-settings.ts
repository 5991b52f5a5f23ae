import type { GithubEvent } from '../github/event.js';
import type { PermissionToken } from '../permissions/permission-token.js';
import { allowsKind } from '../permissions/policy.js';
import { isOpenToStrangers } from './decide.js';

/** The settings that are harmless on their own and can be dangerous together. */
export interface Settings {
  preset: string;
  force: boolean;
  allow: readonly PermissionToken[];
  deny: readonly PermissionToken[];
  /** Names in `pass-env` that look like secrets. */
  secretNames: readonly string[];
  /** Whether the MCP servers come from a file of the checkout. */
  mcpFromCheckout: boolean;
}

interface Danger {
  level: 'refuse' | 'warn';
  text: string;
}

/** Finds combinations of settings that are dangerous with this event. */
export function findDangers(settings: Settings, githubEvent: GithubEvent): Danger[] {
  const { name: event } = githubEvent;
  const runsAnything = allowsKind(settings, 'Shell');
  const dangers: Danger[] = [];
  if (!isOpenToStrangers(githubEvent)) {
    return settings.mcpFromCheckout && event.startsWith('pull_request') ? [changedServers(event)] : [];
  }
  if (settings.preset === 'custom' && runsAnything && settings.force) {
    dangers.push({
      level: 'refuse',
      text:
        `Shell(*) with force: true (preset custom) on ${event}: the agent could run any command, and it reads text that ` +
        'anybody can write. Allow only the commands it needs, set force: false, or use another event.',
    });
  } else if (runsAnything) {
    dangers.push({
      level: 'warn',
      text:
        `preset ${settings.preset} lets the agent run any command, and on ${event} it may read text that anybody can ` +
        'write. Commands can read the agent’s key and reach the network. Use it only for code whose authors you trust.',
    });
  }
  if (runsAnything && settings.secretNames.length > 0) {
    dangers.push({
      level: 'warn',
      text:
        `pass-env passes ${settings.secretNames.join(', ')} to an agent that can run any command, and on ${event} it may ` +
        'read text that anybody can write. Leave them out unless the task needs them.',
    });
  }
  if (settings.mcpFromCheckout) dangers.push(changedServers(event));
  return dangers;
}

const changedServers = (event: string): Danger => ({
  level: 'warn',
  text:
    `mcp-config is a file of the checkout, and on ${event} the checkout may contain a proposed change. Anyone who changes ` +
    'the file can run commands here. Write the servers into the workflow, or check out the base branch.',
});
