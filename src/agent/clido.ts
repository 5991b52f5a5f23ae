import type { Agent } from './agent.js';
import { coversKind, type PermissionKind } from '../permissions/permission-token.js';
import type { Policy } from '../permissions/policy.js';

/**
 * clido knows no patterns: a tool is there or it is not. So a kind of permission becomes its tools, and the
 * narrower rules (which path, which command, which site) are not enforced by clido at all; what holds then is
 * what the child can reach and the check of what it changed.
 *
 * Left out on purpose: `Git` and `TestLoop` start programs whatever the shell rules say, `ExitPlanMode` lifts
 * the read-only mode, `SpawnWorker` and `SpawnReviewer` start agents with tools of their own.
 */
const TOOLS: Readonly<Record<PermissionKind, readonly string[]>> = {
  Read: ['Read', 'Glob', 'Grep', 'Ls', 'SemanticSearch'],
  Write: ['Write', 'Edit', 'MultiEdit', 'ApplyPatch'],
  Shell: ['Bash'],
  WebFetch: ['WebFetch', 'WebSearch'],
  // Servers come only from a file named on the command line, and none is named.
  Mcp: [],
};
/** Harmless in every mode: a list the agent keeps for itself. */
const ALWAYS = ['TodoWrite'];
/** Named besides, because some builds let this list win and some the other. */
const NEVER = [
  'Git',
  'TestLoop',
  'ExitPlanMode',
  'SpawnWorker',
  'SpawnReviewer',
  'HarnessControl',
  'Truncate',
];
const KINDS = Object.keys(TOOLS) as PermissionKind[];

export const clido: Agent = {
  name: 'clido',
  title: 'clido',
  chatFolders: ['.clido/sessions', '.local/share/clido/sessions'],

  homeFiles: () => ({}),

  /**
   * Stands where the checkout's own would be read: that one could name hooks, which are commands, and another
   * address for the provider, which would be sent the key. clido asks for a profile to start at all; provider
   * and model on the command line win over it.
   */
  projectFiles: () => ({
    '.clido/config.toml': [
      'default-profile = "default"',
      '',
      '[profile.default]',
      'provider = "anthropic"',
      'model = "claude-sonnet-4-5"',
      '',
      '[skills]',
      'no-skills = true',
      '',
    ].join('\n'),
  }),

  // No `-p`: with it clido wants the prompt as an argument, which other processes can see and Linux limits to
  // 128 KiB. Without it, and without a terminal, it reads the prompt from stdin.
  // No `-q` either: it leaves the tool calls out of the stream.
  args: ({ model, policy, resume, extraArgs }) => [
    '--output-format',
    'stream-json',
    '--permission-mode',
    permissionMode(policy),
    '--allowed-tools',
    allowedTools(policy).join(','),
    '--disallowed-tools',
    disallowedTools(policy).join(','),
    // clido has no model of this name: then its profile decides.
    ...(model === 'auto' ? [] : ['--model', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...extraArgs,
  ],

  // The provider's key comes through pass-env, under the name the provider gives it.
  environment: () => ({
    // Before its first write clido commits everything that is uncommitted, our configuration included. It
    // cannot be told not to; where git finds no repository, it does not.
    GIT_DIR: '/dev/null',
  }),
};

/**
 * `plan` lets nothing be changed. `default` asks a terminal that is not there: its documents say it then
 * allows, its source says it denies. So whoever may change something gets `accept-all` and exactly the tools
 * the policy names.
 */
function permissionMode(policy: Policy): 'plan' | 'accept-all' {
  const mayChange = grants(policy, 'Write') || grants(policy, 'Shell');
  return policy.mode === 'agent' && mayChange ? 'accept-all' : 'plan';
}

function allowedTools(policy: Policy): string[] {
  return [...KINDS.filter((kind) => grants(policy, kind)).flatMap((kind) => TOOLS[kind]), ...ALWAYS];
}

function disallowedTools(policy: Policy): string[] {
  return [...KINDS.filter((kind) => !grants(policy, kind)).flatMap((kind) => TOOLS[kind]), ...NEVER];
}

/** Whether a kind is allowed at all: named by `allow`, and not denied as a whole. */
function grants({ allow, deny }: Policy, kind: PermissionKind): boolean {
  const isAllowed = allow.some((rule) => rule.kind === kind);
  return isAllowed && !deny.some((rule) => coversKind(rule, kind));
}
