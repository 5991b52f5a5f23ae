import type { FailureReason } from '../core/failure.js';
import { findUnasked } from '../report/denials.js';
import { blockingFindings } from '../report/findings.js';
import { judge } from '../report/judge.js';
import type { RunRecord, Verdict } from '../report/model.js';
import { somePaths } from '../text/format.js';
import type { Work } from './open-work.js';
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
  /** Set if some of the change was not reviewed: what the record says about that. */
  partial: Pick<RunRecord, 'unread' | 'context'> | undefined;
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
  const notes = isOnlyWarned ? violations.map((violation) => `Not allowed by the policy: ${violation}`) : [];
  const gap = findGap(work, review);
  const { context } = work.context.recorded;
  const partial = gap && {
    unread: asRecorded(gap),
    ...(context ? { context: withoutFiles(context, gap) } : {}),
  };
  // A run that was cancelled stays cancelled, whatever else is wrong with it.
  if (failureReason(attempt.verdict) === 'cancelled')
    return { verdict: attempt.verdict, answer, partial, notes };
  const verdict = judge({
    ...attempt,
    failOnDenied: inputs.failOnDenied,
    needsAnswer: inputs.preset === 'review' || expectation !== undefined || !found.hasChanges,
    violations: isOnlyWarned ? found.secrets : violations,
    ...(answer.problem === undefined ? {} : { outputProblem: answer.problem }),
    ...(unverified ? { unverified } : {}),
    ...(inputs.failOnSeverity === undefined
      ? {}
      : { incomplete: review?.incomplete ?? (gap && asIncomplete(gap)) }),
    blocking: blockingFindings(answer.recorded.review?.findings ?? [], inputs.failOnSeverity),
  });
  return { verdict, answer, partial, notes };
}

const NO_ANSWER = 'The chats that were to read them gave no answer.';
const TOO_LARGE = 'The change is too large for one run. Split it, or review it in several jobs (plan).';

/** The part of the change that was not reviewed, and why. `files` is empty if they are unknown. */
interface Gap {
  why: string;
  files: readonly string[];
}

/** What the review lacks of the change. The report says so, and a gate does not open. */
function findGap(
  { event, context, reviewed, expectation, inputs }: Work,
  review: ReviewOutcome | undefined,
): Gap | undefined {
  const isReview = inputs.preset === 'review' || expectation?.kind === 'findings';
  if (event.change === undefined || !isReview) return undefined;
  const unread = [...context.unread, ...(review?.unread ?? [])];
  if (unread.length > 0) return { why: context.unread.length === 0 ? NO_ANSWER : TOO_LARGE, files: unread };
  if (expectation?.kind !== 'findings') return undefined;
  if (!reviewed.change)
    return { why: 'The change could not be read, so it is unknown what was reviewed.', files: [] };
  if (reviewed.change.isPartial === true)
    return { why: 'The change has more files than could be read.', files: [] };
  return undefined;
}

function asIncomplete({ why, files }: Gap): { reason: FailureReason; detail: string } {
  const unread = files.length === 0 ? '' : `Not reviewed: ${somePaths(files)}. `;
  const detail = `${unread}${why} \`fail-on-severity\` needs a review of the whole change.`;
  return { reason: 'no-result', detail };
}

const MAX_UNREAD = 100;

const asRecorded = ({ why, files }: Gap): NonNullable<RunRecord['unread']> => ({
  why,
  files: files.slice(0, MAX_UNREAD),
  ...(files.length === 0 ? {} : { count: files.length }),
});

/** Later runs must not believe that these files were reviewed, and no thread about them is closed. */
function withoutFiles(
  context: NonNullable<RunRecord['context']>,
  { files }: Gap,
): NonNullable<RunRecord['context']> {
  const unread = new Set(files);
  return context.map((each) =>
    each.files ? { ...each, files: each.files.filter((path) => !unread.has(path)) } : each,
  );
}
