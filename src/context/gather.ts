import { messageOf } from '../core/errors.js';
import { EMPTY_TOKEN, type GithubClient } from '../github/client.js';
import { lookUpPull, type Commits, type GithubEvent, type PullDetails } from '../github/event.js';
import { mayPass } from '../github/github-error.js';
import { joinParts, plural, share, shortCommit } from '../text/format.js';
import { ignoreFinder } from '../text/patterns.js';
import { isGenerated } from '../git/diff.js';
import { openChange, type Change } from './change.js';
import { gatherCiLogs, type StepCommand } from './ci-logs.js';
import {
  fitDiff,
  listLeftOut,
  narrowDiff,
  PART_CHARACTERS,
  splitDiff,
  type PathTest,
  type LeftOut,
} from './diff-text.js';
import type { HistoryRequest } from './history.js';
import type { ContextKind, FileChoice, GivenKind } from './choose-context.js';
import type { ChosenScope } from './choose-scope.js';
import type { FailureLine } from '../report/failure-lines.js';
import { describeIssue, describePull, readThread } from './conversation.js';
import { describeEarlier, type EarlierReview } from './earlier-review.js';
import { headFilesByGit, nameHeadFiles, type HeadFile } from './head-files.js';

/** One gathered text. */
export interface ContextPiece {
  kind: GivenKind;
  fileName: string;
  /** What it is, in one line. */
  description: string;
  text: string;
  /** How many files, jobs or comments it is about. */
  items: number;
  /** How many there are in total, if only some were requested. */
  outOf?: number;
  /** Of a diff: only some of the changed files were requested, and other runs are about the rest. */
  isShare?: true;
  leftOut: string[];
  /** Of a diff: the files that are in it whole. */
  files?: string[];
  /** Of a diff: what a reader should know about it; each is a sentence. */
  notes?: string[];
  /** The commands of the failed steps, if this is about them. */
  commands?: StepCommand[];
  /** What failed, if this is about it. */
  failures?: FailureLine[] | undefined;
  machine?: string | undefined;
  /** Further files that the text is an index of, by their path below the folder of the context. */
  texts?: readonly { name: string; text: string }[];
}

/** What could not be gathered, and why. */
interface Shortfall {
  kind: GivenKind | 'change';
  why: string;
  /** Whether it may work another time. */
  mayPass: boolean;
}

export interface GatherRequest extends FileChoice {
  event: Pick<GithubEvent, 'change' | 'pull' | 'comment' | 'issue' | 'ci' | 'head'>;
  kinds: readonly ContextKind[];
  history: HistoryRequest;
  /** Whether the checkout is the base, so that the changed files have to be given as well. */
  isBaseCheckout?: boolean;
  /** In how many parts the diff can be read side by side; undefined if one chat has to read all of it. */
  maxParts?: number | undefined;
  /** Undefined if there is no token or no repository. */
  github: GithubClient | undefined;
  /** Decides how much of the change is reviewed. Without it, all of it is. */
  chooseScope?: ((change: Change) => Promise<ChosenScope>) | undefined;
}

export interface Gathered {
  pieces: ContextPiece[];
  shortfalls: Shortfall[];
  /** The change of the event, even if its diff was not requested. */
  change?: Change | undefined;
  /** The commands of the failed steps of CI, if its logs were gathered. */
  commands: StepCommand[];
  /** What failed, if a log of it was gathered. */
  failures?: FailureLine[] | undefined;
  /** A line of these logs that says that the machine failed, if that is so for each failed job. */
  machine?: string | undefined;
  /** The changed files, if the checkout does not have them. */
  headFiles?: readonly HeadFile[] | undefined;
  /** How much of the change is reviewed, if that was to be decided. */
  scope?: ChosenScope | undefined;
}

/** A longer diff would not be read to its end. */
const MAX_DIFF_CHARACTERS = 2_000_000;

/**
 * How many characters of a diff are given. A review in parts gets as many parts as it needs without generated files,
 * which then fill the room that is left. Only a gate needs them all.
 */
function roomFor(
  parts: readonly { path: string; text: string }[],
  { maxParts, withGenerated = false }: Pick<GatherRequest, 'maxParts' | 'withGenerated'>,
): number {
  if (maxParts === undefined) return MAX_DIFF_CHARACTERS;
  const needed = parts.filter(({ path }) => withGenerated || !isGenerated(path));
  const size = needed.reduce((sum, { text }) => sum + text.length, 0);
  return PART_CHARACTERS * Math.min(Math.max(1, Math.ceil(size / PART_CHARACTERS)), maxParts);
}

/** Gathers what was chosen. What fails is reported, and the rest is still gathered. */
export async function gather(request: GatherRequest): Promise<Gathered> {
  const shortfalls: Shortfall[] = [];
  const addShortfall =
    (kind: Shortfall['kind']) =>
    (error: unknown): undefined => {
      shortfalls.push({ kind, why: messageOf(error), mayPass: mayPass(error) });
    };
  const details = lookUpOnce(request);
  const change = await nameChange(request, details).catch(addShortfall('change'));
  const scope = change && (await request.chooseScope?.(change));
  const pieces: ContextPiece[] = [];
  for (const kind of request.kinds) {
    const piece = await gatherOne(kind, { ...request, change, scope, details }).catch(addShortfall(kind));
    if (piece) pieces.push(piece);
  }
  if (scope && countEarlier(scope.earlier) > 0) pieces.push(earlierPiece(scope.earlier));
  const headFiles = await readHeadFiles(request).catch(addShortfall('changed-files'));
  if (headFiles) pieces.push(headFilesPiece(headFiles));
  const commands = pieces.flatMap((piece) => piece.commands ?? []);
  const { failures, machine } = pieces.find(({ kind }) => kind === 'ci-logs') ?? {};
  return { pieces, shortfalls, commands, failures, machine, change, headFiles, scope };
}

/** Undefined if the checkout has the changed files, or the change is not needed. */
async function readHeadFiles(request: GatherRequest): Promise<HeadFile[] | undefined> {
  const { isBaseCheckout = false, kinds, event, history } = request;
  const commits = event.change?.commits;
  if (!isBaseCheckout || !kinds.includes('diff') || !commits || commits.kind === 'of-pull') return undefined;
  return headFilesByGit(history, commits, wantedTest(request));
}

function headFilesPiece(headFiles: readonly HeadFile[]): ContextPiece {
  const { index, texts, leftOut } = nameHeadFiles(headFiles);
  return {
    kind: 'changed-files',
    fileName: 'changed-files.txt',
    description:
      'where to read the changed files as they are after the change, in the folder of this file; the checkout is the ' +
      'base and does not have the change',
    text: index,
    items: headFiles.length,
    leftOut,
    texts,
  };
}

function lookUpOnce({ event: { pull }, github }: GatherRequest): () => Promise<PullDetails> {
  let found: Promise<PullDetails> | undefined;
  const lookUp = async () => {
    if (!pull) throw new Error('The event is not about a pull request.');
    if (pull.details) return pull.details;
    if (!github)
      throw new Error(`The event contains only the number of the pull request, and ${EMPTY_TOKEN}`);
    return lookUpPull(github, pull.number);
  };
  return () => (found ??= lookUp());
}

async function nameChange(
  { event: { change, head: named }, history, ...files }: GatherRequest,
  details: () => Promise<PullDetails>,
): Promise<Change | undefined> {
  if (!change) return undefined;
  const commits = change.commits.kind === 'of-pull' ? commitsOf(await details(), named) : change.commits;
  return openChange({ change: { ...change, commits }, history, isWanted: wantedTest(files) });
}

/** The head is the commit of the event, if it names one. The pull request may have newer ones by now. */
const commitsOf = ({ base, head }: PullDetails, named: string | undefined): Commits => ({
  kind: 'known',
  base: base.commit,
  head: named ?? head.commit,
  history: 'forked',
});

/** Whether a changed file is wanted. Undefined if all are. */
function wantedTest({ paths, exclude = [] }: FileChoice): PathTest | undefined {
  if (!paths && exclude.length === 0) return undefined;
  const excludedBy = ignoreFinder(exclude);
  return (path) => (paths?.has(path) ?? true) && excludedBy(path) === undefined;
}

interface PieceRequest extends GatherRequest {
  change: Change | undefined;
  scope: ChosenScope | undefined;
  details: () => Promise<PullDetails>;
}

async function gatherOne(kind: ContextKind, request: PieceRequest): Promise<ContextPiece | undefined> {
  switch (kind) {
    case 'diff':
      // Without a change, the shortfall of the change already says why there is no diff.
      return request.change && diffPiece(request.change, request);
    case 'pull-request':
      return pullPiece(request);
    case 'thread':
      return threadPiece(request);
    case 'issue':
      return issuePiece(request);
    case 'ci-logs':
      return ciPiece(request);
  }
}

async function diffPiece(change: Change, request: PieceRequest): Promise<ContextPiece> {
  const { paths, exclude = [], scope } = request;
  const raw = await change.raw();
  const since = scope?.since;
  const { text, unread } = since
    ? narrowDiff(since.diff, wantedTest(request) ?? (() => true))
    : (raw.wanted ?? raw);
  const parts = splitDiff(text);
  const fitted = fitDiff(parts, roomFor(parts, request), unread);
  const omitted = new Set(fitted.leftOut);
  const isPart = raw.wanted !== undefined || since !== undefined;
  const changed = isPart ? [...(await change.files()).map(({ path }) => path), ...raw.unread] : [];
  const requested = paths ? changed.filter((path) => paths.has(path)) : changed;
  const shown = new Set(parts.map(({ path }) => path));
  const excluded = findExcluded(
    requested.filter((path) => !shown.has(path)),
    exclude,
  );
  /** Why the other changed files are not in the diff. Empty if there are no others. */
  const others = joinParts(
    [
      since ? 'are as they were reviewed' : '',
      paths ? 'were not requested' : '',
      excluded.length > 0 ? 'match exclude' : '',
    ],
    ' or ',
  );
  const [items, outOf] = [fitted.files, changed.length];
  const which = others === '' ? '' : `: ${share({ items, outOf }, 'changed file')}, the others ${others}`;
  const nothing = paths ? '# Nothing is changed in the requested files.\n' : '# Nothing is changed.\n';
  return {
    kind: 'diff',
    fileName: 'diff.patch',
    description: describeDiff(change.reviewed, since?.commit) + which,
    text: fitted.text + listLeftOut('because exclude matches it', excluded) || nothing,
    items,
    ...(others === '' ? {} : { outOf }),
    ...(requested.length < changed.length ? { isShare: true as const } : {}),
    leftOut: [...fitted.leftOut, ...excluded.map(({ path }) => path)],
    files: [...shown].filter((path) => !omitted.has(path)),
    notes: [
      ...raw.notes,
      ...(paths ? unchangedNote(paths, new Set(changed)) : []),
      ...(items === 0 && excluded.length > 0 ? [ALL_EXCLUDED] : []),
    ],
  };
}

const describeDiff = ({ base, head }: Change['reviewed'], since: string | undefined): string =>
  since === undefined
    ? `the change under review, ${shortCommit(base)}…${shortCommit(head)}, as git diff writes it`
    : `what is new in the change under review since the review of ${shortCommit(since)}, up to ${shortCommit(head)}, as git diff writes it`;

function earlierPiece(earlier: EarlierReview): ContextPiece {
  return {
    kind: 'earlier-review',
    fileName: 'earlier-review.md',
    description: 'what earlier runs of this review found, and what people said about it',
    text: describeEarlier(earlier),
    items: countEarlier(earlier),
    leftOut: [],
  };
}

const countEarlier = (earlier: EarlierReview): number => earlier.threads.length + earlier.unthreaded.length;

const ALL_EXCLUDED =
  'exclude matches every file of the diff, so the agent was given none of them. Narrow its patterns if that is wrong.';

function findExcluded(paths: readonly string[], exclude: readonly string[]): LeftOut[] {
  const excludedBy = ignoreFinder(exclude);
  return [...new Set(paths)].flatMap((path) => {
    const pattern = excludedBy(path);
    return pattern === undefined ? [] : [{ path, words: `matches ${pattern}` }];
  });
}

const MAX_NAMED = 3;

function unchangedNote(paths: ReadonlySet<string>, changed: ReadonlySet<string>): string[] {
  const others = [...paths].filter((path) => !changed.has(path));
  if (others.length === 0) return [];
  const names = others.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
  const more = others.length > MAX_NAMED ? ', …' : '';
  return [
    `context-paths names ${plural(others.length, 'file')} the change does not touch: ${names.join(', ')}${more}.`,
  ];
}

async function pullPiece({ event: { pull }, change, details }: PieceRequest): Promise<ContextPiece> {
  const known = await details();
  const files = change
    ? await change.files().catch((error: unknown) => ({ missing: messageOf(error) }))
    : { missing: 'The change could not be read.' };
  return {
    kind: 'pull-request',
    fileName: 'pull-request.md',
    description: 'the pull request: title, author, labels, branches, description and changed files',
    text: describePull({ number: pull?.number ?? 0, details: known }, files),
    items: 'missing' in files ? 0 : files.length,
    leftOut: 'missing' in files ? ['the list of changed files'] : [],
  };
}

async function threadPiece({
  event: { pull, comment },
  github,
}: PieceRequest): Promise<ContextPiece | undefined> {
  if (!pull || comment?.thread === undefined) return undefined;
  if (!github) throw new Error(EMPTY_TOKEN);
  const place = { pull: pull.number, thread: comment.thread, comment: comment.id };
  const { text, comments, leftOut } = await readThread(github, place);
  return {
    kind: 'thread',
    fileName: 'thread.md',
    description: 'the review thread in which the task was written: its lines and all of its comments',
    text,
    items: comments,
    leftOut: leftOut === 0 ? [] : [plural(leftOut, 'comment')],
  };
}

function issuePiece({ event: { issue } }: PieceRequest): ContextPiece | undefined {
  if (!issue) return undefined;
  return {
    kind: 'issue',
    fileName: 'issue.md',
    description: 'the issue: title, author, labels and description, as they were when the event happened',
    text: describeIssue(issue),
    items: 1,
    leftOut: [],
  };
}

async function ciPiece({ event: { ci }, github }: PieceRequest): Promise<ContextPiece | undefined> {
  if (!ci) return undefined;
  if (!github) throw new Error(EMPTY_TOKEN);
  const { text, failedJobs, leftOut, commands, failures, machine } = await gatherCiLogs(github, ci);
  return {
    kind: 'ci-logs',
    fileName: 'ci-logs.txt',
    description: 'the failed jobs of the CI run that triggered this one, with the failing part of their logs',
    text,
    items: failedJobs,
    leftOut,
    commands,
    failures,
    machine,
  };
}
