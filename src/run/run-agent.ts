import { mcpSecrets } from '../agent/mcp.js';
import { buildPolicy, withReadable } from '../permissions/policy.js';
import { admitRun } from './admit-run.js';
import { AGENTS } from '../agent/agents.js';
import { answerForm } from '../review/expectation.js';
import { findRules } from './open-layer.js';
import type { Attempt, AttemptLimits } from './attempts.js';
import { checkInputs, type CheckedInputs } from './check-inputs.js';
import { presetInstruction } from '../context/instructions.js';
import { composePrompt } from '../context/prompt.js';
import { RunFailure } from '../core/failure.js';
import { findCli } from './find-cli.js';
import { gatherContext, historyRequest, type Context } from './gather-context.js';
import { hideSecrets } from './hide-secrets.js';
import { readInputs, type Inputs } from './inputs.js';
import { beginIsolation, prepareAgent, type Surroundings } from './prepare-agent.js';
import { newerCliNotice } from '../agent/tested-version.js';
import { judge, failure } from '../report/judge.js';
import type { RunRecord, Verdict } from '../report/model.js';
import { beginRun, type Run } from './run.js';
import { findSecrets } from './secrets.js';
import { startAgent } from './start-agent.js';
import { changeUnderReview, keepAnswer, runRounds } from './structured-answer.js';
import { openTelling } from './run-output.js';
import { tellResult } from './tell-result.js';
import { findChanges, type FoundChanges } from './settle-changes.js';
import { openWorkplace } from './run-folder.js';

/** One run, top to bottom. Whatever happens on the way, the end is told: summary, outputs, verdict. */
export async function runAgent(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<void> {
  const run = beginRun();
  try {
    await carryOut(run, { env, cancel });
  } catch (error) {
    run.record.verdict = verdictOf(error);
  }
  await tellResult(run);
}

async function carryOut(run: Run, surroundings: Surroundings): Promise<void> {
  const { record } = run;
  const { env, cancel } = surroundings;

  // Inputs: read once, secrets masked before anything else, all problems at once.
  const raw = readInputs();
  hideSecrets(run, findSecrets(raw, env));
  const { inputs, places, expectation } = await checkInputs(raw, env['GITHUB_WORKSPACE'] || process.cwd());
  run.summary = inputs.summary;
  if (places.mcp) hideSecrets(run, mcpSecrets(places.mcp.config));

  // Trust: who started this, and may they with these settings.
  const asked = buildPolicy({ ...inputs, mcpServers: Object.keys(places.mcp?.config.mcpServers ?? {}) });
  const admission = { inputs, places, policy: asked, ours: env, cancel };
  record.notes.push(...(await orCancelled(admitRun(run, admission), cancel)));

  // Context: what the event is about, as files for the agent to read; and the prompt, with all it is told.
  const workplace = openWorkplace(env['RUNNER_TEMP']);
  run.workplace = workplace;
  const agent = AGENTS[inputs.agent];
  // Meanwhile it is found out whether this machine can keep the agent apart.
  const { env: agentEnv, isolation } = beginIsolation({ agent, inputs, workplace }, surroundings);
  const given = { inputs, places, workplace, env, cancel };
  const { contexts, change } = await orCancelled(gatherContext(run, given), cancel);
  const reviewed = await orCancelled(changeUnderReview(expectation, change, record), cancel);
  const rules = await orCancelled(findRules(inputs.projectRules, historyRequest(given)), cancel);
  const policy = contexts.length > 0 ? withReadable(asked, workplace.context) : asked;
  const prompt = writePrompt(record, { inputs, places, contexts, expectation });

  // Install: a verified CLI, or the one that was named.
  const cli = await orCancelled(findCli(inputs, places, workplace.install), cancel);

  // Permissions and layer: what the agent may do and reach, and its own version of the checkout to do it on.
  const settled = { env: agentEnv, isolation: await orCancelled(isolation, cancel) };
  const prepared = prepareAgent(
    { agent, cli, inputs, places, rules, policy, workplace, ...settled },
    surroundings,
  );
  const { layer } = prepared;
  const { redact } = run.redaction;
  record.setup = prepared.setup;
  record.notes.push(...driftNotes(cli.version), ...layer.notes);

  // The agent itself, followed live, and once more where that can help.
  const telling = openTelling(run, workplace.transcript);
  const setting = { agent, inputs, places, prompt, policy, prepared, cancel, telling };
  const attempts = {
    start: (limits: AttemptLimits) => startAgent(setting, limits),
    totalMs: inputs.timeoutMinutes * 60_000,
    retries: inputs.retries,
    cancel,
    tell: telling.printLine,
    tries: record.tries,
  };
  const outcome = await outcomeOf(runRounds({ expectation, places, attempts, telling, record }));
  telling.close();

  // What it changed, the answer as data, and the verdict from everything seen. Only then is the checkout touched.
  try {
    const isOver = cancel.aborted || isNeverStarted(outcome.verdict);
    const found = isOver ? UNCHECKED : findChanges({ ...setting, layer, workplace, redact });
    let { verdict } = outcome;
    if (outcome.attempt) {
      Object.assign(record, outcome.attempt);
      const outputProblem = keepAnswer(run, outcome.attempt, { expectation, places, change: reviewed });
      verdict = settleVerdict(
        record,
        { ...outcome.attempt, outputProblem, violations: found.violations },
        inputs,
      );
    }
    Object.assign(record, found.settle(verdict));
  } finally {
    // A cancelled step has seconds left, and they are for telling what there was; the runner removes the rest.
    if (!cancel.aborted) layer.workspace.close();
  }
}

/** What became of the agent, also where it could not be run to an end. */
async function outcomeOf(work: Promise<Attempt>): Promise<{ verdict: Verdict; attempt?: Attempt }> {
  try {
    const attempt = await work;
    return { verdict: attempt.verdict, attempt };
  } catch (error) {
    return { verdict: verdictOf(error) };
  }
}

/** All the agent is told: by its preset, by what was gathered, by the workflow, and how its answer has to look. */
function writePrompt(
  record: RunRecord,
  { inputs, places, contexts, expectation }: CheckedInputs & Pick<Context, 'contexts'>,
): string {
  const instruction = inputs.presetPrompt ? presetInstruction(inputs.preset) : undefined;
  if (instruction !== undefined) record.instruction = instruction;
  const form = expectation && answerForm(expectation);
  return composePrompt({ instruction, contexts, task: places.prompt, answerForm: form });
}

/** Violations count unless they are only to be warned about; a run that was cancelled stays that. */
function settleVerdict(
  record: RunRecord,
  {
    outputProblem,
    violations,
    ...attempt
  }: Attempt & { outputProblem: string | undefined; violations: string[] },
  inputs: Inputs,
): Verdict {
  const isOnlyWarned = inputs.onViolation === 'warn';
  if (isOnlyWarned)
    record.notes.push(...violations.map((violation) => `Not allowed by the policy: ${violation}`));
  if (attempt.verdict.status === 'failure' && attempt.verdict.reason === 'cancelled') return attempt.verdict;
  return judge({
    ...attempt,
    failOnDenied: inputs.failOnDenied,
    violations: isOnlyWarned ? [] : violations,
    ...(outputProblem === undefined ? {} : { outputProblem }),
  });
}

/** A CLI newer than the tested ones may say things this version does not know. */
const driftNotes = (version: string | undefined): string[] => {
  const notice = version === undefined ? undefined : newerCliNotice(version);
  return notice === undefined ? [] : [notice];
};

/** An agent that could not be isolated was not started, and changed nothing. */
const isNeverStarted = (verdict: Verdict): boolean =>
  verdict.status === 'failure' && verdict.reason === 'isolation-unavailable';

/** The runner leaves a cancelled step seconds: the layer is thrown away unread. */
const UNCHECKED: FoundChanges = {
  violations: [],
  settle: (verdict) => ({
    verdict,
    changes: {
      kind: 'unknown',
      note: 'The agent was ended early, so what it changed was neither checked nor applied.',
      violations: [],
    },
  }),
};

/** Waits for the work or for the cancelling of the job, whichever comes first. */
async function orCancelled<T>(work: Promise<T>, cancel: AbortSignal): Promise<T> {
  const cancelled = new Promise<never>((_, reject) => {
    const stop = () => {
      reject(new RunFailure('cancelled', 'The job was cancelled before the agent was started.'));
    };
    if (cancel.aborted) stop();
    cancel.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, cancelled]);
}

function verdictOf(error: unknown): Verdict {
  if (error instanceof RunFailure) return failure(error.reason, error.detail);
  return failure('internal', error instanceof Error ? (error.stack ?? error.message) : String(error));
}
