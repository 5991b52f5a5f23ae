import type { JsonObject } from '../text/json.js';

/**
 * What any agent reports while it runs. Dialects turn their records into these events, and nothing but the dialects
 * knows a wire format.
 */

/** What a tool does, in everyday words. */
export const TOOL_KINDS = [
  'read',
  'edit',
  'delete',
  'shell',
  'search',
  'list',
  'web',
  'mcp',
  'plan',
  'task',
  'wait',
  'other',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** A use of a tool: its name in the stream, its kind, and what it is used on. */
export interface ToolUse {
  name: string;
  kind: ToolKind;
  /** The command, query or address. Empty if there is none. */
  target: string;
  /** The files or folders it is used on, as the record writes them. */
  paths: readonly string[];
  /** Whether this tool is known. One that is not is shown by its name, and listed. */
  isKnown: boolean;
  /** The time limit that the call gives itself. */
  timeoutMs?: number;
  /** The work in the background that it waits for. The target has this id, too. */
  taskId?: string;
}

/** A call whose record does not name its tool. */
export const UNNAMED_TOOL: ToolUse = {
  name: 'unnamed tool',
  kind: 'other',
  target: '',
  paths: [],
  // Because there is no name to list.
  isKnown: true,
};

export type ToolOutcome =
  | { status: 'ok' | 'failed'; message: string }
  /** With `byHook`, a hook of the CLI refused it, and not the CLI's own permissions. */
  | { status: 'denied'; message: string; byHook?: true };

/** What is known of a call besides its outcome. Each field is set only if the record has it. */
export interface ToolFacts {
  exitCode?: number;
  linesAdded?: number;
  linesRemoved?: number;
  linesRead?: number;
  /** The first and the last line of a read that was limited to a range. */
  firstLine?: number;
  lastLine?: number;
  matches?: number;
  /** What it printed, found or changed, up to a limit. */
  output?: string;
}

export const TODO_STATUSES = ['pending', 'in-progress', 'done', 'cancelled'] as const;
export type TodoStatus = (typeof TODO_STATUSES)[number];
export interface Todo {
  id: string;
  text: string;
  status: TodoStatus;
}

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
}

/** Sent when the agent has started, or with the first line that has a session id if nothing announced it before. */
export interface SessionEvent {
  type: 'session';
  sessionId?: string;
  model?: string;
  cwd?: string;
}

/**
 * A piece of what the agent says. `delta` adds to the message that is being written. `repeat` is that whole message once
 * more, or a message of its own if no delta came before. `message` is a whole message or, in old builds, the next piece
 * of one: the fold decides by the events around it.
 */
export interface TextEvent {
  type: 'text';
  form: 'delta' | 'repeat' | 'message';
  text: string;
  /** The turn, if the agent counts turns. Pieces of two turns are two messages. */
  turn?: number;
}

/** The model's thinking, in pieces. */
export interface ThinkingEvent {
  type: 'thinking';
  text: string;
  done: boolean;
}

/** A tool call begins. `callId` is missing if the agent gives none. */
export interface ToolStartedEvent {
  type: 'tool-started';
  callId?: string;
  tool: ToolUse;
  /** When, by the agent's clock. */
  atMs?: number;
}

/**
 * A tool call ended. `tool` is missing if the record does not name it again. With `background`, only the call returned:
 * what it started goes on, and `task-ended` with the same id tells its end.
 */
export interface ToolFinishedEvent {
  type: 'tool-finished';
  callId?: string;
  tool?: ToolUse;
  outcome: ToolOutcome;
  facts: ToolFacts;
  /** When, by the same clock as in `tool-started`. */
  atMs?: number;
  /** How long it took, if the record says so. */
  durationMs?: number;
  background?: { taskId?: string };
}

/** Work in the background, a command or a sub-agent, ended. */
export interface TaskEndedEvent {
  type: 'task-ended';
  taskId: string;
  /** What it was, for the case that its beginning is not known. */
  title: string;
  outcome: ToolOutcome;
  /** What a sub-agent replied. */
  output?: string;
  /** When, by the same clock as in `tool-started`. */
  atMs?: number;
}

/** The agent has finished its reply and stopped the commands that still ran in the background. */
interface ShellsStoppedEvent {
  type: 'shells-stopped';
  atMs?: number;
}

/** A plan that the agent proposes. In plan mode, this is its answer. It can be sent several times. */
export interface PlanEvent {
  type: 'plan';
  text: string;
}

/** The agent's list of steps. With `merge`, it changes entries of the earlier list by their id. */
export interface TodosEvent {
  type: 'todos';
  todos: Todo[];
  merge: boolean;
}

/** The agent asks for permission. The answer names only the question, and the question names the call. */
export interface AskedEvent {
  type: 'asked';
  queryId: string;
  callId?: string;
  what: string;
}

/** Something the agent asked for was refused. The ids are set if they are known. */
export interface RefusalEvent {
  type: 'refusal';
  queryId?: string;
  callId?: string;
  what: string;
  reason: string;
}

/** Anything else that a person may want to know: lost connections, retries. */
export interface NoticeEvent {
  type: 'notice';
  level: 'info' | 'warning';
  text: string;
  /** Set if it is about the connection to the model: it was lost, is back, or a request is sent again. */
  connection?: ConnectionState;
}

export const CONNECTION_STATES = ['lost', 'back', 'retry'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** Why an agent could not finish, if it has a word for that, as clido has. Error texts are read in report/judge.ts. */
export const AGENT_FAILURES = ['agent-error', 'rate-limited', 'cancelled'] as const;
export type AgentFailure = (typeof AGENT_FAILURES)[number];

/** The agent says that it has ended. */
export interface FinishedEvent {
  type: 'finished';
  isError: boolean;
  /** The CLI's own result text, or its error message. */
  text: string;
  /** The agent's word for how it ended, if it has one. */
  exitStatus?: string;
  /** Set if that word means a certain kind of failure. */
  failure?: AgentFailure;
  sessionId?: string;
  requestId?: string;
  model?: string;
  durationMs?: number;
  durationApiMs?: number;
  usage?: TokenUsage;
  costUsd?: number;
  turns?: number;
}

/** An error the agent reported that is not its result. */
interface ErrorEvent {
  type: 'error';
  text: string;
}

/**
 * `text` is not JSON. `broken` looks like a record but is not valid JSON. `record` is JSON that no dialect knows.
 * `malformed` has a known type but wrong content. `oversized` was too long to read.
 */
export const UNKNOWN_WHYS = ['text', 'broken', 'record', 'malformed', 'oversized'] as const;
export type UnknownWhy = (typeof UNKNOWN_WHYS)[number];

/** A line that was not understood. It is kept, counted and shown. */
export interface UnknownEvent {
  type: 'unknown';
  line: number;
  why: UnknownWhy;
  /** What it calls itself. Lines with the same label are counted together. */
  label: string;
  /** Its beginning, to show it. */
  sample: string;
}

export type AgentEvent =
  | SessionEvent
  | TextEvent
  | ThinkingEvent
  | ToolStartedEvent
  | ToolFinishedEvent
  | TaskEndedEvent
  | ShellsStoppedEvent
  | PlanEvent
  | TodosEvent
  | AskedEvent
  | RefusalEvent
  | NoticeEvent
  | FinishedEvent
  | ErrorEvent
  | UnknownEvent;

/** A record that belongs to a dialect but cannot be read by it. */
export interface Malformed {
  type: 'malformed';
  label: string;
}

/** What a dialect reads from a record. */
export type ReadEvents = (AgentEvent | Malformed)[];

export type WireRecord = JsonObject;

/**
 * One format of a stream: the events in a record. `undefined` means "not mine", an empty list means "mine, but nothing to
 * report".
 */
export type Dialect = (record: WireRecord) => ReadEvents | undefined;
