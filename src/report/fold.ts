import { assertNever } from '../assert-never.js';
import type {
  AgentEvent,
  FinishedEvent,
  ThinkingEvent,
  Todo,
  TodosEvent,
  ToolFinishedEvent,
  ToolStartedEvent,
  ToolUse,
  UnknownEvent,
} from '../stream/events.js';
import { assembleMessages, type MessageAssembly } from './message-assembly.js';
import type { KindTotals, RunReport, ToolCall } from './run-report.js';

/** What a long stream may leave in memory: beyond these, things are counted and no longer kept. */
const MOST_CALLS = 20_000;
const THOUGHT_CHARACTERS = 10_000;
const MOST_OPEN_CALLS = 5_000;
const MOST_NOTICES = 200;
const MOST_ERRORS = 20;
const MOST_REFUSALS = 1_000;
const MOST_UNKNOWN_SHOWN = 5;
const MOST_UNKNOWN_LABELS = 50;
/** Call outputs are kept until they add up to this many characters. */
const OUTPUT_CHARACTERS = 8_000_000;

/** What an event changed, for whoever follows the run live. */
export type Happening =
  | { kind: 'started'; model: string; sessionId: string }
  | { kind: 'said'; text: string }
  | { kind: 'thought'; text: string }
  | { kind: 'call-started'; call: ToolCall }
  | { kind: 'call-ended'; call: ToolCall }
  | { kind: 'planned'; todos: Todo[] }
  | { kind: 'refused'; what: string; reason: string }
  | { kind: 'noticed'; level: 'info' | 'warning'; text: string }
  | { kind: 'erred'; text: string }
  | { kind: 'finished'; isError: boolean }
  | { kind: 'unrecognised'; event: UnknownEvent };

export interface Fold {
  /** Takes the next event, at `atMs` since the start of the run. */
  add(event: AgentEvent, atMs: number): Happening[];
  /** The stream is over: what is still being said counts as said. */
  end(): Happening[];
  /** The calls that have begun and not ended. */
  openCalls(): ToolCall[];
  report: RunReport;
}

/** Events → report, one by one, in bounded memory. `roots` are the folders that paths are shown relative to. */
export function foldEvents(roots: readonly string[] = []): Fold {
  const report: RunReport = {
    answer: '',
    messages: 0,
    errors: [],
    tools: [],
    totals: {},
    refusals: [],
    todos: [],
    notices: [],
    // Without a prototype: the labels are whatever the lines call themselves.
    unrecognised: { labels: Object.create(null) as Record<string, number>, count: 0, first: [] },
  };
  const state: State = {
    report,
    messages: assembleMessages(),
    thinking: assembleThinking(),
    calls: trackCalls(report, [...roots]),
  };
  return {
    report,
    openCalls: () => state.calls.open(),
    add(event, atMs) {
      const isAside = event.type === 'text' || event.type === 'unknown';
      const before = isAside ? [] : said(report, state.messages.close());
      const happenings = [...before, ...apply(state, event, atMs)];
      report.answer = state.messages.last();
      return happenings;
    },
    end() {
      const rest = said(report, state.messages.close());
      report.answer = state.messages.last();
      return rest;
    },
  };
}

interface State {
  report: RunReport;
  messages: MessageAssembly;
  thinking: ReturnType<typeof assembleThinking>;
  calls: ReturnType<typeof trackCalls>;
}

function apply({ report, messages, thinking, calls }: State, event: AgentEvent, atMs: number): Happening[] {
  switch (event.type) {
    case 'session':
      if (event.cwd) calls.addRoot(event.cwd);
      if (event.sessionId) report.sessionId = event.sessionId;
      if (event.model) report.model = event.model;
      return [{ kind: 'started', model: event.model ?? '', sessionId: event.sessionId ?? '' }];
    case 'text':
      return said(report, messages.add(event));
    case 'thinking':
      return thinking.add(event);
    case 'tool-started':
      return [{ kind: 'call-started', call: calls.start(event, atMs) }];
    case 'tool-finished':
      return [{ kind: 'call-ended', call: calls.finish(event, atMs) }];
    case 'todos':
      return plan(report, event);
    case 'refusal':
      if (event.callId !== undefined && calls.knows(event.callId)) return [];
      keep(report.refusals, { what: event.what, reason: event.reason }, MOST_REFUSALS);
      return [{ kind: 'refused', what: event.what, reason: event.reason }];
    case 'notice':
      keep(report.notices, { level: event.level, text: event.text, atMs }, MOST_NOTICES);
      return [{ kind: 'noticed', level: event.level, text: event.text }];
    case 'error':
      keep(report.errors, event.text, MOST_ERRORS);
      return [{ kind: 'erred', text: event.text }];
    case 'finished':
      finish(report, event);
      return [{ kind: 'finished', isError: event.isError }];
    case 'unknown':
      countUnknown(report, event);
      return [{ kind: 'unrecognised', event }];
    default:
      return assertNever(event);
  }
}

function said(report: RunReport, texts: string[]): Happening[] {
  report.messages += texts.length;
  return texts.map((text) => ({ kind: 'said', text }));
}

/** Thinking comes in many small pieces; only the end of each stretch of it is kept, for those who debug. */
function assembleThinking() {
  let text = '';
  return {
    add(event: ThinkingEvent): Happening[] {
      text = (text + event.text).slice(-THOUGHT_CHARACTERS);
      if (!event.done) return [];
      const thought = text;
      text = '';
      return [{ kind: 'thought', text: thought }];
    },
  };
}

/** Pairs the beginnings and ends of calls by their id alone, in whatever order they come. */
function trackCalls(report: RunReport, roots: string[]) {
  const open = new Map<string, ToolCall>();
  /** Ended calls by id, so that a second end of the same call changes nothing. */
  const ended = new Map<string, ToolCall>();
  let count = 0;
  let outputCharacters = 0;

  const begin = (tool: ToolUse, atMs: number): ToolCall => {
    count += 1;
    const call: ToolCall = {
      number: count,
      name: tool.name,
      kind: tool.kind,
      target: relativeTo(roots, tool.target),
      state: 'running',
      message: '',
      startMs: atMs,
      facts: {},
      ...(tool.timeoutMs === undefined ? {} : { timeoutMs: tool.timeoutMs }),
    };
    totalsOf(report, tool.kind).calls += 1;
    keep(report.tools, call, MOST_CALLS);
    return call;
  };
  const rename = (call: ToolCall, tool: ToolUse) => {
    if (call.kind !== tool.kind) {
      totalsOf(report, call.kind).calls -= 1;
      totalsOf(report, tool.kind).calls += 1;
      if (totalsOf(report, call.kind).calls === 0) Reflect.deleteProperty(report.totals, call.kind);
    }
    call.name = tool.name;
    call.kind = tool.kind;
    if (tool.target !== '') call.target = relativeTo(roots, tool.target);
  };

  return {
    addRoot: (root: string) => roots.push(root),
    open: () => [...open.values()],
    knows: (callId: string) => open.has(callId) || ended.has(callId),
    start({ callId, tool }: ToolStartedEvent, atMs: number): ToolCall {
      const known = open.get(callId) ?? ended.get(callId);
      if (known) return known;
      const call = begin(tool, atMs);
      if (open.size < MOST_OPEN_CALLS) open.set(callId, call);
      return call;
    },
    finish(event: ToolFinishedEvent, atMs: number): ToolCall {
      const again = ended.get(event.callId);
      if (again) return again;
      const call = open.get(event.callId) ?? begin(event.tool ?? UNNAMED, atMs);
      if (event.tool) rename(call, event.tool);
      open.delete(event.callId);
      if (ended.size < MOST_CALLS) ended.set(event.callId, call);
      call.state = event.outcome.status;
      call.message = event.outcome.message;
      call.durationMs = durationOf(event) ?? Math.max(0, atMs - call.startMs);
      const { output, ...facts } = event.facts;
      outputCharacters += output?.length ?? 0;
      call.facts = output !== undefined && outputCharacters <= OUTPUT_CHARACTERS ? event.facts : facts;
      addToTotals(totalsOf(report, call.kind), call);
      return call;
    },
  };
}

const UNNAMED: ToolUse = { name: 'unnamed tool', kind: 'other', target: '' };

function durationOf(event: ToolFinishedEvent): number | undefined {
  if (event.durationMs !== undefined) return event.durationMs;
  if (event.startedAtMs === undefined || event.atMs === undefined) return undefined;
  return Math.max(0, event.atMs - event.startedAtMs);
}

function totalsOf(report: RunReport, kind: ToolCall['kind']): KindTotals {
  return (report.totals[kind] ??= { calls: 0, failed: 0, denied: 0, durationMs: 0 });
}

function addToTotals(totals: KindTotals, call: ToolCall): void {
  if (call.state === 'failed') totals.failed += 1;
  if (call.state === 'denied') totals.denied += 1;
  totals.durationMs += call.durationMs ?? 0;
}

function finish(report: RunReport, event: FinishedEvent): void {
  report.result = {
    isError: event.isError,
    text: event.text,
    ...(event.exitStatus === undefined ? {} : { exitStatus: event.exitStatus }),
  };
  if (event.sessionId) report.sessionId = event.sessionId;
  if (event.requestId) report.requestId = event.requestId;
  if (event.model) report.model = event.model;
  if (event.durationMs !== undefined) report.durationMs = event.durationMs;
  if (event.durationApiMs !== undefined) report.durationApiMs = event.durationApiMs;
  if (event.usage) report.usage = event.usage;
  if (event.costUsd !== undefined) report.costUsd = event.costUsd;
  if (event.turns !== undefined) report.turns = event.turns;
}

/** A plan that is told again unchanged is no news. */
function plan(report: RunReport, event: TodosEvent): Happening[] {
  const before = JSON.stringify(report.todos);
  report.todos = mergeTodos(report.todos, event);
  return JSON.stringify(report.todos) === before ? [] : [{ kind: 'planned', todos: report.todos }];
}

function mergeTodos(before: Todo[], { todos, merge }: TodosEvent): Todo[] {
  if (!merge) return todos;
  const changed = new Map(todos.map((todo) => [todo.id, todo]));
  const kept = before.map((todo) => {
    const change = changed.get(todo.id);
    changed.delete(todo.id);
    return change ? { ...change, text: change.text || todo.text } : todo;
  });
  return [...kept, ...changed.values()];
}

function countUnknown(report: RunReport, event: UnknownEvent): void {
  const { unrecognised } = report;
  unrecognised.count += 1;
  keep(unrecognised.first, event, MOST_UNKNOWN_SHOWN);
  const label = event.label in unrecognised.labels || hasRoom(unrecognised.labels) ? event.label : 'others';
  unrecognised.labels[label] = (unrecognised.labels[label] ?? 0) + 1;
}

const hasRoom = (labels: object): boolean => Object.keys(labels).length < MOST_UNKNOWN_LABELS;

function keep<T>(list: T[], item: T, most: number): void {
  if (list.length < most) list.push(item);
}

/** A path below one of the roots is shown relative to it; anything else as it is. */
function relativeTo(roots: readonly string[], target: string): string {
  for (const root of roots) {
    const prefix = root.endsWith('/') ? root : `${root}/`;
    if (target.startsWith(prefix)) return target.slice(prefix.length) || '.';
    if (target === root) return '.';
  }
  return target;
}
