import type { ToolFacts, ToolOutcome, WireRecord } from '../events.js';
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
  tail,
  textAt,
} from '../record.js';

/** How much of what a call printed, found or changed is kept. */
const OUTPUT_CHARACTERS = 4000;
const MESSAGE_CHARACTERS = 500;

/** The arms of a result that mean somebody said no. */
const DENIED: readonly string[] = [
  'permissionDenied',
  'writePermissionDenied',
  'readPermissionDenied',
  'rejected',
];

const FAILED_WORDS: Readonly<Record<string, string>> = {
  fileNotFound: 'file not found',
  notFile: 'not a file',
  timeout: 'timed out',
  spawnError: 'could not be started',
};

/** A result has one arm (`success`, `error`, `rejected`, …) beside siblings that are no arms. */
function armOf(result: WireRecord): { name: string; arm: WireRecord } | undefined {
  for (const [name, value] of Object.entries(result)) {
    if (isRecord(value)) return { name, arm: value };
  }
  const flagged = Object.entries(result).find(([name, value]) => value === true && name !== 'isBackground');
  return flagged ? { name: flagged[0], arm: {} } : undefined;
}

export function readOutcome(result: WireRecord | undefined): ToolOutcome {
  const found = result && armOf(result);
  if (!found) return { status: 'ok', message: '' };
  const { name, arm } = found;
  if (DENIED.includes(name)) return { status: 'denied', message: reasonOf(arm) ?? '' };
  if (name !== 'success') return { status: 'failed', message: failureMessage(name, arm) };
  const exitCode = numberAt(arm, 'exitCode');
  if (exitCode !== undefined && exitCode !== 0) return { status: 'failed', message: `exit ${exitCode}` };
  if (booleanAt(arm, 'isError') === true)
    return { status: 'failed', message: reasonOf(arm) ?? 'reported an error' };
  return { status: 'ok', message: '' };
}

function failureMessage(name: string, arm: WireRecord): string {
  const exitCode = numberAt(arm, 'exitCode');
  if (exitCode !== undefined) return `exit ${exitCode}`;
  const timeoutMs = numberAt(arm, 'timeoutMs');
  if (name === 'timeout' && timeoutMs !== undefined) return `timed out after ${timeoutMs / 1000} s`;
  const words = entryOf(FAILED_WORDS, name) ?? (name === 'error' || name === 'failure' ? undefined : name);
  const reason = reasonOf(arm);
  return [words, reason].filter((part) => part !== undefined).join(': ') || 'failed';
}

function reasonOf(arm: WireRecord): string | undefined {
  const text = firstTextAt(arm, 'reason', 'error', 'errorMessage', 'message', 'stderr');
  return text === undefined ? undefined : head(text, MESSAGE_CHARACTERS);
}

export function readFacts(result: WireRecord | undefined): ToolFacts {
  const found = result && armOf(result);
  if (!found) return {};
  const { arm } = found;
  return known<ToolFacts>({
    exitCode: numberAt(arm, 'exitCode'),
    linesAdded: numberAt(arm, 'linesAdded') ?? numberAt(arm, 'linesCreated'),
    linesRemoved: numberAt(arm, 'linesRemoved'),
    linesRead: numberAt(arm, 'totalLines'),
    matches: numberAt(arm, 'totalFiles') ?? listAt(arm, 'files')?.length,
    output: outputOf(arm),
  });
}

/** What a call left to look at: a command's last words, an edit's difference, a reader's first lines. */
function outputOf(arm: WireRecord): string | undefined {
  const printed =
    firstTextAt(arm, 'interleavedOutput') ??
    ([textAt(arm, 'stdout'), textAt(arm, 'stderr')].filter((part) => part).join('\n') || undefined);
  if (printed !== undefined) return tail(printed, OUTPUT_CHARACTERS);
  const shown = firstTextAt(arm, 'diffString', 'content', 'message') ?? contentBlocks(arm) ?? fileNames(arm);
  return shown === undefined ? undefined : head(shown, OUTPUT_CHARACTERS);
}

function contentBlocks(arm: WireRecord): string | undefined {
  return listAt(arm, 'content')
    ?.map((block) =>
      isRecord(block) ? (textAt(block, 'text') ?? textAt(recordAt(block, 'text'), 'text') ?? '') : '',
    )
    .join('\n');
}

function fileNames(arm: WireRecord): string | undefined {
  return listAt(arm, 'files')
    ?.filter((name) => typeof name === 'string')
    .join('\n');
}
