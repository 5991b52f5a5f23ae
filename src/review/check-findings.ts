import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { attempt } from '../core/errors.js';
import type { LineRange } from '../git/diff.js';
import { findingKey, rankOf } from '../report/findings.js';
import type { CheckedFinding, Finding } from '../report/model.js';
import { isDotGit, isPlainPath } from '../text/paths.js';
import { countTextLines, fileFinder, type GitEntry } from './find-file.js';
import { findingJudge, type Grounds, type JudgedFinding } from './judge-finding.js';

/**
 * Judges each finding. Findings that say the same about the same lines become one. The worst come first; otherwise they
 * keep their order.
 */
export function checkFindings(findings: readonly Finding[], grounds: Grounds): CheckedFinding[] {
  const judge = findingJudge(grounds);
  const judged = findings.map((finding) => judge(finding));
  return mergeRepeats(judged).sort((one, other) => rankOf(one) - rankOf(other));
}

function mergeRepeats(findings: readonly JudgedFinding[]): CheckedFinding[] {
  const merged = new Map<string, CheckedFinding>();
  for (const finding of findings) {
    const key = findingKey(finding);
    const known = merged.get(key);
    merged.set(key, known ? joined(known, finding) : { ...finding, count: 1 });
  }
  return [...merged.values()];
}

/** Takes the worse severity, the longer text, and a suggestion if either finding has one. */
function joined(known: CheckedFinding, other: Finding): CheckedFinding {
  const suggestion = known.suggestion ?? other.suggestion;
  const alsoAt = known.alsoAt ?? other.alsoAt;
  const rule = known.rule ?? other.rule;
  return {
    ...known,
    severity: rankOf(other) < rankOf(known) ? other.severity : known.severity,
    body: other.body.length > known.body.length ? other.body : known.body,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(alsoAt === undefined ? {} : { alsoAt }),
    ...(rule === undefined ? {} : { rule }),
    count: known.count + 1,
  };
}

/** The lines of a larger file are counted, but not returned. */
const MAX_TEXT_BYTES = 5 * 1024 * 1024;
/** The lines of a larger file are not counted either. */
export const MAX_COUNTED_BYTES = 64 * 1024 * 1024;

/** Files of the checkout, by their path from its top, to look up where findings point. */
export function openCheckout(root: string) {
  const top = realpathSync(root);
  const counts = new Map<string, number | undefined>();
  const lineCount = (path: string): number | undefined => {
    const count = counts.has(path) ? counts.get(path) : attempt(() => countLines(realFile(top, path)));
    counts.set(path, count);
    return count;
  };
  return {
    /** For a checkout whose commit git cannot list. */
    findFile: fileFinder(
      (folder) => readFolder(top, folder),
      (_entry, path) => lineCount(path),
    ),
    /** Nothing if there is no such file in the checkout, or it is too large. */
    lineCount,
    /** The text of some lines; nothing if it is not available. */
    lines: (path: string, { startLine, endLine }: LineRange) =>
      attempt(() => {
        const file = realFile(top, path);
        if (statSync(file).size > MAX_TEXT_BYTES) return undefined;
        const lines = readFileSync(file, 'utf8').split('\n');
        return lines.slice(startLine - 1, endLine).join('\n');
      }),
  };
}

/** Only reached name by name from the top, through folders that are no links. */
function readFolder(top: string, folder: string): GitEntry[] {
  const entries = attempt(() => readdirSync(join(top, ...folder.split('/')), { withFileTypes: true })) ?? [];
  return entries.flatMap((entry): GitEntry[] => {
    if (isDotGit(entry.name)) return [];
    const type = entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'file';
    return entry.isFile() || type !== 'file' ? [{ name: entry.name, type, id: '' }] : [];
  });
}

/** A path of the agent must not lead out of the checkout, neither by `..` nor by a link, nor into `.git`. */
function realFile(top: string, path: string): string {
  const parts = path.split('/');
  if (!isPlainPath(path) || parts.some((part) => part.toLowerCase() === '.git'))
    throw new Error('not a path of the checkout');
  const real = realpathSync(join(top, ...parts));
  // Opening a pipe would wait until a process writes to it.
  if (!real.startsWith(top + sep) || !lstatSync(real).isFile()) throw new Error('not a file of the checkout');
  return real;
}

function countLines(path: string): number | undefined {
  return statSync(path).size > MAX_COUNTED_BYTES ? undefined : countTextLines(readFileSync(path));
}
