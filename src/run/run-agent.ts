import { describeCredential, type Granted } from '../agent/credential.js';
import { mcpSecrets } from '../agent/mcp.js';
import { unlessAborted } from '../core/abort.js';
import { RunFailure } from '../core/failure.js';
import { info } from '../core/runner.js';
import { apiUrlOf } from '../github/client.js';
import { readGithubEvent } from '../github/event.js';
import { mayRunCommands, mayWrite } from '../permissions/policy.js';
import type { Skipped } from '../report/model.js';
import { probeMachine, proxySecrets } from '../sandbox/index.js';
import { joinParts } from '../text/format.js';
import { logLine, truncate } from '../text/plain-text.js';
import { findDailyLimit } from '../trust/daily-runs.js';
import { admitRun } from './admit-run.js';
import { continueProposal } from './continue-proposal.js';
import { defineTask, type ReadyForTask } from './define-task.js';
import { checkoutTop } from './find-checkout.js';
import { findCli } from './find-cli.js';
import { findUndocumented } from './find-undocumented.js';
import { endSkipped, finishWork } from './finish-work.js';
import { gatherContext, githubOf } from './gather-context.js';
import { INPUT_NAMES, readInputs } from './inputs.js';
import { judgeOutcome, type Outcome } from './judge-outcome.js';
import { openWork, type Work } from './open-work.js';
import { proveChange, proveFailure } from './prove-change.js';
import { checkInputs, requireCheckout, trustMcpConfig } from './resolve-inputs.js';
import { reviewChange } from './review-passes.js';
import { openRunFolder } from './run-folder.js';
import {
  addNotes,
  beginRun,
  originOf,
  verdictOf,
  type Admitted,
  type Checked,
  type Invocation,
  type Run,
} from './run-state.js';
import { findSecrets, hideSecrets } from './secrets.js';
import { openSignIn } from './sign-in.js';
import { readReviewedFiles, skipReview, type KeptAnswer } from './structured-answer.js';
import { tellResult } from './tell-result.js';
import { failureKey, triageFailure, type Triage } from './triage-failure.js';
import { printCommands } from './verify-commands.js';
import { writeValidation } from './write-prompt.js';

/**
 * One run, from top to bottom. Whatever happens on the way, the result is reported: summary, outputs, exit code.
 *
 * `runSteps` calls the steps in their order, and the functions below it follow the same order. A step returns what it
 * found, or throws; here an error becomes a verdict.
 */
export async function runAgent(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<number> {
  const run = beginRun(env);
  const withVerdict = async (step: () => Promise<void> | void) => {
    try {
      await step();
    } catch (error) {
      run.record.verdict = verdictOf(error);
    }
  };
  await withVerdict(() => runSteps(run, { env, cancel }));
  // Only after the verdict is the checkout touched.
  await withVerdict(() => {
    if (run.work) finishWork(run, run.work);
  });
  await withVerdict(() => {
    // The runner gives a cancelled step only seconds. They are needed for the report; the runner removes the rest.
    if (!cancel.aborted) run.sandbox?.close();
  });
  return tellResult(run, env);
}

async function runSteps(run: Run, invocation: Invocation): Promise<void> {
  const { cancel } = invocation;

  // Inputs and trust: what the workflow asks for, whether the actor may have it, and for which commit.
  const checked = readAndCheckInputs(run, invocation);
  const admitted = await admit(run, checked);
  const { inputs, resolved, runFolder, continuation } = admitted;
  if (continuation.skipped) {
    endSkipped(run, continuation.skipped);
    return;
  }

  // Context: what the event is about, as files for the agent to read. A review ends here if there is nothing new in it.
  const gathered = await gather(run, admitted);
  const { scope, change } = gathered.context;
  if (scope?.skipped) {
    recordAnswer(run, skipReview({ ...gathered, scope, skipped: scope.skipped }));
    return;
  }

  // A failure of CI that needs no repair, and a change that no document describes, start no agent.
  const triage = await triageCi(run, gathered);
  const latest = continuation.latest ?? change;
  const needless = triage.skipped ?? (await orCancelled(findUndocumented(admitted, latest), cancel));
  if (needless) {
    const reason = run.redaction.redact(needless.reason);
    info(logLine(`No agent is started: ${reason}`));
    endSkipped(run, { ...needless, reason });
    return;
  }
  const limit = await findLimit(admitted);
  if (limit) {
    endSkipped(run, limit);
    return;
  }

  // Task: the project rules that the agent sees, its prompt, and the commands that will verify what it changed.
  const { task, recorded, notes } = await orCancelled(defineTask(gathered, run.redaction.redact), cancel);
  Object.assign(run.record, recorded);
  addNotes(run, notes);
  printCommands(task.commands);

  // At the same time: install a verified CLI, sign in at Cursor, and find out what this machine can do.
  const credentialFor = { inputs, mayRunCommands: mayRunCommands(task.policy) };
  const signIn = openSignIn(credentialFor, invocation, (granted) => {
    acceptCredential(run, granted);
  });
  const installed = findCli(inputs, resolved, runFolder.install);
  const probed = probeMachine(inputs, { checkout: checkoutTop(resolved), scratch: runFolder.probe });
  const [cli, machine] = await orCancelled(Promise.all([installed, probed, signIn()]), cancel);

  // Sandbox: the agent works in it on its own version of the checkout. What holds at its first start holds to the end.
  const work = openWork(run, { ...task, cli, machine, signIn });
  for (const hint of [triage.hint, continuation.hint])
    if (hint !== undefined) work.rounds.addToPrompt(work.redact(hint));

  // A repair: is the failure there? Without a failure no agent is started.
  const { before, skipped } = await proveFailure(work);
  if (skipped) {
    endSkipped(run, skipped);
    return;
  }

  // Agent: followed live, and started again where that can help.
  const { attempt: answered, review } = await answer(run, work);

  // Proof: the action itself runs commands on the checkout with the change. If one fails, the agent may repair it.
  const proof = await proveChange(work, answered, before);

  // Verdict: what becomes of the change, and of the run.
  const { exit, report, stderr } = proof.attempt;
  Object.assign(run.record, { exit, report, stderr });
  const judgement = judgeOutcome(work, { ...proof, review });
  recordAnswer(run, judgement.answer);
  if (judgement.partial) {
    Object.assign(run.record, judgement.partial);
    work.mark = undefined;
  }
  addNotes(run, judgement.notes);
  run.record.verdict = judgement.verdict;
}

/** What the report keeps of the prompt. */
const PROMPT_CHARACTERS = 20_000;

/** Inputs are read once. Secrets are masked first, and all problems are reported together. */
function readAndCheckInputs(run: Run, invocation: Invocation): Checked {
  const { env } = invocation;
  const raw = readInputs();
  run.uploadsPage = raw['upload-report'] !== 'false';
  hideSecrets(run.redaction, [...findSecrets(raw, env), ...proxySecrets(env)]);
  // The folder is there before anything can be refused, so that every refusal leaves a report.
  const runFolder = openRunFolder(env['RUNNER_TEMP']);
  run.folder = runFolder;
  const event = readGithubEvent(env);
  run.record.origin = originOf(event, env, run.startedAt);
  const checked = checkInputs(raw, { env, event, names: INPUT_NAMES });
  const { inputs, resolved } = checked;
  run.summary = inputs.summary;
  if (inputs.failOnSeverity !== undefined) run.record.failOnSeverity = inputs.failOnSeverity;
  if (resolved.mcp) hideSecrets(run.redaction, mcpSecrets(resolved.mcp.config));
  const prompt = joinParts([resolved.prompt, inputs.instructions ?? ''], '\n\n');
  if (prompt !== '') run.record.prompt = truncate(run.redaction.redact(prompt), PROMPT_CHARACTERS);
  return { ...checked, invocation, event, runFolder };
}

/** Stops the run unless the actor may trigger it with these settings. Finds out which commit it is about. */
async function admit(run: Run, checked: Checked): Promise<Admitted> {
  const { inputs, resolved, runFolder } = checked;
  const { env, cancel } = checked.invocation;
  const { directory, workspace } = resolved;
  const history = { directory, workspace, scratch: runFolder.git, env, token: inputs.githubToken, cancel };
  const admission = admitRun({ ...checked, history });
  const { event, fork, secrets, notes } = await orCancelled(admission, cancel);
  hideSecrets(run.redaction, secrets);
  // The conditions for a fork say which checkout it needs.
  if (fork === undefined) requireCheckout(resolved);
  addNotes(run, notes);
  run.record.origin = originOf(event, env, run.startedAt);
  const trusted = trustMcpConfig(resolved.mcp, inputs.projectRules, { event, history });
  const { mcp, note } = await orCancelled(trusted, cancel);
  if (mcp) hideSecrets(run.redaction, mcpSecrets(mcp.config));
  addNotes(run, note === undefined ? [] : [note]);
  const continuation = await orCancelled(continueProposal({ ...checked, event, history }), cancel);
  if (continuation.proposal) run.record.proposal = continuation.proposal;
  addNotes(run, continuation.notes);
  const { mcp: _untrusted, ...others } = resolved;
  return {
    ...checked,
    resolved: { ...others, ...(mcp ? { mcp } : {}) },
    event: continuation.event,
    fork,
    history,
    continuation,
  };
}

/** Gathers what the agent is given to read, and what findings are judged by. */
async function gather(run: Run, admitted: Admitted): Promise<ReadyForTask> {
  const { cancel } = admitted.invocation;
  const { redact } = run.redaction;
  const context = await orCancelled(gatherContext({ ...admitted, redact }), cancel);
  Object.assign(run.record, context.recorded);
  addNotes(run, context.notes);
  if (context.failure) throw context.failure;
  const { reviewed, notes } = await orCancelled(readReviewedFiles(admitted, context.change), cancel);
  addNotes(run, notes);
  return { ...admitted, context, reviewed };
}

/** What is known about a failure of CI, before an agent is started for it. Only for the preset that repairs it. */
async function triageCi(
  run: Run,
  { inputs, event, history, invocation, context }: ReadyForTask,
): Promise<Triage> {
  if (inputs.preset !== 'fix-ci') return { notes: [] };
  const { failures, machine } = context;
  const key = failures && failureKey(failures);
  if (key !== undefined) run.record.failureKey = key;
  const github = githubOf(history);
  const triage = await orCancelled(triageFailure({ event, github, failures, machine }), invocation.cancel);
  addNotes(run, triage.notes);
  return triage;
}

/** The limit that the workflow sets (`runs-per-day`), if it is reached. */
async function findLimit({ inputs, invocation }: Admitted): Promise<Skipped | undefined> {
  const { env, cancel } = invocation;
  if (inputs.runsPerDay === undefined) return undefined;
  const access = { token: inputs.githubToken, apiUrl: apiUrlOf(env), cancel };
  const reason = await orCancelled(findDailyLimit(inputs.runsPerDay, env, access), cancel);
  return reason === undefined ? undefined : { code: 'runs-per-day', reason };
}

/** Keeps what the agent signs in with, and hides its secrets from here on. A later credential is announced in the log. */
function acceptCredential(run: Run, { credential, secrets, notes }: Granted): void {
  const hide = () => {
    hideSecrets(run.redaction, secrets);
  };
  if (run.output) run.output.withCommands(hide);
  else hide();
  run.output?.printLine(describeCredential(credential));
  addNotes(run, notes);
  run.credential = credential;
}

/** A review with findings may have several passes and a validation. Everything else is one chat. */
async function answer(run: Run, work: Work): Promise<Pick<Outcome, 'attempt' | 'review'>> {
  const { expectation, context, policy, chats, rules, rounds } = work;
  if (expectation?.kind !== 'findings' || mayWrite(policy))
    return { attempt: await rounds.answer(), review: undefined };
  run.record.passes = { started: chats.length, answered: 0 };
  const { contexts } = context;
  const review = await reviewChange({
    ...work,
    expectation,
    validationPrompt: (request) => writeValidation(work, { ...request, contexts, team: rules.team }),
  });
  run.record.passes = review.passes;
  return { attempt: review.attempt, review };
}

function recordAnswer(run: Run, { recorded, repository }: Omit<KeptAnswer, 'problem'>): void {
  Object.assign(run.record, recorded);
  if (repository !== undefined) run.repository = repository;
}

/** Waits until the work is done or the job is cancelled, whichever comes first. */
const orCancelled = <T>(work: Promise<T>, cancel: AbortSignal): Promise<T> =>
  unlessAborted(cancel, work, cancelledEarly);

const cancelledEarly = (): RunFailure =>
  new RunFailure('cancelled', 'The job was cancelled before the agent was started.');
