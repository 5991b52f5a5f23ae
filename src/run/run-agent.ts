import { AGENTS } from '../agent/agents.js';
import { describeCredential, type Granted } from '../agent/credential.js';
import { mcpSecrets } from '../agent/mcp.js';
import { newerCliNotice, olderCliWarning } from '../agent/tested-version.js';
import { composePrompt, presetInstruction, presetTask, type PromptContext } from '../context/prompt.js';
import { unlessAborted } from '../core/abort.js';
import { RunFailure } from '../core/failure.js';
import { readGithubEvent, type GithubEvent } from '../github/event.js';
import { SetupFailed } from '../isolation/check.js';
import { proxySecrets } from '../network/parent-proxy.js';
import { buildPolicy, withoutHook, withReadable, withRealPaths, type Policy } from '../permissions/policy.js';
import { blockingFindings } from '../report/findings.js';
import { judge, type Evidence } from '../report/judge.js';
import type { RunRecord, RunReport, Setup, Verdict } from '../report/model.js';
import { answerForm } from '../review/expectation.js';
import type { Grounds } from '../review/read-answer.js';
import { truncate } from '../text/plain-text.js';
import { admitRun } from './admit-run.js';
import type { Attempt, AttemptLimits } from './attempts.js';
import { openSignIn } from './credentials.js';
import { findCli } from './find-cli.js';
import { gatherContext, historyRequest } from './gather-context.js';
import { readInputs } from './inputs.js';
import { openHook } from './open-hook.js';
import { closeNetwork, mayOpenNetwork, openNetwork, reopen, UNREACHED } from './open-network.js';
import { originOf } from './origin.js';
import { findRules } from './open-layer.js';
import { prepareAgain, prepareAgent, printSetup } from './prepare-agent.js';
import { checkInputs, realFolder, type CheckedInputs } from './resolve-inputs.js';
import { openRunFolder, type RunFolder } from './run-folder.js';
import { openRunOutput } from './run-output.js';
import { beginRun, hideSecrets, verdictOf, type Invocation, type Run } from './run.js';
import { findSecrets } from './secrets.js';
import { findChanges, type FoundChanges } from './settle-changes.js';
import { startAgent, type Setting } from './start-agent.js';
import { changeUnderReview, keepAnswer, runRounds, type Outcome } from './structured-answer.js';
import { tellResult } from './tell-result.js';

/** One run, from top to bottom. Whatever happens on the way, the result is reported: summary, outputs, verdict. */
export async function runAgent(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<void> {
  const run = beginRun();
  try {
    await carryOut(run, { env, cancel });
  } catch (error) {
    run.record.verdict = verdictOf(error);
  }
  await tellResult(run, env);
}

async function carryOut(run: Run, invocation: Invocation): Promise<void> {
  const { record } = run;
  const { env, cancel } = invocation;
  const note = (notes: readonly string[]) =>
    record.notes.push(...notes.filter((text) => !record.notes.includes(text)));

  const { inputs, resolved, expectation, asked, event, runFolder } = await admit(run, invocation);
  const agent = AGENTS[inputs.agent];

  // Credential: Cursor answers while the context is gathered and the CLI is installed.
  const signIn = openSignIn(inputs, invocation, acceptCredential(run));

  // Context: what the event is about, as files for the agent to read, and the prompt.
  const request = { event, inputs, resolved, runFolder, env, cancel, redact: run.redaction.redact };
  const context = await orCancelled(gatherContext(request), cancel);
  Object.assign(record, context.told);
  note(context.notes);
  if (context.failure) throw context.failure;
  const { reviewed, notes } = await orCancelled(changeUnderReview(expectation, context.change), cancel);
  note(notes);
  const rules = await orCancelled(findRules(inputs.projectRules, historyRequest(request)), cancel);
  const { prompt, ...words } = writePrompt({ inputs, resolved, expectation }, context.contexts);
  Object.assign(record, words);

  // Install: a verified CLI, or the one that the input names.
  const installed = findCli(inputs, resolved, runFolder.install);
  const [cli] = await orCancelled(Promise.all([installed, signIn()]), cancel);

  // Permissions and layer: what the agent may do, and its own version of the checkout to work on.
  const hook = await openHook(agent, runFolder);
  const policy = settlePolicy(hook ? asked : withoutHook(asked), context, runFolder);
  const network = await openNetwork({ agent, inputs, resolved, runFolder, env, tell: printTo(run) });
  const preparation = { agent, cli, inputs, resolved, rules, policy, runFolder, hook, network };
  let prepared = prepareAgent(preparation, invocation);
  printSetup(withCredential(prepared.setup, run));
  note(driftNotes(cli.version));

  // The agent itself, followed live, and started again where that can help.
  const onReport = (report: RunReport) => (record.report = report);
  const output = openRunOutput(runFolder.transcript, { redaction: run.redaction, onReport });
  run.output = output;
  record.files.transcript = runFolder.transcript;
  const setting = { agent, inputs, resolved, prompt, policy, cancel, output };
  let [hasStarted, hasWorked] = [false, false];
  const start = async (limits: AttemptLimits): Promise<Attempt> => {
    const credential = await signIn(limits.totalMs);
    try {
      const attempt = await startAgent({ ...setting, prepared, credential }, limits);
      hasStarted = true;
      hasWorked ||= attempt.hasWorked;
      if (!mayOpenNetwork({ ...attempt, hasWorked }, network)) return attempt;
      note([inputs.network === 'required' ? UNREACHED : reopen(network, output)]);
      return network.state() === 'closed' ? attempt : await start(limits);
    } catch (error) {
      if (!(error instanceof SetupFailed)) throw error;
      prepared = await prepareAgain({ prepared, error, hasStarted }, preparation, invocation);
      output.print([prepared.setup.isolation, network.describe()]);
      return start(limits);
    }
  };
  const { retries, timeoutMinutes } = inputs;
  const attempts = { start, cancel, retries, totalMs: timeoutMinutes * 60_000, tell: output.printLine };
  const outcome = await runRounds({ expectation, resolved, attempts, output });
  const judged = hook?.close(output.printLine);
  const reached = closeNetwork(network, output);
  const { agentMs, ...written } = output.close();
  const setup = { ...withCredential(prepared.setup, run), network: network.describe() };
  Object.assign(record, outcome.told, { agentMs, setup, ...reached }, judged && { hook: judged });
  note([...prepared.notes, ...outcome.notes, ...written.notes]);
  run.unwritten.push(...written.unwritten);

  // Its changes, its answer and the verdict. Only after the verdict is the checkout touched.
  try {
    conclude(run, { ...setting, prepared, expectation, reviewed, outcome, runFolder });
  } finally {
    // The runner gives a cancelled step only seconds. They are needed for the report; the runner removes the rest.
    if (!cancel.aborted) prepared.layer.workspace.close();
  }
}

/** The prompt, and which words of it come from the preset. */
function writePrompt(
  { inputs, resolved, expectation }: CheckedInputs,
  contexts: readonly PromptContext[],
): Pick<RunRecord, 'instruction' | 'task'> & { prompt: string } {
  const instruction = inputs.presetPrompt ? presetInstruction(inputs.preset) : undefined;
  const task =
    inputs.prompt.kind === 'built-in'
      ? presetTask(
          inputs.prompt.preset,
          contexts.map(({ kind }) => kind),
        )
      : undefined;
  const prompt = composePrompt({
    instruction,
    contexts,
    task: task ?? resolved.prompt,
    answerForm: expectation && answerForm(expectation),
  });
  return {
    prompt,
    ...(instruction === undefined ? {} : { instruction }),
    ...(task === undefined ? {} : { task }),
  };
}

/** What the report keeps of the prompt. */
const PROMPT_CHARACTERS = 20_000;

/** The agent may read what was gathered for it. */
const settlePolicy = (
  policy: Policy,
  { contexts }: { contexts: readonly unknown[] },
  { context }: RunFolder,
): Policy => (contexts.length > 0 ? withReadable(policy, context) : policy);

/** What is known once the run is admitted. */
interface Admitted extends CheckedInputs {
  /** What the inputs allow the agent. */
  asked: Policy;
  event: GithubEvent;
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
  const { event, secrets, notes } = await orCancelled(admitRun(admission), cancel);
  hideSecrets(run, secrets);
  run.record.notes.push(...notes);
  run.record.origin = originOf(event, env, run.startedAt);
  return { ...checked, asked, event, runFolder };
}

interface Ended extends Omit<Setting, 'credential'>, Pick<CheckedInputs, 'expectation'> {
  /** The change under review, as it was before the agent started. */
  reviewed: Grounds['change'];
  outcome: Outcome;
  runFolder: RunFolder;
}

function conclude(run: Run, ended: Ended): void {
  const { inputs, resolved, expectation, reviewed, outcome, cancel, prepared } = ended;
  const { record, redaction } = run;
  const isUnchecked = cancel.aborted || isNeverStarted(outcome.verdict);
  const found = isUnchecked
    ? UNCHECKED
    : findChanges({ ...ended, layer: prepared.layer, redact: redaction.redact });
  let { verdict } = outcome;
  if (outcome.attempt) {
    const { exit, report, stderr } = outcome.attempt;
    Object.assign(record, { exit, report, stderr, verdict });
    const { corrections = [] } = outcome.told;
    const answer = keepAnswer(outcome.attempt, { expectation, resolved, change: reviewed, corrections });
    Object.assign(record, answer.told);
    if (answer.repository !== undefined) run.repository = answer.repository;
    const isOnlyWarned = inputs.onViolation === 'warn';
    if (isOnlyWarned)
      record.notes.push(...found.violations.map((violation) => `Not allowed by the policy: ${violation}`));
    verdict = settleVerdict(outcome.attempt, {
      failOnDenied: inputs.failOnDenied,
      limits: inputs,
      needsAnswer: inputs.preset === 'review' || expectation !== undefined || !found.hasChanges,
      violations: isOnlyWarned ? [] : found.violations,
      ...(answer.problem === undefined ? {} : { outputProblem: answer.problem }),
      blocking: blockingFindings(record.review?.findings ?? [], inputs.failOnSeverity),
    });
  }
  Object.assign(record, found.settle(verdict));
}

/** A run that was cancelled stays cancelled, whatever else is wrong with it. */
function settleVerdict(
  attempt: Attempt,
  findings: Pick<
    Evidence,
    'failOnDenied' | 'limits' | 'needsAnswer' | 'violations' | 'outputProblem' | 'blocking'
  >,
): Verdict {
  const { verdict } = attempt;
  if (verdict.status === 'failure' && verdict.reason === 'cancelled') return verdict;
  return judge({ ...attempt, ...findings });
}

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

/** To the log, once it shows the output of the agent. */
const printTo = (run: Run) => (line: string) => run.output?.printLine(line);

const withCredential = (setup: Setup, { credential }: Run): Setup =>
  credential ? { ...setup, credential: describeCredential(credential) } : setup;

/** A newer CLI than the tested one may send events that this version does not know. Older ones have known defects. */
const driftNotes = (version = ''): string[] =>
  [olderCliWarning(version), newerCliNotice(version)].filter((text) => text !== undefined);

/** An agent that could not be isolated was not started, so it changed nothing. */
const isNeverStarted = (verdict: Verdict): boolean =>
  verdict.status === 'failure' && verdict.reason === 'isolation-unavailable';

/** The runner gives a cancelled step only seconds, so its layer is discarded unread. */
const UNCHECKED: FoundChanges = {
  violations: [],
  hasChanges: false,
  settle: (verdict) => ({
    verdict,
    changes: {
      kind: 'unknown',
      note: 'The agent was stopped early, so its changes were neither checked nor applied.',
      violations: [],
    },
  }),
};

/** Waits until the work is done or the job is cancelled, whichever comes first. */
const orCancelled = <T>(work: Promise<T>, cancel: AbortSignal): Promise<T> =>
  unlessAborted(
    cancel,
    work,
    () => new RunFailure('cancelled', 'The job was cancelled before the agent was started.'),
  );
