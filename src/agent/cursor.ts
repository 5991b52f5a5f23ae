import type { Agent } from './agent.js';
import { coversKind, formatPermission, type PermissionToken } from '../permissions/permission-token.js';
import type { Policy } from '../permissions/policy.js';

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Far more than our hook takes, even on a busy machine. */
const HOOK_SECONDS = 30;

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
      // Otherwise the CLI updates itself in the background, to a build that nobody verified.
      channel: 'static',
    }),
    // The CLI always reads this file. The one of the checkout is set aside.
    ...(mcp ? { '.cursor/mcp.json': json(mcp) } : {}),
  }),

  // Without a matcher, so for every tool: a matcher is a pattern that also matches inside of longer names. Nothing else
  // may be in it, because one property or event that the CLI does not know makes it ignore the whole file. A build that
  // knows no hooks does not read it.
  hookFiles: ({ command, failClosed }) => ({
    '.cursor/hooks.json': json({
      version: 1,
      hooks: { preToolUse: [{ command, timeout: HOOK_SECONDS, ...(failClosed ? { failClosed } : {}) }] },
    }),
  }),

  // Only these two lists, because the CLI fails on any other key in a project's file.
  projectFiles: (policy, workspace) => ({
    '.cursor/cli.json': json({ permissions: permissionLists(policy, workspace) }),
  }),

  args: ({ model, policy, resume, extraArgs }) => [
    '-p',
    '--output-format',
    'stream-json',
    // Without it the CLI stops in a folder it does not know. It grants no permission.
    '--trust',
    // Always given, because without it the CLI takes the model that was used last.
    '--model',
    model,
    ...(policy.mode === 'agent' ? [] : ['--mode', policy.mode]),
    ...(policy.force ? ['--force'] : []),
    // Approves every configured server, so it is given only when all of them come from mcp-config.
    ...(policy.mcpServers.length > 0 ? ['--approve-mcps'] : []),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...extraArgs,
  ],

  environment: (apiKey) => ({
    CURSOR_API_KEY: apiKey,
    // The runner has no keychain, and the key must not be written to disk.
    AGENT_CLI_CREDENTIAL_STORE: 'memory',
  }),
};

/** The rules as the CLI reads them. */
function permissionLists(policy: Policy, workspace: string): { allow: string[]; deny: string[] } {
  const root = workspace.replaceAll('\\', '/').replace(/\/+$/, '');
  const write = (rules: readonly PermissionToken[]) => [
    ...new Set(rules.flatMap((rule) => written(rule, root))),
  ];
  return { allow: write(policy.allow), deny: write(policy.deny) };
}

/**
 * The CLI's documentation says that path patterns are relative to the workspace, but its code matches them against
 * absolute paths. So each pattern is written in every form that one of the two needs.
 */
function written(rule: PermissionToken, root: string): string[] {
  const isPath = rule.kind === 'Read' || rule.kind === 'Write';
  if (!isPath || coversKind(rule, rule.kind) || /^\/|^[A-Za-z]:[\\/]/.test(rule.pattern))
    return [formatPermission(rule)];
  const relative = rule.pattern.replace(/^(\.\/)+/, '').replace(/^(\*\*\/)+/, '');
  const forms = [relative, `**/${relative}`, `${root}/${relative}`];
  if (rule.pattern.startsWith('**/')) forms.push(`${root}/**/${relative}`);
  return forms.map((pattern) => formatPermission({ kind: rule.kind, pattern }));
}
