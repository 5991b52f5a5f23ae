import type { Agent } from './agent/agent.js';
import { cursor as cursorAgent } from './agent/cursor.js';
import { buildPolicy } from './agent/policy.js';
import { placeFiles } from './agent/quarantine.js';
import { runAttempts } from './attempts.js';
import { checkInputs } from './check-inputs.js';
import { RunFailure } from './failure.js';
import { findCli } from './find-cli.js';
import { readInputs, secretInputs } from './inputs.js';
import { createRedactor } from './report/redact.js';
import { failure, type Verdict } from './report/verdict.js';
import { beginRun, type Run } from './run.js';
import { openAgentSection } from './agent-section.js';
import { setSecret } from './runner.js';
import { describeSetup, printSetup } from './setup-report.js';
import { startAgent, type Setting } from './start-agent.js';
import { cursor as cursorDialect } from './stream/dialects/cursor.js';
import type { Dialect } from './stream/events.js';
import { tellResult } from './tell-result.js';
import { openTranscript } from './transcript.js';
import { openWorkplace, rememberForPost, writeFiles } from './workplace.js';

const AGENTS: Readonly<Record<'cursor', { agent: Agent; dialects: readonly Dialect[] }>> = {
  cursor: { agent: cursorAgent, dialects: [cursorDialect] },
};

/** One run, top to bottom. Whatever happens on the way, the end is told: summary, outputs, verdict. */
export async function runAgent(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<void> {
  const run = beginRun();
  try {
    await carryOut(run, env, cancel);
  } catch (error) {
    run.record.verdict = verdictOf(error);
  }
  await tellResult(run);
}

async function carryOut(run: Run, ours: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<void> {
  const { record } = run;

  // Inputs: read once, secrets masked before anything else, all problems at once.
  const raw = readInputs();
  secretInputs(raw).forEach(setSecret);
  run.redact = createRedactor(secretInputs(raw));
  const { inputs, places } = checkInputs(raw, ours['GITHUB_WORKSPACE'] || process.cwd());
  run.summary = inputs.summary;

  // Install: a verified CLI, or the one that was named.
  const { agent, dialects } = AGENTS.cursor;
  const workplace = openWorkplace(ours['RUNNER_TEMP']);
  run.workplace = workplace;
  const cli = await orCancelled(findCli(inputs, places, workplace.install), cancel);

  // Permissions: what the agent may do, for people to see and for the CLI to read.
  const policy = buildPolicy(inputs);
  record.setup = describeSetup(agent, policy, cli.version);
  printSetup(record.setup);
  writeFiles(workplace.home, agent.homeFiles(policy, places.directory));

  // Quarantine: our policy in the workspace, what stood in its way aside; from here on it has to be put back.
  rememberForPost(workplace);
  const quarantine = placeFiles(
    agent.projectFiles(policy, places.directory),
    places.directory,
    workplace.holding,
  );
  const transcript = openTranscript(workplace.transcript);
  record.files.transcript = workplace.transcript;
  const section = openAgentSection();
  const startedAt = performance.now();
  try {
    // The agent itself, followed live; once more where that can help.
    const onReport: Setting['onReport'] = (report) => (record.report = report);
    const outputs = { redact: run.redact, transcript, section, onReport };
    const setting: Setting = {
      agent,
      dialects,
      cliPath: cli.path,
      inputs,
      places,
      policy,
      workplace,
      ours,
      cancel,
      ...outputs,
    };
    const attempt = await runAttempts({
      start: (limits) => startAgent(setting, limits),
      totalMs: inputs.timeoutMinutes * 60_000,
      retries: inputs.retries,
      cancel,
      tell: (line) => {
        section.print([line]);
      },
      tries: record.tries,
    });
    Object.assign(record, attempt);
  } finally {
    record.notes.push(...quarantine.restore());
    record.agentMs = performance.now() - startedAt;
    section.close();
    transcript.close();
    record.notes.push(...transcript.problems());
  }
}

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
