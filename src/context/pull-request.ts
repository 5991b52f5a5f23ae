import type { FileDiff } from '../git/diff.js';
import { askGitHub, explainFailure, type Asking } from '../github/ask.js';
import { readPullDetails, type NamedPull, type PullDetails } from '../github/event.js';
import { countLines } from './fit-diff.js';

/** What the event does not say about a pull request, GitHub does. */
export async function lookUpPull(
  number: number,
  asking: Asking,
  repository: { owner: string; repo: string },
): Promise<PullDetails> {
  const what = `Pull request ${number}`;
  const { data } = await askGitHub(asking, {
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    parameters: { ...repository, pull_number: number },
  }).catch((error: unknown) => {
    throw new Error(explainFailure(error, what, 'pull-requests: read'), { cause: error });
  });
  const details = readPullDetails(data);
  if (!details) throw new Error(`${what}: the answer of GitHub is not understood.`);
  return details;
}

/** Longer texts than this nobody wrote to be read. */
const MOST_BODY = 60_000;
const MOST_FILES = 1000;
const MOST_LABELS = 100;

/** A pull request in words. */
export function describePull(
  { number, details }: NamedPull & { details: PullDetails },
  files: readonly FileDiff[] | { missing: string },
): string {
  const { title, body, author, labels, base, head, draft } = details;
  const from = head.repository === undefined ? head.branch : `${head.repository}:${head.branch}`;
  return [
    `Pull request: #${number}${draft ? ' (draft)' : ''}`,
    `Title: ${oneLine(title)}`,
    `Author: ${oneLine(author) || '(unknown)'}`,
    `Labels: ${labels.slice(0, MOST_LABELS).map(oneLine).join(', ') || '(none)'}`,
    `Into: ${oneLine(base.branch)} (${base.commit})`,
    `From: ${oneLine(from)} (${head.commit})`,
    '',
    'Description:',
    '',
    bounded(body.replace(/\r\n?/g, '\n').trim()) || '(empty)',
    '',
    ...('missing' in files ? [`Changed files: unknown. ${files.missing}`] : fileList(files)),
    '',
  ].join('\n');
}

function fileList(files: readonly FileDiff[]): string[] {
  const lines = files.slice(0, MOST_FILES).map((file) => {
    const { added, removed } = countLines(file);
    const lengths = file.binary ? 'binary' : `+${added} −${removed}`;
    const from = file.oldPath === undefined ? '' : `, from ${name(file.oldPath)}`;
    return `- ${name(file.path)} (${file.status}, ${lengths}${from})`;
  });
  const left = files.length - lines.length;
  return [`Changed files (${files.length}):`, '', ...lines, ...(left > 0 ? [`… and ${left} more`] : [])];
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 1000);
/** A name that could be taken for more than a name is quoted. */
const name = (path: string): string => (/^[\w./@+ -]+$/.test(path) ? path : JSON.stringify(path));
const bounded = (text: string): string =>
  text.length <= MOST_BODY
    ? text
    : `${text.slice(0, MOST_BODY)}\n… (${text.length - MOST_BODY} more characters are left out)`;
