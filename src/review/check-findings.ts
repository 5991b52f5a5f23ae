import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { attempt } from '../core/errors.js';
import { hunkHolding, type FileDiff, type LineRange } from '../git/diff.js';
import { findingKey, rankOf, type Place } from '../report/findings.js';
import type { CheckedFinding, Finding } from '../report/model.js';
import { isPlainPath } from '../text/paths.js';

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
  return checked.sort((one, other) => rankOf(one) - rankOf(other));
}

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
    const key = findingKey(finding);
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
    severity: rankOf(other) < rankOf(known) ? other.severity : known.severity,
    body: other.body.length > known.body.length ? other.body : known.body,
    ...(suggestion === undefined ? {} : { suggestion }),
    count: known.count + 1,
  };
}

/** The lines of a larger file are counted, but not returned. */
const MOST_TEXT_BYTES = 5 * 1024 * 1024;

/** Files of the checkout, by their path from its top, to look up where findings point. */
export function openCheckout(root: string) {
  const top = realpathSync(root);
  const counts = new Map<string, number | undefined>();
  return {
    /** Nothing if there is no such file in the checkout. */
    lineCount(path: string): number | undefined {
      const count = counts.has(path) ? counts.get(path) : attempt(() => countLines(findFile(top, path)));
      counts.set(path, count);
      return count;
    },
    /** The text of some lines; nothing if it is not available. */
    lines: (path: string, { startLine, endLine }: LineRange) =>
      attempt(() => {
        const file = findFile(top, path);
        if (statSync(file).size > MOST_TEXT_BYTES) return undefined;
        const lines = readFileSync(file, 'utf8').split('\n');
        return lines.slice(startLine - 1, endLine).join('\n');
      }),
  };
}

/** A path of the agent must not lead out of the checkout, neither by `..` nor by a link, nor into `.git`. */
function findFile(top: string, path: string): string {
  const parts = path.split('/');
  if (!isPlainPath(path) || parts.some((part) => part.toLowerCase() === '.git'))
    throw new Error('not a path of the checkout');
  const real = realpathSync(join(top, ...parts));
  // Opening a pipe would wait until somebody writes to it.
  if (!real.startsWith(top + sep) || !lstatSync(real).isFile()) throw new Error('not a file of the checkout');
  return real;
}

function countLines(path: string): number {
  const file = openSync(path, constants.O_RDONLY);
  try {
    const chunk = Buffer.alloc(65_536);
    let [lines, last] = [0, 0x0a];
    for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
      for (let at = chunk.indexOf(0x0a); at !== -1 && at < size; at = chunk.indexOf(0x0a, at + 1)) lines += 1;
      last = chunk[size - 1] ?? 0x0a;
    }
    return last === 0x0a ? lines : lines + 1;
  } finally {
    closeSync(file);
  }
}
