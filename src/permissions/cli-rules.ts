import {
  cliPatternTest,
  coversKind,
  formatPermission,
  isAbsolute,
  withoutLead,
  type PermissionToken,
} from './permission-token.js';
import type { Policy } from './policy.js';

/** The two lists as Cursor's CLI reads them. */
interface CliRules {
  allow: string[];
  deny: string[];
}

/**
 * Translates the policy into rules that Cursor's CLI really matches. Its documentation and its behaviour differ:
 *
 * - A path pattern is compared with the absolute path, so a relative pattern matches nothing.
 * - A Shell pattern is compared with the whole text of each command in a line. `Shell(git)` matches `git push`, but not
 *   `/usr/bin/git push`, `env git push` or `bash -c 'git push'`.
 *
 * A deny rule may match more than its token says, an allow rule never does.
 */
export function cliRules({ allow, deny }: Pick<Policy, 'allow' | 'deny'>, workspace: string): CliRules {
  const root = workspace.replaceAll('\\', '/').replace(/\/+$/, '');
  const isWhole = (rule: PermissionToken) => coversKind(rule, rule.kind);
  // Where everything of a kind is denied, the other rules of that kind add nothing.
  const needed = deny.filter((rule) => isWhole(rule) || !deny.some((other) => coversKind(other, rule.kind)));
  const written = (forms: readonly string[]) => [...new Set(forms)];
  return {
    allow: written(allow.flatMap((rule) => allowForms(rule, root))),
    deny: written(needed.flatMap((rule) => denyForms(rule, root))),
  };
}

/** Whether the CLI denies a shell line because of this rule, judged by the text of the line. */
export function deniesText(rule: PermissionToken, line: string): boolean {
  return rule.kind === 'Shell' && shellForms(rule).some((form) => cliPatternTest(form)(line));
}

function allowForms(rule: PermissionToken, root: string): string[] {
  if ((rule.kind !== 'Read' && rule.kind !== 'Write') || coversKind(rule, rule.kind))
    return [formatPermission(rule)];
  const { kind, pattern } = rule;
  return pathForms(isAbsolute(pattern) ? [pattern] : belowRoot(pattern, root), root).map((form) =>
    formatPermission({ kind, pattern: form }),
  );
}

function denyForms(rule: PermissionToken, root: string): string[] {
  // `Shell(*:*)` says the same as `Shell(*)`, which is the form that was seen to work.
  if (rule.kind === 'Shell' && coversKind(rule, 'Shell')) return ['Shell(*)'];
  if (coversKind(rule, rule.kind)) return [formatPermission(rule)];
  switch (rule.kind) {
    case 'Shell': {
      const forms = shellForms(rule).map((form) => `Shell(${form})`);
      return rule.args === undefined ? forms : [formatPermission(rule), ...forms];
    }
    case 'Read':
    case 'Write': {
      const { kind, pattern } = rule;
      return pathForms(denyPatterns(pattern, root), root).map((form) =>
        formatPermission({ kind, pattern: form }),
      );
    }
    case 'WebFetch':
    case 'Mcp':
      return [formatPermission(rule)];
  }
}

/** A `*` in the path of the workspace would match other folders too, and it cannot be escaped. Then nothing is allowed. */
function belowRoot(pattern: string, root: string): string[] {
  if (root.includes('*')) return [];
  const rest = withoutLead(pattern);
  return pattern.startsWith('**/') ? [`${root}/${rest}`, `${root}/**/${rest}`] : [`${root}/${rest}`];
}

/**
 * A relative deny rule matches anywhere on the machine. One for any dot folder matches only below the workspace: if that
 * is itself below such a folder, the rule would match all of it.
 */
function denyPatterns(pattern: string, root: string): string[] {
  if (isAbsolute(pattern)) return [pattern];
  const anywhere = `**/${withoutLead(pattern)}`;
  return anywhere.startsWith('**/.*/') && !root.includes('*') ? [`${root}${anywhere}`] : [anywhere];
}

/** It is unknown which slash the CLI uses on Windows in the paths that it compares. */
function pathForms(patterns: readonly string[], root: string): string[] {
  if (!/^[A-Za-z]:/.test(root)) return [...patterns];
  return patterns.flatMap((pattern) => [pattern.replaceAll('\\', '/'), pattern.replaceAll('/', '\\')]);
}

/**
 * Where a denied command can be in the text of another one; `@` is the command. In front of it is a blank (`env git`,
 * `xargs git`, `a && git` in quotes), a quote (`bash -c 'git …'`, `run(["git", …])`), a semicolon in quotes, or a folder
 * of programs. So `legit x` and `src/git` do not match.
 *
 * No form ends in ` @`, because `ls docker` and `python -m venv env` are harmless. None contains a parenthesis or a
 * backslash, because it is unknown how the CLI reads these in a token.
 */
const AROUND_NAME = [
  ...['@', '@ *', '* @ *', '*bin/@', '*bin/@ *', '*;@ *'],
  ...[`*'@ *`, `*"@ *`, `*'@'*`, `*"@"*`],
];
/** The same for a name with exactly these arguments, and for the beginning of a command. */
const AROUND_COMMAND = ['@', '* @', '*bin/@', '*;@', `*'@'*`, `*"@"*`];
const AROUND_BEGINNING = ['@', '* @', '*bin/@', '*;@', `*'@`, `*"@`];

function shellForms({ command, args = '*' }: Extract<PermissionToken, { kind: 'Shell' }>): string[] {
  const isName = /^\*+$/.test(args);
  // In a token a colon ends the name of the command, so `*` stands for any further one.
  const text = (isName ? command : `${command} ${args}`).trimEnd().replaceAll(':', '*');
  if (text.startsWith('*')) return isName ? [text, `${text} *`] : [text];
  const around = text.endsWith('*') ? AROUND_BEGINNING : isName ? AROUND_NAME : AROUND_COMMAND;
  return around
    .filter((form) => !command.includes('/') || !form.startsWith('*bin/'))
    .map((form) => form.replace('@', () => text));
}
