import { messageOf } from '../core/errors.js';
import { EMPTY_TOKEN, type GithubClient } from '../github/client.js';
import type { GithubEvent, PullDetails } from '../github/event.js';
import { mayPass } from '../github/github-error.js';
import { lookUpPull } from '../github/pull-request.js';
import { number, plural } from '../text/format.js';
import { openChange, type Change } from './change.js';
import { gatherCiLogs } from './ci-logs.js';
import { fitDiff, splitDiff } from './fit-diff.js';
import type { HistoryRequest } from './history.js';
import type { ContextKind } from './choose-context.js';
import { describePull } from './pull-request.js';

/** One gathered text. */
export interface Piece {
  kind: ContextKind;
  fileName: string;
  /** What it is, in one line. */
  description: string;
  text: string;
  /** How many files or jobs it is about. */
  items: number;
  /** How many there are in total, if only some were requested. */
  outOf?: number;
  leftOut: string[];
  notes: string[];
}

/** What could not be gathered, and why. */
export interface Shortfall {
  kind: ContextKind | 'change';
  why: string;
  /** Whether it may work another time. */
  mayPass: boolean;
}

export interface GatherRequest {
  event: Pick<GithubEvent, 'change' | 'pull' | 'ci' | 'head'>;
  kinds: readonly ContextKind[];
  /** The files whose changes go into the diff; all files if missing. */
  paths?: ReadonlySet<string>;
  history: HistoryRequest;
  /** Undefined if there is no token or no repository. */
  github: GithubClient | undefined;
}

export interface Gathered {
  pieces: Piece[];
  shortfalls: Shortfall[];
  /** The change of the event, even if its diff was not requested. */
  change?: Change;
}

/** Nobody reads a longer diff to its end. */
export const MOST_DIFF_BYTES = 2 * 1024 * 1024;

/** Gathers what was chosen. What fails is reported, and the rest is still gathered. */
export async function gather(request: GatherRequest): Promise<Gathered> {
  const shortfalls: Shortfall[] = [];
  const fell =
    (kind: Shortfall['kind']) =>
    (error: unknown): undefined => {
      shortfalls.push({ kind, why: messageOf(error), mayPass: mayPass(error) });
    };
  const details = lookUpOnce(request);
  const change = await nameChange(request, details).catch(fell('change'));
  const pieces: Piece[] = [];
  for (const kind of request.kinds) {
    // The shortfall of the change already says why there is no diff.
    if (kind === 'diff' && !change) continue;
    const piece = await gatherOne(kind, { ...request, change, details }).catch(fell(kind));
    if (piece) pieces.push(piece);
  }
  return { pieces, shortfalls, ...(change ? { change } : {}) };
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
  { event: { change, head: named }, history, paths, github }: GatherRequest,
  details: () => Promise<PullDetails>,
): Promise<Change | undefined> {
  if (!change) return undefined;
  const more = { history, ...(paths ? { wanted: paths } : {}), ...(github ? { github } : {}) };
  const { commits } = change;
  if (commits.kind !== 'of-pull') return openChange({ change: { ...change, commits }, ...more });
  const { base, head } = await details();
  // The commit of the event, if it names one. The pull request may have newer ones by now.
  const known = { kind: 'known', base: base.commit, head: named ?? head.commit, history: 'forked' } as const;
  return openChange({ change: { ...change, commits: known }, ...more });
}

interface PieceRequest extends GatherRequest {
  change: Change | undefined;
  details: () => Promise<PullDetails>;
}

async function gatherOne(kind: ContextKind, request: PieceRequest): Promise<Piece | undefined> {
  switch (kind) {
    case 'diff':
      return request.change && diffPiece(request.change, request.paths);
    case 'pull-request':
      return pullPiece(request);
    case 'ci-logs':
      return ciPiece(request);
  }
}

async function diffPiece(change: Change, paths: ReadonlySet<string> | undefined): Promise<Piece> {
  const raw = await change.raw();
  const { text, unread } = raw.wanted ?? raw;
  const fitted = fitDiff(splitDiff(text), MOST_DIFF_BYTES, unread);
  const { base, head } = change.reviewed;
  const what = `the change under review, ${base.slice(0, 10)}…${head.slice(0, 10)}, as git diff writes it`;
  const piece: Piece = {
    kind: 'diff',
    fileName: 'diff.patch',
    description: what,
    text: fitted.text === '' ? '# Nothing is changed.\n' : fitted.text,
    items: fitted.files,
    leftOut: fitted.leftOut,
    notes: raw.notes,
  };
  if (!paths) return piece;
  const changed = [...(await change.files()).map(({ path }) => path), ...raw.unread];
  return {
    ...piece,
    description: `${what}: ${number(fitted.files)} of ${plural(changed.length, 'changed file')}, the others were not requested`,
    text: fitted.text === '' ? '# Nothing is changed in the requested files.\n' : fitted.text,
    outOf: changed.length,
    notes: [...raw.notes, ...unchangedNote(paths, new Set(changed))],
  };
}

const MOST_NAMED = 3;

function unchangedNote(paths: ReadonlySet<string>, changed: ReadonlySet<string>): string[] {
  const others = [...paths].filter((path) => !changed.has(path));
  if (others.length === 0) return [];
  const names = others.slice(0, MOST_NAMED).map((path) => JSON.stringify(path));
  const more = others.length > MOST_NAMED ? ', …' : '';
  return [
    `context-paths names ${plural(others.length, 'file')} the change does not touch: ${names.join(', ')}${more}.`,
  ];
}

async function pullPiece({ event: { pull }, change, details }: PieceRequest): Promise<Piece> {
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
    notes: [],
  };
}

async function ciPiece({ event: { ci }, github }: PieceRequest): Promise<Piece | undefined> {
  if (!ci) return undefined;
  if (!github) throw new Error(EMPTY_TOKEN);
  const { text, failedJobs, leftOut } = await gatherCiLogs(github, ci);
  return {
    kind: 'ci-logs',
    fileName: 'ci-logs.txt',
    description: 'the failed jobs of the CI run that triggered this one, with the failing part of their logs',
    text,
    items: failedJobs,
    leftOut,
    notes: [],
  };
}
