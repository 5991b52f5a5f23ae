import * as z from 'zod/mini';
import { messageOf } from '../core/errors.js';
import { parseGitDiff, type FileDiff } from '../git/diff.js';
import { PAGE, type GithubClient, type GithubRequest } from '../github/client.js';
import { number, shortCommit } from '../text/format.js';
import type { Commits, NamedChange } from '../github/event.js';
import { GithubError } from '../github/github-error.js';
import type { ReviewedChange } from '../report/model.js';
import { narrowDiff, type PathTest } from './diff-text.js';
import { diffByGit, type RawDiff } from './git-change.js';
import type { HistoryRequest } from './history.js';

/** The change a run is about. Its diff is read when somebody first asks for it. */
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
  /** Undefined if there is no token. */
  github: GithubClient | undefined;
}

export function openChange(request: ChangeRequest): Change {
  let raw: Promise<RawDiff> | undefined;
  let files: Promise<FileDiff[]> | undefined;
  const change: Change = {
    reviewed: reviewedChange(request.change),
    raw: () => (raw ??= loadDiff(request)),
    files: () => (files ??= change.raw().then(({ text }) => parseGitDiff(text))),
    isPartial: () => change.raw().then(({ unread, isPartial: isCut = false }) => isCut || unread.length > 0),
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

/** Git comes first, because it needs no permission beyond that of the checkout. */
async function loadDiff({ change, history, isWanted, github }: ChangeRequest): Promise<RawDiff> {
  try {
    return await diffByGit(history, change.commits, isWanted);
  } catch (error) {
    const why = `Git could not read the diff: ${messageOf(error)}.`;
    if (!github || history.cancel.aborted)
      throw new Error(`${why} github-token is empty, so GitHub was not asked.`, { cause: error });
    try {
      const diff = await diffByApi(github, change);
      const narrowed = isWanted ? { wanted: narrowDiff(diff, isWanted) } : {};
      return { ...diff, ...narrowed, notes: [...diff.notes, why] };
    } catch (apiError) {
      throw new Error(`${messageOf(apiError)} ${why}`, { cause: apiError });
    }
  }
}

/** The status with which GitHub refuses a diff that is too large. */
const TOO_LARGE = 406;
/** GitHub lists at most 3,000 files of a pull request, and 300 of a comparison. */
const MOST_PAGES = 30;
const MOST_COMPARED = 300;

/**
 * GitHub's own diff between the two commits. If GitHub does not compare them, or the diff is too large for it, the
 * patches of the single files. Whatever the pull request contains by now, only these commits are read.
 */
async function diffByApi(github: GithubClient, change: ChangeRequest['change']): Promise<RawDiff> {
  const { commits, pullRequest } = change;
  const [base, head] = [commits.kind === 'known' ? commits.base : commits.defaultBranch, commits.head];
  const compare = {
    doing: 'read the diff',
    route: 'GET /repos/{owner}/{repo}/compare/{basehead}',
    parameters: { basehead: `${base}...${head}` },
    needs: 'contents: read',
  };
  const note = 'The diff comes from GitHub’s API, because git could not read the commits.';
  const about = { base, head, unread: [] };
  try {
    const text = await github.read({ ...compare, format: 'diff', shape: z.string() });
    return { ...about, text, notes: [note] };
  } catch (error) {
    const isTooLarge = error instanceof GithubError && error.failure.status === TOO_LARGE;
    if (!isTooLarge && pullRequest === undefined) throw error;
    const { files, most } = await (pullRequest === undefined
      ? listCompared(github, compare)
      : listFiles(github, pullRequest, head));
    const text = files.map(asDiff).join('');
    if (files.length < most) return { ...about, text, notes: [note] };
    const limit = `GitHub lists only ${number(most)} changed files; the diff may lack others.`;
    return { ...about, text, isPartial: true, notes: [note, limit] };
  }
}

/** GitHub lists no more files than `most`. */
type FileList = { files: ApiFile[]; most: number };

const FileSchema = z.looseObject({
  filename: z.string(),
  previous_filename: z.nullish(z.string()),
  status: z.string(),
  additions: z.number(),
  deletions: z.number(),
  patch: z.nullish(z.string()),
  /** The address of the file in the commit that was listed: `…?ref=<commit>`. */
  contents_url: z.string(),
});
type ApiFile = z.output<typeof FileSchema>;
const LIST = 'list the changed files';

async function listCompared(github: GithubClient, compare: GithubRequest): Promise<FileList> {
  const shape = z.looseObject({ files: z.array(FileSchema) });
  const { files } = await github.read({ ...compare, doing: LIST, shape });
  return { files, most: MOST_COMPARED };
}

/**
 * GitHub lists the files of the newest commit only. If that is not the wanted one, as after a push in the meantime, the
 * list is of no use. Every file names its commit, except that a removed one names an older commit, which still has it.
 */
async function listFiles(github: GithubClient, pullRequest: number, head: string): Promise<FileList> {
  const request = {
    doing: LIST,
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
    parameters: { pull_number: pullRequest },
    needs: 'pull-requests: read',
    shape: z.array(FileSchema),
  };
  const files = await github.readPages({ ...request, maxPages: MOST_PAGES });
  const isOther = (file: ApiFile) => file.status !== 'removed' && !file.contents_url.endsWith(`?ref=${head}`);
  if (files.some(isOther))
    throw new Error(
      `GitHub lists only the newest files of pull request ${pullRequest}, and it has changed since ${shortCommit(head)}.`,
    );
  return { files, most: MOST_PAGES * PAGE };
}

/** A file in the form of `git diff`, so that the code that follows needs to know only that form. */
function asDiff(file: ApiFile): string {
  const old = file.previous_filename ?? file.filename;
  const [from, to] = [quoteName(`a/${old}`), quoteName(`b/${file.filename}`)];
  const isNew = file.status === 'added';
  const isGone = file.status === 'removed';
  const moved = file.status === 'renamed' ? 'rename' : file.status === 'copied' ? 'copy' : undefined;
  const body = (): string[] => {
    const { patch, additions, deletions } = file;
    if (patch) return [`--- ${isNew ? '/dev/null' : from}`, `+++ ${isGone ? '/dev/null' : to}`, patch];
    if (additions + deletions > 0)
      return [`(GitHub gives no patch of this file: +${additions} −${deletions} lines.)`];
    // A new file may be empty, and of a moved file only the name may have changed.
    return isNew || moved !== undefined ? [] : [`Binary files ${from} and ${to} differ`];
  };
  return [
    `diff --git ${from} ${to}`,
    ...(isNew ? ['new file mode 100644'] : []),
    ...(isGone ? ['deleted file mode 100644'] : []),
    ...(moved === undefined
      ? []
      : [`${moved} from ${quoteName(old)}`, `${moved} to ${quoteName(file.filename)}`]),
    ...body(),
    '',
  ].join('\n');
}

/** A name as git writes it: in quotes and with octal escapes if it contains unusual characters. */
function quoteName(name: string): string {
  const escaped = name.replace(/["\\\p{Cc}]/gu, (mark) =>
    Array.from(Buffer.from(mark), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  );
  return escaped === name ? name : `"${escaped}"`;
}
