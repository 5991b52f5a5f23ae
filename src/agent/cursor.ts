import type { Agent } from './agent.js';
import { permissionLists } from '../permissions/policy.js';

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

export const cursor: Agent = {
  name: 'cursor',
  title: 'Cursor',
  chatFolders: ['.cursor/chats'],

  homeFiles: (policy, workspace, mcp) => ({
    '.cursor/cli-config.json': json({
      version: 1,
      editor: { vimMode: false },
      permissions: permissionLists(policy, workspace),
      approvalMode: 'allowlist',
      // Else the CLI replaces itself in the background by a build nobody verified.
      channel: 'static',
    }),
    // Read from the home folder whatever else is configured; the checkout's own is set aside.
    ...(mcp ? { '.cursor/mcp.json': json(mcp) } : {}),
  }),

  // Exactly these two lists: the CLI stops at any other key in a project's file.
  projectFiles: (policy, workspace) => ({
    '.cursor/cli.json': json({ permissions: permissionLists(policy, workspace) }),
  }),

  args: ({ model, policy, resume, extraArgs }) => [
    '-p',
    '--output-format',
    'stream-json',
    // Without it the CLI stops in a folder it has not seen; it grants no permission.
    '--trust',
    // Always: left out, the CLI takes whichever model was used last.
    '--model',
    model,
    ...(policy.mode === 'agent' ? [] : ['--mode', policy.mode]),
    ...(policy.force ? ['--force'] : []),
    // Approves every server there is, so only where they are ours.
    ...(policy.mcpServers.length > 0 ? ['--approve-mcps'] : []),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...extraArgs,
  ],

  environment: (apiKey) => ({
    CURSOR_API_KEY: apiKey,
    // The runner has no keychain, and nothing is to be written to disk.
    AGENT_CLI_CREDENTIAL_STORE: 'memory',
  }),
};
