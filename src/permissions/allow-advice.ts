import {
  covers,
  coversKind,
  formatPermission,
  isAbsolute,
  isSameToken,
  parsePermission,
  type PermissionToken,
  type PermissionKind,
} from './permission-token.js';
import { deniesText } from './cli-rules.js';
import { isForeignHook, readHookMessages } from './hook-messages.js';
import { lifts, needsRule } from './policy.js';
import { PRESETS, STAYS_DENIED, type PresetName } from './presets.js';
import { isShell, programOf, readShellLine } from './shell-commands.js';

/** The rules of a run, as the report has them. */
export interface Rules {
  preset?: string;
  force: boolean;
  allow: readonly string[];
  deny: readonly string[];
  onlyAllowed?: readonly string[];
}

/** A tool call that was denied: the kind of tool, and the command, path, address or tool it was about. */
interface DeniedCall {
  kind: string;
  target: string;
  message?: string;
  /** Whether a hook denied it. */
  byHook?: boolean;
}

/** What to do about a denied call. */
interface Advice {
  /** The tokens that would have let it through if `allow` had contained them. Empty if there is nothing to allow. */
  tokens: string[];
  /** Why nothing of it should be allowed, and what to do instead; empty if the tokens say it all. */
  instead: string;
}

const MAX_TOKENS = 5;

/**
 * How to let a denied call through. No token is named if none would help, as for a foreign hook, or if one of
 * those that it needs should not be allowed. Without the rules of the run, it is one token for each thing the call
 * needs.
 */
export function adviseOn(call: DeniedCall, rules?: Rules): Advice {
  const hooks = call.byHook ? readHookMessages(call.message ?? '') : undefined;
  const denial = hooks?.own;
  // A foreign hook does not read our tokens, and some calls are denied regardless of tokens.
  if (denial?.by === 'action' || (hooks && isForeignHook(hooks))) return { tokens: [], instead: '' };
  const wanted = neededBy(call).flatMap(parsed);
  const tokens =
    rules && wanted.length > 0 ? [...missingTokens(wanted, rules), ...deniedByText(call, rules)] : wanted;
  // Our hook looks deeper into a command than the names here, so the rule that it names may be lifted by none of them.
  // A rule that is missing must be covered, and not only lifted.
  const settles = denial?.by === 'no-rule' ? covers : lifts;
  const named = (denial ? [denial.token] : []).filter(
    (token) => !tokens.some((known) => settles(known, token)),
  );
  const all = [...tokens, ...named];
  const reasons = all.map((token) => whyNot(token, rules)).filter((why) => why !== undefined);
  // `bash -c 'git push'` was denied for git.
  const instead = reasons.find((why) => why !== ANY_COMMAND) ?? reasons[0];
  if (instead !== undefined) return { tokens: [], instead };
  return { tokens: [...new Set(all.map(formatPermission))].slice(0, MAX_TOKENS), instead: '' };
}

/** Why the advice must not be to allow this, and what to do instead. */
function whyNot(token: PermissionToken, rules: Rules | undefined): string | undefined {
  if (coversKind(token, token.kind)) return EVERYTHING[token.kind];
  const own = rules && deniedByInputs(token, rules);
  if (own) return `The workflow itself denies it: ${formatPermission(own)} in deny.`;
  switch (token.kind) {
    case 'Shell': {
      const program = programOf(token.command);
      if (isShell(program)) return ANY_COMMAND;
      return COMMANDS.find(({ names }) => names.includes(program))?.instead;
    }
    case 'Write':
      if (rules?.preset === 'review' && !isAbsolute(token.pattern))
        return 'The preset review allows no change. Use preset docs, edit, fix-ci or custom.';
      return staysDenied(token)
        ? 'Agents or tools follow this file, so a person should change it.'
        : undefined;
    case 'Read':
      return staysDenied(token)
        ? 'It can contain credentials. Write what the task needs to another file, in a step before.'
        : undefined;
    case 'WebFetch':
    case 'Mcp':
      return undefined;
  }
}

const ANY_COMMAND = 'A shell runs any command. Ask in the prompt for the command itself.';

/** For a call that only a rule for everything would let through. */
const EVERYTHING: Readonly<Record<PermissionKind, string>> = {
  Shell:
    'Which commands it runs cannot be told. Ask in the prompt for plain commands, without scripts in them.',
  Read: 'It would read every file. Ask in the prompt for single files or folders.',
  Write: 'It could write every file. Ask in the prompt for single files.',
  WebFetch:
    'It can reach every site. Ask in the prompt for single pages, or gather what it needs in a step before.',
  Mcp: 'Which MCP server it asks cannot be told. Name the servers in mcp-config.',
};

const staysDenied = (token: PermissionToken): boolean => STAYS_DENIED.some((rule) => covers(rule, token));

/** The commands that every preset denies. */
const COMMANDS: readonly { names: readonly string[]; instead: string }[] = [
  {
    names: ['git', 'gh'],
    instead: 'git and gh stay denied. Let a later step commit or publish, such as propose or publish.',
  },
  {
    names: ['sudo', 'su', 'docker', 'ssh'],
    instead: 'It would get around the isolation. Do this in a step before the agent.',
  },
  {
    names: ['curl', 'wget', 'nc'],
    instead: 'It can send anything anywhere. Download what the task needs in a step before the agent.',
  },
  {
    names: ['env', 'printenv'],
    instead: 'It prints the agent’s credential. Write what the task needs to a file, in a step before.',
  },
];

/** The rule of the input `deny` that covers this. No token of `allow` lifts it. */
function deniedByInputs(token: PermissionToken, { preset, deny }: Rules): PermissionToken | undefined {
  if (preset === undefined || !Object.hasOwn(PRESETS, preset)) return undefined;
  const known = PRESETS[preset as PresetName].deny;
  return deny
    .flatMap(parsed)
    .find((rule) => covers(rule, token) && !known.some((one) => isSameToken(one, rule)));
}

/** The rules for one command that also match inside of another, such as `bash -c 'git push'`. */
function deniedByText({ kind, target }: DeniedCall, rules: Rules): PermissionToken[] {
  if (kind !== 'shell') return [];
  return rules.deny.flatMap(parsed).filter((rule) => !coversKind(rule, 'Shell') && deniesText(rule, target));
}

function missingTokens(wanted: readonly PermissionToken[], rules: Rules): PermissionToken[] {
  const [allow, deny] = [rules.allow.flatMap(parsed), rules.deny.flatMap(parsed)];
  return wanted.flatMap((token) => {
    const against = deny.filter((rule) => covers(rule, token));
    const isRuleNeeded = needsRule(rules, token.kind);
    if (against.length === 0 && (!isRuleNeeded || allow.some((rule) => covers(rule, token)))) return [];
    const toLift = against.filter((rule) => !lifts(token, rule));
    // Where everything runs that is not denied, the token is needed only for the rules that it lifts.
    const isNeeded = isRuleNeeded || toLift.length < against.length;
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
