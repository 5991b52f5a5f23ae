import { repairRequest } from '../context/prompt.js';
import type { FailureReason } from '../core/failure.js';
import type { Verification } from '../report/model.js';
import {
  commandLine,
  failedResult,
  isPassed,
  resultWords,
  verificationDetail,
  verificationWords,
} from '../report/verification.js';
import { answerForm } from '../review/read-answer.js';
import { logLine } from '../text/plain-text.js';
import {
  joinAttempts,
  LEAST_MS,
  runRounds,
  type NextRequest,
  type Outcome,
  type Rounds,
} from './attempts.js';
import { somePaths, type Prepared } from './prepare-agent.js';
import { withEmptyFolders } from './run-folder.js';
import { failureReason, verdictOf } from './run-state.js';
import { secretNames } from './secrets.js';
import { findChanges, UNCHECKED, type FoundChanges } from './settle-changes.js';
import type { Setting } from './start-agent.js';
import { runCommands, type ChosenCommands } from './verify-commands.js';
import { newBoundary } from './write-prompt.js';

/** How often a change that does not pass is sent back to the agent. */
const MAX_REPAIRS = 1;

/** How the agent was run, to let it go on, and what its change is verified with. */
interface Verifying extends Setting, Rounds {
  prepared: Prepared;
  commands: ChosenCommands;
}

/** What became of the change. */
export interface Verified {
  outcome: Outcome;
  /** The changes as they were before the commands ran. */
  found: FoundChanges;
  verification: Verification;
  /** Set if the run must fail for it. */
  unverified?: { reason: FailureReason; detail: string } | undefined;
  notes: string[];
}

/**
 * Runs the commands on what the agent left, and lets it go on in the same chat if one fails. The changes are read before
 * the commands run, and the commands work on a throw-away version of the layer. So whatever they write, only what the
 * agent changed can be applied.
 */
export async function verifyChange(verifying: Verifying, ended: Outcome): Promise<Verified> {
  const { commands, output } = verifying;
  const { cancel } = verifying.invocation;
  const rounds: Verification['rounds'] = [];
  const notes: string[] = [];
  const common = {
    ...(commands.kind === 'commands' && commands.source !== '' ? { source: commands.source } : {}),
    rounds,
  };
  let outcome = ended;
  for (;;) {
    const found = findWritten(verifying, outcome);
    const state = { outcome, found, notes };
    const why = whyNot(verifying, outcome, found);
    if (why !== undefined) return { ...state, verification: { ...common, state: 'none', why } };
    let isProven: boolean;
    let intrusions: string[];
    try {
      const { intrusions: look, ...round } = await runRound(verifying);
      rounds.push(round);
      isProven = round.results.every(isPassed);
      intrusions = look();
    } catch (error) {
      const verification: Verification = { ...common, state: 'none', why: 'the commands could not be run.' };
      const verdict = verdictOf(error);
      return { ...state, verification, unverified: verdict.status === 'failure' ? verdict : undefined };
    }
    const verification: Verification = { ...common, state: isProven ? 'passed' : 'failed' };
    const end = (unverified?: Verified['unverified']): Verified => ({ ...state, verification, unverified });
    output.printLine(logLine(`verification ${verification.state}: ${verificationWords(verification)}`));
    if (cancel.aborted)
      return end({ reason: 'cancelled', detail: 'The job was cancelled while the change was verified.' });
    if (intrusions.length > 0) return end({ reason: 'policy-violation', detail: intrusionText(intrusions) });
    if (isProven) {
      if (found.ignored > 0) notes.push(ignoredNote(found.ignored));
      return end();
    }
    const next = nextRequest(verifying, { outcome, verification }, notes);
    if (!next) return end({ reason: 'verification-failed', detail: verificationDetail(verification) });
    found.close();
    outcome = await continueWork(verifying, outcome, next);
  }
}

/**
 * What the agent changed. A cancelled step has only seconds, so its layer is not read. An agent that could not be
 * isolated was not started, so it changed nothing.
 */
function findWritten(verifying: Verifying, { verdict }: Outcome): FoundChanges {
  return verifying.invocation.cancel.aborted || failureReason(verdict) === 'isolation-unavailable'
    ? UNCHECKED
    : findChanges({ ...verifying, layer: verifying.prepared.layer });
}

/** Why there is nothing to verify, or nothing that could come of it. */
function whyNot(
  { commands, inputs, invocation }: Verifying,
  { verdict }: Outcome,
  { files, violations, secrets }: FoundChanges,
): string | undefined {
  if (invocation.cancel.aborted) return 'the job was cancelled.';
  if (verdict.status === 'failure') return 'the agent’s run had failed before.';
  if ((inputs.onViolation === 'warn' ? secrets : violations).length > 0)
    return 'the change is not allowed by the policy.';
  if (files === 0) return 'nothing was changed.';
  return commands.kind === 'none' ? commands.why : undefined;
}

/** The agent's home stays out of reach: it can hold its credential, and settings that change what a command does. */
function runRound(verifying: Verifying) {
  const { commands, inputs, resolved, runFolder, prepared, output, deadline } = verifying;
  const { cancel } = verifying.invocation;
  const secret = secretNames(inputs.passEnv);
  const all = { ...prepared.env, PATH: prepared.pathOfCommands };
  const env = Object.fromEntries(Object.entries(all).filter(([name]) => !secret.includes(name)));
  return withEmptyFolders(runFolder, () => {
    prepared.toolchain?.linkInto(runFolder.home);
    return runCommands({
      commands: commands.kind === 'commands' ? commands.commands : [],
      ...{ layer: prepared.layer, resolved, env, deadline, cancel },
      ...{ redaction: output.redaction, print: output.print },
    });
  });
}

const intrusionText = (paths: readonly string[]): string =>
  `A command of the verification changed files outside of its own copy: ${somePaths(paths)}. ` +
  'Without isolation nothing can prevent that.';

const ignoredNote = (files: number): string =>
  `The verification also saw ${files} ${files === 1 ? 'file' : 'files'} that the agent changed and git ignores, such as ` +
  'installed packages. They are not part of the change.';

/** The next request to the agent, or nothing if it cannot help. */
function nextRequest(
  verifying: Verifying,
  { outcome, verification }: { outcome: Outcome; verification: Verification },
  notes: string[],
): NextRequest | undefined {
  const { output, invocation, deadline } = verifying;
  const failed = failedResult(verification);
  const { rounds } = verification;
  if (!failed || invocation.cancel.aborted || rounds.length > MAX_REPAIRS) return undefined;
  if (deadline.agentMs() < LEAST_MS) {
    notes.push('The agent was not asked to repair the change, because its part of the time limit was over.');
    return undefined;
  }
  const resume = outcome.attempt?.report.sessionId;
  if (resume === undefined) {
    notes.push(
      'The agent could not be asked to repair the change: it reported no session id to continue with.',
    );
    return undefined;
  }
  output.printLine('asking the agent to repair it');
  const data = {
    command: commandLine(failed.command, 500),
    ending: resultWords(failed),
    output: failed.output,
  };
  return { resume, prompt: repairRequest(data, newBoundary()) };
}

/** All rounds together are one run, so nothing of the earlier ones is lost. */
async function continueWork(verifying: Verifying, earlier: Outcome, next: NextRequest): Promise<Outcome> {
  const { expectation, output, deadline } = verifying;
  const laterMs = deadline.elapsedMs();
  const later = await runRounds(verifying, withForm(next, expectation));
  const { tries, corrections } = earlier.recorded;
  const recorded = {
    tries: [...tries, ...later.recorded.tries],
    ...(corrections ? { corrections: [...corrections, ...(later.recorded.corrections ?? [])] } : {}),
  };
  const notes = [...earlier.notes, ...later.notes];
  const before = earlier.attempt;
  if (!before || !later.attempt) {
    // The new start has replaced the report with an empty one.
    if (before) output.onReport(before.report);
    return { ...later, recorded, notes };
  }
  const attempt = joinAttempts(before, later.attempt, laterMs);
  output.onReport(attempt.report);
  return { verdict: later.verdict, attempt, recorded, notes };
}

/** A request to the agent to go on. If its answer has to have a form, that is said again. */
const withForm = (next: NextRequest, expectation: Rounds['expectation']): NextRequest =>
  expectation
    ? { ...next, prompt: `${next.prompt}\n\n# Form of the answer\n\n${answerForm(expectation)}` }
    : next;
