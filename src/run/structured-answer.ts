import { relative, sep } from 'node:path';
import type { ChosenScope } from '../context/choose-scope.js';
import { dismissedIn, standingFindings, withoutRepeated } from '../context/earlier-review.js';
import { messageOf } from '../core/errors.js';
import { findRepository } from '../git/repository.js';
import { blockingFindings, countFindings } from '../report/findings.js';
import { foldEvents } from '../report/fold.js';
import { judgeFindings } from '../report/judge.js';
import type { Correction, Review, RunRecord, Skipped } from '../report/model.js';
import { checkFindings, openCheckout } from '../review/check-findings.js';
import { readAnswer, settleAnswer, type Expectation, type Grounds } from '../review/read-answer.js';
import type { Attempt } from './attempts.js';
import type { Context } from './gather-context.js';
import type { CheckedInputs, ResolvedInputs } from './resolve-inputs.js';

/** The change that findings are compared with, read before the agent starts. */
export async function readChangeUnderReview(
  expectation: Expectation | undefined,
  { change, headFiles }: Pick<Context, 'change' | 'headFiles'>,
): Promise<{ change: Grounds['change']; notes: string[] }> {
  if (expectation?.kind !== 'findings' || !change) return { change: undefined, notes: [] };
  try {
    const [files, isPartial] = await Promise.all([change.files(), change.isPartial()]);
    const headLines = headFiles && new Map(headFiles.map(({ path, lines }) => [path, lines]));
    return { change: { files, isPartial, ...(headLines ? { headLines } : {}) }, notes: [] };
  } catch (error) {
    const note = `The findings could not be compared with the change: ${messageOf(error)}`;
    return { change: undefined, notes: [note] };
  }
}

/** What an answer is read with. */
interface AnswerGrounds extends Pick<Grounds, 'change'> {
  expectation: Expectation | undefined;
  resolved: ResolvedInputs;
  corrections: readonly Correction[];
  /** How much of a pull request was reviewed, if that was decided. */
  scope: Pick<ChosenScope, 'earlier' | 'since'> | undefined;
}

/** The answer as data, and what is wrong with it if it cannot be used. */
export interface KeptAnswer {
  problem?: string;
  /** For the record of the run. */
  recorded: Partial<RunRecord>;
  /** The top of the repository that the findings point into. */
  repository?: string;
}

/**
 * Keeps a usable answer, whatever else became of the run. An answer that cannot be used is a problem only if the run
 * did not fail already: that failure stays the reason.
 */
export function keepAnswer({ report, verdict }: Attempt, grounds: AnswerGrounds): KeptAnswer {
  const { expectation, resolved, change, corrections, scope } = grounds;
  if (!expectation) return { recorded: {} };
  const problem = (text: string): KeptAnswer =>
    verdict.status === 'success' ? { problem: text, recorded: {} } : { recorded: {} };
  if (report.answer.trim() === '') return problem('There is no answer.');
  const root = repositoryOf(resolved);
  const answer = readAnswer(report, expectation, root);
  if (answer.kind === 'invalid') return problem(`${answer.problem}${askedAgain(corrections)}`);
  const prefix = relative(root, resolved.directory).split(sep).join('/');
  const lineCount = lineCounter(root, change);
  const recorded = settleAnswer(answer.value, expectation, { prefix, lineCount, change });
  if (recorded.review && scope) recorded.review = withEarlier(recorded.review, scope, { lineCount, change });
  return { recorded, repository: root };
}

/**
 * A review without what was dismissed, because an agent may forget what it was told. If only what is new was looked
 * at, it has the findings of earlier reviews that still stand.
 */
function withEarlier(
  { summary, findings }: Review,
  { earlier, since }: NonNullable<AnswerGrounds['scope']>,
  { lineCount, change }: Pick<Grounds, 'lineCount' | 'change'>,
): Review {
  const isDismissed = dismissedIn(earlier, change);
  const kept = findings.filter((finding) => !isDismissed(finding));
  const standing = since ? withoutRepeated(standingFindings(earlier, change), kept) : [];
  const dismissed = findings.length - kept.length;
  return {
    summary,
    findings: [...kept, ...checkFindings(standing, change, lineCount)],
    ...(dismissed > 0 ? { dismissed } : {}),
  };
}

/**
 * The end of a run whose agent was not started, because there is nothing new to review. What was found before and
 * still stands counts as in any other run: a second run of the same commit does not open a gate that the first one
 * closed.
 */
export function skipReview(
  ended: CheckedInputs & Pick<Grounds, 'change'> & { skipped: Skipped; scope: ChosenScope },
): KeptAnswer {
  const { inputs, resolved, expectation, skipped, scope, change } = ended;
  // Publish may merge it with the reports of other parts of the change, so it has the mark of a review, too.
  const common = { skipped, reviewed: scope.mark };
  if (expectation?.kind !== 'findings') {
    const report = { ...foldEvents().report, answer: skippedText(skipped) };
    return { recorded: { ...common, report, verdict: judgeFindings([]) } };
  }
  const root = repositoryOf(resolved);
  const standing = standingFindings(scope.earlier, change);
  const findings = checkFindings(standing, change, lineCounter(root, change));
  const review = { summary: skippedText(skipped, countFindings(findings)), findings };
  const verdict = judgeFindings(blockingFindings(findings, inputs.failOnSeverity));
  return { recorded: { ...common, review, verdict }, repository: root };
}

const skippedText = ({ reason, url }: Skipped, standing = ''): string =>
  [
    `No agent was started. ${reason}`,
    ...(standing === '' ? [] : [`Of what was found earlier, this still stands: ${standing}`]),
    ...(url === undefined ? [] : [`The earlier review: ${url}`]),
  ].join('\n\n');

/** How long a file is after the change. The checkout does not have the files of a fork. */
function lineCounter(root: string, change: Grounds['change']): Grounds['lineCount'] {
  const checkout = openCheckout(root);
  const headLines = change?.headLines;
  return (path) => (headLines?.has(path) === true ? headLines.get(path) : checkout.lineCount(path));
}

/** The first entry is about the first answer, which was not a correction. */
function askedAgain(corrections: readonly Correction[]): string {
  const times = corrections.length - 1;
  if (times < 1) return '';
  return `\nThe agent was asked ${times === 1 ? 'once' : `${times} times`} to correct its answer.`;
}

/** Findings name files from the top of the repository, which can be above or below the workspace. */
export const repositoryOf = ({ directory, workspace }: ResolvedInputs): string =>
  findRepository(directory)?.root ?? workspace;
