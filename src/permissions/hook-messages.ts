import type { PolicyFolders } from './path-policy.js';
import { formatPermission, parsePermission, permissions, type PermissionToken } from './permission-token.js';
import type { Policy } from './policy.js';

/** What our hook is told about the run, in a file beside it. All paths are absolute. */
export interface HookPolicy extends PolicyFolders {
  policy: Policy;
  /** The agent's own home and temporary folder. The home is the first. */
  own: readonly string[];
  /** The file that its decisions are appended to. Without one it only answers. */
  reportTo?: string | undefined;
}

export function formatHookPolicy({ policy, ...rest }: HookPolicy): string {
  const rules = { allow: policy.allow.map(formatPermission), deny: policy.deny.map(formatPermission) };
  return `${JSON.stringify({ ...rest, policy: { ...policy, ...rules } }, undefined, 2)}\n`;
}

/** Undefined if the text is not a policy. By hand, because a schema library takes longer to load than the hook runs. */
export function parseHookPolicy(text: string): HookPolicy | undefined {
  try {
    const { policy, root, directory, own, reportTo } = JSON.parse(text) as HookPolicy;
    const [allow, deny] = [policy.allow, policy.deny].map((rules) =>
      permissions(...rules.map((rule: unknown) => String(rule))),
    );
    const isWhole =
      [root, directory, policy.preset, policy.mode].every(isText) &&
      typeof policy.force === 'boolean' &&
      [own, policy.mcpServers, policy.onlyAllowed].every((list) => Array.isArray(list) && list.every(isText));
    if (!isWhole || allow === undefined || deny === undefined) return undefined;
    return {
      root,
      directory,
      own,
      policy: { ...policy, allow, deny },
      ...(isText(reportTo) ? { reportTo } : {}),
    };
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Why our hook denied a call. */
export type HookDenial =
  /** A deny rule covers it. */
  | { by: 'rule'; token: PermissionToken }
  /** No allow rule covers it, and it needs one. This is the narrowest that would. */
  | { by: 'no-rule'; token: PermissionToken }
  /** No rule can allow it. */
  | { by: 'action'; why: string };

/** The file that our hook is run from, in the folder of the run. */
export const HOOK_PROGRAM = 'hook.cjs';
/** How the CLI denies a call because our hook itself did not answer. It quotes the command that it started. */
const NO_ANSWER =
  /\bHook "[^"]*[\\/]cursor-agent-[^\\/"]*[\\/]sandbox[\\/]agents[\\/]\d+[\\/]hook[\\/]hook\.cjs'?" (.+)$/;

const NAME = 'cursor-agent-action:';
const WORDS = { rule: 'denied by', 'no-rule': 'not allowed without', action: 'denied because' } as const;

/** The sentence that the CLI shows for a call that our hook denied. It is in the stream, in one line. */
export const describeHookDenial = (denial: HookDenial): string =>
  `${NAME} ${WORDS[denial.by]} ${denial.by === 'action' ? denial.why : formatPermission(denial.token)}`;

/**
 * What hooks said about a denied call: our own denial, and the words of other hooks. The text has one line per hook.
 * With several hooks, the CLI does not say which of them denied: one that let the call through can have a line, too.
 */
export function readHookMessages(text: string): { own: HookDenial | undefined; others: string[] } {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const denials = lines.map(parseSentence);
  return {
    own: denials.find((denial) => denial !== undefined),
    others: lines.filter((_, index) => denials[index] === undefined),
  };
}

/** Whether another hook denied the call, or may have. */
export const isForeignHook = ({ own, others }: ReturnType<typeof readHookMessages>): boolean =>
  own === undefined || others.length > 0;

/** Finds our sentence in the text of a denied call. Undefined if another hook denied it, or none. */
export const parseHookDenial = (text: string): HookDenial | undefined => readHookMessages(text).own;

function parseSentence(line: string): HookDenial | undefined {
  const problem = NO_ANSWER.exec(line)?.[1];
  if (problem !== undefined)
    return { by: 'action', why: `the hook of this action did not answer: ${problem}` };
  // At the beginning or after a colon, because a command with these words in it can be quoted in front.
  const start = line.startsWith(NAME) ? 0 : line.lastIndexOf(`: ${NAME}`) + 2;
  if (start === 1) return undefined;
  const sentence = line.slice(start + NAME.length).trim();
  const by = (['rule', 'no-rule', 'action'] as const).find((one) => sentence.startsWith(`${WORDS[one]} `));
  if (by === undefined) return undefined;
  const rest = sentence.slice(WORDS[by].length + 1);
  if (by === 'action') return { by, why: rest };
  // The CLI may add words of its own after the token, which ends with the last bracket.
  const parsed = parsePermission(/^.*\)/.exec(rest)?.[0] ?? '');
  return 'permission' in parsed ? { by, token: parsed.permission } : undefined;
}
