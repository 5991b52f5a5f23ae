import { assertNever } from '../core/assert-never.js';
import type { Exit } from '../core/exit.js';
import { recogniseError } from './known-errors.js';
import { countCalls } from './run-report.js';
import type { RunReport, Verdict } from './model.js';
import { failure, SUCCESS } from './verdict.js';

export interface Evidence {
  /** How the process ended. */
  exit: Exit;
  /** What the stream said. */
  report: RunReport;
  /** The end of what the agent wrote to stderr, and text on stdout that was no event. */
  stderr: string;
  failOnDenied: boolean;
  /** Changes that the policy does not allow, each in words; empty where they are only warned about. */
  violations: readonly string[];
  /** What is wrong with the answer by `output-schema`, if one was given and it is not satisfied. */
  outputProblem?: string;
}

/** How many violations are told by name. */
const MOST_VIOLATIONS = 20;

/**
 * The whole rule of success, and nothing but: a result that is no error, exit 0 or ended by us after that
 * result, no violation, an answer that satisfies its schema, and nothing denied where that matters.
 */
export function judge(evidence: Evidence): Verdict {
  const verdict = judgeRun(evidence);
  if (verdict.status === 'success' || verdict.reason === 'policy-violation') return verdict;
  if (evidence.violations.length === 0) return verdict;
  return failure(verdict.reason, `${verdict.detail}\nBesides, ${violationText(evidence.violations)}`);
}

function judgeRun(evidence: Evidence): Verdict {
  const { exit, report } = evidence;
  switch (exit.kind) {
    case 'not-started':
      return failure('install-failed', `The CLI could not be started: ${exit.error}.`);
    case 'signalled':
      return crash(evidence, `The process was ended by ${exit.signal}.`);
    case 'exited':
      if (exit.code !== 0) return crash(evidence, `The process ended with exit code ${exit.code}.`);
      return report.result ? judgeResult(evidence) : noResult(evidence);
    case 'ended':
      return judgeEnded(evidence, exit.why);
    default:
      return assertNever(exit);
  }
}

function judgeEnded(evidence: Evidence, why: Extract<Exit, { kind: 'ended' }>['why']): Verdict {
  const done = progress(evidence.report);
  // A result that came while a limit was ending the process counts: the work was done and reported.
  if (evidence.report.result && why !== 'cancelled') return judgeResult(evidence);
  switch (why) {
    case 'after-result':
      return noResult(evidence);
    case 'timeout':
      return failure('timeout', `It was ended at the time limit. ${done}`);
    case 'idle':
      return failure('idle-timeout', `Nothing came from it any more. ${done}`);
    case 'cancelled':
      return failure('cancelled', `The job was cancelled. ${done}`);
    default:
      return assertNever(why);
  }
}

function judgeResult({ report, stderr, ...evidence }: Evidence): Verdict {
  const { result } = report;
  if (result?.isError) {
    const words = result.text || report.errors.at(-1) || result.exitStatus || 'It gave no message.';
    return failure(result.failure ?? recogniseError(`${words}\n${stderr}`) ?? 'agent-error', words);
  }
  if (evidence.violations.length > 0) return failure('policy-violation', violationText(evidence.violations));
  if (evidence.outputProblem !== undefined) return failure('bad-output', evidence.outputProblem);
  const { denied } = countCalls(report);
  if (evidence.failOnDenied && denied > 0) {
    return failure('denied', `${denied} tool ${denied === 1 ? 'call was' : 'calls were'} denied.`);
  }
  return SUCCESS;
}

/** Exit 0 and no result is never a success, whatever it did before. */
function noResult({ report, stderr }: Evidence): Verdict {
  const words = said(report, stderr);
  return failure(recogniseError(words) ?? 'no-result', words || progress(report));
}

function crash({ report, stderr }: Evidence, how: string): Verdict {
  const words = said(report, stderr);
  const kept = report.result ? ' It had reported a result before; that is kept.' : '';
  const { result } = report;
  // With a result the texts on stderr are not why it ended: the work was done by then.
  const recognised = result?.isError === false ? undefined : recogniseError(words);
  const reason = result?.failure ?? recognised ?? (result?.isError ? 'agent-error' : 'crashed');
  return failure(reason, [`${how}${kept}`, words].filter((part) => part !== '').join('\n'));
}

function said(report: RunReport, stderr: string): string {
  return [...report.errors, report.result?.isError ? report.result.text : '', stderr.trim()]
    .filter((part) => part !== '')
    .join('\n');
}

function violationText(violations: readonly string[]): string {
  const shown = violations.slice(0, MOST_VIOLATIONS);
  const left = violations.length - shown.length;
  const lines = [...shown, ...(left > 0 ? [`… and ${left} more`] : [])].map((line) => `- ${line}`);
  return [`not allowed by the policy:`, ...lines].join('\n');
}

function progress(report: RunReport): string {
  const { calls } = countCalls(report);
  return `Until then: ${calls} tool ${calls === 1 ? 'call' : 'calls'}, ${report.messages} ${
    report.messages === 1 ? 'message' : 'messages'
  }.`;
}
