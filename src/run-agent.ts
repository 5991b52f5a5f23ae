import * as core from '@actions/core';
import type { Agent } from './agent/agent.js';
import { cursor as cursorAgent } from './agent/cursor.js';
import { buildEnvironment } from './agent/environment.js';
import { formatPermission } from './agent/permission-token.js';
import { buildPolicy, type Policy } from './agent/policy.js';
import { runProcess } from './agent/process.js';
import { placeFiles } from './agent/quarantine.js';
import { findCli } from './find-cli.js';
import { RunFailure } from './failure.js';
import { followStream } from './follow-stream.js';
import { checkInputs } from './check-inputs.js';
import { readInputs, secretInputs, type Inputs } from './inputs.js';
import { judge } from './report/judge.js';
import { createRedactor } from './report/redact.js';
import type { Setup } from './report/run-record.js';
import { failure, type Verdict } from './report/verdict.js';
import { beginRun, type Run } from './run.js';
import { openAgentSection, printGroup } from './runner-log.js';
import type { Dialect } from './stream/events.js';
import { cursor as cursorDialect } from './stream/dialects/cursor.js';
import { tellResult } from './tell-result.js';
import { openTranscript } from './transcript.js';
import { openWorkplace, writeFiles } from './workplace.js';

/** From the result event until an agent that does not exit is ended. */
const GRACE_MS = 3000;
/** From SIGTERM until SIGKILL; the runner gives a cancelled step 7.5 s in all. */
const KILL_MS = 2000;
const MINUTE_MS = 60_000;

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

async function carryOut(run: Run, env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<void> {
  const { record } = run;

  // Inputs: read once, secrets masked before anything else, all problems at once.
  const raw = readInputs();
  secretInputs(raw).forEach(core.setSecret);
  run.redact = createRedactor(secretInputs(raw));
  const { inputs, places } = checkInputs(raw, env['GITHUB_WORKSPACE'] || process.cwd());
  run.summary = inputs.summary;

  // Install: a verified CLI, or the one that was named.
  const { agent, dialects } = AGENTS.cursor;
  const workplace = openWorkplace(env['RUNNER_TEMP']);
  run.workplace = workplace;
  const cli = await orCancelled(findCli(inputs, places, workplace.install), cancel);

  // Permissions: what the agent may do, for it to read and for people to see.
  const policy = buildPolicy(inputs);
  record.setup = describeSetup(agent, policy, cli.version);
  printSetup(record.setup);
  writeFiles(workplace.home, agent.homeFiles(policy, places.directory));

  // The run itself: our files in place, the process followed live, everything put back.
  const transcript = openTranscript(workplace.transcript);
  record.files.transcript = workplace.transcript;
  const section = openAgentSection();
  const follower = followStream({
    dialects,
    redact: run.redact,
    transcript,
    print: section.print,
    roots: [places.directory, places.workspace],
    idleMs: inputs.idleTimeoutMinutes * MINUTE_MS,
    debug: core.isDebug(),
    now: () => performance.now(),
  });
  record.report = follower.report;
  const quarantine = placeFiles(
    agent.projectFiles(policy, places.directory),
    places.directory,
    workplace.holding,
  );
  const started = performance.now();
  try {
    record.exit = await runProcess(
      {
        file: cli.path,
        args: agent.args({ model: inputs.model, policy, resume: inputs.resume, extraArgs: inputs.extraArgs }),
        cwd: places.directory,
        env: environmentOf(agent, inputs, { home: workplace.home, temp: workplace.temp, ours: env }),
        input: places.prompt,
      },
      follower,
      { totalMs: inputs.timeoutMinutes * MINUTE_MS, graceMs: GRACE_MS, killMs: KILL_MS, cancel },
    );
  } finally {
    record.notes.push(...quarantine.restore());
    record.agentMs = performance.now() - started;
    follower.end();
    record.stderr = follower.words();
    section.close();
    transcript.close();
    const problem = transcript.problem();
    if (problem !== undefined) record.notes.push(problem);
  }

  // The verdict, from everything seen.
  record.verdict = judge({
    exit: record.exit,
    report: record.report,
    stderr: record.stderr,
    failOnDenied: inputs.failOnDenied,
    violations: [],
  });
}

function environmentOf(
  agent: Agent,
  inputs: Inputs,
  { home, temp, ours }: { home: string; temp: string; ours: NodeJS.ProcessEnv },
): Record<string, string> {
  const own = agent.environment(inputs.apiKey);
  return buildEnvironment({ home, temp, passEnv: inputs.passEnv, own }, ours, process.platform);
}

function describeSetup(agent: Agent, policy: Policy, cliVersion: string | undefined): Setup {
  return {
    agent: agent.title,
    preset: policy.preset,
    mode: policy.mode,
    force: policy.force,
    allow: policy.allow.map(formatPermission),
    deny: policy.deny.map(formatPermission),
    isolation:
      'Not isolated: it ran as the runner’s own user, held back by these rules and a clean environment.',
    ...(cliVersion === undefined ? {} : { cliVersion }),
  };
}

function printSetup(setup: Setup): void {
  const force = setup.force ? 'on: whatever is not denied runs' : 'off: only what is allowed runs';
  printGroup(
    `${setup.agent} may do: preset ${setup.preset}, mode ${setup.mode}, force ${setup.force ? 'on' : 'off'}`,
    [
      `force is ${force}`,
      ...setup.allow.map((rule) => `allow ${rule}`),
      ...setup.deny.map((rule) => `deny  ${rule}`),
      setup.isolation,
    ],
  );
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
