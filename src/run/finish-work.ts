import { otherModelNotice } from '../agent/cursor.js';
import { RunFailure } from '../core/failure.js';
import { workFailure } from '../report/findings.js';
import { SUCCESS } from '../report/judge.js';
import type { RunRecord, Skipped } from '../report/model.js';
import { failedResult, nestedSandboxNote } from '../report/verification.js';
import { plural } from '../text/format.js';
import { logLine } from '../text/plain-text.js';
import type { GithubEvent } from '../github/event.js';
import type { PassPlan, ReviewChat } from '../review/effort.js';
import type { Context } from './gather-context.js';
import { findStatements, sourcesForm } from './give-sources.js';
import type { Inputs } from './inputs.js';
import { describeLedger } from './network-rules.js';
import type { Proving } from './prove-change.js';
import type { AnswerGrounds } from './structured-answer.js';
import { addNotes, failureReason, type Run } from './run-state.js';
import { findChanges, UNCHECKED } from './settle-changes.js';

/** Everything that is open while the agent works. */
export interface Work extends Proving {
  /** What the run starts the agent for. */
  plan: PassPlan;
  chats: readonly (ReviewChat & { prompt: string })[];
  context: Context;
  event: GithubEvent;
  /** What the answer is read with. */
  history: AnswerGrounds['history'];
  reviewed: AnswerGrounds['reviewed'];
  scope: AnswerGrounds['scope'];
  rules: AnswerGrounds['rules'];
  /** What a review of this run stands for in later ones. */
  mark: RunRecord['reviewed'];
}

/**
 * The end of the agent's part, whatever ended it: records what is known about the agent, and applies what the verdict
 * allows to the checkout. The agent is not started again.
 */
export function finishWork(run: Run, work: Work): void {
  const { record } = run;
  const { sandbox, output, rounds, inputs, expectation, starts } = work;
  const { tries, corrections, notes, model } = rounds.record;
  const { hook, network, notes: more } = sandbox.record();
  if (hook && hook.judged > 0)
    output.printLine(
      logLine(`permission hook: ${plural(hook.judged, 'call')}, ${String(hook.denied)} denied`),
    );
  if (network) output.printLine(logLine(describeLedger({ state: 'closed', ...network })));
  const { agentMs, ...written } = output.close();
  Object.assign(record, {
    ...{ agentMs, tries, starts: { used: starts.used, max: starts.max } },
    ...(expectation ? { corrections } : {}),
    ...(hook ? { hook } : {}),
    ...(network ? { network: { state: 'closed', ...network } } : {}),
  });
  const otherModel = otherModelNotice(model(), record.report.model);
  const nested =
    sandbox.facts.machine.kind === 'isolated' ? nestedSandboxNote(failedOutputs(record)) : undefined;
  const told = [otherModel, nested].filter((note) => note !== undefined);
  addNotes(run, [...told, ...notes, ...more, ...written.notes]);
  run.unwritten.push(...written.unwritten);
  settleChanges(run, work);
  const isSkipped = inputs.onLimit === 'skip' && inputs.failOnSeverity === undefined;
  if (isSkipped && failureReason(record.verdict) === 'usage-limit')
    endAtLimit(run, inputs, { code: 'usage-limit', reason: ACCOUNT_LIMIT });
}

/** What the commands printed that failed: those of the agent, and those that verify its work. */
function failedOutputs({ report, verification }: RunRecord): string[] {
  const calls = report.tools
    .filter(({ kind, state }) => kind === 'shell' && state === 'failed')
    .map(({ message, facts }) => `${message}\n${facts.output ?? ''}`);
  const failed = verification && failedResult(verification);
  return failed ? [...calls, failed.output] : calls;
}

/** Applies what the verdict allows. If that fails, the run fails. Nobody looked at the changes of a cancelled run. */
function settleChanges(run: Run, work: Work): void {
  const { record } = run;
  const found = work.invocation.cancel.aborted ? UNCHECKED : (work.found ?? findChanges(work));
  Object.assign(record, found.settle(record.verdict));
  if (sourcesForm(work) !== undefined && record.verdict.status === 'success')
    Object.assign(record, findStatements(record, work));
  if (work.mark && !workFailure(record.verdict)) record.reviewed = work.mark;
}

const ACCOUNT_LIMIT =
  'The account behind the API key has reached its usage limit, so the agent could not work.';

/** A success without an agent. */
export function endSkipped({ record }: Run, skipped: Skipped): void {
  Object.assign(record, { skipped, verdict: SUCCESS, report: { ...record.report, answer: skipped.reason } });
}

/** A limit is no failure, except for a gate: it must not open because nobody looked. */
export function endAtLimit(
  run: Run,
  { failOnSeverity }: Pick<Inputs, 'failOnSeverity'>,
  skipped: Skipped,
): void {
  if (failOnSeverity !== undefined)
    throw new RunFailure('usage-limit', `${skipped.reason} \`fail-on-severity\` needs a review.`);
  endSkipped(run, skipped);
}
