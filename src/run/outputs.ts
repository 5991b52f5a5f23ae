import { structuredText } from '../review/read-answer.js';
import { exitCodeOf } from '../core/exit.js';
import { truncate } from '../text/plain-text.js';
import { number } from '../text/format.js';
import { doesCount } from '../report/findings.js';
import type { RunRecord } from '../report/model.js';
import { countCalls } from '../report/run-report.js';
import { setOutput } from '../core/runner.js';
import { failureReason } from './run-state.js';

/** All outputs of a job together may have 1 MB, counted in UTF-16. */
const RESULT_CHARACTERS = 200_000;
const PATHS_CHARACTERS = 100_000;

export type Outputs = ReturnType<typeof buildOutputs>;

/** Every output of action.yml. An unknown value is empty. */
export function buildOutputs(record: RunRecord) {
  const { verdict, report, files } = record;
  const changes = record.changes?.kind === 'known' ? record.changes : undefined;
  const { calls, failed, denied } = countCalls(report);
  const text = (value: string | number | undefined) => (value === undefined ? '' : String(value));
  return {
    status: verdict.status,
    'failure-reason': text(failureReason(verdict)),
    skipped: record.skipped?.code ?? '',
    result: truncate(report.answer.trim(), RESULT_CHARACTERS),
    'result-file': text(files.result),
    'result-full': truncate(
      report.result && !report.result.isError ? report.result.text : '',
      RESULT_CHARACTERS,
    ),
    'duration-ms': text(Math.round(report.durationMs ?? record.agentMs ?? record.wallMs)),
    'duration-api-ms': text(report.durationApiMs ?? report.durationMs),
    'session-id': text(report.sessionId),
    'request-id': text(report.requestId),
    model: text(report.model),
    'cli-version': text(record.setup?.cliVersion),
    'exit-code': text(record.exit && exitCodeOf(record.exit)),
    'tool-calls': text(calls),
    'tool-calls-failed': text(failed),
    'tool-calls-denied': text(denied),
    usage: report.usage ? JSON.stringify(report.usage) : '',
    'cost-usd': text(report.costUsd),
    turns: text(report.turns),
    'has-changes': changes ? String(changes.paths.length > 0) : '',
    'changed-files': changes ? pathsText(changes.paths).text : '',
    'patch-file': text(changes?.patchFile),
    'rejected-patch-file': text(changes?.rejectedPatchFile),
    'proposal-branch': proposalBranch(record),
    verification: record.verification?.state ?? 'none',
    ...reviewCounts(record),
    'structured-output': structuredText(record.structuredOutput).text,
    'transcript-file': text(files.transcript),
    'report-file': text(files.report),
    'report-html': text(files.html),
    'report-url': text(record.pageUrl),
    'sarif-file': text(files.sarif),
    'rdjson-file': text(files.rdjson),
  };
}

/** Empty if there is nothing for `propose` to do: a run that was skipped or has failed changes no pull request. */
function proposalBranch({ proposal, verdict, skipped, changes }: RunRecord): string {
  if (!proposal || skipped || verdict.status === 'failure' || changes?.kind !== 'known') return '';
  return changes.paths.length > 0 || proposal.isTaken ? proposal.branch : '';
}

/** How many findings are for people to see, how many are withheld from them, and how many passes answered. */
function reviewCounts({ review, passes }: RunRecord) {
  const counting = review?.findings.filter(doesCount) ?? [];
  const withheld = counting.filter((finding) => finding.withheld).length;
  return {
    findings: review ? String(counting.length - withheld) : '',
    'findings-withheld': review ? String(withheld) : '',
    passes: passes ? `${passes.answered}/${passes.started}` : '',
  };
}

/** The output `changed-files`: a JSON array with as many paths as fit. */
export function pathsText(paths: readonly string[]): { text: string; note?: string } {
  let [room, count] = [PATHS_CHARACTERS - '[]'.length, 0];
  for (const path of paths) {
    room -= JSON.stringify(path).length + ','.length;
    if (room < 0) break;
    count += 1;
  }
  const text = JSON.stringify(paths.slice(0, count));
  const missing = paths.length - count;
  if (missing === 0) return { text };
  const note =
    `changed-files is without ${number(missing)} of ${number(paths.length)} paths, because an output takes ` +
    `${number(PATHS_CHARACTERS)} characters; patch-file and report-file have them all.`;
  return { text, note };
}

/** Sets every output that can be set. Returns the errors of the others. */
export function setOutputs(outputs: Outputs): unknown[] {
  return Object.entries(outputs).flatMap(([name, value]) => {
    try {
      setOutput(name, value);
      return [];
    } catch (problem) {
      return [problem];
    }
  });
}
