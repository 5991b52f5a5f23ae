import type { FileDiff, Hunk, LineRange } from '../git/diff.js';
import { doesCount, ruleOf, type Place } from '../report/findings.js';
import type { Finding } from '../report/model.js';
import { foldPath } from '../text/paths.js';

/** The change under review. */
export interface CheckedChange {
  files: readonly FileDiff[];
  /** Whether there are changed files that could not be read. */
  isPartial?: boolean;
}

/** What is at a path after the change. A file that is empty, binary, a link or a submodule has no lines. */
export type FoundFile =
  { kind: 'file'; path: string; lines: number } | { kind: 'none' } | { kind: 'unknown' };

/** What a finding is compared with. The run reads it from git, publish from GitHub. */
export interface Grounds {
  /** Undefined if no change is known. */
  change?: CheckedChange | undefined;
  /** Looks up a file at the reviewed commit. It may find it under a name that only reads like the path. */
  findFile(path: string): FoundFile;
  /** Whether the workflow leaves the file of a finding out of the review. */
  isExcluded(path: string, finding: Finding): boolean;
}

/** A finding with its place. Path and lines are those that are really there. */
export type JudgedFinding<T extends Finding = Finding> = T & { place: Place };

/**
 * Where a finding points. Everything else follows from the place (`PLACE_RULES`): whether the finding is a comment, is
 * listed in the body or set aside, whether it counts, and why. The run and publish both ask this function, so that a
 * finding cannot count in one of them only.
 *
 * A slip of an agent does not decide about a gate: `./a.ts`, `A.TS` or another Unicode form of a name mean the file that
 * is there, and a range that begins at a real line ends at the last line at the latest.
 */
export function findingJudge(grounds: Grounds): <T extends Finding>(finding: T) => JudgedFinding<T> {
  const resolve = pathResolver(grounds);
  const judge = <T extends Finding>(given: T): JudgedFinding<T> => {
    const { startLine, endLine } = given;
    const range = { startLine: Math.min(startLine, endLine), endLine: Math.max(startLine, endLine) };
    const target = resolve(given.path);
    if (!target) return { ...given, place: 'no-such-path' };
    const judged = judgeLines({ ...target, range, side: given.side }, grounds);
    const names = [given.path, target.path, target.changed?.oldPath ?? target.path];
    const isExcluded = ruleOf(judged).counts && names.some((name) => grounds.isExcluded(name, given));
    return withPlace({ ...given, path: target.path }, isExcluded ? { ...judged, place: 'excluded' } : judged);
  };
  /** Only real places: one that does not exist says nothing about the finding itself. */
  const judgeOthers = (given: Finding) => {
    const { alsoAt = [], side: _other, ...finding } = given;
    const places = alsoAt.map((place) => judge({ ...finding, ...place }));
    return places.filter(doesCount).map(({ path, startLine, endLine }) => ({ path, startLine, endLine }));
  };
  return (given) => {
    const { alsoAt: _unchecked, ...judged } = judge(given);
    const alsoAt = judgeOthers(given);
    return { ...judged, ...(alsoAt.length > 0 ? { alsoAt } : {}) } as JudgedFinding<typeof given>;
  };
}

interface Judgement {
  place: Place;
  /** The lines that are meant, and the side that counts them. Missing if there are none. */
  lines?: LineRange;
  side?: 'base';
}

/** A suggestion replaces exactly its lines, so it is dropped if others are meant. */
function withPlace<T extends Finding>(finding: T, { place, lines, side }: Judgement): JudgedFinding<T> {
  const { side: givenSide, suggestion, ...rest } = finding;
  const shownSide = lines ? side : givenSide;
  const isSame = !lines || (lines.startLine === finding.startLine && lines.endLine === finding.endLine);
  const isKept = suggestion !== undefined && isSame && side === undefined;
  return {
    ...rest,
    ...lines,
    ...(shownSide === undefined ? {} : { side: shownSide }),
    ...(isKept ? { suggestion } : {}),
    place,
  } as JudgedFinding<T>;
}

interface MeantFile {
  path: string;
  changed?: FileDiff | undefined;
  /** Missing if it was not needed to find the path. */
  found?: FoundFile;
}

/** The file that a path means: exactly that name first, then one that reads alike, if there is only one. */
function pathResolver({ change, findFile }: Grounds): (path: string) => MeantFile | undefined {
  const files = change?.files ?? [];
  const moved = files.filter(({ status }) => status === 'renamed');
  const byName = new Map([
    ...moved.map((file) => [file.oldPath ?? file.path, file] as const),
    ...files.map((file) => [file.path, file] as const),
  ]);
  const alike = new Map<string, string[]>();
  for (const name of byName.keys()) alike.set(foldPath(name), [...(alike.get(foldPath(name)) ?? []), name]);
  const named = (path: string) => {
    const changed = byName.get(path);
    return changed && { path: changed.path, changed };
  };
  return (given) => {
    const spellings = [...new Set([given, correctPath(given)])].filter((path) => path !== '');
    for (const path of spellings) {
      const target = named(path);
      if (target) return target;
    }
    for (const path of spellings) {
      const found = findFile(path);
      if (found.kind === 'unknown') return { path, found };
      if (found.kind === 'file') return { ...named(found.path), path: found.path, found };
    }
    for (const path of spellings) {
      const [name, ...others] = alike.get(foldPath(path)) ?? [];
      if (name !== undefined && others.length === 0) return named(name);
    }
    return undefined;
  };
}

/** `./src\a.ts` and `/home/runner/work/r/r/src/a.ts` are both `src/a.ts`. `root` is the top of the checkout. */
export function correctPath(path: string, root = ''): string {
  const [slashed, top] = [path.trim().replaceAll('\\', '/'), root.replaceAll('\\', '/').replace(/\/+$/, '')];
  const inside = slashed.startsWith(`${top}/`) ? slashed.slice(top.length + 1) : slashed;
  return inside.replace(/^(?:\.\/+)+/, '').replace(/\/\/+/g, '/');
}

interface Asked extends MeantFile {
  range: LineRange;
  side: Finding['side'];
}

function judgeLines({ path, changed, found, range, side }: Asked, { change, findFile }: Grounds): Judgement {
  const isUnread = !change || change.isPartial === true;
  if (changed?.status === 'deleted') return judgeDeleted(changed, range);
  if (side === 'base')
    return changed ? judgeRemoved(changed, range) : { place: isUnread ? 'not-looked-up' : 'no-such-line' };
  if (changed && holdsNew(changed.hunks, range)) return { place: 'in-change', lines: range };
  const here = addedWhole(changed) ?? found ?? findFile(path);
  if (here.kind === 'unknown') return { place: 'not-looked-up' };
  if (here.kind === 'none') return { place: 'no-such-path' };
  if (here.lines === 0) return { place: range.startLine === 1 ? 'whole-file' : 'no-such-line' };
  const lines = fitRange(range, here.lines);
  if (!lines) return { place: 'no-such-line' };
  if (!changed) return { place: isUnread ? 'unchecked' : 'outside-change', lines };
  return { place: touchesNew(changed.hunks, lines) ? 'in-change' : 'outside-change', lines };
}

/** All lines of a deleted file are removed lines, whatever the finding says about its side. */
function judgeDeleted({ hunks, deletions = 0 }: FileDiff, range: LineRange): Judgement {
  const total = Math.max(deletions, ...hunks.map(({ oldStart, oldCount }) => oldStart + oldCount - 1));
  if (total === 0) return { place: range.startLine === 1 ? 'whole-file' : 'no-such-line' };
  const lines = fitRange(range, total);
  return lines ? { place: 'removed', lines, side: 'base' } : { place: 'no-such-line' };
}

/** Lines as they were before the change. One of them at least must have been removed. */
function judgeRemoved({ hunks }: FileDiff, lines: LineRange): Judgement {
  const { startLine, endLine } = lines;
  const isRemoved = hunks.some(
    ({ oldStart, oldCount, lines: shown }) =>
      startLine >= oldStart &&
      endLine < oldStart + oldCount &&
      shown.some((line) => line.kind === 'removed' && line.old >= startLine && line.old <= endLine),
  );
  return isRemoved ? { place: 'removed', lines, side: 'base' } : { place: 'no-such-line' };
}

const holdsNew = (hunks: readonly Hunk[], { startLine, endLine }: LineRange): boolean =>
  hunks.some(({ newStart, newCount }) => startLine >= newStart && endLine < newStart + newCount);

const touchesNew = (hunks: readonly Hunk[], { startLine, endLine }: LineRange): boolean =>
  hunks.some(
    ({ newStart, newCount }) => newCount > 0 && startLine < newStart + newCount && endLine >= newStart,
  );

/** The diff of a new file shows all of it, so it need not be looked up. */
function addedWhole(changed: FileDiff | undefined): FoundFile | undefined {
  const [hunk, ...others] = changed?.hunks ?? [];
  const isWhole = hunk?.newStart === 1 && hunk.oldCount === 0 && others.length === 0;
  return changed?.status === 'added' && isWhole
    ? { kind: 'file', path: changed.path, lines: hunk.newCount }
    : undefined;
}

/**
 * The real part of a range; undefined if it begins beyond the file. Editors show an empty line below the last line end,
 * so the first line that is missing stands for the last one.
 */
function fitRange({ startLine, endLine }: LineRange, total: number): LineRange | undefined {
  if (startLine < 1 || startLine > total + 1) return undefined;
  return { startLine: Math.min(startLine, total), endLine: Math.min(endLine, total) };
}
