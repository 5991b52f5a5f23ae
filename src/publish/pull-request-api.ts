import * as z from 'zod/mini';
import { readHunks, type Hunk } from '../git/diff.js';
import { readViewer, type Account } from '../github/account.js';
import type { GithubClient } from '../github/client.js';

/** Every request that publish may send, and no other. */

/** A comment or a review. */
export interface Remark {
  id: number;
  nodeId: string;
  author: Account | undefined;
  body: string;
  url: string;
}
export interface LineRemark extends Remark {
  /** GitHub no longer shows its lines. */
  isOutdated: boolean;
}
export interface PostedReview extends Remark {
  state: string;
}
export interface Pull {
  head: string;
  base: string;
}
/** A comment on lines, as GitHub's API expects it. */
export interface InlineComment {
  path: string;
  body: string;
  line: number;
  side: 'RIGHT';
  start_line?: number;
  start_side?: 'RIGHT';
}
export interface NewReview {
  commit: string | undefined;
  event: 'COMMENT' | 'REQUEST_CHANGES';
  body: string;
  comments: readonly InlineComment[];
}

/** GitHub lists at most 3,000 files of a pull request. Of comments and reviews only this many pages are read. */
const MOST_PAGES = 30;

const remarkFields = {
  id: z.int(),
  node_id: z.string(),
  user: z.nullish(z.looseObject({ id: z.int(), login: z.string() })),
  body: z.nullish(z.string()),
  html_url: z.string(),
};
const RemarkFields = z.looseObject(remarkFields);
const ReviewFields = z.looseObject({ ...remarkFields, state: z.string() });
const LineFields = z.looseObject({ ...remarkFields, line: z.nullish(z.int()) });

function remarkOf({ id, node_id, user, body, html_url }: z.output<typeof RemarkFields>): Remark {
  return { id, nodeId: node_id, author: user ?? undefined, body: body ?? '', url: html_url };
}
const RemarkShape = z.pipe(RemarkFields, z.transform(remarkOf));
const ReviewShape = z.pipe(
  ReviewFields,
  z.transform((review: z.output<typeof ReviewFields>): PostedReview => ({
    ...remarkOf(review),
    state: review.state,
  })),
);
const LineRemarkShape = z.pipe(
  LineFields,
  z.transform((comment: z.output<typeof LineFields>): LineRemark => ({
    ...remarkOf(comment),
    isOutdated: typeof comment.line !== 'number',
  })),
);
const FileShape = z.looseObject({ filename: z.string(), patch: z.optional(z.string()) });
const CommitShape = z.looseObject({ sha: z.string() });

const hunksOf = (files: readonly z.output<typeof FileShape>[]): Map<string, Hunk[]> =>
  new Map(files.map(({ filename, patch }) => [filename, patch === undefined ? [] : readHunks(patch)]));

/** Looks for the result of a write whose answer was lost. */
type Find<T> = () => Promise<T | undefined>;
const NEEDS = { needs: 'pull-requests: write' };

export type PullRequestApi = ReturnType<typeof openPullRequests>;
export const openPullRequests = (github: GithubClient) => ({
  ...readPull(github),
  ...readRemarks(github),
  ...writeComments(github),
  ...writeReviews(github),
});

const readPull = (github: GithubClient) => ({
  viewer: (): Promise<Account> => readViewer(github, NEEDS.needs),
  async pull(number: number): Promise<Pull> {
    const { head, base } = await github.read({
      ...NEEDS,
      doing: `read pull request ${number}`,
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
      parameters: { pull_number: number },
      shape: z.looseObject({ head: CommitShape, base: CommitShape }),
    });
    return { head: head.sha, base: base.sha };
  },
  async files(number: number): Promise<Map<string, Hunk[]>> {
    const request = {
      ...NEEDS,
      doing: 'read the changed files',
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
      parameters: { pull_number: number },
      shape: z.array(FileShape),
    };
    return hunksOf(await github.readPages(request, MOST_PAGES));
  },
  /** The files of the pull request as they were at an earlier commit of it. */
  async filesAt({ base, head }: Pull): Promise<Map<string, Hunk[]>> {
    const { files = [] } = await github.read({
      needs: 'contents: read',
      doing: 'read the files at that commit',
      route: 'GET /repos/{owner}/{repo}/compare/{basehead}',
      parameters: { basehead: `${base}...${head}` },
      shape: z.looseObject({ files: z.optional(z.array(FileShape)) }),
    });
    return hunksOf(files);
  },
  async commits(number: number): Promise<string[]> {
    const request = {
      ...NEEDS,
      doing: 'read the commits',
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits',
      parameters: { pull_number: number },
      shape: z.array(CommitShape),
    };
    return (await github.readPages(request, MOST_PAGES)).map(({ sha }) => sha);
  },
});

const readRemarks = (github: GithubClient) => ({
  comments: (number: number): Promise<Remark[]> =>
    github.readPages(
      {
        ...NEEDS,
        doing: 'read the comments',
        route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
        parameters: { issue_number: number },
        shape: z.array(RemarkShape),
      },
      MOST_PAGES,
    ),
  reviews: (number: number): Promise<PostedReview[]> =>
    github.readPages(
      {
        ...NEEDS,
        doing: 'read the reviews',
        route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
        parameters: { pull_number: number },
        shape: z.array(ReviewShape),
      },
      MOST_PAGES,
    ),
  lineComments: (number: number): Promise<LineRemark[]> =>
    github.readPages(
      {
        ...NEEDS,
        doing: 'read the comments on lines',
        route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
        parameters: { pull_number: number },
        shape: z.array(LineRemarkShape),
      },
      MOST_PAGES,
    ),
});

const writeComments = (github: GithubClient) => ({
  createComment: (number: number, body: string, find: Find<Remark>): Promise<Remark> =>
    github.write({
      ...NEEDS,
      doing: 'write the comment',
      route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
      parameters: { issue_number: number, body },
      shape: RemarkShape,
      find,
    }),
  updateComment: (id: number, body: string, find: Find<Remark>): Promise<Remark> =>
    github.write({
      ...NEEDS,
      doing: 'update the comment',
      route: 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
      parameters: { comment_id: id, body },
      shape: RemarkShape,
      find,
    }),
  deleteComment: (id: number, find: Find<unknown>): Promise<unknown> =>
    github.write({
      ...NEEDS,
      doing: 'delete our second comment',
      route: 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}',
      parameters: { comment_id: id },
      shape: z.unknown(),
      find,
    }),
});

const writeReviews = (github: GithubClient) => ({
  createReview(
    number: number,
    { commit, event, body, comments }: NewReview,
    find: Find<PostedReview>,
  ): Promise<PostedReview> {
    const parameters = {
      pull_number: number,
      event,
      body,
      ...(commit === undefined ? {} : { commit_id: commit }),
      ...(comments.length === 0 ? {} : { comments }),
    };
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    return github.write({
      ...NEEDS,
      doing: 'write the review',
      route,
      parameters,
      shape: ReviewShape,
      find,
    });
  },
  async dismissReview(number: number, id: number, message: string): Promise<void> {
    await github.write({
      ...NEEDS,
      doing: 'withdraw the request for changes',
      route: 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals',
      parameters: { pull_number: number, review_id: id, message },
      shape: ReviewShape,
      find: async () => {
        const reviews = await readRemarks(github).reviews(number);
        return reviews.find((review) => review.id === id && review.state === 'DISMISSED');
      },
    });
  },
  /** Folding away what is folded away changes nothing. */
  async minimize(nodeId: string): Promise<void> {
    const query =
      'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) ' +
      '{ minimizedComment { isMinimized } } }';
    await github.write({
      ...NEEDS,
      doing: 'fold away what is outdated',
      route: 'POST /graphql',
      parameters: { query, id: nodeId },
      shape: z.looseObject({ minimizeComment: z.looseObject({}) }),
      find: 'same-result',
    });
  },
});
