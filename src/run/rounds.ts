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
  /** The starts of the run, over all its chats. */
  starts: Starts;
  /** Where its chat takes place; chats at the same time have different seats. */
  seat: number;
  /** Whether it is a chat of its own, even if the run continues one. */
  isFresh: boolean;
  /** How often the agent is asked to correct its answer. */
  maxCorrections?: number;
}

/** The starts of the agent in a run. They are counted where they are made. */
export interface Starts {
  /** The input `max-starts`. */
  max: number;
  used: number;
  /** Chats that are planned and not begun. Their starts are kept for them: tries, corrections and repairs take the rest. */
  planned: number;
  /** Whether the model produced output in any of them. */
  hasWorked: boolean;
}

/** One start of the agent, from beginning to end. Several rounds of one chat count as one. */
export interface Attempt extends Pick<Evidence, 'exit' | 'report' | 'stderr' | 'limits' | 'earlyNetwork'> {
  verdict: Verdict;
  /** What the network of the last start saw, if it was closed. */
  network: Evidence['earlyNetwork'];
}

/** A request to the agent to go on in its chat. */
export interface NextRequest {
  resume: string;
  prompt: string;
}

/** The agent in one chat: it is started as often as that helps, and everything about its starts is kept for the record. */
export interface Rounds {
  /** Starts the agent until it has answered and, if the answer must match a schema, until the answer does. */
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
  const chat: Chat = {
    ...setting,
    models: [...setting.inputs.model],
    tries: [],
    lost: [],
    corrections: [],
    notes: [],
  };
  const { tries, lost, corrections, notes } = chat;
  return {
    answer: (first) => answer(chat, first),
    addToPrompt(text) {
      chat.prompt = `${chat.prompt}\n\n${text}`;
    },
    whyNotAgain: (attempt) => whyNotAgain(chat, attempt),
    record: { tries, lost, corrections, notes, model: () => modelOf(chat) },
  };
}

/** A chat of the agent, and what came of it until now. */
interface Chat extends RoundSetting {
  /** Those that are left to try. The first is used, and taken out if it cannot be. */
  models: string[];
  tries: Try[];
  lost: RunReport[];
  corrections: Correction[];
  notes: string[];
  /** All rounds until now as one. */
  last?: Attempt;
  /** When the first round began. */
  beganMs?: number;
  /** Whether it was started. */
  hasBegun?: boolean;
}

const modelOf = ({ models }: Chat): string => models[0] ?? 'auto';

async function answer(chat: Chat, first: NextRequest | undefined): Promise<Attempt> {
  let attempt = await addRound(chat, first);
  for (let count = 1; ; count += 1) {
    const next = nextCorrection(chat, attempt, count);
    if (!next) return attempt;
    attempt = await addRound(chat, next);
    const { sessionId } = attempt.report;
    if (sessionId !== undefined && sessionId !== next.resume)
      chat.notes.push(
        'The agent did not continue its chat when it was asked to correct its answer; it began a new one.',
      );
  }
}

/** Adds a round to those before it. If it throws, the report of the earlier ones stays. */
async function addRound(chat: Chat, next: NextRequest | undefined): Promise<Attempt> {
  const { deadline, output, last: earlier } = chat;
  chat.beganMs ??= deadline.elapsedMs();
  const laterMs = deadline.elapsedMs() - chat.beganMs;
  try {
    const later = await startWithRetries(chat, next);
    const joined = earlier && next ? joinAttempts(earlier, later, laterMs) : later;
    chat.last = joined;
    output.onReport(joined.report);
    return joined;
  } catch (error) {
    if (earlier) output.onReport(earlier.report);
    throw error;
  }
}

/** Starts the agent again after a failure that may be temporary, or with the next model, if nothing can have been written. */
async function startWithRetries(chat: Chat, next: NextRequest | undefined): Promise<Attempt> {
  const { models, notes, starts, output, deadline, inputs, invocation } = chat;
  let resume = next?.resume;
  for (let count = 1; ; count += 1) {
    const attempt = await start(chat, next, resume);
    const { verdict, report } = attempt;
    if (verdict.status === 'success') return attempt;
    const [model, nextModel] = [modelOf(chat), models[1]];
    const isModel = nextModel !== undefined && isAboutModel(attempt);
    const remainingMs = deadline.agentMs();
    const waitMs = isModel
      ? 0
      : waitBeforeRetry({ ...attempt, tries: count, retries: inputs.retries, remainingMs });
    if (waitMs === undefined) return attempt;
    if (isReserved(starts)) {
      notes.push(`The agent was not tried again: ${spentWords(starts)}.`);
      return attempt;
    }
    chat.lost.push(report);
    chat.tries.push({ reason: verdict.reason, detail: verdict.detail, waitMs });
    if (isModel) {
      models.shift();
      notes.push(`The model ${model} could not be used (${verdict.reason}), so ${nextModel} was tried.`);
      output.printLine(logLine(`model ${model} cannot be used (${verdict.reason}); next with ${nextModel}`));
      count = 0;
      continue;
    }
    resume = report.sessionId ?? resume;
    output.printLine(`try ${count} failed (${verdict.reason}); next in ${duration(waitMs)}`);
    const hasWaited = await sleep(waitMs, true, { signal: invocation.cancel }).catch(() => false);
    if (!hasWaited)
      return { ...attempt, verdict: failure('cancelled', 'The job was cancelled before the next try.') };
  }
}

/** One start: command → process ⇒ bytes → lines → events → report → preliminary verdict. */
async function start(
  chat: Chat,
  next: NextRequest | undefined,
  resume: string | undefined,
): Promise<Attempt> {
  const { sandbox, agent, policy, inputs, output, deadline, starts, invocation } = chat;
  const credential = await signInInTime(chat);
  if (isSpent(starts))
    throw new RunFailure('no-result', `The agent could not be started: ${spentWords(starts)}.`);
  starts.used += 1;
  if (!chat.hasBegun) starts.planned = Math.max(0, starts.planned - 1);
  chat.hasBegun = true;
  const follower = openFollower(chat);
  output.onReport(follower.report);
  const chatId = resume ?? (chat.isFresh ? undefined : inputs.resume);
  const command = {
    args: agent.args({ model: modelOf(chat), policy, resume: chatId, extraArgs: inputs.extraArgs }),
    env: agent.environment(credential),
    input: next?.prompt ?? chat.prompt,
  };
  const place = {
    from: next ? 'left' : 'checkout',
    continuesChat: resume !== undefined,
    seat: chat.seat,
  } as const;
  const limits = {
    totalMs: deadline.agentMs(),
    graceMs: GRACE_MS,
    subagentMs: SUBAGENT_MS,
    cancel: invocation.cancel,
  };
  const { exit, network } = await sandbox
    .run({ ...command, ...place }, follower, limits)
    .finally(follower.end);
  starts.hasWorked ||= follower.hasWorked();
  const evidence = {
    exit,
    report: follower.report,
    stderr: follower.stderr(),
    limits: deadline.limits,
    // Once a model has worked, a text that it read can have told it which hosts to ask for.
    earlyNetwork: starts.hasWorked ? undefined : network,
  };
  const verdict = judge({ ...evidence, failOnDenied: inputs.failOnDenied, violations: [] });
  return { ...evidence, verdict, network };
}

/** If the time is over meanwhile, that is the failure. */
async function signInInTime({ signIn, deadline }: Chat): ReturnType<SignIn> {
  const isOver = () => deadline.agentMs() === 0;
  const tooLate = () =>
    new RunFailure('timeout', 'The time limit was over before the agent could be started.');
  const credential = await signIn(deadline.agentMs()).catch((error: unknown) => {
    throw isOver() ? tooLate() : error;
  });
  if (isOver()) throw tooLate();
  return credential;
}

function whyNotAgain({ deadline, starts }: Chat, { report }: Attempt): string | undefined {
  if (deadline.agentMs() < MIN_ROUND_MS) return 'its part of the time limit was over';
  if (isReserved(starts)) return spentWords(starts);
  return report.sessionId === undefined ? 'it reported no session id to continue with' : undefined;
}

/** Asks for a corrected answer; undefined if the answer is usable or asking cannot help. */
function nextCorrection(chat: Chat, attempt: Attempt, count: number): NextRequest | undefined {
  const { expectation, resolved, corrections, notes, output, invocation } = chat;
  const { maxCorrections = MAX_CORRECTIONS } = chat;
  // If the run failed for another reason, that stays the reason.
  if (!expectation || attempt.verdict.status === 'failure') return undefined;
  const usable = readAnswer(attempt.report, expectation, repositoryOf(resolved));
  if (usable.kind === 'valid') return undefined;
  const { problem } = usable;
  const print = (line: string) => {
    output.printLine(logLine(output.redaction.redact(line)));
  };
  corrections.push({ problem });
  print(`answer ${count} cannot be used: ${problem.replaceAll('\n', ' ')}`);
  if (count > maxCorrections || invocation.cancel.aborted) return undefined;
  const why = whyNotAgain(chat, attempt);
  const { sessionId } = attempt.report;
  if (why !== undefined || sessionId === undefined) {
    notes.push(`The agent could not be asked to correct its answer: ${why ?? ''}.`);
    return undefined;
  }
  print(`asking for a corrected answer (${count} of ${maxCorrections})`);
  return { resume: sessionId, prompt: correctionRequest(expectation, problem) };
}

const isSpent = ({ used, max }: Starts): boolean => used >= max;
/** Whether all starts that are left are reserved for planned chats. */
const isReserved = ({ used, max, planned }: Starts): boolean => used + planned >= max;
const spentWords = ({ max, used }: Starts): string =>
  used >= max ? `\`max-starts\` (${max}) was reached` : `\`max-starts\` (${max}) leaves only what is planned`;

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
