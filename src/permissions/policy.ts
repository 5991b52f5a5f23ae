import {
  covers,
  coversKind,
  formatPermission,
  isAbsolute,
  isSame,
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
  /** The configured MCP servers. If there are none, none is approved. */
  mcpServers: string[];
}

export interface PolicyRequest {
  preset: PresetName;
  mode?: Mode | undefined;
  force?: boolean | undefined;
  allow: readonly PermissionToken[];
  deny: readonly PermissionToken[];
  mcpServers?: readonly string[] | undefined;
}

/**
 * Deny wins over allow in the CLI, so an `allow` token removes the rules of the preset's deny list that it lifts;
 * otherwise it would silently have no effect. MCP is different: `mcp-config` lifts the rule against all servers,
 * and allows every tool of its servers unless `allow` names some of them.
 */
export function buildPolicy(request: PolicyRequest): Policy {
  const preset = PRESETS[request.preset];
  const force = request.force ?? preset.force;
  const mcpServers = [...(request.mcpServers ?? [])];
  const isLifted = (rule: PermissionToken) =>
    rule.kind === 'Mcp'
      ? mcpServers.length > 0 && coversKind(rule, 'Mcp')
      : request.allow.some((wanted) => lifts(wanted, rule, force));
  const isNarrowed = (server: string) =>
    request.allow.some((wanted) => wanted.kind === 'Mcp' && wanted.server === server);
  const servers = mcpServers
    .filter((server) => !isNarrowed(server))
    .map((server): PermissionToken => ({ kind: 'Mcp', server, tool: '*' }));
  return {
    preset: request.preset,
    mode: request.mode ?? preset.mode,
    force,
    allow: unique([...preset.allow, ...request.allow, ...servers]),
    deny: unique([...preset.deny.filter((rule) => !isLifted(rule)), ...request.deny]),
    mcpServers,
  };
}

/**
 * Whether allowing `wanted` removes a deny rule of the preset. It does if it names the same rule. Without --force
 * the CLI is meant to run only what is allowed, so there it also removes the rule against the whole kind.
 */
export const lifts = (wanted: PermissionToken, rule: PermissionToken, force: boolean): boolean =>
  isSame(rule, wanted) || (!force && coversKind(rule, wanted.kind));

/** The same policy, with a folder outside of the workspace that may be read. */
export function withReadable(policy: Policy, folder: string): Policy {
  if (policy.allow.some((rule) => coversKind(rule, 'Read'))) return policy;
  // On Windows the CLI may write the path with either slash.
  const patterns = [folder, folder.replaceAll('\\', '/')].map((path) => `${path}/**`);
  const more = patterns.map((pattern): PermissionToken => ({ kind: 'Read', pattern }));
  return { ...policy, allow: unique([...policy.allow, ...more]) };
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

/** Whether the agent may write to the checkout at all. Which files it may write is checked after the run. */
export const mayWrite = ({ preset, allow }: Policy): boolean =>
  preset !== 'review' || allow.some((rule) => rule.kind === 'Write');

/** Whether the rules allow everything of a kind, and do not deny everything of it. */
export const allowsKind = (
  { allow, deny }: Readonly<Record<'allow' | 'deny', readonly PermissionToken[]>>,
  kind: PermissionKind,
): boolean => allow.some((rule) => coversKind(rule, kind)) && !deny.some((rule) => coversKind(rule, kind));

/** The tokens of `allow` that have no effect, each with the deny rule that wins over it. */
export function findUselessAllows(request: PolicyRequest): { wanted: string; because: string }[] {
  const policy = buildPolicy(request);
  return request.allow.flatMap((wanted) => {
    const rule = policy.deny.find((candidate) => covers(candidate, wanted));
    return rule ? [{ wanted: formatPermission(wanted), because: formatPermission(rule) }] : [];
  });
}

function unique(rules: readonly PermissionToken[]): PermissionToken[] {
  const seen = new Map(rules.map((rule) => [formatPermission(rule), rule]));
  return [...seen.values()];
}
