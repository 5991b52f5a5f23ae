import {
  covers,
  coversKind,
  formatPermission,
  isSame,
  parsePermission,
  type PermissionToken,
  type PermissionKind,
} from './permission-token.js';
import { deniesText } from './cli-rules.js';
import { parseHookDenial } from './hook-denial.js';
import { lifts } from './policy.js';
import { readShellLine } from './shell-commands.js';

/** The rules of a run, as the report has them. */
export interface Rules {
  force: boolean;
  allow: readonly string[];
  deny: readonly string[];
}

/** A tool call that was denied: the kind of tool, and the command, path, address or tool it was about. */
export interface DeniedCall {
  kind: string;
  target: string;
  message?: string;
  /** Whether a hook denied it. */
  byHook?: boolean;
}

const MOST_TOKENS = 5;

/**
 * The permission tokens that would have let a denied call through if `allow` had contained them. Empty if no token
 * would have, as for the hook of somebody else, which knows nothing of our tokens. Without the rules of the run, it is
 * one token for each thing the call needs.
 */
export function allowTokens(call: DeniedCall, rules?: Rules): string[] {
  const denial = call.byHook ? parseHookDenial(call.message ?? '') : undefined;
  // Somebody else's hook knows nothing of our tokens, and some things are denied whatever the tokens say.
  if (denial?.by === 'action' || (call.byHook && !denial)) return [];
  const wanted = neededBy(call).flatMap(parsed);
  const tokens =
    rules && wanted.length > 0 ? [...missingTokens(wanted, rules), ...deniedByText(call, rules)] : wanted;
  // Our hook looks deeper into a command than the names here, so the rule that it names may be lifted by none of them.
  const named = (denial ? [denial.token] : []).filter(
    (token) => !tokens.some((known) => lifts(known, token, rules?.force ?? true)),
  );
  return [...new Set([...tokens, ...named].map(formatPermission))].slice(0, MOST_TOKENS);
}

/** The rules for one command that also match inside of another, such as `bash -c 'git push'`. */
function deniedByText({ kind, target }: DeniedCall, rules: Rules): PermissionToken[] {
  if (kind !== 'shell') return [];
  return rules.deny.flatMap(parsed).filter((rule) => !coversKind(rule, 'Shell') && deniesText(rule, target));
}

function missingTokens(wanted: readonly PermissionToken[], rules: Rules): PermissionToken[] {
  const { force } = rules;
  const [allow, deny] = [rules.allow.flatMap(parsed), rules.deny.flatMap(parsed)];
  return wanted.flatMap((token) => {
    const against = deny.filter((rule) => covers(rule, token));
    if (against.length === 0 && (force || allow.some((rule) => covers(rule, token)))) return [];
    const toLift = against.filter((rule) => !lifts(token, rule, force));
    // With force everything runs that is not denied, so the token is needed only to lift its own rule.
    const isNeeded = !force || against.some((rule) => isSame(rule, token));
    return isNeeded ? [...toLift, token] : toLift;
  });
}

const parsed = (token: string): PermissionToken[] => {
  const result = parsePermission(token);
  return 'permission' in result ? [result.permission] : [];
};

/** One token for each thing the call needs, as narrow as possible. Some are malformed, and are dropped later. */
function neededBy({ kind, target }: DeniedCall): string[] {
  switch (kind) {
    case 'shell':
      return commandNames(target).map((name) => `Shell(${name})`);
    case 'read':
      return pathToken('Read', target);
    case 'edit':
    case 'delete':
      return pathToken('Write', target);
    case 'web':
      return URL.canParse(target) ? [`WebFetch(${new URL(target).hostname})`] : [];
    case 'mcp': {
      const names = target.split(':');
      if (!names.every((name) => /^[\w.*/@-]+( [\w.*/@-]+)*$/.test(name))) return [];
      return [names.length === 1 ? `Mcp(*:${target})` : `Mcp(${target})`];
    }
    default:
      return [];
  }
}

function pathToken(kind: PermissionKind, path: string): string[] {
  const isPlain = /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(path) && path.trim() === path;
  return isPlain ? [`${kind}(${path})`] : [];
}

/** The commands of a shell line whose names can be written as a token. */
function commandNames(line: string): string[] {
  const names = readShellLine(line).commands.map(({ name }) => name);
  return [...new Set(names)].filter((name) => /^[\w./+@~-]+$/.test(name));
}
