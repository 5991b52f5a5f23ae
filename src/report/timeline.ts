import type { ToolKind } from '../stream/events.js';
import type { KindTotals, RunReport, TimeShare, ToolCall } from './model.js';

/** When the run ended: at `totalMs`, or with the last call if that was later. */
export function endOf({ tools }: RunReport, totalMs: number): number {
  return tools.reduce((last, call) => Math.max(last, call.startMs + (call.durationMs ?? 0)), totalMs);
}

/**
 * Where the time went: for each kind of tool, how long at least one of its calls was running, and what is left for the
 * model. Kinds can overlap. The model does not wait for work in the background.
 */
export function timeShares(report: RunReport, totalMs: number): TimeShare[] {
  const end = endOf(report, totalMs);
  if (end <= 0) return [];
  const share = (ms: number) => ({ ms, share: ms / end });
  const kinds = (Object.entries(report.totals) as [ToolKind, KindTotals][])
    .map(([what, totals]) => ({ what, calls: totals.calls, ...share(kindMs(report, what, end)) }))
    .sort((a, b) => b.ms - a.ms);
  const awaited = report.tools.filter(({ background }) => !background);
  return [{ what: 'model and waiting', ...share(end - busyMs(awaited, end)) }, ...kinds];
}

/** The time of one kind. Of calls that are not listed, only the sum of their durations is known. */
function kindMs({ tools, totals }: RunReport, kind: ToolKind, end: number): number {
  const listed = tools.filter((call) => call.kind === kind);
  const listedMs = listed.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  const unlistedMs = Math.max(0, (totals[kind]?.durationMs ?? 0) - listedMs);
  return Math.min(end, busyMs(listed, end) + unlistedMs);
}

/** How long at least one of these calls was running. A call that never ended ran until the end. */
function busyMs(calls: readonly ToolCall[], end: number): number {
  const spans = calls
    .map(({ startMs, durationMs }) => ({ from: startMs, to: startMs + (durationMs ?? end - startMs) }))
    .sort((a, b) => a.from - b.from);
  let [busy, until] = [0, 0];
  for (const { from, to } of spans) {
    busy += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return Math.min(busy, end);
}
