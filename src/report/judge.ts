import { assertNever } from '../core/errors.js';
import { exitWords, type Exit } from '../core/exit.js';
import type { FailureReason } from '../core/failure.js';
import type { ToolKind } from '../stream/events.js';
import { firstLines, joinParts, plural } from '../text/format.js';
import { oneLine, truncate } from '../text/plain-text.js';
import { findingLine } from './findings.js';
import type { CheckedFinding, NetworkRecord, RunReport, Verdict } from './model.js';
import { callWords, countCalls, isHarmless, runningCalls } from './run-report.js';

export const SUCCESS: Verdict = { status: 'success' };
export const failure = (reason: FailureReason, detail: string): Verdict => ({
  status: 'failure',
  reason,
  detail,
});

export interface Evidence {
  /** How the process ended. */
  exit: Exit;
  /** What the stream said. */
  report: RunReport;
  /** The end of what the agent wrote to stderr, and of text on stdout that was not an event. */
  stderr: string;
  failOnDenied: boolean;
  limits: TimeLimits;
  /** Whether an empty answer is a failure: there is nothing else that the run could have been for. */
  needsAnswer?: boolean;
  /** Changes that the policy does not allow, one sentence each; empty if they only cause warnings. */
  violations: readonly string[];
  /** Why the answer does not satisfy `output-schema`, if one was given. */
  outputProblem?: string;
  /** Why the change is not verified although it must be. */
  unverified?: { reason: FailureReason; detail: string };
  /** The findings that `fail-on-severity` does not accept. */
  blocking?: readonly CheckedFinding[];
  /** Why the review is not whole, if `fail-on-severity` needs one. */
  incomplete?: { reason: FailureReason; detail: string } | undefined;
  /** Missing if the network is open, or if the model has worked. */
  earlyNetwork?: EarlyNetwork | undefined;
}

/** What a closed network saw before the model worked. */
export interface EarlyNetwork {
  /** How many connections to the vendor were asked for, and how many were made. */
  vendor: { asked: number; made: number };
  refused: NetworkRecord['refused'];
}

/** The inputs of the same names, and the part of the first that is reserved for what checks the work. */
export interface TimeLimits {
  timeoutMinutes: number;
  idleTimeoutMinutes: number;
  reservedMinutes?: number;
  reservedFor?: string | undefined;
}

/** How many violations or findings are listed. */
const MAX_LISTED = 20;

/**
 * Decides whether a run succeeded. Success needs all of this: a result that is not an error, exit code 0 or an end by
 * the action after that result, no violation, an answer where there must be one, which satisfies its schema, with
 * `fail-on-denied` nothing denied, a passed verification where one is required, and with `fail-on-severity` no such
 * finding.
 */
export function judge(evidence: Evidence): Verdict {
  const verdict = unlessUnreached(evidence, judgeRun(evidence));
  if (verdict.status === 'success' || verdict.reason === 'policy-violation') return verdict;
  if (evidence.violations.length === 0) return verdict;
  return failure(verdict.reason, `${verdict.detail}\nAlso ${violationText(evidence.violations)}`);
}

function judgeRun(evidence: Evidence): Verdict {
  const { exit, report } = evidence;
  switch (exit.kind) {
    case 'not-started':
      return failure('install-failed', exitWords(exit));
    case 'signalled':
      return crash(evidence, exitWords(exit));
    case 'exited':
      if (exit.code !== 0) return crash(evidence, exitWords(exit));
      return report.result ? judgeResult(evidence) : noResult(evidence);
    case 'ended':
      return judgeEnded(evidence, exit.why);
    default:
      return assertNever(exit);
  }
}

function judgeEnded(evidence: Evidence, why: Extract<Exit, { kind: 'ended' }>['why']): Verdict {
  const { report, limits } = evidence;
  const ended = (how: string) => [`${how}${whileRunning(report)}.`, progress(report)].join(' ');
  // A result counts even if it came while the action was ending the process: the work was done and reported.
  if (report.result && why !== 'cancelled') return judgeResult(evidence);
  switch (why) {
    case 'after-result':
      return noResult(evidence);
    case 'timeout': {
      return unlessDisconnected(evidence, failure('timeout', ended(timeoutWords(limits))));
    }
    case 'idle': {
      const how = `Stopped after ${plural(limits.idleTimeoutMinutes, 'minute')} without output (\`idle-timeout-minutes\`)`;
      return unlessDisconnected(evidence, failure('idle-timeout', ended(how)));
    }
    case 'cancelled':
      return failure('cancelled', ended('The job was cancelled'));
    default:
      return assertNever(why);
  }
}

function timeoutWords({
  timeoutMinutes,
  reservedMinutes = 0,
  reservedFor = 'verification',
}: TimeLimits): string {
  const whole = plural(timeoutMinutes, 'minute');
  if (reservedMinutes === 0) return `Stopped after ${whole} (\`timeout-minutes\`)`;
  const used = Number((timeoutMinutes - reservedMinutes).toFixed(2));
  return `Stopped after ${used} of ${whole} (\`timeout-minutes\`; the rest is reserved for the ${reservedFor})`;
}

function judgeResult({ report, stderr, ...evidence }: Evidence): Verdict {
  const { result } = report;
  if (result?.isError) {
    const words = result.text || report.errors.at(-1) || result.exitStatus || 'It gave no message.';
    return failure(result.failure ?? recogniseError(`${words}\n${stderr}`) ?? 'agent-error', words);
  }
  if (evidence.violations.length > 0) return failure('policy-violation', violationText(evidence.violations));
  if (evidence.needsAnswer && report.answer.trim() === '')
    return failure('no-result', `It reported success, but gave no answer. ${progress(report)}`);
  if (evidence.outputProblem !== undefined) return failure('bad-output', evidence.outputProblem);
  const { denied } = countCalls(report);
  if (evidence.failOnDenied && denied > 0) {
    return failure('denied', `${denied} tool ${denied === 1 ? 'call was' : 'calls were'} denied.`);
  }
  if (evidence.unverified) return failure(evidence.unverified.reason, evidence.unverified.detail);
  const verdict = judgeFindings(evidence.blocking ?? []);
  const { incomplete } = evidence;
  return incomplete && verdict.status === 'success' ? failure(incomplete.reason, incomplete.detail) : verdict;
}

/** What is decided last: whether the findings are accepted. `blocking` are those that are not. */
export function judgeFindings(blocking: readonly CheckedFinding[]): Verdict {
  if (blocking.length === 0) return SUCCESS;
  const lines = blocking.map((finding) => oneLine(findingLine(finding)));
  return failure('findings', withList('not accepted:', lines));
}

/** Exit code 0 without a result is never a success. */
function noResult(evidence: Evidence): Verdict {
  const { report, stderr } = evidence;
  const words = said(report, stderr);
  const verdict = failure(recogniseError(words) ?? 'no-result', explained(words) || progress(report));
  return unlessDisconnected(evidence, verdict);
}

function crash(evidence: Evidence, how: string): Verdict {
  const { report, stderr } = evidence;
  const { result } = report;
  const words = said(report, stderr);
  const kept = result ? ' It had reported a result before; that is kept.' : '';
  // After a result, stderr does not explain the end: the work was done by then.
  const recognised = result?.isError === false ? undefined : recogniseError(words);
  const reason = result?.failure ?? recognised ?? (result?.isError ? 'agent-error' : 'crashed');
  const verdict = failure(reason, joinParts([`${how}${kept}`, explained(words)], '\n'));
  return result ? verdict : unlessDisconnected(evidence, verdict);
}

/** This many lost connections with no work between them are a loop, and not bad luck. */
const LOOP = 3;
/** Failures that only say how a run ended. If the connection never lasted, that is the cause. */
const SYMPTOMS: readonly FailureReason[] = ['timeout', 'idle-timeout', 'no-result', 'crashed', 'network'];

function unlessDisconnected({ report, stderr }: Evidence, verdict: Verdict): Verdict {
  const printed = stderr.match(/connection lost, reconnecting/gi)?.length ?? 0;
  const lost = Math.max(report.lostInARow ?? 0, printed);
  if (verdict.status === 'success' || lost < LOOP || !SYMPTOMS.includes(verdict.reason)) return verdict;
  const loop =
    `The connection to Cursor was lost ${lost} times in a row. Often the cause is a proxy that buffers event streams: ` +
    'let it pass on `text/event-stream` from Cursor’s hosts without buffering.';
  return failure('network', `${verdict.detail}\n${loop}`);
}

/** What an agent without a way to its vendor ends with. Without a network the CLI says that a key is invalid. */
const UNREACHED_REASONS: readonly FailureReason[] = ['network', 'auth', 'idle-timeout'];
const MAX_REFUSED = 10;

/** Names the hosts that the closed network refused, if that can be why the model never worked. */
function unlessUnreached({ earlyNetwork }: Evidence, verdict: Verdict): Verdict {
  if (!earlyNetwork || verdict.status === 'success' || !UNREACHED_REASONS.includes(verdict.reason))
    return verdict;
  const { vendor, refused } = earlyNetwork;
  const isReached = vendor.made > 0;
  if (isReached && (verdict.reason === 'auth' || refused.length === 0)) return verdict;
  const hosts = refused.map(({ host }) => host);
  const lines = [...new Set(refused.map(({ allow }) => allow))].filter((line) => line !== '');
  const attempts =
    vendor.asked === 0
      ? 'did not ask the proxy in `HTTPS_PROXY` for its vendor'
      : `asked for its vendor ${plural(vendor.asked, 'time')}, and no connection could be made`;
  const detail = [
    verdict.detail,
    ...(isReached ? [] : [`The network is closed, and the agent ${attempts}.`]),
    ...(refused.length === 0
      ? []
      : [
          `Before the model answered, these hosts were refused: ${firstLines(hosts, MAX_REFUSED).join(', ')}.`,
        ]),
    ...(lines.length === 0
      ? []
      : [
          'If you know that the agent needs them (a program of the checkout can ask for hosts too), add this line to ' +
            `the inputs of the step, or its hosts to your own:\nallowed-hosts: ${lines.slice(0, MAX_REFUSED).join(', ')}`,
        ]),
  ];
  return failure(isReached ? verdict.reason : 'network', detail.join('\n'));
}

function said(report: RunReport, stderr: string): string {
  return joinParts([...report.errors, report.result?.isError ? report.result.text : '', stderr.trim()], '\n');
}

const violationText = (violations: readonly string[]): string =>
  withList('not allowed by the policy:', violations);

const withList = (title: string, all: readonly string[]): string =>
  [title, ...firstLines(all, MAX_LISTED).map((line) => `- ${line}`)].join('\n');

function progress(report: RunReport): string {
  const { calls } = countCalls(report);
  const done = joinParts(
    [
      calls > 0 ? plural(calls, 'tool call') : '',
      report.messages > 0 ? plural(report.messages, 'message') : '',
    ],
    ', ',
  );
  return done === '' ? 'Until then it had called no tool and written nothing.' : `Until then: ${done}.`;
}

const MAX_RUNNING = 3;
const RUNNING_CHARACTERS = 150;

/** What the agent may have been waiting for: ` while running …`, or nothing. */
function whileRunning(report: RunReport): string {
  const running = runningCalls(report);
  if (running.length === 0) return '';
  const named = running.slice(0, MAX_RUNNING).map((call) => {
    // In backticks, so it can contain none.
    const words = truncate(oneLine(callWords(call).trim()), RUNNING_CHARACTERS).replaceAll('`', '’');
    return `\`${words}\`${call.background ? ' (in the background)' : ''}`;
  });
  const left = running.length - named.length;
  return ` while running ${[...named, ...(left > 0 ? [`${left} more`] : [])].join(', ')}`;
}

interface KnownError {
  text: RegExp;
  reason: FailureReason;
  /** What to do, where that differs from what the reason suggests. */
  remedy?: string;
}

/** Texts of the CLI whose meaning is known. The first match wins. Any other text is shown as it is. */
const KNOWN_ERRORS: readonly KnownError[] = [
  { text: /^The isolation could not be set up/m, reason: 'isolation-unavailable' },
  { text: /workspace trust required/i, reason: 'workspace-trust' },
  { text: /usage limit/i, reason: 'usage-limit' },
  { text: /resource_exhausted|rate.?limit|too many requests/i, reason: 'rate-limited' },
  {
    text: /cannot use this model|named models unavailable|free plans can only use auto|(unknown|invalid) model|model\b.{0,80}\b(not (found|available|supported|allowed)|is (blocked|disabled|unavailable|overloaded)|at capacity)/i,
    reason: 'model-unavailable',
  },
  // Before the key, because without a network the CLI says that a valid key is invalid.
  {
    text: /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b|getaddrinfo|socket hang up|network error|fetch failed|\[(unavailable|deadline_exceeded)\]/i,
    reason: 'network',
  },
  {
    text: /authentication (required|failed)|(api key|auth token) (is|was) (invalid|expired|revoked)|invalid (user )?api key|\[unauthenticated\]|not logged in|run 'agent login'|sign_in_policy_violation/i,
    reason: 'auth',
  },
  { text: /disabled the ['"]?run everything/i, reason: 'agent-error' },
  {
    text: /sandbox mode is enabled but not available|sandbox failed to start/i,
    reason: 'agent-error',
    remedy:
      'This runner cannot start the CLI’s own sandbox. Remove `--sandbox` from `extra-args`: the action passes ' +
      '`--sandbox disabled` and isolates the agent itself. If a setting of your Cursor team requires the sandbox, ' +
      'install Cursor’s AppArmor profile on the runner.',
  },
  { text: /invalid project config/i, reason: 'agent-error' },
  // The CLI repeats even a request that can never succeed. We do not.
  { text: /\[(invalid_argument|failed_precondition|unimplemented)\]/i, reason: 'agent-error' },
  { text: /RetriableError|ConnectError|connection (lost|closed|reset|stalled)/i, reason: 'network' },
];

/** The reason behind a text of the CLI, if it is a known one. */
export function recogniseError(text: string): FailureReason | undefined {
  return findKnown(text)?.reason;
}

const findKnown = (text: string): KnownError | undefined =>
  KNOWN_ERRORS.find((known) => known.text.test(text));

/** The text of the CLI, after what to do about it. The text can be long, and its end can be cut off. */
function explained(text: string): string {
  const remedy = findKnown(text)?.remedy;
  return remedy === undefined ? text : `${remedy}\n${text}`;
}

/** Failures that may pass, with the wait before the first retry. Each wait is three times the one before. */
const FIRST_WAIT_MS: Partial<Record<FailureReason, number>> = {
  network: 2_000,
  'rate-limited': 20_000,
};
const GROWTH = 3;

export interface TriedRun {
  verdict: Verdict;
  report: RunReport;
  /** How many tries there have been, including this one. */
  tries: number;
  retries: number;
  /** What is left of the time limit. */
  remainingMs: number;
}

/** How long to wait before the next try; nothing if there is none. */
export function waitBeforeRetry(run: TriedRun): number | undefined {
  const { verdict, report, tries, retries, remainingMs } = run;
  if (verdict.status === 'success' || tries > retries || mayHaveWritten(report)) return undefined;
  const first = FIRST_WAIT_MS[verdict.reason];
  if (first === undefined) return undefined;
  const wait = first * GROWTH ** (tries - 1);
  return wait < remainingMs ? wait : undefined;
}

/** Whether another model may do better: this one is unknown, blocked or out of capacity, and nothing was written yet. */
export const isAboutModel = ({ verdict, report }: { verdict: Verdict; report: RunReport }): boolean =>
  verdict.status === 'failure' &&
  ['model-unavailable', 'rate-limited'].includes(verdict.reason) &&
  !mayHaveWritten(report);

function mayHaveWritten({ totals }: RunReport): boolean {
  return Object.entries(totals).some(
    ([kind, { calls, denied }]) => !isHarmless(kind as ToolKind) && calls > denied,
  );
}
