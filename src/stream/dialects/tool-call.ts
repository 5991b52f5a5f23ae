import { isObject, known } from '../../text/json.js';
import { oneLine } from '../../text/plain-text.js';
import {
  UNNAMED_TOOL,
  type AgentEvent,
  type Malformed,
  type ReadEvents,
  type Todo,
  type TodoStatus,
  type ToolFacts,
  type ToolFinishedEvent,
  type ToolStartedEvent,
  type ToolUse,
  type WireRecord,
  type ToolOutcome,
} from '../events.js';
import {
  booleanAt,
  CALL_MESSAGE_CHARACTERS,
  OUTPUT_CHARACTERS,
  entryOf,
  firstTextAt,
  head,
  listAt,
  numberAt,
  parseRecord,
  recordAt,
  textAt,
  idAt,
  tail,
} from '../record.js';
import { describeTool } from './describe-tool.js';

/**
 * The events of a tool call's beginning or end. `call` is the object that contains the tool's own key, wherever the
 * dialect has it. It is missing if the record has none.
 */
export function readCall(
  record: WireRecord,
  call: WireRecord | undefined,
  callId: string | undefined,
): ReadEvents | undefined {
  const phase = textAt(record, 'subtype');
  if (phase !== 'started' && phase !== 'completed') return undefined;
  const malformed: Malformed = { type: 'malformed', label: `tool_call/${phase}` };
  const named = call && nameOf(call);
  // Without an id, a call can only be recognised by its tool.
  if (callId === undefined && !named) return [malformed];
  const tool = named && describe(named);
  const atMs = numberAt(record, 'timestamp_ms');
  // A call without content still starts and ends, and the problem is reported.
  const asides = [...plansIn(tool?.name, named), ...hookTexts(call, phase), ...(call ? [] : [malformed])];
  if (phase === 'started') {
    const started = { type: 'tool-started' as const, tool: tool ?? UNNAMED_TOOL, callId, atMs };
    return [known<ToolStartedEvent>(started), ...asides];
  }
  const { outcome, facts, background, unknownArm } = readToolResult(named?.result ?? call?.['result']);
  const range = tool?.kind === 'read' && outcome.status === 'ok' ? readRange(named?.args, facts) : {};
  return [
    known<ToolFinishedEvent>({
      type: 'tool-finished',
      callId,
      atMs,
      tool,
      durationMs: call && ownDuration(call),
      outcome,
      facts: { ...facts, ...range },
      background,
    }),
    ...asides,
    ...(unknownArm === undefined
      ? []
      : [{ type: 'malformed' as const, label: `${tool?.name ?? 'tool'} result "${unknownArm}"` }]),
  ];
}

const MAX_HOOK_TEXTS = 10;

/** What hooks told the model about a call. Ours tells nothing. */
function hookTexts(call: WireRecord | undefined, phase: 'started' | 'completed'): AgentEvent[] {
  const contexts = phase === 'completed' ? (listAt(call, 'hookAdditionalContexts') ?? []) : [];
  return contexts.slice(0, MAX_HOOK_TEXTS).flatMap((context): AgentEvent[] => {
    const words = isObject(context) ? firstTextAt(context, 'content') : undefined;
    if (words === undefined || !isObject(context)) return [];
    const hook = firstTextAt(context, 'hookEventName') ?? 'unknown';
    const text = `A hook that is not this action’s (${head(hook, 40)}) told the model: ${oneLine(words)}`;
    return [{ type: 'notice', level: 'info', text: head(text, CALL_MESSAGE_CHARACTERS) }];
  });
}

/** A rejected call can come without its arguments. Then its result says what it was about. */
function describe({ name, args, result }: NamedCall): ToolUse {
  const tool = describeTool(name, args);
  if (!tool.isKnown || tool.target !== '' || tool.paths.length > 0 || !isObject(result)) return tool;
  const arm = Object.values(result).find((value) => isObject(value));
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
    keys.find((name) => isObject(call[name]) && !SIBLINGS.includes(name));
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
  return parseRecord(text) ?? { description: head(text, 2000) };
}

const MAX_TODOS = 200;
const TODO_CHARACTERS = 300;

const STATUS: Readonly<Record<string, TodoStatus>> = {
  pending: 'pending',
  in_progress: 'in-progress',
  completed: 'done',
  cancelled: 'cancelled',
};

/** The plan or the list of steps that a call is about. */
function plansIn(tool: string | undefined, call: NamedCall | undefined): AgentEvent[] {
  switch (tool) {
    case 'createPlan':
      return readPlan(call?.args);
    case 'updateTodos':
      return readTodos(call?.args, call?.result);
    default:
      return [];
  }
}

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
  const success = isObject(result) ? recordAt(result, 'success') : undefined;
  if (isObject(result) && !success) return [];
  const listed = listAt(success, 'todos');
  const entries = listed ?? listAt(args, 'todos');
  if (!entries) return [];
  const isWhole = listed !== undefined && (numberAt(success, 'totalCount') ?? 0) <= listed.length;
  const todos = entries
    .slice(0, MAX_TODOS)
    .flatMap((entry, index) => (isObject(entry) ? [readTodo(entry, index)] : []));
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

const MAX_FILES = 200;

/** The arms of a result that mean that the call was refused. */
const DENIED = ['permissionDenied', 'writePermissionDenied', 'readPermissionDenied', 'rejected'] as const;

/** The arms that mean that the call failed, with a message for those that may have none. */
const FAILED: Readonly<Record<string, string>> = {
  error: '',
  failure: '',
  fileNotFound: 'file not found',
  notFile: 'not a file',
  timeout: 'timed out',
  spawnError: 'could not be started',
};

/** Fields of a result that has no arm. */
const BARE = ['exitCode', 'stdout', 'stderr', 'content', 'output', 'files', 'isError'];

interface ToolResult {
  outcome: ToolOutcome;
  facts: ToolFacts;
  /** Set if the call only started something that goes on in the background. */
  background?: { taskId?: string };
  /** The arm of the result, if it is not a known one. */
  unknownArm?: string;
}

interface Arm {
  means: 'ok' | 'failed' | 'denied';
  name: string;
  body: WireRecord;
  isUnknown?: true;
}

/**
 * The outcome of a call. A result has one arm (`success`, `error`, `rejected`, …) and other fields next to it. An arm is
 * an object, or in some dialects just `true` or a text. An unknown arm counts as failed, because to count it as a success
 * would be the more dangerous guess.
 */
function readToolResult(result: unknown): ToolResult {
  if (typeof result === 'string') {
    return { outcome: OK, facts: known<ToolFacts>({ output: head(result, OUTPUT_CHARACTERS) || undefined }) };
  }
  if (!isObject(result)) return { outcome: OK, facts: {} };
  const arm = armOf(result);
  if (!arm) return { outcome: OK, facts: {} };
  const outcome = outcomeOf(arm);
  return known<ToolResult>({
    outcome,
    facts: factsOf(arm.body),
    background: outcome.status === 'ok' ? backgroundOf(arm.body, result) : undefined,
    unknownArm: arm.isUnknown && head(arm.name, 80),
  });
}

const OK: ToolOutcome = { status: 'ok', message: '' };

/**
 * A shell says beside its arm that it is in the background, a sub-agent says it inside. A shell that took too long is
 * moved there, and its reason tells. The exit code of such a result is 0 and means nothing yet.
 */
function backgroundOf(body: WireRecord, result: WireRecord): { taskId?: string } | undefined {
  const isReasoned = /_REASON_(?!UNSPECIFIED)/.test(textAt(body, 'backgroundReason') ?? '');
  if (!isReasoned && result['isBackground'] !== true && body['isBackground'] !== true) return undefined;
  return known<{ taskId: string }>({ taskId: idAt(body, 'shellId') ?? idAt(body, 'agentId') });
}

function armOf(result: WireRecord): Arm | undefined {
  for (const name of DENIED) {
    const body = bodyOf(result[name]);
    if (body) return { means: 'denied', name, body };
  }
  for (const name of Object.keys(FAILED)) {
    const body = bodyOf(result[name]);
    if (body) return { means: 'failed', name, body };
  }
  if (result['success'] === false) return { means: 'failed', name: 'failure', body: result };
  const success = bodyOf(result['success']);
  if (success) return { means: 'ok', name: 'success', body: success };
  if (BARE.some((name) => result[name] !== undefined)) return { means: 'ok', name: 'success', body: result };
  const [name, body] = Object.entries(result).find(([, value]) => isObject(value)) ?? [];
  return name !== undefined && isObject(body) ? { means: 'failed', name, body, isUnknown: true } : undefined;
}

function bodyOf(value: unknown): WireRecord | undefined {
  if (isObject(value)) return value;
  if (value === true) return {};
  return typeof value === 'string' && value !== '' ? { message: value } : undefined;
}

function outcomeOf({ means, name, body }: Arm): ToolOutcome {
  const words = reasonOf(body);
  if (means === 'denied') return byHook(words) ?? { status: 'denied', message: shortened(words) ?? '' };
  const ending = badEnding(body);
  if (ending !== undefined) return { status: 'failed', message: ending };
  if (means === 'failed') return byHook(words) ?? { status: 'failed', message: failureMessage(name, body) };
  if (booleanAt(body, 'isError') === true) {
    const error = words ?? contentText(body);
    return byHook(error) ?? { status: 'failed', message: shortened(error) ?? 'reported an error' };
  }
  return OK;
}

/**
 * A call that a hook blocked comes as an error or as a rejection, in the hook's own words. The CLI puts some of its
 * words in front, or this order to the model behind. A command that ran and failed is not one, whatever it printed: git
 * has hooks, too.
 */
const BLOCKED_BY_HOOK =
  /^[^\n]{0,200}\bblocked (?:by (?:a|(?:pre|before)[A-Z]\w*) hook|because (?:a configured hook failed|this hook is configured to fail closed))\b/;
const HOOK_NOTE = /(?:^|\n)\s*Agent note: Do not suggest workarounds to the blocked tool\.\s*?(?=\n|$)/g;
/** In front of what a hook wrote to stderr. */
const HOOK_PREFIX = 'Hook blocked with message: ';
/** Where the CLI's editor shows hooks. That does not help a reader of the report. */
const HOOK_ADVICE = /\n+To view or modify configured hooks, go to [\s\S]*$/;
/** Between the messages of several hooks. */
const BETWEEN_HOOKS = '\n\n---\n\n';
const MAX_HOOKS = 10;

/** With the message of each hook in one line. */
function byHook(words: string | undefined): ToolOutcome | undefined {
  if (words === undefined) return undefined;
  const ownWords = words.replace(HOOK_NOTE, '');
  const isBlocked = ownWords !== words || words.startsWith(HOOK_PREFIX) || BLOCKED_BY_HOOK.test(words);
  if (!isBlocked) return undefined;
  const messages = ownWords
    .replace(HOOK_ADVICE, '')
    .split(BETWEEN_HOOKS)
    .slice(0, MAX_HOOKS)
    .map((message) => head(oneLine(withoutPrefix(message)), CALL_MESSAGE_CHARACTERS));
  return { status: 'denied', message: messages.join('\n'), byHook: true };
}

const withoutPrefix = (message: string): string =>
  message.startsWith(HOOK_PREFIX) ? message.slice(HOOK_PREFIX.length) : message;

const shortened = (words: string | undefined): string | undefined =>
  words === undefined ? undefined : head(words, CALL_MESSAGE_CHARACTERS);

/** How a command ended if not with 0, in whichever arm it is reported. */
function badEnding(body: WireRecord): string | undefined {
  const signal = firstTextAt(body, 'signal');
  if (signal) return `ended by ${head(signal, 40)}`;
  const exitCode = numberAt(body, 'exitCode');
  return exitCode !== undefined && exitCode !== 0 ? `exit ${exitCode}` : undefined;
}

function failureMessage(name: string, body: WireRecord): string {
  const timeoutMs = numberAt(body, 'timeoutMs');
  if (name === 'timeout' && timeoutMs !== undefined) return `timed out after ${timeoutMs / 1000} s`;
  const words = entryOf(FAILED, name) ?? head(name, 80);
  return [words, shortened(reasonOf(body))].filter((part) => part).join(': ') || 'failed';
}

function reasonOf(body: WireRecord): string | undefined {
  const text =
    firstTextAt(body, 'reason', 'error', 'errorMessage', 'message', 'stderr') ??
    firstTextAt(recordAt(body, 'error'), 'message', 'error', 'reason');
  return text?.trim();
}

function factsOf(body: WireRecord): ToolFacts {
  return known<ToolFacts>({
    exitCode: numberAt(body, 'exitCode'),
    linesAdded: numberAt(body, 'linesAdded') ?? numberAt(body, 'linesCreated'),
    linesRemoved: numberAt(body, 'linesRemoved'),
    linesRead: numberAt(body, 'totalLines'),
    ...rangeOf(body),
    matches: matchCount(body),
    output: outputOf(body),
  });
}

/** The lines that were read, unless that is the whole file. */
function rangeOf(body: WireRecord): { firstLine?: number; lastLine?: number } {
  const range = recordAt(body, 'readRange');
  const [from, to] = [numberAt(range, 'startLine'), numberAt(range, 'endLine')];
  const total = numberAt(body, 'totalLines');
  if (from === undefined || to === undefined || to < from) return {};
  return from <= 1 && (total === undefined || to >= total) ? {} : { firstLine: from, lastLine: to };
}

/** How many results were found. */
function matchCount(body: WireRecord): number | undefined {
  // A linter counts the files it checked, not what it found in them.
  if (body['totalDiagnostics'] !== undefined) return undefined;
  return numberAt(body, 'totalFiles') ?? listAt(body, 'files')?.length ?? matchesIn(body);
}

/** A content search reports lines, files or counts, for each workspace. */
function matchesIn(body: WireRecord): number | undefined {
  const places = recordAt(body, 'workspaceResults');
  if (!places) return undefined;
  let sum = 0;
  for (const place of Object.values(places)) {
    if (!isObject(place)) continue;
    const content = recordAt(place, 'content');
    const files = recordAt(place, 'files');
    sum +=
      numberAt(content, 'totalMatchedLines') ??
      numberAt(content, 'totalLines') ??
      numberAt(files, 'totalFiles') ??
      numberAt(recordAt(place, 'count'), 'totalMatches') ??
      0;
  }
  return sum;
}

/** What a call produced: the end of a command's output, the diff of an edit, the beginning of a file. */
function outputOf(body: WireRecord): string | undefined {
  const printed =
    firstTextAt(body, 'interleavedOutput') ??
    ([textAt(body, 'stdout'), textAt(body, 'stderr')].filter((part) => part).join('\n') || undefined);
  if (printed !== undefined) return tail(printed, OUTPUT_CHARACTERS);
  const text =
    firstTextAt(body, 'diffString', 'content', 'output', 'message') ??
    contentText(body) ??
    fileNames(body) ??
    replyOf(body);
  return text === undefined ? undefined : head(text, OUTPUT_CHARACTERS);
}

/** What a sub-agent said, the last of it. */
function replyOf(body: WireRecord): string | undefined {
  const texts = listAt(body, 'conversationSteps')?.map((step) =>
    isObject(step) ? (textAt(recordAt(step, 'assistantMessage'), 'text') ?? '') : '',
  );
  return texts?.findLast((text) => text.trim() !== '');
}

function contentText(body: WireRecord): string | undefined {
  const texts = listAt(body, 'content')?.map((block) =>
    isObject(block) ? (textAt(block, 'text') ?? textAt(recordAt(block, 'text'), 'text') ?? '') : '',
  );
  return texts?.join('\n').trim() || undefined;
}

function fileNames(body: WireRecord): string | undefined {
  const names = listAt(body, 'files')?.slice(0, MAX_FILES) ?? [];
  return names.filter((name) => typeof name === 'string').join('\n') || undefined;
}
