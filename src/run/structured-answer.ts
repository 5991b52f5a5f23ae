import { relative, sep } from 'node:path';
import type { ChosenScope } from '../context/choose-scope.js';
import { dismissedIn, standingFindings, withoutTold } from '../context/earlier-review.js';
import type { CheckedFinding, Finding, Review } from '../report/findings.js';
import { checkFindings, openCheckout } from '../review/check-findings.js';
import { runUntilUsable } from './correct-answer.js';
import { type Expectation, readAnswer, settleAnswer, type Grounds } from '../review/read-answer.js';
import type { Change } from '../context/change.js';
import type { HeadFile } from '../context/head-files.js';
import { messageOf } from '../core/errors.js';
import { runAttempts, type Attempt, type AttemptLimits, type Attempts } from './attempts.js';
import { findRepository } from '../git/repository.js';
import type { ResolvedInputs } from './resolve-inputs.js';
import { logLine } from '../text/plain-text.js';
import type { Correction, RunRecord, Try, Verdict } from '../report/model.js';
import { verdictOf } from './run.js';
import type { RunOutput } from './run-output.js';

/** The change that findings are compared with, read before the agent starts. */
export async function changeUnderReview(
  expectation: Expectation | undefined,
  { change, headFiles }: { change?: Change; headFiles?: readonly HeadFile[] | undefined },
): Promise<{ reviewed: Grounds['change']; notes: string[] }> {
  if (expectation?.kind !== 'findings' || !change) return { reviewed: undefined, notes: [] };
  try {
    const [files, isPartial] = await Promise.all([change.files(), change.isPartial()]);
    const headLines = headFiles && new Map(headFiles.map(({ path, lines }) => [path, lines]));
    return { reviewed: { files, isPartial, ...(headLines ? { headLines } : {}) }, notes: [] };
  } catch (error) {
    const note = `The findings could not be compared with the change: ${messageOf(error)}`;
    return { reviewed: undefined, notes: [note] };
  }
}

export interface Rounds {
  expectation: Expectation | undefined;
  resolved: ResolvedInputs;
  attempts: Omit<Attempts, 'tries'>;
  output: RunOutput;
}

/** What became of the agent. There is no attempt if it could not be run to its end. */
export interface Outcome {
  verdict: Verdict;
  attempt?: Attempt;
  /** For the report, whatever the verdict. */
  told: Pick<RunRecord, 'tries' | 'corrections'>;
  notes: string[];
}

/** Starts the agent until it has answered and, if the answer must match a schema, until it does. */
export async function runRounds({ expectation, resolved, attempts, output }: Rounds): Promise<Outcome> {
  const notes: string[] = [];
  const told = { tries: [] as Try[], ...(expectation ? { corrections: [] as Correction[] } : {}) };
  const run = (limits: Partial<AttemptLimits> = {}) =>
    runAttempts({ ...attempts, ...limits, tries: told.tries });
  try {
    const attempt = expectation
      ? await runUntilUsable({
          expectation,
          read: (report) => readAnswer(report, expectation, groundsOf(resolved).root),
          run,
          totalMs: attempts.totalMs,
          cancel: attempts.cancel,
          tell: (line) => {
            output.printLine(logLine(output.redaction.redact(line)));
          },
          onReport: output.onReport,
          corrections: told.corrections ?? [],
          notes,
        })
      : await run();
    return { verdict: attempt.verdict, attempt, told, notes };
  } catch (error) {
    return { verdict: verdictOf(error), told, notes };
  }
}

/** The answer as data, and what is wrong with it if it cannot be used. */
export interface KeptAnswer {
  problem?: string;
  told: Partial<Pick<RunRecord, 'structuredOutput' | 'review'>>;
  repository?: string;
}

/**
 * Keeps a usable answer, whatever else became of the run. An answer that cannot be used is a problem only if the run
 * did not fail already: that failure stays the reason.
 */
export function keepAnswer({ report, verdict }: Attempt, grounds: AnswerGrounds): KeptAnswer {
  const { expectation, resolved, change, corrections, scope } = grounds;
  if (!expectation) return { told: {} };
  const problem = (text: string): KeptAnswer =>
    verdict.status === 'success' ? { problem: text, told: {} } : { told: {} };
  if (report.answer.trim() === '') return problem('There is no answer.');
  const { root, prefix } = groundsOf(resolved);
  const answer = readAnswer(report, expectation, root);
  if (answer.kind === 'invalid') return problem(`${answer.problem}${askedAgain(corrections)}`);
  const told = settleAnswer(answer.value, expectation, {
    root,
    prefix,
    lineCount: lineCounter(root, change),
    change,
  });
  const review = told.review && scope ? withEarlier(told.review, scope, grounds) : told.review;
  return { told: { ...told, ...(review ? { review } : {}) }, repository: root };
}

/**
 * A review without what was dismissed, because an agent may forget what it was told. If only what is new was looked
 * at, it has the findings of earlier reviews that still stand.
 */
function withEarlier(
  { summary, findings }: Review,
  { earlier, since }: ScopeOfAnswer,
  { resolved, change }: AnswerGrounds,
): Review {
  const isDismissed = dismissedIn(earlier, change);
  const kept = findings.filter((finding) => !isDismissed(finding));
  const standing = since ? withoutTold(standingFindings(earlier, change), kept) : [];
  const dismissed = findings.length - kept.length;
  return {
    summary,
    findings: [...kept, ...checkStanding(standing, { resolved, change }).findings],
    ...(dismissed > 0 ? { dismissed } : {}),
  };
}

/** What an answer is read with. */
interface AnswerGrounds extends Pick<Rounds, 'expectation' | 'resolved'>, Pick<Grounds, 'change'> {
  corrections: readonly Correction[];
  /** How much of a pull request was reviewed, if that was decided. */
  scope: ScopeOfAnswer | undefined;
}

type ScopeOfAnswer = Pick<ChosenScope, 'earlier' | 'since'>;

/** Earlier findings that still stand, looked up like those of the agent. */
export function checkStanding(
  standing: readonly Finding[],
  { resolved, change }: Pick<AnswerGrounds, 'resolved' | 'change'>,
): { findings: CheckedFinding[]; repository: string } {
  const { root } = groundsOf(resolved);
  return { findings: checkFindings(standing, change, lineCounter(root, change)), repository: root };
}

/** How long a file is after the change. The checkout does not have the files of a fork. */
function lineCounter(root: string, change: Grounds['change']): (path: string) => number | undefined {
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
function groundsOf({ directory, workspace }: ResolvedInputs): { root: string; prefix: string } {
  const root = findRepository(directory)?.root ?? workspace;
  return { root, prefix: relative(root, directory).split(sep).join('/') };
}
