/** What a review can find. The schema an agent must answer with is in findings-schema.ts. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** How a severity is marked wherever findings are read. */
export const SEVERITY_SIGNS: Readonly<Record<Severity, string>> = {
  critical: '🔴',
  high: '🟠',
  medium: '🟡',
  low: '🔵',
  info: '⚪',
};

/**
 * How far a finding may go. The agent is held to it, so that nothing it answers makes a report that whoever reads
 * it has to refuse.
 */
export const MOST_FINDINGS = 10_000;
export const MOST_LINE = 10_000_000;
export const MOST_PATH = 4096;

export interface Finding {
  /** Relative to the root of the repository, with forward slashes. */
  path: string;
  startLine: number;
  endLine: number;
  severity: Severity;
  title: string;
  body: string;
  /** What the lines from startLine to endLine should read instead. */
  suggestion?: string;
}

/**
 * Where a finding points, seen from the change under review. `in-change`: on lines the diff shows. `outside-change`:
 * on lines that exist, elsewhere. The others point at nothing, or could not be looked up.
 */
export const PLACES = ['in-change', 'outside-change', 'no-such-line', 'no-such-path', 'unchecked'] as const;
export type Place = (typeof PLACES)[number];

export interface CheckedFinding extends Finding {
  place: Place;
  /** How many findings said the same of the same lines. */
  count: number;
}

/** A review as the report holds it. */
export interface Review {
  summary: string;
  findings: CheckedFinding[];
}

/** The change that was under review, so that whoever publishes knows which commit the lines belong to. */
export interface ReviewedChange {
  base: string;
  head: string;
  pullRequest?: number;
}
