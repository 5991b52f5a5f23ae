import { isObject, known } from '../../text/json.js';
import type {
  AskedEvent,
  Dialect,
  FinishedEvent,
  Malformed,
  ReadEvents,
  RefusalEvent,
  SessionEvent,
  TaskEndedEvent,
  TextEvent,
  ToolOutcome,
  WireRecord,
} from '../events.js';
import {
  booleanAt,
  ERROR_CHARACTERS,
  firstTextAt,
  head,
  idAt,
  numberAt,
  OUTPUT_CHARACTERS,
  readerByType,
  recordAt,
  shortTextAt,
  textAt,
  usageAt,
} from '../record.js';
import { describeTool } from './describe-tool.js';
import { readCall, readPlan } from './tool-call.js';

/** Cursor's stream-json, as documented and as recorded from builds up to 2026.10. */
export const cursorDialect: Dialect = readerByType({
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
});

const WHAT_CHARACTERS = 500;

function readSystem(record: WireRecord): ReadEvents | undefined {
  const atMs = known<{ atMs: number }>({ atMs: numberAt(record, 'timestamp_ms') });
  switch (textAt(record, 'subtype')) {
    case 'init':
      return [readSession(record)];
    case 'task_notification':
      return [readTaskEnd(record, atMs)];
    case 'background_shell_timeout':
      return [{ type: 'shells-stopped', ...atMs }];
    default:
      return undefined;
  }
}

/** Words for a good end of work in the background. Any other word is shown, as a failure. */
const GOOD_ENDS = ['success', 'succeeded', 'completed'];

function readTaskEnd(record: WireRecord, atMs: { atMs?: number }): TaskEndedEvent | Malformed {
  const taskId = idAt(record, 'task_id');
  if (taskId === undefined) return { type: 'malformed', label: 'system/task_notification' };
  const status = shortTextAt(record, 'status') ?? 'success';
  const title = head(firstTextAt(record, 'title') ?? '', WHAT_CHARACTERS);
  const message = head([status, textAt(record, 'detail')].filter((part) => part).join(': '), WHAT_CHARACTERS);
  const isGood = GOOD_ENDS.includes(status.toLowerCase());
  const outcome: ToolOutcome = isGood ? { status: 'ok', message: '' } : { status: 'failed', message };
  const reply = isGood ? firstTextAt(record, 'detail') : undefined;
  const output = reply === undefined ? {} : { output: head(reply, OUTPUT_CHARACTERS) };
  return { type: 'task-ended', taskId, title, outcome, ...output, ...atMs };
}

export function readSession(record: WireRecord): SessionEvent {
  return known<SessionEvent>({
    type: 'session',
    sessionId: shortTextAt(record, 'session_id'),
    model: shortTextAt(record, 'model'),
    cwd: shortTextAt(record, 'cwd'),
  });
}

function readThinking(record: WireRecord): ReadEvents {
  return [
    { type: 'thinking', text: textAt(record, 'text') ?? '', done: textAt(record, 'subtype') === 'completed' },
  ];
}

function readAssistant(record: WireRecord): ReadEvents {
  const text = messageText(recordAt(record, 'message'));
  if (text === undefined) return [{ type: 'malformed', label: 'assistant' }];
  return [{ type: 'text', form: formOf(record), text }];
}

/** Pieces of partial output are recognised by the fields they lack. See TextEvent. */
function formOf(record: WireRecord): TextEvent['form'] {
  if (record['timestamp_ms'] === undefined) return 'message';
  return record['model_call_id'] === undefined ? 'delta' : 'repeat';
}

/** The text of a message, whose content is a string or a list of blocks. */
export function messageText(message: WireRecord | undefined): string | undefined {
  const content = message?.['content'];
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const blocks: readonly unknown[] = content;
  return blocks.map((block) => (isObject(block) ? (textAt(block, 'text') ?? '') : '')).join('');
}

function readToolCall(record: WireRecord): ReadEvents | undefined {
  const call = recordAt(record, 'tool_call');
  return readCall(record, call, idAt(record, 'call_id') ?? idAt(call, 'toolCallId'));
}

/**
 * The agent asks for permission, or gets an answer. A refusal matters, and which call it was about. A plan that is put
 * to the user can be nowhere else in the stream.
 */
function readInteraction(record: WireRecord): ReadEvents {
  const query = recordAt(record, 'query');
  const question = query && questionIn(query);
  const response = recordAt(record, 'response');
  const queryId = idAt(response, 'id') ?? idAt(query, 'id') ?? idAt(record, 'query_id');
  const callId = idAt(record, 'call_id') ?? idAt(query, 'toolCallId') ?? idAt(question?.args, 'toolCallId');
  const what = whatIsAsked(textAt(record, 'query_type') ?? question?.name ?? 'a question', question?.args);
  const rejection = rejectionIn(response ?? record);
  if (rejection) {
    return [known<RefusalEvent>({ type: 'refusal', what, reason: rejection.reason, queryId, callId })];
  }
  if (!question) return [];
  const plan = question.name === 'createPlanRequestQuery' ? readPlan(question.args) : [];
  if (queryId === undefined) return plan;
  return [known<AskedEvent>({ type: 'asked', queryId, what, callId }), ...plan];
}

/** The refusal can be in the answer itself or in an object inside of it. */
function rejectionIn(answer: WireRecord): { reason: string } | undefined {
  const within = Object.values(answer).filter((value) => isObject(value));
  for (const place of [answer, ...within]) {
    const rejected = place['rejected'];
    if (isObject(rejected))
      return { reason: head(firstTextAt(rejected, 'reason', 'error') ?? '', WHAT_CHARACTERS) };
    if (typeof rejected === 'string') return { reason: head(rejected, WHAT_CHARACTERS) };
    if (rejected === true) return { reason: head(textAt(place, 'reason') ?? '', WHAT_CHARACTERS) };
  }
  return undefined;
}

/** `query` is `{id, webFetchRequestQuery: {args}}`, or the arguments themselves. */
function questionIn(query: WireRecord): { name: string | undefined; args: WireRecord } {
  for (const [name, value] of Object.entries(query)) {
    if (isObject(value)) return { name, args: recordAt(value, 'args') ?? value };
  }
  return { name: undefined, args: query };
}

function whatIsAsked(question: string, args: WireRecord | undefined): string {
  const { name, target, paths } = describeTool(question.replace(/(Request|Interaction)?Query$/, ''), args);
  return head([name, target || paths.join(', ')].filter((part) => part).join(' '), WHAT_CHARACTERS);
}

/** How often the CLI itself tries again before it gives up. */
const CLI_RETRIES = 10;

function readConnection(record: WireRecord): ReadEvents {
  const state = shortTextAt(record, 'subtype') ?? 'changed';
  const text = `connection ${state}${attemptOf(record)}`;
  if (state === 'reconnected') return [{ type: 'notice', level: 'info', text, connection: 'back' }];
  const lost = state === 'reconnecting' ? { connection: 'lost' as const } : {};
  return [{ type: 'notice', level: 'warning', text, ...lost }];
}

function readRetry(record: WireRecord): ReadEvents {
  const state = shortTextAt(record, 'subtype') ?? '';
  const text = `retry ${state}${attemptOf(record)}`.trim();
  return [{ type: 'notice', level: 'warning', text, connection: 'retry' }];
}

function attemptOf(record: WireRecord): string {
  const attempt = numberAt(record, 'attempt');
  const limit = attempt !== undefined && attempt <= CLI_RETRIES ? ` of ${CLI_RETRIES}` : '';
  const words = attempt === undefined ? '' : `attempt ${attempt}${limit}`;
  const parts = [words, shortTextAt(record, 'endpoint_url')].filter((part) => part);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** What its usage calls the tokens. */
const TOKENS = {
  input: 'inputTokens',
  output: 'outputTokens',
  cacheRead: 'cacheReadTokens',
  cacheWrite: 'cacheWriteTokens',
};

/** A result is an error if anything in it says so. */
function readResult(record: WireRecord): FinishedEvent {
  const subtype = shortTextAt(record, 'subtype');
  const isError =
    booleanAt(record, 'is_error') === true ||
    (subtype !== undefined && subtype !== 'success') ||
    errorIn(record) !== undefined;
  return known<FinishedEvent>({
    type: 'finished',
    isError,
    text: (isError ? errorText(record) : textAt(record, 'result')) ?? '',
    exitStatus: subtype,
    sessionId: shortTextAt(record, 'session_id'),
    requestId: shortTextAt(record, 'request_id'),
    durationMs: numberAt(record, 'duration_ms'),
    durationApiMs: numberAt(record, 'duration_api_ms'),
    usage: usageAt(record, TOKENS),
  });
}

function errorIn(record: WireRecord): string | undefined {
  return (
    firstTextAt(record, 'error', 'errorMessage') ??
    firstTextAt(recordAt(record, 'error'), 'message', 'error', 'reason')
  );
}

/** No recording of an error is known, so its message is searched in every likely field. */
export function errorText(record: WireRecord): string | undefined {
  const text =
    textAt(record, 'message') || errorIn(record) || firstTextAt(record, 'result', 'reason', 'text');
  return text === undefined ? undefined : head(text, ERROR_CHARACTERS);
}
