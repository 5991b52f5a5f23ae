import { join, relative } from 'node:path';
import { baselineData, repairRequest } from '../context/prompt.js';
import type { FailureLine } from '../report/failure-lines.js';
import { RunFailure, type FailureReason } from '../core/failure.js';
import type { Baseline, CommandResult, Skipped, Verification, VerificationRound } from '../report/model.js';
import {
  baselineWords,
  commandLine,
  failedResult,
  isBroken,
  isPassed,
  resultWords,
  verificationDetail,
  verificationWords,
} from '../report/verification.js';
import { answerForm } from '../review/read-answer.js';
import type { CleanTree, FindKnown, SandboxPlan } from '../sandbox/index.js';
import { joinParts, somePaths } from '../text/format.js';
import { logLine } from '../text/plain-text.js';
import type { Redact } from '../text/redact.js';
import { installAdvice } from './check-files.js';
import { checkLinks } from './check-links.js';
import { statementsForm } from './find-statements.js';
import { judgeBaseline, MIN_PASSES, notReproducedText } from './judge-baseline.js';
import type { Attempt, NextRequest, Rounds, RoundSetting } from './rounds.js';
import type { RunFolder } from './run-folder.js';
import { findChanges, UNCHECKED, type FoundChanges } from './find-changes.js';
import { runCommands, type ChosenCommands, type RanCommands } from './verify-commands.js';
import { newBoundary } from './write-prompt.js';

/** How often a change that does not pass is sent back to the agent. */
const MAX_REPAIRS = 1;

/** The agent of a run, and what its change is verified with. */
export interface Proving extends RoundSetting {
  rounds: Rounds;
  commands: ChosenCommands;
  /** What failed in CI. Undefined if no log of it was gathered. */
  failures: readonly FailureLine[] | undefined;
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

/** What the commands do on the checkout as it is. */
interface FailureProof {
  before?: Baseline;
  /** Set if there is nothing to repair. */
  skipped?: Skipped;
}

/**
 * Runs the commands of a repair before an agent is started, on the checkout without a change. A failure that is not there
 * needs no agent, and one that is there makes the proof worth something.
 */
export async function proveFailure(proving: Proving): Promise<FailureProof> {
  const { commands, failures, inputs, deadline, output, invocation, rounds, redact, onVerification } =
    proving;
  const isRepair = inputs.preset === 'fix-ci';
  if (commands.kind === 'none' || !(isRepair || inputs.preset === 'docs')) return {};
  const runs: RanCommands[] = [];
  let isCut = false;
  for (;;) {
    const beganMs = deadline.elapsedMs();
    const { intrusions, ...ran } = await runOnTree(proving, commands.commands, {
      openTree: () => proving.sandbox.openCleanTree({ changes: [], sourceOf: ({ path }) => path }),
      leftMs: deadline.baselineMs,
      label: 'before',
      // Each command of a build of documents counts for itself.
      ...(isRepair ? {} : { before: 'is-now' as const }),
    });
    runs.push(ran);
    if (invocation.cancel.aborted)
      throw new RunFailure('cancelled', 'The job was cancelled before the agent was started.');
    if (intrusions.length > 0) throw new RunFailure('policy-violation', intrusionText(intrusions));
    const hasPassed = ran.round.results.every(isPassed);
    if (!hasPassed || !failures || !commands.isWhole || runs.length === MIN_PASSES) break;
    isCut = deadline.baselineMs() < deadline.elapsedMs() - beganMs;
    if (isCut) break;
  }
  const expected = failures?.map((line) => ({ ...line, text: redact(line.text) }));
  const before = judgeBaseline({ failures: expected, isWhole: commands.isWhole, runs, isCut });
  output.printLine(logLine(`before the agent: ${baselineWords(before)}`));
  const isReproduced = before.state !== 'not-reproduced';
  const state = isReproduced ? 'none' : 'not-reproduced';
  const why = isReproduced ? 'the agent has not ended.' : before.why;
  onVerification({ ...sourceOf(commands), state, why, before, rounds: [] });
  if (!isReproduced)
    return { before, skipped: { code: 'not-reproduced', reason: notReproducedText(before, expected ?? []) } };
  if (!isRepair) return { before };
  const ran = before.round.results.map((result) => ({
    command: commandLine(result.command, 500),
    ending: resultWords(result),
    output: isPassed(result) ? '' : result.output,
  }));
  rounds.addToPrompt(baselineData(baselineWords(before), ran, newBoundary()));
  return { before };
}

/**
 * Runs the commands on the checkout with the change, and lets the agent go on in the same chat if one fails. Nothing but
 * the change is from the agent: no ignored file, no time stamp, no tool, no temporary file.
 */
export async function proveChange(
  proving: Proving,
  answered: Attempt,
  before: Baseline | undefined,
): Promise<Proof> {
  const { commands, output, rounds, invocation, onVerification } = proving;
  const results: Verification['rounds'] = [];
  const common = { ...sourceOf(commands), ...(before ? { before } : {}), rounds: results };
  for (let attempt = answered; ;) {
    // A cancelled step has only seconds, so its layer is not read.
    const found = invocation.cancel.aborted ? UNCHECKED : findChanges(proving);
    const end = (unverified?: Proof['unverified']): Proof => {
      proving.found = found;
      return { attempt, found, unverified };
    };
    const why = whyNotVerified(proving, attempt, found);
    onVerification({ ...common, state: 'none', why: why ?? 'the commands could not be run.' });
    if (why === NO_CHANGE && before?.state === 'reproduced') {
      const verification = { ...common, state: 'failed', why: NOT_REPAIRED } as const;
      onVerification(verification);
      return end({ reason: 'verification-failed', detail: verificationDetail(verification) });
    }
    if (why !== undefined) return end();
    const { round, intrusions } = await runAfter(proving, found, before);
    if (commands.kind === 'none' && round.results.length === 0) {
      onVerification({ ...common, state: 'none', why: commands.why });
      return end();
    }
    results.push(round);
    const verification = { ...common, state: round.results.some(isBroken) ? 'failed' : 'passed' } as const;
    onVerification(verification);
    const announce = (ended: Verification) => {
      output.printLine(logLine(`verification ${ended.state}: ${verificationWords(ended)}`));
    };
    if (invocation.cancel.aborted) return end(CANCELLED);
    if (intrusions.length > 0) return end({ reason: 'policy-violation', detail: intrusionText(intrusions) });
    if (verification.state === 'passed') {
      const proven = await proveWithOriginals(proving, found, verification);
      onVerification(proven.verification);
      announce(proven.verification);
      return end(proven.unverified);
    }
    announce(verification);
    const next = nextRepair(proving, attempt, verification);
    if (!next) {
      const detail = joinParts([verificationDetail(verification), installAdvice(found.paths()) ?? ''], '\n');
      return end({ reason: 'verification-failed', detail });
    }
    found.close();
    attempt = await rounds.answer(withForm(next, proving));
  }
}

const sourceOf = (commands: ChosenCommands): Pick<Verification, 'source'> =>
  commands.kind === 'commands' && commands.source !== '' ? { source: commands.source } : {};

const CANCELLED = {
  reason: 'cancelled',
  detail: 'The job was cancelled while the change was verified.',
} as const;

const NO_CHANGE = 'nothing was changed.';
const NOT_REPAIRED =
  'the failure was reproduced before the agent was started, and the agent changed nothing.';

/** Why the change is not verified: there is none, or it is not applied whatever the commands say. Undefined if it is. */
function whyNotVerified(
  { commands, inputs, invocation }: Proving,
  { verdict }: Attempt,
  { files, violations, secrets }: FoundChanges,
): string | undefined {
  if (invocation.cancel.aborted) return 'the job was cancelled.';
  if (verdict.status === 'failure') return 'the agent’s run had failed before.';
  if ((inputs.onViolation === 'warn' ? secrets : violations).length > 0)
    return 'the change is not allowed by the policy.';
  if (files === 0) return NO_CHANGE;
  return commands.kind === 'none' && !checksLinks(inputs) ? commands.why : undefined;
}

/** An agent that writes documents can break links without any command that would notice. */
const checksLinks = ({ preset, verify }: Proving['inputs']): boolean =>
  preset === 'docs' && verify.kind !== 'none';

/** The commands on the checkout with the change, and the links of the changed documents. */
async function runAfter(
  proving: Proving,
  found: FoundChanges,
  before: Baseline | undefined,
): Promise<{ round: VerificationRound; intrusions: string[] }> {
  const { commands, inputs } = proving;
  const { round, intrusions } =
    commands.kind === 'none'
      ? { round: { results: [], notRun: 0 }, intrusions: [] }
      : await runOnTree(proving, commands.commands, {
          openTree: found.openTree,
          leftMs: proving.deadline.verificationMs,
          label: 'verify',
          ...(before && inputs.preset === 'docs' ? { before: before.round } : {}),
        });
  const links = checksLinks(inputs) ? checkChangedLinks(proving, found) : undefined;
  return { round: { ...round, results: [...round.results, ...(links ? [links] : [])] }, intrusions };
}

function checkChangedLinks(
  { checkout, output, deadline }: Proving,
  found: FoundChanges,
): CommandResult | undefined {
  const links = checkLinks({
    root: checkout.git?.repository.root ?? checkout.top,
    filesAfter: found.filesAfter(),
    leftMs: deadline.verificationMs,
  });
  if (links && isPassed(links)) output.printLine('The links of the changed documents lead somewhere.');
  else if (links?.exit.kind === 'ended') output.printLine(links.output);
  else for (const line of links?.output.split('\n') ?? []) output.printLine(logLine(`broken link: ${line}`));
  return links;
}

/** If a repair changes tests, its commands also run with the original ones, and the report says if they fail then. */
async function proveWithOriginals(
  proving: Proving,
  found: FoundChanges,
  passed: Verification,
): Promise<{ verification: Verification; unverified?: Proof['unverified'] }> {
  const { commands, inputs, invocation, deadline, runFolder, redact } = proving;
  if (inputs.preset !== 'fix-ci' || commands.kind === 'none') return { verification: passed };
  const originals = found.originals(join(runFolder.sandbox, 'originals'));
  if (!originals) return { verification: passed };
  const { round, intrusions } = await runOnTree(proving, commands.commands, {
    openTree: originals.openTree,
    leftMs: deadline.verificationMs,
    label: 'with the original tests',
  });
  const state = round.results.every(isPassed) ? 'passed' : 'passed-with-changed-tests';
  const verification = {
    ...passed,
    state,
    originals: { paths: originals.paths.map(redact), round },
  } as const;
  if (invocation.cancel.aborted) return { verification, unverified: CANCELLED };
  if (intrusions.length === 0) return { verification };
  return { verification, unverified: { reason: 'policy-violation', detail: intrusionText(intrusions) } };
}

interface TreeRun {
  openTree(): CleanTree;
  leftMs(): number;
  label: string;
  before?: VerificationRound | 'is-now';
}

async function runOnTree(
  { checkout, resolved, output, invocation }: Proving,
  commands: Extract<ChosenCommands, { kind: 'commands' }>['commands'],
  { openTree, ...options }: TreeRun,
): Promise<RanCommands & { intrusions: string[] }> {
  const tree = openTree();
  try {
    const ran = await runCommands({
      commands,
      tree,
      ...options,
      cancel: invocation.cancel,
      folders: {
        workspace: relative(checkout.top, resolved.workspace),
        'working-directory': relative(checkout.top, resolved.directory),
      },
      redaction: output.redaction,
      print: output.print,
    });
    return { ...ran, intrusions: tree.intrusions() };
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

/** Asks the agent to repair what failed. Undefined if that is not possible any more. */
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
function withForm(next: NextRequest, proving: Proving): NextRequest {
  const form = proving.expectation ? answerForm(proving.expectation) : statementsForm(proving);
  return form === undefined ? next : { ...next, prompt: `${next.prompt}\n\n# Form of the answer\n\n${form}` };
}
