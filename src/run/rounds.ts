import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../agent/agent.js';
import { RunFailure } from '../core/failure.js';
import { isDebug, showsColour } from '../core/runner.js';
import { findReadDenial } from '../permissions/judge-call.js';
import { formatPermission } from '../permissions/permission-token.js';
import type { Policy } from '../permissions/policy.js';
import { failure, isAboutModel, judge, waitBeforeRetry, type Evidence } from '../report/judge.js';
import type { Correction, RunReport, Setup, Try, Verdict } from '../report/model.js';
import { joinReports } from '../report/run-report.js';
import { correctionRequest, readAnswer, type Expectation } from '../review/read-answer.js';
import type { Sandbox } from '../sandbox/index.js';
import { duration } from '../text/format.js';
import { logLine } from '../text/plain-text.js';
import type { Deadline } from './deadline.js';
import { followStream, STDERR_CHARACTERS } from './follow-stream.js';
import type { Inputs } from './inputs.js';
import type { ResolvedInputs } from './resolve-inputs.js';
import type { RunOutput } from './run-output.js';
import type { Invocation } from './run-state.js';
import type { SignIn } from './sign-in.js';
import { repositoryOf } from './structured-answer.js';
import { preloadDocuments } from './tell-result.js';

/** How long an agent may take to exit after its result event. */
const GRACE_MS = 3000;
/**
 * How long a sub-agent may work on after that, because its work was asked for. A command in the background gets no such
 * time: it may be a server that never ends, and the CLI itself waits for the commands that it needs.
 */
const SUBAGENT_MS = 120_000;
const MINUTE_MS = 60_000;
/** How often the agent is asked to correct its answer. */
const MAX_CORRECTIONS = 2;
/** If less time than this is left, asking again would only turn one failure into another. */
const MIN_ROUND_MS = 1000;

/** What all starts of the agent in a run have in common. */
export interface RoundSetting {
  sandbox: Sandbox;
  agent: Agent;
  inputs: Inputs;
  resolved: ResolvedInputs;
  policy: Policy;
  setup: Setup;
  /** The whole prompt: the task and what the action adds to it. */
  prompt: string;
  /** What the answer must look like, if it must match a schema. */
  expectation: Expectation | undefined;
  signIn: SignIn;
  output: RunOutput;
  deadline: Deadline;
  invocation: Invocation;
}

/** One start of the agent, from beginning to end. Several rounds of one chat count as one. */
export interface Attempt extends Pick<Evidence, 'exit' | 'report' | 'stderr' | 'limits' | 'earlyNetwork'> {
  verdict: Verdict;
  /** What the network of the last start saw, if it was closed. */
  network: Evidence['earlyNetwork'];
}

type FailedVerdict = Extract<Verdict, { status: 'failure' }>;

/** A request to the agent to go on in its chat. */
export interface NextRequest {
  resume: string;
  prompt: string;
}

/** The agent of a run: it is started as often as that helps, and what that gave is kept for the record. */
export interface Rounds {
  /** Starts the agent until it has answered and, if the answer must match a schema, until it does. */
  answer(next?: NextRequest): Promise<Attempt>;
  /** Adds to the prompt what became known after it was written. */
  addToPrompt(text: string): void;
  /** Why the agent cannot be asked to go on; undefined if it can. */
  whyNotAgain(attempt: Attempt): string | undefined;
  record: {
    /** Tries that failed. */
    tries: Try[];
    /** What they reported. */
    lost: RunReport[];
    /** Answers that could not be used. */
    corrections: Correction[];
    notes: string[];
    /** The model that was used. */
    model(): string;
  };
}

export function openRounds(setting: RoundSetting): Rounds {
  const { sandbox, inputs, resolved, expectation, output, deadline, invocation } = setting;
  const models = [...inputs.model];
  let { prompt } = setting;
  const [tries, lost]: [Try[], RunReport[]] = [[], []];
  const [corrections, notes]: [Correction[], string[]] = [[], []];
  // Whether anything came that the model can have caused, in any start.
  let hasWorked = false;
  let last: Attempt | undefined;
  let beganMs: number | undefined;

  const isOver = () => deadline.agentMs() === 0;
  const tooLate = () =>
    new RunFailure('timeout', 'The time limit was over before the agent could be started.');

  /** One start: command → process ⇒ bytes → lines → events → report → preliminary verdict. */
  const start = async (next: NextRequest | undefined, resume: string | undefined): Promise<Attempt> => {
    const credential = await setting.signIn(deadline.agentMs()).catch((error: unknown) => {
      throw isOver() ? tooLate() : error;
    });
    if (isOver()) throw tooLate();
    const follower = openFollower(setting);
    output.onReport(follower.report);
    const ended = sandbox
      .run(
        {
          args: setting.agent.args({
            model: models[0] ?? 'auto',
            policy: setting.policy,
            resume: resume ?? inputs.resume,
            extraArgs: inputs.extraArgs,
          }),
          env: setting.agent.environment(credential),
          input: next?.prompt ?? prompt,
          from: next ? 'left' : 'checkout',
          continuesChat: resume !== undefined,
        },
        follower,
        {
          totalMs: deadline.agentMs(),
          graceMs: GRACE_MS,
          subagentMs: SUBAGENT_MS,
          cancel: invocation.cancel,
        },
      )
      .finally(follower.end);
    preloadDocuments();
    const { exit, network } = await ended;
    hasWorked ||= follower.hasWorked();
    const evidence = {
      ...{ exit, report: follower.report, stderr: follower.stderr(), limits: deadline.limits },
      // Once a model has worked, somebody can have told it which hosts to ask for.
      earlyNetwork: hasWorked ? undefined : network,
    };
    const verdict = judge({ ...evidence, failOnDenied: inputs.failOnDenied, violations: [] });
    return { ...evidence, verdict, network };
  };

  const keepLost = ({ report }: Attempt, { reason, detail }: FailedVerdict, waitMs: number) => {
    lost.push(report);
    tries.push({ reason, detail, waitMs });
  };

  /** Starts the agent again after a failure that may be temporary, or with the next model, if nothing can have been written. */
  const startWithRetries = async (next: NextRequest | undefined): Promise<Attempt> => {
    let resume = next?.resume;
    for (let count = 1; ; count += 1) {
      const attempt = await start(next, resume);
      const { verdict, report } = attempt;
      if (verdict.status === 'success') return attempt;
      const [model = 'auto', other] = models;
      if (other !== undefined && isAboutModel(attempt)) {
        models.shift();
        keepLost(attempt, verdict, 0);
        notes.push(`The model ${model} could not be used (${verdict.reason}), so ${other} was tried.`);
        output.printLine(logLine(`model ${model} cannot be used (${verdict.reason}); next with ${other}`));
        count = 0;
        continue;
      }
      const remainingMs = deadline.agentMs();
      const waitMs = waitBeforeRetry({
        ...attempt,
        ...{ tries: count, retries: inputs.retries, remainingMs },
      });
      if (waitMs === undefined) return attempt;
      resume = report.sessionId ?? resume;
      keepLost(attempt, verdict, waitMs);
      output.printLine(`try ${count} failed (${verdict.reason}); next in ${duration(waitMs)}`);
      const hasWaited = await sleep(waitMs, true, { signal: invocation.cancel }).catch(() => false);
      if (!hasWaited)
        return { ...attempt, verdict: failure('cancelled', 'The job was cancelled before the next try.') };
    }
  };

  /** Adds a round to those before it. If it throws, the report of the earlier ones stays. */
  const addRound = async (next: NextRequest | undefined): Promise<Attempt> => {
    beganMs ??= deadline.elapsedMs();
    const [earlier, laterMs] = [last, deadline.elapsedMs() - beganMs];
    try {
      const later = await startWithRetries(next);
      last = earlier && next ? joinAttempts(earlier, later, laterMs) : later;
      output.onReport(last.report);
      return last;
    } catch (error) {
      if (earlier) output.onReport(earlier.report);
      throw error;
    }
  };

  const whyNotAgain = ({ report }: Attempt): string | undefined => {
    if (deadline.agentMs() < MIN_ROUND_MS) return 'its part of the time limit was over';
    if (report.sessionId === undefined) return 'it reported no session id to continue with';
    return undefined;
  };

  /** Asks for a corrected answer; undefined if the answer is usable or asking cannot help. */
  const nextCorrection = (attempt: Attempt, count: number): NextRequest | undefined => {
    // If the run failed for another reason, that stays the reason.
    if (!expectation || attempt.verdict.status === 'failure') return undefined;
    const answer = readAnswer(attempt.report, expectation, repositoryOf(resolved));
    if (answer.kind === 'valid') return undefined;
    const print = (line: string) => {
      output.printLine(logLine(output.redaction.redact(line)));
    };
    corrections.push({ problem: answer.problem });
    print(`answer ${count} cannot be used: ${answer.problem.replaceAll('\n', ' ')}`);
    if (count > MAX_CORRECTIONS || invocation.cancel.aborted) return undefined;
    const why = whyNotAgain(attempt);
    const { sessionId } = attempt.report;
    if (why !== undefined || sessionId === undefined) {
      notes.push(`The agent could not be asked to correct its answer: ${why ?? ''}.`);
      return undefined;
    }
    print(`asking for a corrected answer (${count} of ${MAX_CORRECTIONS})`);
    return { resume: sessionId, prompt: correctionRequest(expectation, answer.problem) };
  };

  return {
    async answer(first) {
      let attempt = await addRound(first);
      for (let count = 1; ; count += 1) {
        const next = nextCorrection(attempt, count);
        if (!next) return attempt;
        const asked = next.resume;
        attempt = await addRound(next);
        if (attempt.report.sessionId !== undefined && attempt.report.sessionId !== asked)
          notes.push(
            'The agent did not continue its chat when it was asked to correct its answer; it began a new one.',
          );
      }
    },
    addToPrompt(text) {
      prompt = `${prompt}\n\n${text}`;
    },
    whyNotAgain,
    record: { tries, lost, corrections, notes, model: () => models[0] ?? 'auto' },
  };
}

function openFollower({ sandbox, inputs, resolved, policy, setup, output }: RoundSetting) {
  const { top, directory, home, temp } = sandbox.places;
  const judged = { policy, root: top, directory, own: [home, temp] };
  return followStream({
    redaction: output.redaction,
    transcript: output.transcript,
    print: output.print,
    roots: [directory, top, resolved.directory, resolved.workspace],
    idleMs: inputs.idleTimeoutMinutes * MINUTE_MS,
    debug: isDebug(),
    colour: showsColour(),
    rules: setup,
    findReadRule: (path) => {
      const rule = findReadDenial(path, judged);
      return rule && formatPermission(rule);
    },
    now: () => performance.now(),
  });
}

/** Two rounds of one chat as one attempt. The later one began `laterMs` after the first. */
function joinAttempts(earlier: Attempt, later: Attempt, laterMs: number): Attempt {
  return {
    ...later,
    report: joinReports(earlier.report, later.report, laterMs),
    stderr: `${earlier.stderr}${later.stderr}`.slice(-STDERR_CHARACTERS),
  };
}
