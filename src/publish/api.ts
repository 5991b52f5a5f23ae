import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { readHunks, type Hunk } from '../git/diff.js';
import { adviseRetry, explainApiError, isReadOnly, readApiError, type ApiError } from './api-error.js';
import { createPace } from './pace.js';
import type { InlineComment } from './review-plan.js';

/**
 * The only place that talks to GitHub: one function for each call this step may make, and no other. Answers are
 * parsed, failures that may pass are tried again, and whatever is left is a GithubRefusal.
 */

export class GithubRefusal extends Error {
  override readonly name = 'GithubRefusal';

  constructor(
    message: string,
    readonly api: ApiError,
    /** Whether the token can only read. */
    readonly isReadOnly: boolean,
  ) {
    super(message);
  }
}

export interface Connection {
  token: string;
  /** GITHUB_API_URL; an Enterprise server has it below a path. */
  apiUrl: string;
  owner: string;
  repo: string;
  /** Says what is waited for. */
  tell(line: string): void;
  wait?(ms: number): Promise<unknown>;
  now?(): number;
}

export interface Account {
  id: number;
  login: string;
}
export interface Remark {
  id: number;
  nodeId: string;
  author: Account | undefined;
  body: string;
  url: string;
}
export interface LineRemark extends Remark {
  isOutdated: boolean;
}
export interface PostedReview extends Remark {
  state: string;
}
export interface Pull {
  head: string;
  base: string;
}
export interface NewReview {
  commit: string | undefined;
  event: 'COMMENT' | 'REQUEST_CHANGES';
  body: string;
  comments: readonly InlineComment[];
}

const REQUEST_MS = 30_000;
const PAGE = 100;
/** GitHub lists at most 3,000 files of a pull request; of comments, this many are looked through. */
const MOST_PAGES = 30;

const User = z.nullish(z.looseObject({ id: z.int(), login: z.string() }));
const RemarkShape = z.looseObject({
  id: z.int(),
  node_id: z.string(),
  user: User,
  body: z.nullish(z.string()),
  html_url: z.string(),
});
const LineRemarkShape = z.extend(RemarkShape, { line: z.nullish(z.int()) });
const ReviewShape = z.extend(RemarkShape, { state: z.string() });
const FileShape = z.looseObject({ filename: z.string(), patch: z.optional(z.string()) });
const CommitShape = z.looseObject({ sha: z.string() });
const PullShape = z.looseObject({ head: CommitShape, base: CommitShape });

type Parameters = Record<string, unknown>;
interface Ask<T> {
  doing: string;
  route: string;
  parameters?: Parameters;
  shape: z.ZodMiniType<T>;
  /** Looks whether a write whose answer was lost has happened after all. */
  find?: () => Promise<T | undefined>;
}

export type Github = Awaited<ReturnType<typeof connectGithub>>;

export async function connectGithub(connection: Connection) {
  const ask = await createAsk(connection);
  const all = async <T>({ shape, parameters, doing, route }: Ask<T>): Promise<T[]> => {
    const found: T[] = [];
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const some = await ask({
        doing,
        route,
        shape: z.array(shape),
        parameters: { ...parameters, per_page: PAGE, page },
      });
      found.push(...some);
      if (some.length < PAGE) break;
    }
    return found;
  };
  return { ...readingCalls(ask, all), ...writingCalls(ask) };
}

type AskOnce = <T>(request: Ask<T>) => Promise<T>;
type AskAll = <T>(request: Ask<T>) => Promise<T[]>;

const readingCalls = (ask: AskOnce, all: AskAll) => ({
  /** Who we are, for GitHub: only what this account wrote is ours. */
  async viewer(): Promise<Account> {
    const Viewer = z.object({ databaseId: z.nullish(z.int()), login: z.string() });
    const shape = z.looseObject({ data: z.looseObject({ viewer: Viewer }) });
    const parameters = { query: 'query { viewer { databaseId login } }' };
    const { data } = await ask({ doing: 'ask who this token is', route: 'POST /graphql', parameters, shape });
    return { id: data.viewer.databaseId ?? 0, login: data.viewer.login };
  },
  async pull(number: number): Promise<Pull> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    const parameters = { pull_number: number };
    const pull = await ask({ doing: 'read the pull request', route, parameters, shape: PullShape });
    return { head: pull.head.sha, base: pull.base.sha };
  },
  async files(number: number): Promise<Map<string, Hunk[]>> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
    const parameters = { pull_number: number };
    return hunksOf(await all({ doing: 'read the changed files', route, parameters, shape: FileShape }));
  },
  /** The files of the pull request as they were at an earlier commit of it. */
  async filesAt({ base, head }: Pull): Promise<Map<string, Hunk[]>> {
    const route = 'GET /repos/{owner}/{repo}/compare/{basehead}';
    const shape = z.looseObject({ files: z.optional(z.array(FileShape)) });
    const parameters = { basehead: `${base}...${head}` };
    const { files = [] } = await ask({ doing: 'read the files at that commit', route, parameters, shape });
    return hunksOf(files);
  },
  async commits(number: number): Promise<string[]> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits';
    const parameters = { pull_number: number };
    const found = await all({ doing: 'read the commits', route, parameters, shape: CommitShape });
    return found.map(({ sha }) => sha);
  },
  async comments(number: number): Promise<Remark[]> {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const parameters = { issue_number: number };
    return (await all({ doing: 'read the comments', route, parameters, shape: RemarkShape })).map(remarkOf);
  },
  async reviews(number: number): Promise<PostedReview[]> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    const parameters = { pull_number: number };
    const found = await all({ doing: 'read the reviews', route, parameters, shape: ReviewShape });
    return found.map((review) => ({ ...remarkOf(review), state: review.state }));
  },
  async lineComments(number: number): Promise<LineRemark[]> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments';
    const parameters = { pull_number: number };
    const found = await all({
      doing: 'read the comments on lines',
      route,
      parameters,
      shape: LineRemarkShape,
    });
    return found.map((each) => ({ ...remarkOf(each), isOutdated: typeof each.line !== 'number' }));
  },
});

const writingCalls = (ask: AskOnce) => ({
  async createComment(
    number: number,
    body: string,
    find: () => Promise<Remark | undefined>,
  ): Promise<Remark> {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    return ask({
      doing: 'write the comment',
      route,
      parameters: { issue_number: number, body },
      shape: z.pipe(RemarkShape, z.transform(remarkOf)),
      find,
    });
  },
  async updateComment(id: number, body: string): Promise<Remark> {
    const route = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
    const parameters = { comment_id: id, body };
    return remarkOf(await ask({ doing: 'update the comment', route, parameters, shape: RemarkShape }));
  },
  async deleteComment(id: number): Promise<void> {
    const route = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}';
    await ask({
      doing: 'delete our second comment',
      route,
      parameters: { comment_id: id },
      shape: z.unknown(),
    });
  },
  async createReview(
    number: number,
    { commit, event, body, comments }: NewReview,
    find: () => Promise<PostedReview | undefined>,
  ): Promise<PostedReview> {
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    const parameters = {
      pull_number: number,
      event,
      body,
      ...(commit === undefined ? {} : { commit_id: commit }),
      ...(comments.length === 0 ? {} : { comments }),
    };
    const shape = z.pipe(
      ReviewShape,
      z.transform((review: z.output<typeof ReviewShape>) => ({ ...remarkOf(review), state: review.state })),
    );
    return ask({ doing: 'write the review', route, parameters, shape, find });
  },
  async dismissReview(number: number, id: number, message: string): Promise<void> {
    const route = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals';
    const parameters = { pull_number: number, review_id: id, message };
    await ask({ doing: 'withdraw the request for changes', route, parameters, shape: z.unknown() });
  },
  async minimize(nodeId: string): Promise<void> {
    const query =
      'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) ' +
      '{ minimizedComment { isMinimized } } }';
    const shape = z.looseObject({ data: z.looseObject({ minimizeComment: z.looseObject({}) }) });
    const parameters = { query, variables: { id: nodeId } };
    await ask({ doing: 'fold away what is outdated', route: 'POST /graphql', parameters, shape });
  },
});

function remarkOf({ id, node_id, user, body, html_url }: z.output<typeof RemarkShape>): Remark {
  return { id, nodeId: node_id, author: user ?? undefined, body: body ?? '', url: html_url };
}

const hunksOf = (files: readonly z.output<typeof FileShape>[]): Map<string, Hunk[]> =>
  new Map(files.map(({ filename, patch }) => [filename, patch === undefined ? [] : readHunks(patch)]));

/** One request, as often as it takes: a function that asks, waits where GitHub says so, and never asks too often. */
async function createAsk(connection: Connection): Promise<AskOnce> {
  const { wait = sleep, now = Date.now, tell } = connection;
  const { getOctokit } = await import('@actions/github');
  const octokit = getOctokit(connection.token, { baseUrl: connection.apiUrl.replace(/\/+$/, '') });
  const pace = createPace({ wait, now });
  const send = async ({
    route,
    parameters,
  }: Pick<Ask<unknown>, 'route' | 'parameters'>): Promise<unknown> => {
    const isGraphql = route === 'POST /graphql';
    const place = isGraphql ? {} : { owner: connection.owner, repo: connection.repo };
    const given = { ...place, ...parameters, request: { signal: AbortSignal.timeout(REQUEST_MS) } };
    // REST and GraphQL have different places on an Enterprise server; the client knows which.
    if (isGraphql)
      return {
        data: await octokit.graphql(String(parameters?.['query']), {
          ...(parameters?.['variables'] as object | undefined),
          request: given.request,
        }),
      };
    return (await octokit.request(route, given)).data;
  };
  return async <T>({ doing, route, parameters = {}, shape, find }: Ask<T>): Promise<T> => {
    const isWrite = !route.startsWith('GET ');
    for (let tries = 1; ; tries += 1) {
      try {
        if (isWrite) await pace();
        return readAnswer(shape, await send({ route, parameters }), doing);
      } catch (error) {
        if (error instanceof GithubRefusal) throw error;
        const api = readApiError(error);
        const advice = adviseRetry(api, tries, now());
        if (advice.kind === 'stop')
          throw new GithubRefusal(explainApiError(api, doing, now()), api, isReadOnly(api));
        tell(
          `GitHub answered ${api.status ?? 'nothing'}; trying again in ${Math.ceil(advice.waitMs / 1000)} s.`,
        );
        await wait(advice.waitMs);
        const found = advice.mayHaveHappened ? await find?.() : undefined;
        if (found !== undefined) return found;
      }
    }
  };
}

function readAnswer<T>(shape: z.ZodMiniType<T>, data: unknown, doing: string): T {
  const parsed = shape.safeParse(data);
  if (parsed.success) return parsed.data;
  const api = { headers: {}, words: 'the answer is not understood' };
  throw new GithubRefusal(`Could not ${doing}: the answer of GitHub is not understood.`, api, false);
}
