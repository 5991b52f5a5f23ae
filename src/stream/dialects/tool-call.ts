import {
  UNNAMED_TOOL,
  type AgentEvent,
  type Malformed,
  type ToolFinishedEvent,
  type ToolUse,
  type WireRecord,
} from '../events.js';
import { head, isRecord, known, numberAt, recordAt, textAt } from '../record.js';
import { describeTool } from '../tool-words.js';
import { readToolResult } from './cursor-results.js';
import { readTodos } from './cursor-todos.js';

/** A tool call of Cursor's, wherever in its record it stands. */
export interface CallRecord {
  phase: 'started' | 'completed';
  callId: string | undefined;
  /** The object that holds the tool's own key; missing where the record has none. */
  call: WireRecord | undefined;
  timestampMs: number | undefined;
}

/** The events of a tool call's beginning or end. */
export function readCall(record: CallRecord): (AgentEvent | Malformed)[] {
  const { phase, callId, call, timestampMs } = record;
  const malformed: Malformed = { type: 'malformed', label: `tool_call/${phase}` };
  const named = call && nameOf(call);
  // Without an id a call can only be known by its tool.
  if (callId === undefined && !named) return [malformed];
  const tool = named && describe(named);
  const todos = tool?.name === 'updateTodos' ? readTodos(named?.args, named?.result) : [];
  const ids = known<{ callId: string; atMs: number }>({ callId, atMs: timestampMs });
  // A call without its contents still opens and closes, and what is wrong with it is told.
  const asides = [...todos, ...(call ? [] : [malformed])];
  if (phase === 'started') return [{ type: 'tool-started', tool: tool ?? UNNAMED_TOOL, ...ids }, ...asides];
  const { outcome, facts, unknownArm } = readToolResult(named?.result ?? call?.['result']);
  const durationMs = call && ownDuration(call);
  return [
    {
      type: 'tool-finished',
      ...ids,
      ...known<Pick<ToolFinishedEvent, 'tool' | 'durationMs'>>({ tool, durationMs }),
      outcome,
      facts,
    },
    ...asides,
    ...(unknownArm === undefined
      ? []
      : [{ type: 'malformed' as const, label: `${tool?.name ?? 'tool'} result "${unknownArm}"` }]),
  ];
}

/** A rejected call may come back without its arguments; what it was about then stands in the arm of its result. */
function describe({ name, args, result }: NamedCall): ToolUse {
  const tool = describeTool(name, args);
  if (tool.target !== '' || tool.paths.length > 0 || !isRecord(result)) return tool;
  const arm = Object.values(result).find((value) => isRecord(value));
  return arm ? describeTool(name, arm) : tool;
}

/** By the call's own two times. They are of another clock than the record's, so the two are never mixed. */
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

/** Objects beside the tool's own key that are not it. */
const SIBLINGS = ['result', 'metadata', 'usage'];

/** The tool's own key: the one that ends in `ToolCall`, or `function`; failing both, any other object. */
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
  return { name: key, args: recordAt(value, 'args') ?? value, result: value?.['result'] };
}

/** A function's arguments travel as JSON in a string. */
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
