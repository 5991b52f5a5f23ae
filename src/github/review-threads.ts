import * as z from 'zod/mini';
import { known } from '../text/json.js';
import { truncate } from '../text/plain-text.js';
import { wroteIt, type Account } from './accounts.js';
import type { GithubClient, RepositoryName } from './client.js';
import { readLeftReview, readMarker, withoutPrompt, type FindingFacts, type LeftReview } from './marker.js';

/**
 * Reads what our earlier runs left on a pull request, and what people said about it. Everything that GitHub
 * gives us here can come from strangers: only what our own account wrote counts as ours, and who an account is and what
 * they may do is GitHub's word.
 */

export interface PullAddress {
  repository: RepositoryName;
  number: number;
}

export interface ReviewThread {
  id: string;
  commentNodeId: string;
  commentId: number;
  url: string;
  /** From the marker: hashes of the input `key`, of the text of the lines, and of the title. */
  key: string;
  place: string;
  what: string;
  facts?: FindingFacts;
  path: string;
  /** Set if it is about lines that the change removed. Their numbers are those of the file before it. */
  side?: 'base';
  lineCount: number;
  /** The last line, where GitHub shows it now. Undefined if it is outdated. */
  line?: number;
  /** The last line when it was written, and the commit that it was written for. */
  originalLine?: number;
  commit?: string;
  /** Our comment without its marker and its prompt, the beginning of it. */
  text: string;
  isResolved: boolean;
  resolvedBy?: Account;
  isOutdated: boolean;
  isMinimized: boolean;
  thumbsDown: Account[];
  /** What was said below our comment, the last of it if it is much. */
  replies: ThreadReply[];
}

export interface ThreadReply {
  /** Undefined if the account is gone. */
  author?: Account;
  isOurs: boolean;
  /** GitHub's word for who this is to the repository, such as `MEMBER` or `NONE`. */
  association: string;
  text: string;
}

export interface FoundMark extends LeftReview {
  key?: string;
  at: string;
  url: string;
}

const MAX_PAGES = 50;
/** How many threads GitHub is asked about at once, and how many pages of the replies of each are read. */
const THREADS_AT_ONCE = 50;
const MAX_REPLY_PAGES = 20;
const MAX_TEXT = 4000;
const NEEDS = { needs: 'pull-requests: read' };

const ACCOUNT = 'login ... on User { databaseId } ... on Bot { databaseId }';
const COMMENT = `body url createdAt lastEditedAt author { ${ACCOUNT} }`;
const THREAD =
  'id isResolved isOutdated diffSide path line startLine originalLine originalStartLine ' +
  `resolvedBy { login databaseId } comments(first: 1) { totalCount nodes { id fullDatabaseId url body isMinimized ` +
  `author { ${ACCOUNT} } originalCommit { oid } ` +
  'reactions(first: 50, content: THUMBS_DOWN) { nodes { user { login databaseId } } } } }';
const REPLIES =
  'query ($ids: [ID!]!, $before: String) { nodes(ids: $ids) { ... on PullRequestReviewThread { id ' +
  'comments(last: 50, before: $before) { pageInfo { hasPreviousPage startCursor } ' +
  `nodes { id body authorAssociation author { ${ACCOUNT} } } } } } }`;

/** GraphQL names a bot without the `[bot]` that REST puts behind it. The number of the account is the same. */
const ActorShape = z.pipe(
  z.nullish(z.looseObject({ login: z.string(), databaseId: z.nullish(z.int()) })),
  z.transform((actor): Account | undefined =>
    actor ? { id: actor.databaseId ?? 0, login: actor.login } : undefined,
  ),
);
const CommentShape = z.looseObject({
  body: z.string(),
  url: z.string(),
  createdAt: z.string(),
  lastEditedAt: z.nullish(z.string()),
  author: ActorShape,
});
const ThreadShape = z.looseObject({
  id: z.string(),
  isResolved: z.boolean(),
  isOutdated: z.boolean(),
  diffSide: z.nullish(z.string()),
  path: z.string(),
  line: z.nullish(z.int()),
  startLine: z.nullish(z.int()),
  originalLine: z.nullish(z.int()),
  originalStartLine: z.nullish(z.int()),
  resolvedBy: ActorShape,
  comments: z.looseObject({
    totalCount: z.int(),
    nodes: z.array(
      z.looseObject({
        id: z.string(),
        // As text, because a number of 64 bits is too large for JSON.
        fullDatabaseId: z.nullish(z.union([z.string(), z.int()])),
        url: z.string(),
        body: z.string(),
        isMinimized: z.boolean(),
        author: ActorShape,
        originalCommit: z.nullish(z.looseObject({ oid: z.string() })),
        reactions: z.looseObject({ nodes: z.array(z.looseObject({ user: ActorShape })) }),
      }),
    ),
  }),
});
type RawThread = z.output<typeof ThreadShape>;
const ReplyShape = z.looseObject({
  id: z.string(),
  body: z.string(),
  authorAssociation: z.string(),
  author: ActorShape,
});
type RawReply = z.output<typeof ReplyShape>;
const RepliesShape = z.looseObject({
  nodes: z.array(
    z.nullish(
      z.looseObject({
        id: z.string(),
        comments: z.looseObject({
          pageInfo: z.looseObject({ hasPreviousPage: z.boolean(), startCursor: z.nullish(z.string()) }),
          nodes: z.array(ReplyShape),
        }),
      }),
    ),
  ),
});

/** Our marks on a pull request, the newest first. */
export async function readMarks(
  github: GithubClient,
  pull: PullAddress,
  viewer: Account,
): Promise<FoundMark[]> {
  const list = { fields: COMMENT, shape: CommentShape };
  const comments = [
    ...(await readAll(github, pull, { name: 'comments', ...list })),
    ...(await readAll(github, pull, { name: 'reviews', ...list })),
  ];
  return comments
    .flatMap(({ body, url, createdAt, lastEditedAt, author }) => {
      const left = wroteIt(author, viewer) ? readLeftReview(body) : undefined;
      const key = readMarker(body)?.key;
      return left
        ? [{ ...left, ...(key === undefined ? {} : { key }), at: lastEditedAt ?? createdAt, url }]
        : [];
    })
    .sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}

/** A comment of another account below a pull request. */
export interface PullComment {
  login: string;
  text: string;
}

/** What people wrote below a pull request, the oldest first. */
export async function readComments(
  github: GithubClient,
  pull: PullAddress,
  viewer: Account,
): Promise<PullComment[]> {
  const list = { name: 'comments', fields: COMMENT, shape: CommentShape };
  return (await readAll(github, pull, list)).flatMap(({ author, body }) =>
    author && !wroteIt(author, viewer) ? [{ login: author.login, text: body }] : [],
  );
}

/**
 * Our threads on a pull request, in GitHub's order. The list of all threads names only their first comments, because
 * most of them are not ours; what was said below ours is read after it.
 */
export async function readThreads(
  github: GithubClient,
  pull: PullAddress,
  viewer: Account,
): Promise<ReviewThread[]> {
  const all = await readAll(github, pull, { name: 'reviewThreads', fields: THREAD, shape: ThreadShape });
  const ours = all.flatMap((raw) => {
    const thread = readThread(raw, viewer);
    return thread ? [{ thread, isAnswered: raw.comments.totalCount > 1 }] : [];
  });
  const answered = ours.filter(({ isAnswered }) => isAnswered).map(({ thread }) => thread.id);
  const said = new Map<string, RawReply[]>();
  for (let start = 0; start < answered.length; start += THREADS_AT_ONCE)
    for (const [id, replies] of await readReplies(github, answered.slice(start, start + THREADS_AT_ONCE)))
      said.set(id, replies);
  return ours.map(({ thread }) => ({
    ...thread,
    replies: (said.get(thread.id) ?? [])
      .filter(({ id }) => id !== thread.commentNodeId)
      .map((reply) => replyOf(reply, viewer)),
  }));
}

async function readAll<T>(
  github: GithubClient,
  { repository, number }: PullAddress,
  { name, fields, shape }: { name: string; fields: string; shape: z.ZodMiniType<T> },
): Promise<T[]> {
  const query =
    'query ($owner: String!, $repo: String!, $number: Int!, $after: String) { ' +
    'repository(owner: $owner, name: $repo) { pullRequest(number: $number) { ' +
    `${name}(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { ${fields} } } } } }`;
  const list = z.looseObject({
    pageInfo: z.looseObject({ hasNextPage: z.boolean(), endCursor: z.nullish(z.string()) }),
    nodes: z.array(z.nullish(shape)),
  });
  const found: T[] = [];
  let after: string | null = null;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer: { repository: { pullRequest: Record<string, unknown> } } = await github.read({
      ...NEEDS,
      doing: 'read the conversation of the pull request',
      route: 'POST /graphql',
      parameters: { query, ...repository, number, after },
      shape: z.looseObject({
        repository: z.looseObject({ pullRequest: z.looseObject({ [name]: list }) }),
      }),
    });
    const { nodes, pageInfo } = answer.repository.pullRequest[name] as z.output<typeof list>;
    found.push(...nodes.filter((node) => node !== null && node !== undefined));
    if (!pageInfo.hasNextPage || !pageInfo.endCursor) break;
    after = pageInfo.endCursor;
  }
  return found;
}

function readThread(raw: RawThread, viewer: Account): ReviewThread | undefined {
  const [first] = raw.comments.nodes;
  const marker = first ? readMarker(first.body) : undefined;
  if (!first || marker?.kind !== 'finding' || !wroteIt(first.author, viewer)) return undefined;
  const { id, path, isResolved, isOutdated, originalLine: end, originalStartLine: start } = raw;
  return known<ReviewThread>({
    id,
    commentNodeId: first.id,
    commentId: Number(first.fullDatabaseId ?? 0),
    url: first.url,
    key: marker.key,
    place: marker.place,
    what: marker.what,
    facts: marker.facts,
    path,
    side: raw.diffSide === 'LEFT' ? 'base' : undefined,
    lineCount: Math.max(1, (end ?? 0) - (start ?? end ?? 0) + 1),
    line: raw.line ?? undefined,
    originalLine: end ?? undefined,
    commit: first.originalCommit?.oid,
    text: truncate(withoutPrompt(first.body.replace(/^[^\n]*\n?/, '')), MAX_TEXT),
    isResolved,
    resolvedBy: isResolved ? raw.resolvedBy : undefined,
    isOutdated,
    isMinimized: first.isMinimized,
    thumbsDown: first.reactions.nodes.flatMap(({ user }) => user ?? []),
    replies: [],
  });
}

/**
 * The comments of threads, by the id of the thread. The last page of many threads is read at once, and of long threads
 * those before it: many replies of one person must not hide what another one said.
 */
async function readReplies(
  github: GithubClient,
  ids: readonly string[],
  { before = null, page = 1 }: { before?: string | null; page?: number } = {},
): Promise<Map<string, RawReply[]>> {
  const { nodes } = await github.read({
    ...NEEDS,
    doing: 'read the replies to our comments',
    route: 'POST /graphql',
    parameters: { query: REPLIES, ids, before },
    shape: RepliesShape,
  });
  const found = new Map<string, RawReply[]>();
  for (const id of ids) {
    const comments = nodes.find((node) => node?.id === id)?.comments;
    if (!comments) continue;
    const { hasPreviousPage, startCursor: cursor } = comments.pageInfo;
    const hasMore = hasPreviousPage && cursor && page < MAX_REPLY_PAGES;
    const earlier = hasMore ? await readReplies(github, [id], { before: cursor, page: page + 1 }) : undefined;
    found.set(id, [...(earlier?.get(id) ?? []), ...comments.nodes]);
  }
  return found;
}

const replyOf = (
  { body, authorAssociation: association, author }: RawReply,
  viewer: Account,
): ThreadReply => ({
  ...(author ? { author } : {}),
  isOurs: wroteIt(author, viewer),
  association,
  text: truncate(body, MAX_TEXT),
});
