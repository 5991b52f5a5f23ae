import { FAILURES } from '../core/failure.js';
import { logLine, truncate } from '../text/plain-text.js';
import type { RunRecord } from './model.js';
import { verificationWords } from './verification.js';

interface Annotation {
  level: 'error' | 'warning';
  title: string;
  text: string;
}

/** GitHub shows ten annotations of a level per step, and cuts each at 4,096 characters. */
const MAX_WARNINGS = 10;
const DETAIL_CHARACTERS = 3000;
const MAX_LINES = 10;

/** One error if the run failed; warnings for unrecognised lines and notes. Denied calls are in the log and the summary. */
export function buildAnnotations(record: RunRecord): Annotation[] {
  const warnings = [
    ...warning('Cursor Agent: only with changed tests', changedTests(record)),
    ...warning('Cursor Agent: not recognised', unrecognised(record)),
    ...record.notes.flatMap((note) => warning('Cursor Agent', [note])),
  ];
  const left = warnings.length - MAX_WARNINGS;
  const shown =
    left <= 0
      ? warnings
      : [
          ...warnings.slice(0, MAX_WARNINGS - 1),
          ...warning('Cursor Agent', [`${left + 1} more warnings; all of them are in the job summary.`]),
        ];
  return [...shown, ...failed(record)];
}

const safe = (lines: readonly string[]): string =>
  truncate(lines.map((line) => logLine(line)).join('\n'), DETAIL_CHARACTERS + 500);

/** Nothing if there are no lines. */
const warning = (title: string, lines: readonly string[]): Annotation[] =>
  lines.length === 0 ? [] : [{ level: 'warning', title, text: safe(lines) }];

function failed({ verdict }: RunRecord): Annotation[] {
  if (verdict.status === 'success') return [];
  const { what, remedy } = FAILURES[verdict.reason];
  const detail = truncate(verdict.detail.trim(), DETAIL_CHARACTERS).split('\n');
  return [
    { level: 'error', title: `Cursor Agent: ${verdict.reason}`, text: safe([what, ...detail, remedy]) },
  ];
}

/** The files without which the change does not pass. */
const changedTests = ({ verification }: RunRecord): string[] =>
  verification?.state === 'passed-with-changed-tests' ? [verificationWords(verification)] : [];

/** Lines of plain text are harmless. Unknown records mean that the CLI may be newer than this action. */
function unrecognised({ report }: RunRecord): string[] {
  const { labels, tools } = report.unrecognised;
  const counts = [
    ...Object.entries(labels).filter(([label]) => label !== 'text'),
    ...Object.entries(tools).map(([tool, some]) => [`tool ${tool}`, some] as const),
  ];
  if (counts.length === 0) return [];
  return [
    'Parts of the agent’s stream are not known to this version of the action; the CLI may be newer.',
    ...counts.slice(0, MAX_LINES).map(([label, some]) => `${truncate(label, 100)} × ${some}`),
  ];
}
