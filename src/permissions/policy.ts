import { formatPermission, type Permission } from './permission-token.js';
import { PRESETS, type Mode, type PresetName } from './presets.js';
import { wildcard } from './wildcard.js';

/** What the agent may do in this run: the preset's rules with the inputs' added. */
export interface Policy {
  preset: PresetName;
  mode: Mode;
  force: boolean;
  allow: Permission[];
  deny: Permission[];
  /** The MCP servers that were configured; without any, none is approved. */
  mcpServers: string[];
}

export interface PolicyRequest {
  preset: PresetName;
  mode?: Mode | undefined;
  force?: boolean | undefined;
  allow: readonly Permission[];
  deny: readonly Permission[];
  mcpServers?: readonly string[] | undefined;
}

/**
 * Deny wins over allow in the CLI. So that `allow` is never silently without effect, it lifts a rule of the
 * preset's deny list in two cases: when it names that very rule, and, where the CLI runs only what is allowed
 * (no --force), when the rule denies the whole kind. MCP is another matter: there it is `mcp-config` that lifts
 * the rule, for the servers it names, and only where `allow` does not already say which of their tools.
 */
export function buildPolicy(request: PolicyRequest): Policy {
  const preset = PRESETS[request.preset];
  const force = request.force ?? preset.force;
  const mcpServers = [...(request.mcpServers ?? [])];
  const lifted = (rule: Permission) =>
    rule.kind === 'Mcp'
      ? mcpServers.length > 0 && isWholeKind(rule)
      : request.allow.some(
          (wanted) => isSame(rule, wanted) || (!force && rule.kind === wanted.kind && isWholeKind(rule)),
        );
  const isNarrowed = (server: string) =>
    request.allow.some((wanted) => wanted.kind === 'Mcp' && wanted.server === server);
  const servers = mcpServers
    .filter((server) => !isNarrowed(server))
    .map((server): Permission => ({ kind: 'Mcp', server, tool: '*' }));
  return {
    preset: request.preset,
    mode: request.mode ?? preset.mode,
    force,
    allow: unique([...preset.allow, ...request.allow, ...servers]),
    deny: unique([...preset.deny.filter((rule) => !lifted(rule)), ...request.deny]),
    mcpServers,
  };
}

/** The same policy with a folder outside of the workspace that may be read, in each way its path can be written. */
export function withReadable(policy: Policy, folder: string): Policy {
  if (policy.allow.some((rule) => rule.kind === 'Read' && isWholeKind(rule))) return policy;
  const patterns = [folder, folder.replaceAll('\\', '/')].map((path) => `${path}/**`);
  const more = patterns.map((pattern): Permission => ({ kind: 'Read', pattern }));
  return { ...policy, allow: unique([...policy.allow, ...more]) };
}

/** Whether the agent may write to the checkout at all; what exactly is judged afterwards. */
export const mayWrite = ({ preset, allow }: Policy): boolean =>
  preset !== 'review' || allow.some((rule) => rule.kind === 'Write');

/** The tokens of `allow` that a deny rule makes useless, each with that rule. */
export function findUselessAllows(request: PolicyRequest): { wanted: string; because: string }[] {
  const policy = buildPolicy(request);
  return request.allow.flatMap((wanted) => {
    const rule = policy.deny.find((candidate) => covers(candidate, wanted));
    return rule ? [{ wanted: formatPermission(wanted), because: formatPermission(rule) }] : [];
  });
}

/**
 * The policy as the CLI reads it. Its documents say path patterns are relative to the workspace, its code
 * matches them against absolute paths: every pattern is written in each form either may want.
 */
export function permissionLists(policy: Policy, workspace: string): { allow: string[]; deny: string[] } {
  const write = (rules: readonly Permission[]) => [
    ...new Set(rules.flatMap((rule) => everyForm(rule, workspace)).map(formatPermission)),
  ];
  return { allow: write(policy.allow), deny: write(policy.deny) };
}

function everyForm(rule: Permission, workspace: string): Permission[] {
  if (rule.kind !== 'Read' && rule.kind !== 'Write') return [rule];
  const root = workspace.replaceAll('\\', '/').replace(/\/+$/, '');
  return pathForms(rule.pattern, root).map((pattern) => ({ kind: rule.kind, pattern }));
}

function pathForms(pattern: string, root: string): string[] {
  const isAbsolute = pattern.startsWith('/') || /^[A-Za-z]:[\\/]/.test(pattern);
  if (isAbsolute || isEverything(pattern)) return [pattern];
  const relative = pattern.replace(/^(\.\/)+/, '').replace(/^(\*\*\/)+/, '');
  const anywhere = `**/${relative}`;
  return [
    relative,
    anywhere,
    `${root}/${relative}`,
    ...(pattern.startsWith('**/') ? [`${root}/${anywhere}`] : []),
  ];
}

const isEverything = (pattern: string): boolean => /^\*+(\/\*+)*$/.test(pattern);

function isWholeKind(rule: Permission): boolean {
  switch (rule.kind) {
    case 'Shell':
      return rule.command === '*' && rule.args === undefined;
    case 'Read':
    case 'Write':
      return isEverything(rule.pattern);
    case 'WebFetch':
      return rule.domain === '*';
    case 'Mcp':
      return rule.server === '*' && rule.tool === '*';
  }
}

/** Whether everything `wanted` could allow is denied by `rule`, as far as the two patterns tell. */
function covers(rule: Permission, wanted: Permission): boolean {
  if (rule.kind !== wanted.kind) return false;
  if (isWholeKind(rule) || isSame(rule, wanted)) return true;
  switch (rule.kind) {
    case 'Shell':
      return wanted.kind === 'Shell' && rule.args === undefined && matches(rule.command, wanted.command);
    case 'Read':
    case 'Write':
      return (
        'pattern' in wanted &&
        [wanted.pattern, `/${wanted.pattern}`].some((path) => matches(rule.pattern, path))
      );
    case 'WebFetch':
      return wanted.kind === 'WebFetch' && matches(rule.domain, wanted.domain);
    case 'Mcp':
      return wanted.kind === 'Mcp' && matches(rule.server, wanted.server) && matches(rule.tool, wanted.tool);
  }
}

const matches = (pattern: string, text: string): boolean => wildcard(pattern)(text);

const isSame = (a: Permission, b: Permission): boolean => formatPermission(a) === formatPermission(b);

function unique(rules: readonly Permission[]): Permission[] {
  const seen = new Map(rules.map((rule) => [formatPermission(rule), rule]));
  return [...seen.values()];
}
