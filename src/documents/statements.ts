import * as z from 'zod/mini';
import type { DiffLine, FileDiff, LineRange } from '../git/diff.js';
import { MAX_LINE } from '../report/findings.js';
import type { Statement, Statements } from '../report/model.js';
import { findJson } from '../review/read-answer.js';
import { truncate } from '../text/plain-text.js';
import { isDocument } from './documented.js';

const lineNumber = z.int().check(z.minimum(1), z.maximum(MAX_LINE));
const lineRange = { startLine: lineNumber, endLine: lineNumber };
/** What the agent says about one statement that it changed: where it is, and which code shows it. */
const ClaimSchema = z.object({
  document: z.string(),
  ...lineRange,
  reason: z.string(),
  source: z.nullish(z.object({ path: z.string(), ...lineRange, quote: z.string() })),
});
type StatementClaim = z.infer<typeof ClaimSchema>;
const AnswerSchema = z.object({ summary: z.string(), changes: z.array(z.unknown()) });

const EXAMPLE = {
  summary: 'The option --depth is documented, and the default of retries is corrected.',
  changes: [
    {
      document: 'docs/options.md',
      startLine: 12,
      endLine: 13,
      reason: 'retries is 3 by default since this change',
      source: { path: 'src/options.ts', startLine: 40, endLine: 40, quote: 'retries: count(3),' },
    },
  ],
};

/** How many changed lines one source can be for. */
const MAX_COVERED = 40;

/** The form of the answer, for the end of the prompt. */
export const STATEMENTS_FORM = [
  'Your answer is read by a program. Do the task first. Then end with one last message that is a single JSON value, in one ' +
    'fenced `json` block, with nothing before or after the block. The form, with made-up values:',
  `\`\`\`json\n${JSON.stringify(EXAMPLE, undefined, 2)}\n\`\`\``,
  [
    'Rules for it:',
    '- `changes` has an entry for each statement that you changed, added or removed in a document. It is empty if you changed nothing.',
    '- `document`, `startLine` and `endLine` are the changed lines in the document as it is after your change. For removed lines name the line before.',
    '- `source` is the place in the code that shows that the statement is right; never a document. Copy `quote` from there exactly. ' +
      'Leave `source` out if there is none, and say so in `reason`.',
    `- An entry covers at most ${MAX_COVERED} changed lines. Changed lines without an entry are shown to the reviewer as not proven.`,
  ].join('\n'),
].join('\n\n');

/** The last value in these texts that has the form; undefined if none has. Entries that make no sense are left out. */
export function readClaims(
  texts: readonly string[],
): { summary: string; claims: StatementClaim[] } | undefined {
  for (const text of new Set(texts))
    for (const { value } of findJson(text)) {
      const answer = AnswerSchema.safeParse(value);
      if (!answer.success) continue;
      const { summary, changes } = answer.data;
      const claims = changes.flatMap((change) => ClaimSchema.safeParse(change).data ?? []);
      return { summary, claims: claims.slice(0, MAX_CLAIMS) };
    }
  return undefined;
}

const MAX_CLAIMS = 500;
const MAX_WORDS = 500;

export interface StatementGrounds {
  /** The change, as it is applied. */
  files: readonly FileDiff[];
  /** The lines of a file of the checkout; undefined if there is none. */
  linesOf(path: string): readonly string[] | undefined;
  /** The folder where the agent worked, from the top of the repository. It may name files relative to it. */
  prefix: string;
}

/** Compares what the agent says with its change and with the code. Changed lines that no statement covers are listed. */
export function checkStatements(
  { summary, claims }: { summary: string; claims: readonly StatementClaim[] },
  grounds: StatementGrounds,
): Statements {
  const { files, prefix } = grounds;
  const changed = new Map(files.map((file) => [file.path, file]));
  const inPrefix = (path: string) => (prefix === '' ? path : `${prefix}/${path}`);
  const fromTop = (path: string, isThere: (path: string) => boolean) => {
    const plain = path.replace(/^\.\//, '');
    return !isThere(plain) && isThere(inPrefix(plain)) ? inPrefix(plain) : plain;
  };
  const points = new Map(files.map((file) => [file.path, changedPoints(file)]));
  const sources = new Map<string, SourceText | undefined>();
  const sourceOf = (path: string) => {
    if (!sources.has(path)) sources.set(path, squeezedLines(grounds.linesOf(path)));
    return sources.get(path);
  };
  const changes = claims.map((claim): Statement => {
    const document = fromTop(claim.document, (path) => changed.has(path));
    const source = claim.source && {
      ...claim.source,
      path: fromTop(claim.source.path, (path) => grounds.linesOf(path) !== undefined),
    };
    const [startLine, endLine] = ordered(claim);
    const reason = truncate(claim.reason.trim(), MAX_WORDS);
    const about = { document: truncate(document, MAX_WORDS), startLine, endLine, reason };
    const covered = (points.get(document) ?? []).filter((point) => touches({ startLine, endLine }, point));
    const problem = placeProblem(changed.has(document), covered.length);
    if (problem !== undefined) return { ...about, problem };
    const isChanged = (path: string) => changed.has(path);
    return { ...about, ...findSource(source ?? undefined, { sourceOf, isChanged }) };
  });
  return { summary, changes, uncovered: files.flatMap((file) => findUncovered(file, changes)) };
}

const ordered = ({ startLine, endLine }: LineRange): [number, number] =>
  startLine <= endLine ? [startLine, endLine] : [endLine, startLine];

function placeProblem(isChanged: boolean, covered: number): string | undefined {
  if (!isChanged) return 'the change does not touch this document';
  if (covered === 0) return 'none of these lines changed';
  return covered > MAX_COVERED
    ? `it is about ${covered} changed lines, and one source can show at most ${MAX_COVERED}`
    : undefined;
}

const MIN_QUOTE = 4;
const MAX_QUOTE_LINES = 200;
/** Spaces and line ends do not matter. */
const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The text of a file, each line squeezed, and where its lines that say something begin in it. */
interface SourceText {
  text: string;
  starts: { at: number; line: number }[];
}

function squeezedLines(lines: readonly string[] | undefined): SourceText | undefined {
  if (!lines) return undefined;
  const starts: SourceText['starts'] = [];
  const texts: string[] = [];
  let at = 0;
  for (const [index, one] of lines.entries()) {
    const text = squeezed(one);
    if (text === '') continue;
    starts.push({ at, line: index + 1 });
    texts.push(text);
    at += text.length + 1;
  }
  return { text: texts.join(' '), starts };
}

/** The first and the last line of each place where a text is. */
function* placesOf(wanted: string, { text, starts }: SourceText): Generator<[number, number]> {
  let next = 0;
  const lineAt = (at: number, from: number) => {
    let index = from;
    while ((starts[index + 1]?.at ?? Infinity) <= at) index += 1;
    return index;
  };
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    next = lineAt(at, next);
    const last = lineAt(at + wanted.length - 1, next);
    yield [starts[next]?.line ?? 1, starts[last]?.line ?? 1];
  }
}

interface SourceGrounds {
  sourceOf(path: string): SourceText | undefined;
  isChanged(path: string): boolean;
}

function findSource(
  source: StatementClaim['source'] | undefined,
  { sourceOf, isChanged }: SourceGrounds,
): Pick<Statement, 'source' | 'problem'> {
  if (!source) return { problem: 'no source is named' };
  const { path, quote } = source;
  if (isDocument(path)) return { problem: `its source is a document (${truncate(path, 200)}), not code` };
  if (isChanged(path)) return { problem: `its source (${truncate(path, 200)}) is part of the change itself` };
  const text = sourceOf(path);
  if (!text) return { problem: `its source (${truncate(path, 200)}) does not exist` };
  const wanted = squeezed(quote);
  if (wanted.replace(/[^\p{L}\p{N}]/gu, '').length < MIN_QUOTE)
    return { problem: 'its quote is too short to show anything' };
  const height = quote.trim().split('\n').length;
  if (height > MAX_QUOTE_LINES)
    return { problem: `its quote has ${height} lines, and at most ${MAX_QUOTE_LINES} can be compared` };
  const [startLine, endLine] = ordered(source);
  let start: number | undefined;
  for (const [first, last] of placesOf(wanted, text)) {
    if (last - first >= height) continue;
    const near = Math.min(Math.max(startLine, last - height + 1, 1), first);
    if (start === undefined || Math.abs(near - startLine) < Math.abs(start - startLine)) start = near;
  }
  if (start === undefined) return { problem: `its quote is not in ${truncate(path, 200)}` };
  // The agent may have counted wrong; the quote says where it is.
  const isThere = start >= startLine && start + height - 1 <= endLine;
  const place = isThere ? { startLine, endLine } : { startLine: start, endLine: start + height - 1 };
  return { source: { path, ...place, quote: truncate(quote.trim(), MAX_WORDS) } };
}

/** A line of the document that changed, or where lines were removed. */
interface ChangedPoint {
  line: number;
  isRemoval: boolean;
}

const saysSomething = ({ text }: DiffLine): boolean => /[\p{L}\p{N}]/u.test(text);

function changedPoints({ hunks }: FileDiff): ChangedPoint[] {
  return hunks.flatMap(({ lines, newStart }) => {
    const points: ChangedPoint[] = [];
    let next = newStart;
    let removed = false;
    let added = false;
    const close = () => {
      // Removed lines that were replaced need no point of their own: the added lines have one.
      if (removed && !added) points.push({ line: Math.max(1, next), isRemoval: true });
      [removed, added] = [false, false];
    };
    for (const line of lines) {
      if (line.kind === 'removed') {
        removed ||= saysSomething(line);
        continue;
      }
      if (line.kind === 'added') {
        added = true;
        if (saysSomething(line)) points.push({ line: line.new, isRemoval: false });
      } else close();
      next = line.new + 1;
    }
    close();
    return points;
  });
}

const touches = ({ startLine, endLine }: LineRange, { line: at, isRemoval }: ChangedPoint): boolean =>
  at >= startLine && at <= endLine + (isRemoval ? 1 : 0);

/** The changed lines of a file that no statement is about. A file without text has none, and is named as a whole. */
function findUncovered(file: FileDiff, changes: readonly Statement[]): Statements['uncovered'] {
  const { path: document, binary } = file;
  if (binary || !isDocument(document) || file.status === 'deleted') return [{ document }];
  const about = changes.filter((change) => change.document === document);
  const left = changedPoints(file).filter((point) => !about.some((range) => touches(range, point)));
  const ranges: Statements['uncovered'] = [];
  for (const { line: at, isRemoval } of left) {
    const last = ranges.at(-1);
    if (last?.endLine !== undefined && !isRemoval && last.isRemoval === undefined && at <= last.endLine + 2)
      last.endLine = at;
    else
      ranges.push({
        document,
        startLine: at,
        endLine: at,
        ...(isRemoval ? { isRemoval: true as const } : {}),
      });
  }
  return ranges;
}
