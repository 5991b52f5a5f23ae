import * as z from 'zod/mini';
import { FAILURES, type FailureReason } from '../core/failure.js';
import {
  MOST_FINDINGS,
  MOST_LINE,
  MOST_PATH,
  SEVERITIES,
  type Finding,
  type ReviewedChange,
} from '../report/findings.js';
import { truncate } from '../text/plain-text.js';
import { REPORT_VERSION } from '../report/report-file.js';
import type { Verdict } from '../report/verdict.js';

/**
 * A report as publish reads it: as if a stranger had written it, because an agent that was talked into something
 * may have, and because artifacts pass through many hands. Only what is published is read; each of it has a shape
 * and a bound. Numbers and shapes that are wrong stop everything; texts that are long are cut, and an amount that only the
 * agent claims (time, tokens, cost) and that cannot be is none.
 */

/** What is taken from the report of one run. */
export interface RunFacts {
  verdict: Verdict;
  answer: string;
  review?: { summary: string; findings: Finding[] };
  change?: Partial<ReviewedChange>;
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
}

/** A report is a few megabytes at most; whatever is larger is something else. */
export const MOST_REPORT_BYTES = 32 * 1024 * 1024;
const MOST_TEXT = 200_000;

const text = (most = MOST_TEXT) =>
  z.pipe(
    z.string(),
    z.transform((value: string) => truncate(value, most)),
  );
const amount = z.number().check(z.gte(0), z.lte(1e15));
const claimed = z.catch(amount, 0);
const count = z.int().check(z.gte(0), z.lte(1e12));
const line = z.int().check(z.gte(1), z.lte(MOST_LINE));

const FindingSchema = z
  .object({
    path: z.string().check(z.minLength(1), z.maxLength(MOST_PATH)),
    startLine: line,
    endLine: line,
    severity: z.enum(SEVERITIES),
    title: text(300),
    body: text(20_000),
    suggestion: z.optional(z.string()),
  })
  .check(z.refine(({ startLine, endLine }) => startLine <= endLine, 'endLine is before startLine'));

const ReportSchema = z.object({
  version: z.literal(REPORT_VERSION),
  verdict: z.discriminatedUnion('status', [
    z.object({ status: z.literal('success') }),
    z.object({
      status: z.literal('failure'),
      reason: z.enum(Object.keys(FAILURES) as [FailureReason, ...FailureReason[]]),
      detail: text(4000),
    }),
  ]),
  report: z.object({
    answer: text(),
    model: z.optional(text(100)),
    durationMs: z.optional(claimed),
    usage: z.optional(z.object({ inputTokens: claimed, outputTokens: claimed })),
    costUsd: z.optional(claimed),
    totals: z
      .record(z.string(), z.object({ calls: count, failed: count, denied: count }))
      .check(z.refine((totals) => Object.keys(totals).length <= 100, 'has too many kinds')),
    refusals: z.array(z.unknown()).check(z.maxLength(10_000)),
    moreRefusals: z.optional(count),
  }),
  changedFiles: z.object({ files: z.array(z.unknown()).check(z.maxLength(1_000_000)) }),
  change: z.optional(
    z.object({
      base: z.string().check(z.maxLength(200)),
      head: z.string().check(z.maxLength(200)),
      pullRequest: z.optional(line),
    }),
  ),
  review: z.optional(
    z.object({ summary: text(), findings: z.array(FindingSchema).check(z.maxLength(MOST_FINDINGS)) }),
  ),
  setup: z.optional(z.object({ agent: text(60), preset: text(60) })),
  wallMs: amount,
  agentMs: z.optional(amount),
});

export type ReadReport = { kind: 'read'; run: RunFacts } | { kind: 'bad'; why: string };

/** Text of a file → what is taken from it, or why it cannot be a report. */
export function readHostileReport(source: string): ReadReport {
  let data: unknown;
  try {
    data = JSON.parse(source);
  } catch {
    return bad('is not JSON');
  }
  const { version } = z.looseObject({ version: z.unknown() }).safeParse(data).data ?? {};
  if (version !== REPORT_VERSION) return bad(versionProblem(version));
  const parsed = ReportSchema.safeParse(data);
  if (!parsed.success) {
    const [first] = parsed.error.issues;
    const place = first?.path.map(String).join('.') ?? '';
    return bad(`is not a report of the agent step: ${truncate(`${place}: ${first?.message ?? ''}`, 300)}`);
  }
  return { kind: 'read', run: factsOf(parsed.data) };
}

const bad = (why: string): ReadReport => ({ kind: 'bad', why });

function versionProblem(version: unknown): string {
  if (typeof version !== 'number') return 'is not a report of the agent step: it names no version';
  return `has version ${version}, and this step reads version ${REPORT_VERSION}; use the same release for both steps`;
}

function factsOf(data: z.output<typeof ReportSchema>): RunFacts {
  const { report, review, setup } = data;
  const totals = Object.values(report.totals);
  const sum = (of: (kind: (typeof totals)[number]) => number) =>
    totals.reduce((all, kind) => all + of(kind), 0);
  const { usage, costUsd } = report;
  const change = changeOf(data.change);
  return {
    verdict: data.verdict,
    answer: report.answer,
    ...(review ? { review: { summary: review.summary, findings: review.findings.map(findingOf) } } : {}),
    ...(change ? { change } : {}),
    agent: setup?.agent ?? 'Cursor',
    preset: setup?.preset ?? '',
    model: report.model ?? '',
    durationMs: report.durationMs ?? data.agentMs ?? data.wallMs,
    calls: sum(({ calls }) => calls),
    failed: sum(({ failed }) => failed),
    denied: sum(({ denied }) => denied) + report.refusals.length + (report.moreRefusals ?? 0),
    ...(usage ? { tokens: { input: usage.inputTokens, output: usage.outputTokens } } : {}),
    ...(costUsd === undefined ? {} : { costUsd }),
    files: data.changedFiles.files.length,
  };
}

/** A commit is named in full or not at all. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
function changeOf(change: ReviewedChange | undefined | Record<string, unknown>): RunFacts['change'] {
  if (!change) return undefined;
  const commit = (name: 'base' | 'head') => {
    const value = change[name];
    return typeof value === 'string' && COMMIT.test(value) ? { [name]: value } : {};
  };
  const { pullRequest } = change;
  return {
    ...commit('base'),
    ...commit('head'),
    ...(typeof pullRequest === 'number' ? { pullRequest } : {}),
  };
}

/** A suggestion nobody could read through is none. */
const MOST_SUGGESTION = 10_000;
function findingOf({ suggestion, ...finding }: z.output<typeof FindingSchema>): Finding {
  const isUsable = suggestion !== undefined && suggestion.length <= MOST_SUGGESTION;
  return { ...finding, ...(isUsable ? { suggestion } : {}) };
}
