import type { GithubEvent } from '../github/event.js';
import type { PermissionToken } from '../permissions/permission-token.js';
import { allowsKind } from '../permissions/policy.js';
import { isOpenToStrangers } from './decide.js';

/** The settings that are harmless on their own and can be dangerous together. */
export interface Settings {
  preset: string;
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
export function findDangers(settings: Settings, event: GithubEvent): Danger[] {
  const isOpen = isOpenToStrangers(event);
  const mayHoldProposal = isOpen || event.name.startsWith('pull_request');
  return [
    ...(isOpen && allowsKind(settings, 'Shell') ? shellDangers(settings, event.name) : []),
    ...(settings.mcpFromCheckout && mayHoldProposal ? [changedServers(event.name)] : []),
  ];
}

/** For an agent that may run any command, on an event with text that anyone can write. */
function shellDangers({ preset, secretNames }: Settings, event: string): Danger[] {
  const anyCommand: Danger =
    preset === 'custom'
      ? {
          level: 'refuse',
          text:
            `Shell(*) with preset custom on ${event}: the agent could run any command, and it reads text that ` +
            'anyone can write. Allow only the commands it needs, or use another event.',
        }
      : {
          level: 'warn',
          text:
            `preset ${preset} lets the agent run any command, and on ${event} it may read text that anyone can ` +
            'write. Commands can read the agent’s key and reach the network. Use it only for code whose authors you trust.',
        };
  if (secretNames.length === 0) return [anyCommand];
  const passedSecrets: Danger = {
    level: 'warn',
    text:
      `pass-env passes ${secretNames.join(', ')} to an agent that can run any command, and on ${event} it may ` +
      'read text that anyone can write. Leave them out unless the task needs them.',
  };
  return [anyCommand, passedSecrets];
}

const changedServers = (event: string): Danger => ({
  level: 'warn',
  text:
    `mcp-config is a file of the checkout, and on ${event} the checkout may contain a proposed change. Anyone who changes ` +
    'the file can run commands here. Write the servers into the workflow, or leave out project-rules: head.',
});
