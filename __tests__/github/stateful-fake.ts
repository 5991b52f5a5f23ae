import { serveApi, type Answer, type Api, type ApiRequest } from './api-server.js';
import { sampleAnswer, sampleItem } from './sample.js';
import { userShape, type Account } from './shapes.js';

/** Everybody who appears in the tests. */
export const ACTIONS_BOT: Account = { login: 'github-actions[bot]', id: 41_898_282, type: 'Bot' };
export const STRANGER: Account = { login: 'stranger', id: 666, type: 'User' };
export const MARY: Account = { login: 'mary', id: 11, type: 'User' };
/** The job's own token, unless a test says otherwise. */
export const WRITE_TOKEN = 'ghs_fakewrite0123456789fakewrite01234567';
export const READ_TOKEN = 'ghs_fakeread00123456789fakeread001234567';

export interface FakeFile {
  path: string;
  /** None for a binary or a very large file. */
  patch?: string;
}
export interface FakePull {
  number: number;
  head: string;
  base: string;
  author: Account;
  files: FakeFile[];
  /** The commits of the pull request; its head alone if nothing is said. */
  commits?: string[];
  /** The files as they were at earlier commits. */
  filesAt?: Record<string, FakeFile[]>;
  /** Where it comes from: the branch `feature` of acme/project if nothing is said; null if that was deleted. */
  branch?: string;
  repository?: string | null;
  /** Lines on which GitHub takes no comment, although the patches show them. */
  refusedLines?: number[];
}
export interface FakeComment {
  id: number;
  pull: number;
  author: Account;
  body: string;
}
export interface FakeReview extends FakeComment {
  state: 'COMMENTED' | 'CHANGES_REQUESTED' | 'DISMISSED' | 'PENDING';
  commit: string;
}
export interface FakeLineComment extends FakeComment {
  review: number;
  path: string;
  /** Null once the line is no longer in the change. */
  line: number | null;
  startLine: number | null;
  commit: string;
  /** What stands in the line. */
  text: string;
  /** The comment that this one answers, if it does not begin a thread. */
  replyTo?: number;
}
export interface FakeState {
  pulls: FakePull[];
  comments: FakeComment[];
  reviews: FakeReview[];
  lineComments: FakeLineComment[];
  /** The node ids that were folded away. */
  minimized: string[];
}
export interface FakeGithub extends Api {
  state: FakeState;
  /** `METHOD /path`, writes only. */
  writes(): string[];
  /** Somebody writes a comment on a pull request. */
  comment(pull: number, author: Account, body: string): FakeComment;
  /** Somebody begins a review and does not submit it. */
  beginReview(pull: number, author: Account, body: string): FakeReview;
  /** Somebody begins a thread on lines of the new side, or answers in one. */
  commentOnLines(comment: Omit<FakeLineComment, 'id' | 'review' | 'text'>): FakeLineComment;
  reply(comment: FakeLineComment, author: Account, body: string): FakeLineComment;
  /** New commits: the lines of comments move with their text, or are gone. */
  push(pull: number, change: { head: string; files: FakeFile[] }): void;
}

export type Fault = Answer | 'hang up' | { after: Answer | 'hang up' };

export interface FakeToken {
  account: Account;
  access: 'write' | 'read';
  /** The permission that comparing commits requires, as a token of a job has it unless the job says otherwise. */
  contents?: 'read' | 'none';
}

export interface FakeSettings {
  pulls: FakePull[];
  tokens?: Record<string, FakeToken>;
  base?: string;
  /**
   * Called before each request; what it returns is answered instead. With `after` the request is carried out first,
   * and then the answer is lost or replaced.
   */
  fault?: (request: ApiRequest, count: number) => Fault | undefined;
}

const REFUSED: Answer = { status: 403, body: { message: 'Resource not accessible by integration' } };
const docs = { documentation_url: 'https://docs.github.example/rest' };
const gone: Answer = { status: 404, body: { message: 'Not Found', ...docs } };
const invalid = (...errors: string[]): Answer => ({
  status: 422,
  body: { message: 'Unprocessable Entity', errors, ...docs },
});
const MOST_BODY = 65_536;

/** What GitHub lists at most, whoever asks for more. */
const LISTED = { commits: 250, files: 3000, comparedFiles: 300 };

/**
 * GitHub on this machine: pull requests, their files, comments and reviews, with a memory. Every request and answer
 * is held against GitHub's description (closing it fails if one was wrong), and it refuses what GitHub refuses:
 * lines outside of the diff, texts that are too long, requests for changes of one's own pull request, tokens that
 * can only read, a review of an account that has a pending one. It lists no more than GitHub lists, and shows a
 * pending review only to its author.
 */
export async function startGithub({ pulls, tokens, base, fault }: FakeSettings): Promise<FakeGithub> {
  const state: FakeState = { pulls, comments: [], reviews: [], lineComments: [], minimized: [] };
  const accounts = tokens ?? {
    [WRITE_TOKEN]: { account: ACTIONS_BOT, access: 'write' },
    [READ_TOKEN]: { account: ACTIONS_BOT, access: 'read' },
  };
  let requests = 0;
  const nextId = createIds();
  const answering = (request: ApiRequest): Answer | 'hang up' => {
    requests += 1;
    const wrong = fault?.(request, requests);
    const isAfter = typeof wrong === 'object' && 'after' in wrong;
    if (wrong !== undefined && !isAfter) return wrong;
    const token = request.authorization.replace(/^(?:token|bearer) /i, '');
    const who = Object.hasOwn(accounts, token) ? accounts[token] : undefined;
    const answer = who
      ? perform({ state, request, nextId, ...who })
      : { status: 401, body: { message: 'Bad credentials', ...docs } };
    return isAfter ? wrong.after : answer;
  };
  const api = await serveApi(answering, base === undefined ? {} : { base });
  return {
    ...api,
    state,
    writes: () => api.requests.map(({ line }) => line).filter((line) => !line.startsWith('GET ')),
    comment(pull, author, body) {
      const comment = { id: nextId(), pull, author, body };
      state.comments.push(comment);
      return comment;
    },
    beginReview(pull, author, body) {
      const commit = state.pulls.find(({ number }) => number === pull)?.head ?? '';
      const review: FakeReview = { id: nextId(), pull, author, body, state: 'PENDING', commit };
      state.reviews.push(review);
      return review;
    },
    commentOnLines(comment) {
      const made = { ...comment, id: nextId(), review: 0, text: '' };
      state.lineComments.push(made);
      return made;
    },
    reply: (comment, author, body) => addReply(state, { to: comment, author, body, id: nextId() }),
    push(number, { head, files }) {
      const pull = state.pulls.find((each) => each.number === number);
      if (!pull) throw new Error(`no pull request ${number}`);
      const earlier = { ...pull.filesAt, [pull.head]: pull.files };
      Object.assign(pull, {
        commits: [...(pull.commits ?? [pull.head]), head],
        head,
        files,
        filesAt: earlier,
      });
      for (const comment of state.lineComments.filter((each) => each.pull === number)) {
        const lines = shownLines(files.find(({ path }) => path === comment.path)?.patch);
        comment.line = [...lines].find(([, text]) => text === comment.text)?.[0] ?? null;
      }
    },
  };
}

export function createIds(): () => number {
  let last = 1000;
  return () => (last += 1);
}

export interface Task extends FakeToken {
  state: FakeState;
  request: ApiRequest;
  nextId: () => number;
}

const numberOf = ({ parameters }: ApiRequest): number =>
  Number(parameters['pull_number'] ?? parameters['issue_number']);

/** What one request does to the state, and its answer. */
export function perform(task: Task): Answer {
  const { state, request, account, access } = task;
  const { operation } = request;
  const body = (request.body ?? {}) as Record<string, unknown>;
  if (operation === 'POST /graphql') return performGraphql(task, body);
  if (access === 'read' && !operation.startsWith('GET ')) return REFUSED;
  if (operation.includes('/issues/comments/{comment_id}')) return changeComment(task, state.comments, body);
  if (operation.includes('/pulls/comments/{comment_id}'))
    return changeComment(task, state.lineComments, body);
  if (operation.includes('/compare/{basehead}')) return task.contents === 'none' ? REFUSED : compare(task);
  const pull = state.pulls.find(({ number }) => number === numberOf(request));
  if (!pull) return gone;
  const of = <T extends { pull: number }>(all: readonly T[]) =>
    all.filter((each) => each.pull === pull.number);
  switch (operation.replace('/repos/{owner}/{repo}', '')) {
    case 'GET /pulls/{pull_number}':
      return {
        body: sampleAnswer(operation, 200, {
          number: pull.number,
          state: 'open',
          user: userShape(pull.author),
          head: headValues(pull),
          base: { sha: pull.base },
        }),
        // GitHub says null of a repository that was deleted, against its own description.
        unlike: pull.repository === null,
      };
    case 'GET /pulls/{pull_number}/files':
      return page(
        request,
        pull.files.slice(0, LISTED.files).map((file) => sampleItem(operation, fileValues(file))),
      );
    case 'GET /pulls/{pull_number}/commits':
      return page(
        request,
        commitsOf(pull)
          .slice(0, LISTED.commits)
          .map((sha) => sampleItem(operation, { sha })),
      );
    case 'GET /pulls/{pull_number}/reviews':
      return page(
        request,
        of(state.reviews)
          .filter((each) => each.state !== 'PENDING' || each.author.id === account.id)
          .map((each) => sampleItem(operation, reviewValues(each))),
      );
    case 'GET /pulls/{pull_number}/comments':
      return page(
        request,
        of(state.lineComments).map((each) => sampleItem(operation, lineValues(each))),
      );
    case 'GET /issues/{issue_number}/comments':
      return page(
        request,
        of(state.comments).map((each) => sampleItem(operation, commentValues(each))),
      );
    case 'POST /issues/{issue_number}/comments': {
      if (String(body['body']).length > MOST_BODY) return invalid('body is too long');
      const comment = { id: task.nextId(), pull: pull.number, author: account, body: String(body['body']) };
      state.comments.push(comment);
      return { status: 201, body: sampleAnswer(operation, 201, commentValues(comment)) };
    }
    case 'POST /pulls/{pull_number}/reviews':
      return createReview(task, pull, body);
    case 'DELETE /pulls/{pull_number}/reviews/{review_id}':
      return deleteReview(task);
    case 'POST /pulls/{pull_number}/comments/{comment_id}/replies': {
      const to = state.lineComments.find(({ id }) => id === Number(request.parameters['comment_id']));
      if (!to || to.replyTo !== undefined) return gone;
      const reply = addReply(state, { to, author: account, body: String(body['body']), id: task.nextId() });
      return { status: 201, body: sampleAnswer(operation, 201, lineValues(reply)) };
    }
    case 'PUT /pulls/{pull_number}/reviews/{review_id}/dismissals': {
      const review = state.reviews.find(({ id }) => id === Number(request.parameters['review_id']));
      if (!review) return gone;
      review.state = 'DISMISSED';
      return { body: sampleAnswer(operation, 200, reviewValues(review)) };
    }
    default:
      return gone;
  }
}

function performGraphql({ state, account, access }: Task, body: Record<string, unknown>): Answer {
  if (String(body['query']).startsWith('query'))
    return { body: { data: { viewer: { databaseId: account.id, login: account.login } } } };
  const { id } = body['variables'] as { id: string };
  const known = [...state.comments, ...state.reviews, ...state.lineComments].some(
    (each) => nodeId(each) === id,
  );
  if (access === 'read' || !known) {
    const type = known ? 'FORBIDDEN' : 'NOT_FOUND';
    return { body: { data: null, errors: [{ type, message: 'Resource not accessible by integration' }] } };
  }
  state.minimized.push(id);
  return { body: { data: { minimizeComment: { minimizedComment: { isMinimized: true } } } } };
}

/** Updates or deletes a comment below a pull request, or one on lines. */
function changeComment(
  { request, account }: Task,
  comments: FakeComment[],
  body: Record<string, unknown>,
): Answer {
  const comment = comments.find(({ id }) => id === Number(request.parameters['comment_id']));
  if (!comment) return gone;
  if (comment.author.id !== account.id) return { status: 403, body: { message: 'Forbidden', ...docs } };
  if (request.operation.startsWith('DELETE')) {
    comments.splice(comments.indexOf(comment), 1);
    return { status: 204 };
  }
  if (String(body['body']).length > MOST_BODY) return invalid('body is too long');
  comment.body = String(body['body']);
  const values =
    'path' in comment ? lineValues(comment as unknown as FakeLineComment) : commentValues(comment);
  return { body: sampleAnswer(request.operation, 200, values) };
}

function addReply(
  { lineComments }: FakeState,
  { to, author, body, id }: { to: FakeLineComment; author: Account; body: string; id: number },
): FakeLineComment {
  const reply: FakeLineComment = { ...to, id, author, body, replyTo: to.id };
  lineComments.push(reply);
  return reply;
}

const commitsOf = (pull: FakePull): string[] => pull.commits ?? [pull.head];
const headValues = ({ head, branch = 'feature', repository = 'acme/project' }: FakePull) => ({
  sha: head,
  ref: branch,
  ...(repository === null ? { repo: null } : { repo: { full_name: repository } }),
});

/** Compares two commits of the line from the base of a pull request to its head. */
function compare({ state, request }: Task): Answer {
  const [base = '', head = ''] = (request.parameters['basehead'] ?? '').split('...');
  const pull = state.pulls.find((each) => [each.base, ...commitsOf(each)].includes(head));
  const line = pull ? [pull.base, ...commitsOf(pull)] : [];
  const ahead = line.indexOf(head) - line.indexOf(base);
  if (!pull || !line.includes(base)) return gone;
  const files = pull.filesAt?.[head] ?? (pull.head === head ? pull.files : []);
  const operation = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
  const values = {
    status: ahead > 0 ? 'ahead' : ahead < 0 ? 'behind' : 'identical',
    ahead_by: Math.max(0, ahead),
    behind_by: Math.max(0, -ahead),
    files: files.slice(0, LISTED.comparedFiles).map((file) => sampleItem(operation, fileValues(file))),
  };
  return { body: sampleAnswer(request.operation, 200, values) };
}

function deleteReview({ state, request, account }: Task): Answer {
  const review = state.reviews.find(({ id }) => id === Number(request.parameters['review_id']));
  if (!review || (review.state === 'PENDING' && review.author.id !== account.id)) return gone;
  if (review.state !== 'PENDING') return invalid('Can not delete a non-pending pull request review');
  state.reviews.splice(state.reviews.indexOf(review), 1);
  return { body: sampleAnswer(request.operation, 200, reviewValues(review)) };
}

interface AskedComment {
  path: string;
  body: string;
  line: number;
  start_line?: number;
}

function createReview(task: Task, pull: FakePull, body: Record<string, unknown>): Answer {
  const { state, account, request, nextId } = task;
  const commit = typeof body['commit_id'] === 'string' ? body['commit_id'] : pull.head;
  const asked = (body['comments'] ?? []) as AskedComment[];
  const isBlocked = state.reviews.some(
    (each) => each.pull === pull.number && each.state === 'PENDING' && each.author.id === account.id,
  );
  if (isBlocked) return invalid('User can only have one pending review per pull request');
  if (![...(pull.commits ?? []), pull.head].includes(commit))
    return invalid('Commit is not part of the pull request');
  if (body['event'] === 'REQUEST_CHANGES' && account.id === pull.author.id)
    return invalid('Can not request changes on your own pull request');
  if ([body, ...asked].some((each) => String(each.body).length > MOST_BODY))
    return invalid('body is too long');
  const files = commit === pull.head ? pull.files : (pull.filesAt?.[commit] ?? []);
  if (asked.some(({ path }) => !files.some((file) => file.path === path)))
    return invalid('Path could not be resolved');
  const isRefused = (each: AskedComment) =>
    !isInDiff(files, each) || pull.refusedLines?.includes(each.line) === true;
  if (asked.some(isRefused))
    return invalid(
      "Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank",
    );
  const review: FakeReview = {
    id: nextId(),
    pull: pull.number,
    author: account,
    body: String(body['body']),
    state: stateAfter(body['event']),
    commit,
  };
  state.reviews.push(review);
  // The comments of a pending review are not listed, and go away with it.
  for (const each of review.state === 'PENDING' ? [] : asked) {
    const lines = shownLines(files.find(({ path }) => path === each.path)?.patch);
    state.lineComments.push({
      id: nextId(),
      pull: pull.number,
      author: account,
      body: each.body,
      review: review.id,
      path: each.path,
      line: each.line,
      startLine: each.start_line ?? null,
      commit,
      text: lines.get(each.line) ?? '',
    });
  }
  return { body: sampleAnswer(request.operation, 200, reviewValues(review)) };
}

/** A review without an event is not submitted. */
function stateAfter(event: unknown): FakeReview['state'] {
  if (event === undefined) return 'PENDING';
  return event === 'REQUEST_CHANGES' ? 'CHANGES_REQUESTED' : 'COMMENTED';
}

/** GitHub shows a comment on lines of one hunk. */
function isInDiff(
  files: readonly FakeFile[],
  { path, line, start_line: start = line }: AskedComment,
): boolean {
  const hunks = (files.find((file) => file.path === path)?.patch ?? '').split(/^(?=@@ )/m);
  return start <= line && hunks.some((hunk) => shownLines(hunk).has(start) && shownLines(hunk).has(line));
}

/** The lines of the new side that a patch shows, by number. */
function shownLines(patch = ''): Map<number, string> {
  const shown = new Map<number, string>();
  let next = 0;
  for (const line of patch.split('\n')) {
    const start = /^@@ -\S+ \+(\d+)/.exec(line)?.[1];
    if (start !== undefined) next = Number(start);
    else if (line.startsWith('+') || line.startsWith(' ')) {
      shown.set(next, line.slice(1));
      next += 1;
    }
  }
  return shown;
}

function page({ query }: ApiRequest, all: readonly unknown[]): Answer {
  const size = Number(query.get('per_page') ?? 30);
  const start = (Number(query.get('page') ?? 1) - 1) * size;
  return { body: all.slice(start, start + size) };
}

const WEB = 'https://github.example/acme/project/pull';
export const nodeId = ({ id }: { id: number }): string => `NODE_${id}`;
const fileValues = ({ path, patch }: FakeFile) => ({
  filename: path,
  ...(patch === undefined ? {} : { patch }),
});
const commentValues = (each: FakeComment) => ({
  id: each.id,
  node_id: nodeId(each),
  user: userShape(each.author),
  body: each.body,
  html_url: `${WEB}/${each.pull}#issuecomment-${each.id}`,
});
const reviewValues = (each: FakeReview) => ({
  ...commentValues(each),
  state: each.state,
  commit_id: each.commit,
  html_url: `${WEB}/${each.pull}#pullrequestreview-${each.id}`,
});
const lineValues = (each: FakeLineComment) => ({
  ...commentValues(each),
  path: each.path,
  // GitHub says null of a line that is gone, against its own description; left out it means the same.
  ...(each.line === null ? {} : { line: each.line }),
  start_line: each.startLine,
  side: 'RIGHT',
  ...(each.replyTo === undefined ? {} : { in_reply_to_id: each.replyTo }),
  commit_id: each.commit,
  pull_request_review_id: each.review,
  html_url: `${WEB}/${each.pull}#discussion_r${each.id}`,
});
