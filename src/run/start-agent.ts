import type { Agent } from '../agent/agent.js';
import { explainFailure } from '../isolation/probe-answer.js';
import { SETUP_FAILED, SETUP_PROBLEM } from '../isolation/script.js';
import type { Policy } from '../permissions/policy.js';
import { runProcess, type ProcessSpec } from '../agent/process.js';
import type { Attempt, AttemptLimits } from './attempts.js';
import { followStream } from './follow-stream.js';
import { RunFailure } from '../core/failure.js';
import type { Places } from './input-files.js';
import type { Inputs } from './inputs.js';
import type { Prepared } from './prepare-agent.js';
import { preloadDocuments } from './tell-result.js';
import { judge } from '../report/judge.js';
import { isDebug, showsColour } from '../core/runner.js';
import { DIALECTS } from '../stream/dialects/index.js';
import type { Telling } from './run-output.js';

/** From the result event until an agent that does not exit is ended. */
const GRACE_MS = 3000;
/** From SIGTERM until SIGKILL; the runner gives a cancelled step 7.5 s in all. */
const KILL_MS = 2000;
const MINUTE_MS = 60_000;

/** Everything that is settled by the time the agent is started. */
export interface Setting {
  agent: Agent;
  inputs: Inputs;
  places: Places;
  /** The whole prompt, with what the action adds to the task. */
  prompt: string;
  policy: Policy;
  prepared: Prepared;
  cancel: AbortSignal;
  telling: Telling;
}

/** command → process ⇒ bytes → lines → events → report, once, with how it looks so far. */
export async function startAgent(setting: Setting, limits: AttemptLimits): Promise<Attempt> {
  const { agent, inputs, places, policy, prepared, telling } = setting;
  const follower = followStream({
    dialects: DIALECTS,
    redaction: telling.redaction,
    transcript: telling.transcript,
    print: telling.print,
    roots: [prepared.layer.directory, prepared.layer.workspace.seen, places.directory, places.workspace],
    idleMs: inputs.idleTimeoutMinutes * MINUTE_MS,
    debug: isDebug(),
    colour: showsColour(),
    rules: prepared.setup,
    now: () => performance.now(),
  });
  telling.onReport(follower.report);
  const resume = limits.resume ?? inputs.resume;
  const spec: ProcessSpec = {
    file: prepared.cliPath,
    args: agent.args({ model: inputs.model, policy, resume, extraArgs: inputs.extraArgs }),
    cwd: prepared.layer.directory,
    env: prepared.env,
    input: limits.prompt ?? setting.prompt,
  };
  preloadDocuments();
  const exit = await runProcess(prepared.ready(spec, limits), follower, {
    totalMs: limits.totalMs,
    graceMs: GRACE_MS,
    killMs: KILL_MS,
    cancel: setting.cancel,
  }).finally(follower.end);
  const evidence = { exit, report: follower.report, stderr: follower.words() };
  // Known to work on this machine, so nothing else is tried: what keeps it from working may be in the checkout.
  if (exit.kind === 'exited' && exit.code === SETUP_FAILED && evidence.stderr.includes(SETUP_PROBLEM))
    throw new RunFailure('isolation-unavailable', explainFailure(evidence.stderr));
  return { ...evidence, verdict: judge({ ...evidence, failOnDenied: inputs.failOnDenied, violations: [] }) };
}
