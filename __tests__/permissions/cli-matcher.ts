/**
 * How Cursor's CLI applies the rules of `cli.json`, as others have recorded it (builds 2026.08.25 to 2026.10.01). Nothing
 * here comes from the code under test:
 *
 * - `*` and `**` stand for any text, slashes included. Every other character stands for itself.
 * - A path is compared as an absolute path, with the text of the pattern. So a relative pattern matches nothing.
 * - A shell line is split into its commands, in `( … )`, `$( … )` and loops too, but not inside of quotes. Blanks
 *   between words count as one. A rule is compared with the whole text of each command.
 * - A name alone (`Shell(git)`) also matches that command with any arguments, and `Shell(git:push*)` with these.
 */
export interface Call {
  kind: 'Shell' | 'Read' | 'Write';
  /** The shell line, or the absolute path. */
  target: string;
}

/** Whether one of the rules matches the call: for deny, one of its commands; for allow, all of them. */
export function matchesAny(rules: readonly string[], { kind, target }: Call): boolean {
  return unitsOf(kind, target).some((unit) => rules.some((rule) => matchesRule(rule, kind, unit)));
}
export function matchesAll(rules: readonly string[], { kind, target }: Call): boolean {
  return unitsOf(kind, target).every((unit) => rules.some((rule) => matchesRule(rule, kind, unit)));
}

const unitsOf = (kind: Call['kind'], target: string): string[] =>
  kind === 'Shell' ? commandsOf(target) : [target];

function matchesRule(rule: string, kind: Call['kind'], text: string): boolean {
  const [, ruleKind, inside = ''] = /^(\w+)\((.*)\)$/s.exec(rule) ?? [];
  if (ruleKind !== kind) return false;
  if (glob(inside).test(text)) return true;
  if (kind !== 'Shell') return false;
  const [name = '', ...args] = text.replace(/^(?:[A-Za-z_]\w*=\S* )+/, '').split(' ');
  const [ruleName = '', ...ruleArgs] = inside.split(':');
  if (ruleArgs.length === 0) return name === inside;
  return glob(ruleName).test(name) && glob(ruleArgs.join(':')).test(args.join(' '));
}

const glob = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split(/\*+/)
      .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );

const KEYWORDS = /^(?:(?:do|then|else|elif|if|while|until|time|!|\{) +)+/;
const NO_COMMAND = /^(?:for .*|done|fi|esac|\}|)$/s;

/** The text of every command in a line. */
export function commandsOf(line: string): string[] {
  const commands: string[] = [];
  let text = '';
  const end = () => {
    const command = text.trim().replace(KEYWORDS, '');
    if (!NO_COMMAND.test(command)) commands.push(command);
    text = '';
  };
  for (let at = 0; at < line.length;) {
    const piece = /^(?:'[^']*'|"(?:[^"\\]|\\.)*"|\$\([^()]*\)|`[^`]*`|\\.|[ \t]+|[;&|()\n]|.)/s.exec(
      line.slice(at),
    )?.[0] as string;
    at += piece.length;
    if (/^[;&|()\n]$/.test(piece)) end();
    else text += /^[ \t]+$/.test(piece) ? ' ' : piece;
    if (!piece.startsWith("'")) {
      for (const [, first, second] of piece.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g))
        commands.push(...commandsOf(first ?? second ?? ''));
    }
  }
  end();
  return commands;
}
