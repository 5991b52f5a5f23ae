import { known } from '../../text/json.js';
import type { Dialect, FinishedEvent, ReadEvents, WireRecord } from '../events.js';
import { booleanAt, entryOf, idAt, numberAt, recordAt, shortTextAt, textAt } from '../record.js';
import { errorText, messageText, readSession } from './cursor.js';
import { readCall } from './tool-call.js';

/**
 * A format that wraps each of Cursor's events in a `payload`. Calls have their id inside, and their results do not name
 * the tool again.
 */
export const payload: Dialect = (record) => {
  const body = recordAt(record, 'payload');
  return body && entryOf(READERS, textAt(record, 'type') ?? '')?.(record, body);
};

const READERS: Readonly<Record<string, (record: WireRecord, body: WireRecord) => ReadEvents | undefined>> = {
  system: (record, body) => (textAt(record, 'subtype') === 'init' ? [readSession(body)] : undefined),
  user: () => [],
  thinking: readThinking,
  assistant: readAssistant,
  tool_call: readToolCall,
  result: (record, body) => [readResult(record, body)],
  error: (record, body) => [
    { type: 'error', text: errorText(body) ?? errorText(record) ?? 'an error without a message' },
  ],
};

/** Only pieces are marked. A thought without a mark is complete. */
function readThinking(record: WireRecord, body: WireRecord): ReadEvents {
  const text = messageText(body) ?? textAt(body, 'text') ?? '';
  return [{ type: 'thinking', text, done: textAt(record, 'subtype') !== 'delta' }];
}

function readAssistant(_record: WireRecord, body: WireRecord): ReadEvents {
  const text = messageText(recordAt(body, 'message')) ?? messageText(body);
  return text === undefined
    ? [{ type: 'malformed', label: 'assistant' }]
    : [{ type: 'text', form: 'message', text }];
}

function readToolCall(record: WireRecord, body: WireRecord): ReadEvents | undefined {
  const call = recordAt(body, 'toolCall') ?? recordAt(body, 'tool_call');
  return readCall(record, call, idAt(call, 'id') ?? idAt(call, 'toolCallId') ?? idAt(body, 'call_id'));
}

/** A result is an error if anything in it says so. */
function readResult(record: WireRecord, body: WireRecord): FinishedEvent {
  const subtype = shortTextAt(record, 'subtype');
  const exitCode = numberAt(body, 'exitCode') ?? numberAt(record, 'exitCode') ?? 0;
  const isError =
    (booleanAt(body, 'is_error') ?? booleanAt(record, 'is_error')) === true ||
    (subtype !== undefined && subtype !== 'success') ||
    exitCode !== 0;
  const words = errorText(body) ?? errorText(record);
  const said = textAt(body, 'result') ?? textAt(record, 'result');
  const unsaid = exitCode === 0 ? '' : `It ended with exit code ${exitCode} and gave no message.`;
  return known<FinishedEvent>({
    type: 'finished',
    isError,
    text: isError ? (words ?? unsaid) : (said ?? ''),
    exitStatus: subtype,
    sessionId: shortTextAt(body, 'session_id') ?? shortTextAt(record, 'session_id'),
    durationMs: numberAt(body, 'duration_ms') ?? numberAt(record, 'duration_ms'),
  });
}
