import { messageOf } from '../core/errors.js';
import { RunFailure, type FailureReason } from '../core/failure.js';
import { doesCount } from '../report/findings.js';
import { failure } from '../report/judge.js';
import type { CheckedFinding, RunRecord, RunReport, Validation, Verdict } from '../report/model.js';
import { joinCheck, joinParallel } from '../report/run-report.js';
import { isEnough, MAX_AT_ONCE, type PassPlan, type ReviewChat } from '../review/effort.js';
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
import { joinParts, plural } from '../text/format.js';
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
  /** What each chat reads, and is asked. */
  chats: readonly (ReviewChat & { prompt: string })[];
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
  /** The files of the parts that no pass answered about. */
  unread: readonly string[];
}

/** A pass that has ended. */
type Pass = { part: number; attempt: Attempt; corrections: Rounds['record']['corrections'] } & (
  { kind: 'answered'; answer: unknown } | { kind: 'failed'; verdict: Extract<Verdict, { status: 'failure' }> }
);

/**
 * Reviews the change in as many chats as the effort asks for, merges what they found, and has one more chat refute what
 * few of them found. What fails on the way is said; the findings stay.
 */
export async function reviewChange(reviewing: Reviewing): Promise<ReviewOutcome> {
  const { plan, chats, rounds, output, deadline } = reviewing;
  const beganMs = deadline.elapsedMs();
  announce(reviewing);
  const { all, thrown } =
    chats.length === 1
      ? { all: [await runPass(reviewing, rounds, 0)], thrown: [] }
      : await runPasses(reviewing);
  const parts = (chats[0]?.parts ?? []).map((files, part) => ({
    files,
    answers: all.flatMap((pass) => (pass.kind === 'answered' && pass.part === part ? [pass.answer] : [])),
  }));
  const answered = all.filter(({ kind }) => kind === 'answered');
  const passes = {
    ...{ started: chats.length, answered: answered.length },
    ...(plan.passes < plan.wantedPasses ? { wanted: plan.wantedPasses * plan.parts } : {}),
    ...(plan.parts === 1
      ? {}
      : {
          parts: {
            count: plan.parts,
            sufficient: parts.filter(({ answers }) => isEnough(answers.length, plan)).length,
          },
        }),
  };
  const isCut = (pass: Pass) => pass.kind === 'failed' && pass.verdict.reason === 'cancelled';
  const first = all.find(isCut) ?? answered[0] ?? all[0];
  if (!first) throw new Error('A review has at least one pass.');
  if (first.kind === 'failed') {
    const kept = keepAnswer(first.attempt, { ...reviewing, corrections: first.corrections });
    return { attempt: joinPasses(first, { all, thrown }), kept, passes, unread: [] };
  }
  const unread = parts.flatMap(({ files, answers }) => (answers.length === 0 ? files : []));
  const draft = draftReview(
    parts.map(({ answers }) => answers),
    reviewing,
  );
  const attempt = joinPasses(first, { all, thrown }, draft);
  output.onReport(attempt.report);
  const check = await validate(reviewing, draft);
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
  const counts = parts.map(({ answers }) => answers.length);
  return {
    attempt: { ...attempt, report, verdict },
    ...{ kept, passes, unread },
    ...incompleteness(reviewing, counts, all),
  };
}

function announce({ plan, chats, output, starts }: Reviewing): void {
  const { parts, passes, wantedPasses, validates } = plan;
  if (chats.length === 1 && wantedPasses === 1) return;
  const split = parts === 1 ? '' : `${parts} parts of the change, each in `;
  const bound = passes < wantedPasses ? ` instead of ${wantedPasses}, because of \`max-starts\`` : '';
  const check =
    validates === 'none'
      ? ''
      : `, then a validation of what ${passes === 1 ? 'they' : 'only one of them'} found`;
  output.printLine(
    `${split}${plural(passes, 'pass', 'passes')}${bound}${check}; at most ${starts.max} starts of the agent`,
  );
}

async function runPass({ expectation, resolved }: Reviewing, rounds: Rounds, part: number): Promise<Pass> {
  const attempt = await rounds.answer();
  const { corrections } = rounds.record;
  const { verdict } = attempt;
  const known = { part, attempt, corrections };
  if (verdict.status === 'failure') return { kind: 'failed', verdict, ...known };
  const answer = readAnswer(attempt.report, expectation, repositoryOf(resolved));
  if (answer.kind === 'valid') return { kind: 'answered', answer: answer.value, ...known };
  const problem = failure('bad-output', answer.problem) as Extract<Verdict, { status: 'failure' }>;
  return { kind: 'failed', verdict: problem, ...known };
}

/** What ends a run whatever the other passes say: nothing may be weakened, and nobody waits for a cancelled job. */
const FATAL: readonly FailureReason[] = [
  'isolation-unavailable',
  'policy-violation',
  'cancelled',
  'internal',
];

const isFatal = (error: unknown): boolean => !(error instanceof RunFailure) || FATAL.includes(error.reason);

/** What is said of a chat in the log. */
function nameOf({ part, parts, pass, passes }: ReviewChat): string {
  const names = [parts.length > 1 ? `part ${part + 1}` : '', passes > 1 ? `pass ${pass + 1}` : ''];
  return joinParts(names, ', ');
}

interface EndedPasses {
  all: Pass[];
  /** What passes did that could not be continued. */
  thrown: RunReport[];
}

/**
 * All chats, as many as possible at the same time. If they have to take turns, each turn gets its share of the time that is
 * left. Throws if one of them failed in a way that ends the run, or if all of them could not be started.
 */
async function runPasses(reviewing: Reviewing): Promise<EndedPasses> {
  const { chats, rounds, invocation, output, deadline } = reviewing;
  const { record } = rounds;
  const ending = new AbortController();
  const cancel = AbortSignal.any([invocation.cancel, ending.signal]);
  const reports: (RunReport | undefined)[] = [];
  const seats = Math.min(chats.length, MAX_AT_ONCE);
  const turns = Math.ceil(chats.length / seats);
  const own: Rounds[] = [];
  const ended: (Pass | { kind: 'thrown'; error: unknown })[] = [];
  let next = 0;
  const takeTurns = async (seat: number): Promise<void> => {
    for (let index = next++; index < chats.length && !cancel.aborted; index = next++) {
      const chat = chats[index];
      if (!chat) return;
      const turnsLeft = turns - Math.floor(index / seats);
      const endsAtMs = deadline.elapsedMs() + deadline.agentMs() / turnsLeft;
      const pass = openRounds({
        ...reviewing,
        ...{ prompt: chat.prompt, seat, isFresh: index > 0, invocation: { ...invocation, cancel } },
        deadline: {
          ...deadline,
          agentMs: () => Math.max(0, Math.min(deadline.agentMs(), endsAtMs - deadline.elapsedMs())),
        },
        output: withPrefix(output, nameOf(chat), (report) => (reports[index] = report)),
      });
      own[index] = pass;
      try {
        ended[index] = await runPass(reviewing, pass, chat.part);
      } catch (error) {
        if (isFatal(error)) ending.abort();
        ended[index] = { kind: 'thrown', error };
      }
    }
  };
  await Promise.all(Array.from({ length: seats }, (_, seat) => takeTurns(seat)));
  const name = (index: number): string => {
    const chat = chats[index];
    return chat ? capitalized(nameOf(chat)) : '';
  };
  for (const [index, { record: one }] of own.entries()) {
    record.tries.push(...one.tries);
    record.lost.push(...one.lost);
    record.corrections.push(...one.corrections);
    record.notes.push(...one.notes.map((note) => `${name(index)}: ${note}`));
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
    const { passes = 1, parts = [] } = chats[index] ?? {};
    record.notes.push(`${name(index)} of ${passes > 1 ? passes : parts.length} gave no findings. ${line}`);
  }
  return {
    all: ended.filter((pass) => pass.kind !== 'thrown'),
    thrown: ended.flatMap((pass, index) => (pass.kind === 'thrown' ? (reports[index] ?? []) : [])),
  };
}

const capitalized = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

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

/** Each part needs answers of more than half of the passes that the effort asks for. */
function incompleteness(
  { plan, starts }: Reviewing,
  counts: readonly number[],
  all: readonly Pass[],
): Pick<ReviewOutcome, 'incomplete'> {
  const least = Math.min(...counts);
  if (isEnough(least, plan)) return {};
  const failed = all.find((pass) => pass.kind === 'failed');
  const bound = plan.passes < plan.wantedPasses ? ` \`max-starts\` (${starts.max}) allowed no more.` : '';
  const which = plan.parts === 1 ? 'the review' : `part ${counts.indexOf(least) + 1} of ${plan.parts}`;
  const detail = `Only ${least} of ${plan.wantedPasses} passes of ${which} answered, and \`fail-on-severity\` needs more than half of them.${bound}`;
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
async function validate(reviewing: Reviewing, draft: ReviewDraft): Promise<ValidationResult> {
  const { plan, rounds, output, deadline, invocation, inputs, starts } = reviewing;
  const { record } = rounds;
  const check: ValidationResult = { validations: new Map(), beganMs: deadline.elapsedMs() };
  const isSingle = ({ agreement }: CheckedFinding) => (agreement?.found ?? 1) === 1;
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
