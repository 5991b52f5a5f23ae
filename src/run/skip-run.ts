import type { ChosenScope } from '../context/choose-scope.js';
import { standingFindings } from '../context/earlier-review.js';
import { blockingFindings, countFindings } from '../report/findings.js';
import { judgeFindings } from '../report/judge.js';
import type { RunRecord, Skipped } from '../report/model.js';
import type { Grounds } from '../review/read-answer.js';
import type { CheckedInputs } from './resolve-inputs.js';
import type { Run } from './run.js';
import { checkStanding } from './structured-answer.js';

/**
 * The end of a run whose agent was not started, because there is nothing new to review. What was found before and
 * still stands counts as in any other run: a second run of the same commit does not open a gate that the first one
 * closed.
 */
export function skipReview(
  run: Run,
  ended: CheckedInputs & { skipped: Skipped; scope: ChosenScope; change: Grounds['change'] },
): void {
  const { inputs, resolved, expectation, skipped, scope, change } = ended;
  const { record } = run;
  // Publish may merge it with the reports of other parts of the change.
  Object.assign(record, { skipped, reviewed: scope.mark } satisfies Partial<RunRecord>);
  if (expectation?.kind === 'findings') {
    const { findings, repository } = checkStanding(standingFindings(scope.earlier, change), {
      resolved,
      change,
    });
    record.review = { summary: skippedText(skipped, countFindings(findings)), findings };
    run.repository = repository;
  } else record.report = { ...record.report, answer: skippedText(skipped) };
  record.verdict = judgeFindings(blockingFindings(record.review?.findings ?? [], inputs.failOnSeverity));
}

const skippedText = ({ reason, url }: Skipped, standing = ''): string =>
  [
    `No agent was started. ${reason}`,
    standing === '' ? '' : `Of what was found earlier, this still stands: ${standing}`,
    url === undefined ? '' : `The earlier review: ${url}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
