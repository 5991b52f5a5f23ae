import type { Attempt, AttemptLimits } from './attempts.js';
import { joinReports } from '../report/run-report.js';
import type { Correction, RunReport } from '../report/model.js';
import { correctionRequest, type Expectation, type Answer } from '../review/read-answer.js';

/** How often the agent is asked to correct its answer. */
const MOST_CORRECTIONS = 2;
/** If less time than this is left, asking again would only turn one failure into another. */
export const LEAST_MS = 1000;
/** How much of stderr is kept over all rounds, counted from its end. */
const WORDS_CHARACTERS = 16_000;

export interface Corrections {
  expectation: Expectation;
  read(report: RunReport): Answer;
  /** Starts the agent, with retries if they can help. */
  run(limits: AttemptLimits): Promise<Attempt>;
  totalMs: number;
  cancel: AbortSignal;
  tell(line: string): void;
  /** Called with the joined report of all rounds so far. */
  onReport(report: RunReport): void;
  /** The answers that could not be used, for the report. */
  corrections: Correction[];
  notes: string[];
}

/**
 * Runs the agent, and asks it in the same chat to correct an answer that does not match the schema. All rounds together
 * count as one attempt, so nothing of the earlier rounds is lost.
 */
export async function runUntilUsable(corrections: Corrections): Promise<Attempt> {
  const startedAt = performance.now();
  const left = () => corrections.totalMs - (performance.now() - startedAt);
  let attempt = await corrections.run({ totalMs: corrections.totalMs });
  for (let round = 1; ; round += 1) {
    const request = nextRequest(corrections, attempt, { round, leftMs: left() });
    if (request === undefined) return attempt;
    const laterMs = performance.now() - startedAt;
    const next = await continueChat(corrections, attempt, { ...request, totalMs: left() });
    if (next.report.sessionId !== undefined && next.report.sessionId !== request.resume) {
      corrections.notes.push(
        'The agent did not continue its chat when it was asked to correct its answer; it began a new one.',
      );
    }
    attempt = joinAttempts(attempt, next, laterMs);
    corrections.onReport(attempt.report);
  }
}

/** The next request, or nothing if the answer is usable or asking cannot help. */
function nextRequest(
  { read, expectation, corrections, cancel, tell, notes }: Corrections,
  { report, verdict }: Attempt,
  { round, leftMs }: { round: number; leftMs: number },
): { resume: string; prompt: string } | undefined {
  // If the run failed for another reason, that stays the reason.
  if (verdict.status === 'failure') return undefined;
  const answer = read(report);
  if (answer.kind === 'valid') return undefined;
  corrections.push({ problem: answer.problem });
  tell(`answer ${round} cannot be used: ${answer.problem.replaceAll('\n', ' ')}`);
  if (round > MOST_CORRECTIONS || cancel.aborted || leftMs < LEAST_MS) return undefined;
  if (report.sessionId === undefined) {
    notes.push('The agent could not be asked to correct its answer: it told no session id to continue with.');
    return undefined;
  }
  tell(`asking for a corrected answer (${round} of ${MOST_CORRECTIONS})`);
  return { resume: report.sessionId, prompt: correctionRequest(expectation, answer.problem) };
}

async function continueChat(
  { run, onReport }: Corrections,
  { report }: Attempt,
  limits: AttemptLimits,
): Promise<Attempt> {
  try {
    return await run(limits);
  } catch (error) {
    // The new start has replaced this report with an empty one.
    onReport(report);
    throw error;
  }
}

/** Two rounds of one chat as one attempt. The later one began `laterMs` after the earlier one. */
export function joinAttempts(earlier: Attempt, later: Attempt, laterMs: number): Attempt {
  return {
    ...later,
    report: joinReports(earlier.report, later.report, laterMs),
    stderr: `${earlier.stderr}${later.stderr}`.slice(-WORDS_CHARACTERS),
  };
}
