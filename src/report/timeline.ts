import type { ToolKind } from '../stream/events.js';
import type { KindTotals, RunReport, TimeShare, ToolCall } from './model.js';
import { plural } from '../text/format.js';
import { toolLabel } from './run-report.js';

/** A span of time in which calls of one kind ran. */
interface Bar {
  kind: ToolKind;
  label: string;
  startMs: number;
  endMs: number;
  state: 'ok' | 'bad' | 'running';
}

/** With more calls, adjacent calls of a kind share a bar. */
const MOST_SINGLE_BARS = 24;
const MOST_BARS = 30;
/** The shortest bar that can be seen, as a share of the whole. */
const THINNEST = 1 / 120;
const LABEL_CHARACTERS = 40;
/** For a smaller run, the table says more than a picture. */
const FEWEST_CALLS = 3;
const SHORTEST_RUN_MS = 2000;
/** GitHub ends every run by then, so a longer time is one that the agent made up. */
const LONGEST_RUN_MS = 35 * 24 * 3_600_000;

/** The run as a Mermaid gantt chart; empty for a small run, and if the agent's times make no sense. */
export function buildGantt(report: RunReport, totalMs: number): string {
  const end = endOf(report, totalMs);
  const calls = report.tools.filter(({ kind }) => kind !== 'plan');
  if (calls.length < FEWEST_CALLS || end < SHORTEST_RUN_MS || end > LONGEST_RUN_MS) return '';
  const bars = barsOf(calls, end);
  const kinds = [...new Set(bars.map(({ kind }) => kind))];
  const lines = kinds.flatMap((kind) => [
    `  section ${kind}`,
    ...bars.filter((bar) => bar.kind === kind).map((bar) => taskLine(bar, end)),
  ]);
  return [
    'gantt',
    '  dateFormat YYYY-MM-DD HH:mm:ss.SSS',
    `  axisFormat ${axisFormat(end)}`,
    `  tickInterval ${tickInterval(end)}`,
    ...lines,
  ].join('\n');
}

/** When the run ended: at `totalMs`, or with the last call if that was later. */
export function endOf({ tools }: RunReport, totalMs: number): number {
  return tools.reduce((last, call) => Math.max(last, call.startMs + (call.durationMs ?? 0)), totalMs);
}

function barsOf(calls: readonly ToolCall[], end: number): Bar[] {
  if (calls.length <= MOST_SINGLE_BARS) return calls.map((call) => barOf(call, end));
  for (let gap = end / 200; ; gap *= 2) {
    const bars = groupedBars(calls, end, gap);
    if (bars.length <= MOST_BARS || gap > end) return bars;
  }
}

function barOf(call: ToolCall, end: number): Bar {
  const { target, startMs, durationMs, state, kind } = call;
  return {
    kind,
    label: `${call.number} ${plainLabel(target || toolLabel(call))}`,
    startMs,
    endMs: durationMs === undefined ? end : startMs + durationMs,
    state: state === 'failed' || state === 'denied' ? 'bad' : state,
  };
}

/** Calls of a kind that follow each other within `gap` share a bar. Failed calls get bars of their own. */
function groupedBars(calls: readonly ToolCall[], end: number, gap: number): Bar[] {
  const groups: { bar: Bar; calls: number }[] = [];
  const open = new Map<string, { bar: Bar; calls: number }>();
  for (const call of calls) {
    const bar = barOf(call, end);
    const key = `${bar.kind} ${bar.state}`;
    const before = open.get(key);
    if (before && bar.startMs - before.bar.endMs <= gap) {
      before.bar.endMs = Math.max(before.bar.endMs, bar.endMs);
      before.calls += 1;
    } else {
      const group = { bar, calls: 1 };
      groups.push(group);
      open.set(key, group);
    }
  }
  return groups.map(({ bar, calls: count }) => ({
    ...bar,
    label:
      count === 1
        ? bar.label
        : `${plural(count, 'call').replace(',', ' ')}${bar.state === 'bad' ? ' failed' : ''}`,
  }));
}

/** Keeps only characters that have no meaning in Mermaid. */
function plainLabel(text: string): string {
  const plain = text
    .slice(0, 4 * LABEL_CHARACTERS)
    .replace(/[^\p{L}\p{N} ./()+=-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > LABEL_CHARACTERS ? `${plain.slice(0, LABEL_CHARACTERS).trim()}…` : plain;
}

function taskLine({ label, startMs, endMs, state }: Bar, end: number): string {
  const last = Math.max(endMs, startMs + end * THINNEST);
  const tag = { ok: '', bad: 'crit, ', running: 'active, ' }[state];
  return `  ${label} :${tag}${moment(startMs)}, ${moment(last)}`;
}

/** Counted from a midnight without a time zone, so that the axis begins at zero for every reader. */
function moment(ms: number): string {
  return new Date(Date.UTC(2000, 0, 1) + Math.round(ms)).toISOString().replace('T', ' ').replace('Z', '');
}

/** So few ticks that their labels do not overlap on a phone. */
const TICK_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400];
function tickInterval(end: number): string {
  const seconds = TICK_SECONDS.find((step) => end / 1000 / step <= 6) ?? 28_800;
  return seconds < 60 ? `${seconds}second` : `${seconds / 60}minute`;
}

const axisFormat = (end: number): string => (end >= 3_600_000 ? '%H:%M:%S' : '%M:%S');

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
