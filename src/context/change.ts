import type { FileDiff } from '../git/diff.js';
import { parseGitDiff } from '../git/git-diff.js';
import { messageOf } from '../core/error-message.js';
import type { Asking } from '../github/ask.js';
import type { ReviewedChange } from '../report/model.js';
import { diffByApi } from './api-change.js';
import { narrowDiff } from './fit-diff.js';
import { diffByGit, type RawDiff } from './git-change.js';
import type { HistoryRequest } from './history.js';
import type { NamedChange } from './subject.js';

/** The change a run is about. What it consists of is found out when somebody asks, and then known. */
export interface Change {
  reviewed: ReviewedChange;
  raw(): Promise<RawDiff>;
  /** Every changed file with its hunks; rejects where the change cannot be had, with the reason in words. */
  files(): Promise<FileDiff[]>;
}

export interface ChangeRequest {
  change: NamedChange & { commits: Exclude<NamedChange['commits'], { kind: 'of-pull' }> };
  history: HistoryRequest;
  /** The files whose part of the diff is wanted by itself too. */
  wanted?: ReadonlySet<string>;
  /** Missing where there is no token to ask with. */
  api?: { asking: Asking; repository: { owner: string; repo: string } };
}

export function openChange(request: ChangeRequest): Change {
  let raw: Promise<RawDiff> | undefined;
  let files: Promise<FileDiff[]> | undefined;
  const change: Change = {
    reviewed: reviewedChange(request.change),
    raw: () => (raw ??= loadDiff(request)),
    files: () => (files ??= change.raw().then(({ text }) => parseGitDiff(text))),
  };
  return change;
}

/** Plain git first: it needs no permission that the checkout did not need too. */
async function loadDiff({ change, history, wanted, api }: ChangeRequest): Promise<RawDiff> {
  try {
    return await diffByGit(history, change.commits, wanted);
  } catch (error) {
    const why = `With git the diff could not be had: ${messageOf(error)}.`;
    if (!api || history.cancel.aborted)
      throw new Error(`${why} github-token is empty, so GitHub was not asked.`, { cause: error });
    try {
      const diff = await diffByApi({ ...api, change });
      const narrowed = wanted ? { wanted: narrowDiff(diff, wanted) } : {};
      return { ...diff, ...narrowed, notes: [...diff.notes, why] };
    } catch (apiError) {
      throw new Error(`${messageOf(apiError)} ${why}`, { cause: apiError });
    }
  }
}

/** A branch that is new has nothing before it, as git writes that: zeros. */
function reviewedChange({ commits, pullRequest }: ChangeRequest['change']): ReviewedChange {
  return {
    base: commits.kind === 'known' ? commits.base : '0'.repeat(commits.head.length),
    head: commits.head,
    ...(pullRequest === undefined ? {} : { pullRequest }),
  };
}
