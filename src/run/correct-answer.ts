import type { Attempt, AttemptLimits } from './attempts.js';
import { joinReports } from '../report/run-report.js';
import type { Correction, RunReport } from '../report/model.js';
import { correctionRequest, type Expectation } from '../review/expectation.js';
import type { Answer } from '../review/read-answer.js';

/** How often an agent is asked to correct its answer. */
const MOST_CORRECTIONS = 2;
/** With less than this left of the time limit, asking again would only turn one failure into another. */
const LEAST_MS = 1000;
/** Of what the agent wrote besides, the end is kept, as for a single start. */
const WORDS_CHARACTERS = 16_000;

export interface Corrections {
  expectation: Expectation;
  read(report: RunReport): Answer;
  /** Starts the agent, with retries where they help. */
  run(limits: AttemptLimits): Promise<Attempt>;
  totalMs: number;
  cancel: AbortSignal;
  tell(line: string): void;
  /** Told of everything so far whenever that is more than the agent's last report. */
  onReport(report: RunReport): void;
  /** The answers that could not be used, for the record. */
  corrections: Correction[];
  notes: string[];
}

/**
 * Runs the agent, and asks it in the same chat to correct an answer that is not of the form that was asked for. All
 * rounds together are one attempt: nothing that the earlier ones did is lost.
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

/** What to ask next; nothing if the answer is usable, or asking cannot help. */
function nextRequest(
  { read, expectation, corrections, cancel, tell, notes }: Corrections,
  { report, verdict }: Attempt,
  { round, leftMs }: { round: number; leftMs: number },
): { resume: string; prompt: string } | undefined {
  // A run that failed for another reason keeps that reason.
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
    // Starting it again put its own empty report in the place of this one.
    onReport(report);
    throw error;
  }
}

function joinAttempts(earlier: Attempt, later: Attempt, laterMs: number): Attempt {
  return {
    ...later,
    report: joinReports(earlier.report, later.report, laterMs),
    stderr: `${earlier.stderr}${later.stderr}`.slice(-WORDS_CHARACTERS),
  };
}
