import type { TokenUsage, ToolKind } from '../stream/events.js';
import { clock, number, plural } from '../text/format.js';
import { known } from '../text/json.js';
import type { KindTotals, RunReport, ToolCall, Unrecognised } from './model.js';

/** How much of a long stream stays in memory. What goes beyond is counted, but not kept. */
export const MAX = {
  calls: 20_000,
  notices: 200,
  errors: 20,
  refusals: 1_000,
  todos: 200,
  /** Lines that were not recognised and are shown. */
  unrecognised: 5,
  /** Different names for lines or tools that were not recognised. */
  labels: 50,
} as const;

export function emptyReport(): RunReport {
  return {
    answer: '',
    messages: 0,
    errors: [],
    tools: [],
    totals: {},
    refusals: [],
    moreRefusals: 0,
    todos: [],
    notices: [],
    unrecognised: { labels: emptyLabels(), count: 0, first: [], tools: emptyLabels() },
  };
}

interface CountedCalls {
  totals: RunReport['totals'];
  refusals: readonly unknown[];
  /** The first reports did not have it. */
  moreRefusals?: number | undefined;
}

/** The tool calls of all kinds. What was refused outside of a call counts as denied. */
export function countCalls({ totals, refusals, moreRefusals = 0 }: CountedCalls) {
  const sum = (name: keyof KindTotals) => Object.values(totals).reduce((all, kind) => all + kind[name], 0);
  return {
    calls: sum('calls'),
    failed: sum('failed'),
    denied: sum('denied') + refusals.length + moreRefusals,
  };
}

/** Kinds of call that change nothing. Any other call may have changed something. */
const HARMLESS: readonly ToolKind[] = ['read', 'search', 'list', 'web', 'plan', 'wait'];
export const isHarmless = (kind: ToolKind): boolean => HARMLESS.includes(kind);

/** The listed calls that had not ended when the run did. */
export const runningCalls = ({ tools }: RunReport): ToolCall[] =>
  tools.filter(({ state }) => state === 'running');

/** What a call did, in a few words: `54 lines`, `+3 −1`, `exit 1`. */
export function outcomeWords({ state, message, facts, background, ...times }: ToolCall): string {
  if (state === 'running') {
    return background
      ? 'still running in the background when the run ended'
      : 'still running when the run ended';
  }
  if (state !== 'ok') return message || state;
  const { exitCode, linesRead, matches } = facts;
  const counts = lineCounts({ added: facts.linesAdded, removed: facts.linesRemoved });
  if (counts !== '') return counts;
  if (facts.firstLine !== undefined) return rangeWords(facts);
  if (linesRead !== undefined) return plural(linesRead, 'line');
  if (matches !== undefined) return plural(matches, 'match', 'matches');
  if (exitCode !== undefined) return `exit ${exitCode}`;
  return background ? `in the background until ${clock(times.startMs + (times.durationMs ?? 0))}` : '';
}

/** `+3 −1`; empty if the numbers are not known. */
export function lineCounts(counts: { added: number | undefined; removed: number | undefined }): string {
  const { added, removed } = counts;
  return added === undefined && removed === undefined ? '' : `+${added ?? 0} −${removed ?? 0}`;
}

/** `lines 10–49 of 300`. A call can ask for more lines than there are. */
function rangeWords({ firstLine = 1, lastLine, linesRead }: ToolCall['facts']): string {
  const total = linesRead !== undefined && linesRead >= firstLine ? linesRead : undefined;
  const last = Math.min(lastLine ?? Infinity, total ?? Infinity);
  const lines = last === Infinity ? `lines ${firstLine} and following` : `lines ${firstLine}–${last}`;
  return total === undefined ? lines : `${lines} of ${number(total)}`;
}

/** How log and tables call a tool: by its kind, or by its own name if no kind fits. */
export const toolLabel = (call: { kind: string; name: string }): string =>
  call.kind === 'other' ? call.name : call.kind;

/** A call in a few words. A command needs no label. */
export const callWords = (call: ToolCall): string =>
  call.kind === 'shell' ? call.target : `${toolLabel(call)} ${call.target}`;

/** A table of counts without a prototype, because the stream may use any name as a label. */
const emptyLabels = (): Record<string, number> => Object.create(null) as Record<string, number>;

/** Adds to the count of a label. Beyond a number of labels, all further ones are counted together. */
export function countLabel(labels: Record<string, number>, label: string, count = 1): void {
  const isListed = label in labels || Object.keys(labels).length < MAX.labels;
  const name = isListed ? label : 'others';
  labels[name] = (labels[name] ?? 0) + count;
}

/**
 * Two reports of one chat as one report. Counts are added up; the later report decides the rest. It began `laterMs`
 * after the earlier one.
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
  const { result: _result, lostInARow: _lost, ...before } = earlier;
  return {
    ...before,
    ...later,
    answer: later.answer || earlier.answer,
    messages: earlier.messages + later.messages,
    errors: [...earlier.errors, ...later.errors].slice(-MAX.errors),
    ...joinClaims(earlier, later),
    tools: tools.slice(0, MAX.calls),
    totals: joinTotals(earlier.totals, later.totals),
    refusals: refusals.slice(0, MAX.refusals),
    moreRefusals: earlier.moreRefusals + later.moreRefusals + Math.max(0, refusals.length - MAX.refusals),
    todos: later.todos.length > 0 ? later.todos : earlier.todos,
    notices: [
      ...earlier.notices,
      ...later.notices.map((notice) => ({ ...notice, atMs: notice.atMs + laterMs })),
    ].slice(0, MAX.notices),
    unrecognised: joinUnrecognised(earlier.unrecognised, later.unrecognised),
  };
}

/**
 * Reports of chats that ran at the same time as one report. Counts, tokens and costs are added up; the time is that of the
 * slowest. The first one decides the rest.
 */
export function joinParallel(first: RunReport, others: readonly RunReport[]): RunReport {
  const joined = others.reduce((all, other) => joinReports(all, other, 0), first);
  const times = [first, ...others].flatMap(({ durationMs }) => durationMs ?? []);
  const tools = [...joined.tools].sort((one, other) => one.startMs - other.startMs);
  return {
    ...asInFirst(first, joined),
    ...(times.length === 0 ? {} : { durationMs: Math.max(...times) }),
    tools: tools.map((call, index) => ({ ...call, number: index + 1 })),
  };
}

/** The report of a chat, and of another one that only checked what it said and began `laterMs` after it. */
export const joinCheck = (checked: RunReport, check: RunReport, laterMs: number): RunReport =>
  asInFirst(checked, joinReports(checked, check, laterMs));

function asInFirst(first: RunReport, joined: RunReport): RunReport {
  const {
    sessionId: _id,
    requestId: _request,
    model: _model,
    result: _result,
    lostInARow: _lost,
    ...sums
  } = joined;
  const { sessionId, requestId, model, result, lostInARow, answer, todos } = first;
  return {
    ...sums,
    ...known({ sessionId, requestId, model, result, lostInARow }),
    answer,
    todos,
  };
}

/** The numbers that an agent may or may not report. If only one report has a number, that one counts. */
function joinClaims(one: RunReport, other: RunReport): Partial<RunReport> {
  const numbers = (['durationMs', 'durationApiMs', 'costUsd', 'turns'] as const).flatMap((name) => {
    const claims = [one[name], other[name]].filter((value) => value !== undefined);
    return claims.length === 0 ? [] : [[name, claims.reduce((sum, value) => sum + value, 0)]];
  });
  const usage = one.usage && other.usage ? addFields(one.usage, other.usage) : (other.usage ?? one.usage);
  return { ...(Object.fromEntries(numbers) as Partial<RunReport>), ...(usage ? { usage } : {}) };
}

/** Adds numbers of the same name. */
const addFields = <T extends TokenUsage | KindTotals>(one: T, other: T): T =>
  Object.fromEntries(
    Object.entries(one).map(([name, value]) => [name, Number(value) + Number(other[name as keyof T])]),
  ) as T;

function joinTotals(one: RunReport['totals'], other: RunReport['totals']): RunReport['totals'] {
  const joined: Partial<Record<ToolKind, KindTotals>> = { ...one };
  for (const [kind, totals] of Object.entries(other) as [ToolKind, KindTotals][]) {
    const before = joined[kind];
    joined[kind] = before ? addFields(before, totals) : totals;
  }
  return joined;
}

function joinUnrecognised(one: Unrecognised, other: Unrecognised): Unrecognised {
  const joinLabels = (name: 'labels' | 'tools') => {
    const labels = emptyLabels();
    for (const [label, count] of [...Object.entries(one[name]), ...Object.entries(other[name])])
      countLabel(labels, label, count);
    return labels;
  };
  return {
    labels: joinLabels('labels'),
    tools: joinLabels('tools'),
    count: one.count + other.count,
    first: [...one.first, ...other.first].slice(0, MAX.unrecognised),
  };
}

/** What the items of a gathered text are. */
export const contextUnit = (kind: string): string => UNITS[kind] ?? 'changed file';

const UNITS: Readonly<Record<string, string>> = {
  'ci-logs': 'failed job',
  'earlier-review': 'finding',
  thread: 'comment',
  issue: 'issue',
};
