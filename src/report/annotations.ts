import { FAILURES } from '../core/failure.js';
import { explanationUrl } from '../core/this-action.js';
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

const annotation = (level: Annotation['level'], title: string, lines: readonly string[]): Annotation => ({
  level,
  title,
  text: truncate(lines.map((line) => logLine(line)).join('\n'), DETAIL_CHARACTERS + 500),
});

/** One error if the run failed; warnings for unrecognised lines and notes. Denied calls are in the log and the summary. */
export function buildAnnotations({
  verdict,
  report,
  verification,
  notes,
  documentsUrl,
}: RunRecord): Annotation[] {
  const unknown = unrecognisedLines(report.unrecognised);
  const warnings = [
    ...(verification?.state === 'passed-with-changed-tests'
      ? [annotation('warning', 'Cursor Agent: only with changed tests', [verificationWords(verification)])]
      : []),
    ...(unknown.length > 0 ? [annotation('warning', 'Cursor Agent: not recognised', unknown)] : []),
    ...notes.map((note) => annotation('warning', 'Cursor Agent', [note])),
  ];
  if (warnings.length > MAX_WARNINGS) {
    const left = warnings.splice(MAX_WARNINGS - 1).length;
    const more = `${left} more warnings; all of them are in the job summary.`;
    warnings.push(annotation('warning', 'Cursor Agent', [more]));
  }
  if (verdict.status === 'success') return warnings;
  const { what, remedy } = FAILURES[verdict.reason];
  const detail = truncate(verdict.detail.trim(), DETAIL_CHARACTERS).split('\n');
  const more = documentsUrl ? [`More: ${explanationUrl(documentsUrl, verdict.reason)}`] : [];
  return [
    ...warnings,
    annotation('error', `Cursor Agent: ${verdict.reason}`, [what, ...detail, remedy, ...more]),
  ];
}

/** Lines of plain text are harmless. Unknown records mean that the CLI may be newer than this action. */
function unrecognisedLines({ labels, tools }: RunRecord['report']['unrecognised']): string[] {
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
