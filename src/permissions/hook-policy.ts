import type { CallPolicy } from './judge-call.js';
import { formatPermission, parsePermission, type PermissionToken } from './permission-token.js';

/** What our hook is told about the run, in a file beside it. */
export interface HookPolicy extends CallPolicy {
  /** The socket or named pipe that takes its reports. Without one it only answers. */
  reportTo?: string | undefined;
}

export function formatHookPolicy({ policy, ...rest }: HookPolicy): string {
  const rules = { allow: policy.allow.map(formatPermission), deny: policy.deny.map(formatPermission) };
  return `${JSON.stringify({ ...rest, policy: { ...policy, ...rules } }, undefined, 2)}\n`;
}

/** Undefined if the text is not a policy. By hand, because a schema library takes longer to load than the hook runs. */
export function parseHookPolicy(text: string): HookPolicy | undefined {
  try {
    const { policy, root, directory, own, reportTo } = JSON.parse(text) as HookPolicy;
    const tokens = [policy.allow, policy.deny].map((list) => list.map((rule) => parsed(rule)));
    const [allow, deny] = tokens;
    const isWhole =
      [root, directory, policy.preset, policy.mode].every(isText) &&
      typeof policy.force === 'boolean' &&
      [own, policy.mcpServers, policy.onlyAllowed].every((list) => Array.isArray(list) && list.every(isText));
    if (!isWhole || allow === undefined || deny === undefined) return undefined;
    return {
      root,
      directory,
      own,
      policy: { ...policy, allow, deny },
      ...(isText(reportTo) ? { reportTo } : {}),
    };
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function parsed(rule: unknown): PermissionToken {
  const result = parsePermission(String(rule));
  if ('problem' in result) throw new Error(result.problem);
  return result.permission;
}
