import type { ToolCall } from './model.js';

/** The part of a policy that decides what a token would change. */
export interface Rules {
  force: boolean;
  allow: readonly string[];
  deny: readonly string[];
}

const MOST_TOKENS = 5;

/**
 * The permission tokens that, added to `allow`, would have let a denied call through; none where no token would.
 * By the rules of the run where they are known: deny wins over allow, a token lifts a preset's deny rule by
 * naming it, and without force it also lifts the rule that denies its whole kind.
 */
export function allowTokens(call: Pick<ToolCall, 'kind' | 'target'>, rules?: Rules): string[] {
  const wanted = wantedTokens(call);
  const tokens = rules ? wanted.flatMap((token) => missingTokens(token, rules)) : wanted;
  return [...new Set(tokens)].slice(0, MOST_TOKENS);
}

function missingTokens(wanted: string, { force, allow, deny }: Rules): string[] {
  const against = deny.filter((rule) => covers(rule, wanted));
  if (against.length === 0 && (force || allow.some((rule) => covers(rule, wanted)))) return [];
  const toName = against.filter((rule) => rule !== wanted && (force || !isWholeKind(rule)));
  return force && !against.includes(wanted) ? toName : [...toName, wanted];
}

/** One token for everything the call needs, each as narrow as it can be. */
function wantedTokens({ kind, target }: Pick<ToolCall, 'kind' | 'target'>): string[] {
  switch (kind) {
    case 'shell':
      return commandNames(target).map((name) => `Shell(${name})`);
    case 'read':
      return pathToken('Read', target);
    case 'edit':
    case 'delete':
      return pathToken('Write', target);
    case 'web': {
      const host = URL.canParse(target) ? new URL(target).hostname : '';
      return /^[\w-]+(\.[\w-]+)*$/.test(host) ? [`WebFetch(${host})`] : [];
    }
    case 'mcp': {
      const [server = '', tool, ...rest] = target.split(':');
      const isPlain =
        [server, tool ?? 'x'].every((name) => /^[\w.*/@-]+( [\w.*/@-]+)*$/.test(name)) && rest.length === 0;
      if (!isPlain) return [];
      return [tool === undefined ? `Mcp(*:${server})` : `Mcp(${server}:${tool})`];
    }
    default:
      return [];
  }
}

function pathToken(kind: 'Read' | 'Write', path: string): string[] {
  const isPlain = /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(path) && path.trim() === path;
  return isPlain && !/(^|[\\/])\.\.([\\/]|$)/.test(path) ? [`${kind}(${path})`] : [];
}

/** Words that stand before a command without being one. */
const BEFORE_COMMANDS = /^(?:(?:then|do|else|elif|if|while|until|time|!|\{)\s+|[A-Za-z_]\w*=\S*\s+)+/;

/** The first word of every command in a shell line, as the CLI tests them. */
function commandNames(line: string): string[] {
  const names = line
    .replace(/'[^']*'|"(?:[^"\\]|\\.)*"/g, (quoted) => quoted.slice(1, -1).replace(/[\s;&|()`$<>]/g, '_'))
    .replace(/\d*&?(?:>>|[<>])&?\s*[^\s;&|]+/g, ' ')
    .split(/&&|\|\||\$\(|[;&|\n()`]/)
    .map((command) => /^\S+/.exec(command.trim().replace(BEFORE_COMMANDS, ''))?.[0] ?? '')
    .filter((name) => /^[\w./+@~-]+$/.test(name));
  return [...new Set(names)];
}

const parts = (token: string): { kind: string; inside: string } => {
  const [, kind = '', inside = ''] = /^(\w+)\((.*)\)$/s.exec(token) ?? [];
  return { kind, inside };
};

const isWholeKind = (rule: string): boolean => /^[*/:]+$/.test(parts(rule).inside);

/** Whether a rule speaks of what a token names; `*` stands for anything, as in the CLI's own matching. */
function covers(rule: string, token: string): boolean {
  const [pattern, named] = [parts(rule), parts(token)];
  if (pattern.kind !== named.kind) return false;
  const isPath = named.kind === 'Read' || named.kind === 'Write';
  const names = isPath ? [named.inside, `/${named.inside}`] : [named.inside];
  const shape = pattern.inside
    .split(/\*+/)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return names.some((name) => new RegExp(`^${shape}$`, 's').test(name));
}
