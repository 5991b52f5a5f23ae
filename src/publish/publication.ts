import { SEVERITIES, type Finding, type Severity } from '../report/findings.js';
import type { Shard } from './read-reports.js';

/** Everything that is to be published, from however many reports. */
export interface Publication {
  shards: Shard[];
  /** How many reports should have been there and were not. */
  missing: number;
  /** Whether findings were asked for; without them the answers are shown. */
  isReview: boolean;
  /** The gravest first, each once. */
  findings: Finding[];
  /** How many were left out because they weigh less than `minimum-severity`. */
  belowMinimum: number;
  /** The commit the findings are about, if all reports that have findings agree on it. */
  head: string | undefined;
  /** The pull request they name. It is a claim. */
  pullRequest: number | undefined;
}

export interface MergeRequest {
  minimumSeverity: Severity;
  expectedReports: number | undefined;
}

const weight = (severity: Severity): number => SEVERITIES.indexOf(severity);
export const isGrave = ({ severity }: Finding): boolean => weight(severity) <= weight('high');

/** Whether a report is there and tells of a success. */
export const wentWell = (shard: Shard): boolean =>
  shard.kind === 'told' && shard.run.verdict.status === 'success';

/** The reports of one run or of a matrix of them as one. */
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

/** Alike: the same lines and the same title, whatever its capitals and blanks. The gravest of them stays. */
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

/** What all that say something say alike. */
function agreed<T>(values: readonly (T | undefined)[]): T | undefined {
  const said = new Set(values.filter((value) => value !== undefined));
  return said.size === 1 ? [...said][0] : undefined;
}
