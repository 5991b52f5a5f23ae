import type {
  AgentEvent,
  Dialect,
  FinishedEvent,
  Malformed,
  TextEvent,
  TokenUsage,
  ToolStartedEvent,
  WireRecord,
} from '../events.js';
import {
  booleanAt,
  entryOf,
  firstTextAt,
  isRecord,
  known,
  listAt,
  numberAt,
  recordAt,
  textAt,
} from '../record.js';
import { describeTool } from '../tool-words.js';
import { readFacts, readOutcome } from './cursor-results.js';
import { readTodos } from './cursor-todos.js';

/** Cursor's stream-json, as documented and as recorded from builds up to 2026.10. */
export const cursor: Dialect = {
  name: 'cursor',
  read(record) {
    const type = textAt(record, 'type');
    const reader = type === undefined ? undefined : entryOf(READERS, type);
    return reader?.(record);
  },
};

type Read = (AgentEvent | Malformed)[];

const READERS: Readonly<Record<string, (record: WireRecord) => Read | undefined>> = {
  system: readSystem,
  user: () => [],
  thinking: readThinking,
  assistant: readAssistant,
  tool_call: readToolCall,
  interaction_query: readInteraction,
  connection: readConnection,
  retry: readRetry,
  result: (record) => [readResult(record)],
  error: (record) => [{ type: 'error', text: errorText(record) ?? 'an error without a message' }],
};

function readSystem(record: WireRecord): Read | undefined {
  if (textAt(record, 'subtype') !== 'init') return undefined;
  return [
    {
      type: 'session',
      ...known<{ sessionId: string; model: string; cwd: string }>({
        sessionId: textAt(record, 'session_id'),
        model: textAt(record, 'model'),
        cwd: textAt(record, 'cwd'),
      }),
    },
  ];
}

function readThinking(record: WireRecord): Read {
  return [
    { type: 'thinking', text: textAt(record, 'text') ?? '', done: textAt(record, 'subtype') === 'completed' },
  ];
}

function readAssistant(record: WireRecord): Read {
  const text = messageText(recordAt(record, 'message'));
  if (text === undefined) return [{ type: 'malformed', label: 'assistant' }];
  return [{ type: 'text', form: formOf(record), text }];
}

/** Partial output marks its pieces by what is missing: see TextEvent. */
function formOf(record: WireRecord): TextEvent['form'] {
  if (record['timestamp_ms'] === undefined) return 'message';
  return record['model_call_id'] === undefined ? 'delta' : 'repeat';
}

/** The text of a message, whose content is a string or a list of blocks. */
export function messageText(message: WireRecord | undefined): string | undefined {
  const whole = textAt(message, 'content');
  if (whole !== undefined) return whole;
  return listAt(message, 'content')
    ?.map((block) => (isRecord(block) ? (textAt(block, 'text') ?? '') : ''))
    .join('');
}

function readToolCall(record: WireRecord): Read | undefined {
  const callId = textAt(record, 'call_id') ?? textAt(recordAt(record, 'tool_call'), 'toolCallId');
  const call = recordAt(record, 'tool_call');
  const subtype = textAt(record, 'subtype');
  if (subtype !== 'started' && subtype !== 'completed') return undefined;
  if (callId === undefined || !call) return [{ type: 'malformed', label: `tool_call/${subtype}` }];
  const named = nameOf(call);
  const tool = named && describeTool(named.name, named.args);
  const startedAtMs = numberAt(call, 'startedAtMs');
  const timestamp = numberAt(record, 'timestamp_ms');
  const todos = named?.name === 'updateTodosToolCall' ? readTodos(named.args, named.result) : [];
  if (subtype === 'started') {
    const started: ToolStartedEvent = {
      type: 'tool-started',
      callId,
      tool: tool ?? describeTool('unnamed tool', undefined),
      ...known<{ atMs: number }>({ atMs: startedAtMs ?? timestamp }),
    };
    return [started, ...todos];
  }
  return [
    {
      type: 'tool-finished',
      callId,
      ...(tool ? { tool } : {}),
      outcome: readOutcome(named?.result),
      facts: readFacts(named?.result),
      ...known<{ startedAtMs: number; atMs: number }>({
        startedAtMs,
        atMs: numberAt(call, 'completedAtMs') ?? timestamp,
      }),
    },
    ...todos,
  ];
}

interface NamedCall {
  name: string;
  args: WireRecord | undefined;
  result: WireRecord | undefined;
}

/** The tool's own key among its siblings: the one that ends in `ToolCall`, or `function`. */
export function nameOf(call: WireRecord): NamedCall | undefined {
  for (const [key, value] of Object.entries(call)) {
    if (!isRecord(value)) continue;
    if (key === 'function') {
      const name = textAt(value, 'name') ?? 'function';
      return {
        name,
        args: argumentsOf(value),
        result: recordAt(value, 'result') ?? recordAt(call, 'result'),
      };
    }
    if (key.endsWith('ToolCall')) {
      return { name: key, args: recordAt(value, 'args') ?? value, result: recordAt(value, 'result') };
    }
  }
  return undefined;
}

/** A function's arguments travel as JSON in a string. */
function argumentsOf(call: WireRecord): WireRecord | undefined {
  const text = textAt(call, 'arguments');
  if (text === undefined) return recordAt(call, 'arguments');
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : { description: text };
  } catch {
    return { description: text };
  }
}

function readInteraction(record: WireRecord): Read {
  const query = textAt(record, 'query_type') ?? 'a question';
  const response = recordAt(record, 'response');
  const rejected = recordAt(response, 'rejected');
  if (!rejected && booleanAt(response, 'rejected') !== true) return [];
  const callId =
    firstTextAt(record, 'call_id', 'tool_call_id') ?? textAt(recordAt(record, 'query'), 'toolCallId');
  const reason = textAt(rejected, 'reason') ?? '';
  return [{ type: 'refusal', ...(callId ? { callId } : {}), what: query, reason }];
}

function readConnection(record: WireRecord): Read {
  const state = textAt(record, 'subtype') ?? 'changed';
  const level = state === 'reconnected' ? 'info' : 'warning';
  return [{ type: 'notice', level, text: `connection ${state}${attemptOf(record)}` }];
}

function readRetry(record: WireRecord): Read {
  const state = textAt(record, 'subtype') ?? '';
  return [{ type: 'notice', level: 'warning', text: `retry ${state}${attemptOf(record)}`.trim() }];
}

function attemptOf(record: WireRecord): string {
  const attempt = numberAt(record, 'attempt');
  return attempt === undefined ? '' : ` (attempt ${attempt})`;
}

function readResult(record: WireRecord): FinishedEvent {
  const subtype = textAt(record, 'subtype');
  const isError = booleanAt(record, 'is_error') ?? (subtype !== undefined && subtype !== 'success');
  const text = isError ? (errorText(record) ?? '') : (textAt(record, 'result') ?? '');
  return {
    type: 'finished',
    isError,
    text,
    ...known<Omit<FinishedEvent, 'type' | 'isError' | 'text'>>({
      exitStatus: subtype,
      sessionId: textAt(record, 'session_id'),
      requestId: textAt(record, 'request_id'),
      model: undefined,
      durationMs: numberAt(record, 'duration_ms'),
      durationApiMs: numberAt(record, 'duration_api_ms'),
      usage: readUsage(recordAt(record, 'usage')),
      costUsd: numberAt(record, 'total_cost_usd'),
      turns: numberAt(record, 'num_turns'),
    }),
  };
}

function readUsage(usage: WireRecord | undefined): TokenUsage | undefined {
  if (!usage) return undefined;
  return {
    inputTokens: numberAt(usage, 'inputTokens') ?? 0,
    outputTokens: numberAt(usage, 'outputTokens') ?? 0,
    cacheReadTokens: numberAt(usage, 'cacheReadTokens') ?? 0,
    cacheWriteTokens: numberAt(usage, 'cacheWriteTokens') ?? 0,
  };
}

/** Where an error keeps its words: no recording of one is known, so every likely place is looked at. */
export function errorText(record: WireRecord): string | undefined {
  return (
    firstTextAt(record, 'message', 'error', 'result', 'errorMessage', 'reason') ??
    firstTextAt(recordAt(record, 'error'), 'message', 'error', 'reason')
  );
}
