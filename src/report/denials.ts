import type { Denial, RunReport, ToolCall } from './model.js';
import { toolLabel } from './run-report.js';

/** Further denials are not listed, because nobody would read them. */
const MOST_DENIALS = 1000;

/** What was refused, with repeats counted, in the order of the first requests. */
export function findDenials(report: RunReport, rules?: Rules): Denial[] {
  const found = new Map<string, Denial & { call?: ToolCall }>();
  const add = (denial: Omit<Denial, 'count' | 'allow'>, call?: ToolCall) => {
    const key = JSON.stringify([denial.tool, denial.what, denial.why]);
    const known = found.get(key);
    if (known) known.count += 1;
    else if (found.size < MOST_DENIALS) {
      found.set(key, { ...denial, count: 1, allow: [], ...(call ? { call } : {}) });
    }
  };
  for (const call of report.tools) {
    if (call.state === 'denied') add({ tool: toolLabel(call), what: call.target, why: call.message }, call);
  }
  for (const { what, reason } of report.refusals) add({ tool: 'asked', what, why: reason });
  return [...found.values()].map(({ call, ...denial }) => ({
    ...denial,
    allow: call ? allowTokens(call, rules) : [],
  }));
}

/** The part of a policy that decides what a token would allow. */
export interface Rules {
  force: boolean;
  allow: readonly string[];
  deny: readonly string[];
}

const MOST_TOKENS = 5;

/**
 * The permission tokens that would have allowed a denied call, if they had been in `allow`; none if no token would.
 * By the rules of the run, if they are known: deny wins over allow, a token lifts a deny rule of the preset by naming
 * it, and without force it also lifts the rule that denies its whole kind.
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

/** One token for each thing that the call needs, as narrow as possible. */
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

/** Words that can precede a command. */
const BEFORE_COMMANDS = /^(?:(?:then|do|else|elif|if|while|until|time|!|\{)\s+|[A-Za-z_]\w*=\S*\s+)+/;

/** The first word of every command in a shell line, because the CLI tests those. */
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

/** Whether a rule covers what a token names. `*` stands for anything, as in the CLI's own matching. */
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
