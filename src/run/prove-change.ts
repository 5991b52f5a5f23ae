import { relative } from 'node:path';
import { repairRequest } from '../context/prompt.js';
import { RunFailure, type FailureReason } from '../core/failure.js';
import type { Verification } from '../report/model.js';
import {
  commandLine,
  failedResult,
  isPassed,
  resultWords,
  verificationDetail,
  verificationWords,
} from '../report/verification.js';
import { answerForm, type Expectation } from '../review/read-answer.js';
import type { FindKnown, SandboxPlan } from '../sandbox/index.js';
import { somePaths } from '../text/format.js';
import { logLine } from '../text/plain-text.js';
import type { Redact } from '../text/redact.js';
import type { Attempt, NextRequest, Rounds, RoundSetting } from './rounds.js';
import type { RunFolder } from './run-folder.js';
import { findChanges, UNCHECKED, type FoundChanges } from './settle-changes.js';
import { runCommands, type ChosenCommands } from './verify-commands.js';
import { newBoundary } from './write-prompt.js';

/** How often a change that does not pass is sent back to the agent. */
const MAX_REPAIRS = 1;

/** The agent of a run, and what its change is verified with. */
export interface Proving extends RoundSetting {
  rounds: Rounds;
  commands: ChosenCommands;
  checkout: SandboxPlan['checkout'];
  runFolder: RunFolder;
  redact: Redact;
  findKnown: FindKnown;
  /** Called with what is known about the verification until now. */
  onVerification(verification: Verification): void;
  /** The changes of the agent, once it is not started again. */
  found?: FoundChanges;
}

/** What became of the change. */
export interface Proof {
  attempt: Attempt;
  found: FoundChanges;
  /** Set if the run must fail for the verification. */
  unverified?: { reason: FailureReason; detail: string } | undefined;
}

/**
 * Runs the commands on the checkout with the change, and lets the agent go on in the same chat if one fails. Nothing but
 * the change is from the agent: no ignored file, no time stamp, no tool, no temporary file.
 */
export async function proveChange(proving: Proving, answered: Attempt): Promise<Proof> {
  const { commands, output, rounds, invocation, onVerification } = proving;
  const results: Verification['rounds'] = [];
  const isKnown = commands.kind === 'commands' && commands.source !== '';
  const common = { ...(isKnown ? { source: commands.source } : {}), rounds: results };
  for (let attempt = answered; ;) {
    // A cancelled step has only seconds, so its layer is not read.
    const found = invocation.cancel.aborted ? UNCHECKED : findChanges(proving);
    const end = (unverified?: Proof['unverified']): Proof => {
      proving.found = found;
      return { attempt, found, unverified };
    };
    const why = whyNot(proving, attempt, found);
    onVerification({ ...common, state: 'none', why: why ?? 'the commands could not be run.' });
    if (why !== undefined || commands.kind === 'none') return end();
    const { round, intrusions } = await runOnTree(proving, commands.commands, found);
    results.push(round);
    const verification = { ...common, state: round.results.every(isPassed) ? 'passed' : 'failed' } as const;
    onVerification(verification);
    output.printLine(logLine(`verification ${verification.state}: ${verificationWords(verification)}`));
    if (invocation.cancel.aborted)
      return end({ reason: 'cancelled', detail: 'The job was cancelled while the change was verified.' });
    if (intrusions.length > 0) return end({ reason: 'policy-violation', detail: intrusionText(intrusions) });
    if (verification.state === 'passed') return end();
    const next = nextRepair(proving, attempt, verification);
    if (!next) return end({ reason: 'verification-failed', detail: verificationDetail(verification) });
    found.close();
    attempt = await rounds.answer(withForm(next, proving.expectation));
  }
}

/** Why there is nothing to verify, or nothing that could come of it. */
function whyNot(
  { commands, inputs, invocation }: Proving,
  { verdict }: Attempt,
  { files, violations, secrets }: FoundChanges,
): string | undefined {
  if (invocation.cancel.aborted) return 'the job was cancelled.';
  if (verdict.status === 'failure') return 'the agent’s run had failed before.';
  if ((inputs.onViolation === 'warn' ? secrets : violations).length > 0)
    return 'the change is not allowed by the policy.';
  if (files === 0) return 'nothing was changed.';
  return commands.kind === 'none' ? commands.why : undefined;
}

async function runOnTree(
  { checkout, resolved, output, deadline, invocation }: Proving,
  commands: Extract<ChosenCommands, { kind: 'commands' }>['commands'],
  found: FoundChanges,
): Promise<{ round: Verification['rounds'][number]; intrusions: string[] }> {
  const tree = found.openTree();
  try {
    const round = await runCommands({
      ...{ commands, tree, deadline, cancel: invocation.cancel },
      folders: {
        workspace: relative(checkout.top, resolved.workspace),
        'working-directory': relative(checkout.top, resolved.directory),
      },
      ...{ redaction: output.redaction, print: output.print },
    });
    return { round, intrusions: tree.intrusions() };
  } catch (error) {
    if (error instanceof RunFailure && error.reason === 'isolation-unavailable')
      throw new RunFailure(error.reason, `${NOT_ISOLATED} ${error.message}`, { cause: error });
    throw error;
  } finally {
    tree.close();
  }
}

const NOT_ISOLATED = 'The commands that verify the change could not be isolated, so they were not run.';

const intrusionText = (paths: readonly string[]): string =>
  `A command of the verification changed files outside of its own copy: ${somePaths(paths)}. ` +
  'Without isolation nothing can prevent that.';

/** The next request to the agent, or nothing if it cannot help. */
function nextRepair(
  { output, invocation, rounds }: Proving,
  attempt: Attempt,
  verification: Verification,
): NextRequest | undefined {
  const failed = failedResult(verification);
  if (!failed || invocation.cancel.aborted || verification.rounds.length > MAX_REPAIRS) return undefined;
  const why = rounds.whyNotAgain(attempt);
  const { sessionId } = attempt.report;
  if (why !== undefined || sessionId === undefined) {
    rounds.record.notes.push(`The agent could not be asked to repair the change: ${why ?? ''}.`);
    return undefined;
  }
  output.printLine('asking the agent to repair it');
  const data = {
    command: commandLine(failed.command, 500),
    ending: resultWords(failed),
    output: failed.output,
  };
  return { resume: sessionId, prompt: repairRequest(data, newBoundary()) };
}

/** A request to the agent to go on. If its answer has to have a form, that is said again. */
const withForm = (next: NextRequest, expectation: Expectation | undefined): NextRequest =>
  expectation
    ? { ...next, prompt: `${next.prompt}\n\n# Form of the answer\n\n${answerForm(expectation)}` }
    : next;
