import type { Agent } from './agent/agent.js';
import { buildEnvironment } from './agent/environment.js';
import { formatPermission } from './agent/permission-token.js';
import type { Policy } from './agent/policy.js';
import { runProcess } from './agent/process.js';
import type { Attempt, AttemptLimits } from './attempts.js';
import { followStream } from './follow-stream.js';
import type { Places } from './input-files.js';
import type { Inputs } from './inputs.js';
import { judge } from './report/judge.js';
import type { Redact } from './report/redact.js';
import type { RunReport } from './report/run-report.js';
import type { AgentSection } from './agent-section.js';
import { isDebug, showsColour } from './runner.js';
import type { Dialect } from './stream/events.js';
import type { Transcript } from './transcript.js';
import type { Workplace } from './workplace.js';

/** From the result event until an agent that does not exit is ended. */
const GRACE_MS = 3000;
/** From SIGTERM until SIGKILL; the runner gives a cancelled step 7.5 s in all. */
const KILL_MS = 2000;
const MINUTE_MS = 60_000;

/** Everything that is settled by the time the agent is started. */
export interface Setting {
  agent: Agent;
  dialects: readonly Dialect[];
  cliPath: string;
  inputs: Inputs;
  places: Places;
  policy: Policy;
  workplace: Workplace;
  ours: NodeJS.ProcessEnv;
  cancel: AbortSignal;
  redact: Redact;
  transcript: Transcript;
  section: AgentSection;
  /** Told of the report as soon as there is one, so that it survives whatever happens. */
  onReport: (report: RunReport) => void;
}

/** command → process ⇒ bytes → lines → events → report → verdict, once. */
export async function startAgent(setting: Setting, limits: AttemptLimits): Promise<Attempt> {
  const { agent, inputs, places, policy, workplace } = setting;
  const follower = followStream({
    dialects: setting.dialects,
    redact: setting.redact,
    transcript: setting.transcript,
    print: setting.section.print,
    roots: [places.directory, places.workspace],
    idleMs: inputs.idleTimeoutMinutes * MINUTE_MS,
    debug: isDebug(),
    colour: showsColour(),
    rules: {
      force: policy.force,
      allow: policy.allow.map(formatPermission),
      deny: policy.deny.map(formatPermission),
    },
    now: () => performance.now(),
  });
  setting.onReport(follower.report);
  const resume = limits.resume ?? inputs.resume;
  const own = agent.environment(inputs.apiKey);
  const { home, temp } = workplace;
  const exit = await runProcess(
    {
      file: setting.cliPath,
      args: agent.args({ model: inputs.model, policy, resume, extraArgs: inputs.extraArgs }),
      cwd: places.directory,
      env: buildEnvironment({ home, temp, passEnv: inputs.passEnv, own }, setting.ours, process.platform),
      input: places.prompt,
    },
    follower,
    { totalMs: limits.totalMs, graceMs: GRACE_MS, killMs: KILL_MS, cancel: setting.cancel },
  ).finally(follower.end);
  const evidence = { exit, report: follower.report, stderr: follower.words() };
  return { ...evidence, verdict: judge({ ...evidence, failOnDenied: inputs.failOnDenied, violations: [] }) };
}
