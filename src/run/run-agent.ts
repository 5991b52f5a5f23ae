import { AGENTS } from '../agent/agent.js';
import { describeCredential, type Granted } from '../agent/credential.js';
import { mcpSecrets } from '../agent/mcp.js';
import { newerCliNotice, olderCliWarning, otherModelNotice } from '../agent/cursor.js';
import type { HistoryRequest } from '../context/history.js';
import { unlessAborted } from '../core/abort.js';
import { RunFailure } from '../core/failure.js';
import { parseGitDiff } from '../git/diff.js';
import { apiUrlOf } from '../github/client.js';
import { readGithubEvent, type GithubEvent } from '../github/event.js';
import { proxySecrets } from '../network/parent-proxy.js';
import {
  buildPolicy,
  mayRunCommands,
  withoutHook,
  withReadable,
  withRealPaths,
  type Policy,
} from '../permissions/policy.js';
import { findUnasked } from '../report/denials.js';
import { blockingFindings, workFailure } from '../report/findings.js';
import { judge } from '../report/judge.js';
import type { RunReport, Setup, Skipped, Verdict } from '../report/model.js';
import { findWeakenedChecks } from '../report/weakened-checks.js';
import { truncate } from '../text/plain-text.js';
import { findDailyLimit } from '../trust/daily-runs.js';
import { admitRun } from './admit-run.js';
import { runRounds } from './attempts.js';
import { startClock } from './deadline.js';
import { openSignIn, type SignIn } from './sign-in.js';
import { findCli } from './find-cli.js';
import { gatherContext, type Context } from './gather-context.js';
import { INPUT_NAMES, readInputs, type Inputs } from './inputs.js';
import { openHook } from './open-hook.js';
import { closeNetwork, openNetwork } from './open-network.js';
import { findRules, type ChosenRules } from './open-layer.js';
import { prepareAgent, printSetup, type Preparation } from './prepare-agent.js';
import {
  checkInputs,
  realFolder,
  requireCheckout,
  trustMcpConfig,
  type CheckedInputs,
} from './resolve-inputs.js';
import { openRunFolder, type RunFolder } from './run-folder.js';
import { openRunOutput } from './run-output.js';
import { beginRun, failureReason, originOf, verdictOf, type Invocation, type Run } from './run-state.js';
import { findSecrets, hideSecrets } from './secrets.js';
import { readPatches, UNCHECKED } from './settle-changes.js';
import { openStarts } from './start-agent.js';
import {
  keepAnswer,
  readReviewedFiles,
  skipReview,
  type KeptAnswer,
  type ReviewSources,
} from './structured-answer.js';
import { tellResult } from './tell-result.js';
import { verifyChange, type Verified } from './verify-change.js';
import { chooseCommands, printCommands, type ChosenCommands } from './verify-commands.js';
import { writePrompt } from './write-prompt.js';

/**
 * One run, from top to bottom. Whatever happens on the way, the result is reported: summary, outputs, exit code.
 *
 * `runSteps` calls the steps in their order, and the functions below it follow the same order. A step returns what it
 * found. Only this file writes that to the run, and `tellResult` at the end.
 */
export async function runAgent(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<number> {
  const run = beginRun();
  try {
    await runSteps(run, { env, cancel });
  } catch (error) {
    run.record.verdict = verdictOf(error);
  }
  return tellResult(run, env);
}

async function runSteps(run: Run, invocation: Invocation): Promise<void> {
  const { cancel } = invocation;

  // Inputs and trust: what the workflow asks for, whether whoever triggered the run may have it, and for which commit.
  const checked = await readAndCheckInputs(run, invocation);
  const admitted = await admit(run, checked);
  const { inputs, resolved, runFolder } = admitted;

  // Context: what the event is about, as files for the agent to read. A review ends here if there is nothing new in it.
  const { context, reviewed } = await gather(run, admitted);
  const { scope } = context;
  if (scope?.skipped) {
    recordAnswer(run, skipReview({ ...admitted, scope, skipped: scope.skipped, reviewed }));
    return;
  }

  const limit = await findLimit(admitted);
  if (limit) {
    endAtLimit(run, inputs, limit);
    return;
  }

  // Task: the project rules that the agent sees, its prompt, and the commands that will verify what it changed.
  const task = await defineTask(run, { ...admitted, context, reviewed });

  // Credential and install: sign in at Cursor, and meanwhile install a verified CLI or find the one at `cli-path`.
  const signIn = openSignIn(
    { inputs, mayRunCommands: mayRunCommands(task.inputPolicy) },
    invocation,
    (granted) => {
      acceptCredential(run, granted);
    },
  );
  const installed = findCli(inputs, resolved, runFolder.install);
  const [cli] = await orCancelled(Promise.all([installed, signIn()]), cancel);

  // Agent: it works on a layer over the checkout. The checkout is changed only after the verdict.
  const agent = AGENTS[inputs.agent];
  const hook = await openHook(agent, runFolder);
  await runOnLayer(run, task, { agent, cli, hook, signIn });
}

/** What is known once the inputs are checked. */
interface Checked extends CheckedInputs {
  invocation: Invocation;
  event: GithubEvent;
  runFolder: RunFolder;
}

/** What the report keeps of the prompt. */
const PROMPT_CHARACTERS = 20_000;

/** Inputs are read once. Secrets are masked first, and all problems are reported together. */
async function readAndCheckInputs(run: Run, invocation: Invocation): Promise<Checked> {
  const { env } = invocation;
  const raw = readInputs();
  run.uploadsPage = raw['upload-report'] !== 'false';
  hideSecrets(run.redaction, [...findSecrets(raw, env), ...proxySecrets(env)]);
  // The folder is there before anything can be refused, so that every refusal leaves a report.
  const runFolder = openRunFolder(env['RUNNER_TEMP']);
  run.folder = runFolder;
  const event = readGithubEvent(env);
  run.record.origin = originOf(event, env, run.startedAt);
  const checked = await checkInputs(raw, { env, event, names: INPUT_NAMES });
  const { inputs, resolved } = checked;
  run.summary = inputs.summary;
  if (resolved.mcp) hideSecrets(run.redaction, mcpSecrets(resolved.mcp.config));
  const asked = [resolved.prompt, inputs.instructions ?? ''].filter((text) => text !== '').join('\n\n');
  if (asked !== '') run.record.prompt = truncate(run.redaction.redact(asked), PROMPT_CHARACTERS);
  return { ...checked, invocation, event, runFolder };
}

/** What is known once the run is admitted. */
interface Admitted extends Checked {
  /** What the inputs allow the agent. */
  inputPolicy: Policy;
  /** The fork whose change is reviewed. */
  fork: string | undefined;
  /** How to read the history of the checkout and fetch what it lacks. */
  history: HistoryRequest;
}

/** Stops the run unless whoever triggered it may do so with these settings. Finds out which commit it is about. */
async function admit(run: Run, checked: Checked): Promise<Admitted> {
  const { inputs, resolved, runFolder } = checked;
  const { env, cancel } = checked.invocation;
  const { directory, workspace } = resolved;
  const history = { directory, workspace, scratch: runFolder.git, env, token: inputs.githubToken, cancel };
  const admission = admitRun({ ...checked, policy: policyOf(checked), history });
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
  const { mcp: _untrusted, ...others } = resolved;
  const known = { ...checked, resolved: { ...others, ...(mcp ? { mcp } : {}) } };
  return { ...known, inputPolicy: policyOf(known), event, fork, history };
}

/** What the inputs allow, with the tools of the MCP servers that will run. */
function policyOf({ inputs, resolved }: Pick<Checked, 'inputs' | 'resolved'>): Policy {
  const mcpServers = Object.keys(resolved.mcp?.config.mcpServers ?? {});
  return withRealPaths(buildPolicy({ ...inputs, mcpServers }), realFolder);
}

/** What the agent is given to read, and what findings are judged by. */
async function gather(run: Run, admitted: Admitted): Promise<Pick<Task, 'context' | 'reviewed'>> {
  const { cancel } = admitted.invocation;
  const { redact } = run.redaction;
  const context = await orCancelled(gatherContext({ ...admitted, redact }), cancel);
  Object.assign(run.record, context.recorded);
  addNotes(run, context.notes);
  if (context.failure) throw context.failure;
  const { reviewed, notes } = await orCancelled(readReviewedFiles(admitted, context.change), cancel);
  addNotes(run, notes);
  return { context, reviewed };
}

/** Everything that is known before something is started. */
interface Task extends Admitted {
  context: Context;
  /** What findings are judged by, as it was before the agent started. */
  reviewed: ReviewSources;
  rules: ChosenRules;
  /** The whole prompt: the task and what the action adds to it. */
  prompt: string;
  /** What the change is verified with. */
  commands: ChosenCommands;
}

async function defineTask(run: Run, known: Omit<Task, 'rules' | 'prompt' | 'commands'>): Promise<Task> {
  const { inputs, event, history, context, invocation } = known;
  const rules = await orCancelled(findRules(inputs.projectRules, event, history), invocation.cancel);
  const { prompt, ...fromPreset } = writePrompt(known, context);
  Object.assign(run.record, fromPreset);
  const commands = chooseCommands(inputs, context.commands, run.redaction.redact);
  printCommands(commands);
  return { ...known, rules, prompt, commands };
}

/** Hides its secrets from here on. A credential that replaces an earlier one is announced in the log. */
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

/** What is started on the layer: the agent and its CLI, what it signs in with, and our hook. */
interface Starter extends Pick<Preparation, 'agent' | 'cli' | 'hook'> {
  signIn: SignIn;
}

/** Opens the layer, runs the agent on it, verifies and judges what it did, and applies what is allowed. */
async function runOnLayer(run: Run, task: Task, starter: Starter): Promise<void> {
  const { record } = run;
  const { inputs, runFolder } = task;
  const { cli, hook } = starter;
  const { cancel } = task.invocation;

  // Permissions and layer: what the agent may do and reach, and its own version of the checkout to work on.
  const policy = policyOnLayer(task, hook);
  const tell = (line: string) => run.output?.printLine(line);
  const network = await openNetwork({ ...task, ...starter, tell });
  const preparation = {
    ...task,
    ...starter,
    policy,
    network,
    redact: run.redaction.redact,
    findKnown: run.redaction.findKnown,
  };
  const first = prepareAgent(preparation);
  printSetup(withCredential(first.setup, run), first.toolchain);
  addNotes(run, cliNotes(cli.version));

  // Process: the agent itself, followed live, and started again where that can help.
  const onReport = (report: RunReport) => (record.report = report);
  const output = openRunOutput(runFolder.transcript, { redaction: run.redaction, onReport });
  run.output = output;
  record.files.transcript = runFolder.transcript;
  const deadline = startClock({ inputs, isVerified: task.commands.kind === 'commands' });
  const setting = { ...preparation, output, deadline };
  const starts = openStarts(first, setting);
  const rounds = { ...setting, start: starts.start, models: [...inputs.model] };
  const ended = await runRounds(rounds);
  const prepared = starts.prepared();

  // Verification: the action itself runs commands on what the agent left. If one fails, the agent may repair it.
  const verified = await verifyChange({ ...rounds, prepared }, ended);

  // Record: the agent is not started again, so what is known about it is final.
  const { outcome, verification } = verified;
  const tally = hook?.close(output.printLine);
  const reached = closeNetwork(network, output);
  const { agentMs, ...written } = output.close();
  const setup = { ...withCredential(prepared.setup, run), network: network.describe() };
  Object.assign(record, outcome.recorded, { agentMs, setup, verification, ...reached });
  if (tally) record.hook = tally;
  const otherModel = otherModelNotice(rounds.models[0] ?? 'auto', record.report.model);
  if (otherModel !== undefined) addNotes(run, [otherModel]);
  addNotes(run, [...prepared.notes, ...outcome.notes, ...verified.notes, ...written.notes]);
  run.unwritten.push(...written.unwritten);

  // Verdict: each start had a preliminary one, and this is the final one. Only after it is the checkout touched.
  try {
    judgeAndApply(run, task, verified);
  } finally {
    // The runner gives a cancelled step only seconds. They are needed for the report; the runner removes the rest.
    if (!cancel.aborted) prepared.layer.workspace.close();
  }
}

/** What the agent may do. Only our hook can make exceptions in a kind of calls, so without it the whole kind is denied. */
function policyOnLayer({ inputPolicy, inputs, context, runFolder }: Task, hook: Starter['hook']): Policy {
  const policy =
    context.contexts.length > 0 ? withReadable(inputPolicy, runFolder.context, inputs.deny) : inputPolicy;
  return hook === undefined ? withoutHook(policy) : policy;
}

const withCredential = (setup: Setup, { credential }: Run): Setup =>
  credential ? { ...setup, credential: describeCredential(credential) } : setup;

/** A newer CLI than the tested one may send events that this version does not know. Older ones have known defects. */
const cliNotes = (version = ''): string[] =>
  [olderCliWarning(version), newerCliNotice(version)].filter((text) => text !== undefined);

/** The limit that the workflow sets itself, if it is reached. */
async function findLimit({ inputs, invocation }: Admitted): Promise<Skipped | undefined> {
  const { env, cancel } = invocation;
  if (inputs.runsPerDay === undefined) return undefined;
  const access = { token: inputs.githubToken, apiUrl: apiUrlOf(env), cancel };
  const reason = await orCancelled(findDailyLimit(inputs.runsPerDay, env, access), cancel);
  return reason === undefined ? undefined : { code: 'runs-per-day', reason };
}

const ACCOUNT_LIMIT =
  'The account behind the API key has reached its usage limit, so the agent could not work.';

/** A limit is no failure, except for a gate: it must not open because nobody looked. */
function endAtLimit({ record }: Run, { failOnSeverity }: Inputs, skipped: Skipped): void {
  if (failOnSeverity !== undefined)
    throw new RunFailure('usage-limit', `${skipped.reason} \`fail-on-severity\` needs a review.`);
  const verdict = { status: 'success' } as const;
  Object.assign(record, { skipped, verdict, report: { ...record.report, answer: skipped.reason } });
}

/** Decides how the run ended, applies what the verdict allows, and records what that means for later runs. */
function judgeAndApply(run: Run, task: Task, verified: Verified): void {
  const { record } = run;
  const found = task.invocation.cancel.aborted ? UNCHECKED : verified.found;
  const verdict = judgeOutcome(run, task, { ...verified, found });
  // Applies what the verdict allows. If that fails, the run fails.
  Object.assign(record, found.settle(verdict));
  const weakened = findWeakenedChecks(readPatches(record.changes).flatMap(({ text }) => parseGitDiff(text)));
  if (weakened.length > 0) record.weakened = weakened;
  const { mark } = task.context;
  if (mark && !workFailure(record.verdict)) record.reviewed = mark;
  const { inputs } = task;
  const isSkipped = inputs.onLimit === 'skip' && inputs.failOnSeverity === undefined;
  if (isSkipped && failureReason(record.verdict) === 'usage-limit')
    endAtLimit(run, inputs, { code: 'usage-limit', reason: ACCOUNT_LIMIT });
}

/** The verdict, from the agent's exit, its answer and its changes. */
function judgeOutcome(run: Run, task: Task, { outcome, found, unverified }: Verified): Verdict {
  const { attempt } = outcome;
  if (!attempt) return outcome.verdict;
  const { inputs, expectation, context } = task;
  const { exit, report, stderr } = attempt;
  Object.assign(run.record, { exit, report, stderr });
  const { corrections = [] } = outcome.recorded;
  const answer = keepAnswer(attempt, { ...task, corrections, scope: context.scope });
  recordAnswer(run, answer);
  const isOnlyWarned = inputs.onViolation === 'warn';
  const deny = run.record.setup?.deny ?? [];
  const unasked = [...(attempt.lost ?? []), report].flatMap((one) => findUnasked(one, deny));
  const violations = [...found.violations, ...new Set(unasked)];
  const warnings = violations.map((violation) => `Not allowed by the policy: ${violation}`);
  if (isOnlyWarned) addNotes(run, warnings);
  // A run that was cancelled stays cancelled, whatever else is wrong with it.
  if (failureReason(outcome.verdict) === 'cancelled') return outcome.verdict;
  return judge({
    ...attempt,
    failOnDenied: inputs.failOnDenied,
    needsAnswer: inputs.preset === 'review' || expectation !== undefined || !found.hasChanges,
    violations: isOnlyWarned ? found.secrets : violations,
    ...(answer.problem === undefined ? {} : { outputProblem: answer.problem }),
    ...(unverified ? { unverified } : {}),
    blocking: blockingFindings(run.record.review?.findings ?? [], inputs.failOnSeverity),
  });
}

function recordAnswer(run: Run, { recorded, repository }: Omit<KeptAnswer, 'problem'>): void {
  Object.assign(run.record, recorded);
  if (repository !== undefined) run.repository = repository;
}

/** Each note once. */
function addNotes({ record }: Run, more: readonly string[]): void {
  record.notes = [...new Set([...record.notes, ...more])];
}

/** Waits until the work is done or the job is cancelled, whichever comes first. */
const orCancelled = <T>(work: Promise<T>, cancel: AbortSignal): Promise<T> =>
  unlessAborted(cancel, work, cancelledEarly);

const cancelledEarly = (): RunFailure =>
  new RunFailure('cancelled', 'The job was cancelled before the agent was started.');
