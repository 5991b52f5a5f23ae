import { adviseOn, type Rules } from '../permissions/allow-advice.js';
import { permissionFor } from '../permissions/judge-call.js';
import { isForeignHook, readHookMessages, type HookDenial } from '../permissions/hook-messages.js';
import {
  coversKind,
  formatPermission,
  parsePermission,
  type PermissionKind,
} from '../permissions/permission-token.js';
import type { Denial, RunReport, ToolCall } from './model.js';
import { toolLabel } from './run-report.js';

/** Further denials are not listed. */
const MAX_DENIALS = 1000;

/** What was refused, with repeats counted, in the order of the first requests. */
export function findDenials(report: RunReport, rules?: Rules): Denial[] {
  const denials = new Map<string, Denial & { call?: ToolCall }>();
  const add = (denial: Omit<Denial, 'count' | 'allow'>, call?: ToolCall) => {
    const key = JSON.stringify([denial.tool, denial.what, denial.why]);
    const earlier = denials.get(key);
    if (earlier) earlier.count += 1;
    else if (denials.size < MAX_DENIALS) {
      denials.set(key, { ...denial, count: 1, allow: [], ...(call ? { call } : {}) });
    }
  };
  for (const call of report.tools) {
    if (call.state !== 'denied') continue;
    const isForeign = call.byHook === true && isForeignHook(readHookMessages(call.message));
    const foreign = isForeign ? { byForeignHook: true as const } : {};
    add({ tool: toolLabel(call), what: call.target, why: denialReason(call), ...foreign }, call);
  }
  for (const { what, reason } of report.refusals) add({ tool: 'asked', what, why: reason });
  return [...denials.values()].map(({ call, ...denial }) => {
    const { tokens, instead } = call ? adviseOn(call, rules) : { tokens: [], instead: '' };
    return { ...denial, allow: tokens, ...(instead === '' ? {} : { instead }) };
  });
}

/** Why a call was denied. Our own hook names its rule, and the hooks of others are named as such. */
export function denialReason(call: ToolCall): string {
  if (!call.byHook) return call.message;
  const { own, others } = readHookMessages(call.message);
  const theirs = others.join('; ');
  if (own === undefined) return `by a hook that is not this action’s: ${theirs}`;
  return ownReason(own) + (theirs === '' ? '' : `; a hook that is not this action’s says: ${theirs}`);
}

function ownReason(denial: HookDenial): string {
  switch (denial.by) {
    case 'rule':
      return `denied by ${formatPermission(denial.token)}`;
    case 'no-rule':
      return `not allowed without ${formatPermission(denial.token)}`;
    case 'action':
      return denial.why;
  }
}

/** The kind of rule that a kind of call needs. */
const RULED: Partial<Record<ToolCall['kind'], PermissionKind>> = {
  shell: 'Shell',
  read: 'Read',
  edit: 'Write',
  delete: 'Write',
  web: 'WebFetch',
  mcp: 'Mcp',
};
/** A search in the content of files is a read. Others look only at names and ask for no permission. */
const SEARCHES_CONTENT = /grep|sem(?:antic)?_?search|codebase/i;
function ruleKindOf({ kind, name }: ToolCall): PermissionKind | undefined {
  // What the stream only shows by its name can be a tool that the hook knows, such as one that makes images.
  if (kind === 'other') return permissionFor(name);
  return kind === 'search' && SEARCHES_CONTENT.test(name) ? 'Read' : RULED[kind];
}

/**
 * Calls that ran although everything of their kind is denied, one sentence for each. Some tools of the CLI ask neither
 * its rules nor hooks.
 */
export function findUnasked({ tools }: RunReport, deny: readonly string[]): string[] {
  const rules = deny.flatMap((text) => {
    const parsed = parsePermission(text);
    return 'permission' in parsed ? [parsed.permission] : [];
  });
  const sentences = tools.flatMap((call) => {
    const kind = ruleKindOf(call);
    const rule = kind && rules.find((one) => coversKind(one, kind));
    if (rule === undefined || !hasRun(call)) return [];
    return [
      `the CLI ran \`${call.name}\` without asking, although ${formatPermission(rule)} is denied: ${call.target}`,
    ];
  });
  return [...new Set(sentences)];
}

/** How a command failed that had begun, if it has no exit code. */
const BEGAN = /^(?:timed out(?: after [\d.]+ s)?|ended by \S+)$/;

/** Whether a call did something: it ended well, began as a command, or goes on in the background. */
const hasRun = ({ state, kind, message, facts, background }: ToolCall): boolean =>
  state === 'ok' ||
  (state === 'failed' && (facts.exitCode !== undefined || (kind === 'shell' && BEGAN.test(message)))) ||
  (state === 'running' && background === true);
