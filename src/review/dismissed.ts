import type { Hunk, LineRange } from '../git/diff.js';
import { digest, readMarker } from '../github/marker.js';
import type { ReviewThread } from '../github/review-threads.js';
import type { Finding } from '../report/model.js';
import { known } from '../text/json.js';

/**
 * Which findings people dismissed, and where the code of those findings is now. All of it is a fixed rule, so that a
 * finding does not come back because an agent forgot what it was told.
 */

/** A hash of lines of a file, by which they are recognised even if they moved. */
export const hashLines = (path: string, lines: readonly string[]): string => digest('lines', path, lines);

/** The new side of a hunk: the text of these lines, without the carriage return of a line end. */
export const linesIn = (hunk: Hunk, { startLine, endLine }: LineRange): string[] =>
  hunk.lines.flatMap((line) =>
    line.kind !== 'removed' && line.new >= startLine && line.new <= endLine
      ? [line.text.replace(/\r$/, '')]
      : [],
  );

/** The same for lines that the change removed. */
export const hashRemoved = (path: string, lines: readonly string[]): string =>
  digest('removed lines', path, lines);

/** The old side of a hunk: the text of these lines, as `linesIn` gives it of the new side. */
export const oldLinesIn = (hunk: Hunk, { startLine, endLine }: LineRange): string[] =>
  hunk.lines.flatMap((line) =>
    line.kind !== 'added' && line.old >= startLine && line.old <= endLine
      ? [line.text.replace(/\r$/, '')]
      : [],
  );

/** How a user said that a finding is not to be fixed. */
type Dismissal = { login: string; how: 'thumbs down' | 'resolved' | 'reply' };

/** A finding that a user with write access dismissed. */
export interface Dismissed extends Dismissal {
  /** Hashes: of the input `key` of publish, of the text of the lines, and of the title. */
  key: string;
  place: string;
  what: string;
  path: string;
  lineCount: number;
  /** Where the lines were when the finding was written; undefined if GitHub does not say. */
  range?: LineRange;
  /** Where GitHub shows its last line now. */
  line?: number;
  url: string;
}

/**
 * What dismisses a finding, at the beginning of a line of a reply. A line with a question mark is a question, and a
 * quoted line begins with `>`.
 */
const DISMISSING =
  /^[ \t]*(?:\/cursor[ \t]+dismiss|dismissed|(?:won['’]?t|will not)[ \t]?fix|wont-fix|false[ -]positive|not (?:a bug|an issue)|(?:works )?as intended|(?:this is )?(?:intended|intentional|by design))(?![\p{L}\p{N}])(?!.*\?)/imu;

export const saysDismissed = (text: string): boolean => DISMISSING.test(text);

/** All users, with any permission, who say that the finding of a thread is not to be fixed. Our account does not count. */
export function dismissalsOf(thread: ReviewThread, viewer: { id: number; login: string }): Dismissal[] {
  const { thumbsDown, resolvedBy, isResolved, replies } = thread;
  const said: Dismissal[] = [
    ...thumbsDown.map(({ login }) => ({ login, how: 'thumbs down' as const })),
    ...replies.flatMap(({ author, isOurs, text }) =>
      author && !isOurs && saysDismissed(text) ? [{ login: author.login, how: 'reply' as const }] : [],
    ),
    ...(isResolved && resolvedBy && resolvedBy.id !== viewer.id
      ? [{ login: resolvedBy.login, how: 'resolved' as const }]
      : []),
  ];
  return said.filter(({ login }) => login !== viewer.login);
}

/** The findings that one of the writers dismissed. */
export function findDismissed(
  threads: readonly ReviewThread[],
  { viewer, writers }: { viewer: { id: number; login: string }; writers: ReadonlySet<string> },
): Dismissed[] {
  return threads.flatMap((thread) => {
    const dismissal = dismissalsOf(thread, viewer).find(({ login }) => writers.has(login));
    if (!dismissal) return [];
    const { key, place, what, path, lineCount, line, originalLine, url } = thread;
    const range =
      originalLine === undefined
        ? undefined
        : { startLine: originalLine - lineCount + 1, endLine: originalLine };
    return [known<Dismissed>({ ...dismissal, key, place, what, path, lineCount, url, range, line })];
  });
}

/** Whether we said in this thread that its finding is gone. */
export const isClosedByUs = ({ replies, place }: ReviewThread): boolean =>
  replies.some(({ isOurs, text }) => {
    const marker = isOurs ? readMarker(text) : undefined;
    return marker?.kind === 'closed' && marker.place === place;
  });

/** Code that a finding was about. */
type FoundCode = Pick<ReviewThread, 'path' | 'place' | 'lineCount' | 'line'>;

/**
 * Where code is among the lines that a diff shows, found by its hash. If the same text is there several times, the one
 * at the line that GitHub names is meant; if none is there, each of them.
 */
export function createLocator(files: ReadonlyMap<string, readonly Hunk[]>): (code: FoundCode) => LineRange[] {
  const indexes = new Map<string, ReadonlyMap<string, LineRange[]>>();
  return ({ path, place, lineCount, line }) => {
    const name = `${lineCount} ${path}`;
    const index = indexes.get(name) ?? indexWindows(path, lineCount, files.get(path) ?? []);
    indexes.set(name, index);
    const ranges = index.get(place) ?? [];
    const named = ranges.filter(({ endLine }) => endLine === line);
    return named.length > 0 ? named : ranges;
  };
}

/** Every run of so many lines of the hunks, by its hash. */
function indexWindows(path: string, count: number, hunks: readonly Hunk[]): ReadonlyMap<string, LineRange[]> {
  const index = new Map<string, LineRange[]>();
  for (const hunk of hunks) {
    const lines = linesIn(hunk, { startLine: hunk.newStart, endLine: hunk.newStart + hunk.newCount - 1 });
    for (let first = 0; first + count <= lines.length; first += 1) {
      const hash = hashLines(path, lines.slice(first, first + count));
      const startLine = hunk.newStart + first;
      index.set(hash, [...(index.get(hash) ?? []), { startLine, endLine: startLine + count - 1 }]);
    }
  }
  return index;
}

/** A finding in other words may be about a line more or less. One about much more code is another finding. */
const AROUND = 3;

/** Whether a finding about these lines is at the place of another one: they overlap, and it reaches little further. */
export const isSamePlace = (range: LineRange, other: LineRange): boolean =>
  range.startLine <= other.endLine &&
  range.endLine >= other.startLine &&
  range.startLine >= other.startLine - AROUND &&
  range.endLine <= other.endLine + AROUND;

/**
 * Whether a finding is about code where one was dismissed. The words of the finding do not matter, because agents find
 * new ones in every run. As soon as the text of the dismissed lines changes, the finding may come back.
 */
export function dismissedTest(
  dismissed: readonly Dismissed[],
  files: ReadonlyMap<string, readonly Hunk[]>,
): (finding: Finding) => boolean {
  const locate = createLocator(files);
  const places = dismissed.flatMap((each) => locate(each).map((range) => ({ path: each.path, range })));
  // Removed lines do not move, so their text is enough.
  const removed = new Set(dismissed.map(({ place }) => place));
  return (finding) =>
    finding.side === 'base'
      ? (files.get(finding.path) ?? []).some((hunk) =>
          removed.has(hashRemoved(finding.path, oldLinesIn(hunk, finding))),
        )
      : places.some(({ path, range }) => path === finding.path && isSamePlace(finding, range));
}
