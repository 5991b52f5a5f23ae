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
  /** What each chat reads, and its prompt. */
  chats: readonly (ReviewChat & { prompt: string })[];
  /** The prompt of the chat that tries to refute findings. */
  validationPrompt(request: Omit<ValidationRequest, 'contexts' | 'team'>): string;
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

/** The files of a part of the change, and what its passes answered about them. */
interface ReviewedPart {
  files: readonly string[];
  answers: readonly unknown[];
}

/**
 * Reviews the change in as many chats as the effort asks for, merges what they found, and has one more chat refute what
 * few of them found. What fails on the way is said; the findings stay.
 */
export async function reviewChange(reviewing: Reviewing): Promise<ReviewOutcome> {
  const { chats, rounds, output, deadline, resolved } = reviewing;
  const beganMs = deadline.elapsedMs();
  announce(reviewing);
  const ended: EndedPasses =
    chats.length === 1
      ? { all: [await runPass(reviewing, rounds, 0)], thrown: [] }
      : await runPasses(reviewing);
  const parts = partsOf(reviewing, ended.all);
  const passes = countPasses(reviewing, ended.all, parts);
  const first = leadingPass(ended.all);
  if (first.kind === 'failed') {
    const kept = keepAnswer(first.attempt, { ...reviewing, corrections: first.corrections });
    return { attempt: joinPasses(first, ended), kept, passes, unread: [] };
  }
  const draft = draftReview(
    parts.map(({ answers }) => answers),
    reviewing,
  );
  const attempt = joinPasses(first, ended, draft);
  output.onReport(attempt.report);
  const check = await validate(reviewing, draft);
  const report = check.report
    ? joinCheck(attempt.report, check.report, check.beganMs - beganMs)
    : attempt.report;
  output.onReport(report);
  return {
    attempt: { ...attempt, report, verdict: check.isCut ? CANCELLED : attempt.verdict },
    kept: { recorded: withValidations(draft, check.validations), repository: repositoryOf(resolved) },
    passes,
    unread: parts.flatMap(({ files, answers }) => (answers.length === 0 ? files : [])),
    ...incompleteness(reviewing, parts, ended.all),
  };
}

const CANCELLED = failure('cancelled', 'The job was cancelled while the findings were validated.');

const partsOf = ({ chats }: Reviewing, all: readonly Pass[]): ReviewedPart[] =>
  (chats[0]?.parts ?? []).map((files, part) => ({
    files,
    answers: all.flatMap((pass) => (pass.kind === 'answered' && pass.part === part ? [pass.answer] : [])),
  }));

function countPasses(
  { plan, chats }: Reviewing,
  all: readonly Pass[],
  parts: readonly ReviewedPart[],
): ReviewOutcome['passes'] {
  const sufficient = parts.filter(({ answers }) => isEnough(answers.length, plan)).length;
  return {
    started: chats.length,
    answered: all.filter(({ kind }) => kind === 'answered').length,
    ...(plan.passes < plan.wantedPasses ? { wanted: plan.wantedPasses * plan.parts } : {}),
    ...(plan.parts === 1 ? {} : { parts: { count: plan.parts, sufficient } }),
  };
}

/** The pass that the verdict is from: one that was cancelled, else the first that answered, else the first. */
function leadingPass(all: readonly Pass[]): Pass {
  const cancelled = all.find((pass) => pass.kind === 'failed' && pass.verdict.reason === 'cancelled');
  const first = cancelled ?? all.find(({ kind }) => kind === 'answered') ?? all[0];
  if (!first) throw new Error('A review has at least one pass.');
  return first;
}

function withValidations(
  { structuredOutput, review }: ReviewDraft,
  validations: ValidationResult['validations'],
): KeptAnswer['recorded'] {
  if (!review) return { structuredOutput };
  const findings = review.findings.map((finding) => withValidation(finding, validations.get(finding)));
  return { structuredOutput, review: { ...review, findings: findings.sort(byWorth) } };
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

/** What ends a run whatever the other passes say: nothing may be weakened, and a cancelled job must end. */
const FATAL: readonly FailureReason[] = [
  'isolation-unavailable',
  'policy-violation',
  'cancelled',
  'internal',
];

const isFatal = (error: unknown): boolean => !(error instanceof RunFailure) || FATAL.includes(error.reason);

/** The name of a chat in log and notes. */
function nameOf({ part, parts, pass, passes }: ReviewChat): string {
  const names = [parts.length > 1 ? `part ${part + 1}` : '', passes > 1 ? `pass ${pass + 1}` : ''];
  return joinParts(names, ', ');
}

interface EndedPasses {
  all: Pass[];
  /** The reports of passes that threw, so that they could not be continued. */
  thrown: RunReport[];
}

/** How a chat ended, with what it did until then. */
interface EndedChat {
  chat: ReviewChat;
  pass: Pass | { kind: 'thrown'; error: unknown };
  record: Rounds['record'];
  /** Undefined if it was not started. */
  report: RunReport | undefined;
}

/**
 * All chats, as many as possible at the same time. If they have to take turns, each turn gets its share of the time that is
 * left. Throws if one of them failed in a way that ends the run, or if all of them could not be started.
 */
async function runPasses(reviewing: Reviewing): Promise<EndedPasses> {
  const { chats, rounds, invocation, output, deadline } = reviewing;
  const ending = new AbortController();
  const cancel = AbortSignal.any([invocation.cancel, ending.signal]);
  const seats = Math.min(chats.length, MAX_AT_ONCE);
  const turns = Math.ceil(chats.length / seats);
  const ended: EndedChat[] = [];
  let next = 0;
  const takeTurns = async (seat: number): Promise<void> => {
    for (let index = next++; index < chats.length && !cancel.aborted; index = next++) {
      const chat = chats[index];
      if (!chat) return;
      const turnsLeft = turns - Math.floor(index / seats);
      const endsAtMs = deadline.elapsedMs() + deadline.agentMs() / turnsLeft;
      let report: RunReport | undefined;
      const own = openRounds({
        ...reviewing,
        prompt: chat.prompt,
        seat,
        isFresh: index > 0,
        invocation: { ...invocation, cancel },
        deadline: {
          ...deadline,
          agentMs: () => Math.max(0, Math.min(deadline.agentMs(), endsAtMs - deadline.elapsedMs())),
        },
        output: withPrefix(output, nameOf(chat), (latest) => (report = latest)),
      });
      const pass = await runPass(reviewing, own, chat.part).catch((error: unknown) => {
        if (isFatal(error)) ending.abort();
        return { kind: 'thrown' as const, error };
      });
      ended[index] = { chat, pass, record: own.record, report };
    }
  };
  await Promise.all(Array.from({ length: seats }, (_, seat) => takeTurns(seat)));
  for (const one of ended) addRecord(rounds.record, one);
  const [first, ...others] = ended.flatMap(({ report }) => report ?? []);
  if (first) output.onReport(joinParallel(first, others));
  throwFatal(ended);
  rounds.record.notes.push(...ended.flatMap(lackOf));
  return {
    all: ended.flatMap(({ pass }) => (pass.kind === 'thrown' ? [] : [pass])),
    thrown: ended.flatMap(({ pass, report }) => (pass.kind === 'thrown' ? (report ?? []) : [])),
  };
}

/** Adds what a chat left to the record of the run. */
function addRecord(record: Rounds['record'], { chat, record: own }: EndedChat): void {
  record.tries.push(...own.tries);
  record.lost.push(...own.lost);
  record.corrections.push(...own.corrections);
  record.notes.push(...own.notes.map((note) => `${capitalized(nameOf(chat))}: ${note}`));
}

/** Throws the first error that ends the run. If every chat threw, that is the error of the first chat. */
function throwFatal(ended: readonly EndedChat[]): void {
  const errors = ended.flatMap(({ pass }) => (pass.kind === 'thrown' ? [pass] : []));
  const [first] = errors.length === ended.length ? errors : [];
  const fatal = errors.find(({ error }) => isFatal(error)) ?? first;
  if (fatal) throw fatal.error;
}

/** The note about a chat that gave no findings, if it gave none. */
function lackOf({ chat, pass }: EndedChat): string[] {
  if (pass.kind === 'answered') return [];
  const words =
    pass.kind === 'thrown' ? messageOf(pass.error) : `${pass.verdict.reason}: ${pass.verdict.detail}`;
  const total = chat.passes > 1 ? chat.passes : chat.parts.length;
  const why = truncate(oneLine(words), MAX_WORDS);
  return [`${capitalized(nameOf(chat))} of ${total} gave no findings. ${why}`];
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
  reviewed: readonly ReviewedPart[],
  all: readonly Pass[],
): Pick<ReviewOutcome, 'incomplete'> {
  const counts = reviewed.map(({ answers }) => answers.length);
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
    expectation,
    prompt: reviewing.validationPrompt({ task: VALIDATION_TASK, claims, expectation }),
    seat: 0,
    isFresh: true,
    maxCorrections: 1,
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
