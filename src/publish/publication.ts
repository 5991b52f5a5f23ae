import { isDeepStrictEqual } from 'node:util';
import {
  countSeverities,
  doesCount,
  findingKey,
  isAtLeast,
  isGrave,
  rankOf,
  SEVERITIES,
  workFailure,
  type Severity,
} from '../report/findings.js';
import type { Finding, Reviewed } from '../report/model.js';
import type { ReportedFinding, RunFacts, ReportShard } from '../report/read-reports.js';
import { findingId } from '../review/finding-id.js';
import type { JudgedFinding } from '../review/judge-finding.js';
import { plural } from '../text/format.js';
import { byPath } from '../text/paths.js';

export interface Publication {
  shards: ReportShard[];
  /** How many expected reports are missing. A second report of the same part does not stand for another one. */
  missing: number;
  isCounted: boolean;
  /** How many reports are of a part that another one is of as well. */
  repeated: number;
  /** Whether the runs were to report findings. If not, the answers are shown. */
  isReview: boolean;
  reported: ReportedFinding[];
  /** Those of them that count. */
  counting: ReadonlySet<ReportedFinding>;
  minimumSeverity: Severity;
  /** A hash of the code that a finding is about, once the places are looked up. */
  codeOf?: (finding: Finding) => string;
  /** The least severity that fails this step or a run; undefined if neither has a gate. What fails it is always shown. */
  gate: Severity | undefined;
  /** The findings whose place is real, without duplicates and dismissed ones. They count for `fail-on-severity`. */
  standing: PlacedFinding[];
  /**
   * The standing findings that are published, the most severe first: those of `minimum-severity` or above, and those that
   * fail the gate, because what is not shown cannot be dismissed.
   */
  findings: PlacedFinding[];
  /** Standing findings that get no comment, and why. They count for the gates all the same. */
  withheld: { finding: PlacedFinding; reason: string }[];
  /** Findings that do not count, of `minimum-severity` or above. They are only listed, with the reason. */
  aside: PlacedFinding[];
  /** Why some could not be looked up, as a sentence. */
  whyUnknown?: string;
  /** Set if the reports are about a commit that is not known to be one of this change. */
  isOtherCommit?: boolean;
  /** Set if that is for want of a permission, or because there are too many. A gate that did not look is not open. */
  mayNotLook?: boolean;
  /** How many findings are less severe than `minimum-severity`, and fail no gate. */
  belowMinimum: number;
  /** How many findings are left out because a user with write access dismissed them. */
  dismissed: number;
  /** What was reviewed, if that was all of the change. Undefined if a report is missing or its run failed. */
  reviewed: Reviewed | undefined;
  /** The changed files that were reviewed whole by a run that went well. */
  covered: ReadonlySet<string>;
  /** None of the runs has a new result, because there was nothing new, or a limit was reached. */
  isSkipped: boolean;
  /** The limit that kept one of the runs from working. */
  limit?: NonNullable<RunFacts['skipped']>;
  /** The reviewed commit, if all reports that name one agree. */
  head: string | undefined;
  /** The pull request that the reports name. It is only a claim. */
  pullRequest: number | undefined;
}

/** The id by which a finding can be dismissed; undefined as long as it is not looked up. */
export const idOf =
  ({ codeOf }: Publication, key: string) =>
  (finding: Finding): string | undefined =>
    codeOf && findingId(key, codeOf(finding));

/** A finding with its place, which publish found out itself. */
export type PlacedFinding = JudgedFinding<ReportedFinding>;

interface MergeRequest {
  minimumSeverity: Severity;
  expectedReports: number | undefined;
  failOnSeverity?: Severity | undefined;
}

export const wentWell = (shard: ReportShard): boolean =>
  shard.kind === 'read' && workFailure(shard.run.verdict) === undefined;

/** Whether no agent could run because GitHub gave the runs no secrets. */
export const isWithheld = ({ shards }: Publication): boolean =>
  shards.every(
    (shard) => shard.kind === 'read' && workFailure(shard.run.verdict)?.reason === 'secrets-unavailable',
  );

export const runsOf = (shards: readonly ReportShard[]): RunFacts[] =>
  shards.flatMap((shard) => (shard.kind === 'read' ? [shard.run] : []));

export const goodRuns = (shards: readonly ReportShard[]): RunFacts[] => runsOf(shards.filter(wentWell));

/** Merges the reports of one run, or of all runs of a matrix. Nothing counts before it was looked up. */
export function mergeReports(shards: readonly ReportShard[], request: MergeRequest): Publication {
  const runs = runsOf(shards);
  const parts = countParts(shards);
  const isSkipped = shards.every((shard) => shard.kind === 'read' && shard.run.skipped !== undefined);
  const limit = runs.flatMap(({ skipped }) => skipped ?? []).find(({ code }) => code !== 'unchanged');
  const gates = [request.failOnSeverity, ...runs.map(({ failOnSeverity }) => failOnSeverity)];
  const merged = {
    shards: [...shards],
    missing: Math.max(0, (request.expectedReports ?? 0) - parts),
    isCounted: request.expectedReports !== undefined,
    repeated: shards.length - parts,
    isReview: runs.some(({ review }) => review !== undefined),
    reported: runs.flatMap(({ review }) => review?.findings ?? []),
    minimumSeverity: request.minimumSeverity,
    gate: SEVERITIES.findLast((severity) => gates.includes(severity)),
    dismissed: runs.reduce((sum, { review }) => sum + (review?.dismissed ?? 0), 0),
    reviewed: wholeReview(shards, request),
    covered: new Set(
      goodRuns(shards).flatMap(({ review, skipped, covered }) =>
        review && skipped === undefined ? covered : [],
      ),
    ),
    isSkipped,
    ...(limit ? { limit } : {}),
    head: agreed(runs.map(({ change }) => change?.head)),
    pullRequest: agreed(runs.map(({ change }) => change?.pullRequest)),
  };
  return withPlaces(merged, (finding) => ({
    ...finding,
    place: finding.isExcluded ? 'excluded' : 'not-looked-up',
  }));
}

/** How many different parts there are reports of. What cannot be read may be any part, but none that is known. */
const countParts = (shards: readonly ReportShard[]): number =>
  new Set(shards.map((shard) => (shard.kind === 'read' ? shard.run.part : `unread ${shard.name}`))).size;

/** Sorts the findings by what `judge` says about their places. */
export function withPlaces(
  publication: Omit<
    Publication,
    'counting' | 'standing' | 'findings' | 'withheld' | 'aside' | 'belowMinimum'
  >,
  judge: (finding: ReportedFinding) => PlacedFinding,
): Publication {
  const placed = publication.reported.map((reported) => ({ reported, finding: judge(reported) }));
  const judged = distinct(placed.map(({ finding }) => finding));
  const isShown = (finding: PlacedFinding) =>
    isAtLeast(finding, publication.minimumSeverity) || failsGate(finding, publication.gate);
  const shown = judged.filter(isShown).sort(byWeight);
  const sorted: Publication = {
    ...publication,
    withheld: [],
    counting: new Set(placed.flatMap(({ reported, finding }) => (doesCount(finding) ? reported : []))),
    standing: judged.filter(doesCount),
    findings: shown.filter(doesCount),
    aside: shown.filter((finding) => !doesCount(finding)),
    belowMinimum: judged.length - shown.length,
  };
  return withhold(sorted, ({ withheld }) => withheld?.reason);
}

/**
 * The same with comments withheld. What is `high` or `critical` is never withheld, nor what fails a gate: where would
 * people dismiss it?
 */
export function withhold(
  publication: Publication,
  why: (finding: PlacedFinding) => string | undefined,
): Publication {
  const reasons = publication.findings.map((finding) => ({
    finding,
    reason: isGrave(finding) || failsGate(finding, publication.gate) ? undefined : why(finding),
  }));
  return {
    ...publication,
    findings: reasons.flatMap(({ finding, reason }) => (reason === undefined ? [finding] : [])),
    withheld: [
      ...publication.withheld,
      ...reasons.flatMap(({ finding, reason }) => (reason === undefined ? [] : [{ finding, reason }])),
    ],
  };
}

export const failsGate = (finding: Finding, gate: Severity | undefined): boolean =>
  gate !== undefined && isAtLeast(finding, gate);

/**
 * What was reviewed, if all reports are there, every run went well, and all of them name the same. A run that was given
 * only a share of the change is one of several, so it must be known how many there are.
 */
function wholeReview(
  shards: readonly ReportShard[],
  { expectedReports }: MergeRequest,
): Reviewed | undefined {
  const parts = countParts(shards);
  const isCounted = expectedReports !== undefined && parts >= expectedReports;
  const named = goodRuns(shards)
    .filter(({ isShare }) => isCounted || !isShare)
    .map(({ reviewed }) => reviewed);
  if (named.length < shards.length || parts < (expectedReports ?? 0)) return undefined;
  if (shards.length > 1 && !isCounted) return undefined;
  const [first] = named;
  return named.every((each) => isDeepStrictEqual(each, first)) ? first : undefined;
}

/** Findings with the same lines and the same words in the title are duplicates. The most severe one that counts stays. */
function distinct(findings: readonly PlacedFinding[]): PlacedFinding[] {
  const found = new Map<string, PlacedFinding>();
  for (const finding of findings) {
    const key = findingKey(finding);
    const known = found.get(key);
    const isWorse = (other: PlacedFinding) =>
      doesCount(finding) === doesCount(other) ? rankOf(finding) < rankOf(other) : doesCount(finding);
    if (!known || isWorse(known)) found.set(key, finding);
  }
  return [...found.values()];
}

/** The worst first, then those that most passes found and no validation disputed. */
export const byWeight = (a: PlacedFinding, b: PlacedFinding): number =>
  rankOf(a) - rankOf(b) || trustIn(b) - trustIn(a) || byPath(a, b) || a.startLine - b.startLine;

/** One pass alone says nothing about agreement, so it is in the middle. */
const trustIn = ({ agreement, validation }: PlacedFinding): number => {
  const share = agreement ? agreement.found / agreement.of : 0.5;
  return share + (validation?.verdict === 'confirmed' ? 1 : validation?.verdict === 'refuted' ? -1 : 0);
};

/** The value that all reports agree on; reports without one do not count. */
function agreed<T>(values: readonly (T | undefined)[]): T | undefined {
  const said = new Set(values.filter((value) => value !== undefined));
  return said.size === 1 ? [...said][0] : undefined;
}

/**
 * Why the step fails with `fail-on-severity`, and what to do; undefined if it does not. It makes a review usable as a
 * required check, so a review that did not run fails as well. It does not matter where a finding is shown, or whether
 * it is shown at all: findings below `minimum-severity` count too.
 */
export function severityFailure(
  publication: Publication,
  severity: Severity | undefined,
): string | undefined {
  if (severity === undefined) return undefined;
  const gaps = gapsIn(publication);
  const severe = publication.standing.filter((finding) => isAtLeast(finding, severity));
  const texts: string[] = [];
  if (severe.length > 0)
    texts.push(
      `${plural(severe.length, 'finding is', 'findings are')} of severity ${severity} or above: ${countSeverities(severe)}. Fix them and run it again. If you disagree, dismiss them in the threads of the review (as: review), those without a thread by their ids, or raise fail-on-severity.`,
    );
  const unknown = publication.aside.filter(
    (finding) => finding.place === 'not-looked-up' && isAtLeast(finding, severity),
  );
  if (unknown.length > 0 && publication.mayNotLook === true)
    texts.push(
      `${plural(unknown.length, 'finding')} of severity ${severity} or above could not be looked up, and fail-on-severity needs to know what is real. ${publication.whyUnknown ?? ''}`,
    );
  if (gaps.length > 0)
    texts.push(
      `There is no complete review: ${gaps.join('; ')}. fail-on-severity requires one. Look at the log of the agent step, fix what it names and run it again.`,
    );
  return texts.length === 0 ? undefined : texts.join('\n');
}

const MAX_NAMED = 5;

function gapsIn({
  shards,
  missing,
  isCounted,
  isOtherCommit = false,
  whyUnknown = '',
}: Publication): string[] {
  const isPart = !isCounted && runsOf(shards).some(({ isShare }) => isShare);
  const gaps = [
    ...shards.flatMap(gapOf),
    ...(isPart
      ? [
          'only some files of the change were reviewed, and expected-reports does not say how many reports there are',
        ]
      : []),
    ...(isOtherCommit ? [whyUnknown.replace(/\.$/, '')] : []),
  ];
  return [
    ...gaps.slice(0, MAX_NAMED),
    ...(gaps.length > MAX_NAMED ? [`${plural(gaps.length - MAX_NAMED, 'more run')} without a review`] : []),
    ...(missing > 0 ? [`${plural(missing, 'expected report is', 'expected reports are')} missing`] : []),
  ];
}

/** What was not reviewed, in one line. */
export const unreadWords = ({ why, files, count }: NonNullable<RunFacts['unread']>): string =>
  files.length === 0
    ? why
    : `${plural(count ?? files.length, 'changed file was', 'changed files were')} not reviewed. ${why}`;

function gapOf(shard: ReportShard): string[] {
  if (shard.kind === 'unread') return [`${shard.name} could not be read`];
  const failure = workFailure(shard.run.verdict);
  if (failure) return [`the run of ${shard.name} failed (${failure.reason})`];
  const { skipped, review, passes, change, unread, unreadGenerated } = shard.run;
  if (skipped && skipped.code !== 'unchanged') return [`${shard.name} was not reviewed (${skipped.code})`];
  const wanted = passes?.wanted ?? passes?.started ?? 0;
  if (passes && passes.answered * 2 <= wanted)
    return [`only ${passes.answered} of ${wanted} passes of ${shard.name} answered`];
  const { parts } = passes ?? {};
  if (parts && parts.sufficient < parts.count)
    return [
      `only ${parts.sufficient} of ${parts.count} parts of ${shard.name} were reviewed as often as \`effort\` asks for`,
    ];
  if (unread) return [`${shard.name} is not about the whole change: ${unreadWords(unread)}`];
  if (unreadGenerated !== undefined)
    return [
      `${shard.name} left out ${plural(unreadGenerated, 'changed file')} that look${unreadGenerated === 1 ? 's' : ''} generated, which it would have reviewed with \`fail-on-severity\``,
    ];
  if (review && change?.head === undefined) return [`the change that ${shard.name} is about is not known`];
  if (review) return [];
  return [`${shard.name} has no findings, because its step did not set output-schema: findings`];
}
