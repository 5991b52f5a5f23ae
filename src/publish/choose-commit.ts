import { addPermission, GithubError } from '../github/github-error.js';
import { number as formatNumber } from '../text/format.js';
import { joinParts } from './layout.js';
import type { Publication } from './publication.js';
import type { ChangedFileList, Pull, PullRequestApi } from './pull-request-api.js';
import type { ChangedFiles } from './review-plan.js';

interface CommitTask {
  number: number;
  pull: Pull;
  publication: Publication;
  /** The commit that the findings are about, if it is known. */
  reviewed: string | undefined;
}

/** The commit of a review, and the files as they are in it. */
export interface Commit {
  commit: string | undefined;
  files: ChangedFiles;
  /** Whether GitHub did not list all files. */
  isCut: boolean;
  remark: string;
  notes: string[];
}

/**
 * Line numbers belong to a commit. If it is the head of the pull request, the files are those that GitHub lists. If
 * the pull request has newer commits, the review is put on the reviewed commit, with the files as they were then;
 * GitHub shows such a comment as outdated if its lines have changed since. If the commit is unknown or no longer part
 * of the pull request, line numbers mean nothing, and everything goes into the body. So it does if the token may not
 * compare commits.
 */
export async function chooseCommit(api: PullRequestApi, task: CommitTask): Promise<Commit> {
  const { number, pull, reviewed } = task;
  if (reviewed === undefined)
    return withoutLines('The report does not name its commit, so nothing is put on lines.');
  const name = reviewed.slice(0, 12);
  try {
    if (reviewed === pull.head) return onLines(task, reviewed, await api.files(number));
    if (await api.hasCommit(number, pull, reviewed)) {
      const files = await api.filesAt({ base: pull.base, head: reviewed });
      return onLines(task, reviewed, { ...files, about: `About ${name}; there are newer commits.` });
    }
  } catch (error) {
    if (reviewed === pull.head || !(error instanceof GithubError) || !error.mayLackPermission) throw error;
    const why = `The report is about ${name}; there are newer commits. The token may not compare them, so nothing is put on lines. ${addPermission('contents: read')}`;
    return { ...withoutLines(why), notes: [error.message] };
  }
  return withoutLines(
    `The report is about ${name}, which is no longer part of this pull request, so nothing is put on lines.`,
  );
}

const withoutLines = (why: string): Commit => ({
  commit: undefined,
  files: new Map(),
  isCut: true,
  remark: `*${why}*`,
  notes: [],
});

function onLines(
  { publication }: CommitTask,
  commit: string,
  { files, cutAt, about = '' }: ChangedFileList & { about?: string },
): Commit {
  const isCut = cutAt !== undefined && publication.findings.some(({ path }) => !files.has(path));
  const cut = isCut
    ? `GitHub lists only ${formatNumber(cutAt)} of the changed files. Findings in the others are not on lines.`
    : '';
  const remarks = joinParts([about, cut], ' ');
  return {
    commit,
    files,
    isCut: cutAt !== undefined,
    remark: remarks === '' ? '' : `*${remarks}*`,
    notes: [],
  };
}
