import * as z from 'zod/mini';
import { readHunks, type FileDiff } from '../git/diff.js';
import { findWriters, readViewer, type Account } from '../github/accounts.js';
import { PAGE, withPermission, type GithubClient, type RepositoryName } from '../github/client.js';
import type { Origin } from '../github/event.js';
import { readThreads } from '../github/review-threads.js';
import { entryType, type GitEntry } from '../review/find-file.js';

/** Every request that publish may send, and no other. */

export interface Pull {
  head: string;
  base: string;
  /** The branch it comes from; its repository is missing if it was deleted. */
  origin: Origin;
}
export interface ChangedFileList {
  files: FileDiff[];
  /** How many files GitHub lists at most, if the list ends there. */
  cutAt?: number;
}
/** A comment on lines to be written, as GitHub's API expects it. */
export interface NewLineComment {
  path: string;
  body: string;
  line: number;
  /** `LEFT` for lines that the change removed. */
  side: 'RIGHT' | 'LEFT';
  start_line?: number;
  start_side?: 'RIGHT' | 'LEFT';
}
export interface NewReview {
  commit: string | undefined;
  event: 'COMMENT' | 'REQUEST_CHANGES';
  body: string;
  comments: readonly NewLineComment[];
}

/** Of comments and reviews only this many pages are read. */
const MAX_PAGES = 50;
/** What GitHub lists of a pull request, and of two commits that are compared, without saying that there is more. */
export const LISTED = { files: 3000, commits: 250, comparedFiles: 300 } as const;

const CommentFields = z.looseObject({
  id: z.int(),
  node_id: z.string(),
  user: z.nullish(z.looseObject({ id: z.int(), login: z.string() })),
  body: z.nullish(z.string()),
  html_url: z.string(),
});
const commentOf = ({ id, node_id, user, body, html_url }: z.output<typeof CommentFields>) => ({
  id,
  nodeId: node_id,
  author: user ?? undefined,
  body: body ?? '',
  url: html_url,
});
const CommentShape = z.pipe(CommentFields, z.transform(commentOf));
export type PostedComment = z.output<typeof CommentShape>;

const ReviewShape = z.pipe(
  z.extend(CommentFields, { state: z.string() }),
  z.transform((review) => ({
    ...commentOf(review),
    /** `PENDING` if it was never submitted. Such a review is only shown to its author. */
    state: review.state,
  })),
);
export type PostedReview = z.output<typeof ReviewShape>;

const LineCommentShape = z.pipe(
  z.extend(CommentFields, {
    in_reply_to_id: z.nullish(z.int()),
    pull_request_review_id: z.nullish(z.int()),
    path: z.string(),
    line: z.nullish(z.int()),
    start_line: z.nullish(z.int()),
    side: z.nullish(z.string()),
    start_side: z.nullish(z.string()),
  }),
  z.transform((comment) => ({
    ...commentOf(comment),
    /** The first comment of its thread, if it is not that itself. */
    replyTo: comment.in_reply_to_id ?? undefined,
    review: comment.pull_request_review_id ?? undefined,
    path: comment.path,
    /** The last line where GitHub shows it now; undefined if it no longer does. */
    line: comment.line ?? undefined,
    /** Undefined if it is about one line. */
    startLine: comment.start_line ?? undefined,
    isOnNewSide: ![comment.side, comment.start_side].includes('LEFT'),
  })),
);
export type LineComment = z.output<typeof LineCommentShape>;

const FileShape = z.looseObject({
  filename: z.string(),
  previous_filename: z.nullish(z.string()),
  status: z.nullish(z.string()),
  deletions: z.nullish(z.int()),
  patch: z.nullish(z.string()),
});
/** GitHub's words that differ from ours. What it adds one day counts as modified. */
const STATUSES: Readonly<Record<string, FileDiff['status']>> = {
  added: 'added',
  removed: 'deleted',
  renamed: 'renamed',
  copied: 'copied',
};
const TreeShape = z.looseObject({
  tree: z.array(
    z.looseObject({ path: z.string(), mode: z.string(), sha: z.string(), size: z.nullish(z.int()) }),
  ),
  truncated: z.boolean(),
});
const BlobShape = z.looseObject({ content: z.string(), encoding: z.string() });
const CommitShape = z.looseObject({ sha: z.string() });
const HeadShape = z.looseObject({
  sha: z.string(),
  ref: z.string(),
  repo: z.nullish(z.looseObject({ full_name: z.string() })),
});
const ComparisonShape = z.looseObject({
  status: z.string(),
  ahead_by: z.int(),
  files: z.optional(z.array(FileShape)),
});

function fileList(files: readonly z.output<typeof FileShape>[], most: number): ChangedFileList {
  const diffs = files.map(({ filename, previous_filename, status, deletions, patch }): FileDiff => ({
    path: filename,
    ...(previous_filename ? { oldPath: previous_filename } : {}),
    status: STATUSES[status ?? ''] ?? 'modified',
    binary: false,
    hunks: patch ? readHunks(patch) : [],
    ...(deletions ? { deletions } : {}),
  }));
  return { files: diffs, ...(files.length >= most ? { cutAt: most } : {}) };
}

/** Looks for the result of a write whose answer was lost. */
export type Find<T> = () => Promise<T | undefined>;
const NEEDS = 'pull-requests: write';

export type PullRequestApi = ReturnType<typeof openPullRequests>;
export function openPullRequests(client: GithubClient, repository: RepositoryName) {
  const github = withPermission(client, NEEDS);
  const lists = listComments(github);
  return {
    ...readPull(github),
    ...readContents(github),
    ...lists,
    /** Only those that our findings began. */
    threads: (number: number, viewer: Account) => readThreads(client, { repository, number }, viewer),
    /** Which of these people have write access. */
    writers: (logins: readonly string[]) => findWriters(client, logins),
    ...writeComments(github, lists),
    ...writeReviews(github, lists),
  };
}

const readPull = (github: GithubClient) => ({
  viewer: (): Promise<Account> => readViewer(github, NEEDS),
  async pull(number: number): Promise<Pull> {
    const { head, base } = await github.read({
      doing: `read pull request ${number}`,
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
      parameters: { pull_number: number },
      shape: z.looseObject({ head: HeadShape, base: CommitShape }),
    });
    const origin = { branch: head.ref, ...(head.repo ? { repository: head.repo.full_name } : {}) };
    return { head: head.sha, base: base.sha, origin };
  },
  async files(number: number): Promise<ChangedFileList> {
    const request = {
      doing: 'read the changed files',
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
      parameters: { pull_number: number },
      shape: z.array(FileShape),
      maxPages: LISTED.files / PAGE,
    };
    return fileList(await github.readPages(request), LISTED.files);
  },
  /** The files of the pull request as they were at an earlier commit of it. */
  async filesAt({ base, head }: { base: string; head: string }): Promise<ChangedFileList> {
    const { files = [] } = await compare(github, base, head);
    return fileList(files, LISTED.comparedFiles);
  },
  /**
   * Whether a commit is part of the pull request. GitHub lists a limited number of commits. If there may be more, it says
   * how commits are related: the commit is part of the pull request if the head contains it and the base does not.
   */
  async hasCommit(number: number, { base, head }: Pull, commit: string): Promise<boolean> {
    if (commit === head) return true;
    const request = {
      doing: 'read the commits',
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits',
      parameters: { pull_number: number },
      shape: z.array(CommitShape),
      maxPages: Math.ceil(LISTED.commits / PAGE),
    };
    const listed = await github.readPages(request);
    if (listed.some(({ sha }) => sha === commit)) return true;
    if (listed.length < LISTED.commits) return false;
    const { status } = await compare(github, commit, head);
    return status === 'ahead' && (await compare(github, base, commit)).ahead_by > 0;
  },
});

/** Files at a commit, as git has them. GitHub's other ways to read a file follow links. */
const readContents = (github: GithubClient) => ({
  /** The entries of one folder; undefined if GitHub does not list all of them. `tree` is its id, or that of a commit. */
  async folder(tree: string): Promise<GitEntry[] | undefined> {
    const answer = await github.read({
      needs: 'contents: read',
      doing: 'look up the files that findings name',
      route: 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
      parameters: { tree_sha: tree },
      shape: TreeShape,
    });
    if (answer.truncated) return undefined;
    return answer.tree.map(({ path, mode, sha, size }) => ({
      name: path,
      type: entryType(mode),
      id: sha,
      ...(size == null ? {} : { size }),
    }));
  },
  async blob(id: string): Promise<Buffer> {
    const { content, encoding } = await github.read({
      needs: 'contents: read',
      doing: 'look up the lines that findings name',
      route: 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}',
      parameters: { file_sha: id },
      shape: BlobShape,
    });
    return Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
  },
});

const compare = (github: GithubClient, base: string, head: string) =>
  github.read({
    needs: 'contents: read',
    doing: 'compare the commits of the pull request',
    route: 'GET /repos/{owner}/{repo}/compare/{basehead}',
    parameters: { basehead: `${base}...${head}` },
    shape: ComparisonShape,
  });

const listComments = (github: GithubClient) => ({
  reviews: (number: number) =>
    github.readPages({
      doing: 'read the reviews',
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
      parameters: { pull_number: number },
      shape: z.array(ReviewShape),
      maxPages: MAX_PAGES,
    }),
  comments: (number: number) =>
    github.readPages({
      doing: 'read the comments',
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
      parameters: { issue_number: number },
      shape: z.array(CommentShape),
      maxPages: MAX_PAGES,
    }),
  lineComments: (number: number) =>
    github.readPages({
      doing: 'read the comments on lines',
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
      parameters: { pull_number: number },
      shape: z.array(LineCommentShape),
      maxPages: MAX_PAGES,
    }),
});
type Lists = ReturnType<typeof listComments>;

function writeComments(github: GithubClient, lists: Lists) {
  const update = (doing: string, route: string) => (id: number, body: string, find: Find<PostedComment>) =>
    github.write({
      doing,
      route,
      parameters: { comment_id: id, body },
      shape: CommentShape,
      find,
    });
  /** A deletion whose answer was lost was carried out if what is deleted is no longer listed. */
  const remove =
    (doing: string, route: string, list: (number: number) => Promise<{ id: number }[]>) =>
    (number: number, id: number) =>
      github.write({
        doing,
        route,
        parameters: { comment_id: id },
        shape: z.unknown(),
        find: async () => ((await list(number)).some((each) => each.id === id) ? undefined : 'deleted'),
      });
  return {
    createComment: (number: number, body: string, find: Find<PostedComment>) =>
      github.write({
        doing: 'write the comment',
        route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
        parameters: { issue_number: number, body },
        shape: CommentShape,
        find,
      }),
    updateComment: update('update the comment', 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}'),
    deleteComment: remove(
      'delete our second comment',
      'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}',
      lists.comments,
    ),
    /** GitHub takes replies only to the first comment of a thread. */
    createReply: <T>(number: number, { thread, body }: { thread: number; body: string }, find: Find<T>) =>
      github.write<PostedComment | T>({
        doing: 'reply in the thread',
        route: 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies',
        parameters: { pull_number: number, comment_id: thread, body },
        shape: CommentShape,
        find,
      }),
    updateLineComment: update('update the reply', 'PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}'),
    deleteLineComment: remove(
      'delete our second comment on lines',
      'DELETE /repos/{owner}/{repo}/pulls/comments/{comment_id}',
      lists.lineComments,
    ),
  };
}

function writeReviews(github: GithubClient, lists: Lists) {
  /** A change that can be asked for again and again. */
  const mutate = (doing: string, mutation: string) => (id: string) =>
    github.write({
      doing,
      route: 'POST /graphql',
      parameters: { query: `mutation ($id: ID!) { ${mutation} }`, id },
      shape: z.record(z.string(), z.looseObject({})),
      find: 'same-result',
    });
  return {
    createReview: (number: number, { commit, event, body, comments }: NewReview, find: Find<PostedReview>) =>
      github.write({
        doing: 'write the review',
        route: 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
        parameters: {
          pull_number: number,
          body,
          event,
          ...(commit === undefined ? {} : { commit_id: commit }),
          ...(comments.length === 0 ? {} : { comments }),
        },
        shape: ReviewShape,
        find,
      }),
    /** Lets another run finish what blocks this one. */
    pause: (ms: number) => github.pause(ms, 'write the review'),
    dismissReview: (number: number, id: number, message: string) =>
      github.write({
        doing: 'withdraw the request for changes',
        route: 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals',
        parameters: { pull_number: number, review_id: id, message },
        shape: ReviewShape,
        find: async () =>
          (await lists.reviews(number)).find((review) => review.id === id && review.state === 'DISMISSED'),
      }),
    /** Changes the body of one of our reviews. GitHub sends no notification. */
    updateReview: (number: number, id: number, body: string) =>
      github.write({
        doing: 'update our review',
        route: 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}',
        parameters: { pull_number: number, review_id: id, body },
        shape: ReviewShape,
        find: 'same-result',
      }),
    resolveThread: mutate(
      'resolve our thread',
      'resolveReviewThread(input: { threadId: $id }) { thread { isResolved } }',
    ),
    minimize: mutate(
      'fold away what is outdated',
      'minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { minimizedComment { isMinimized } }',
    ),
  };
}
