import { formatPermission, parsePermission, type PermissionToken } from './permission-token.js';

/** Why our hook denied a call. */
export type HookDenial =
  /** A deny rule covers it. */
  | { by: 'rule'; token: PermissionToken }
  /** No allow rule covers it, and without --force it needs one. This is the narrowest that would. */
  | { by: 'no-rule'; token: PermissionToken }
  /** No rule can allow it. */
  | { by: 'action'; why: string };

const NAME = 'cursor-agent-action:';
const BY_RULE = 'denied by';
const BY_NO_RULE = 'not allowed without';
const BY_ACTION = 'denied because';

/** The sentence that the CLI shows for a call that our hook denied. It is in the stream, in one line. */
export function describeHookDenial(denial: HookDenial): string {
  switch (denial.by) {
    case 'rule':
      return `${NAME} ${BY_RULE} ${formatPermission(denial.token)}`;
    case 'no-rule':
      return `${NAME} ${BY_NO_RULE} ${formatPermission(denial.token)}`;
    case 'action':
      return `${NAME} ${BY_ACTION} ${denial.why}`;
  }
}

/** Finds our sentence in the text of a denied call. Undefined if another hook denied it, or none. */
export function parseHookDenial(text: string): HookDenial | undefined {
  // At the beginning or after a colon, because a command with these words in it can be quoted in front.
  const start = text.startsWith(NAME) ? 0 : text.lastIndexOf(`: ${NAME}`) + 2;
  if (start === 1) return undefined;
  const [line = ''] = text.slice(start + NAME.length).split(/[\r\n]/, 1);
  const sentence = line.trim();
  if (sentence.startsWith(`${BY_ACTION} `))
    return { by: 'action', why: sentence.slice(BY_ACTION.length + 1) };
  const by = ([BY_RULE, BY_NO_RULE] as const).find((words) => sentence.startsWith(`${words} `));
  // The CLI may add words of its own after the token, which ends with the last bracket.
  const token = by && /^.*\)/.exec(sentence.slice(by.length + 1))?.[0];
  const parsed = token === undefined ? undefined : parsePermission(token);
  if (parsed === undefined || !('permission' in parsed)) return undefined;
  return { by: by === BY_RULE ? 'rule' : 'no-rule', token: parsed.permission };
}
