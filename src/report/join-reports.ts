import type { TokenUsage, ToolKind } from '../stream/events.js';
import { CALL_BOUNDS } from './call-tracking.js';
import { countLabel, emptyLabels } from './labels.js';
import { countCalls } from './run-report.js';
import type { KindTotals, RunReport, Unrecognised } from './model.js';

/** The same bounds that each report keeps for itself. */
const MOST_NOTICES = 200;
const MOST_ERRORS = 20;
const MOST_REFUSALS = 1_000;
const MOST_UNKNOWN_SHOWN = 5;

/**
 * One chat that was continued, as one report: everything is added up, and the later one has the last word. It began
 * `laterMs` after the earlier one.
 */
export function joinReports(earlier: RunReport, later: RunReport, laterMs: number): RunReport {
  const { calls } = countCalls(earlier);
  const refusals = [...earlier.refusals, ...later.refusals];
  const tools = [
    ...earlier.tools,
    ...later.tools.map((call) => ({
      ...call,
      number: call.number + calls,
      startMs: call.startMs + laterMs,
    })),
  ];
  const { result: _earlier, ...before } = earlier;
  return {
    ...before,
    ...later,
    answer: later.answer || earlier.answer,
    messages: earlier.messages + later.messages,
    errors: [...earlier.errors, ...later.errors].slice(-MOST_ERRORS),
    ...sums(earlier, later),
    tools: tools.slice(0, CALL_BOUNDS.listed),
    totals: joinTotals(earlier.totals, later.totals),
    refusals: refusals.slice(0, MOST_REFUSALS),
    moreRefusals: earlier.moreRefusals + later.moreRefusals + Math.max(0, refusals.length - MOST_REFUSALS),
    todos: later.todos.length > 0 ? later.todos : earlier.todos,
    notices: [
      ...earlier.notices,
      ...later.notices.map((notice) => ({ ...notice, atMs: notice.atMs + laterMs })),
    ].slice(0, MOST_NOTICES),
    unrecognised: joinUnrecognised(earlier.unrecognised, later.unrecognised),
  };
}

/** What either of them does not tell is left to the other. */
function sums(one: RunReport, other: RunReport): Partial<RunReport> {
  const numbers = (['durationMs', 'durationApiMs', 'costUsd', 'turns'] as const).flatMap((name) => {
    const known = [one[name], other[name]].filter((value) => value !== undefined);
    return known.length === 0 ? [] : [[name, known.reduce((sum, value) => sum + value, 0)]];
  });
  const usage = one.usage && other.usage ? addUsage(one.usage, other.usage) : (other.usage ?? one.usage);
  return { ...(Object.fromEntries(numbers) as Partial<RunReport>), ...(usage ? { usage } : {}) };
}

const addUsage = (one: TokenUsage, other: TokenUsage): TokenUsage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
  cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
});

function joinTotals(one: RunReport['totals'], other: RunReport['totals']): RunReport['totals'] {
  const joined: Partial<Record<ToolKind, KindTotals>> = { ...one };
  for (const [kind, totals] of Object.entries(other) as [ToolKind, KindTotals][]) {
    const before = joined[kind];
    joined[kind] = before
      ? {
          calls: before.calls + totals.calls,
          failed: before.failed + totals.failed,
          denied: before.denied + totals.denied,
          durationMs: before.durationMs + totals.durationMs,
        }
      : totals;
  }
  return joined;
}

function joinUnrecognised(one: Unrecognised, other: Unrecognised): Unrecognised {
  return {
    labels: joinLabels(one.labels, other.labels),
    tools: joinLabels(one.tools, other.tools),
    count: one.count + other.count,
    first: [...one.first, ...other.first].slice(0, MOST_UNKNOWN_SHOWN),
  };
}

function joinLabels(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Record<string, number> {
  const labels = emptyLabels();
  for (const [label, count] of [...Object.entries(one), ...Object.entries(other)])
    countLabel(labels, label, count);
  return labels;
}
