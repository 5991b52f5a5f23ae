import { createHash } from 'node:crypto';
import {
  GONE,
  permissionAnswer,
  refuse,
  serveApi,
  type Answer,
  type Api,
  type ApiRequest,
  type ApiSettings,
} from './api-server.js';
import { completeAnswer } from './sample.js';
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
  /** By its patch, if nothing is said. */
  status?: 'added' | 'modified' | 'removed' | 'renamed';
  deletions?: number;
  oldPath?: string;
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
  /**
   * The files at each of its commits: the text, or what else git has there. If nothing is said, the changed files are
   * there at all of them, with a hundred lines if they have a patch.
   */
  tree?: Record<string, FakeEntry>;
  /** Where it comes from: the branch `feature` of acme/project if nothing is said; null if that was deleted. */
  branch?: string;
  repository?: string | null;
  /** Lines on which GitHub takes no comment, although the patches show them. */
  refusedLines?: number[];
}
export type FakeEntry = string | { mode: '120000' | '160000'; text: string };
export interface FakeComment {
  id: number;
  pull: number;
  author: Account;
  body: string;
  /** When it was changed; the id says when it was written. */
  editedAt?: string;
}
export interface FakeReview extends FakeComment {
  state: 'COMMENTED' | 'CHANGES_REQUESTED' | 'DISMISSED' | 'PENDING';
  commit: string;
}
export interface FakeLineComment extends FakeComment {
  review: number;
  path: string;
  /** The side before the change, if it is not the new one. */
  side?: 'LEFT';
  /** Null once the line is no longer in the change. */
  line: number | null;
  startLine: number | null;
  /** As they were when it was written. */
  originalLine: number;
  originalStartLine: number | null;
  commit: string;
  /** What stands in the line. */
  text: string;
  /** The comment that this one answers, if it does not begin a thread. */
  replyTo?: number;
  resolvedBy?: Account;
  thumbsDown: Account[];
}
export interface FakeState {
  pulls: FakePull[];
  comments: FakeComment[];
  reviews: FakeReview[];
  lineComments: FakeLineComment[];
  /** The node ids that were folded away. */
  minimized: string[];
  checks: FakeCheck[];
}
export interface FakeCheck {
  id: number;
  head_sha: string;
  name: string;
  external_id: string;
  status: string;
  conclusion: string | null;
  title: string;
  summary: string;
  annotations: Record<string, unknown>[];
}
export interface FakeGithub extends Api {
  state: FakeState;
  /** `METHOD /path`, writes only. */
  writes(): string[];
  /** Somebody writes a comment on a pull request. */
  comment(pull: number, author: Account, body: string): FakeComment;
  /** Somebody begins a review and does not submit it. */
  beginReview(pull: number, author: Account, body: string): FakeReview;
  /** Somebody begins a thread on lines of the new side. */
  commentOnLines(
    comment: Pick<FakeLineComment, 'pull' | 'author' | 'body' | 'path' | 'startLine' | 'commit'> & {
      line: number;
    },
  ): FakeLineComment;
  /** Somebody answers a comment on lines, resolves its thread, or puts 👎 on it. */
  reply(comment: FakeLineComment, author: Account, body: string): FakeLineComment;
  resolve(comment: FakeLineComment, author: Account): void;
  thumbDown(comment: FakeLineComment, author: Account): void;
  /** New commits: the lines of comments move with their text, or are gone. */
  push(pull: number, change: { head: string; files: FakeFile[] }): void;
  /** Other commits instead of those that were there: GitHub no longer knows the lines of any comment. */
  forcePush(pull: number, change: { head: string; base?: string; files: FakeFile[] }): void;
}

export interface FakeToken {
  account: Account;
  access: 'write' | 'read';
  /** The permission that comparing commits requires, as a token of a job has it unless the job says otherwise. */
  contents?: 'read' | 'none';
  /** Whether it may resolve threads. GitHub does not let every token that may write comments do so. */
  resolving?: boolean;
  checks?: 'write' | 'none';
}

export interface FakeSettings extends Pick<ApiSettings, 'base' | 'fault' | 'before'> {
  pulls: FakePull[];
  tokens?: Record<string, FakeToken>;
  /** What people may do; `read` if nothing is said. */
  permissions?: Readonly<Record<string, string>>;
}

const REFUSED: Answer = { status: 403, body: { message: 'Resource not accessible by integration' } };
const invalid = (...errors: string[]): Answer => refuse(422, 'Unprocessable Entity', { errors });
const MAX_BODY = 65_536;

/** What GitHub lists at most, whoever asks for more. */
const LISTED = { commits: 250, files: 3000, comparedFiles: 300 };

/**
 * GitHub on this machine: pull requests, their files, comments and reviews, with a memory. Every request and answer
 * is held against GitHub's description (closing it fails if one was wrong), and it refuses what GitHub refuses:
 * lines outside of the diff, texts that are too long, requests for changes of one's own pull request, tokens that
 * can only read, a review of an account that has a pending one. It lists no more than GitHub lists, and shows a
 * pending review only to its author.
 */
export async function startGithub(settings: FakeSettings): Promise<FakeGithub> {
  const { pulls, tokens, permissions = {}, ...server } = settings;
  const state: FakeState = { pulls, comments: [], reviews: [], lineComments: [], minimized: [], checks: [] };
  const accounts = tokens ?? {
    [WRITE_TOKEN]: { account: ACTIONS_BOT, access: 'write' },
    [READ_TOKEN]: { account: ACTIONS_BOT, access: 'read' },
  };
  const nextId = createIds();
  const answering = (request: ApiRequest): Answer => {
    const token = request.authorization.replace(/^(?:token|bearer) /i, '');
    const who = Object.hasOwn(accounts, token) ? accounts[token] : undefined;
    return who ? perform({ state, request, nextId, permissions, ...who }) : refuse(401, 'Bad credentials');
  };
  const api = await serveApi(answering, server);
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
    commentOnLines({ line, startLine, ...comment }) {
      const place = { line, startLine, originalLine: line, originalStartLine: startLine };
      const made = { ...comment, ...place, id: nextId(), review: 0, text: '', thumbsDown: [] };
      state.lineComments.push(made);
      return made;
    },
    reply: (comment, author, body) => addReply(state, { to: comment, author, body, id: nextId() }),
    resolve(comment, author) {
      comment.resolvedBy = author;
    },
    thumbDown(comment, author) {
      comment.thumbsDown.push(author);
    },
    forcePush(number, { head, base: newBase, files }) {
      const pull = state.pulls.find((each) => each.number === number);
      if (!pull) throw new Error(`no pull request ${number}`);
      Object.assign(pull, { commits: [head], head, files, filesAt: {} }, newBase ? { base: newBase } : {});
      for (const comment of state.lineComments.filter((each) => each.pull === number)) comment.line = null;
    },
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
        const lines = shownLines(files.find(({ path }) => path === comment.path)?.patch, comment.side);
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
  permissions: Readonly<Record<string, string>>;
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
  if (operation.endsWith('/annotations')) return { body: [] };
  if (operation.includes('/check-runs')) return performChecks(task, body);
  if (operation.includes('/collaborators/{username}/permission')) {
    const login = request.parameters['username'] ?? '';
    const type = login.endsWith('[bot]') ? 'Bot' : 'User';
    return permissionAnswer(task.permissions[login] ?? 'read', login, type);
  }
  if (operation.includes('/git/')) return task.contents === 'none' ? REFUSED : readGitData(task);
  if (operation.includes('/compare/{basehead}')) return task.contents === 'none' ? REFUSED : compare(task);
  const pull = state.pulls.find(({ number }) => number === numberOf(request));
  if (!pull) return GONE;
  const of = <T extends { pull: number }>(all: readonly T[]) =>
    all.filter((each) => each.pull === pull.number);
  switch (operation.replace('/repos/{owner}/{repo}', '')) {
    case 'GET /pulls/{pull_number}':
      return {
        body: completeAnswer(operation, 200, {
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
      return page(request, pull.files.slice(0, LISTED.files).map(fileValues));
    case 'GET /pulls/{pull_number}/commits':
      return page(
        request,
        commitsOf(pull)
          .slice(0, LISTED.commits)
          .map((sha) => ({ sha })),
      );
    case 'GET /pulls/{pull_number}/reviews':
      return page(
        request,
        of(state.reviews)
          .filter((each) => each.state !== 'PENDING' || each.author.id === account.id)
          .map(reviewValues),
      );
    case 'GET /pulls/{pull_number}/comments':
      return page(request, of(state.lineComments).map(lineValues));
    case 'GET /issues/{issue_number}/comments':
      return page(request, of(state.comments).map(commentValues));
    case 'POST /issues/{issue_number}/comments': {
      if (String(body['body']).length > MAX_BODY) return invalid('body is too long');
      const comment = { id: task.nextId(), pull: pull.number, author: account, body: String(body['body']) };
      state.comments.push(comment);
      return { status: 201, body: commentValues(comment) };
    }
    case 'POST /pulls/{pull_number}/reviews':
      return createReview(task, pull, body);
    case 'PUT /pulls/{pull_number}/reviews/{review_id}': {
      const review = state.reviews.find(({ id }) => id === Number(request.parameters['review_id']));
      if (!review) return GONE;
      if (review.author.id !== account.id) return refuse(403, 'Forbidden');
      if (String(body['body']).length > MAX_BODY) return invalid('body is too long');
      Object.assign(review, { body: String(body['body']), editedAt: timeOf(task.nextId()) });
      return { body: reviewValues(review) };
    }
    case 'POST /pulls/{pull_number}/comments/{comment_id}/replies': {
      const to = state.lineComments.find(({ id }) => id === Number(request.parameters['comment_id']));
      if (!to || to.replyTo !== undefined) return GONE;
      const reply = addReply(state, { to, author: account, body: String(body['body']), id: task.nextId() });
      return { status: 201, body: lineValues(reply) };
    }
    case 'PUT /pulls/{pull_number}/reviews/{review_id}/dismissals': {
      const review = state.reviews.find(({ id }) => id === Number(request.parameters['review_id']));
      if (!review) return GONE;
      review.state = 'DISMISSED';
      return { body: reviewValues(review) };
    }
    default:
      return GONE;
  }
}

const FORBIDDEN = 'Resource not accessible by integration';
const refuseGraphql = (type: string): Answer => ({
  body: { data: null, errors: [{ type, message: FORBIDDEN }] },
});

function performGraphql(task: Task, body: Record<string, unknown>): Answer {
  const { state, account, access, resolving = true } = task;
  const query = String(body['query']);
  const variables = (body['variables'] ?? {}) as Record<string, unknown>;
  if (query.includes('viewer {'))
    return { body: { data: { viewer: { databaseId: account.id, login: account.login } } } };
  if (query.startsWith('query')) return readGraphql(task, query, variables);
  const id = String(variables['id']);
  const known = [...state.comments, ...state.reviews, ...state.lineComments].find((each) =>
    [nodeId(each), threadId(each)].includes(id),
  );
  if (!known) return refuseGraphql('NOT_FOUND');
  if (access === 'read') return refuseGraphql('FORBIDDEN');
  if (query.includes('resolveReviewThread')) {
    if (!resolving) return refuseGraphql('FORBIDDEN');
    (known as FakeLineComment).resolvedBy = account;
    return { body: { data: { resolveReviewThread: { thread: { isResolved: true } } } } };
  }
  state.minimized.push(id);
  return { body: { data: { minimizeComment: { minimizedComment: { isMinimized: true } } } } };
}

/** GraphQL leaves the `[bot]` out of the name of a bot. */
const actor = ({ login, id }: Account) => ({ login: login.replace(/\[bot\]$/, ''), databaseId: id });
const user = ({ login, id }: Account) => ({ login, databaseId: id });

/** The lists of a pull request, page by page, and the replies of threads. */
function readGraphql(task: Task, query: string, variables: Record<string, unknown>): Answer {
  const { state, account } = task;
  if ('ids' in variables) {
    const nodes = (variables['ids'] as string[]).map((id) => {
      const root = state.lineComments.find((each) => threadId(each) === id);
      if (!root) return null;
      const all = threadOf(state, root);
      const end = Number(variables['before'] ?? all.length);
      const start = Math.max(0, end - 50);
      const pageInfo = { hasPreviousPage: start > 0, startCursor: String(start) };
      return { id, comments: { pageInfo, nodes: all.slice(start, end).map(replyNode) } };
    });
    return { body: { data: { nodes } } };
  }
  const of = <T extends { pull: number }>(all: readonly T[]) =>
    all.filter(({ pull }) => pull === variables['number']);
  const list = <T>(name: string, all: readonly T[], node: (each: T) => unknown): Answer => {
    const start = Number(variables['after'] ?? 0);
    const page = {
      pageInfo: { hasNextPage: start + 100 < all.length, endCursor: String(start + 100) },
      nodes: all.slice(start, start + 100).map(node),
    };
    return { body: { data: { repository: { pullRequest: { [name]: page } } } } };
  };
  if (query.includes('reviewThreads(')) {
    const roots = of(state.lineComments).filter(({ replyTo }) => replyTo === undefined);
    return list('reviewThreads', roots, (root) => threadNode(state, root));
  }
  if (query.includes('reviews(')) {
    const seen = of(state.reviews).filter(
      (each) => each.state !== 'PENDING' || each.author.id === account.id,
    );
    return list('reviews', seen, remarkNode);
  }
  return list('comments', of(state.comments), remarkNode);
}

const threadOf = ({ lineComments }: FakeState, root: FakeLineComment): FakeLineComment[] => [
  root,
  ...lineComments.filter(({ replyTo }) => replyTo === root.id),
];
const remarkNode = (each: FakeComment) => ({
  body: each.body,
  url: `${WEB}/${each.pull}#issuecomment-${each.id}`,
  createdAt: timeOf(each.id),
  lastEditedAt: each.editedAt ?? null,
  author: actor(each.author),
});
const replyNode = (each: FakeLineComment) => ({
  id: nodeId(each),
  body: each.body,
  authorAssociation: 'NONE',
  author: actor(each.author),
});
const threadNode = (state: FakeState, root: FakeLineComment) => ({
  id: threadId(root),
  isResolved: root.resolvedBy !== undefined,
  isOutdated: root.line === null,
  diffSide: root.side ?? 'RIGHT',
  path: root.path,
  line: root.line,
  startLine: root.line === null ? null : root.startLine,
  originalLine: root.originalLine,
  originalStartLine: root.originalStartLine,
  resolvedBy: root.resolvedBy ? user(root.resolvedBy) : null,
  comments: {
    totalCount: threadOf(state, root).length,
    nodes: [
      {
        id: nodeId(root),
        fullDatabaseId: String(root.id),
        url: `${WEB}/${root.pull}#discussion_r${root.id}`,
        body: root.body,
        isMinimized: state.minimized.includes(nodeId(root)),
        author: actor(root.author),
        originalCommit: { oid: root.commit },
        reactions: { nodes: root.thumbsDown.slice(0, 50).map((who) => ({ user: user(who) })) },
      },
    ],
  },
});

function addReply(
  { lineComments }: FakeState,
  { to, author, body, id }: { to: FakeLineComment; author: Account; body: string; id: number },
): FakeLineComment {
  const { resolvedBy: _resolved, ...place } = to;
  const reply: FakeLineComment = { ...place, id, author, body, replyTo: to.id, thumbsDown: [] };
  lineComments.push(reply);
  return reply;
}

/** GitHub takes at most so many annotations in one request, and so many characters of a text. */
const MAX_ANNOTATIONS = 50;
const MAX_SUMMARY = 65_535;

/** Check runs. Annotations of an update are added to those that are there. */
function performChecks(
  { state, request, nextId, checks = 'write' }: Task,
  body: Record<string, unknown>,
): Answer {
  const { operation, parameters } = request;
  const answer = (status: number, check: FakeCheck): Answer => ({
    status,
    body: checkValues(check),
  });
  if (operation.startsWith('GET')) {
    const name = request.query.get('check_name');
    const found = state.checks
      .filter((each) => each.head_sha === parameters['ref'] && (name === null || each.name === name))
      .reverse();
    const { body: some } = page(request, found.map(checkValues));
    return { body: { total_count: found.length, check_runs: some } };
  }
  if (checks === 'none') return REFUSED;
  const output = (body['output'] ?? {}) as { title?: string; summary?: string; annotations?: unknown[] };
  const annotations = (output.annotations ?? []) as Record<string, unknown>[];
  if (annotations.length > MAX_ANNOTATIONS) return invalid('too many annotations');
  const texts = [output.summary ?? '', ...annotations.map(({ message }) => String(message))];
  if (texts.some((text) => text.length > MAX_SUMMARY)) return invalid('a text is too long');
  if (operation.startsWith('PATCH')) {
    const check = state.checks.find(({ id }) => id === Number(parameters['check_run_id']));
    if (!check) return GONE;
    const { title = check.title, summary = check.summary } = output;
    const { status = check.status, conclusion = check.conclusion } = body as Partial<FakeCheck>;
    Object.assign(check, { title, summary, status, conclusion });
    check.annotations.push(...annotations);
    return answer(200, check);
  }
  const { name, head_sha, external_id, status, conclusion } = {
    conclusion: null,
    ...body,
  } as unknown as FakeCheck;
  const { title = '', summary = '' } = output;
  const check = {
    id: nextId(),
    name,
    head_sha,
    external_id,
    status,
    conclusion,
    title,
    summary,
    annotations,
  };
  state.checks.push(check);
  return answer(201, check);
}

const checkValues = ({ id, name, head_sha, external_id, status, conclusion, ...output }: FakeCheck) => ({
  ...{ id, name, head_sha, external_id, status, conclusion },
  html_url: `https://github.example/acme/project/runs/${id}`,
  output: {
    title: output.title,
    summary: output.summary,
    annotations_count: output.annotations.length,
  },
});

/** Updates or deletes a comment below a pull request, or one on lines. */
function changeComment(
  { request, account, nextId }: Task,
  comments: FakeComment[],
  body: Record<string, unknown>,
): Answer {
  const comment = comments.find(({ id }) => id === Number(request.parameters['comment_id']));
  if (!comment) return GONE;
  if (comment.author.id !== account.id) return refuse(403, 'Forbidden');
  if (request.operation.startsWith('DELETE')) {
    comments.splice(comments.indexOf(comment), 1);
    return { status: 204 };
  }
  if (String(body['body']).length > MAX_BODY) return invalid('body is too long');
  Object.assign(comment, { body: String(body['body']), editedAt: timeOf(nextId()) });
  return {
    body: 'path' in comment ? lineValues(comment as unknown as FakeLineComment) : commentValues(comment),
  };
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
  if (!pull || !line.includes(base)) return GONE;
  const files = pull.filesAt?.[head] ?? (pull.head === head ? pull.files : []);
  const values = {
    status: ahead > 0 ? 'ahead' : ahead < 0 ? 'behind' : 'identical',
    ahead_by: Math.max(0, ahead),
    behind_by: Math.max(0, -ahead),
    files: files.slice(0, LISTED.comparedFiles).map(fileValues),
  };
  return { body: values };
}

const hashOf = (...parts: string[]): string => createHash('sha1').update(JSON.stringify(parts)).digest('hex');

/** One folder, or one file, by its id. A commit stands for its top folder. */
function readGitData({ state, request }: Task): Answer {
  const { operation, parameters } = request;
  const id = parameters['tree_sha'] ?? parameters['file_sha'] ?? '';
  for (const pull of state.pulls) {
    const files = Object.entries(pull.tree ?? defaultTree(pull));
    const idOf = (path: string) => hashOf(String(pull.number), path);
    const file = files.find(([path]) => idOf(path) === id);
    if (file && operation.includes('/git/blobs/')) {
      const text = typeof file[1] === 'string' ? file[1] : file[1].text;
      const values = { sha: id, content: Buffer.from(text).toString('base64'), encoding: 'base64' };
      return { body: values };
    }
    const folders = new Set(
      files.flatMap(([path]) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))),
    );
    const isTop = commitsOf(pull).includes(id);
    const folder = isTop ? '' : [...folders].find((path) => idOf(path) === id);
    if (folder === undefined || !operation.includes('/git/trees/')) continue;
    const inFolder = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/'))) === folder;
    const name = (path: string) => path.slice(path.lastIndexOf('/') + 1);
    const tree = [
      ...[...folders]
        .filter(inFolder)
        .map((path) => ({ path: name(path), mode: '040000', type: 'tree', sha: idOf(path) })),
      ...files
        .filter(([path]) => inFolder(path))
        .map(([path, entry]) => ({
          path: name(path),
          mode: typeof entry === 'string' ? '100644' : entry.mode,
          type: typeof entry !== 'string' && entry.mode === '160000' ? 'commit' : 'blob',
          sha: idOf(path),
          ...(typeof entry === 'string' ? { size: Buffer.byteLength(entry) } : {}),
        })),
    ];
    return { body: { sha: id, truncated: false, tree } };
  }
  return GONE;
}

const defaultTree = ({ files, filesAt = {} }: FakePull): Record<string, FakeEntry> =>
  Object.fromEntries(
    [...files, ...Object.values(filesAt).flat()]
      .filter(({ status }) => status !== 'removed')
      .map(({ path, patch }) => [path, patch === undefined ? '\0' : 'a line\n'.repeat(100)]),
  );

interface AskedComment {
  path: string;
  body: string;
  line: number;
  start_line?: number;
  side?: string;
}

function createReview(task: Task, pull: FakePull, body: Record<string, unknown>): Answer {
  const { state, account, nextId } = task;
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
  if ([body, ...asked].some((each) => String(each.body).length > MAX_BODY))
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
    const lines = shownLines(files.find(({ path }) => path === each.path)?.patch, each.side);
    state.lineComments.push({
      ...(each.side === 'LEFT' ? { side: 'LEFT' as const } : {}),
      id: nextId(),
      pull: pull.number,
      author: account,
      body: each.body,
      review: review.id,
      path: each.path,
      line: each.line,
      startLine: each.start_line ?? null,
      originalLine: each.line,
      originalStartLine: each.start_line ?? null,
      commit,
      text: lines.get(each.line) ?? '',
      thumbsDown: [],
    });
  }
  return { body: reviewValues(review) };
}

/** A review without an event is not submitted. */
function stateAfter(event: unknown): FakeReview['state'] {
  if (event === undefined) return 'PENDING';
  return event === 'REQUEST_CHANGES' ? 'CHANGES_REQUESTED' : 'COMMENTED';
}

/** GitHub shows a comment on lines of one hunk. */
function isInDiff(
  files: readonly FakeFile[],
  { path, line, start_line: start = line, side }: AskedComment,
): boolean {
  const hunks = (files.find((file) => file.path === path)?.patch ?? '').split(/^(?=@@ )/m);
  const shows = (hunk: string, number: number) => shownLines(hunk, side).has(number);
  return start <= line && hunks.some((hunk) => shows(hunk, start) && shows(hunk, line));
}

/** The lines of one side that a patch shows, by number: of the new side unless it is `LEFT`. */
function shownLines(patch = '', side = 'RIGHT'): Map<number, string> {
  const shown = new Map<number, string>();
  let next = 0;
  for (const line of patch.split('\n')) {
    const head = /^@@ -(\d+)\S* \+(\d+)/.exec(line);
    if (head) next = Number(head[side === 'LEFT' ? 1 : 2]);
    else if (line.startsWith(side === 'LEFT' ? '-' : '+') || line.startsWith(' ')) {
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
/** Ids only grow, so they say when something was written. */
const timeOf = (id: number): string => new Date(Date.UTC(2030, 0, 1) + id * 1000).toISOString();
export const threadId = ({ id }: { id: number }): string => `THREAD_${id}`;
export const nodeId = ({ id }: { id: number }): string => `NODE_${id}`;
const fileValues = ({ path, patch, status, deletions, oldPath }: FakeFile) => ({
  filename: path,
  status: status ?? (patch?.startsWith('@@ -0,0 ') === true ? 'added' : 'modified'),
  deletions: deletions ?? (patch?.match(/^-/gm) ?? []).length,
  ...(patch === undefined ? {} : { patch }),
  ...(oldPath === undefined ? {} : { previous_filename: oldPath }),
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
  side: each.side ?? 'RIGHT',
  ...(each.replyTo === undefined ? {} : { in_reply_to_id: each.replyTo }),
  commit_id: each.commit,
  pull_request_review_id: each.review,
  html_url: `${WEB}/${each.pull}#discussion_r${each.id}`,
});
