import { allowTokens, type Rules } from '../permissions/allow-advice.js';
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
