import type { FailureReason } from '../core/failure.js';
import { findUnasked } from '../report/denials.js';
import { blockingFindings } from '../report/findings.js';
import { judge } from '../report/judge.js';
import type { Verdict } from '../report/model.js';
import { somePaths } from '../text/format.js';
import type { Work } from './finish-work.js';
import type { Proof } from './prove-change.js';
import type { ReviewOutcome } from './review-passes.js';
import { failureReason } from './run-state.js';
import { keepAnswer, type KeptAnswer } from './structured-answer.js';

export interface Outcome extends Proof {
  /** What came of a review in several passes. */
  review: ReviewOutcome | undefined;
}

interface JudgedOutcome {
  verdict: Verdict;
  answer: KeptAnswer;
  notes: string[];
}

/** The final verdict, from the agent's exit, its answer and its changes. Each start had a preliminary one. */
export function judgeOutcome(work: Work, { attempt, found, unverified, review }: Outcome): JudgedOutcome {
  const { inputs, expectation, rounds, setup } = work;
  const { corrections, lost } = rounds.record;
  const answer = review?.kept ?? keepAnswer(attempt, { ...work, corrections });
  const unasked = [...lost, attempt.report].flatMap((report) => findUnasked(report, setup.deny));
  const violations = [...found.violations, ...new Set(unasked)];
  const isOnlyWarned = inputs.onViolation === 'warn';
  const notes = isOnlyWarned ? violations.map((one) => `Not allowed by the policy: ${one}`) : [];
  // A run that was cancelled stays cancelled, whatever else is wrong with it.
  if (failureReason(attempt.verdict) === 'cancelled') return { verdict: attempt.verdict, answer, notes };
  const verdict = judge({
    ...attempt,
    failOnDenied: inputs.failOnDenied,
    needsAnswer: inputs.preset === 'review' || expectation !== undefined || !found.hasChanges,
    violations: isOnlyWarned ? found.secrets : violations,
    ...(answer.problem === undefined ? {} : { outputProblem: answer.problem }),
    ...(unverified ? { unverified } : {}),
    ...(inputs.failOnSeverity === undefined ? {} : { incomplete: review?.incomplete ?? findGap(work) }),
    blocking: blockingFindings(answer.recorded.review?.findings ?? [], inputs.failOnSeverity),
  });
  return { verdict, answer, notes };
}

/** Why the review is not about the whole change. Only a gate minds. */
function findGap({ event, context, reviewed }: Work): { reason: FailureReason; detail: string } | undefined {
  const gap = (what: string) => ({
    reason: 'no-result' as const,
    detail: `${what} \`fail-on-severity\` needs a review of the whole change.`,
  });
  if (event.change === undefined) return undefined;
  if (!reviewed.change) return gap('The change could not be read, so nobody knows what was reviewed.');
  if (reviewed.change.isPartial === true) return gap('The change has more files than could be read.');
  if (context.unread.length === 0) return undefined;
  return gap(
    `These changed files are not in the diff, because it would be too long: ${somePaths(context.unread)}.`,
  );
}
