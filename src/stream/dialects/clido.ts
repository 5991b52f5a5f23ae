import { known } from '../../text/json.js';
import type {
  AgentFailure,
  Dialect,
  FinishedEvent,
  ReadEvents,
  TextEvent,
  ToolFinishedEvent,
  ToolStartedEvent,
  WireRecord,
} from '../events.js';
import {
  booleanAt,
  ERROR_CHARACTERS,
  CALL_MESSAGE_CHARACTERS,
  OUTPUT_CHARACTERS,
  entryOf,
  firstTextAt,
  head,
  idAt,
  numberAt,
  readerByType,
  recordAt,
  shortTextAt,
  textAt,
  usageAt,
} from '../record.js';
import { describeTool } from './describe-tool.js';
import { messageText } from './cursor.js';

/**
 * clido's stream-json, both as documented (`tool_start`, `tool_done`, `assistant_text`) and as its source writes it
 * (`tool_use`, `tool_result`, `text`). Its `system/init` is the same as Cursor's.
 */
export const clidoDialect: Dialect = readerByType({
  tool_start: (record) => readStart(record, 'tool_name', 'tool_use_id'),
  tool_use: (record) => readStart(record, 'name', 'id'),
  tool_done: readEnd,
  tool_result: readEnd,
  assistant_text: readText,
  text: readText,
  // Cursor's result has no exit status.
  result: (record) => (textAt(record, 'exit_status') === undefined ? undefined : [readResult(record)]),
});

const malformed = (record: WireRecord): ReadEvents => [
  { type: 'malformed', label: shortTextAt(record, 'type') ?? '' },
];

function readStart(record: WireRecord, nameField: string, idField: string): ReadEvents {
  const name = textAt(record, nameField);
  if (name === undefined) return malformed(record);
  const tool = describeTool(name, recordAt(record, 'input'));
  return [known<ToolStartedEvent>({ type: 'tool-started', tool, callId: idAt(record, idField) })];
}

function readEnd(record: WireRecord): ReadEvents {
  const name = textAt(record, 'tool_name');
  const callId = idAt(record, 'tool_use_id');
  if (callId === undefined && name === undefined) return malformed(record);
  const isError = booleanAt(record, 'is_error') === true;
  const output = head(messageText(record) ?? firstTextAt(record, 'output', 'error') ?? '', OUTPUT_CHARACTERS);
  return [
    known<ToolFinishedEvent>({
      type: 'tool-finished',
      callId,
      tool: name === undefined ? undefined : describeTool(name, recordAt(record, 'input')),
      durationMs: numberAt(record, 'duration_ms'),
      outcome: isError
        ? { status: 'failed', message: head(output, CALL_MESSAGE_CHARACTERS) || 'reported an error' }
        : { status: 'ok', message: '' },
      facts: output === '' ? {} : { output },
    }),
  ];
}

function readText(record: WireRecord): ReadEvents {
  const text = textAt(record, 'text');
  if (text === undefined) return malformed(record);
  return [known<TextEvent>({ type: 'text', form: 'message', text, turn: numberAt(record, 'turn') })];
}

/**
 * What an exit status means. The text for a limit also says how to raise it. A plain `error` has no certain failure,
 * because its message can tell more.
 */
type Meaning = 'success' | { words: string; failure?: AgentFailure };

const because = (words: string, failure: AgentFailure = 'agent-error'): Meaning => ({ words, failure });

const TURNS = because(
  'clido stopped at its limit of turns before the task was done. Raise --max-turns in `extra-args`, or give it a smaller task.',
);
const BUDGET = because(
  'clido stopped at its budget before the task was done. Raise --max-budget-usd in `extra-args`, or give it a smaller task.',
);

const EXIT_STATUS: Readonly<Record<string, Meaning>> = {
  success: 'success',
  completed: 'success',
  max_turns: TURNS,
  max_turns_reached: TURNS,
  max_budget: BUDGET,
  budget_exceeded: BUDGET,
  per_turn_budget_exceeded: because(
    'clido stopped because a single turn used up the budget of one. Raise that budget, or give it a smaller task.',
  ),
  max_wall_time_exceeded: because(
    'clido stopped at its own time limit before the task was done. Raise that limit, or give it a smaller task.',
  ),
  max_tool_calls_per_turn: because(
    'clido stopped because one turn called too many tools. Give it a smaller task, or raise that limit.',
  ),
  stall_detected: because(
    'clido stopped because it made no progress any more. Make the prompt more precise.',
  ),
  doom_loop: because('clido stopped because it repeated the same steps. Make the prompt more precise.'),
  malformed_model_output: because(
    'clido stopped because it could not read what the model answered. Run it again, or use another model.',
  ),
  rate_limited: because(
    'clido stopped because its provider limits how many requests it takes.',
    'rate-limited',
  ),
  interrupted: because('clido was interrupted before the task was done. Run it again.', 'cancelled'),
  error: { words: 'clido reported an error of its own or of its provider.' },
};

/** What its usage calls the tokens. */
const TOKENS = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
};

function readResult(record: WireRecord): FinishedEvent {
  const exitStatus = shortTextAt(record, 'exit_status') ?? '';
  const meaning = meaningOf(exitStatus, booleanAt(record, 'is_error'));
  const said = textAt(record, 'result') ?? '';
  const message = head(firstTextAt(record, 'error', 'message') ?? said, ERROR_CHARACTERS);
  const ending =
    meaning === 'success'
      ? { isError: false, text: said }
      : {
          isError: true,
          text: [meaning.words, message].filter((part) => part).join('\n'),
          failure: meaning.failure,
        };
  return known<FinishedEvent>({
    type: 'finished',
    ...ending,
    exitStatus,
    sessionId: shortTextAt(record, 'session_id'),
    model: shortTextAt(record, 'model'),
    durationMs: numberAt(record, 'duration_ms'),
    usage: usageAt(record, TOKENS),
    costUsd: numberAt(record, 'total_cost_usd'),
    turns: numberAt(record, 'num_turns'),
  });
}

/** An unknown status is not a success, unless the record says that it is not an error. */
function meaningOf(exitStatus: string, isError: boolean | undefined): Meaning {
  const meaning = entryOf(EXIT_STATUS, exitStatus);
  if (meaning === 'success' && isError === true) return { words: 'clido reported an error.' };
  if (meaning) return meaning;
  return isError === false
    ? 'success'
    : { words: `clido ended with "${exitStatus}", which is not a status known here. Read its message.` };
}
