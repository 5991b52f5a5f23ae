import { SEVERITIES, type Finding, type Severity } from '../report/findings.js';
import type { Shard } from '../report/read-reports.js';

/** Everything to publish, from all reports. */
export interface Publication {
  shards: Shard[];
  /** How many expected reports are missing. */
  missing: number;
  /** Whether the runs were to report findings. If not, the answers are shown. */
  isReview: boolean;
  /** Without duplicates, the most severe first. */
  findings: Finding[];
  /** How many findings are less severe than `minimum-severity`. */
  belowMinimum: number;
  /** The reviewed commit, if all reports that name one agree. */
  head: string | undefined;
  /** The pull request that the reports name. It is only a claim. */
  pullRequest: number | undefined;
}

export interface MergeRequest {
  minimumSeverity: Severity;
  expectedReports: number | undefined;
}

const weight = (severity: Severity): number => SEVERITIES.indexOf(severity);
export const isGrave = ({ severity }: Finding): boolean => weight(severity) <= weight('high');

/** Whether there is a report, and its run did its work. A run that failed only for its findings did. */
export const wentWell = (shard: Shard): boolean =>
  shard.kind === 'told' &&
  (shard.run.verdict.status === 'success' || shard.run.verdict.reason === 'findings');

/** Merges the reports of one run, or of all runs of a matrix. */
export function mergeReports(shards: readonly Shard[], request: MergeRequest): Publication {
  const told = shards.flatMap((shard) => (shard.kind === 'told' ? [shard.run] : []));
  const all = distinct(told.flatMap(({ review }) => review?.findings ?? []));
  const kept = all.filter(({ severity }) => weight(severity) <= weight(request.minimumSeverity));
  return {
    shards: [...shards],
    missing: Math.max(0, (request.expectedReports ?? 0) - shards.length),
    isReview: told.some(({ review }) => review !== undefined),
    findings: kept.sort(byWeight),
    belowMinimum: all.length - kept.length,
    head: agreed(told.map(({ change }) => change?.head)),
    pullRequest: agreed(told.map(({ change }) => change?.pullRequest)),
  };
}

/** Findings with the same lines and the same words in the title are duplicates. The most severe one stays. */
function distinct(findings: readonly Finding[]): Finding[] {
  const found = new Map<string, Finding>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.path, finding.startLine, finding.endLine, titleWords(finding.title)]);
    const known = found.get(key);
    if (!known || weight(finding.severity) < weight(known.severity)) found.set(key, finding);
  }
  return [...found.values()];
}

export const titleWords = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const byWeight = (a: Finding, b: Finding): number =>
  weight(a.severity) - weight(b.severity) ||
  (a.path < b.path ? -1 : a.path > b.path ? 1 : a.startLine - b.startLine);

/** The value that all reports agree on; reports without one do not count. */
function agreed<T>(values: readonly (T | undefined)[]): T | undefined {
  const said = new Set(values.filter((value) => value !== undefined));
  return said.size === 1 ? [...said][0] : undefined;
}
