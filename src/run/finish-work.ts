import { otherModelNotice } from '../agent/cursor.js';
import { RunFailure } from '../core/failure.js';
import { workFailure } from '../report/findings.js';
import { SUCCESS } from '../report/judge.js';
import type { RunRecord, Skipped } from '../report/model.js';
import { failedResult, nestedSandboxNote } from '../report/verification.js';
import { plural } from '../text/format.js';
import { logLine } from '../text/plain-text.js';
import { findStatements, statementsForm } from './find-statements.js';
import { describeLedger } from './network-rules.js';
import type { Work } from './open-work.js';
import { addNotes, failureReason, type Run } from './run-state.js';
import { findChanges, UNCHECKED } from './find-changes.js';

/**
 * The end of the agent's part, whatever ended it: records what is known about the agent, and applies what the verdict
 * allows to the checkout. The agent is not started again.
 */
export function finishWork(run: Run, work: Work): void {
  const { record } = run;
  const { sandbox, output, rounds, inputs, expectation, starts } = work;
  const { tries, corrections, notes, model } = rounds.record;
  const { hook, network, notes: sandboxNotes } = sandbox.record();
  if (hook && hook.judged > 0)
    output.printLine(
      logLine(`permission hook: ${plural(hook.judged, 'call')}, ${String(hook.denied)} denied`),
    );
  if (network) output.printLine(logLine(describeLedger({ state: 'closed', ...network })));
  const { agentMs, ...written } = output.close();
  Object.assign(record, {
    agentMs,
    tries,
    starts: { used: starts.used, max: starts.max },
    ...(expectation ? { corrections } : {}),
    ...(hook ? { hook } : {}),
    ...(network ? { network: { state: 'closed', ...network } } : {}),
  });
  const otherModel = otherModelNotice(model(), record.report.model);
  const nested =
    sandbox.facts.machine.kind === 'isolated' ? nestedSandboxNote(failedOutputs(record)) : undefined;
  const ownNotes = [otherModel, nested].filter((note) => note !== undefined);
  addNotes(run, [...ownNotes, ...notes, ...sandboxNotes, ...written.notes]);
  run.unwritten.push(...written.unwritten);
  applyChanges(run, work);
  const isSkipped = inputs.onLimit === 'skip' && inputs.failOnSeverity === undefined;
  if (isSkipped && failureReason(record.verdict) === 'usage-limit')
    endSkipped(run, { code: 'usage-limit', reason: ACCOUNT_LIMIT });
}

/** What the commands printed that failed: those of the agent, and those that verify its work. */
function failedOutputs({ report, verification }: RunRecord): string[] {
  const calls = report.tools
    .filter(({ kind, state }) => kind === 'shell' && state === 'failed')
    .map(({ message, facts }) => `${message}\n${facts.output ?? ''}`);
  const failed = verification && failedResult(verification);
  return failed ? [...calls, failed.output] : calls;
}

/** Applies what the verdict allows. If that fails, the run fails. The changes of a cancelled run were not judged. */
function applyChanges(run: Run, work: Work): void {
  const { record } = run;
  const found = work.invocation.cancel.aborted ? UNCHECKED : (work.found ?? findChanges(work));
  Object.assign(record, found.applyAllowed(record.verdict));
  if (statementsForm(work) !== undefined && record.verdict.status === 'success')
    Object.assign(record, findStatements(record, work));
  if (work.mark && !workFailure(record.verdict)) record.reviewed = work.mark;
}

const ACCOUNT_LIMIT =
  'The account behind the API key has reached its usage limit, so the agent could not work.';

/** A success without a result. A gate must not open without a review. */
export function endSkipped({ record }: Pick<Run, 'record'>, skipped: Skipped): void {
  if (record.failOnSeverity !== undefined) {
    const isLimit = skipped.code === 'usage-limit' || skipped.code === 'runs-per-day';
    const detail = `${skipped.reason} \`fail-on-severity\` needs a review.`;
    throw new RunFailure(isLimit ? 'usage-limit' : 'no-result', detail);
  }
  Object.assign(record, { skipped, verdict: SUCCESS, report: { ...record.report, answer: skipped.reason } });
}
