import { reasonOf } from '../core/errors.js';
import { parseGitDiff, type FileDiff } from '../git/diff.js';
import type { Commits, NamedChange } from '../github/event.js';
import type { ReviewedChange } from '../report/model.js';
import type { PathTest } from './diff-text.js';
import { diffByGit, type RawDiff } from './git-change.js';
import type { HistoryRequest } from './history.js';

/** The change a run is about. Its diff is read when it is first needed. */
export interface Change {
  reviewed: ReviewedChange;
  raw(): Promise<RawDiff>;
  /** Every changed file with its hunks. Rejects with the reason if the diff cannot be read. */
  files(): Promise<FileDiff[]>;
  /** Whether there are more changed files than could be read. */
  isPartial(): Promise<boolean>;
}

interface ChangeRequest {
  change: NamedChange & { commits: Commits };
  history: HistoryRequest;
  /** The files whose part of the diff is also wanted separately. */
  isWanted: PathTest | undefined;
}

export function openChange(request: ChangeRequest): Change {
  let raw: Promise<RawDiff> | undefined;
  let files: Promise<FileDiff[]> | undefined;
  const change: Change = {
    reviewed: reviewedChange(request.change),
    raw: () => (raw ??= loadDiff(request)),
    files: () => (files ??= change.raw().then(({ text }) => parseGitDiff(text))),
    isPartial: () => change.raw().then(({ unread }) => unread.length > 0),
  };
  return change;
}

/** For a new branch the base is all zeros, as git writes a missing commit. */
function reviewedChange({ commits, pullRequest }: ChangeRequest['change']): ReviewedChange {
  return {
    base: commits.kind === 'known' ? commits.base : '0'.repeat(commits.head.length),
    head: commits.head,
    ...(pullRequest === undefined ? {} : { pullRequest }),
  };
}

async function loadDiff({ change, history, isWanted }: ChangeRequest): Promise<RawDiff> {
  try {
    return await diffByGit(history, change.commits, isWanted);
  } catch (error) {
    const why = `Git could not read the diff: ${reasonOf(error)}. ${REMEDY}`;
    throw new Error(why, { cause: error });
  }
}

const REMEDY =
  'It needs a checkout of this repository and, for commits that the clone lacks, a github-token with `contents: read`.';
