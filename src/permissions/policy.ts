import {
  covers,
  coversKind,
  formatPermission,
  isAbsolute,
  isSameToken,
  type PermissionToken,
  type PermissionKind,
} from './permission-token.js';
import { PRESETS, type Mode, type PresetName } from './presets.js';

/** What the agent may do in this run: the rules of the preset, plus those of the inputs. */
export interface Policy {
  preset: PresetName;
  mode: Mode;
  force: boolean;
  allow: PermissionToken[];
  deny: PermissionToken[];
  /**
   * Kinds of which only what `allow` names may be used: a token of `allow` replaced the preset's rule against the whole
   * kind. The CLI has no rule for "everything but this", so only our hook holds it, and for changes the check after
   * the run.
   */
  onlyAllowed: PermissionKind[];
  /** The configured MCP servers. If there are none, none is approved. */
  mcpServers: string[];
}

export interface PolicyRequest {
  preset: PresetName;
  mode?: Mode | undefined;
  allow: readonly PermissionToken[];
  deny: readonly PermissionToken[];
  mcpServers?: readonly string[] | undefined;
}

/**
 * Deny wins over allow in the CLI, so an `allow` token removes the rules of the preset's deny list that it lifts;
 * otherwise it would silently have no effect. If that was the rule against a whole kind, the rest of the kind stays
 * denied (`onlyAllowed`). A file that may be written may also be read, because an edit asks as Read first.
 *
 * MCP is different: `mcp-config` lifts the rule against all servers, and allows every tool of its servers unless `allow`
 * names some of them, or must name them, as with `custom`.
 */
export function buildPolicy(request: PolicyRequest): Policy {
  const preset = PRESETS[request.preset];
  const isNamed = (kind: PermissionKind) => request.allow.some((wanted) => wanted.kind === kind);
  const mcpServers = request.preset === 'custom' && !isNamed('Mcp') ? [] : [...(request.mcpServers ?? [])];
  const isLifted = (rule: PermissionToken) =>
    rule.kind === 'Mcp'
      ? mcpServers.length > 0 && coversKind(rule, 'Mcp')
      : request.allow.some((wanted) => lifts(wanted, rule)) || (coversKind(rule, 'Read') && isNamed('Write'));
  const isPartAllowed = (kind: PermissionKind) =>
    (isNamed(kind) || (kind === 'Read' && isNamed('Write'))) &&
    !request.allow.some((wanted) => coversKind(wanted, kind));
  const wholeKinds = preset.deny.filter((rule) => coversKind(rule, rule.kind)).map(({ kind }) => kind);
  const isServerNamed = (server: string) =>
    request.allow.some((wanted) => wanted.kind === 'Mcp' && wanted.server === server);
  const wholeServers = mcpServers
    .filter((server) => !isServerNamed(server))
    .map((server): PermissionToken => ({ kind: 'Mcp', server, tool: '*' }));
  return {
    preset: request.preset,
    mode: request.mode ?? preset.mode,
    force: preset.force === 'by-allow' ? isNamed('Write') || isNamed('Shell') : preset.force,
    allow: unique([...preset.allow, ...request.allow, ...wholeServers]),
    deny: unique([...preset.deny.filter((rule) => !isLifted(rule)), ...request.deny]),
    onlyAllowed: wholeKinds.filter((kind) => kind !== 'Mcp' && isPartAllowed(kind)),
    mcpServers,
  };
}

/** Whether allowing `wanted` removes a deny rule of the preset: the same rule, or the rule against its whole kind. */
export const lifts = (wanted: PermissionToken, rule: PermissionToken): boolean =>
  isSameToken(rule, wanted) || coversKind(rule, wanted.kind);

/** Whether something of a kind runs only if a rule allows it. */
export const needsRule = (
  { force, onlyAllowed = [] }: { force: boolean; onlyAllowed?: readonly string[] },
  kind: PermissionKind,
): boolean => !force || onlyAllowed.includes(kind);

/** The kinds of which a part is allowed and nothing but our hook holds the rest. Changes are also checked after the run. */
export const heldByHook = ({ onlyAllowed }: Pick<Policy, 'onlyAllowed'>): PermissionKind[] =>
  onlyAllowed.filter((kind) => kind !== 'Write');

/**
 * The policy where our hook does not run. Nothing else would deny the rest of these kinds, so each of them is
 * denied completely again, including what `allow` names.
 */
export function withoutHook(policy: Policy): Policy {
  const kinds = heldByHook(policy);
  const whole = PRESETS[policy.preset].deny.filter((rule) => kinds.some((kind) => coversKind(rule, kind)));
  return whole.length === 0 ? policy : { ...policy, deny: unique([...whole, ...policy.deny]) };
}

interface PolicyFacts {
  /** The folder with what was gathered for the agent to read. */
  readable: string | undefined;
  hasHook: boolean;
  /** The path without links. */
  realPath(path: string): string;
}

/** What holds in this run. It is computed once. Only our hook can make exceptions in a kind of calls. */
export function effectivePolicy(request: PolicyRequest & PolicyFacts): Policy {
  const { readable, hasHook, realPath } = request;
  const asked = withRealPaths(buildPolicy(request), realPath);
  const policy = readable === undefined ? asked : withReadable(asked, readable, request.deny);
  return hasHook ? policy : withoutHook(policy);
}

/** The same policy, with a folder outside of the workspace that may be read, unless the inputs deny to read anything. */
export function withReadable(
  policy: Policy,
  folder: string,
  denied: readonly PermissionToken[] = [],
): Policy {
  if (policy.allow.some((rule) => coversKind(rule, 'Read'))) return policy;
  const isWhole = (rule: PermissionToken) => coversKind(rule, 'Read');
  const isLifted = policy.deny.some(isWhole) && !denied.some(isWhole);
  // On Windows the CLI may write the path with either slash.
  const patterns = [folder, folder.replaceAll('\\', '/')].map((path) => `${path}/**`);
  const more = patterns.map((pattern): PermissionToken => ({ kind: 'Read', pattern }));
  const allow = unique([...policy.allow, ...more]);
  if (!isLifted) return { ...policy, allow };
  const deny = policy.deny.filter((rule) => !isWhole(rule));
  return { ...policy, allow, deny, onlyAllowed: [...policy.onlyAllowed, 'Read'] };
}

/**
 * The same policy, with each absolute path also in its real form: the CLI compares text, and the agent can name a
 * folder by a link (`/tmp` on macOS) or by where it leads.
 */
export function withRealPaths(policy: Policy, realPath: (path: string) => string): Policy {
  const both = (rules: readonly PermissionToken[]) =>
    unique(rules.flatMap((rule) => [rule, ...realForm(rule, realPath)]));
  return { ...policy, allow: both(policy.allow), deny: both(policy.deny) };
}

function realForm(rule: PermissionToken, realPath: (path: string) => string): PermissionToken[] {
  if (rule.kind !== 'Read' && rule.kind !== 'Write') return [];
  const { kind, pattern } = rule;
  if (!isAbsolute(pattern)) return [];
  // The part before the first name with a `*`.
  const [place = ''] = pattern.includes('*') ? (/^[^*]*(?=[\\/])/.exec(pattern) ?? []) : [pattern];
  return place === '' ? [] : [{ kind, pattern: realPath(place) + pattern.slice(place.length) }];
}

/**
 * Whether the agent may write to its layer of the checkout, by an edit or a command. Which changes are allowed is
 * checked after the run.
 */
export const mayWrite = ({ preset, allow }: Policy): boolean =>
  allow.some(({ kind }) => kind === 'Write' || (kind === 'Shell' && preset !== 'review'));

/** Whether the agent may run any command. */
export const mayRunCommands = ({ mode, force, allow, deny }: Policy): boolean =>
  mode === 'agent' &&
  !deny.some((rule) => coversKind(rule, 'Shell')) &&
  (force || allow.some((rule) => rule.kind === 'Shell'));

/** Whether the rules allow everything of a kind, and do not deny everything of it. */
export const allowsKind = (
  { allow, deny }: Readonly<Record<'allow' | 'deny', readonly PermissionToken[]>>,
  kind: PermissionKind,
): boolean => allow.some((rule) => coversKind(rule, kind)) && !deny.some((rule) => coversKind(rule, kind));

/**
 * A token of `allow` that has no effect, and why:
 * - `denied`: a deny rule wins over it. The inputs or the preset have that rule.
 * - `mode`: outside of the mode `agent`, the CLI runs no command and writes no file.
 * - `review`: this preset allows no change of the checkout.
 */
export type UselessAllow = { wanted: string } & (
  | { why: 'denied'; because: string; by: 'input' | 'preset' }
  | { why: 'mode'; because: Mode }
  | { why: 'review' }
);

export function findUselessAllows(request: PolicyRequest): UselessAllow[] {
  const { deny, mode, preset } = buildPolicy(request);
  return request.allow.flatMap((token): UselessAllow[] => {
    const wanted = formatPermission(token);
    const rule = deny.find((candidate) => covers(candidate, token));
    if (rule) {
      const by = request.deny.some((own) => isSameToken(own, rule)) ? 'input' : 'preset';
      return [{ wanted, why: 'denied', because: formatPermission(rule), by }];
    }
    if (preset === 'review' && token.kind === 'Write' && !isAbsolute(token.pattern))
      return [{ wanted, why: 'review' }];
    const needsAgent = token.kind === 'Shell' || token.kind === 'Write';
    return needsAgent && mode !== 'agent' ? [{ wanted, why: 'mode', because: mode }] : [];
  });
}

function unique(rules: readonly PermissionToken[]): PermissionToken[] {
  const seen = new Map(rules.map((rule) => [formatPermission(rule), rule]));
  return [...seen.values()];
}
