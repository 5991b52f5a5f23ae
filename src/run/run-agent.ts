import { AGENTS } from '../agent/agent.js';
import { describeCredential, type Granted } from '../agent/credential.js';
import { mcpSecrets } from '../agent/mcp.js';
import { newerCliNotice, olderCliWarning } from '../agent/cursor.js';
import type { HistoryRequest } from '../context/history.js';
import { unlessAborted } from '../core/abort.js';
import { RunFailure, type FailureReason } from '../core/failure.js';
import { info } from '../core/runner.js';
import { namesOf } from '../git/diff.js';
import { apiUrlOf } from '../github/client.js';
import { readGithubEvent, type GithubEvent } from '../github/event.js';
import {
  buildPolicy,
  effectivePolicy,
  mayRunCommands,
  mayWrite,
  withRealPaths,
  type Policy,
} from '../permissions/policy.js';
import { findUnasked } from '../report/denials.js';
import { blockingFindings } from '../report/findings.js';
import { judge } from '../report/judge.js';
import type { RunReport, Skipped, Verdict } from '../report/model.js';
import { canHook, openSandbox, probeMachine, proxySecrets, type Machine } from '../sandbox/index.js';
import { somePaths } from '../text/format.js';
import { logLine, truncate } from '../text/plain-text.js';
import { findDailyLimit } from '../trust/daily-runs.js';
import { admitRun } from './admit-run.js';
import { chatsOf, maxPartsFor, planPasses, type PassPlan, type ReviewChat } from '../review/effort.js';
import { startClock } from './deadline.js';
import { checkoutTop } from './find-checkout.js';
import { findCli, type Cli } from './find-cli.js';
import { addNotes, endAtLimit, endSkipped, finishWork, type Work } from './finish-work.js';
import { gatherContext, githubOf, type Context } from './gather-context.js';
import { findUndocumented } from './find-undocumented.js';
import { INPUT_NAMES, readInputs } from './inputs.js';
import { describeSetup, planSandbox, printSetup } from './plan-sandbox.js';
import { asApplied, findRules, type ChosenRules, type RulesWanted } from './project-rules.js';
import { proveChange, proveFailure, type Proof } from './prove-change.js';
import {
  checkInputs,
  realFolder,
  requireCheckout,
  trustMcpConfig,
  type CheckedInputs,
} from './resolve-inputs.js';
import { reviewChange, type ReviewOutcome } from './review-passes.js';
import { openRounds, type Attempt } from './rounds.js';
import { openRunFolder, type RunFolder } from './run-folder.js';
import { openRunOutput } from './run-output.js';
import { beginRun, failureReason, originOf, verdictOf, type Invocation, type Run } from './run-state.js';
import { findSecrets, hideSecrets } from './secrets.js';
import { openSignIn, type SignIn } from './sign-in.js';
import {
  keepAnswer,
  readReviewedFiles,
  skipReview,
  type KeptAnswer,
  type ReviewSources,
} from './structured-answer.js';
import { tellResult } from './tell-result.js';
import { chooseCommands, printCommands, type ChosenCommands } from './verify-commands.js';
import { contextsFor, splitChange, writePrompt, writeValidation } from './write-prompt.js';
import { failureKey, triageFailure, type Triage } from './triage-failure.js';

/**
 * One run, from top to bottom. Whatever happens on the way, the result is reported: summary, outputs, exit code.
 *
 * `runSteps` calls the steps in their order, and the functions below it follow the same order. A step returns what it
 * found, or throws; here an error becomes a verdict. Only this file writes to the run, and `tellResult` at the end.
 */
export async function runAgent(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<number> {
  const run = beginRun();
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

  // A failure of CI that needs no repair, and a change that no document describes, start no agent.
  const triage = await triageCi(run, admitted, context);
  const needless = triage.skipped ?? (await orCancelled(findUndocumented(admitted, context.change), cancel));
  if (needless) {
    const reason = run.redaction.redact(needless.reason);
    info(logLine(`No agent is started: ${reason}`));
    endSkipped(run, { ...needless, reason });
    return;
  }

  const limit = await findLimit(admitted);
  if (limit) {
    endAtLimit(run, inputs, limit);
    return;
  }

  // Task: the project rules that the agent sees, its prompt, and the commands that will verify what it changed.
  const task = await defineTask(run, { ...admitted, context, reviewed });

  // At the same time: install a verified CLI, sign in at Cursor, and find out what this machine can do.
  const signIn = openSignIn(
    { inputs, mayRunCommands: mayRunCommands(task.policy) },
    invocation,
    (granted) => {
      acceptCredential(run, granted);
    },
  );
  const installed = findCli(inputs, resolved, runFolder.install);
  const probed = probeMachine(inputs, { checkout: checkoutTop(resolved), scratch: runFolder.probe });
  const [cli, machine] = await orCancelled(Promise.all([installed, probed, signIn()]), cancel);

  // Sandbox: the agent works in it on its own version of the checkout. What holds at its first start holds to the end.
  const work = openWork(run, task, { cli, machine, signIn });

  if (triage.hint !== undefined) work.rounds.addToPrompt(work.redact(triage.hint));

  // A repair: is the failure there? Without a failure no agent is started.
  const { before, skipped } = await proveFailure(work);
  if (skipped) {
    endSkipped(run, skipped);
    return;
  }

  // Agent: followed live, and started again where that can help.
  const { attempt: answered, outcome } = await answer(run, work);

  // Proof: the action itself runs commands on the checkout with the change. If one fails, the agent may repair it.
  const proof = await proveChange(work, answered, before);

  // Verdict: each start had a preliminary one, and this is the final one.
  run.record.verdict = judgeOutcome(run, work, { ...proof, outcome });
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
  if (inputs.failOnSeverity !== undefined) run.record.failOnSeverity = inputs.failOnSeverity;
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
  const context = await orCancelled(
    gatherContext({ ...admitted, maxParts: maxPartsFor(passRequest(admitted)), redact }),
    cancel,
  );
  Object.assign(run.record, context.recorded);
  addNotes(run, context.notes);
  if (context.failure) throw context.failure;
  const { reviewed, notes } = await orCancelled(readReviewedFiles(admitted, context.change), cancel);
  addNotes(run, notes);
  return { context, reviewed };
}

async function triageCi(run: Run, admitted: Admitted, context: Context): Promise<Triage> {
  const { inputs, event, history, invocation } = admitted;
  if (inputs.preset !== 'fix-ci') return { notes: [] };
  const { failures, machine } = context;
  const key = failures && failureKey(failures);
  if (key !== undefined) run.record.failureKey = key;
  const asked = triageFailure({ event, github: githubOf(history), failures, machine });
  const triage = await orCancelled(asked, invocation.cancel);
  addNotes(run, triage.notes);
  return triage;
}

/** Everything that is known before something is started. */
interface Task extends Admitted {
  /** What the agent may do. */
  policy: Policy;
  hasHook: boolean;
  context: Context;
  /** What findings are judged by, as it was before the agent started. */
  reviewed: ReviewSources;
  rules: ChosenRules;
  /** How often the change is reviewed, and whether the findings are validated. */
  plan: PassPlan;
  /** The whole prompt: the task and what the action adds to it. */
  prompt: string;
  /** The chats of a review, each with what it reads and is asked. */
  chats: readonly (ReviewChat & { prompt: string })[];
  /** What the change is verified with. */
  commands: ChosenCommands;
}

async function defineTask(
  run: Run,
  known: Omit<Task, 'rules' | 'prompt' | 'chats' | 'plan' | 'commands' | 'policy' | 'hasHook'>,
): Promise<Task> {
  const { inputs, event, history, context, invocation, runFolder } = known;
  const hasHook = AGENTS[inputs.agent].hookFiles !== undefined && canHook(runFolder.sandbox);
  const policy = effectivePolicy(known.inputPolicy, {
    readable: context.contexts.length > 0 ? runFolder.context : undefined,
    denied: inputs.deny,
    hasHook,
  });
  const rules = await orCancelled(
    findRules({ setting: inputs.projectRules, event, history, review: await reviewedFiles(known) }),
    invocation.cancel,
  );
  addNotes(run, rules.notes);
  const { team } = rules;
  if (team.length > 0) Object.assign(run.record, { teamRules: team.map(asApplied) });
  const parts = splitChange(context.contexts, maxPartsFor(passRequest(known)));
  const plan = choosePlan(run, known, parts.length);
  const { prompt, ...fromPreset } = writePrompt(known, { ...context, team });
  const chats = chatsOf(parts, plan.passes).map((chat) => {
    const contexts = contextsFor(chat, context.contexts);
    return {
      ...chat,
      prompt:
        contexts === context.contexts ? prompt : writePrompt(known, { ...context, contexts, team }).prompt,
    };
  });
  Object.assign(run.record, fromPreset);
  const commands = chooseCommands(inputs, context.commands, run.redaction.redact);
  printCommands(commands);
  return { ...known, policy, hasHook, rules, plan, prompt, chats, commands };
}

/** The files that a review is about, as far as they are known; undefined if the run is no review. */
async function reviewedFiles({
  inputs,
  expectation,
  context,
}: Pick<Task, 'inputs' | 'expectation' | 'context'>): Promise<RulesWanted['review']> {
  const isReview =
    inputs.preset === 'review' && (inputs.prompt.kind === 'built-in' || expectation?.kind === 'findings');
  if (!isReview) return undefined;
  const files = context.recorded.context?.flatMap((each) => each.files ?? []) ?? [];
  if (files.length > 0) return { files };
  const changed = await context.change?.files().catch(() => undefined);
  return { files: changed?.flatMap(namesOf) };
}

/** Only a review with findings that changes nothing has several passes, parts or a validation. */
const passRequest = ({
  inputs,
  expectation,
  inputPolicy,
}: Pick<Task, 'inputs' | 'expectation' | 'inputPolicy'>): Parameters<typeof planPasses>[0] => ({
  effort: inputs.effort,
  maxStarts: inputs.maxStarts,
  isReview: expectation?.kind === 'findings' && !mayWrite(inputPolicy),
  continuesChat: inputs.resume !== undefined,
});

function choosePlan(
  run: Run,
  task: Pick<Task, 'inputs' | 'expectation' | 'inputPolicy'>,
  parts: number,
): PassPlan {
  const request = passRequest(task);
  if (!request.isReview && request.effort !== 'medium')
    addNotes(run, [
      `effort: ${request.effort} has no effect, because this run is no review with findings that changes nothing.`,
    ]);
  return planPasses(request, parts);
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

/** Opens the sandbox, and what follows the agent in it. */
function openWork(run: Run, task: Task, parts: { cli: Cli; machine: Machine; signIn: SignIn }): Work {
  const { record, redaction } = run;
  const { inputs, runFolder, invocation } = task;
  const agent = AGENTS[inputs.agent];
  const planned = planSandbox({
    ...{ ...task, ...parts, agent, env: invocation.env, redact: redaction.redact },
    print: (line) => run.output?.printLine(line),
  });
  const setup = describeSetup(
    { ...task, ...parts, agent },
    run.credential && describeCredential(run.credential),
  );
  const sandbox = openSandbox(planned.plan);
  record.setup = setup;
  printSetup(setup, sandbox.facts.tools);
  addNotes(run, [...planned.notes, ...cliNotes(parts.cli.version)]);
  const onReport = (report: RunReport) => (record.report = report);
  const output = openRunOutput(runFolder.transcript, { redaction, onReport });
  run.output = output;
  record.files.transcript = runFolder.transcript;
  const isValidated = task.plan.validates !== 'none';
  const checkedBy =
    task.commands.kind === 'commands' ? 'verification' : isValidated ? 'validation' : undefined;
  const deadline = startClock({ inputs, checkedBy });
  const starts = { max: task.plan.maxStarts, used: 0, hasWorked: false };
  const setting = {
    ...task,
    ...parts,
    agent,
    sandbox,
    setup,
    output,
    deadline,
    starts,
    seat: 0,
    isFresh: false,
  };
  run.work = {
    ...setting,
    rounds: openRounds(setting),
    checkout: planned.plan.checkout,
    failures: task.context.failures,
    redact: redaction.redact,
    findKnown: redaction.findKnown,
    onVerification: (verification) => (record.verification = verification),
    mark: task.context.mark,
    scope: task.context.scope,
  };
  return run.work;
}

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

/** A review with findings may have several passes and a validation. Everything else is one chat. */
async function answer(
  run: Run,
  work: Work,
): Promise<{ attempt: Attempt; outcome: ReviewOutcome | undefined }> {
  const { expectation, context, inputPolicy, rules } = work;
  if (expectation?.kind !== 'findings' || mayWrite(inputPolicy))
    return { attempt: await work.rounds.answer(), outcome: undefined };
  run.record.passes = { started: work.chats.length, answered: 0 };
  const { contexts } = context;
  const outcome = await reviewChange({
    ...{ ...work, expectation },
    validationPrompt: (asked) => writeValidation(work, { ...asked, contexts, team: rules.team }),
  });
  run.record.passes = outcome.passes;
  return { attempt: outcome.attempt, outcome };
}

/** The verdict, from the agent's exit, its answer and its changes. */
function judgeOutcome(
  run: Run,
  work: Work,
  { attempt, found, unverified, outcome }: Proof & { outcome: ReviewOutcome | undefined },
): Verdict {
  const { inputs, expectation, rounds } = work;
  const { exit, report, stderr } = attempt;
  Object.assign(run.record, { exit, report, stderr });
  const { corrections, lost } = rounds.record;
  const answer = outcome?.kept ?? keepAnswer(attempt, { ...work, corrections });
  recordAnswer(run, answer);
  const gap = findGap(work, outcome);
  if (gap) recordGap(run, work, gap);
  const isOnlyWarned = inputs.onViolation === 'warn';
  const deny = run.record.setup?.deny ?? [];
  const unasked = [...lost, report].flatMap((one) => findUnasked(one, deny));
  const violations = [...found.violations, ...new Set(unasked)];
  const warnings = violations.map((violation) => `Not allowed by the policy: ${violation}`);
  if (isOnlyWarned) addNotes(run, warnings);
  // A run that was cancelled stays cancelled, whatever else is wrong with it.
  if (failureReason(attempt.verdict) === 'cancelled') return attempt.verdict;
  return judge({
    ...attempt,
    failOnDenied: inputs.failOnDenied,
    needsAnswer: inputs.preset === 'review' || expectation !== undefined || !found.hasChanges,
    violations: isOnlyWarned ? found.secrets : violations,
    ...(answer.problem === undefined ? {} : { outputProblem: answer.problem }),
    ...(unverified ? { unverified } : {}),
    ...(inputs.failOnSeverity === undefined
      ? {}
      : { incomplete: outcome?.incomplete ?? (gap && asIncomplete(gap)) }),
    blocking: blockingFindings(run.record.review?.findings ?? [], inputs.failOnSeverity),
  });
}

/** What of the change nobody reviewed, and why. `files` is empty if nobody knows. */
interface Gap {
  why: string;
  files: readonly string[];
}

/** Why the review is not about the whole change. It is said, and a gate does not open. */
function findGap(
  { event, context, reviewed, expectation, inputs }: Work,
  outcome: ReviewOutcome | undefined,
): Gap | undefined {
  const isReview = inputs.preset === 'review' || expectation?.kind === 'findings';
  if (event.change === undefined || !isReview) return undefined;
  const unread = [...context.unread, ...(outcome?.unread ?? [])];
  if (unread.length > 0)
    return {
      why:
        context.unread.length === 0
          ? 'The chats that were to read them gave no answer.'
          : 'The change is too large for one run. Split it, or review it in several jobs (plan).',
      files: unread,
    };
  if (expectation?.kind !== 'findings') return undefined;
  if (!reviewed.change)
    return { why: 'The change could not be read, so nobody knows what was reviewed.', files: [] };
  if (reviewed.change.isPartial === true)
    return { why: 'The change has more files than could be read.', files: [] };
  return undefined;
}

const asIncomplete = ({ why, files }: Gap): { reason: FailureReason; detail: string } => ({
  reason: 'no-result',
  detail: `${files.length === 0 ? '' : `Nobody reviewed ${somePaths(files)}. `}${why} \`fail-on-severity\` needs a review of the whole change.`,
});

const MAX_UNREAD = 100;

/** Later runs must not believe that these files were reviewed, and no thread about them is closed. */
function recordGap({ record }: Run, work: Work, { why, files }: Gap): void {
  record.unread = {
    why,
    files: files.slice(0, MAX_UNREAD),
    ...(files.length === 0 ? {} : { count: files.length }),
  };
  work.mark = undefined;
  const missing = new Set(files);
  if (record.context)
    record.context = record.context.map((each) =>
      each.files === undefined ? each : { ...each, files: each.files.filter((path) => !missing.has(path)) },
    );
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
