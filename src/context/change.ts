import * as z from 'zod/mini';
import { messageOf } from '../core/errors.js';
import { parseGitDiff, type FileDiff } from '../git/diff.js';
import { PAGE, type GithubClient, type GithubRequest } from '../github/client.js';
import type { Commits, NamedChange } from '../github/event.js';
import { GithubError } from '../github/github-error.js';
import type { ReviewedChange } from '../report/model.js';
import { narrowDiff } from './fit-diff.js';
import { diffByGit, type RawDiff } from './git-change.js';
import type { HistoryRequest } from './history.js';

/** The change a run is about. Its diff is read when somebody first asks for it. */
export interface Change {
  reviewed: ReviewedChange;
  raw(): Promise<RawDiff>;
  /** Every changed file with its hunks. Rejects with the reason if the diff cannot be read. */
  files(): Promise<FileDiff[]>;
}

export interface ChangeRequest {
  change: NamedChange & { commits: Commits };
  history: HistoryRequest;
  /** The files whose part of the diff is also wanted separately. */
  wanted?: ReadonlySet<string>;
  /** Missing if there is no token. */
  github?: GithubClient;
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

/** For a new branch the base is all zeros, as git writes a missing commit. */
function reviewedChange({ commits, pullRequest }: ChangeRequest['change']): ReviewedChange {
  return {
    base: commits.kind === 'known' ? commits.base : '0'.repeat(commits.head.length),
    head: commits.head,
    ...(pullRequest === undefined ? {} : { pullRequest }),
  };
}

/** Git comes first, because it needs no permission beyond that of the checkout. */
async function loadDiff({ change, history, wanted, github }: ChangeRequest): Promise<RawDiff> {
  try {
    return await diffByGit(history, change.commits, wanted);
  } catch (error) {
    const why = `Git could not read the diff: ${messageOf(error)}.`;
    if (!github || history.cancel.aborted)
      throw new Error(`${why} github-token is empty, so GitHub was not asked.`, { cause: error });
    try {
      const diff = await diffByApi(github, change);
      const narrowed = wanted ? { wanted: narrowDiff(diff, wanted) } : {};
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
 * GitHub's own diff between the two commits, or else of the pull request as it is now. If that is too large for
 * GitHub, the patches of the single files.
 */
async function diffByApi(github: GithubClient, change: ChangeRequest['change']): Promise<RawDiff> {
  const { commits, pullRequest } = change;
  const [base, head] = [commits.kind === 'known' ? commits.base : commits.defaultBranch, commits.head];
  const doing = 'read the diff';
  const compare = {
    doing,
    route: 'GET /repos/{owner}/{repo}/compare/{basehead}',
    parameters: { basehead: `${base}...${head}` },
    needs: 'contents: read',
  };
  const read = async (request: GithubRequest): Promise<RawDiff> => {
    const { text, notes } = await readDiffText(github, request, () =>
      pullRequest === undefined ? listCompared(github, compare) : listFiles(github, pullRequest),
    );
    const note = 'The diff comes from GitHub’s API, because git could not read the commits.';
    return { base, head, text, unread: [], notes: [note, ...notes] };
  };
  try {
    return await read(compare);
  } catch (error) {
    if (pullRequest === undefined) throw error;
    return read({
      doing,
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
      parameters: { pull_number: pullRequest },
      needs: 'pull-requests: read',
    });
  }
}

interface FileList {
  files: ApiFile[];
  /** GitHub lists no more files than this. */
  most: number;
}

async function readDiffText(
  github: GithubClient,
  request: GithubRequest,
  list: () => Promise<FileList>,
): Promise<{ text: string; notes: string[] }> {
  try {
    const text = await github.read({ ...request, format: 'diff', shape: z.string() });
    return { text, notes: [] };
  } catch (error) {
    if (!(error instanceof GithubError) || error.failure.status !== TOO_LARGE) throw error;
    const { files, most } = await list();
    const mayBeMore = files.length >= most;
    return {
      text: files.map(asDiff).join(''),
      notes: mayBeMore ? [`GitHub lists only ${most} changed files; the diff may lack others.`] : [],
    };
  }
}

const FileSchema = z.looseObject({
  filename: z.string(),
  previous_filename: z.nullish(z.string()),
  status: z.string(),
  additions: z.number(),
  deletions: z.number(),
  patch: z.nullish(z.string()),
});
type ApiFile = z.output<typeof FileSchema>;
const LIST = 'list the changed files';

async function listCompared(github: GithubClient, compare: GithubRequest): Promise<FileList> {
  const shape = z.looseObject({ files: z.array(FileSchema) });
  const { files } = await github.read({ ...compare, doing: LIST, shape });
  return { files, most: MOST_COMPARED };
}

async function listFiles(github: GithubClient, pullRequest: number): Promise<FileList> {
  const request = {
    doing: LIST,
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
    parameters: { pull_number: pullRequest },
    needs: 'pull-requests: read',
    shape: z.array(FileSchema),
  };
  return { files: await github.readPages(request, MOST_PAGES), most: MOST_PAGES * PAGE };
}

/** A file in the form of `git diff`, so that the code that follows needs to know only that form. */
function asDiff(file: ApiFile): string {
  const old = file.previous_filename ?? file.filename;
  const [from, to] = [quoteName(`a/${old}`), quoteName(`b/${file.filename}`)];
  const isNew = file.status === 'added';
  const isGone = file.status === 'removed';
  const moved = file.status === 'renamed' ? 'rename' : file.status === 'copied' ? 'copy' : undefined;
  const head = [
    `diff --git ${from} ${to}`,
    ...(isNew ? ['new file mode 100644'] : []),
    ...(isGone ? ['deleted file mode 100644'] : []),
    ...(moved === undefined
      ? []
      : [`${moved} from ${quoteName(old)}`, `${moved} to ${quoteName(file.filename)}`]),
  ];
  const changes = file.additions + file.deletions;
  const body =
    file.patch != null && file.patch !== ''
      ? [`--- ${isNew ? '/dev/null' : from}`, `+++ ${isGone ? '/dev/null' : to}`, file.patch]
      : changes > 0
        ? [`(GitHub gives no patch of this file: +${file.additions} −${file.deletions} lines.)`]
        : moved === undefined && !isNew
          ? [`Binary files ${from} and ${to} differ`]
          : [];
  return [...head, ...body, ''].join('\n');
}

const UNUSUAL = /["\\\p{Cc}]/u;

/** A name as git writes it: in quotes and with octal escapes if it contains unusual characters. */
function quoteName(name: string): string {
  if (!UNUSUAL.test(name)) return name;
  const escaped = name.replace(/["\\\p{Cc}]/gu, (mark) =>
    Array.from(Buffer.from(mark), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  );
  return `"${escaped}"`;
}
