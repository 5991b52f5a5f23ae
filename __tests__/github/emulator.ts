import { createEmulator, type Emulator } from 'emulate';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { GONE, refuse, REPO, type Answer, type ApiRequest } from './api-server.js';
import { Mirror, tipOf, type Call } from './mirror.js';
import { completeAnswer } from './sample.js';
import { userShape, type Account } from './shapes.js';
import { ACTIONS_BOT, MARY, STRANGER } from './stateful-fake.js';

/**
 * An independent GitHub: npm's `emulate`, with the repository acme/project. What it does was found by running 0.12.2.
 *
 * It does, and these tests leave to it: the git database with git's own ids, refs, branches and their protection,
 * comparisons, forks, pull requests, labels, requests for reviews, comments, check runs, and tokens of an app with
 * permissions (403 without one).
 *
 * It does not, so that this file adds it:
 * - GraphQL. `updateRefs` and the comments of a pull request are asked for with its REST API.
 * - Signatures. A commit without an author or committer of its own is signed by web-flow.
 * - An unknown token is taken for that of its first user, so it never gets one.
 * - It opens a second pull request for the same branch, and one for a branch that does not exist, which it creates.
 * - The head of a pull request stays where it was when its branch moves.
 * - Pull requests have no assignees.
 * - Many properties are left out of its answers. They are filled in from GitHub's description.
 *
 * It does neither reviews with comments on lines (without `position` they fail, and the review is there all the same),
 * nor replies, threads, reactions, limits for the length of a text, or the files of a pull request (the list is empty).
 * Those are the business of stateful-fake.ts.
 */
export interface EmulatedGithub {
  /** What GitHub says to a token with these permissions. */
  answer(request: ApiRequest, permissions: Permissions): Promise<Answer>;
  /** Asks as the owner or as somebody else, below the repository. */
  as(account: Account): Call;
  /** Sends what git has got since, which each request does too. */
  send(): Promise<void>;
  /** The commits that GitHub signed. */
  signed: ReadonlySet<string>;
  /** Who is assigned to a pull request. */
  assignees(pull: number): string[];
  close(): Promise<void>;
}
/** By the names that workflows use. */
export type Permissions = Readonly<Record<string, string>>;

const WEB_FLOW: Account = { login: 'web-flow', id: 19_864_447, type: 'User' };
const ACCOUNTS = new Map([ACTIONS_BOT, MARY, STRANGER, WEB_FLOW].map((account) => [account.login, account]));
/** With the addresses by which commits are theirs. */
const USERS = [
  { login: MARY.login, name: 'Mary', email: 'mary@example.com' },
  { login: STRANGER.login, name: 'Stranger', email: 'stranger@example.com' },
  { login: WEB_FLOW.login, name: 'GitHub', email: 'noreply@github.com' },
];
const APP = 15_368;
const GRANTED = { contents: 'write', pull_requests: 'write', issues: 'write', checks: 'write' };
const { privateKey: KEY } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export async function startEmulator(bare: string): Promise<EmulatedGithub> {
  const emulator = await createEmulator({
    service: 'github',
    port: 0,
    seed: {
      tokens: { owner_mary: { login: MARY.login }, owner_stranger: { login: STRANGER.login } },
      github: {
        users: USERS,
        orgs: [{ login: 'acme', members: [{ login: MARY.login, role: 'admin' }] }],
        repos: [{ owner: 'acme', name: 'project', private: true, auto_init: false }],
        apps: [
          {
            ...{ app_id: APP, slug: 'github-actions', name: 'GitHub Actions', permissions: GRANTED },
            private_key: KEY.export({ type: 'pkcs1', format: 'pem' }),
            installations: [{ installation_id: 1, account: 'acme', repository_selection: 'all' }],
          },
        ],
      },
    },
  });
  const as =
    ({ login }: Account): Call =>
    async (method, path, body) => {
      const answer = await ask(emulator, { token: `owner_${login}`, method, path: PROJECT + path, body });
      if ((answer.status ?? 200) >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body as Record<string, unknown>;
    };
  const tokens = new Map<string, Promise<string>>();
  const tokenOf = (permissions: Permissions): Promise<string> => {
    const key = JSON.stringify(permissions);
    const token = tokens.get(key) ?? mintToken(emulator, permissions);
    tokens.set(key, token);
    return token;
  };
  const signed = new Set<string>();
  const owner = as(MARY);
  await owner('PUT', `/collaborators/${STRANGER.login}`, { permission: 'pull' });
  const github: Inside = {
    emulator,
    bare,
    owner,
    signed,
    mirror: new Mirror(bare, owner),
    assignees: new Map(),
  };
  // One after another, so that nothing comes between a look and a write.
  let last: Promise<unknown> = Promise.resolve();
  const answer = (request: ApiRequest, permissions: Permissions): Promise<Answer> => {
    const turn = last.then(async () => perform(github, request, await tokenOf(permissions)));
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    ...{ answer, as, signed },
    send: () => github.mirror.send(),
    assignees: (pull) => [...(github.assignees.get(String(pull)) ?? [])],
    close: () => emulator.close(),
  };
}

interface Inside {
  emulator: Emulator;
  bare: string;
  owner: Call;
  mirror: Mirror;
  signed: Set<string>;
  /** By the number of the pull request. */
  assignees: Map<string, Set<string>>;
}

const PROJECT = '/repos/acme/project';

async function perform(github: Inside, request: ApiRequest, token: string): Promise<Answer> {
  const { operation, parameters } = request;
  const body = (request.body ?? {}) as Record<string, unknown>;
  await github.mirror.send();
  if (operation === 'POST /graphql')
    return String(body['query']).startsWith('query')
      ? readList(github, body)
      : updateRefs(github, body, token);
  if (operation === `POST ${REPO}/pulls`) {
    const refusal = await refusePull(github, body as { head: string; base: string });
    if (refusal) return refusal;
  }
  if (operation.endsWith('/assignees')) return assign(github, request, body['assignees'] as string[]);
  const answer = await forward(github, request, token);
  if ((answer.status ?? 200) >= 400) return answer;
  if (operation === `POST ${REPO}/git/refs`) await github.mirror.fetch(branchOf(String(body['ref'])));
  if (operation === `POST ${REPO}/git/commits` && !('author' in body) && !('committer' in body))
    github.signed.add((answer.body as { sha: string }).sha);
  return parameters['pull_number'] === undefined && !operation.endsWith('/pulls')
    ? answer
    : { ...answer, body: withHeads(github, answer.body) };
}

/** Sends a request on, and completes the answer. */
async function forward({ emulator, signed }: Inside, request: ApiRequest, token: string): Promise<Answer> {
  const { operation, parameters, query } = request;
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    (parameters[name] ?? '').split('/').map(encodeURIComponent).join('/'),
  );
  const isSigned = operation === `POST ${REPO}/git/commits` && !('committer' in (request.body as object));
  const body = isSigned
    ? { ...(request.body as object), committer: { name: 'GitHub', email: 'noreply@github.com' } }
    : request.body;
  const search = query.size > 0 ? `?${query.toString()}` : '';
  const answer = await ask(emulator, {
    token,
    method,
    path: path + search,
    body: body as object | undefined,
  });
  const status = operation.endsWith('/requested_reviewers') && answer.status === 200 ? 201 : answer.status;
  if (status === undefined || status >= 400) return answer;
  const shown = JSON.parse(JSON.stringify(answer.body), (_, value: unknown) =>
    sign(signed, value),
  ) as unknown;
  // Not judged: it says null in places where GitHub never does.
  return { status, body: completeAnswer(operation, status, shown), unlike: true };
}

/** Marks a commit that GitHub signed. */
function sign(signed: ReadonlySet<string>, value: unknown): unknown {
  const { sha, commit } = (value ?? {}) as { sha?: string; commit?: object };
  if (commit === undefined || !signed.has(sha ?? '')) return value;
  const verification = { verified: true, reason: 'valid', payload: null, signature: null, verified_at: null };
  return { ...(value as object), commit: { ...commit, verification } };
}

const branchOf = (ref: string): string => ref.replace(/^refs\/heads\//, '');

async function updateRefs(github: Inside, body: Record<string, unknown>, token: string): Promise<Answer> {
  const { emulator, bare, mirror } = github;
  const { repository, name = '', before, after } = body['variables'] as Record<string, string>;
  const reject = (message: string): Answer => ({
    body: { data: { updateRefs: null }, errors: [{ type: 'UNPROCESSABLE', path: ['updateRefs'], message }] },
  });
  const { node_id } = await github.owner('GET', '');
  if (repository !== node_id) return reject('Could not resolve to a node');
  if (tipOf(bare, branchOf(name)) !== before)
    return reject('Reference cannot be updated: it does not point to the expected object');
  const force = String(body['query']).includes('force: true');
  const move = { token, method: 'PATCH', path: `${PROJECT}/git/${name}`, body: { sha: after, force } };
  const answer = await ask(emulator, move);
  if (answer.status === 403) return answer;
  if ((answer.status ?? 200) >= 400) return reject((answer.body as { message: string }).message);
  await mirror.fetch(branchOf(name));
  return { body: { data: { updateRefs: { clientMutationId: null } } } };
}

interface Remark {
  body: string;
  html_url: string;
  created_at: string;
  user: { login: string; id: number };
}

/** A list of a pull request. There are no reviews or threads. */
async function readList({ owner }: Inside, { query, variables }: Record<string, unknown>): Promise<Answer> {
  const [, name = ''] = /pullRequest\(number: \$number\) \{\s*(\w+)/.exec(String(query)) ?? [];
  const { number } = variables as { number: number };
  const found = name === 'comments' ? await owner('GET', `/issues/${number}/comments?per_page=100`) : [];
  const nodes = (found as unknown as Remark[]).map(
    ({ body, html_url: url, created_at: createdAt, user }) => ({
      ...{ body, url, createdAt, lastEditedAt: null },
      author: { login: user.login.replace(/\[bot\]$/, ''), databaseId: user.id },
    }),
  );
  const list = { pageInfo: { hasNextPage: false, endCursor: null }, nodes };
  return { body: { data: { repository: { pullRequest: { [name]: list } } } } };
}

async function refusePull(
  { owner, bare }: Inside,
  { head, base }: { head: string; base: string },
): Promise<Answer | undefined> {
  if ([head, base].some((branch) => tipOf(bare, branch) === undefined))
    return refuse(422, 'Validation Failed');
  const query = new URLSearchParams({ state: 'open', head: `acme:${head}`, base });
  const open = (await owner('GET', `/pulls?${query.toString()}`)) as unknown as unknown[];
  return open.length > 0 ? refuse(422, `A pull request already exists for acme:${head}.`) : undefined;
}

/** GitHub leaves out whom it does not know. */
function assign({ assignees }: Inside, { parameters }: ApiRequest, names: readonly string[]): Answer {
  const number = parameters['issue_number'] ?? '';
  const all = assignees.get(number) ?? new Set();
  for (const name of names) if (name === MARY.login) all.add(name);
  assignees.set(number, all);
  return {
    status: 201,
    body: { assignees: [...all].map(() => userShape(MARY)) },
  };
}

/** A pull request, or several, with the commits where its branches are now. */
function withHeads({ bare }: Inside, body: unknown): unknown {
  const side = (value: { ref: string; sha: string; repo: { full_name: string } | null }) => {
    const tip = value.repo?.full_name === 'acme/project' ? tipOf(bare, value.ref) : undefined;
    return tip === undefined ? value : { ...value, sha: tip };
  };
  return JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    name === 'head' || name === 'base' ? side(value as Parameters<typeof side>[0]) : value,
  ) as unknown;
}

interface Asking {
  token: string;
  method: string;
  path: string;
  body?: object | undefined;
}

/** People have the ids that the tests give them, and addresses are those of the server in the tests. */
async function ask({ url }: Emulator, { token, method, path, body }: Asking): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = (await response.text()).replaceAll(url, 'https://github.example');
  const status = response.status;
  if (status === 404) return GONE;
  if (text === '') return { status };
  const known = (_: string, value: unknown): unknown => {
    const account = ACCOUNTS.get((value as { login?: string } | null)?.login ?? '');
    return account ? userShape(account) : value;
  };
  return { status, body: JSON.parse(text, known) as unknown };
}

/** As GitHub does at the start of each job: a token of the app, with these permissions only. */
async function mintToken(emulator: Emulator, permissions: Permissions): Promise<string> {
  const seconds = Math.floor(Date.now() / 1000);
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iss: String(APP), iat: seconds, exp: seconds + 300 })}`;
  const token = `${claims}.${createSign('RSA-SHA256').update(claims).sign(KEY, 'base64url')}`;
  const known = Object.entries(permissions)
    .map(([name, level]) => [name.replace('-', '_'), level] as const)
    .filter(([name, level]) => Object.hasOwn(GRANTED, name) && level !== 'none');
  const answer = await ask(emulator, {
    ...{ token, method: 'POST', path: '/app/installations/1/access_tokens' },
    body: { permissions: Object.fromEntries(known) },
  });
  return (answer.body as { token: string }).token;
}
