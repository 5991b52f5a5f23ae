import { permissionAnswer, REPO, type Answer, type ApiRequest } from '../github/api-server.js';
import { userShape } from '../github/shapes.js';
import { ACTIONS_BOT, createIds, MARY, perform, type FakePull } from '../github/stateful-fake.js';
import { REPOSITORY, type Payload } from './events.js';
import type { Pull, World } from './world.js';

/** What a token may do, by the names that workflows use for permissions. */
export type Token = Readonly<Record<string, string>>;
type Handler = (world: World, request: ApiRequest) => Answer;

type Need = readonly [permission: string, level: 'read' | 'write'];

/**
 * The permission that each operation requires, from GitHub's documentation; where there are several, one of them is
 * enough. An operation that is not here fails the test.
 */
const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  // Every token can do this: it belongs to `metadata: read`.
  [`GET ${REPO}/collaborators/{username}/permission`]: [],
  [`GET ${REPO}/pulls`]: [['pull-requests', 'read']],
  [`POST ${REPO}/pulls`]: [['pull-requests', 'write']],
  [`GET ${REPO}/pulls/{pull_number}`]: [['pull-requests', 'read']],
  [`GET ${REPO}/pulls/{pull_number}/files`]: [['pull-requests', 'read']],
  [`GET ${REPO}/pulls/{pull_number}/commits`]: [['pull-requests', 'read']],
  [`GET ${REPO}/pulls/{pull_number}/reviews`]: [['pull-requests', 'read']],
  [`GET ${REPO}/pulls/{pull_number}/comments`]: [['pull-requests', 'read']],
  [`POST ${REPO}/pulls/{pull_number}/comments/{comment_id}/replies`]: [['pull-requests', 'write']],
  [`PATCH ${REPO}/pulls/comments/{comment_id}`]: [['pull-requests', 'write']],
  [`POST ${REPO}/pulls/{pull_number}/reviews`]: [['pull-requests', 'write']],
  [`DELETE ${REPO}/pulls/{pull_number}/reviews/{review_id}`]: [['pull-requests', 'write']],
  [`PUT ${REPO}/pulls/{pull_number}/reviews/{review_id}/dismissals`]: [['pull-requests', 'write']],
  [`GET ${REPO}/compare/{basehead}`]: [['contents', 'read']],
  [`PATCH ${REPO}/pulls/{pull_number}`]: [['pull-requests', 'write']],
  [`GET ${REPO}/commits/{commit_sha}/pulls`]: [['pull-requests', 'read']],
  [`GET ${REPO}/activity`]: [['contents', 'read']],
  [`GET ${REPO}/issues/{issue_number}/comments`]: either('read'),
  [`POST ${REPO}/issues/{issue_number}/comments`]: either('write'),
  [`PATCH ${REPO}/issues/comments/{comment_id}`]: either('write'),
  [`DELETE ${REPO}/issues/comments/{comment_id}`]: either('write'),
  [`GET ${REPO}/issues/{issue_number}/events`]: either('read'),
  [`GET ${REPO}/actions/workflows/{workflow_id}/runs`]: [['actions', 'read']],
  [`GET ${REPO}/actions/runs/{run_id}`]: [['actions', 'read']],
  [`GET ${REPO}/actions/runs/{run_id}/jobs`]: [['actions', 'read']],
  [`GET ${REPO}/actions/runs/{run_id}/attempts/{attempt_number}/jobs`]: [['actions', 'read']],
  [`GET ${REPO}/actions/jobs/{job_id}/logs`]: [['actions', 'read']],
  [`GET ${REPO}/check-runs/{check_run_id}/annotations`]: [['checks', 'read']],
};

/** GraphQL has one address for everything; what it needs depends on the text. */
const GRAPHQL_NEEDS: Readonly<Record<string, readonly Need[]>> = {
  viewer: [],
  // What a pull request and its threads say, by the queries that read them.
  repository: either('read'),
  nodes: either('read'),
  resolveReviewThread: [['contents', 'write']],
  minimizeComment: either('write'),
};

/** Comments on a pull request are those of its issue. */
function either(level: 'read' | 'write'): Need[] {
  return [
    ['pull-requests', level],
    ['issues', level],
  ];
}

function needsOf({ operation, body }: ApiRequest): readonly Need[] {
  const field = (body as { query?: string } | undefined)?.query?.match(/\{\s*(\w+)/)?.[1] ?? '';
  const [table, name] =
    operation === 'POST /graphql' ? [GRAPHQL_NEEDS, field] : ([NEEDS, operation] as const);
  const needs = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!needs) throw new Error(`the tests do not know which permission ${operation} ${field} needs`);
  return needs;
}

/** Whether a token may do this. Of another repository it may read what is public, and change nothing. */
function isPermitted(token: Token, request: ApiRequest): boolean {
  const needs = needsOf(request);
  const { owner = '', repo = '' } = request.parameters;
  const isOwn = request.operation === 'POST /graphql' || `${owner}/${repo}` === REPOSITORY.full_name;
  if (!isOwn) return request.operation.startsWith('GET ');
  const has = ([permission, level]: Need) => ['write', level].includes(token[permission] ?? 'none');
  return needs.length === 0 || needs.some(has);
}

/** What the emulator answers: the git database, branches and how commits are related. */
const isOfGit = ({ operation, query, body }: ApiRequest): boolean =>
  operation.includes(`${REPO}/git/`) ||
  [`GET ${REPO}`, `GET ${REPO}/branches/{branch}`].includes(operation) ||
  (operation === `GET ${REPO}/compare/{basehead}` && query.has('per_page')) ||
  (operation === 'POST /graphql' && JSON.stringify(body).includes('updateRefs'));

/** Answers as GitHub would: 401 to an unknown token, 403 to one without the permission. */
export async function answerAs(
  world: World,
  tokens: ReadonlyMap<string, Token>,
  request: ApiRequest,
): Promise<Answer> {
  const token = tokens.get(request.authorization.replace(/^(token|bearer) /i, ''));
  if (!token) return { status: 401, body: { message: 'Bad credentials' } };
  if (isOfGit(request)) {
    const answer = await (await world.emulated()).answer(request, token);
    if (answer.status === 403) world.state.refused.push(request.operation);
    world.refreshPulls();
    return answer;
  }
  if (!isPermitted(token, request)) {
    world.state.refused.push(request.operation);
    return { status: 403, body: { message: 'Resource not accessible by integration' } };
  }
  const handler = Object.hasOwn(HANDLERS, request.operation) ? HANDLERS[request.operation] : undefined;
  return handler ? handler(world, request) : publish(world, request);
}

const pullOf = ({ state }: World, { parameters }: ApiRequest): Pull => {
  const number = Number(parameters['pull_number'] ?? parameters['issue_number']);
  const found = state.pulls.find((pull) => pull.number === number);
  if (!found) throw new Error(`there is no pull request ${number}`);
  return found;
};

/** As the filter `head` names the branch of a pull request. */
const headOf = ({ repository, branch }: Pull): string => `${repository.split('/')[0] ?? ''}:${branch}`;

/** A link to the next page, if there is one. */
function nextPage({ api }: World, request: ApiRequest, count: number): Record<string, string> {
  const { query, operation, parameters } = request;
  const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 30)];
  if (page * size >= count) return {};
  const next = new URLSearchParams(query);
  next.set('page', String(page + 1));
  const path = operation
    .replace(/^GET /, '')
    .replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  return { link: `<${api.url}${path}?${next.toString()}>; rel="next"` };
}

const firstPage = <T>({ query }: ApiRequest, items: T[]): T[] => {
  const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 30)];
  return items.slice((page - 1) * size, page * size);
};

const HANDLERS: Readonly<Record<string, Handler>> = {
  [`GET ${REPO}/collaborators/{username}/permission`]: ({ state }, { parameters }) => {
    const login = parameters['username'] ?? '';
    return permissionAnswer(state.permissions[login] ?? 'none', login);
  },
  [`GET ${REPO}/pulls`]: (world, request) => {
    const wanted = (name: string) => request.query.get(name);
    const state = wanted('state') ?? 'open';
    const isWanted = (pull: Pull) =>
      (state === 'all' || pull.state === state) &&
      pull.base === (wanted('base') ?? pull.base) &&
      headOf(pull) === (wanted('head') ?? headOf(pull));
    const found = world.state.pulls.filter(isWanted).reverse();
    return {
      body: firstPage(request, found).map((pull) => world.pullShape(pull)),
      headers: nextPage(world, request, found.length),
    };
  },
  [`POST ${REPO}/pulls`]: createPull,
  [`GET ${REPO}/pulls/{pull_number}`]: (world, request) => ({
    body: world.pullShape(pullOf(world, request)),
  }),
  [`PATCH ${REPO}/pulls/{pull_number}`]: (world, request) => {
    const pull = Object.assign(pullOf(world, request), request.body);
    return { body: world.pullShape(pull) };
  },
  [`GET ${REPO}/activity`]: ({ state }, request) => {
    const { owner = '', repo = '' } = request.parameters;
    const found = state.pushes.filter(
      ({ repository, ref }) => repository === `${owner}/${repo}` && ref === request.query.get('ref'),
    );
    return { body: firstPage(request, found) };
  },
  [`GET ${REPO}/actions/workflows/{workflow_id}/runs`]: (world, request) => {
    const since = request.query.get('created')?.replace(/^>=/, '') ?? '';
    const found = world.state.runs.filter(({ createdAt }) => createdAt >= since);
    const runs = firstPage(request, found).map((run, id) => runShape(id + 1, run));
    const headers = nextPage(world, request, found.length);
    return { body: { total_count: found.length, workflow_runs: runs }, headers };
  },
  [`GET ${REPO}/actions/runs/{run_id}`]: ({ state }, { parameters }) => ({
    body: runShape(Number(parameters['run_id']), {
      ...{ conclusion: null, createdAt: new Date().toISOString() },
      ...(state.running ? { pull: state.running } : {}),
    }),
  }),
  [`GET ${REPO}/issues/{issue_number}/events`]: (world, request) => {
    const found = pullOf(world, request).labelled.map(({ event, name, by, at }) => ({
      ...{ event, actor: userShape(by), created_at: at, label: { name } },
    }));
    return { body: firstPage(request, found) };
  },
  [`GET ${REPO}/actions/runs/{run_id}/jobs`]: jobsAnswer,
  [`GET ${REPO}/actions/runs/{run_id}/attempts/{attempt_number}/jobs`]: jobsAnswer,
  [`GET ${REPO}/actions/jobs/{job_id}/logs`]: ({ state }, { parameters }) => ({
    text: state.logs[parameters['job_id'] ?? ''] ?? '',
  }),
};

function createPull(world: World, { body }: ApiRequest): Answer {
  const given = body as { title: string; head: string; base: string; body?: string; draft?: boolean };
  for (const branch of [given.head, given.base]) {
    if (world.git('for-each-ref', `refs/heads/${branch}`) === '')
      return {
        status: 422,
        body: { message: 'Validation Failed', errors: [{ field: 'head', code: 'invalid' }] },
      };
  }
  const pull = world.openPull({
    title: given.title,
    body: given.body ?? '',
    branch: given.head,
    base: given.base,
    draft: given.draft ?? false,
    author: ACTIONS_BOT,
  });
  return { status: 201, body: world.pullShape(pull) };
}

/** The stateful fake keeps comments and reviews. What it needs to know about a pull request is read from git. */
function publish(world: World, request: ApiRequest): Answer {
  const { published } = world.state;
  published.pulls = world.state.pulls.map((pull) => fakePull(world, pull));
  return perform({
    state: published,
    request,
    account: ACTIONS_BOT,
    access: 'write',
    nextId,
    permissions: {},
  });
}

const nextId = createIds();

/** Cached, because large changes are read page by page and the diff of two commits never changes. */
const known = new Map<string, FakePull>();

function fakePull(world: World, pull: Pull): FakePull {
  const names = [`refs/heads/${pull.base}`, `refs/pull/${pull.number}/head`];
  const key = names.map(world.tipOf).join(' ');
  const found = known.get(key) ?? readPull(world, pull);
  known.set(key, found);
  return { ...found, number: pull.number, author: pull.author };
}

function readPull(world: World, pull: Pull): FakePull {
  const [base, head] = [`refs/heads/${pull.base}`, `refs/pull/${pull.number}/head`];
  const parts = world.git('diff', '--no-renames', `${base}...${head}`).split(/^diff --git .*\n/m);
  const files = parts.slice(1).map((part) => {
    const at = part.indexOf('\n@@');
    const path = /^(?:\+\+\+ b|--- a)\/(.+)$/m.exec(part)?.[1] ?? '';
    return { path, ...(at < 0 ? {} : { patch: part.slice(at + 1) }) };
  });
  const commits = world.git('rev-list', '--reverse', `${base}..${head}`).split('\n');
  const [headCommit, baseCommit] = [world.tipOf(head), world.tipOf(base)];
  return { number: pull.number, head: headCommit, base: baseCommit, author: pull.author, files, commits };
}

function runShape(id: number, { conclusion, createdAt, pull, by }: World['state']['runs'][number]): Payload {
  const actor = userShape(by ?? MARY);
  return {
    ...{ id, conclusion, status: 'completed', created_at: createdAt, path: '.github/workflows/fix-ci.yml' },
    ...{ name: 'CI', display_title: 'CI', actor, triggering_actor: actor },
    head_repository: { full_name: pull?.repository ?? REPOSITORY.full_name },
    ...(pull ? { head_branch: pull.branch } : {}),
  };
}

/** The failed jobs of the run. The times of the failed step are those of the lines in the logs. */
function jobsAnswer({ state }: World, { parameters }: ApiRequest): Answer {
  const times = { started_at: '2026-01-01T08:00:00Z', completed_at: '2026-01-01T08:00:09Z' };
  const failed = { status: 'completed', conclusion: 'failure' };
  const jobs = Object.keys(state.logs).map((id, index) => ({
    ...{ id: Number(id), run_id: Number(parameters['run_id']), name: `test ${index + 1}`, ...failed },
    ...{ check_run_url: `https://api.github.example/check-runs/${id}`, workflow_name: 'CI' },
    steps: [{ name: 'Test', number: 2, ...failed, ...times }],
  }));
  return { body: { total_count: jobs.length, jobs } };
}
