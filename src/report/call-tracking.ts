import { createHash } from 'node:crypto';
import {
  UNNAMED_TOOL,
  type ToolFacts,
  type TaskEndedEvent,
  type ToolFinishedEvent,
  type ToolKind,
  type ToolOutcome,
  type ToolStartedEvent,
  type ToolUse,
} from '../stream/events.js';
import type { KindTotals, Refusal, RunReport, ToolCall } from './model.js';
import { countLabel, MAX } from './run-report.js';

const MAX_OPEN = 1_000;
/** How many ids of ended calls are remembered if the calls are not listed. */
const MAX_ENDED = 200;
/** Outputs are kept up to this many characters in total. */
const OUTPUT_CHARACTERS = 8_000_000;
/** A longer id is kept as a digest. */
const MAX_ID = 200;

interface Tracked {
  call: ToolCall;
  /** As the beginning of the call writes them. Its end may not name them again. */
  paths: readonly string[];
  /** By the agent's clock. */
  startedAtMs?: number | undefined;
  refusal?: Refusal | undefined;
}

/** The rule of this run that keeps a path from being read, if there is one. */
export type FindReadRule = (path: string) => string | undefined;

/** Pairs the beginnings and ends of calls by their ids, in any order. */
export function trackCalls(
  report: RunReport,
  { roots, findReadRule }: { roots: readonly string[]; findReadRule: FindReadRule },
) {
  const open = keyedList<Tracked>(MAX_OPEN);
  /** Ended calls by id, so that a second end changes nothing: all listed calls, and the newest others. */
  const ended = new Map<string, ToolCall>();
  const endedUnlisted = keyedList<true>(MAX_ENDED);
  const refused = keyedList<Refusal>(MAX_ENDED);
  const nameless = namelessCalls();
  const register = registerCalls(report, roots);
  const background = trackBackground(register);
  /** How many calls began when too many were open. Their ends cannot be paired, but they must not count as calls. */
  let untracked = 0;

  const running = () => [...open.values().map(({ call }) => call), ...background.calls()];

  return {
    /** Calls that have not ended, and calls whose work goes on in the background. */
    open: running,
    /** Returns the call that began, or nothing if it is known already. */
    start(event: ToolStartedEvent, atMs: number): ToolCall | undefined {
      const key = keyOf(event.callId) ?? nameless.begin(event.tool.name);
      if (open.has(key)) return undefined;
      const late = ended.get(key);
      if (late?.name === UNNAMED_TOOL.name) register.rename(late, event.tool);
      if (late || endedUnlisted.has(key)) return undefined;
      const call = register.begin(background.named(event.tool), atMs);
      const refusal = refused.take(key);
      if (open.size < MAX_OPEN)
        open.set(key, { call, paths: event.tool.paths, startedAtMs: event.atMs, refusal });
      else untracked += 1;
      return call;
    },
    /** Returns the call that ended, or that goes on in the background; nothing if it had ended before. */
    finish(event: ToolFinishedEvent, atMs: number): ToolCall | undefined {
      const key = keyOf(event.callId) ?? nameless.end(event.tool?.name ?? UNNAMED_TOOL.name);
      if (ended.has(key) || endedUnlisted.has(key)) return undefined;
      const refusal = refused.take(key);
      const tool = event.tool ?? UNNAMED_TOOL;
      const isUntracked = !open.has(key) && untracked > 0;
      if (isUntracked) untracked -= 1;
      const tracked = open.take(key) ?? {
        call: isUntracked ? register.describe(tool, atMs) : register.begin(tool, atMs),
        paths: tool.paths,
        refusal,
      };
      if (isListed(tracked.call)) ended.set(key, tracked.call);
      else endedUnlisted.set(key, true);
      if (event.background && !tracked.refusal) background.add(key, tracked, event);
      else register.finish(tracked, { ...event, outcome: readOutcome(event, tracked, findReadRule) }, atMs);
      return tracked.call;
    },
    endTask: (event: TaskEndedEvent, atMs: number) => background.endTask(event.taskId, event, atMs),
    stopShells: background.stopShells,
    /** The call was refused. Returns whether the refusal is, or will be, the outcome of the call. */
    refuse(callId: string, refusal: Refusal): boolean {
      const key = keyOf(callId);
      const tracked = open.get(key);
      if (tracked) tracked.refusal = refusal;
      else if (ended.has(key)) return ended.get(key)?.state === 'denied';
      else refused.set(key, refusal);
      return true;
    },
    /** The run is over. Returns the calls that never ended, and the refusals of calls that never began. */
    end(): { left: ToolCall[]; refusals: Refusal[] } {
      for (const { call, refusal } of open.values()) if (refusal) register.deny(call, refusal);
      return { left: running(), refusals: refused.values() };
    },
  };
}

/** The message of a read that was refused, by the CLI or by the system. */
const NOT_PERMITTED = 'Permission denied';

/** The CLI says the same of a read that its rules refuse as of a file that the system does not open. */
function readOutcome(
  { outcome, tool }: ToolFinishedEvent,
  { call, paths }: Tracked,
  findReadRule: FindReadRule,
): ToolOutcome {
  const isOpen = call.kind === 'read' && outcome.status === 'failed' && outcome.message === NOT_PERMITTED;
  if (!isOpen) return outcome;
  const named = tool && tool.paths.length > 0 ? tool.paths : paths;
  const rule = named.map(findReadRule).find((one) => one !== undefined);
  return rule === undefined ? outcome : { status: 'denied', message: `denied by ${rule}` };
}

/** How a call, or its work in the background, ended. `atMs` is by the agent's clock. */
interface Ending {
  outcome: ToolOutcome;
  atMs?: number;
  durationMs?: number;
  output?: string;
}

/** What became of a command in the background that the agent did not wait for. */
const STOPPED: ToolOutcome = { status: 'failed', message: 'stopped by the agent when its reply was done' };

/** Calls that returned while their work goes on, by the id of that work. */
function trackBackground(register: ReturnType<typeof registerCalls>) {
  const tasks = keyedList<Tracked>(MAX_OPEN);
  /** Work in the background ended. Returns its call, or nothing if it is not known. */
  const endTask = (taskId: string, ending: Ending, atMs: number): ToolCall | undefined => {
    const tracked = tasks.take(keyOf(taskId));
    if (tracked) register.end(tracked, ending, atMs);
    if (tracked && ending.output !== undefined) register.addOutput(tracked.call, ending.output);
    return tracked?.call;
  };
  /** Every command in the background was stopped. Returns their calls. */
  const stopShells = (event: { atMs?: number }, atMs: number): ToolCall[] =>
    tasks
      .entries()
      .filter(({ value }) => value.call.kind === 'shell')
      .flatMap(({ key }) => endTask(key, { ...event, outcome: STOPPED }, atMs) ?? []);
  return {
    calls: () => tasks.values().map(({ call }) => call),
    /** The tool with the work that it waits for by its name instead of its id. */
    named(tool: ToolUse): ToolUse {
      const { taskId } = tool;
      const task = taskId === undefined ? undefined : tasks.get(keyOf(taskId));
      return task && taskId ? { ...tool, target: tool.target.replace(taskId, () => task.call.target) } : tool;
    },
    /** Without an id of its own, the work is known by its call. */
    add(callKey: string, tracked: Tracked, event: ToolFinishedEvent) {
      register.goOn(tracked.call, event);
      tasks.set(keyOf(event.background?.taskId) ?? callKey, tracked);
    },
    endTask,
    stopShells,
  };
}

/** Writes calls into the report: into the list, up to its limit, and always into the totals. */
function registerCalls(report: RunReport, roots: readonly string[]) {
  let count = 0;
  const keepFacts = factKeeper();

  const describe = (tool: ToolUse, atMs: number): ToolCall => ({
    number: count,
    name: tool.name,
    kind: tool.kind,
    target: targetOf(tool, roots),
    state: 'running',
    message: '',
    startMs: atMs,
    facts: {},
    ...(tool.timeoutMs === undefined ? {} : { timeoutMs: tool.timeoutMs }),
  });
  const rename = (call: ToolCall, tool: ToolUse) => {
    if (call.name !== tool.name) noteUnknown(report, tool);
    if (call.kind !== tool.kind) moveTotals(report, call, tool.kind);
    call.name = tool.name;
    call.kind = tool.kind;
    const target = targetOf(tool, roots);
    // What a call waits for got its name when the call began.
    if (target !== '' && (tool.taskId === undefined || call.target === '')) call.target = target;
  };
  const close = (call: ToolCall, outcome: ToolOutcome) => {
    call.state = outcome.status;
    call.message = outcome.message;
    if (outcome.status === 'denied' && outcome.byHook) call.byHook = true;
    // The call itself was counted when it began.
    addTotals(totalsOf(report, call.kind), { ...shareOf(call), calls: 0 });
  };
  const end = (tracked: Tracked, ending: Ending, atMs: number) => {
    tracked.call.durationMs = durationOf(tracked, ending, atMs);
    close(tracked.call, ending.outcome);
  };

  return {
    /** A call as it would be listed, without counting it. */
    describe,
    begin(tool: ToolUse, atMs: number): ToolCall {
      count += 1;
      const call = describe(tool, atMs);
      totalsOf(report, tool.kind).calls += 1;
      if (isListed(call)) report.tools.push(call);
      noteUnknown(report, tool);
      return call;
    },
    rename,
    finish(tracked: Tracked, event: ToolFinishedEvent, atMs: number): void {
      const { call, refusal } = tracked;
      if (event.tool) rename(call, event.tool);
      keepFacts(call, event.facts);
      // A refused call was denied, even if its end does not say so.
      const outcome = refusal && event.outcome.status !== 'denied' ? denial(refusal) : event.outcome;
      end(tracked, { ...event, outcome }, atMs);
    },
    /** The call returned, and its work goes on. The exit code that it returned is not the one of that work. */
    goOn(call: ToolCall, event: ToolFinishedEvent): void {
      if (event.tool) rename(call, event.tool);
      const { exitCode: _notYet, ...facts } = event.facts;
      keepFacts(call, facts);
      call.background = true;
    },
    end,
    addOutput(call: ToolCall, output: string): void {
      keepFacts(call, { ...call.facts, output });
    },
    deny(call: ToolCall, refusal: Refusal): void {
      close(call, denial(refusal));
    },
  };
}

const denial = ({ reason }: Refusal): ToolOutcome => ({ status: 'denied', message: reason });

/** Calls beyond a limit are counted, but not listed, because a long stream must not fill the memory. */
const isListed = ({ number }: ToolCall): boolean => number <= MAX.calls;

function noteUnknown({ unrecognised }: RunReport, tool: ToolUse): void {
  if (!tool.isKnown) countLabel(unrecognised.tools, tool.name);
}

/** Keeps what is known of a call. Outputs are kept of listed calls, up to a total. */
function factKeeper() {
  let characters = 0;
  return (call: ToolCall, { output = '', ...facts }: ToolFacts): void => {
    const isKept = output !== '' && isListed(call) && characters + output.length <= OUTPUT_CHARACTERS;
    if (isKept) characters += output.length;
    call.facts = isKept ? { ...facts, output } : facts;
  };
}

/** Calls without an id: of the calls of one tool, the first to begin is the first to end. */
function namelessCalls() {
  const running = new Map<string, string[]>();
  let serial = 0;
  // The first character keeps these ids apart from ids of the stream.
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

/** The id, or its digest if it is long: a cut would confuse ids that differ only at the end. */
export function keyOf<T extends string | undefined>(id: T): T | string {
  if (id === undefined || id.length <= MAX_ID) return id;
  return createHash('sha256').update(id).digest('hex');
}

/** By the agent's own numbers if it gives any that make sense, and otherwise by our clock. */
function durationOf(
  { call, startedAtMs }: Tracked,
  { durationMs, atMs: endedAtMs }: Ending,
  atMs: number,
): number {
  if (durationMs !== undefined) return durationMs;
  const isTimed = startedAtMs !== undefined && endedAtMs !== undefined && endedAtMs >= startedAtMs;
  return isTimed ? endedAtMs - startedAtMs : Math.max(0, atMs - call.startMs);
}

/** What a call is about, for people to read. Paths below the workspace are relative to it. */
function targetOf({ target, paths }: ToolUse, roots: readonly string[]): string {
  const places = paths.map((path) => relativeTo(roots, path));
  if (target === '') return places.join(', ');
  const elsewhere = places.filter((place) => place !== '.');
  return elsewhere.length > 0 ? `${target} in ${elsewhere.join(', ')}` : target;
}

function totalsOf(report: RunReport, kind: ToolKind): KindTotals {
  return (report.totals[kind] ??= { calls: 0, failed: 0, denied: 0, durationMs: 0 });
}

/** What a call adds to the totals of its kind. */
const shareOf = ({ state, durationMs = 0 }: ToolCall): KindTotals => ({
  calls: 1,
  failed: state === 'failed' ? 1 : 0,
  denied: state === 'denied' ? 1 : 0,
  durationMs,
});

function addTotals(totals: KindTotals, share: KindTotals, sign: 1 | -1 = 1): void {
  for (const name of ['calls', 'failed', 'denied', 'durationMs'] as const) totals[name] += sign * share[name];
}

/** The call turned out to be of another kind, so its counts move to that kind. */
function moveTotals(report: RunReport, call: ToolCall, kind: ToolKind): void {
  const from = totalsOf(report, call.kind);
  addTotals(from, shareOf(call), -1);
  addTotals(totalsOf(report, kind), shareOf(call));
  if (from.calls === 0) Reflect.deleteProperty(report.totals, call.kind);
}

/**
 * A few values by key, in the order in which they were added, for entries that come and go as long as the stream
 * lasts. It is a list because a Map that is filled and emptied all the time keeps its old tables alive, and with them
 * everything that it ever held.
 */
export function keyedList<T>(max: number) {
  const entries: { key: string; value: T }[] = [];
  const find = (key: string) => entries.find((entry) => entry.key === key);
  return {
    has: (key: string) => find(key) !== undefined,
    get: (key: string) => find(key)?.value,
    /** Adds an entry or replaces its value. Beyond the limit, the oldest entry is dropped. */
    set(key: string, value: T) {
      const entry = find(key);
      if (entry) entry.value = value;
      else entries.push({ key, value });
      if (entries.length > max) entries.shift();
    },
    /** Removes the entry and returns its value. */
    take(key: string) {
      const at = entries.findIndex((entry) => entry.key === key);
      return at < 0 ? undefined : entries.splice(at, 1)[0]?.value;
    },
    values: () => entries.map(({ value }) => value),
    entries: () => [...entries],
    get size() {
      return entries.length;
    },
  };
}

const MAX_ROOTS = 10;

/** The folders that paths are shown relative to: the given ones, then those that the agent names. */
export function collectRoots(given: readonly string[]): { list: string[]; add(root: string): void } {
  const list: string[] = [];
  const add = (root: string) => {
    const plain = root.replace(/[\\/]+$/, '');
    // On macOS /tmp and some others are links into /private, and tools use either name.
    const names = plain.startsWith('/private/') ? [plain, plain.slice('/private'.length)] : [plain];
    for (const name of names) {
      if (name !== '' && list.length < MAX_ROOTS && !list.includes(name)) list.push(name);
    }
  };
  given.forEach(add);
  return { list, add };
}

/** A path below one of the roots is shown relative to it. Any other path stays as it is. */
export function relativeTo(roots: readonly string[], path: string): string {
  for (const root of roots) {
    if (!path.startsWith(root)) continue;
    const rest = path.slice(root.length);
    if (/^[\\/]*$/.test(rest)) return '.';
    if (!/^[\\/]/.test(rest)) continue;
    const below = rest.replace(/^[\\/]+/, '');
    return root.includes('\\') ? below.replaceAll('\\', '/') : below;
  }
  return path;
}
