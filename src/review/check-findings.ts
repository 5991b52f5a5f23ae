import { hunkHolding, type FileDiff } from '../git/diff.js';
import { SEVERITIES, type CheckedFinding, type Finding, type Place } from '../report/findings.js';

/** The number of lines of a file in the checkout; nothing if there is no such file. */
export type LineCount = (path: string) => number | undefined;

export interface CheckedChange {
  files: readonly FileDiff[];
  /** Whether there are changed files that could not be read. */
  isPartial?: boolean;
  /** The lines of changed files that are not in the checkout, undefined for a deleted one. */
  headLines?: ReadonlyMap<string, number | undefined>;
}

/**
 * Looks up where each finding points, relative to the change under review if one is known. Findings that say the same
 * about the same lines become one. The worst come first; otherwise they keep their order.
 */
export function checkFindings(
  findings: readonly Finding[],
  change: CheckedChange | undefined,
  lineCount: LineCount,
): CheckedFinding[] {
  const changed = change && {
    files: new Map(change.files.map((file) => [file.path, file])),
    isPartial: change.isPartial === true,
  };
  const checked = mergeRepeats(findings).map((finding) => ({
    ...finding,
    place: placeOf(finding, lineCount(finding.path), changed),
  }));
  return checked.sort((one, other) => rank(one) - rank(other));
}

const rank = ({ severity }: Finding): number => SEVERITIES.indexOf(severity);

function placeOf(
  { path, startLine, endLine }: Finding,
  lines: number | undefined,
  changed: { files: ReadonlyMap<string, FileDiff>; isPartial: boolean } | undefined,
): Place {
  if (lines === undefined) return 'no-such-path';
  // A finding about an empty file can only point at line 1.
  if (endLine > Math.max(lines, 1)) return 'no-such-line';
  if (!changed) return 'unchecked';
  const file = changed.files.get(path);
  if (!file && changed.isPartial) return 'unchecked';
  return file && hunkHolding(file.hunks, { startLine, endLine }) ? 'in-change' : 'outside-change';
}

function mergeRepeats(findings: readonly Finding[]): (Finding & { count: number })[] {
  const merged = new Map<string, Finding & { count: number }>();
  for (const finding of findings) {
    const title = finding.title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
    const key = JSON.stringify([finding.path, finding.startLine, finding.endLine, title]);
    const known = merged.get(key);
    merged.set(key, known ? joined(known, finding) : { ...finding, count: 1 });
  }
  return [...merged.values()];
}

/** Takes the worse severity, the longer text, and a suggestion if either finding has one. */
function joined(known: Finding & { count: number }, other: Finding): Finding & { count: number } {
  const suggestion = known.suggestion ?? other.suggestion;
  return {
    ...known,
    severity: rank(other) < rank(known) ? other.severity : known.severity,
    body: other.body.length > known.body.length ? other.body : known.body,
    ...(suggestion === undefined ? {} : { suggestion }),
    count: known.count + 1,
  };
}
