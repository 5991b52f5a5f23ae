/**
 * What an agent tells us while it runs, whoever the agent is. Dialects turn their records into these; nothing
 * beyond this file knows a wire format.
 */

/** What sort of thing a tool does, in a person's words. */
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
  'other',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** A tool as it is called: its name on the wire, its kind and what it is aimed at. */
export interface ToolUse {
  name: string;
  kind: ToolKind;
  /** The command, query or address; empty where there is none. */
  target: string;
  /** The files or folders it is aimed at, as the record writes them. */
  paths: readonly string[];
  /** Whether this tool is one we know; one we do not is shown by its name and listed. */
  isKnown: boolean;
  /** How long the call may take by its own word. */
  timeoutMs?: number;
}

/** A call whose record does not name its tool. */
export const UNNAMED_TOOL: ToolUse = {
  name: 'unnamed tool',
  kind: 'other',
  target: '',
  paths: [],
  // There is no name to list.
  isKnown: true,
};

export type ToolOutcome =
  | { status: 'ok'; message: string }
  | { status: 'failed'; message: string }
  | { status: 'denied'; message: string };

/** What is known of a call beyond its outcome; each field only where the record says so. */
export interface ToolFacts {
  exitCode?: number;
  linesAdded?: number;
  linesRemoved?: number;
  linesRead?: number;
  matches?: number;
  /** What it printed, found or changed, cut to a bound. */
  output?: string;
}

export type TodoStatus = 'pending' | 'in-progress' | 'done' | 'cancelled';
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

/** Sent once, when the agent has started. */
export interface SessionEvent {
  type: 'session';
  sessionId?: string;
  model?: string;
  cwd?: string;
}

/**
 * A piece of what the agent says. `delta` adds to the message that is being written; `repeat` is the whole of
 * that message once more, or a message of its own where no delta came before; `message` is a whole message, or
 * (old builds) the next piece of one: the fold tells them apart by what stands around it.
 */
export interface TextEvent {
  type: 'text';
  form: 'delta' | 'repeat' | 'message';
  text: string;
  /** The turn it was said in, where the agent counts them: pieces of two turns are two messages. */
  turn?: number;
}

/** The model's thinking, in pieces. */
export interface ThinkingEvent {
  type: 'thinking';
  text: string;
  done: boolean;
}

/** A tool call begins; `callId` is missing where the agent gives none. */
export interface ToolStartedEvent {
  type: 'tool-started';
  callId?: string;
  tool: ToolUse;
  /** When, by the agent's clock. */
  atMs?: number;
}

/** A tool call ended; `tool` is missing where the record does not name it again. */
export interface ToolFinishedEvent {
  type: 'tool-finished';
  callId?: string;
  tool?: ToolUse;
  outcome: ToolOutcome;
  facts: ToolFacts;
  /** When, by the same clock as the beginning's. */
  atMs?: number;
  /** How long it took, where the record itself says so. */
  durationMs?: number;
}

/** The agent's plan, as it stands now; `merge` changes entries of the plan before by their id. */
export interface TodosEvent {
  type: 'todos';
  todos: Todo[];
  merge: boolean;
}

/** The agent asks for a permission. The answer names the question, and only the question names the call. */
export interface AskedEvent {
  type: 'asked';
  queryId: string;
  callId?: string;
  what: string;
}

/** Somebody said no to something the agent asked for; the ids where they are known. */
export interface RefusalEvent {
  type: 'refusal';
  queryId?: string;
  callId?: string;
  what: string;
  reason: string;
}

/** Something a person may want to know that is none of the above: lost connections, retries, refusals. */
export interface NoticeEvent {
  type: 'notice';
  level: 'info' | 'warning';
  text: string;
}

/** Why an agent could not finish, where its own word for it leaves no doubt. */
export type AgentFailure = 'agent-error' | 'rate-limited' | 'cancelled';

/** The end, by the agent's own word. */
export interface FinishedEvent {
  type: 'finished';
  isError: boolean;
  /** The CLI's own result text, or its error message. */
  text: string;
  /** The agent's word for how it ended, where it has one. */
  exitStatus?: string;
  /** What that word means, where it means a failure of a certain kind. */
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
export interface ErrorEvent {
  type: 'error';
  text: string;
}

/**
 * `text` is not JSON; `broken` looks like a record and is not; `record` is JSON no dialect knows; `malformed` is
 * known by its type but wrong; `oversized` was too long to read.
 */
export type UnknownWhy = 'text' | 'broken' | 'record' | 'malformed' | 'oversized';

/** A line nobody understands: kept, counted and shown. */
export interface UnknownEvent {
  type: 'unknown';
  line: number;
  why: UnknownWhy;
  /** What it calls itself, for counting alike ones together. */
  label: string;
  /** Its beginning, for showing. */
  sample: string;
}

export type AgentEvent =
  | SessionEvent
  | TextEvent
  | ThinkingEvent
  | ToolStartedEvent
  | ToolFinishedEvent
  | TodosEvent
  | AskedEvent
  | RefusalEvent
  | NoticeEvent
  | FinishedEvent
  | ErrorEvent
  | UnknownEvent;

/** A record a dialect takes for its own but cannot read. */
export interface Malformed {
  type: 'malformed';
  label: string;
}

export type WireRecord = Readonly<Record<string, unknown>>;

/** One way of writing a stream. */
export interface Dialect {
  name: string;
  /** The events in a record; `undefined` is "not mine", an empty list "mine, and nothing to tell". */
  read(record: WireRecord): (AgentEvent | Malformed)[] | undefined;
}
