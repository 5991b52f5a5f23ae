import { cliRules } from '../permissions/cli-rules.js';
import type { Agent } from './agent.js';
import { givenApi } from './credential.js';

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
      // Asks for approval of what is not allowed, and no user is there to give it.
      approvalMode: 'allowlist',
      autoAcceptWebSearch: false,
      // No advertisement in commits and pull requests.
      attribution: { attributeCommitsToAgent: false, attributePRsToAgent: false },
      // Otherwise the CLI updates itself in the background, to an unverified build.
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
  vendor: ({ env, extraArgs }) => {
    const given = givenApi(env);
    return {
      lines: ['*.cursor.sh', '*.cursorapi.com', '*.cursor-cdn.com', 'api.cursor.com'],
      addresses: [
        ...(given ? [given.address] : []),
        ...ENDPOINT_FLAGS.flatMap((flag) => valuesOf(flag, extraArgs)),
      ],
    };
  },

  environment: (credential) => ({
    // One of the two, never both.
    ...(credential?.kind === 'key' ? { CURSOR_API_KEY: credential.key } : {}),
    ...(credential?.kind === 'token' ? { CURSOR_AUTH_TOKEN: credential.token } : {}),
    // The runner has no keychain, and the credential must not be written to disk.
    AGENT_CLI_CREDENTIAL_STORE: 'memory',
    // The log of one run has been seen to grow to 11 GB.
    CURSOR_AGENT_DISABLE_DEBUG_LOG: '1',
    // Otherwise the agent's shell loads an `.envrc` with direnv.
    DIRENV_DISABLE: '1',
  }),
};

/** The newest build of Cursor's CLI that this action was tested with. */
export const TESTED_CLI_VERSION = '2026.10.01-e373342';

/** The date in a build's name: `2026.10.01-e373342`, or `2026.10.01-14-30-05-e373342`. */
interface BuildDate {
  day: string;
  time: string | undefined;
}

/** What is wrong with older builds, the worst first, and the day of the first build without it. */
const DEFECTS = [
  {
    repaired: '2026.08.11',
    text:
      'It is not safe for code of others: when it calls git itself, it runs programs that the repository’s git ' +
      'configuration names (fsmonitor, hooks, attributes, external diff), whatever the permissions say.',
  },
  {
    repaired: '2026.09.28',
    text: 'It may silently run another model than `model` names, if one name is the beginning of the other.',
  },
];

/** A warning if the CLI is a build with known defects; nothing if it is not, or if its name does not say. */
export function olderCliWarning(cliVersion: string): string | undefined {
  const theirs = buildDate(cliVersion);
  const defects = DEFECTS.filter(({ repaired }) => theirs && theirs.day < repaired);
  if (defects.length === 0) return undefined;
  return [
    `The CLI (${cliVersion.trim()}) is too old.`,
    ...defects.map(({ text }) => text),
    `Remove \`cli-version\` or \`cli-path\` to get the tested build, ${TESTED_CLI_VERSION}.`,
  ].join(' ');
}

/**
 * A notice if another model answered than was asked for. The CLI reports names such as `Claude 4.5 Sonnet` for
 * `sonnet-4.5`, so only a name without any word of the id, or without one of its numbers, counts as another.
 */
export function otherModelNotice(asked: string, reported = ''): string | undefined {
  const parts = (name: string, kind: RegExp): string[] => name.toLowerCase().match(kind) ?? [];
  if (asked === 'auto' || reported === '') return undefined;
  const words = parts(asked, /[a-z]{3,}/g);
  const answered = parts(reported, /[a-z]{3,}|\d+/g);
  const isSame =
    (words.length === 0 || words.some((word) => answered.includes(word))) &&
    parts(asked, /\d+/g).every((number) => answered.includes(number));
  return isSame ? undefined : `The model ${asked} was asked for, and ${reported} answered.`;
}

/** A notice if the CLI is newer than the tested one; nothing if it is not, or if its name does not say. */
export function newerCliNotice(cliVersion: string, tested = TESTED_CLI_VERSION): string | undefined {
  const [theirs, ours] = [buildDate(cliVersion), buildDate(tested)];
  if (!theirs || !ours || !isLater(theirs, ours)) return undefined;
  return (
    `The CLI (${cliVersion.trim()}) is newer than the newest one this action was tested with (${tested}). ` +
    'Output that this action does not know yet is listed as not recognised; ' +
    'set `cli-version` to the tested build if anything looks wrong.'
  );
}

function buildDate(version: string): BuildDate | undefined {
  const parts = /^(\d{4}\.\d{2}\.\d{2})(?:-(\d{2}-\d{2}-\d{2}))?-[0-9a-f]+$/.exec(version.trim());
  return parts?.[1] === undefined ? undefined : { day: parts[1], time: parts[2] };
}

/** Fixed-width numbers can be compared as text. Two builds of one day can be compared only if both have a time. */
function isLater(theirs: BuildDate, ours: BuildDate): boolean {
  if (theirs.day !== ours.day) return theirs.day > ours.day;
  return theirs.time !== undefined && ours.time !== undefined && theirs.time > ours.time;
}
