import { assertNever } from '../core/assert-never.js';
import type {
  AgentEvent,
  FinishedEvent,
  RefusalEvent,
  SessionEvent,
  ThinkingEvent,
  Todo,
  TodosEvent,
  UnknownEvent,
} from '../stream/events.js';
import { keyOf, trackCalls, type CallTracking } from './call-tracking.js';
import { keyedList, type KeyedList } from './keyed-list.js';
import { countLabel, emptyLabels } from './labels.js';
import { assembleMessages, lastOf, MESSAGE_CHARACTERS, type MessageAssembly } from './message-assembly.js';
import { collectRoots } from './relative-path.js';
import type { Refusal, RunReport, ToolCall } from './model.js';

/** What a long stream may leave in memory: beyond these, things are counted and no longer kept. */
const THOUGHT_CHARACTERS = 10_000;
const MOST_NOTICES = 200;
const MOST_ERRORS = 20;
const MOST_REFUSALS = 1_000;
const MOST_QUESTIONS = 200;
const MOST_TODOS = 200;
const MOST_UNKNOWN_SHOWN = 5;
/** How many calls that never ended are told one by one. */
const MOST_LEFT_TOLD = 20;

/** What an event changed, for whoever follows the run live. */
export type Happening =
  | { kind: 'started'; model: string; sessionId: string }
  | { kind: 'said'; text: string }
  | { kind: 'thought'; text: string }
  | { kind: 'call-started'; call: ToolCall }
  /** Told with the state `running` too, when the run ends before the call. */
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
  /** The stream is over: what is still being said counts as said, and what still runs was left running. */
  end(): Happening[];
  /** The calls that have begun and not ended. */
  openCalls(): ToolCall[];
  /** Complete once the stream is over; until then the answer is the last message told whole. */
  report: RunReport;
}

/** Events → report, one by one, in bounded memory. `roots` are the folders that paths are shown relative to. */
export function foldEvents(roots: readonly string[] = []): Fold {
  const report = emptyReport();
  const { list, add: addRoot } = collectRoots(roots);
  const state: State = {
    report,
    messages: assembleMessages(),
    thinking: assembleThinking(),
    calls: trackCalls(report, list),
    questions: keyedList(MOST_QUESTIONS),
    addRoot,
  };
  return {
    report,
    openCalls: () => state.calls.open(),
    add(event, atMs) {
      const before = endMessage(state, event);
      const happenings = apply(state, event, atMs);
      return before.length > 0 ? [...before, ...happenings] : happenings;
    },
    end() {
      const rest = said(state, state.messages.close('step'));
      report.answer = state.messages.last() || resultText(report);
      const { left, refusals } = state.calls.end();
      const told = left.slice(0, MOST_LEFT_TOLD).map((call) => ({ kind: 'call-ended' as const, call }));
      return [...rest, ...refusals.map((refusal) => refuse(report, refusal)), ...told];
    },
  };
}

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

interface State {
  report: RunReport;
  messages: MessageAssembly;
  thinking: ReturnType<typeof assembleThinking>;
  calls: CallTracking;
  /** Permissions asked for, by the id of the question: the answer names only that. */
  questions: KeyedList<{ what: string; callId: string | undefined }>;
  addRoot: (root: string) => void;
}

/** Which events end the message that is being said. */
function endMessage(state: State, { type }: AgentEvent): Happening[] {
  switch (type) {
    case 'tool-started':
    case 'session':
    case 'finished':
      return said(state, state.messages.close('step'));
    case 'tool-finished':
    case 'thinking':
    case 'error':
    case 'refusal':
      return said(state, state.messages.close('aside'));
    case 'text':
    case 'todos':
    case 'asked':
    case 'notice':
    case 'unknown':
      return [];
    default:
      return assertNever(type);
  }
}

function apply(state: State, event: AgentEvent, atMs: number): Happening[] {
  const { report, calls } = state;
  switch (event.type) {
    case 'session':
      return begin(state, event);
    case 'text':
      return said(state, state.messages.add(event));
    case 'thinking':
      return state.thinking.add(event);
    case 'tool-started': {
      const call = calls.start(event, atMs);
      return call ? [{ kind: 'call-started', call }] : [];
    }
    case 'tool-finished': {
      const call = calls.finish(event, atMs);
      return call ? [{ kind: 'call-ended', call }] : [];
    }
    case 'todos':
      return plan(report, event);
    case 'asked':
      state.questions.set(keyOf(event.queryId), { what: event.what, callId: keyOf(event.callId) });
      return [];
    case 'refusal':
      return settleRefusal(state, event);
    case 'notice':
      keep(report.notices, { level: event.level, text: event.text, atMs }, MOST_NOTICES);
      return [{ kind: 'noticed', level: event.level, text: event.text }];
    case 'error':
      // The newest are kept: the last one is what it ended with.
      report.errors = [...report.errors, event.text].slice(-MOST_ERRORS);
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

function begin({ report, addRoot }: State, event: SessionEvent): Happening[] {
  if (event.cwd) addRoot(event.cwd);
  if (event.sessionId) report.sessionId = event.sessionId;
  if (event.model) report.model = event.model;
  return [{ kind: 'started', model: event.model ?? '', sessionId: event.sessionId ?? '' }];
}

function said({ report, messages }: State, texts: string[]): Happening[] {
  if (texts.length === 0) return [];
  report.messages += texts.length;
  report.answer = messages.last();
  return texts.map((text) => ({ kind: 'said', text }));
}

/** Thinking comes in many small pieces; only the end of each stretch of it is kept, for those who debug. */
function assembleThinking() {
  let text = '';
  return {
    add(event: ThinkingEvent): Happening[] {
      text += event.text;
      // Cut only now and then: each cut copies.
      if (text.length > 2 * THOUGHT_CHARACTERS) text = lastOf(text, THOUGHT_CHARACTERS);
      if (!event.done) return [];
      const thought = lastOf(text, THOUGHT_CHARACTERS);
      text = '';
      return [{ kind: 'thought', text: thought }];
    },
  };
}

/** A refusal that belongs to a call is told as that call's outcome, not twice. */
function settleRefusal({ report, calls, questions }: State, event: RefusalEvent): Happening[] {
  const question = event.queryId === undefined ? undefined : questions.get(keyOf(event.queryId));
  const callId = event.callId ?? question?.callId;
  const refusal = { what: question?.what ?? event.what, reason: event.reason };
  return callId !== undefined && calls.refuse(callId, refusal) ? [] : [refuse(report, refusal)];
}

function refuse(report: RunReport, refusal: Refusal): Happening {
  if (report.refusals.length < MOST_REFUSALS) report.refusals.push(refusal);
  else report.moreRefusals += 1;
  return { kind: 'refused', ...refusal };
}

function finish(report: RunReport, event: FinishedEvent): void {
  report.result = {
    isError: event.isError,
    text: event.text,
    ...(event.exitStatus === undefined ? {} : { exitStatus: event.exitStatus }),
    ...(event.failure === undefined ? {} : { failure: event.failure }),
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

/** The answer of an agent that said nothing on the way: all of it is in its result then. */
const resultText = ({ result }: RunReport): string =>
  result && !result.isError ? lastOf(result.text, MESSAGE_CHARACTERS) : '';

/** A plan that is told again unchanged is no news. */
function plan(report: RunReport, event: TodosEvent): Happening[] {
  const before = JSON.stringify(report.todos);
  report.todos = mergeTodos(report.todos, event).slice(0, MOST_TODOS);
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

function countUnknown({ unrecognised }: RunReport, event: UnknownEvent): void {
  unrecognised.count += 1;
  keep(unrecognised.first, event, MOST_UNKNOWN_SHOWN);
  countLabel(unrecognised.labels, event.label);
}

function keep<T>(list: T[], item: T, most: number): void {
  if (list.length < most) list.push(item);
}
