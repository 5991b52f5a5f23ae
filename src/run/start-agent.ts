import type { Credential } from '../agent/credential.js';
import { awaitReady, explainSetupFailure, SetupFailed } from '../isolation/check.js';
import { runProcess, type ProcessLimits, type ProcessSpec, type Watcher } from '../agent/process.js';
import type { Exit } from '../core/exit.js';
import { RunFailure } from '../core/failure.js';
import type { Attempt, StartRequest } from './attempts.js';
import type { Deadline } from './deadline.js';
import { followStream } from './follow-stream.js';
import type { SignIn } from './sign-in.js';
import { prepareAgain, type Preparation, type Prepared } from './prepare-agent.js';
import { preloadDocuments } from './tell-result.js';
import { findReadDenial } from '../permissions/judge-call.js';
import { formatPermission } from '../permissions/permission-token.js';
import { judge } from '../report/judge.js';
import { isDebug, showsColour } from '../core/runner.js';
import type { RunOutput } from './run-output.js';

/** How long an agent may take to exit after its result event. */
const GRACE_MS = 3000;
/**
 * How long a sub-agent may work on after that, because its work was asked for. A command in the background gets no such
 * time: it may be a server that never ends, and the CLI itself waits for the commands that it needs.
 */
const SUBAGENT_MS = 120_000;
/** From SIGTERM to SIGKILL. The runner gives a cancelled step 7.5 s in total. */
const KILL_MS = 2000;
const MINUTE_MS = 60_000;

/** What all starts of the agent have in common. */
export interface Setting extends Preparation {
  /** The whole prompt: the task and what the action adds to it. */
  prompt: string;
  output: RunOutput;
  deadline: Deadline;
}

/** One start of the agent: command → process ⇒ bytes → lines → events → report → preliminary verdict. */
export async function startAgent(
  setting: Setting & { prepared: Prepared; credential: Credential | undefined; hasWorked: boolean },
  request: StartRequest,
): Promise<Attempt> {
  const { agent, cli, inputs, resolved, policy, prepared, network, output, deadline } = setting;
  const follower = followStream({
    redaction: output.redaction,
    transcript: output.transcript,
    print: output.print,
    roots: [prepared.layer.directory, prepared.layer.workspace.seen, resolved.directory, resolved.workspace],
    idleMs: inputs.idleTimeoutMinutes * MINUTE_MS,
    debug: isDebug(),
    colour: showsColour(),
    rules: prepared.setup,
    findReadRule: (path) => {
      const rule = findReadDenial(path, prepared.policy);
      return rule && formatPermission(rule);
    },
    now: () => performance.now(),
  });
  output.onReport(follower.report);
  const resume = request.resume ?? inputs.resume;
  const spec: ProcessSpec = {
    file: cli.path,
    args: agent.args({ model: request.model, policy, resume, extraArgs: inputs.extraArgs }),
    cwd: prepared.layer.directory,
    env: { ...prepared.env, ...agent.environment(setting.credential) },
    input: request.prompt ?? setting.prompt,
  };
  const command = prepared.commandFor(spec, request);
  const times = {
    totalMs: deadline.agentMs(),
    graceMs: GRACE_MS,
    subagentMs: SUBAGENT_MS,
    cancel: setting.invocation.cancel,
  };
  const ended = runIsolated(command, follower, times).finally(follower.end);
  preloadDocuments();
  const exit = await ended;
  const hasWorked = setting.hasWorked || follower.hasWorked();
  // Once a model has worked, somebody can have told it which hosts to ask for.
  const earlyNetwork = hasWorked ? undefined : network.seen();
  const { limits } = deadline;
  const evidence = { exit, report: follower.report, stderr: follower.stderr(), limits, earlyNetwork };
  return {
    ...evidence,
    hasWorked,
    verdict: judge({ ...evidence, failOnDenied: inputs.failOnDenied, violations: [] }),
  };
}

/** Runs a process. Throws `SetupFailed` if its isolation could not be set up, because then it was never started. */
export async function runIsolated(
  spec: ProcessSpec,
  watcher: Watcher,
  limits: Omit<ProcessLimits, 'killMs'>,
): Promise<Exit> {
  const gate = spec.isIsolated ? awaitReady(watcher.onStderr) : undefined;
  const watched = { ...watcher, onStderr: gate?.onStderr ?? watcher.onStderr };
  const exit = await runProcess(spec, watched, { ...limits, killMs: KILL_MS });
  if (gate && !gate.isReady() && exit.kind !== 'ended')
    throw new SetupFailed(explainSetupFailure(gate.printed()));
  return exit;
}

/** How the agent is started, as often as that is needed. */
interface Starts {
  start(request: StartRequest): Promise<Attempt>;
  /** What the last start was given. */
  prepared(): Prepared;
}

/**
 * Starts the agent. If its isolation cannot be set up the first time, it may be prepared in another way. What holds at
 * its first start holds to the end of the run: whatever happens then, it is never started again with less.
 */
export function openStarts(first: Prepared, { signIn, ...setting }: Setting & { signIn: SignIn }): Starts {
  const { network, output, deadline } = setting;
  let prepared = first;
  let [isSettled, hasWorked] = [false, false];
  const start = async (request: StartRequest): Promise<Attempt> => {
    const isOver = () => deadline.agentMs() === 0;
    const tooLate = () =>
      new RunFailure('timeout', 'The time limit was over before the agent could be started.');
    const credential = await signIn(deadline.agentMs()).catch((error: unknown) => {
      throw isOver() ? tooLate() : error;
    });
    if (isOver()) throw tooLate();
    try {
      const attempt = await startAgent({ ...setting, prepared, credential, hasWorked }, request);
      isSettled = true;
      ({ hasWorked } = attempt);
      return attempt;
    } catch (error) {
      if (!(error instanceof SetupFailed)) throw error;
      prepared = await prepareAgain({ prepared, error, isSettled }, setting);
      isSettled = true;
      output.print([prepared.setup.isolation, network.describe()]);
      return start(request);
    }
  };
  return { start, prepared: () => prepared };
}
