import { AGENTS } from '../agent/agent.js';
import { describeCredential, type Granted } from '../agent/credential.js';
import { mcpSecrets } from '../agent/mcp.js';
import { newerCliNotice, olderCliWarning } from '../agent/cursor.js';
import { unlessAborted } from '../core/abort.js';
import { RunFailure } from '../core/failure.js';
import { parseGitDiff } from '../git/diff.js';
import { readGithubEvent, type GithubEvent } from '../github/event.js';
import { proxySecrets } from '../network/parent-proxy.js';
import { buildPolicy, withoutHook, withReadable, withRealPaths, type Policy } from '../permissions/policy.js';
import { blockingFindings } from '../report/findings.js';
import { judge } from '../report/judge.js';
import type { RunRecord, RunReport, Setup, Verdict } from '../report/model.js';
import { findWeakenedChecks } from '../report/weakened-checks.js';
import type { Grounds } from '../review/read-answer.js';
import { truncate } from '../text/plain-text.js';
import { admitRun } from './admit-run.js';
import { runRounds } from './attempts.js';
import { openSignIn, type SignIn } from './credentials.js';
import { findCli } from './find-cli.js';
import { gatherContext, historyRequest, type Context, type ContextRequest } from './gather-context.js';
import { readInputs } from './inputs.js';
import { openHook } from './open-hook.js';
import { closeNetwork, openNetwork } from './open-network.js';
import { findRules, type ChosenRules } from './open-layer.js';
import { prepareAgent, printSetup, type Preparation } from './prepare-agent.js';
import { checkInputs, realFolder, type CheckedInputs } from './resolve-inputs.js';
import type { Reuse } from './reuse-result.js';
import { openRunFolder, type RunFolder } from './run-folder.js';
import { openRunOutput } from './run-output.js';
import {
  beginRun,
  failureReason,
  hideSecrets,
  originOf,
  verdictOf,
  type Invocation,
  type Run,
} from './run.js';
import { findSecrets } from './secrets.js';
import { readPatches, UNCHECKED } from './settle-changes.js';
import { openStarts } from './start-agent.js';
import { changeUnderReview, keepAnswer, skipReview } from './structured-answer.js';
import { tellResult } from './tell-result.js';
import { verifyChange, type Verified } from './verify-change.js';
import { chooseCommands, toldCommands, type ChosenCommands } from './verify-commands.js';
import { writePrompt } from './write-prompt.js';

/** One run, from top to bottom. Whatever happens on the way, the result is reported: summary, outputs, exit code. */
export async function runAgent(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<number> {
  const run = beginRun();
  try {
    await carryOut(run, { env, cancel });
  } catch (error) {
    run.record.verdict = verdictOf(error);
  }
  return tellResult(run, env);
}

async function carryOut(run: Run, invocation: Invocation): Promise<void> {
  const { record } = run;
  const { env, cancel } = invocation;
  const admitted = await admit(run, invocation);
  const { inputs, resolved, runFolder } = admitted;

  // Context: what the event is about, as files for the agent to read, and the prompt.
  const { redact } = run.redaction;
  const request = { ...admitted, env, cancel, redact };
  const { context, reviewed } = await learn(run, request);
  const { scope } = context;
  if (scope?.skipped) {
    skipReview(run, { ...admitted, scope, skipped: scope.skipped, change: reviewed });
    return;
  }
  const history = historyRequest(request);
  const rules = await orCancelled(findRules(inputs.projectRules, admitted.event, history), cancel);
  const { prompt, ...words } = writePrompt(admitted, context);
  Object.assign(record, words);
  const chosen = toldCommands(chooseCommands(inputs, context.commands, redact));
  const task = { ...admitted, invocation, context, reviewed, rules, prompt, chosen };

  // Reuse: the result of an identical run is replayed in the place of the agent, and goes through the same checks.
  const reuse = inputs.reuseResult ? await openReuse(run, task) : undefined;
  if (reuse?.earlier && (await replayResult(run, reuse.earlier, cancel))) return;

  // Credential and install: Cursor answers while a verified CLI is installed, or the one that the input names is found.
  const signIn = openSignIn(inputs, invocation, acceptCredential(run));
  const installed = findCli(inputs, resolved, runFolder.install);
  const [cli] = await orCancelled(Promise.all([installed, signIn()]), cancel);

  const agent = AGENTS[inputs.agent];
  const hook = await openHook(agent, runFolder);
  await perform(run, task, { agent, cli, hook, signIn, openStarts });
  if (reuse) addNotes(record, await reuse.keep(record));
}

/** The agent, or a replay in its place: on a layer of its own, followed, verified and judged. */
async function perform(run: Run, task: Task, starter: Starter): Promise<void> {
  const { record } = run;
  const { inputs, resolved, expectation, asked, context, rules, prompt, chosen, runFolder, invocation } =
    task;
  const { agent, cli, hook, signIn, isReplay = false } = starter;
  const { env, cancel } = invocation;
  const { redact } = run.redaction;
  const note = (notes: readonly string[]) => {
    addNotes(record, notes);
  };

  // Permissions and layer: what the agent may do and read, and its own version of the checkout to work on.
  const held = hook !== undefined || isReplay ? asked : withoutHook(asked);
  const policy = context.contexts.length > 0 ? withReadable(held, runFolder.context) : held;
  const tell = (line: string) => run.output?.printLine(line);
  const network = await openNetwork({ agent, inputs, resolved, runFolder, env, tell });
  const preparation = { agent, cli, inputs, resolved, rules, policy, runFolder, hook, network, redact };
  const first = prepareAgent(preparation, invocation);
  printSetup(withCredential(first.setup, run), first.toolchain);
  note(driftNotes(cli.version));

  // The agent itself, followed live, and started again where that can help.
  const onReport = (report: RunReport) => (record.report = report);
  const output = openRunOutput(runFolder.transcript, { redaction: run.redaction, onReport });
  run.output = output;
  record.files.transcript = runFolder.transcript;
  const setting = { ...preparation, prompt, invocation, output };
  const { start, current } = starter.openStarts(first, { ...setting, signIn, note });
  const { retries, timeoutMinutes } = inputs;
  const attempts = { start, cancel, retries, totalMs: timeoutMinutes * 60_000, tell: output.printLine };
  const rounds = { expectation, resolved, attempts, output };
  const startedAt = performance.now();
  const ended = await runRounds(rounds);
  const prepared = current();

  // Verification: what the agent left is proven by commands that the action runs itself, without the agent.
  const proof = { ...setting, prepared, chosen, rounds, startedAt };
  const verified = await verifyChange(proof, ended);
  const { outcome, verification } = verified;
  const judged = hook?.close(output.printLine);
  const reached = closeNetwork(network, output);
  const { agentMs, ...written } = output.close();
  const setup = { ...withCredential(prepared.setup, run), network: network.describe() };
  Object.assign(record, outcome.told, { agentMs, setup, verification, ...reached });
  if (judged) record.hook = judged;
  note([...prepared.notes, ...outcome.notes, ...verified.notes, ...written.notes]);
  run.unwritten.push(...written.unwritten);

  // Its changes, its answer and the verdict. Only after the verdict is the checkout touched.
  try {
    conclude(run, task, { verified, isReplay });
  } finally {
    // The runner gives a cancelled step only seconds. They are needed for the report; the runner removes the rest.
    if (!cancel.aborted) prepared.layer.workspace.close();
  }
}

/** Everything that is known before something is started. */
export interface Task extends Admitted {
  invocation: Invocation;
  context: Context;
  /** The change under review, as it was before the agent started. */
  reviewed: Grounds['change'];
  rules: ChosenRules;
  /** The whole prompt: the task and what the action adds to it. */
  prompt: string;
  chosen: ChosenCommands;
}

/** What is started on the layer, and how. */
export interface Starter extends Pick<Preparation, 'agent' | 'cli' | 'hook'> {
  signIn: SignIn;
  openStarts: typeof openStarts;
  /** Set for the result of an earlier run. Nothing of it is applied unless it is a success. */
  isReplay?: true;
}

/** Loaded only here, because few runs need it. */
async function openReuse({ record }: Run, task: Task): Promise<Reuse> {
  const reuse = await orCancelled(
    import('./reuse-result.js').then(({ openReuse: open }) => open(task)),
    task.invocation.cancel,
  );
  addNotes(record, reuse.notes);
  return reuse;
}

/** Replays a result. If anything is wrong with it, the run goes on as if there had been none. */
async function replayResult(
  run: Run,
  { replay, told, refusal }: NonNullable<Reuse['earlier']>,
  cancel: AbortSignal,
): Promise<boolean> {
  const { record, unwritten } = run;
  const trial: Run = {
    ...run,
    record: { ...record, files: { ...record.files }, notes: [...record.notes] },
    unwritten: [...unwritten],
  };
  try {
    await perform(trial, replay.task, replay.starter);
  } catch (error) {
    trial.record.verdict = verdictOf(error);
  }
  if (cancel.aborted) throw cancelledEarly();
  const { verdict } = trial.record;
  if (verdict.status === 'success') Object.assign(run, trial, { record: { ...trial.record, reused: told } });
  else addNotes(record, [refusal(verdict)]);
  return verdict.status === 'success';
}

/** Each note once. */
function addNotes({ notes }: Pick<RunRecord, 'notes'>, more: readonly string[]): void {
  notes.push(...more.filter((text) => !notes.includes(text)));
}

/** What the report keeps of the prompt. */
const PROMPT_CHARACTERS = 20_000;

/** What is known once the run is admitted. */
interface Admitted extends CheckedInputs {
  /** What the inputs allow the agent. */
  asked: Policy;
  event: GithubEvent;
  /** The fork whose change is reviewed. */
  fork: string | undefined;
  runFolder: RunFolder;
}

async function admit(run: Run, { env, cancel }: Invocation): Promise<Admitted> {
  // Inputs: read once, secrets masked first, all problems reported together. The folder is there before anything can
  // be refused, so that every refusal leaves a report.
  const raw = readInputs();
  run.uploadsPage = raw['upload-report'] !== 'false';
  hideSecrets(run, [...findSecrets(raw, env), ...proxySecrets(env)]);
  const runFolder = openRunFolder(env['RUNNER_TEMP']);
  run.folder = runFolder;
  const triggered = readGithubEvent(env);
  run.record.origin = originOf(triggered, env, run.startedAt);
  const checked = await checkInputs(raw, env, triggered);
  const { inputs, resolved } = checked;
  run.summary = inputs.summary;
  if (resolved.mcp) hideSecrets(run, mcpSecrets(resolved.mcp.config));
  if (resolved.prompt !== '')
    run.record.prompt = truncate(run.redaction.redact(resolved.prompt), PROMPT_CHARACTERS);

  // Trust: who triggered this, whether they may with these settings, and which commit it is about.
  const mcpServers = Object.keys(resolved.mcp?.config.mcpServers ?? {});
  const asked = withRealPaths(buildPolicy({ ...inputs, mcpServers }), realFolder);
  const history = historyRequest({ inputs, resolved, runFolder, env, cancel });
  const admission = { event: triggered, inputs, resolved, policy: asked, history };
  const { event, fork, secrets, notes } = await orCancelled(admitRun(admission), cancel);
  hideSecrets(run, secrets);
  run.record.notes.push(...notes);
  run.record.origin = originOf(event, env, run.startedAt);
  return { ...checked, asked, event, fork, runFolder };
}

/** What the run is about: what was gathered for the agent, and the change that findings are compared with. */
async function learn(run: Run, request: ContextRequest) {
  const { record } = run;
  const context = await orCancelled(gatherContext(request), request.cancel);
  Object.assign(record, context.told);
  record.notes.push(...context.notes);
  if (context.failure) throw context.failure;
  const compared = changeUnderReview(request.expectation, context);
  const { reviewed, notes } = await orCancelled(compared, request.cancel);
  record.notes.push(...notes);
  return { context, reviewed };
}

function conclude(
  run: Run,
  { inputs, resolved, expectation, context, reviewed, invocation }: Task,
  { verified, isReplay }: { verified: Verified; isReplay: boolean },
): void {
  const { outcome, unverified } = verified;
  const { record } = run;
  const found = invocation.cancel.aborted ? UNCHECKED : verified.found;
  let { verdict } = outcome;
  if (outcome.attempt) {
    const { exit, report, stderr } = outcome.attempt;
    Object.assign(record, { exit, report, stderr, verdict });
    const { corrections = [] } = outcome.told;
    const grounds = { expectation, resolved, change: reviewed, corrections, scope: context.scope };
    const answer = keepAnswer(outcome.attempt, grounds);
    Object.assign(record, answer.told);
    if (answer.repository !== undefined) run.repository = answer.repository;
    const isOnlyWarned = inputs.onViolation === 'warn';
    if (isOnlyWarned)
      record.notes.push(...found.violations.map((violation) => `Not allowed by the policy: ${violation}`));
    // A run that was cancelled stays cancelled, whatever else is wrong with it.
    if (failureReason(verdict) !== 'cancelled')
      verdict = judge({
        ...outcome.attempt,
        failOnDenied: inputs.failOnDenied,
        limits: inputs,
        needsAnswer: inputs.preset === 'review' || expectation !== undefined || !found.hasChanges,
        violations: isOnlyWarned ? [] : found.violations,
        ...(answer.problem === undefined ? {} : { outputProblem: answer.problem }),
        ...(unverified ? { unverified } : {}),
        blocking: blockingFindings(record.review?.findings ?? [], inputs.failOnSeverity),
      });
  }
  if (isReplay && verdict.status === 'failure') {
    found.close();
    record.verdict = verdict;
    return;
  }
  Object.assign(record, found.settle(verdict));
  const weakened = findWeakenedChecks(readPatches(record.changes).flatMap(({ text }) => parseGitDiff(text)));
  if (weakened.length > 0) record.weakened = weakened;
  if (context.reviewed && isReviewed(record.verdict)) record.reviewed = context.reviewed;
}

/** A review that failed only for its findings is a review. */
const isReviewed = (verdict: Verdict): boolean =>
  verdict.status === 'success' || verdict.reason === 'findings';

/** Its secrets are hidden from here on. A credential that replaces an earlier one is announced in the log. */
const acceptCredential =
  (run: Run) =>
  ({ credential, secrets, notes }: Granted): void => {
    const hide = () => {
      hideSecrets(run, secrets);
    };
    if (run.output) run.output.withCommands(hide);
    else hide();
    run.output?.printLine(describeCredential(credential));
    run.record.notes.push(...notes);
    run.credential = credential;
  };

const withCredential = (setup: Setup, { credential }: Run): Setup =>
  credential ? { ...setup, credential: describeCredential(credential) } : setup;

/** A newer CLI than the tested one may send events that this version does not know. Older ones have known defects. */
const driftNotes = (version = ''): string[] =>
  [olderCliWarning(version), newerCliNotice(version)].filter((text) => text !== undefined);

/** Waits until the work is done or the job is cancelled, whichever comes first. */
const orCancelled = <T>(work: Promise<T>, cancel: AbortSignal): Promise<T> =>
  unlessAborted(cancel, work, cancelledEarly);

const cancelledEarly = (): RunFailure =>
  new RunFailure('cancelled', 'The job was cancelled before the agent was started.');
