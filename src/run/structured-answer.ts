import { relative, sep } from 'node:path';
import { openCheckout } from '../review/checkout-files.js';
import { runUntilUsable } from './correct-answer.js';
import type { Expectation } from '../review/expectation.js';
import { readAnswer, settleAnswer, type Grounds } from '../review/read-answer.js';
import type { Change } from '../context/change.js';
import { messageOf } from '../core/error-message.js';
import { runAttempts, type Attempt, type Attempts } from './attempts.js';
import { findRepository } from '../git/repository.js';
import type { Places } from './input-files.js';
import { logLine } from '../text/plain-text.js';
import type { RunRecord } from '../report/model.js';
import type { Run } from './run.js';
import type { Telling } from './run-output.js';

/** The change that findings are held against, as it was before the agent started. */
export async function changeUnderReview(
  expectation: Expectation | undefined,
  change: Change | undefined,
  record: RunRecord,
): Promise<Grounds['change']> {
  if (expectation?.kind !== 'findings' || !change) return undefined;
  try {
    return { files: await change.files() };
  } catch (error) {
    record.notes.push(`The findings could not be held against the change: ${messageOf(error)}`);
    return undefined;
  }
}

export interface Rounds {
  expectation: Expectation | undefined;
  places: Places;
  attempts: Attempts;
  telling: Telling;
  record: RunRecord;
}

/** Starts the agent until it has answered, and where an answer has to have a form, until it has that too. */
export function runRounds({ expectation, places, attempts, telling, record }: Rounds): Promise<Attempt> {
  if (!expectation) return runAttempts(attempts);
  const { root } = groundsOf(places);
  record.corrections = [];
  return runUntilUsable({
    expectation,
    read: (report) => readAnswer(report, expectation, root),
    run: (limits) => runAttempts({ ...attempts, ...limits }),
    totalMs: attempts.totalMs,
    cancel: attempts.cancel,
    tell: (line) => {
      telling.printLine(logLine(telling.redaction.redact(line)));
    },
    onReport: telling.onReport,
    corrections: record.corrections,
    notes: record.notes,
  });
}

/**
 * Puts a usable answer into the record, whatever else became of the run. Tells what is wrong with one that is not,
 * unless the run failed for another reason: then that is the reason.
 */
export function keepAnswer(
  run: Run,
  { report, verdict }: Attempt,
  { expectation, places, change }: Pick<Rounds, 'expectation' | 'places'> & Pick<Grounds, 'change'>,
): string | undefined {
  if (!expectation || report.answer.trim() === '') {
    return expectation && verdict.status === 'success' ? 'There is no answer.' : undefined;
  }
  const { root, prefix } = groundsOf(places);
  const answer = readAnswer(report, expectation, root);
  if (answer.kind === 'invalid') {
    return verdict.status === 'success' ? `${answer.problem}${askedAgain(run.record)}` : undefined;
  }
  const { lineCount } = openCheckout(root);
  Object.assign(run.record, settleAnswer(answer.value, expectation, { root, prefix, lineCount, change }));
  run.repository = root;
  return undefined;
}

/** The first answer is not one that was asked for again. */
function askedAgain({ corrections = [] }: RunRecord): string {
  const times = corrections.length - 1;
  if (times < 1) return '';
  return `\nThe agent was asked ${times === 1 ? 'once' : `${times} times`} to correct its answer.`;
}

/** Findings name files from the top of the repository, which may be above or below the workspace. */
function groundsOf({ directory, workspace }: Places): { root: string; prefix: string } {
  const root = findRepository(directory)?.root ?? workspace;
  return { root, prefix: relative(root, directory).split(sep).join('/') };
}
