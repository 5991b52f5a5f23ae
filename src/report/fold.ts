import { assertNever } from '../core/errors.js';
import type {
  AgentEvent,
  FinishedEvent,
  NoticeEvent,
  PlanEvent,
  RefusalEvent,
  SessionEvent,
  TaskEndedEvent,
  ThinkingEvent,
  Todo,
  TodosEvent,
  UnknownEvent,
  TextEvent,
} from '../stream/events.js';
import { collectRoots, keyedList, keyOf, trackCalls, type FindReadRule } from './call-tracking.js';
import { tail } from '../stream/record.js';
import { known } from '../text/json.js';
import { oneLine, truncate } from '../text/plain-text.js';
import type { Refusal, RunReport, ToolCall } from './model.js';
import { countLabel, emptyReport, isHarmless, MAX } from './run-report.js';

const THOUGHT_CHARACTERS = 10_000;
const MAX_QUESTIONS = 200;
/** Of a reply that no call shows. */
const REPLY_CHARACTERS = 300;
/** How many calls that never ended are logged one by one. */
const MAX_LEFT_LOGGED = 20;

/** What an event changed, for the live log. */
export type LogEvent =
  | { kind: 'started'; model: string; sessionId: string }
  | { kind: 'said'; text: string }
  | { kind: 'thought'; text: string }
  | { kind: 'call-started'; call: ToolCall }
  /** Also sent if the run ends before the call; the call's state is `running` then. */
  | { kind: 'call-ended'; call: ToolCall }
  /** The call returned, and its work goes on in the background. */
  | { kind: 'call-continues'; call: ToolCall }
  | { kind: 'todos-changed'; todos: Todo[] }
  | { kind: 'plan-proposed'; plan: string }
  | { kind: 'refused'; what: string; reason: string }
  | { kind: 'noticed'; level: 'info' | 'warning'; text: string }
  | { kind: 'erred'; text: string }
  | { kind: 'finished'; isError: boolean }
  | { kind: 'unrecognised'; unknown: UnknownEvent };

export type Fold = ReturnType<typeof foldEvents>;

/** Folds events into a report, one by one, in bounded memory. Paths are shown relative to the `roots`. */
export function foldEvents(roots: readonly string[] = [], findReadRule: FindReadRule = () => undefined) {
  const report = emptyReport();
  const { list, add: addRoot } = collectRoots(roots);
  const state: State = {
    report,
    messages: assembleMessages(),
    thinking: assembleThinking(),
    calls: trackCalls(report, { roots: list, findReadRule }),
    questions: keyedList(MAX_QUESTIONS),
    addRoot,
  };
  let hasWorked = false;
  return {
    /** Complete once the stream is over. Until then the answer is the last complete message, or a plan. */
    report,
    /** Whether the model produced output. */
    hasWorked: () => hasWorked,
    openCalls: state.calls.open,
    /** Takes the next event, at `atMs` since the start of the run. */
    add(event: AgentEvent, atMs: number): LogEvent[] {
      if (isWork(event)) delete report.lostInARow;
      hasWorked ||= mayBeModel(event);
      return [...endMessage(state, event), ...apply(state, event, atMs)];
    },
    /** The stream is over: an open message is complete, and calls that still run were left running. */
    end(): LogEvent[] {
      const rest = said(state, state.messages.close('step'));
      // The result of an agent that sent no message contains all of its answer.
      const result = report.result?.isError === false ? report.result.text : '';
      report.answer = answerOf(state) || tail(result, KEPT_MESSAGE_CHARACTERS);
      const { left, refusals } = state.calls.end();
      const open = left.slice(0, MAX_LEFT_LOGGED).map((call) => ({ kind: 'call-ended' as const, call }));
      return [...rest, ...refusals.map((refusal) => refuse(report, refusal)), ...open];
    },
  };
}

interface State {
  report: RunReport;
  messages: ReturnType<typeof assembleMessages>;
  thinking: ReturnType<typeof assembleThinking>;
  calls: ReturnType<typeof trackCalls>;
  /** Permissions that were asked for, by the id of the question: the answer names only that id. */
  questions: ReturnType<typeof keyedList<{ what: string; callId: string | undefined }>>;
  addRoot: (root: string) => void;
  /** The plan that was proposed last, and how many messages came before it. */
  plan?: { text: string; after: number };
}

/** Whether the agent got something done: it wrote, thought or used a tool. */
function isWork({ type }: AgentEvent): boolean {
  return type !== 'session' && type !== 'notice' && type !== 'unknown' && type !== 'error';
}

/** A record that is not known can be the model's too. Plain text, and an end with an error, come without a model. */
function mayBeModel(event: AgentEvent): boolean {
  if (event.type === 'unknown') return event.why !== 'text';
  return isWork(event) && !(event.type === 'finished' && event.isError);
}

/** Ends the open message if this kind of event ends one. */
function endMessage(state: State, event: AgentEvent): LogEvent[] {
  const { type } = event;
  switch (type) {
    case 'finished':
      return said(state, state.messages.close('step', event.text));
    case 'tool-started':
    case 'session':
    case 'plan':
      return said(state, state.messages.close('step'));
    case 'tool-finished':
    case 'thinking':
    case 'error':
    case 'refusal':
      return said(state, state.messages.close('aside'));
    case 'text':
    case 'todos':
    case 'task-ended':
    case 'shells-stopped':
    case 'asked':
    case 'notice':
    case 'unknown':
      return [];
    default:
      return assertNever(type);
  }
}

function apply(state: State, event: AgentEvent, atMs: number): LogEvent[] {
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
      if (!call) return [];
      // The agent went on from planning to work, so its last message is the answer.
      if (state.plan && !isHarmless(call.kind) && call.state !== 'denied') {
        delete state.plan;
        report.answer = answerOf(state);
      }
      return [{ kind: call.state === 'running' ? 'call-continues' : 'call-ended', call }];
    }
    case 'task-ended':
      return endTask(state, event, atMs);
    case 'shells-stopped':
      return calls.stopShells(event, atMs).map((call) => ({ kind: 'call-ended', call }));
    case 'plan':
      return proposePlan(state, event);
    case 'todos':
      return updateTodos(report, event);
    case 'asked':
      state.questions.set(keyOf(event.queryId), { what: event.what, callId: keyOf(event.callId) });
      return [];
    case 'refusal':
      return recordRefusal(state, event);
    case 'notice':
      return notice(report, event, atMs);
    case 'error':
      // The newest errors are kept: the agent ended with the last one.
      report.errors = [...report.errors, event.text].slice(-MAX.errors);
      return [{ kind: 'erred', text: event.text }];
    case 'finished':
      finish(report, event);
      return [{ kind: 'finished', isError: event.isError }];
    case 'unknown':
      report.unrecognised.count += 1;
      if (report.unrecognised.first.length < MAX.unrecognised) report.unrecognised.first.push(event);
      countLabel(report.unrecognised.labels, event.label);
      return [{ kind: 'unrecognised', unknown: event }];
    default:
      return assertNever(event);
  }
}

function begin({ report, addRoot }: State, event: SessionEvent): LogEvent[] {
  if (event.cwd) addRoot(event.cwd);
  if (event.sessionId) report.sessionId = event.sessionId;
  if (event.model) report.model = event.model;
  return [{ kind: 'started', model: event.model ?? '', sessionId: event.sessionId ?? '' }];
}

function said(state: State, texts: string[]): LogEvent[] {
  if (texts.length === 0) return [];
  state.report.messages += texts.length;
  state.report.answer = answerOf(state);
  return texts.map((text) => ({ kind: 'said', text }));
}

/** The last message; or the plan, with what was said after it. What is said before a plan only announces it. */
function answerOf({ plan, messages, report }: State): string {
  if (!plan) return messages.last();
  const later = report.messages > plan.after ? [messages.last().trim()] : [];
  return tail([plan.text, ...later].join('\n\n'), KEPT_MESSAGE_CHARACTERS);
}

/** A plan is sent up to three times: when its call begins, as a question, and when the call ends. */
function proposePlan(state: State, event: PlanEvent): LogEvent[] {
  const text = event.text.trim();
  if (text === '' || text === state.plan?.text) return [];
  state.plan = { text, after: state.report.messages };
  state.report.answer = answerOf(state);
  return [{ kind: 'plan-proposed', plan: text }];
}

function endTask({ report, calls }: State, event: TaskEndedEvent, atMs: number): LogEvent[] {
  const call = calls.endTask(event, atMs);
  if (call) return [{ kind: 'call-ended', call }];
  const { status, message } = event.outcome;
  const how = status === 'ok' ? 'ended' : `failed (${message})`;
  // A sub-agent's own sub-agent, for example: no call can show its reply.
  const reply =
    event.output === undefined ? '' : `; it said: ${truncate(oneLine(event.output), REPLY_CHARACTERS)}`;
  const text = `Work in the background ${how}: ${event.title || event.taskId}${reply}`;
  return notice(report, { type: 'notice', level: status === 'ok' ? 'info' : 'warning', text }, atMs);
}

function notice(report: RunReport, { level, text, connection }: NoticeEvent, atMs: number): LogEvent[] {
  if (report.notices.length < MAX.notices)
    report.notices.push({ level, text, atMs, ...(connection ? { connection } : {}) });
  if (connection === 'lost') report.lostInARow = (report.lostInARow ?? 0) + 1;
  return [{ kind: 'noticed', level, text }];
}

/** Thinking comes in many small pieces. Only the end of each thought is kept, for debugging. */
function assembleThinking() {
  let text = '';
  return {
    add(event: ThinkingEvent): LogEvent[] {
      text += event.text;
      // Cut only now and then, because each cut copies the text.
      if (text.length > 2 * THOUGHT_CHARACTERS) text = tail(text, THOUGHT_CHARACTERS);
      if (!event.done) return [];
      const thought = tail(text, THOUGHT_CHARACTERS);
      text = '';
      return [{ kind: 'thought', text: thought }];
    },
  };
}

/** A refusal that belongs to a call is that call's outcome. It is not reported a second time. */
function recordRefusal({ report, calls, questions }: State, event: RefusalEvent): LogEvent[] {
  const question = event.queryId === undefined ? undefined : questions.get(keyOf(event.queryId));
  const callId = event.callId ?? question?.callId;
  const refusal = { what: question?.what ?? event.what, reason: event.reason };
  return callId !== undefined && calls.refuse(callId, refusal) ? [] : [refuse(report, refusal)];
}

function refuse(report: RunReport, refusal: Refusal): LogEvent {
  if (report.refusals.length < MAX.refusals) report.refusals.push(refusal);
  else report.moreRefusals += 1;
  return { kind: 'refused', ...refusal };
}

function finish(report: RunReport, event: FinishedEvent): void {
  const { isError, text, exitStatus, failure, sessionId, requestId, model } = event;
  report.result = known<NonNullable<RunReport['result']>>({ isError, text, exitStatus, failure });
  const { durationMs, durationApiMs, usage, costUsd, turns } = event;
  if (sessionId) report.sessionId = sessionId;
  if (requestId) report.requestId = requestId;
  if (model) report.model = model;
  Object.assign(report, known({ durationMs, durationApiMs, usage, costUsd, turns }));
}

/** A list that is sent again unchanged is not logged. */
function updateTodos(report: RunReport, event: TodosEvent): LogEvent[] {
  const before = JSON.stringify(report.todos);
  report.todos = mergeTodos(report.todos, event).slice(0, MAX.todos);
  return JSON.stringify(report.todos) === before ? [] : [{ kind: 'todos-changed', todos: report.todos }];
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

/** The beginning of a longer message is dropped, because the answer is at the end. No single line is longer. */
export const KEPT_MESSAGE_CHARACTERS = 8_000_000;

/** What is known of the messages so far. */
const newAssembly = () => ({
  /** The message that is being written, and the turn it belongs to. */
  open: '',
  turn: undefined as number | undefined,
  /** Whether it came in marked pieces, which are followed by a repeat of the whole. */
  inPieces: false,
  /** Whether it contains more than white space. It is updated with each piece, because a check of the whole would copy it. */
  hasText: false,
  previous: '',
  /** Whether `previous` arrived whole, so that one more repeat of it may come. */
  mayRepeat: false,
  /** A short text that came twice, and is all of `open`: a repeat, or two equal pieces. The result tells. */
  doubled: undefined as string | undefined,
  /** Whether nothing but text came since `previous` arrived whole. */
  isLatest: false,
  /** Whether this build marks pieces and whole messages, so that an unmarked text is whole, too. */
  isMarked: false,
  /** Whether marked pieces were seen. From then on everything new comes in pieces. */
  isPartial: false,
});
type Assembly = ReturnType<typeof newAssembly>;

/**
 * Assembles messages, which arrive in three ways: whole; in pieces that are followed by one or two repeats of the
 * whole (partial output); or in pieces only (old builds).
 */
export function assembleMessages(maxLength = KEPT_MESSAGE_CHARACTERS) {
  const state = newAssembly();
  const append = (text: string) => {
    const joined = state.open + text;
    state.open = joined.length > 2 * maxLength ? tail(joined, maxLength) : joined;
    state.hasText ||= /\S/.test(text);
  };
  const clear = () => Object.assign(state, { open: '', inPieces: false, hasText: false, doubled: undefined });
  const complete = (): string[] => {
    const { open, hasText } = state;
    clear();
    if (!hasText) return [];
    state.previous = tail(open, maxLength);
    return [state.previous];
  };
  const addWhole = (text: string): string[] => {
    // If the pieces so far are this message, it is not reported twice.
    const isTheSame = state.inPieces && !cutRepeat(state, text);
    const ended = isTheSame ? [] : complete();
    clear();
    append(text);
    Object.assign(state, { mayRepeat: true, isLatest: true });
    return [...ended, ...complete()];
  };

  return {
    /** Takes a piece. Returns the messages that are complete now. */
    add({ form, text, turn }: TextEvent): string[] {
      if (isRepeat(state, form, text)) return [];
      state.isMarked ||= form !== 'message';
      if (form === 'repeat' || (form === 'message' && state.inPieces)) return addWhole(text);
      const before = turn !== state.turn ? complete() : [];
      state.turn = turn;
      const doubled = form === 'message' && text === state.open ? text : undefined;
      Object.assign(state, { mayRepeat: false, isLatest: false, doubled });
      append(text);
      if (form === 'delta') Object.assign(state, { inPieces: true, isPartial: true });
      return before;
    },
    /**
     * Something other than text arrived. A `step` (a call begins, the run ends) completes the open message. An `aside`
     * leaves marked pieces open, because the repeat of the whole is still to come. `result` is all text of the run.
     */
    close(by: 'step' | 'aside', result = ''): string[] {
      state.isLatest = false;
      const { open, doubled } = state;
      const isRepeated = doubled !== undefined && result.endsWith(doubled) && !result.endsWith(open);
      if (isRepeated) state.open = doubled;
      if (by === 'aside' && state.inPieces) return [];
      if (by === 'step') state.mayRepeat = false;
      return state.open === '' ? [] : complete();
    },
    /** The last message with any text in it, complete or not. */
    last: (): string => (state.hasText ? state.open : state.previous),
  };
}

/** In builds that mark nothing, a shorter text that comes twice can be two pieces of one message. */
const MIN_REPEATED = 20;

/** Whether this repeats the previous message. In partial output nothing new comes whole, not even after a call. */
function isRepeat(state: Assembly, form: TextEvent['form'], text: string): boolean {
  if (form === 'delta') return false;
  if (state.open !== '') {
    const isWhole = form === 'message' && !state.inPieces;
    return isWhole && text === state.open && (state.isMarked || text.length >= MIN_REPEATED);
  }
  const mayBe = state.isPartial || (state.mayRepeat && form === 'message') || state.isLatest;
  return mayBe && text.trim() === state.previous.trim();
}

/**
 * Removes from the pieces what the whole repeats. Returns whether something is left: that was a message of its own
 * that never arrived whole.
 */
function cutRepeat(state: Assembly, whole: string): boolean {
  const [pieces, repeated] = [state.open.trim(), whole.trim()];
  if (repeated.startsWith(pieces) || repeated.endsWith(pieces)) return false;
  if (repeated !== '' && pieces.endsWith(repeated)) {
    state.open = pieces.slice(0, pieces.length - repeated.length);
    state.hasText = state.open.trim() !== '';
  }
  return true;
}
