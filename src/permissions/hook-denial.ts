/** What the action's own hook tells the CLI when it denies a call. The CLI passes it on, in a sentence of its own. */
const PREFIX = 'cursor-agent-action: denied by ';

/** The message of a call that was denied by this rule. */
export const hookDenial = (rule: string): string => `${PREFIX}${rule}`;

/** The rule in such a message; nothing if it is the message of another hook. */
export function parseHookDenial(message: string): string | undefined {
  // At the beginning or after a colon, because a command with these words in it can be quoted in front.
  const start = message.startsWith(PREFIX) ? 0 : message.indexOf(`: ${PREFIX}`) + 2;
  if (start === 1) return undefined;
  const [rule = ''] = message.slice(start + PREFIX.length).split('\n');
  return rule.trim() || undefined;
}
