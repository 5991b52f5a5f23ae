import { setTimeout as sleep } from 'node:timers/promises';
import { failure, isAboutModel, waitBeforeRetry, type Evidence } from '../report/judge.js';
import type { Correction, RunRecord, RunReport, Try, Verdict } from '../report/model.js';
import { joinReports } from '../report/run-report.js';
import { correctionRequest, readAnswer, type Expectation } from '../review/read-answer.js';
import { duration } from '../text/format.js';
import { logLine } from '../text/plain-text.js';
import { STDERR_CHARACTERS } from './follow-stream.js';
import { verdictOf } from './run-state.js';
import type { Setting } from './start-agent.js';
import { repositoryOf } from './structured-answer.js';

/** One start of the agent, from beginning to end. */
export interface Attempt extends Pick<Evidence, 'exit' | 'report' | 'stderr' | 'limits' | 'earlyNetwork'> {
  verdict: Verdict;
  /** Whether anything came that the model can have caused, in this start or an earlier one. */
  hasWorked: boolean;
  /** The reports of tries before it that failed. */
  lost?: readonly RunReport[];
}

/** What one start of the agent is asked for. */
export interface StartRequest {
  model: string;
  /** The chat of an earlier try, if its id is known. */
  resume?: string | undefined;
  /** Replaces the prompt of the run. */
  prompt?: string | undefined;
}

/** What the agent is asked for, whichever model answers. */
type RoundRequest = Omit<StartRequest, 'model'>;

/** A request to the agent to go on in its chat. */
export interface NextRequest extends RoundRequest {
  resume: string;
  prompt: string;
}

/** How the agent is run. */
export interface Rounds extends Pick<Setting, 'inputs' | 'resolved' | 'invocation' | 'output' | 'deadline'> {
  start(request: StartRequest): Promise<Attempt>;
  /** What the answer must look like, if it must match a schema. */
  expectation: Expectation | undefined;
  /** The models that are left to try. The first is used, and taken out if it cannot be. */
  models: string[];
}

/** What became of the agent. There is no attempt if it could not be run to its end. */
export interface Outcome {
  verdict: Verdict;
  attempt?: Attempt;
  /** For the record of the run, whatever the verdict. */
  recorded: Pick<RunRecord, 'tries' | 'corrections'>;
  notes: string[];
}

/** Starts the agent until it has answered and, if the answer must match a schema, until it does. */
export async function runRounds(rounds: Rounds, request: RoundRequest = {}): Promise<Outcome> {
  const { expectation } = rounds;
  const notes: string[] = [];
  const tries: Try[] = [];
  const corrections: Correction[] = [];
  const recorded = { tries, ...(expectation ? { corrections } : {}) };
  const run = (next: RoundRequest) => runAttempts({ ...rounds, tries, notes }, next);
  try {
    const attempt = expectation
      ? await runUntilUsable({ ...rounds, expectation, run, corrections, notes }, request)
      : await run(request);
    return { verdict: attempt.verdict, attempt, recorded, notes };
  } catch (error) {
    return { verdict: verdictOf(error), recorded, notes };
  }
}

/**
 * Starts the agent, and starts it again after a failure that may be temporary or with the next model, unless it can have
 * written something. Adds the tries that failed to `tries`.
 */
async function runAttempts(
  {
    start,
    inputs,
    invocation,
    output,
    deadline,
    models,
    ...found
  }: Rounds & { tries: Try[]; notes: string[] },
  { resume: chat, prompt }: RoundRequest,
): Promise<Attempt> {
  const failed = found.tries;
  const lost: RunReport[] = [];
  let resume = chat;
  for (let tries = 1; ; tries += 1) {
    const [model = 'auto', next] = models;
    const attempt = { ...(await start({ model, resume, prompt })), lost: [...lost] };
    const { verdict, report } = attempt;
    lost.push(report);
    if (verdict.status === 'failure' && next !== undefined && isAboutModel(attempt)) {
      models.shift();
      failed.push({ reason: verdict.reason, detail: verdict.detail, waitMs: 0 });
      found.notes.push(`The model ${model} could not be used (${verdict.reason}), so ${next} was tried.`);
      output.printLine(logLine(`model ${model} cannot be used (${verdict.reason}); next with ${next}`));
      tries = 0;
      continue;
    }
    const { retries } = inputs;
    const waitMs = waitBeforeRetry({ ...attempt, tries, retries, remainingMs: deadline.agentMs() });
    if (waitMs === undefined || verdict.status === 'success') return attempt;
    resume = report.sessionId ?? resume;
    failed.push({ reason: verdict.reason, detail: verdict.detail, waitMs });
    output.printLine(`try ${tries} failed (${verdict.reason}); next in ${duration(waitMs)}`);
    const hasWaited = await sleep(waitMs, true, { signal: invocation.cancel }).catch(() => false);
    if (!hasWaited)
      return { ...attempt, verdict: failure('cancelled', 'The job was cancelled before the next try.') };
  }
}

/** How often the agent is asked to correct its answer. */
const MOST_CORRECTIONS = 2;
/** If less time than this is left, asking again would only turn one failure into another. */
export const LEAST_MS = 1000;

interface Corrections extends Rounds {
  expectation: Expectation;
  /** Starts the agent, with retries if they can help. */
  run(request: RoundRequest): Promise<Attempt>;
  /** The answers that could not be used, for the report. */
  corrections: Correction[];
  notes: string[];
}

/**
 * Runs the agent, and asks it in the same chat to correct an answer that does not match the schema. All rounds together
 * count as one attempt, so nothing of the earlier rounds is lost.
 */
async function runUntilUsable(corrections: Corrections, request: RoundRequest): Promise<Attempt> {
  const { run, notes, output, deadline } = corrections;
  const startedMs = deadline.elapsedMs();
  let attempt = await run(request);
  for (let round = 1; ; round += 1) {
    const next = nextRequest(corrections, attempt, round);
    if (next === undefined) return attempt;
    const laterMs = deadline.elapsedMs() - startedMs;
    const { report } = attempt;
    const later = await run(next).catch((error: unknown) => {
      // The new start has replaced this report with an empty one.
      output.onReport(report);
      throw error;
    });
    if (later.report.sessionId !== undefined && later.report.sessionId !== next.resume) {
      notes.push(
        'The agent did not continue its chat when it was asked to correct its answer; it began a new one.',
      );
    }
    attempt = joinAttempts(attempt, later, laterMs);
    output.onReport(attempt.report);
  }
}

/** The next request, or nothing if the answer is usable or asking cannot help. */
function nextRequest(
  { expectation, resolved, corrections, invocation, output, deadline, notes }: Corrections,
  { report, verdict }: Attempt,
  round: number,
): NextRequest | undefined {
  // If the run failed for another reason, that stays the reason.
  if (verdict.status === 'failure') return undefined;
  const answer = readAnswer(report, expectation, repositoryOf(resolved));
  if (answer.kind === 'valid') return undefined;
  const tell = (line: string) => {
    output.printLine(logLine(output.redaction.redact(line)));
  };
  corrections.push({ problem: answer.problem });
  tell(`answer ${round} cannot be used: ${answer.problem.replaceAll('\n', ' ')}`);
  if (round > MOST_CORRECTIONS || invocation.cancel.aborted || deadline.agentMs() < LEAST_MS)
    return undefined;
  if (report.sessionId === undefined) {
    notes.push(
      'The agent could not be asked to correct its answer: it reported no session id to continue with.',
    );
    return undefined;
  }
  tell(`asking for a corrected answer (${round} of ${MOST_CORRECTIONS})`);
  return { resume: report.sessionId, prompt: correctionRequest(expectation, answer.problem) };
}

/** Two rounds of one chat as one attempt. The later one began `laterMs` after the earlier one. */
export function joinAttempts(earlier: Attempt, later: Attempt, laterMs: number): Attempt {
  return {
    ...later,
    report: joinReports(earlier.report, later.report, laterMs),
    lost: [...(earlier.lost ?? []), ...(later.lost ?? [])],
    stderr: `${earlier.stderr}${later.stderr}`.slice(-STDERR_CHARACTERS),
  };
}
