import {
  UNNAMED_TOOL,
  type AgentEvent,
  type Malformed,
  type Todo,
  type TodoStatus,
  type ToolFacts,
  type ToolFinishedEvent,
  type ToolUse,
  type WireRecord,
} from '../events.js';
import {
  booleanAt,
  entryOf,
  firstTextAt,
  head,
  isRecord,
  known,
  listAt,
  numberAt,
  recordAt,
  textAt,
} from '../record.js';
import { describeTool } from './describe-tool.js';
import { readToolResult } from './cursor-results.js';

/** A tool call of Cursor, wherever it is in its record. */
export interface CallRecord {
  phase: 'started' | 'completed';
  callId: string | undefined;
  /** The object that contains the tool's own key. Missing if the record has none. */
  call: WireRecord | undefined;
  timestampMs: number | undefined;
}

/** The events of a tool call's beginning or end. */
export function readCall(record: CallRecord): (AgentEvent | Malformed)[] {
  const { phase, callId, call, timestampMs } = record;
  const malformed: Malformed = { type: 'malformed', label: `tool_call/${phase}` };
  const named = call && nameOf(call);
  // Without an id, a call can only be recognised by its tool.
  if (callId === undefined && !named) return [malformed];
  const tool = named && describe(named);
  const planned = tool?.name === 'createPlan' ? readPlan(named?.args) : [];
  const todos = tool?.name === 'updateTodos' ? readTodos(named?.args, named?.result) : planned;
  const ids = known<{ callId: string; atMs: number }>({ callId, atMs: timestampMs });
  // A call without content still starts and ends, and the problem is reported.
  const asides = [...todos, ...(call ? [] : [malformed])];
  if (phase === 'started') return [{ type: 'tool-started', tool: tool ?? UNNAMED_TOOL, ...ids }, ...asides];
  const { outcome, facts, background, unknownArm } = readToolResult(named?.result ?? call?.['result']);
  const durationMs = call && ownDuration(call);
  const range = tool?.kind === 'read' && outcome.status === 'ok' ? readRange(named?.args, facts) : {};
  return [
    {
      type: 'tool-finished',
      ...ids,
      ...known<Pick<ToolFinishedEvent, 'tool' | 'durationMs'>>({ tool, durationMs }),
      outcome,
      facts: { ...facts, ...range },
      ...(background ? { background } : {}),
    },
    ...asides,
    ...(unknownArm === undefined
      ? []
      : [{ type: 'malformed' as const, label: `${tool?.name ?? 'tool'} result "${unknownArm}"` }]),
  ];
}

/** A rejected call can come without its arguments. Then its result says what it was about. */
function describe({ name, args, result }: NamedCall): ToolUse {
  const tool = describeTool(name, args);
  if (!tool.isKnown || tool.target !== '' || tool.paths.length > 0 || !isRecord(result)) return tool;
  const arm = Object.values(result).find((value) => isRecord(value));
  return arm ? describeTool(name, arm) : tool;
}

/** The lines that a call asked for, unless its result says which ones it got. An offset below 1 counts from the end. */
function readRange(args: WireRecord | undefined, facts: ToolFacts): ToolFacts {
  const [offset, limit] = [numberAt(args, 'offset') ?? 1, numberAt(args, 'limit')];
  if (facts.firstLine !== undefined || offset < 1) return {};
  if (limit !== undefined && limit > 0) return { firstLine: offset, lastLine: offset + limit - 1 };
  return offset > 1 ? { firstLine: offset } : {};
}

/** By the two times in the call. They are from another clock than the record's, so the two are never mixed. */
function ownDuration(call: WireRecord): number | undefined {
  const from = numberAt(call, 'startedAtMs');
  const to = numberAt(call, 'completedAtMs');
  return from === undefined || to === undefined || to < from ? undefined : to - from;
}

interface NamedCall {
  name: string;
  args: WireRecord | undefined;
  result: unknown;
}

/** Other objects next to the tool's own key. */
const SIBLINGS = ['result', 'metadata', 'usage'];

/** The tool's own key ends in `ToolCall`, or is `function`. If there is neither, it is any other object. */
function nameOf(call: WireRecord): NamedCall | undefined {
  const keys = Object.keys(call);
  const key =
    keys.find((name) => name.endsWith('ToolCall')) ??
    keys.find((name) => name === 'function') ??
    keys.find((name) => isRecord(call[name]) && !SIBLINGS.includes(name));
  if (key === undefined) return undefined;
  const value = recordAt(call, key);
  if (key === 'function') {
    return { name: textAt(value, 'name') ?? key, args: argumentsOf(value), result: value?.['result'] };
  }
  const { result, ...fields } = value ?? {};
  return { name: key, args: recordAt(value, 'args') ?? fields, result };
}

/** The arguments of a function are JSON in a string. */
function argumentsOf(call: WireRecord | undefined): WireRecord | undefined {
  const text = textAt(call, 'arguments');
  if (text === undefined) return recordAt(call, 'arguments');
  const unread = { description: head(text, 2000) };
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : unread;
  } catch {
    return unread;
  }
}

const MOST_TODOS = 200;
const TODO_CHARACTERS = 300;

const STATUS: Readonly<Record<string, TodoStatus>> = {
  pending: 'pending',
  in_progress: 'in-progress',
  completed: 'done',
  cancelled: 'cancelled',
};

/** The plan in a createPlan call or in the question about it, and its steps. */
export function readPlan(args: WireRecord | undefined): AgentEvent[] {
  const text = firstTextAt(args, 'plan');
  const steps = readTodos(args, undefined);
  return text === undefined ? steps : [{ type: 'plan', text }, ...steps];
}

/**
 * The steps in an updateTodos call. Its result has all of them, its arguments possibly only changes. A result that
 * counts more entries than it lists has only changes, too.
 */
function readTodos(args: WireRecord | undefined, result: unknown): AgentEvent[] {
  const success = isRecord(result) ? recordAt(result, 'success') : undefined;
  if (isRecord(result) && !success) return [];
  const listed = listAt(success, 'todos');
  const given = listed ?? listAt(args, 'todos');
  if (!given) return [];
  const isWhole = listed !== undefined && (numberAt(success, 'totalCount') ?? 0) <= listed.length;
  const todos = given
    .slice(0, MOST_TODOS)
    .flatMap((entry, index) => (isRecord(entry) ? [readTodo(entry, index)] : []));
  const merge = !isWhole && (listed !== undefined || booleanAt(args, 'merge') === true);
  return [{ type: 'todos', todos, merge }];
}

function readTodo(entry: WireRecord, index: number): Todo {
  const status = (firstTextAt(entry, 'status') ?? '').replace(/^TODO_STATUS_/, '').toLowerCase();
  return {
    id: head(firstTextAt(entry, 'id') ?? String(numberAt(entry, 'id') ?? index), 100),
    text: head(firstTextAt(entry, 'content', 'text', 'title') ?? '', TODO_CHARACTERS),
    status: entryOf(STATUS, status) ?? 'pending',
  };
}
