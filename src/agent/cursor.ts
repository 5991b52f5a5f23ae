import type { Agent } from './agent.js';
import { credentialVariables, givenApi } from './credential.js';
import { cliRules } from '../permissions/cli-rules.js';

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Far more than our hook takes, even on a busy machine. */
const HOOK_SECONDS = 30;

const ENDPOINT_FLAGS = ['-e', '--endpoint', '--agent-endpoint'];

/** The values of a flag in `extra-args`: `--flag=value`, `--flag value`, or two lines. */
const valuesOf = (flag: string, args: readonly string[]): string[] =>
  args.flatMap((argument, index) => {
    if (argument === flag) return args.slice(index + 1, index + 2);
    const rest = argument.startsWith(flag) ? argument.slice(flag.length) : '';
    return /^[=\s]/.test(rest) ? [rest.slice(1).trim()] : [];
  });

export const cursor: Agent = {
  name: 'cursor',
  title: 'Cursor',
  chatFolders: ['.cursor/chats'],

  homeFiles: (policy, workspace, { mcp, isNetworkClosed }) => ({
    '.cursor/cli-config.json': json({
      version: 1,
      editor: { vimMode: false },
      permissions: cliRules(policy, workspace),
      // Asks for approval of what is not allowed, and nobody is there to give it.
      approvalMode: 'allowlist',
      autoAcceptWebSearch: false,
      // No advertisement in commits and pull requests.
      attribution: { attributeCommitsToAgent: false, attributePRsToAgent: false },
      // Otherwise the CLI updates itself in the background, to a build that nobody verified.
      channel: 'static',
      // HTTP/2 hangs in some proxies. With HTTP/1 the stream also goes to the one host that everything else goes to.
      ...(isNetworkClosed ? { network: { useHttp1ForAgent: true } } : {}),
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
    '.cursor/cli.json': json({ permissions: cliRules(policy, workspace) }),
  }),

  repositoryFiles: {
    // Otherwise each run uploads an index of the repository. The tools of the agent still read every file.
    '.cursorindexingignore': '*\n',
    // A hook of the project can change what a tool is asked after our own hook has judged it. This file is in its place,
    // and the agent cannot write it.
    '.cursor/hooks.json': json({ version: 1, hooks: {} }),
  },

  args: ({ model, policy, resume, extraArgs }) => [
    '-p',
    '--output-format',
    'stream-json',
    // Without it the CLI stops in a folder it does not know. It grants no permission.
    '--trust',
    // With the CLI's sandbox, commands that are not allowed run in it without approval, and on GitHub's runners it
    // cannot start. The action isolates the agent itself.
    '--sandbox',
    'disabled',
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

  // What Cursor names for firewalls, and the address of its public API. Downloads are left out: the CLI must not update
  // itself.
  vendor: ({ env, extraArgs }) => ({
    lines: ['*.cursor.sh', '*.cursorapi.com', '*.cursor-cdn.com', 'api.cursor.com'],
    addresses: [
      ...[givenApi(env)?.address ?? ''].filter((address) => address !== ''),
      ...ENDPOINT_FLAGS.flatMap((flag) => valuesOf(flag, extraArgs)),
    ],
  }),

  environment: (credential) => ({
    ...(credential && credentialVariables(credential)),
    // The runner has no keychain, and the credential must not be written to disk.
    AGENT_CLI_CREDENTIAL_STORE: 'memory',
    // The log of one run has been seen to grow to 11 GB.
    CURSOR_AGENT_DISABLE_DEBUG_LOG: '1',
    // Otherwise the agent's shell loads an `.envrc` with direnv.
    DIRENV_DISABLE: '1',
  }),
};
