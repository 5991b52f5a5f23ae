import type { ToolFacts, ToolOutcome, WireRecord } from '../events.js';
import {
  booleanAt,
  entryOf,
  firstTextAt,
  head,
  idAt,
  isRecord,
  known,
  listAt,
  numberAt,
  recordAt,
  tail,
  textAt,
} from '../record.js';

/** How much of what a call printed, found or changed is kept. */
const OUTPUT_CHARACTERS = 4000;
const MESSAGE_CHARACTERS = 500;
const MOST_FILES = 200;

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

export interface ToolResult {
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
  isKnown: boolean;
}

/**
 * The outcome of a call. A result has one arm (`success`, `error`, `rejected`, …) and other fields next to it. An arm is
 * an object, or in some dialects just `true` or a text. An unknown arm counts as failed, because to count it as a success
 * would be the more dangerous guess.
 */
export function readToolResult(result: unknown): ToolResult {
  if (typeof result === 'string') {
    return { outcome: OK, facts: known<ToolFacts>({ output: head(result, OUTPUT_CHARACTERS) || undefined }) };
  }
  const arm = isRecord(result) ? armOf(result) : undefined;
  if (!arm) return { outcome: OK, facts: {} };
  const outcome = outcomeOf(arm);
  const background = outcome.status === 'ok' ? backgroundOf(arm.body, result) : undefined;
  return {
    outcome,
    facts: factsOf(arm.body),
    ...(background ? { background } : {}),
    ...(arm.isKnown ? {} : { unknownArm: head(arm.name, 80) }),
  };
}

const OK: ToolOutcome = { status: 'ok', message: '' };

/**
 * A shell says beside its arm that it is in the background, a sub-agent says it inside. A shell that took too long is
 * moved there, and its reason tells. The exit code of such a result is 0 and means nothing yet.
 */
function backgroundOf(body: WireRecord, result: unknown): { taskId?: string } | undefined {
  const beside = isRecord(result) ? booleanAt(result, 'isBackground') : undefined;
  const isReasoned = /_REASON_(?!UNSPECIFIED)/.test(textAt(body, 'backgroundReason') ?? '');
  const isBackground = beside === true || booleanAt(body, 'isBackground') === true || isReasoned;
  if (!isBackground) return undefined;
  return known<{ taskId: string }>({ taskId: idAt(body, 'shellId') ?? idAt(body, 'agentId') });
}

function armOf(result: WireRecord): Arm | undefined {
  const isKnown = true;
  for (const name of DENIED) {
    const body = bodyOf(result[name]);
    if (body) return { means: 'denied', name, body, isKnown };
  }
  for (const name of Object.keys(FAILED)) {
    const body = bodyOf(result[name]);
    if (body) return { means: 'failed', name, body, isKnown };
  }
  if (result['success'] === false) return { means: 'failed', name: 'failure', body: result, isKnown };
  const success = bodyOf(result['success']);
  if (success) return { means: 'ok', name: 'success', body: success, isKnown };
  if (BARE.some((name) => result[name] !== undefined)) {
    return { means: 'ok', name: 'success', body: result, isKnown };
  }
  const [name, body] = Object.entries(result).find(([, value]) => isRecord(value)) ?? [];
  return name !== undefined && isRecord(body) ? { means: 'failed', name, body, isKnown: false } : undefined;
}

function bodyOf(value: unknown): WireRecord | undefined {
  if (isRecord(value)) return value;
  if (value === true) return {};
  return typeof value === 'string' && value !== '' ? { message: value } : undefined;
}

function outcomeOf({ means, name, body }: Arm): ToolOutcome {
  if (means === 'denied') {
    const reason = reasonOf(body) ?? '';
    return byHook(reason) ?? { status: 'denied', message: reason };
  }
  const ending = badEnding(body);
  if (ending !== undefined) return { status: 'failed', message: ending };
  if (means === 'failed')
    return byHook(reasonOf(body)) ?? { status: 'failed', message: failureMessage(name, body) };
  if (booleanAt(body, 'isError') === true) {
    const words = reasonOf(body) ?? contentText(body);
    return (
      byHook(words) ?? { status: 'failed', message: head(words ?? 'reported an error', MESSAGE_CHARACTERS) }
    );
  }
  return OK;
}

/**
 * The CLI reports a call that a hook blocked as an error. A command that ran and failed is not one, whatever it printed:
 * git has hooks, too.
 */
const BLOCKED_BY_HOOK = /^[^\n]{0,200}\bblocked by (?:a|(?:pre|before)[A-Z]\w*) hook\b/;

const byHook = (words: string | undefined): ToolOutcome | undefined =>
  words !== undefined && BLOCKED_BY_HOOK.test(words)
    ? { status: 'denied', message: head(words.replace(HOOK_ADVICE, ''), MESSAGE_CHARACTERS), byHook: true }
    : undefined;

/** The CLI adds where its editor shows hooks, and an order to the model. Neither helps a reader of the report. */
const HOOK_ADVICE = /\n+To view or modify configured hooks, go to [\s\S]*$/;

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
  return [words, reasonOf(body)].filter((part) => part).join(': ') || 'failed';
}

function reasonOf(body: WireRecord): string | undefined {
  const text =
    firstTextAt(body, 'reason', 'error', 'errorMessage', 'message', 'stderr') ??
    firstTextAt(recordAt(body, 'error'), 'message', 'error', 'reason');
  return text === undefined ? undefined : head(text.trim(), MESSAGE_CHARACTERS);
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
    if (!isRecord(place)) continue;
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
  const shown =
    firstTextAt(body, 'diffString', 'content', 'output', 'message') ?? contentText(body) ?? fileNames(body);
  return shown === undefined ? undefined : head(shown, OUTPUT_CHARACTERS);
}

function contentText(body: WireRecord): string | undefined {
  const texts = listAt(body, 'content')?.map((block) =>
    isRecord(block) ? (textAt(block, 'text') ?? textAt(recordAt(block, 'text'), 'text') ?? '') : '',
  );
  return texts?.join('\n').trim() || undefined;
}

function fileNames(body: WireRecord): string | undefined {
  const names = listAt(body, 'files')?.slice(0, MOST_FILES) ?? [];
  return names.filter((name) => typeof name === 'string').join('\n') || undefined;
}
