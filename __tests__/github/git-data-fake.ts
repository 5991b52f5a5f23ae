import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GONE, refuse, REPO, type Answer, type ApiRequest } from './api-server.js';
import { completeAnswer } from './sample.js';
import { userShape, type Account } from './shapes.js';
import { MARY } from './stateful-fake.js';

/** The account with which GitHub signs commits. */
export const WEB_FLOW: Account = { login: 'web-flow', id: 19_864_447, type: 'User' };
export const REPOSITORY_NODE = 'R_kgDOproject';

/** A bare repository on this machine that answers as GitHub's git database does, with git's own objects and ids. */
export interface GitData {
  /** The bare repository. */
  folder: string;
  /** Who made the commits that were created through the API. All others are Mary's, and not signed. */
  made: Map<string, { author: Account; committer: Account }>;
  protectedBranches: Set<string>;
  defaultBranch: string;
}

export function openGitData(folder: string): GitData {
  return { folder, made: new Map(), protectedBranches: new Set(), defaultBranch: 'main' };
}

export function gitIn(folder: string, args: readonly string[], input?: Buffer, env = {}): string {
  return bytesOf(folder, args, input, env).toString('utf8').trim();
}

function bytesOf(folder: string, args: readonly string[], input?: Buffer, env = {}): Buffer {
  return execFileSync('git', args, {
    cwd: folder,
    input: input ?? '',
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', ...env },
  });
}

export function tipOf({ folder }: GitData, branch: string): string | undefined {
  try {
    return gitIn(folder, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
  } catch {
    return undefined;
  }
}

const invalid = (message: string): Answer => refuse(422, message);

const SHA = /^[0-9a-f]{40}$/;
interface Task {
  data: GitData;
  request: ApiRequest;
  account: Account;
  body: Record<string, unknown>;
}
type Handler = (task: Task) => Answer;

const answer = (operation: string, status: number, values: unknown): Answer => ({
  status,
  body: completeAnswer(operation, status, values),
});

const HANDLERS: Readonly<Record<string, Handler>> = {
  [`GET ${REPO}`]: ({ data, request }) =>
    answer(request.operation, 200, { node_id: REPOSITORY_NODE, default_branch: data.defaultBranch }),
  [`GET ${REPO}/branches/{branch}`]: ({ data, request }) => {
    const name = request.parameters['branch'] ?? '';
    const tip = tipOf(data, name);
    if (tip === undefined) return GONE;
    const isProtected = data.protectedBranches.has(name);
    return answer(request.operation, 200, { name, protected: isProtected, commit: commitValues(data, tip) });
  },
  [`GET ${REPO}/compare/{basehead}`]: ({ data, request }) => {
    const [base = '', head = ''] = (request.parameters['basehead'] ?? '').split('...');
    try {
      gitIn(data.folder, ['merge-base', base, head]);
      const list = (range: string) => gitIn(data.folder, ['rev-list', range]).split('\n').filter(Boolean);
      const [ahead, behind] = [list(`${base}..${head}`), list(`${head}..${base}`)];
      const size = Number(request.query.get('per_page') ?? 250);
      const status = ahead.length > 0 ? (behind.length > 0 ? 'diverged' : 'ahead') : 'behind';
      return answer(request.operation, 200, {
        ...{ status, ahead_by: ahead.length, behind_by: behind.length, total_commits: ahead.length },
        commits: ahead
          .reverse()
          .slice(0, size)
          .map((id) => commitValues(data, id)),
      });
    } catch {
      return GONE;
    }
  },
  [`GET ${REPO}/git/commits/{commit_sha}`]: ({ data, request }) => {
    const { commit, parents, sha } = commitValues(data, request.parameters['commit_sha'] ?? '');
    return answer(request.operation, 200, { sha, message: commit.message, tree: commit.tree, parents });
  },
  [`GET ${REPO}/git/trees/{tree_sha}`]: ({ data, request }) => {
    const id = request.parameters['tree_sha'] ?? '';
    const tree = readTree(data, id);
    return tree ? answer(request.operation, 200, { sha: id, truncated: false, tree }) : GONE;
  },
  [`GET ${REPO}/git/blobs/{file_sha}`]: ({ data, request }) => {
    const id = request.parameters['file_sha'] ?? '';
    if (typeOf(data, id) !== 'blob') return GONE;
    const bytes = bytesOf(data.folder, ['cat-file', 'blob', id]);
    return answer(request.operation, 200, {
      ...{ sha: id, size: bytes.length, content: bytes.toString('base64'), encoding: 'base64' },
    });
  },
  [`POST ${REPO}/git/blobs`]: ({ data, request, body }) => {
    const bytes = Buffer.from(String(body['content']), body['encoding'] === 'base64' ? 'base64' : 'utf8');
    return answer(request.operation, 201, {
      sha: storeBlob(data, bytes),
      url: 'https://api.github.example/b',
    });
  },
  [`POST ${REPO}/git/trees`]: ({ data, request, body }) => {
    const tree = storeTree(data, String(body['base_tree']), body['tree'] as Entry[]);
    return answer(request.operation, 201, { sha: tree });
  },
  [`POST ${REPO}/git/commits`]: ({ data, request, body, account }) => {
    const { message, tree, parents } = body as { message: string; tree: string; parents: string[] };
    if ('author' in body || 'committer' in body) return invalid('the commit would not be signed');
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
    const sha = gitIn(data.folder, args, Buffer.from(message), {
      GIT_AUTHOR_NAME: account.login,
      GIT_AUTHOR_EMAIL: `${account.id}@users.noreply.github.example`,
      GIT_COMMITTER_NAME: 'GitHub',
      GIT_COMMITTER_EMAIL: 'noreply@github.example',
    });
    data.made.set(sha, { author: account, committer: WEB_FLOW });
    return answer(request.operation, 201, { sha, message, tree: { sha: tree } });
  },
  [`POST ${REPO}/git/refs`]: ({ data, request, body }) => {
    const { ref, sha } = body as { ref: string; sha: string };
    const name = ref.replace(/^refs\/heads\//, '');
    if (tipOf(data, name) !== undefined) return invalid('Reference already exists');
    gitIn(data.folder, ['update-ref', ref, sha]);
    return answer(request.operation, 201, { ref, object: { type: 'commit', sha } });
  },
};

/** Answers for the git database and for `updateRefs`; undefined for anything else. */
export function performGitData(data: GitData, request: ApiRequest, account: Account): Answer | undefined {
  const body = (request.body ?? {}) as Record<string, unknown>;
  const task = { data, request, account, body };
  if (request.operation === 'POST /graphql' && String(body['query']).includes('updateRefs'))
    return updateRefs(task);
  return Object.hasOwn(HANDLERS, request.operation) ? HANDLERS[request.operation]?.(task) : undefined;
}

function updateRefs({ data, body }: Task): Answer {
  const { repository, name, before, after } = body['variables'] as Record<string, string>;
  const reject = (message: string): Answer => ({
    body: { data: { updateRefs: null }, errors: [{ type: 'UNPROCESSABLE', path: ['updateRefs'], message }] },
  });
  if (repository !== REPOSITORY_NODE) return reject('Could not resolve to a node');
  const isForward =
    String(body['query']).includes('force: true') || isAncestor(data, before ?? '', after ?? '');
  if (!isForward) return reject('Reference is not a fast-forward');
  try {
    gitIn(data.folder, ['update-ref', name ?? '', after ?? '', before ?? '']);
    return { body: { data: { updateRefs: { clientMutationId: null } } } };
  } catch {
    return reject('Reference cannot be updated: it does not point to the expected object');
  }
}

function isAncestor({ folder }: GitData, one: string, other: string): boolean {
  try {
    gitIn(folder, ['merge-base', '--is-ancestor', one, other]);
    return true;
  } catch {
    return false;
  }
}

function typeOf({ folder }: GitData, id: string): string | undefined {
  if (!SHA.test(id)) return undefined;
  try {
    return gitIn(folder, ['cat-file', '-t', id]);
  } catch {
    return undefined;
  }
}

/** The entries of one folder. A commit stands for its top folder. */
function readTree(data: GitData, id: string): unknown[] | undefined {
  if (!['tree', 'commit'].includes(typeOf(data, id) ?? '')) return undefined;
  const lines = gitIn(data.folder, ['ls-tree', '-z', '--long', id]).split('\0').filter(Boolean);
  return lines.map((line) => {
    const tab = line.indexOf('\t');
    const [mode, type, sha, size] = line.slice(0, tab).split(/ +/);
    return { path: line.slice(tab + 1), mode, type, sha, ...(size === '-' ? {} : { size: Number(size) }) };
  });
}

const storeBlob = ({ folder }: GitData, bytes: Buffer): string =>
  gitIn(folder, ['hash-object', '-w', '--stdin'], bytes);

interface Entry {
  path: string;
  mode: string;
  sha?: string | null;
  content?: string;
}

function storeTree(data: GitData, base: string, entries: readonly Entry[]): string {
  const scratch = mkdtempSync(join(tmpdir(), 'tree-'));
  const env = { GIT_INDEX_FILE: join(scratch, 'index') };
  try {
    gitIn(data.folder, ['read-tree', base], undefined, env);
    const lines = entries.map(({ path, mode, sha, content }) => {
      const id = content === undefined ? sha : storeBlob(data, Buffer.from(content));
      return id == null ? `0 ${'0'.repeat(40)}\t${path}\0` : `${mode} ${id}\t${path}\0`;
    });
    gitIn(data.folder, ['update-index', '-z', '--index-info'], Buffer.from(lines.join('')), env);
    return gitIn(data.folder, ['write-tree'], undefined, env);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A commit as GitHub shows it. */
function commitValues(data: GitData, id: string) {
  if (!SHA.test(id)) throw new Error(`${id} is not a commit`);
  const [tree = '', parents = '', ...message] = gitIn(data.folder, [
    'log',
    '-1',
    '--format=%T%n%P%n%B',
    id,
  ]).split('\n');
  const known = data.made.get(id);
  const { author, committer } = known ?? { author: MARY, committer: MARY };
  const link = (sha: string) => ({
    sha,
    url: `https://api.github.example/${sha}`,
    html_url: `https://github.example/${sha}`,
  });
  return {
    sha: id,
    author: userShape(author),
    committer: userShape(committer),
    parents: parents.split(' ').filter(Boolean).map(link),
    commit: {
      message: message.join('\n'),
      tree: link(tree),
      verification: {
        ...{ verified: known !== undefined, reason: known ? 'valid' : 'unsigned' },
        ...{ payload: null, signature: null, verified_at: null },
      },
    },
  };
}
