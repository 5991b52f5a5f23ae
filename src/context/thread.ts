import * as z from 'zod/mini';
import type { GithubClient } from '../github/client.js';
import { truncate, truncateStart } from '../text/plain-text.js';
import { oneLine } from './pull-request.js';

/** A review thread: comments on the same lines of a pull request. */
export interface Thread {
  path: string;
  /** The lines that it is about now; undefined if they are no longer part of the change. */
  lines: { first: number; last: number } | undefined;
  /** The part of the diff that its first comment was written about. It ends at the commented line. */
  hunk: string;
  /** In the order in which they were written. The last one is the one that asks. */
  comments: ThreadComment[];
  /** How many comments are left out between the first and the others. */
  leftOut: number;
}

export interface ThreadComment {
  author: string;
  isBot: boolean;
  at: string;
  body: string;
}

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
type ApiComment = z.output<typeof CommentSchema>;

const MOST_PAGES = 30;
const MOST_COMMENTS = 50;
const MOST_COMMENT = 8000;
const MOST_HUNK = 8000;

/** The thread as it was when `comment` was written. What others add later does not reach the agent. */
export async function readThread(
  github: GithubClient,
  { pull, thread, comment }: { pull: number; thread: number; comment: number },
): Promise<Thread> {
  const all = await github.readPages(
    {
      doing: 'read the comments on lines',
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
      parameters: { pull_number: pull },
      needs: 'pull-requests: read',
      shape: z.array(CommentSchema),
    },
    MOST_PAGES,
  );
  const own = all
    .filter(({ id, in_reply_to_id: first }) => id <= comment && [id, first].includes(thread))
    .sort((one, other) => one.id - other.id);
  const [first, ...replies] = own;
  if (first?.id !== thread) throw new Error('The first comment of the thread is gone.');
  const kept = replies.slice(-(MOST_COMMENTS - 1));
  return {
    path: first.path,
    lines: linesOf(first),
    hunk: first.diff_hunk ?? '',
    comments: [first, ...kept].map(commentOf),
    leftOut: replies.length - kept.length,
  };
}

const linesOf = ({ line: last, start_line: first }: ApiComment): Thread['lines'] =>
  last ? { first: first ?? last, last } : undefined;

const commentOf = ({ user, created_at: at, body }: ApiComment): ThreadComment => ({
  author: user?.login ?? '',
  isBot: user?.type === 'Bot',
  at,
  body: (body ?? '').replace(/\r\n?/g, '\n').replace(OUR_MARKER, '').trim(),
});

/** It says nothing to a reader. */
const OUR_MARKER = /^<!-- cursor-agent-action [^\n]*-->\n?/;

/** A thread as text. */
export function describeThread({ path, lines, hunk, comments, leftOut }: Thread): string {
  const where =
    lines === undefined
      ? 'lines that are no longer part of the change'
      : lines.first === lines.last
        ? `line ${lines.last}`
        : `lines ${lines.first} to ${lines.last}`;
  const texts = comments.map(({ author, isBot, at, body }, index) => {
    const about = index === 0 ? ', which began the thread' : '';
    const who = `${oneLine(author) || '(unknown)'}${isBot ? ' (a bot)' : ''}`;
    return [`Comment by ${who}, ${oneLine(at)}${about}:`, '', truncate(body, MOST_COMMENT) || '(empty)', ''];
  });
  const [first = [], ...others] = texts;
  return [
    `File: ${JSON.stringify(path)}, ${where}`,
    '',
    'The code that the thread is about, as the diff showed it when the thread began. It ends at the last of its lines:',
    '',
    truncateStart(hunk, MOST_HUNK) || '(not known)',
    '',
    ...first,
    ...(leftOut > 0 ? [`… (${leftOut} comments are left out)`, ''] : []),
    ...others.flat(),
  ].join('\n');
}
