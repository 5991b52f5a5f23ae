import * as z from 'zod/mini';
import { askGitHub, explainFailure, statusOf, type Asking, type Question } from '../github/ask.js';
import type { Commits, NamedChange } from '../github/event.js';
import type { RawDiff } from './git-change.js';

export interface ApiChangeRequest {
  asking: Asking;
  repository: { owner: string; repo: string };
  change: NamedChange & { commits: Commits };
}

/** Not acceptable: there is no diff of so many lines to be had. */
const TOO_LARGE = 406;
const PAGE = 100;
/** GitHub lists at most 3,000 files of a pull request, and 300 of a comparison. */
const MOST_PAGES = 30;
const MOST_COMPARED = 300;

const FileSchema = z.looseObject({
  filename: z.string(),
  previous_filename: z.nullish(z.string()),
  status: z.string(),
  additions: z.number(),
  deletions: z.number(),
  patch: z.nullish(z.string()),
});
type ApiFile = z.output<typeof FileSchema>;

/**
 * GitHub's own diff between the two commits, or else of the pull request as it is now; where that is too large for
 * it, the patches it gives of each file.
 */
export async function diffByApi(request: ApiChangeRequest): Promise<RawDiff> {
  const { commits } = request.change;
  const [base, head] = [commits.kind === 'known' ? commits.base : commits.defaultBranch, commits.head];
  const notes = ['The diff comes from GitHub’s API, because the commits could not be had with git.'];
  let problem = new Error('GitHub was not asked');
  for (const { question, needs } of questions(request, `${base}...${head}`)) {
    try {
      const { text, notes: more } = await askForDiff(request, question);
      return { base, head, text, unread: [], notes: [...notes, ...more] };
    } catch (error) {
      problem = new Error(explainFailure(error, 'The diff', needs), { cause: error });
    }
  }
  throw problem;
}

function questions({ repository, change: { pullRequest } }: ApiChangeRequest, basehead: string) {
  const compare: Question = {
    route: 'GET /repos/{owner}/{repo}/compare/{basehead}',
    parameters: { ...repository, basehead },
  };
  const pull: Question = {
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    parameters: { ...repository, pull_number: pullRequest ?? 0 },
  };
  return [
    { question: compare, needs: 'contents: read' },
    ...(pullRequest === undefined ? [] : [{ question: pull, needs: 'pull-requests: read' }]),
  ];
}

async function askForDiff(
  request: ApiChangeRequest,
  question: Question,
): Promise<{ text: string; notes: string[] }> {
  try {
    const { data } = await askGitHub(request.asking, { ...question, format: 'diff' });
    if (typeof data !== 'string') throw new Error('the answer is not a diff');
    return { text: data, notes: [] };
  } catch (error) {
    if (statusOf(error) !== TOO_LARGE) throw error;
    const { files, most } = await listFiles(request);
    const mayBeMore = files.length >= most;
    return {
      text: files.map(asDiff).join(''),
      notes: mayBeMore ? [`GitHub lists ${most} changed files and no more; the diff may lack others.`] : [],
    };
  }
}

async function listFiles({
  asking,
  repository,
  change,
}: ApiChangeRequest): Promise<{ files: ApiFile[]; most: number }> {
  const { commits, pullRequest } = change;
  if (pullRequest === undefined) {
    const base = commits.kind === 'known' ? commits.base : commits.defaultBranch;
    const { data } = await askGitHub(asking, {
      route: 'GET /repos/{owner}/{repo}/compare/{basehead}',
      parameters: { ...repository, basehead: `${base}...${commits.head}` },
    });
    const compared = z.looseObject({ files: z.nullish(z.unknown()) }).safeParse(data).data;
    return { files: readFiles(compared?.files), most: MOST_COMPARED };
  }
  const files: ApiFile[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data } = await askGitHub(asking, {
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
      parameters: { ...repository, pull_number: pullRequest, per_page: PAGE, page },
    });
    const more = readFiles(data);
    files.push(...more);
    if (more.length < PAGE) break;
  }
  return { files, most: MOST_PAGES * PAGE };
}

/** A list that is not understood is not an empty one: that would say that nothing was changed. */
function readFiles(data: unknown): ApiFile[] {
  const files = z.array(FileSchema).safeParse(data).data;
  if (!files) throw new Error('the list of changed files is not understood');
  return files;
}

/** The same in the form of `git diff`, so that all that follows knows one form only. */
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

/** As git writes names: in quotes, with octal escapes, if they hold anything unusual. */
function quoteName(name: string): string {
  if (!UNUSUAL.test(name)) return name;
  const escaped = name.replace(/["\\\p{Cc}]/gu, (mark) =>
    Array.from(Buffer.from(mark), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  );
  return `"${escaped}"`;
}
