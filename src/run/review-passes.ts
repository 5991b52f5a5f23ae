import { messageOf } from '../core/errors.js';
import { RunFailure, type FailureReason } from '../core/failure.js';
import { doesCount } from '../report/findings.js';
import { failure } from '../report/judge.js';
import type { CheckedFinding, RunRecord, RunReport, Validation, Verdict } from '../report/model.js';
import { joinCheck, joinParallel } from '../report/run-report.js';
import { isEnough, type PassPlan } from '../review/effort.js';
import { expectVerdicts } from '../review/expect-answer.js';
import { readAnswer, type Expectation } from '../review/read-answer.js';
import {
  byWorth,
  claimsOf,
  judgeVerdicts,
  MAX_VALIDATED,
  VALIDATION_TASK,
  VerdictsSchema,
  withValidation,
} from '../review/validate-findings.js';
import { plural } from '../text/format.js';
import { oneLine, truncate } from '../text/plain-text.js';
import { openRounds, type Attempt, type Rounds, type RoundSetting } from './rounds.js';
import type { RunOutput } from './run-output.js';
import { failureReason } from './run-state.js';
import {
  draftReview,
  keepAnswer,
  repositoryOf,
  withQuotes,
  type AnswerGrounds,
  type ReviewDraft,
  type KeptAnswer,
} from './structured-answer.js';
import type { ValidationRequest } from './write-prompt.js';

/** What a review needs. */
export interface Reviewing extends RoundSetting, Omit<AnswerGrounds, 'corrections' | 'resolved' | 'inputs'> {
  expectation: Expectation;
  /** The first pass, whose record is that of the run. */
  rounds: Rounds;
  plan: PassPlan;
  /** What each pass is asked. */
  prompts: readonly string[];
  /** What the chat is asked that has to refute these findings. */
  validationPrompt(asked: Omit<ValidationRequest, 'contexts' | 'team'>): string;
}

/** What came of a review. */
export interface ReviewOutcome {
  /** All chats as one. */
  attempt: Attempt;
  kept: KeptAnswer;
  passes: NonNullable<RunRecord['passes']>;
  /** Why too few passes answered to rely on. */
  incomplete?: { reason: FailureReason; detail: string };
}

/** A pass that has ended. */
type Pass = { attempt: Attempt; corrections: Rounds['record']['corrections'] } & (
  { kind: 'answered'; answer: unknown } | { kind: 'failed'; verdict: Extract<Verdict, { status: 'failure' }> }
);

/**
 * Reviews the change in as many chats as the effort asks for, merges what they found, and has one more chat refute what
 * few of them found. What fails on the way is said; the findings stay.
 */
export async function reviewChange(reviewing: Reviewing): Promise<ReviewOutcome> {
  const { plan, rounds, output, deadline } = reviewing;
  const beganMs = deadline.elapsedMs();
  announce(reviewing);
  const { all, thrown } =
    plan.passes === 1 ? { all: [await runPass(reviewing, rounds)], thrown: [] } : await runPasses(reviewing);
  const answers = all.filter((pass) => pass.kind === 'answered');
  const passes = {
    ...{ started: plan.passes, answered: answers.length },
    ...(plan.passes < plan.wantedPasses ? { wanted: plan.wantedPasses } : {}),
  };
  const isCut = (pass: Pass) => pass.kind === 'failed' && pass.verdict.reason === 'cancelled';
  const first = all.find(isCut) ?? answers[0] ?? all[0];
  if (!first) throw new Error('A review has at least one pass.');
  if (first.kind === 'failed') {
    const kept = keepAnswer(first.attempt, { ...reviewing, corrections: first.corrections });
    return { attempt: joinPasses(first, { all, thrown }), kept, passes };
  }
  const draft = draftReview(
    answers.map(({ answer }) => answer),
    reviewing,
  );
  const attempt = joinPasses(first, { all, thrown }, draft);
  output.onReport(attempt.report);
  const check = await validate(reviewing, draft, answers.length);
  const finish = (finding: CheckedFinding) => withValidation(finding, check.validations.get(finding));
  const review = draft.review && {
    ...draft.review,
    findings: draft.review.findings.map(finish).sort(byWorth),
  };
  const report = check.report
    ? joinCheck(attempt.report, check.report, check.beganMs - beganMs)
    : attempt.report;
  output.onReport(report);
  const { structuredOutput } = draft;
  const kept = {
    recorded: { structuredOutput, ...(review ? { review } : {}) },
    repository: repositoryOf(reviewing.resolved),
  };
  const cancelled = failure('cancelled', 'The job was cancelled while the findings were validated.');
  const verdict = check.isCut ? cancelled : attempt.verdict;
  return { attempt: { ...attempt, report, verdict }, kept, passes, ...incompleteness(reviewing, all) };
}

function announce({ plan, output, starts }: Reviewing): void {
  const { passes, wantedPasses, validates } = plan;
  if (passes === 1 && wantedPasses === 1) return;
  const bound = passes < wantedPasses ? ` instead of ${wantedPasses}, because of \`max-starts\`` : '';
  const check = validates === 'none' ? '' : ', then a validation of what only one of them found';
  output.printLine(
    `${plural(passes, 'pass', 'passes')}${bound}${check}; at most ${starts.max} starts of the agent`,
  );
}

async function runPass({ expectation, resolved }: Reviewing, rounds: Rounds): Promise<Pass> {
  const attempt = await rounds.answer();
  const { corrections } = rounds.record;
  const { verdict } = attempt;
  if (verdict.status === 'failure') return { kind: 'failed', verdict, attempt, corrections };
  const answer = readAnswer(attempt.report, expectation, repositoryOf(resolved));
  if (answer.kind === 'valid') return { kind: 'answered', answer: answer.value, attempt, corrections };
  const problem = failure('bad-output', answer.problem) as Extract<Verdict, { status: 'failure' }>;
  return { kind: 'failed', verdict: problem, attempt, corrections };
}

/** What ends a run whatever the other passes say: nothing may be weakened, and nobody waits for a cancelled job. */
const FATAL: readonly FailureReason[] = [
  'isolation-unavailable',
  'policy-violation',
  'cancelled',
  'internal',
];

const isFatal = (error: unknown): boolean => !(error instanceof RunFailure) || FATAL.includes(error.reason);

interface EndedPasses {
  all: Pass[];
  /** What passes did that could not be continued. */
  thrown: RunReport[];
}

/** All passes at the same time. Throws if one of them failed in a way that ends the run, or if all of them could not be started. */
async function runPasses(reviewing: Reviewing): Promise<EndedPasses> {
  const { plan, prompts, rounds, invocation, output } = reviewing;
  const { record } = rounds;
  const ending = new AbortController();
  const cancel = AbortSignal.any([invocation.cancel, ending.signal]);
  const reports: (RunReport | undefined)[] = [];
  const own = Array.from({ length: plan.passes }, (_, index) =>
    openRounds({
      ...reviewing,
      prompt: prompts[index] ?? reviewing.prompt,
      seat: index,
      isFresh: index > 0,
      invocation: { ...invocation, cancel },
      output: withPrefix(output, `pass ${index + 1}`, (report) => (reports[index] = report)),
    }),
  );
  const ended = await Promise.all(
    own.map(async (pass): Promise<Pass | { kind: 'thrown'; error: unknown }> => {
      try {
        return await runPass(reviewing, pass);
      } catch (error) {
        if (isFatal(error)) ending.abort();
        return { kind: 'thrown', error };
      }
    }),
  );
  for (const [index, { record: one }] of own.entries()) {
    record.tries.push(...one.tries);
    record.lost.push(...one.lost);
    record.corrections.push(...one.corrections);
    record.notes.push(...one.notes.map((note) => `Pass ${index + 1}: ${note}`));
  }
  const [first, ...others] = reports.filter((report) => report !== undefined);
  if (first) output.onReport(joinParallel(first, others));
  const thrown = ended.filter((pass) => pass.kind === 'thrown');
  const fatal =
    thrown.find(({ error }) => isFatal(error)) ?? (thrown.length === ended.length ? thrown[0] : undefined);
  if (fatal) throw fatal.error;
  for (const [index, pass] of ended.entries()) {
    if (pass.kind === 'answered') continue;
    const words =
      pass.kind === 'thrown' ? messageOf(pass.error) : `${pass.verdict.reason}: ${pass.verdict.detail}`;
    const line = truncate(oneLine(words), MAX_WORDS);
    record.notes.push(`Pass ${index + 1} of ${plan.passes} gave no findings. ${line}`);
  }
  return {
    all: ended.filter((pass) => pass.kind !== 'thrown'),
    thrown: ended.flatMap((pass, index) => (pass.kind === 'thrown' ? (reports[index] ?? []) : [])),
  };
}

const MAX_WORDS = 400;

/** The same output, whose lines in the log say which chat they are from. */
function withPrefix(output: RunOutput, name: string, onReport: RunOutput['onReport']): RunOutput {
  const mark = (line: string) => `${name} │ ${line}`;
  return {
    ...output,
    onReport,
    print: (lines) => {
      output.print(lines.map(mark));
    },
    printLine: (line) => {
      output.printLine(mark(line));
    },
  };
}

/** All passes as one attempt. The first one that answered decides what cannot be added up. */
function joinPasses(first: Pass, { all, thrown }: EndedPasses, draft?: ReviewDraft): Attempt {
  const others = all.filter((pass) => pass !== first).map(({ attempt }) => attempt.report);
  if (others.length + thrown.length === 0) return first.attempt;
  const report = joinParallel(first.attempt.report, [...others, ...thrown]);
  const answer = draft ? JSON.stringify(draft.structuredOutput, undefined, 2) : report.answer;
  return { ...first.attempt, report: { ...report, answer } };
}

function incompleteness(
  { plan, starts }: Reviewing,
  all: readonly Pass[],
): Pick<ReviewOutcome, 'incomplete'> {
  const answered = all.filter(({ kind }) => kind === 'answered').length;
  if (isEnough(answered, plan)) return {};
  const failed = all.find((pass) => pass.kind === 'failed');
  const bound = plan.passes < plan.wantedPasses ? ` \`max-starts\` (${starts.max}) allowed no more.` : '';
  const detail = `Only ${answered} of ${plan.wantedPasses} passes of the review answered, and \`fail-on-severity\` needs more than half of them.${bound}`;
  return { incomplete: { reason: failed?.verdict.reason ?? 'no-result', detail } };
}

interface ValidationResult {
  validations: ReadonlyMap<CheckedFinding, Validation>;
  report?: RunReport;
  beganMs: number;
  /** Whether the job was cancelled meanwhile. */
  isCut?: true;
}

/** Has a fresh chat refute findings. If that fails, they stay as they are, and it is said. */
async function validate(
  reviewing: Reviewing,
  draft: ReviewDraft,
  answered: number,
): Promise<ValidationResult> {
  const { plan, rounds, output, deadline, invocation, inputs, starts } = reviewing;
  const { record } = rounds;
  const check: ValidationResult = { validations: new Map(), beganMs: deadline.elapsedMs() };
  const isSingle = ({ agreement }: CheckedFinding) => answered === 1 || agreement?.found === 1;
  const open = draft.fresh.filter(
    (finding) =>
      doesCount(finding) && (plan.validates === 'all' || (plan.validates === 'single' && isSingle(finding))),
  );
  if (open.length === 0 || plan.validates === 'none' || invocation.cancel.aborted) return check;
  const findings = open.slice(0, MAX_VALIDATED);
  const giveUp = (why: string): ValidationResult => {
    record.notes.push(`The findings were not validated: ${truncate(oneLine(why), MAX_WORDS)}`);
    return check;
  };
  if (starts.used >= starts.max) return giveUp(`\`max-starts\` (${starts.max}) was reached.`);
  const expectation = expectVerdicts();
  const claims = claimsOf(findings);
  output.printLine(`validating ${plural(findings.length, 'finding')}`);
  const chat = openRounds({
    ...reviewing,
    ...{ expectation, prompt: reviewing.validationPrompt({ task: VALIDATION_TASK, claims, expectation }) },
    ...{ seat: 0, isFresh: true, maxCorrections: 1 },
    inputs: { ...inputs, model: inputs.model.slice(inputs.model.indexOf(record.model())) },
    deadline: { ...deadline, agentMs: deadline.verificationMs },
    output: withPrefix(output, 'validation', (report) => (check.report = report)),
  });
  try {
    const attempt = await chat.answer();
    if (failureReason(attempt.verdict) === 'cancelled') return { ...check, isCut: true };
    if (attempt.verdict.status === 'failure')
      return giveUp(`${attempt.verdict.reason}: ${attempt.verdict.detail}`);
    const answer = readAnswer(attempt.report, expectation, repositoryOf(reviewing.resolved));
    if (answer.kind === 'invalid') return giveUp(answer.problem);
    const { verdicts } = VerdictsSchema.parse(answer.value);
    const validations = withQuotes(reviewing, (grounds) => judgeVerdicts(findings, verdicts, grounds));
    return { ...check, validations };
  } catch (error) {
    if (isFatal(error)) throw error;
    return giveUp(messageOf(error));
  } finally {
    record.tries.push(...chat.record.tries);
    record.lost.push(...chat.record.lost);
    record.notes.push(...chat.record.notes.map((note) => `Validation: ${note}`));
  }
}
