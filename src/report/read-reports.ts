import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import * as z from 'zod/mini';
import { MAX_FINDINGS, MAX_PATH, type Place, type Severity } from './findings.js';
import {
  type CheckedFinding,
  type ContinuedProposal,
  CheckedFindingSchema,
  type Finding,
  FindingSchema,
  REPORT_VERSION,
  ReportSchema,
  type Reviewed,
  type ReviewedChange,
  ReviewSchema,
  type Skipped,
  type Statements,
  RunReportSchema,
  type Validation,
  type Verdict,
  type Verification,
  type VerificationRound,
} from './model.js';
import { countCalls } from './run-report.js';
import { COMMIT_ID, plural } from '../text/format.js';
import { known, parseJson } from '../text/json.js';
import { truncate, truncateStart } from '../text/plain-text.js';
import { createRedaction, redactAll, type Redact } from '../text/redact.js';

/**
 * Reads reports as if a stranger had written them: an agent that followed injected instructions may have, and
 * artifacts pass through many hands. Only what is published is read, by the report's own schema. A value of the wrong
 * type or out of range makes the whole report unusable. Long texts are cut. An impossible amount that only the agent
 * claims (time, tokens, cost) counts as 0.
 */

/** A finding as a report has it. That a file was left out is the only thing about its place that is taken from there. */
export type ReportedFinding = Finding & Pick<CheckedFinding, OpinionName> & { isExcluded?: true };

/** What the run thinks of a finding. It decides how the finding is shown, and no gate. */
const OPINIONS = { agreement: true, validation: true, withheld: true } as const;
type OpinionName = keyof typeof OPINIONS;

/** What is published of one run. */
export interface RunFacts {
  verdict: Verdict;
  answer: string;
  review?: { summary: string; findings: ReportedFinding[]; dismissed?: number };
  change?: Partial<ReviewedChange>;
  /** What the run says it reviewed, unchecked. */
  reviewed?: Reviewed;
  /** What the run itself failed for. */
  failOnSeverity?: Severity;
  /** The changed files that the agent was given whole. */
  covered: string[];
  /** Whether the run was given only some files of the change, as a shard of a matrix is. */
  isShare: boolean;
  /**
   * What the report is of: the files of its part of the change, with which agent, model and prompt; or, of a run that was
   * given all of it, what it says. Equal for copies, and for two tries of one part, whatever their files are called.
   */
  part: string;
  /** Why there is no new result although the run is a success. */
  skipped?: { code: Skipped['code']; reason: string };
  /** Chats that reviewed the change, each on its own. */
  passes?: {
    started: number;
    answered: number;
    wanted?: number;
    parts?: { count: number; sufficient: number };
  };
  /** The part of the change that was not reviewed. */
  unread?: { why: string; files: string[]; count?: number };
  /** Changed files that look generated and were not reviewed. */
  unreadGenerated?: number;
  agent: string;
  preset: string;
  model: string;
  durationMs: number;
  calls: number;
  failed: number;
  denied: number;
  tokens?: { input: number; output: number };
  costUsd?: number;
  files: number;
  verification?: Verification;
  /** A hash of the failure of CI that the run was to repair. */
  failureKey?: string;
  /** Which code shows each changed statement. */
  statements?: Statements;
  /** The pull request that the run continued. */
  proposal?: ContinuedProposal;
  /** The uploaded page: the run of the workflow, and the artifact. The address itself is not taken from the report. */
  page?: { run: string; artifact: string };
}

/** What the run answered: the summary of its review, or its answer. */
export const answerOf = ({ review, statements, answer }: RunFacts): string =>
  (review?.summary ?? statements?.summary ?? answer).trim();

/** What a report says about a run, or why it was not read, in words that follow its name. */
type ParsedReport = { kind: 'read'; run: RunFacts } | { kind: 'unread'; why: string };

/** One report that was asked for. */
export type ReportShard = { name: string } & ParsedReport;

const MAX_REPORTS = 500;
const MAX_DEPTH = 5;
const MAX_ENTRIES = 20_000;
/** A report has a few megabytes at most. A larger file is something else. */
const MAX_REPORT_BYTES = 32 * 1024 * 1024;

/**
 * Reads the named reports: files, and every `report*.json` below the folders. A named file that cannot be read
 * becomes a shard that says so. Links below a folder are not followed, because artifacts may contain them.
 */
export function readReports(named: readonly string[]): ReportShard[] {
  const budget = { entries: MAX_ENTRIES };
  const paths = named.flatMap((name): string[] => {
    const path = resolve(name);
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory()
      ? reportsBelow(path, MAX_DEPTH, budget)
      : [path];
  });
  const all = [...new Set(paths)];
  const distinct = all.slice(0, MAX_REPORTS);
  const names = shortNames(distinct);
  return [
    ...distinct.map((path, index) => ({ name: names[index] ?? basename(path), ...readReport(path) })),
    ...(all.length > distinct.length
      ? [further(`${plural(all.length - distinct.length, 'report')} beyond ${MAX_REPORTS} were not read.`)]
      : []),
    ...(budget.entries < 0
      ? [further(`The folders contain more than ${MAX_ENTRIES} entries; the rest was not searched.`)]
      : []),
  ];
}

const unread = (why: string): ParsedReport => ({ kind: 'unread', why });
const further = (why: string): ReportShard => ({ name: 'further reports', ...unread(why) });

function reportsBelow(folder: string, depth: number, budget: { entries: number }): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    budget.entries -= 1;
    if (budget.entries < 0) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return depth > 0 ? reportsBelow(path, depth - 1, budget) : [];
    return entry.isFile() && /^report.*\.json$/.test(entry.name) ? [path] : [];
  });
}

/** The paths without the folder they have in common: in a matrix, the name of each shard. */
function shortNames(paths: readonly string[]): string[] {
  if (paths.length < 2) return paths.map((path) => basename(path));
  let common = dirname(paths[0] ?? '');
  while (paths.some((path) => relative(common, path).startsWith('..')) && dirname(common) !== common)
    common = dirname(common);
  const names = paths.map((path) => relative(common, path).replaceAll('\\', '/'));
  const folders = names.map((name) => dirname(name));
  // If each report is in a folder of its own, the folder's name is enough.
  return new Set(folders).size === names.length && !folders.includes('.') ? folders : names;
}

function readReport(path: string): ParsedReport {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return unread(
      'does not exist or cannot be read. Name the output report-file of the agent step in the same job. In another ' +
        'job, upload that file with actions/upload-artifact, download it with actions/download-artifact, and name ' +
        'the folder.',
    );
  }
  try {
    const state = fstatSync(file);
    if (!state.isFile()) return unread('is not a file.');
    if (state.size > MAX_REPORT_BYTES) {
      return unread(
        `has ${plural(state.size, 'byte')}; a report has at most ${plural(MAX_REPORT_BYTES, 'byte')}.`,
      );
    }
    return parseReport(readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
}

const impossibleIsZero = z.catch(z.number().check(z.gte(0), z.lte(1e15)), 0);

/** The published part of the report's schema, narrowed where the agent could have written something absurd. */
const PublishedSchema = z.extend(
  z.pick(ReportSchema, {
    version: true,
    verdict: true,
    change: true,
    reviewed: true,
    changedFiles: true,
    skipped: true,
    wallMs: true,
    agentMs: true,
    pageUrl: true,
    verification: true,
    failureKey: true,
    proposal: true,
    statements: true,
    passes: true,
    unread: true,
    unreadGenerated: true,
    failOnSeverity: true,
  }),
  {
    report: z.extend(z.pick(RunReportSchema, { answer: true, model: true, totals: true, refusals: true }), {
      // The first reports of this version did not have it.
      moreRefusals: z.optional(RunReportSchema.shape.moreRefusals),
      durationMs: z.optional(impossibleIsZero),
      usage: z.optional(z.object({ inputTokens: impossibleIsZero, outputTokens: impossibleIsZero })),
      costUsd: z.optional(impossibleIsZero),
    }),
    review: z.optional(
      z.object({
        summary: z.string(),
        findings: z
          .array(
            z
              .object({
                ...FindingSchema.shape,
                ...z.pick(CheckedFindingSchema, OPINIONS).shape,
                place: z.optional(z.unknown()),
              })
              .check(
                z.refine(({ startLine, endLine }) => startLine <= endLine, 'endLine is before startLine'),
              ),
          )
          .check(z.maxLength(MAX_FINDINGS)),
        dismissed: ReviewSchema.shape.dismissed,
      }),
    ),
    setup: z.optional(z.object({ agent: z.string(), preset: z.string() })),
    context: z.optional(
      z.array(
        z.object({
          kind: z.string(),
          isShare: z.optional(z.literal(true)),
          files: z.optional(z.array(z.string().check(z.maxLength(MAX_PATH)))),
          leftOut: z.optional(z.array(z.string())),
        }),
      ),
    ),
  },
);
type Published = z.infer<typeof PublishedSchema>;

/** The text of a file → what is published of it, or why it is not a report. */
export function parseReport(source: string): ParsedReport {
  const data = parseJson(source);
  if (data === undefined) return unread('is not JSON.');
  const { version } = z.looseObject({ version: z.unknown() }).safeParse(data).data ?? {};
  if (version !== REPORT_VERSION) return unread(versionProblem(version));
  const parsed = PublishedSchema.safeParse(data);
  if (!parsed.success) {
    const [first] = parsed.error.issues;
    const place = first?.path.map(String).join('.') ?? '';
    return unread(
      `is not a report of the agent step: ${truncate(`${place}: ${first?.message ?? ''}`, 300)}.`,
    );
  }
  return { kind: 'read', run: factsOf(parsed.data, JSON.stringify(parsed.data)) };
}

function versionProblem(version: unknown): string {
  if (typeof version !== 'number') return 'is not a report of the agent step: it has no version.';
  return `has version ${version}, but this step reads version ${REPORT_VERSION}; use the same release for both steps.`;
}

const MAX_TEXT = 200_000;

const PAGE_ADDRESS = /\/actions\/runs\/(\d{1,20})\/artifacts\/(\d{1,20})$/;

function factsOf({ report, review, setup, ...data }: Published, source: string): RunFacts {
  const { usage } = report;
  const page = PAGE_ADDRESS.exec(data.pageUrl ?? '');
  const diffs = (data.context ?? []).filter(({ kind }) => kind === 'diff');
  const isShare = diffs.some((diff) => diff.isShare === true);
  const shared = diffs.flatMap(({ files = [], leftOut = [] }) => [...files, ...leftOut]).sort();
  const { policy, prompt } = data.reviewed ?? {};
  const task = [setup?.agent, setup?.preset, report.model, policy, prompt];
  return known<RunFacts>({
    part: createHash('sha256')
      .update(isShare && shared.length > 0 ? JSON.stringify([shared, task]) : source)
      .digest('hex'),
    verdict:
      data.verdict.status === 'failure'
        ? { ...data.verdict, detail: truncate(data.verdict.detail, 4000) }
        : data.verdict,
    answer: truncate(report.answer, MAX_TEXT),
    page: page ? { run: page[1] ?? '', artifact: page[2] ?? '' } : undefined,
    review: review && {
      ...review,
      summary: truncate(review.summary, MAX_TEXT),
      findings: review.findings.map(boundedFinding),
    },
    change: data.change && realCommits(data.change),
    reviewed: data.reviewed,
    failOnSeverity: data.failOnSeverity,
    covered: diffs.flatMap(({ files = [] }) => files),
    isShare,
    skipped: data.skipped && { code: data.skipped.code, reason: truncate(data.skipped.reason, 1000) },
    passes: data.passes,
    unread: data.unread && boundedUnread(data.unread),
    unreadGenerated: data.unreadGenerated,
    agent: truncate(setup?.agent ?? 'Cursor', 60),
    preset: truncate(setup?.preset ?? '', 60),
    model: truncate(report.model ?? '', 100),
    durationMs: report.durationMs ?? data.agentMs ?? data.wallMs,
    ...countCalls(report),
    tokens: usage && { input: usage.inputTokens, output: usage.outputTokens },
    costUsd: report.costUsd,
    files: data.changedFiles.files.length,
    verification: data.verification && boundedVerification(data.verification),
    failureKey: data.failureKey,
    proposal: data.proposal && boundedProposal(data.proposal),
    statements: data.statements && boundedStatements(data.statements),
  });
}

const boundedUnread = ({ why, files, ...counted }: NonNullable<Published['unread']>) => ({
  ...counted,
  why: truncate(why, 1000),
  files: files.slice(0, MAX_NAMES).map((path) => truncate(path, MAX_PATH)),
});

const MAX_ROUNDS = 11;
const MAX_COMMANDS = 50;

/** As long as the action itself writes it, at most. */
const boundedVerification = ({ rounds, before, originals, ...verification }: Verification): Verification => ({
  ...verification,
  rounds: rounds.slice(-MAX_ROUNDS).map(boundedRound),
  ...(before
    ? {
        before: {
          ...before,
          why: truncate(before.why, 2000),
          lines: before.lines.slice(0, MAX_NAMES).map((line) => truncate(line, 500)),
          round: boundedRound(before.round),
        },
      }
    : {}),
  ...(originals
    ? {
        originals: {
          paths: originals.paths.slice(0, MAX_NAMES).map((path) => truncate(path, MAX_PATH)),
          round: boundedRound(originals.round),
        },
      }
    : {}),
});

const boundedStatements = ({ summary, changes, uncovered }: Statements): Statements => ({
  summary: truncate(summary, MAX_TEXT),
  changes: changes.slice(0, MAX_NAMES).map(({ source, problem, ...change }) => ({
    ...change,
    document: truncate(change.document, MAX_PATH),
    reason: truncate(change.reason, MAX_REASON),
    ...(source
      ? {
          source: {
            ...source,
            path: truncate(source.path, MAX_PATH),
            quote: truncate(source.quote, MAX_QUOTE),
          },
        }
      : {}),
    ...(problem === undefined ? {} : { problem: truncate(problem, MAX_REASON) }),
  })),
  uncovered: uncovered
    .slice(0, MAX_NAMES)
    .map((place) => ({ ...place, document: truncate(place.document, MAX_PATH) })),
});

const boundedProposal = ({
  branch,
  carried,
  leftOut,
  ...proposal
}: ContinuedProposal): ContinuedProposal => ({
  ...proposal,
  branch: truncate(branch, 300),
  carried: carried.slice(0, MAX_NAMES).map((path) => truncate(path, MAX_PATH)),
  leftOut: leftOut.slice(0, MAX_NAMES).map((path) => truncate(path, MAX_PATH)),
});

const MAX_NAMES = 1000;

const boundedRound = ({ results, notRun }: VerificationRound): VerificationRound => ({
  notRun,
  results: results.slice(0, MAX_COMMANDS).map((result) => ({
    ...result,
    command: truncate(result.command, 2000),
    output: truncateStart(result.output, 8000),
  })),
});

/** A commit must be named by its full hash. Any other name is dropped. */
function realCommits({ base, head, pullRequest }: ReviewedChange): Partial<ReviewedChange> {
  const real = (commit: string) => (COMMIT_ID.test(commit) ? commit : undefined);
  return known<Partial<ReviewedChange>>({ base: real(base), head: real(head), pullRequest });
}

/** A suggestion that is too long to read is dropped. */
const MAX_SUGGESTION = 10_000;
function boundedFinding({
  suggestion,
  title,
  body,
  place,
  validation,
  withheld,
  ...finding
}: ReportedFinding & { place?: unknown }): ReportedFinding {
  const isUsable = suggestion !== undefined && suggestion.length <= MAX_SUGGESTION;
  return {
    ...finding,
    title: truncate(title, 300),
    body: truncate(body, 20_000),
    ...(isUsable ? { suggestion } : {}),
    ...(validation ? { validation: boundedValidation(validation) } : {}),
    ...(withheld ? { withheld: { reason: truncate(withheld.reason, MAX_REASON) } } : {}),
    ...(place === ('excluded' satisfies Place) ? { isExcluded: true as const } : {}),
  };
}

const MAX_REASON = 1000;
const MAX_QUOTE = 2000;
const boundedValidation = ({ quote, reason, ...validation }: Validation): Validation => ({
  ...validation,
  reason: truncate(reason, MAX_REASON),
  ...(quote ? { quote: { ...quote, text: truncate(quote.text, MAX_QUOTE) } } : {}),
});

/** Removes the token, and everything that looks like one, from everything that could be shown. */
export function redactShards(shards: readonly ReportShard[], token: string): ReportShard[] {
  const { redact } = createRedaction(token === '' ? [] : [token]);
  return shards.map((shard): ReportShard => {
    if (shard.kind === 'unread') return redactAll(shard, redact);
    const { review, verdict, change, reviewed, part, failOnSeverity, skipped, ...facts } = shard.run;
    return {
      kind: 'read',
      name: redact(shard.name),
      run: known<RunFacts>({
        ...redactAll(facts, redact),
        part,
        change,
        reviewed,
        failOnSeverity,
        skipped: skipped && { ...skipped, reason: redact(skipped.reason) },
        verdict: verdict.status === 'failure' ? { ...verdict, detail: redact(verdict.detail) } : verdict,
        review: review && {
          ...review,
          summary: redact(review.summary),
          findings: review.findings.map((finding) => redactFinding(finding, redact)),
        },
      }),
    };
  });
}

/** A suggestion with something removed from it would be wrong code, so it is dropped. */
function redactFinding(
  { suggestion, alsoAt, validation, withheld, ...finding }: ReportedFinding,
  redact: Redact,
): ReportedFinding {
  const isWhole = suggestion !== undefined && redact(suggestion) === suggestion;
  return {
    ...finding,
    path: redact(finding.path),
    title: redact(finding.title),
    body: redact(finding.body),
    ...redactAll(
      known<Pick<ReportedFinding, 'alsoAt' | 'validation' | 'withheld'>>({ alsoAt, validation, withheld }),
      redact,
    ),
    ...(isWhole ? { suggestion } : {}),
  };
}
