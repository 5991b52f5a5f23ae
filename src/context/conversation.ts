import * as z from 'zod/mini';
import type { FileDiff } from '../git/diff.js';
import type { GithubClient } from '../github/client.js';
import type { NamedIssue, PullDetails } from '../github/event.js';
import { firstLines, lineRange } from '../text/format.js';
import { joinWords, truncate, truncateStart } from '../text/plain-text.js';
import { countLines } from './diff-text.js';

/** What people wrote on GitHub, as text: a pull request, an issue, a review thread. */

const MAX_BODY = 60_000;
const MAX_FILES = 1000;
const MAX_LABELS = 100;

export function describePull(
  { number, details }: { number: number; details: PullDetails },
  files: readonly FileDiff[] | { missing: string },
): string {
  const { title, body, author, labels, base, head, draft } = details;
  const from = head.repository === undefined ? head.branch : `${head.repository}:${head.branch}`;
  return [
    `Pull request: #${number}${draft ? ' (draft)' : ''}`,
    ...titleLines({ title, author, labels }),
    `Into: ${joinWords(base.branch)} (${base.commit})`,
    `From: ${joinWords(from)} (${head.commit})`,
    ...descriptionLines(body),
    ...('missing' in files ? [`Changed files: unknown. ${files.missing}`] : fileList(files)),
    '',
  ].join('\n');
}

/** An issue as text, from the event alone: what is written into it later is not read. */
export const describeIssue = (issue: NamedIssue): string =>
  [`Issue: #${issue.number}`, ...titleLines(issue), ...descriptionLines(issue.body)].join('\n');

const titleLines = ({
  title,
  author,
  labels,
}: {
  title: string;
  author: string;
  labels: readonly string[];
}): string[] => [
  `Title: ${joinWords(title)}`,
  `Author: ${joinWords(author) || '(unknown)'}`,
  `Labels: ${
    labels
      .slice(0, MAX_LABELS)
      .map((label) => joinWords(label))
      .join(', ') || '(none)'
  }`,
];

function descriptionLines(body: string): string[] {
  const text = body.replace(/\r\n?/g, '\n').trim();
  const shown =
    text.length <= MAX_BODY
      ? text || '(empty)'
      : `${text.slice(0, MAX_BODY)}\n… (${text.length - MAX_BODY} more characters are left out)`;
  return ['', 'Description:', '', shown, ''];
}

function fileList(files: readonly FileDiff[]): string[] {
  const lines = files.map((file) => {
    const { added, removed } = countLines(file);
    const lengths = file.binary ? 'binary' : `+${added} −${removed}`;
    const from = file.oldPath === undefined ? '' : `, from ${pathText(file.oldPath)}`;
    return `- ${pathText(file.path)} (${file.status}, ${lengths}${from})`;
  });
  return [`Changed files (${files.length}):`, '', ...firstLines(lines, MAX_FILES)];
}

const pathText = (path: string): string => (/^[\w./@+ -]+$/.test(path) ? path : JSON.stringify(path));

const CommentSchema = z.looseObject({
  id: z.int(),
  in_reply_to_id: z.optional(z.int()),
  user: z.nullish(z.looseObject({ login: z.string(), type: z.optional(z.string()) })),
  body: z.nullish(z.string()),
  created_at: z.string(),
  path: z.string(),
  line: z.nullish(z.int()),
  start_line: z.nullish(z.int()),
  diff_hunk: z.nullish(z.string()),
});
type Comment = z.output<typeof CommentSchema>;

const MAX_PAGES = 30;
const MAX_COMMENTS = 50;
const MAX_COMMENT = 8000;
const MAX_HUNK = 8000;

interface Thread {
  text: string;
  comments: number;
  /** How many comments are left out between the first and the others. */
  leftOut: number;
}

/** The thread as it was when `comment` was written. What others add later does not reach the agent. */
export async function readThread(
  github: GithubClient,
  { pull, thread, comment }: { pull: number; thread: number; comment: number },
): Promise<Thread> {
  const all = await github.readPages({
    doing: 'read the comments on lines',
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
    parameters: { pull_number: pull },
    needs: 'pull-requests: read',
    shape: z.array(CommentSchema),
    maxPages: MAX_PAGES,
  });
  const [first, ...replies] = all
    .filter(({ id, in_reply_to_id: answered }) => id <= comment && [id, answered].includes(thread))
    .sort((one, other) => one.id - other.id);
  if (first?.id !== thread) throw new Error('The first comment of the thread is gone.');
  const kept = replies.slice(-(MAX_COMMENTS - 1));
  const leftOut = replies.length - kept.length;
  return { text: describeThread(first, kept, leftOut), comments: 1 + kept.length, leftOut };
}

function describeThread(first: Comment, replies: readonly Comment[], leftOut: number): string {
  return [
    `File: ${JSON.stringify(first.path)}, ${linesOf(first)}`,
    '',
    'The code that the thread is about, as the diff showed it when the thread began. It ends at the last of its lines:',
    '',
    truncateStart(first.diff_hunk ?? '', MAX_HUNK) || '(not known)',
    '',
    ...describeComment(first, ', which began the thread'),
    ...(leftOut > 0 ? [`… (${leftOut} comments are left out)`, ''] : []),
    ...replies.flatMap((reply) => describeComment(reply)),
  ].join('\n');
}

function linesOf({ line: last, start_line: start }: Comment): string {
  return last ? lineRange(start ?? last, last) : 'lines that are no longer part of the change';
}

function describeComment({ user, created_at: at, body }: Comment, about = ''): string[] {
  const who = `${joinWords(user?.login ?? '') || '(unknown)'}${user?.type === 'Bot' ? ' (a bot)' : ''}`;
  const text = (body ?? '').replace(/\r\n?/g, '\n').replace(OUR_MARKER, '').trim();
  return [`Comment by ${who}, ${joinWords(at)}${about}:`, '', truncate(text, MAX_COMMENT) || '(empty)', ''];
}

const OUR_MARKER = /^<!-- cursor-agent-action [^\n]*-->\n?/;
