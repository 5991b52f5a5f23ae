import type { Agent } from './agent.js';
import { coversKind, type PermissionKind } from '../permissions/permission-token.js';
import type { Policy } from '../permissions/policy.js';

/**
 * clido has no patterns: a tool is available or not. So each kind of permission becomes a list of tools. clido does not
 * enforce narrower rules (which path, command or site). There the isolation and the check of the changes protect.
 *
 * Left out on purpose: `Git` and `TestLoop` start programs whatever the shell rules say, `ExitPlanMode` ends the
 * read-only mode, `SpawnWorker` and `SpawnReviewer` start agents with tools of their own.
 */
const TOOLS: Readonly<Record<PermissionKind, readonly string[]>> = {
  Read: ['Read', 'Glob', 'Grep', 'Ls', 'SemanticSearch'],
  Write: ['Write', 'Edit', 'MultiEdit', 'ApplyPatch'],
  Shell: ['Bash'],
  WebFetch: ['WebFetch', 'WebSearch'],
  // Servers come only from a file on the command line, and none is given.
  Mcp: [],
};
/** Harmless in every mode: the agent's own list of tasks. */
const ALWAYS = ['TodoWrite'];
/** Also denied by name, because in some builds this list wins, in others the list of allowed tools. */
const NEVER = [
  ...['Git', 'TestLoop', 'ExitPlanMode', 'SpawnWorker', 'SpawnReviewer', 'HarnessControl', 'Truncate'],
];
/** The first one is that of the profile below. */
const PROVIDERS = [
  { key: 'ANTHROPIC_API_KEY', host: 'api.anthropic.com' },
  { key: 'OPENAI_API_KEY', host: 'api.openai.com' },
  { key: 'OPENROUTER_API_KEY', host: 'openrouter.ai' },
  { key: 'GEMINI_API_KEY', host: 'generativelanguage.googleapis.com' },
  { key: 'MISTRAL_API_KEY', host: 'api.mistral.ai' },
  { key: 'DEEPSEEK_API_KEY', host: 'api.deepseek.com' },
  { key: 'GROQ_API_KEY', host: 'api.groq.com' },
  { key: 'XAI_API_KEY', host: 'api.x.ai' },
];

export const clido: Agent = {
  name: 'clido',
  title: 'clido',
  chatFolders: ['.clido/sessions', '.local/share/clido/sessions'],

  homeFiles: () => ({}),

  /**
   * Replaces the file of the checkout, which could name hooks (commands) and another address for the provider, which
   * would receive the key. clido needs a profile to start; provider and model on the command line win over it.
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

  repositoryFiles: {},

  // No `-p`: with it clido takes the prompt as an argument, which other processes can see and Linux limits to 128 KiB.
  // Without it, and without a terminal, clido reads the prompt from stdin.
  // No `-q`: it leaves the tool calls out of the stream.
  args: ({ model, policy, resume, extraArgs }) => [
    '--output-format',
    'stream-json',
    '--permission-mode',
    permissionMode(policy),
    '--allowed-tools',
    [...toolsOf(policy, true), ...ALWAYS].join(','),
    '--disallowed-tools',
    [...toolsOf(policy, false), ...NEVER].join(','),
    // clido has no model of this name, so its profile decides.
    ...(model === 'auto' ? [] : ['--model', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...extraArgs,
  ],

  // Which provider it asks is known by the keys that it gets. Another one has to be named in `allowed-hosts`.
  vendor: ({ env, passEnv }) => {
    const passed = PROVIDERS.filter(({ key }) => passEnv.includes(key));
    return {
      lines: (passed.length > 0 ? passed : PROVIDERS.slice(0, 1)).map(({ host }) => host),
      addresses: passEnv
        .filter((name) => /_(BASE_URL|API_BASE|ENDPOINT)$/.test(name))
        .map((name) => env[name] ?? ''),
    };
  },

  // The provider's key comes through pass-env, under the provider's own name for it.
  environment: () => ({
    // Before its first write, clido commits everything that is uncommitted, including our configuration. No setting
    // prevents that, but it does not commit if git finds no repository.
    GIT_DIR: '/dev/null',
  }),
};

/**
 * `plan` allows no changes. `default` asks on a terminal, and there is none: then, according to the documentation it
 * allows, according to the source it denies. So an agent that may change something gets `accept-all`, and exactly the
 * tools that the policy names.
 */
function permissionMode(policy: Policy): 'plan' | 'accept-all' {
  const mayChange = grants(policy, 'Write') || grants(policy, 'Shell');
  return policy.mode === 'agent' && mayChange ? 'accept-all' : 'plan';
}

/** The tools of the kinds that are allowed, or of those that are not. */
const toolsOf = (policy: Policy, isAllowed: boolean): string[] =>
  (Object.keys(TOOLS) as PermissionKind[])
    .filter((kind) => grants(policy, kind) === isAllowed)
    .flatMap((kind) => TOOLS[kind]);

/** Whether anything of a kind is allowed: `allow` names some of it, and `deny` does not cover all of it. */
function grants({ allow, deny }: Policy, kind: PermissionKind): boolean {
  const isAllowed = allow.some((rule) => rule.kind === kind);
  return isAllowed && !deny.some((rule) => coversKind(rule, kind));
}
