import { createHash } from 'node:crypto';
import {
  UNNAMED_TOOL,
  type ToolFinishedEvent,
  type ToolOutcome,
  type ToolStartedEvent,
  type ToolUse,
} from '../stream/events.js';
import { keyedList } from './keyed-list.js';
import { countLabel } from './labels.js';
import { relativeTo } from './relative-path.js';
import type { KindTotals, Refusal, RunReport, ToolCall } from './model.js';

/** What a long stream may leave in memory: beyond these, calls are counted and no longer listed. */
export interface CallBounds {
  listed: number;
  open: number;
  /** Of the ended calls that are not listed, so many ids are remembered, the newest. */
  ended: number;
  /** Outputs are kept until they add up to this many characters. */
  outputCharacters: number;
}
export const CALL_BOUNDS: CallBounds = {
  listed: 20_000,
  open: 1_000,
  ended: 200,
  outputCharacters: 8_000_000,
};
/** An id above this is kept as a digest. */
const LONGEST_ID = 200;

interface Tracked {
  call: ToolCall;
  /** By the agent's clock. */
  startedAtMs?: number | undefined;
  refusal?: Refusal;
}

export interface CallTracking {
  /** The call that began, or nothing when it is known already. */
  start(event: ToolStartedEvent, atMs: number): ToolCall | undefined;
  /** The call that ended, or nothing when it had ended before. */
  finish(event: ToolFinishedEvent, atMs: number): ToolCall | undefined;
  /** Somebody said no to this call. Whether that is, or will be, told as the outcome of the call. */
  refuse(callId: string, refusal: Refusal): boolean;
  /** The run is over: the calls that never ended, and the refusals whose calls never came. */
  end(): { left: ToolCall[]; refusals: Refusal[] };
  open(): ToolCall[];
}

/** Pairs the beginnings and ends of calls by their id alone, in whatever order they come. */
export function trackCalls(
  report: RunReport,
  roots: readonly string[],
  bounds: CallBounds = CALL_BOUNDS,
): CallTracking {
  const open = keyedList<Tracked>(bounds.open);
  /** Ended calls by id, so that a second end of one changes nothing: all those listed, and the newest others. */
  const ended = new Map<string, ToolCall>();
  const endedUnlisted = keyedList<true>(bounds.ended);
  const refused = keyedList<Refusal>(bounds.ended);
  const nameless = namelessCalls();
  const register = registerCalls(report, roots, bounds);
  /** Calls that began when too many were open: their ends are theirs, although nobody can tell whose. */
  let untracked = 0;

  return {
    open: () => open.values().map(({ call }) => call),
    start(event, atMs) {
      const key = keyOf(event.callId) ?? nameless.begin(event.tool.name);
      if (open.has(key)) return undefined;
      const late = ended.get(key);
      if (late?.name === UNNAMED_TOOL.name) register.rename(late, event.tool);
      if (late || endedUnlisted.has(key)) return undefined;
      const call = register.begin(event.tool, atMs);
      const refusal = refused.take(key);
      if (open.size < bounds.open) {
        open.set(key, { call, startedAtMs: event.atMs, ...(refusal ? { refusal } : {}) });
      } else untracked += 1;
      return call;
    },
    finish(event, atMs) {
      const key = keyOf(event.callId) ?? nameless.end(event.tool?.name ?? UNNAMED_TOOL.name);
      if (ended.has(key) || endedUnlisted.has(key)) return undefined;
      const refusal = refused.take(key);
      const tool = event.tool ?? UNNAMED_TOOL;
      const isUntracked = !open.has(key) && untracked > 0;
      if (isUntracked) untracked -= 1;
      const tracked = open.take(key) ?? {
        call: isUntracked ? register.describe(tool, atMs) : register.begin(tool, atMs),
        ...(refusal ? { refusal } : {}),
      };
      if (tracked.call.number <= bounds.listed) ended.set(key, tracked.call);
      else endedUnlisted.set(key, true);
      register.settle(tracked, event, atMs);
      return tracked.call;
    },
    refuse(callId, refusal) {
      const key = keyOf(callId);
      const tracked = open.get(key);
      if (tracked) tracked.refusal = refusal;
      else if (ended.has(key)) return ended.get(key)?.state === 'denied';
      else refused.set(key, refusal);
      return true;
    },
    end() {
      for (const { call, refusal } of open.values()) if (refusal) register.deny(call, refusal);
      return { left: open.values().map(({ call }) => call), refusals: refused.values() };
    },
  };
}

/** Writes calls into the report: the list, up to its bound, and the totals, always. */
function registerCalls(report: RunReport, roots: readonly string[], bounds: CallBounds) {
  let count = 0;
  let outputCharacters = 0;

  const describe = (tool: ToolUse, atMs: number): ToolCall => ({
    number: count,
    name: tool.name,
    kind: tool.kind,
    target: aimOf(tool, roots),
    state: 'running',
    message: '',
    startMs: atMs,
    facts: {},
    ...(tool.timeoutMs === undefined ? {} : { timeoutMs: tool.timeoutMs }),
  });
  const noteUnknown = (tool: ToolUse) => {
    if (!tool.isKnown) countLabel(report.unrecognised.tools, tool.name);
  };
  const rename = (call: ToolCall, tool: ToolUse) => {
    if (call.name !== tool.name) noteUnknown(tool);
    if (call.kind !== tool.kind) moveTotals(report, call, tool.kind);
    call.name = tool.name;
    call.kind = tool.kind;
    const aim = aimOf(tool, roots);
    if (aim !== '') call.target = aim;
  };
  const close = (call: ToolCall, outcome: ToolOutcome) => {
    call.state = outcome.status;
    call.message = outcome.message;
    addOutcome(totalsOf(report, call.kind), call);
  };

  return {
    /** A call as it would be listed, counted nowhere. */
    describe,
    begin(tool: ToolUse, atMs: number): ToolCall {
      count += 1;
      const call = describe(tool, atMs);
      totalsOf(report, tool.kind).calls += 1;
      if (report.tools.length < bounds.listed) report.tools.push(call);
      noteUnknown(tool);
      return call;
    },
    rename,
    settle({ call, startedAtMs, refusal }: Tracked, event: ToolFinishedEvent, atMs: number): void {
      if (event.tool) rename(call, event.tool);
      call.durationMs = durationOf(event, startedAtMs) ?? Math.max(0, atMs - call.startMs);
      const { output = '', ...facts } = event.facts;
      const isKept =
        output !== '' &&
        call.number <= bounds.listed &&
        outputCharacters + output.length <= bounds.outputCharacters;
      if (isKept) outputCharacters += output.length;
      call.facts = isKept ? event.facts : facts;
      close(call, withRefusal(event.outcome, refusal));
    },
    deny(call: ToolCall, refusal: Refusal): void {
      close(call, { status: 'denied', message: refusal.reason });
    },
  };
}

/** Calls without an id: the first that began is the first to end, among those of the same tool. */
function namelessCalls() {
  const running = new Map<string, string[]>();
  let serial = 0;
  // No id can be like these: ids come from the stream, and the mark in front keeps these apart from them.
  const fresh = () => `\u0000nameless ${(serial += 1)}`;
  return {
    begin(tool: string): string {
      const key = fresh();
      running.set(tool, [...(running.get(tool) ?? []), key].slice(-100));
      return key;
    },
    end(tool: string): string {
      const [first, ...rest] = running.get(tool) ?? [];
      if (rest.length > 0) running.set(tool, rest);
      else running.delete(tool);
      return first ?? fresh();
    },
  };
}

/** What is kept of an id. Above a length it is its digest, because two ids may differ in their last character. */
export function keyOf<T extends string | undefined>(id: T): T | string {
  if (id === undefined || id.length <= LONGEST_ID) return id;
  return createHash('sha256').update(id).digest('hex');
}

/** A refused call was denied, whatever its end says: some ends say nothing then. */
function withRefusal(outcome: ToolOutcome, refusal: Refusal | undefined): ToolOutcome {
  if (!refusal || outcome.status === 'denied') return outcome;
  return { status: 'denied', message: refusal.reason };
}

function durationOf(event: ToolFinishedEvent, startedAtMs: number | undefined): number | undefined {
  if (event.durationMs !== undefined) return event.durationMs;
  if (startedAtMs === undefined || event.atMs === undefined) return undefined;
  return event.atMs < startedAtMs ? undefined : event.atMs - startedAtMs;
}

/** What a call is aimed at, for people: paths below the workspace relative to it. */
function aimOf({ target, paths }: ToolUse, roots: readonly string[]): string {
  const places = paths.map((path) => relativeTo(roots, path));
  if (target === '') return places.join(', ');
  const elsewhere = places.filter((place) => place !== '.');
  return elsewhere.length > 0 ? `${target} in ${elsewhere.join(', ')}` : target;
}

function totalsOf(report: RunReport, kind: ToolCall['kind']): KindTotals {
  return (report.totals[kind] ??= { calls: 0, failed: 0, denied: 0, durationMs: 0 });
}

/** The call turned out to be of another kind: whatever was counted for it moves along. */
function moveTotals(report: RunReport, call: ToolCall, kind: ToolCall['kind']): void {
  const [from, to] = [totalsOf(report, call.kind), totalsOf(report, kind)];
  const share: KindTotals = {
    calls: 1,
    failed: call.state === 'failed' ? 1 : 0,
    denied: call.state === 'denied' ? 1 : 0,
    durationMs: call.durationMs ?? 0,
  };
  for (const name of ['calls', 'failed', 'denied', 'durationMs'] as const) {
    from[name] -= share[name];
    to[name] += share[name];
  }
  if (from.calls === 0) Reflect.deleteProperty(report.totals, call.kind);
}

function addOutcome(totals: KindTotals, call: ToolCall): void {
  if (call.state === 'failed') totals.failed += 1;
  if (call.state === 'denied') totals.denied += 1;
  totals.durationMs += call.durationMs ?? 0;
}
