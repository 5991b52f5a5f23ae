import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveApi, type Api } from '../github/api-server.js';
import { startGitServer, type Access } from '../context/git-server.js';
import { startEmulator, type EmulatedGithub } from '../github/emulator.js';
import { userShape, type Account } from '../github/shapes.js';
import { MARY, STRANGER, type FakeLineComment, type FakeState } from '../github/stateful-fake.js';
import { startVendor, type Vendor } from '../scenarios/vendor.js';
import { makeFolder } from '../scenarios/workspace.js';
import { answerAs, type Token } from './api.js';
import { examplePayload, REPOSITORY, repositoryShape, type Payload, type RecipeEvent } from './events.js';
import { provideGh } from './gh.js';
import type { Surroundings } from './run-workflow.js';

export const API_KEY = 'key_recipes0123456789abcdef0123456789';
const FORK = 'stranger/project';

export interface Pull {
  number: number;
  title: string;
  body: string;
  author: Account;
  /** The repository of the branch. */
  repository: string;
  branch: string;
  base: string;
  state: 'open' | 'closed';
  draft: boolean;
  createdAt: string;
  /** What GitHub says the author is to the repository. */
  association: string;
  /** Labels that were set and removed, the oldest first. */
  labelled: { event: 'labeled' | 'unlabeled'; name: string; by: Account; at: string }[];
}
/** One push, with the time that GitHub recorded. */
export interface Push {
  repository: string;
  ref: string;
  before: string;
  after: string;
  timestamp: string;
}
export interface State {
  pulls: Pull[];
  pushes: Push[];
  /** Comments and reviews. */
  published: FakeState;
  /** Runs of a workflow, by how they ended. */
  runs: { conclusion: string | null; createdAt: string; pull?: Pull; by?: Account }[];
  /** The pull request that the run in progress is about. */
  running?: Pull;
  permissions: Record<string, string>;
  /** The calls that a token was not permitted to make. */
  refused: string[];
  logs: Record<string, string>;
}

export interface World {
  state: State;
  api: Api;
  vendor: Vendor;
  surroundings: Surroundings;
  /** Runs git on the repository that GitHub has. */
  git(...args: string[]): string;
  /** The commit that a whole ref names. */
  tipOf(ref: string): string;
  commit(change: CommitRequest): string;
  openPull(pull: Partial<Pull> & { branch: string }): Pull;
  /** What GitHub keeps for pull requests follows their branches. */
  refreshPulls(): void;
  /** The repository as the API reads and writes it. */
  emulated(): Promise<EmulatedGithub>;
  headOf(pull: Pull): string;
  pullShape(pull: Pull): Payload;
  events: ReturnType<typeof eventsOf>;
  close(): Promise<void>;
}

interface CommitRequest {
  branch: string;
  from?: string;
  files: Readonly<Record<string, string>>;
  repository?: string;
  at?: string;
}

/** A GitHub with one repository on this machine: git over HTTP, the API, people, tokens with permissions. */
export async function startWorld(files: Readonly<Record<string, string>>): Promise<World> {
  const root = makeFolder('github');
  const bare = join(root, REPOSITORY.full_name);
  mkdirSync(bare, { recursive: true });
  run(root, 'init', '--quiet', '--bare', '--template=', '--initial-branch=main', bare);
  appendFileSync(join(bare, 'config'), '[uploadpack]\n\tallowAnySHA1InWant\n[http]\n\treceivepack\n');
  const state: State = {
    pulls: [],
    pushes: [],
    published: { pulls: [], comments: [], reviews: [], lineComments: [], minimized: [], checks: [] },
    runs: [],
    permissions: { mary: 'write', stranger: 'read' },
    refused: [],
    logs: {},
  };
  const tokens = new Map<string, Token>();
  const git = (...args: string[]) => run(bare, ...args).trim();
  const commit = (change: CommitRequest): string => {
    const { repository = REPOSITORY.full_name, branch, at: timestamp = '2026-01-01T08:00:00Z' } = change;
    const branchOf = (name: string) => readRef(bare, `refs/heads/${name}`);
    const from = branchOf(change.from ?? branch) ?? change.from ?? branchOf('main');
    const ref = `refs/heads/${branch}`;
    const place = repository === REPOSITORY.full_name ? ref : `refs/forks/${branch}`;
    const before = readRef(bare, place) ?? '0'.repeat(40);
    const after = writeCommit(bare, place, { from, message: `Change ${branch}`, files: change.files });
    state.pushes.unshift({ repository, ref, before, after, timestamp });
    world.refreshPulls();
    return after;
  };
  const accessOf = (token: string): Access => (tokens.get(token)?.['contents'] ?? 'none') as Access;
  const server = await startGitServer(root, accessOf);
  const vendor = await startVendor();
  const world = { state, git, commit } as World;
  const api = await serveApi((request) => answerAs(world, tokens, request));
  const gh = await provideGh(api.url);
  let emulated: Promise<EmulatedGithub> | undefined;
  Object.assign(world, {
    api,
    vendor,
    openPull: (pull: Partial<Pull> & { branch: string }) => openPull(world, bare, pull),
    refreshPulls: () => {
      for (const pull of state.pulls) {
        const isThere = readRef(bare, headRef(pull)) === readRef(bare, `refs/pull/${pull.number}/head`);
        if (!isThere) writePullRefs(bare, pull);
      }
    },
    emulated: () => (emulated ??= startEmulator(bare)),
    tipOf: (ref: string) => tipOf(bare, ref),
    headOf: (pull: Pull) => tipOf(bare, `refs/pull/${pull.number}/head`),
    pullShape: (pull: Pull) => pullShape(world, pull),
    events: eventsOf(world),
    surroundings: {
      serverUrl: server.url,
      apiUrl: api.url,
      repository: REPOSITORY.full_name,
      mintToken: (permissions: Token) => {
        const token = `ghs_${tokens.size}recipe0123456789recipe0123456789`;
        tokens.set(token, permissions);
        return token;
      },
      secrets: { CURSOR_API_KEY: API_KEY },
      cursorUrl: vendor.url,
      ghFolder: gh.folder,
    },
    close: async () => {
      await (await emulated)?.close();
      await gh.close();
      await server.close();
      await api.close();
      await vendor.close();
    },
  } satisfies Partial<World>);
  commit({ branch: 'main', files });
  return world;
}

const PERSON = { name: 'Mary', email: 'mary@example.com' };

function run(folder: string, ...args: string[]): string {
  return runWith('', folder, ...args);
}

function runWith(input: string, folder: string, ...args: string[]): string {
  const identity = ['-c', `user.name=${PERSON.name}`, '-c', `user.email=${PERSON.email}`];
  return execFileSync('git', [...identity, ...args], {
    cwd: folder,
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    maxBuffer: 2 ** 28,
  });
}

/** Git is only asked where the ref is not a file: it would be started thousands of times. */
function readRef(bare: string, ref: string): string | undefined {
  try {
    return readFileSync(join(bare, ref), 'utf8').trim();
  } catch {
    if (!existsSync(join(bare, 'packed-refs'))) return undefined;
    const found = run(bare, 'for-each-ref', '--format=%(objectname)', ref).trim();
    return found === '' ? undefined : found;
  }
}

function tipOf(bare: string, ref: string): string {
  const found = readRef(bare, ref);
  if (found === undefined) throw new Error(`there is no ${ref}`);
  return found;
}

interface NewCommit {
  from: string | undefined;
  message: string;
  /** Written over what `from` has. */
  files: Readonly<Record<string, string>>;
}

/** Makes a commit and moves a ref to it, wherever that was before. */
function writeCommit(bare: string, ref: string, { from, message, files }: NewCommit): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const quoted = (path: string) => `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
  const stream = [
    `commit ${ref}\nmark :1\ncommitter ${PERSON.name} <${PERSON.email}> now\n${data(`${message}\n`)}`,
    ...(from === undefined ? [] : [`from ${from}\n`]),
    ...Object.entries(files).map(([path, text]) => `M 100644 inline ${quoted(path)}\n${data(text)}`),
    'get-mark :1\ndone\n',
  ];
  const options = ['--quiet', '--force', '--done', '--date-format=now'];
  return runWith(stream.join(''), bare, 'fast-import', ...options).trim();
}

export function openPull(world: World, bare: string, given: Partial<Pull> & { branch: string }): Pull {
  const pull: Pull = {
    number: world.state.pulls.length + 1,
    title: 'A change',
    body: 'What it does.',
    author: MARY,
    repository: REPOSITORY.full_name,
    base: 'main',
    state: 'open',
    draft: false,
    createdAt: new Date().toISOString().replace(/\.\d+/, ''),
    association: given.author && given.author !== MARY ? 'NONE' : 'MEMBER',
    labelled: [],
    ...given,
  };
  world.state.pulls.push(pull);
  writePullRefs(bare, pull);
  return pull;
}

/** Where the branch of a pull request is; those of forks are kept in a place of their own. */
const headRef = ({ repository, branch }: Pull): string =>
  `refs/${repository === REPOSITORY.full_name ? 'heads' : 'forks'}/${branch}`;

/** GitHub keeps two refs for each pull request: its head, and the merge of its head into the base. */
function writePullRefs(bare: string, pull: Pull): void {
  const [base, head] = [tipOf(bare, `refs/heads/${pull.base}`), tipOf(bare, headRef(pull))];
  // Fails if they do not merge.
  const tree = run(bare, 'merge-tree', '--write-tree', base, head).trim();
  const merge = run(bare, 'commit-tree', tree, '-p', base, '-p', head, '-m', `Merge ${pull.branch}`).trim();
  const ref = `refs/pull/${pull.number}`;
  runWith(`update ${ref}/head ${head}\nupdate ${ref}/merge ${merge}\n`, bare, 'update-ref', '--stdin');
}

/** How much there is between two commits, which never changes. */
const between = new Map<string, { files: number; commits: number }>();

function sizeOf({ git }: World, base: string, head: string): { files: number; commits: number } {
  const known = between.get(`${base} ${head}`) ?? {
    files: git('diff', '--name-only', `${base}...${head}`).split('\n').length,
    commits: Number(git('rev-list', '--count', `${base}..${head}`)),
  };
  between.set(`${base} ${head}`, known);
  return known;
}

/** Bots, as they appear in payloads. */
export const DEPENDABOT: Account = { login: 'dependabot[bot]', id: 49_699_333, type: 'Bot' };
const MERGE_QUEUE: Account = { login: 'github-merge-queue[bot]', id: 118_344_674, type: 'Bot' };
export const RENOVATE: Account = { login: 'renovate[bot]', id: 29_139_614, type: 'Bot' };
export const fork = { repository: FORK, author: STRANGER };

/** A pull request as in the API and in payloads. */
function pullShape(world: World, pull: Pull): Payload {
  const shape = examplePayload('pull_request', 'labeled')['pull_request'] as Payload &
    Record<'base' | 'head', Payload>;
  const head = world.headOf(pull);
  const base = world.tipOf(`refs/heads/${pull.base}`);
  const from =
    pull.repository === REPOSITORY.full_name ? repositoryShape() : repositoryShape(pull.repository, 777);
  const { files, commits } = sizeOf(world, base, head);
  return {
    ...shape,
    number: pull.number,
    title: pull.title,
    draft: pull.draft,
    body: pull.body,
    state: pull.state,
    user: userShape(pull.author),
    author_association: pull.association,
    labels: labelsOf(pull).map((name) => ({ name })),
    milestone: null,
    created_at: pull.createdAt,
    html_url: `${world.surroundings.serverUrl}/${REPOSITORY.full_name}/pull/${pull.number}`,
    changed_files: files,
    commits,
    head: {
      ...shape.head,
      ref: pull.branch,
      sha: head,
      repo: from,
      label: `${pull.author.login}:${pull.branch}`,
    },
    base: { ...shape.base, ref: pull.base, sha: base, repo: repositoryShape() },
  };
}

const labelsOf = ({ labelled }: Pull): string[] => {
  const names = [...new Set(labelled.map(({ name }) => name))];
  return names.filter((name) => labelled.filter((each) => each.name === name).at(-1)?.event === 'labeled');
};

function eventsOf(world: World) {
  const main = () => world.tipOf('refs/heads/main');
  const blank = (payload: Payload, actor: Account): Omit<RecipeEvent, 'name'> => ({
    payload: { ...payload, repository: repositoryShape(), sender: userShape(actor) },
    ref: 'refs/heads/main',
    sha: main(),
    headRef: '',
    baseRef: '',
    actor: actor.login,
    inputs: {},
    branch: 'main',
    paths: [],
  });
  const onPull = ({ number, branch, base }: Pull) => {
    const ref = `refs/pull/${number}/merge`;
    return { ref, sha: world.tipOf(ref), headRef: branch, baseRef: base, branch: base };
  };
  const events = {
    pullRequest: (pull: Pull, action = 'opened', { by = pull.author, label = '' } = {}): RecipeEvent => {
      const payload = {
        ...examplePayload('pull_request', action === 'labeled' ? 'labeled' : 'opened'),
        action,
        number: pull.number,
        pull_request: world.pullShape(pull),
        ...(label === '' ? {} : { label: { name: label } }),
      };
      return {
        ...blank(payload, by),
        name: 'pull_request',
        ...onPull(pull),
      };
    },
    push: (before: string, branch = 'main', by: Account = MARY): RecipeEvent => {
      const after = world.tipOf(`refs/heads/${branch}`);
      const payload = {
        ...examplePayload('push'),
        ref: `refs/heads/${branch}`,
        before,
        after,
        created: false,
      };
      const paths = world.git('diff', '--name-only', before, after).split('\n');
      return {
        ...blank(payload, by),
        name: 'push',
        ref: `refs/heads/${branch}`,
        sha: after,
        branch,
        paths,
      };
    },
    mergeGroup: (): RecipeEvent => {
      const merge_group = { head_sha: main(), base_sha: main(), base_ref: 'refs/heads/main' };
      return {
        ...blank({ action: 'checks_requested', merge_group }, MERGE_QUEUE),
        name: 'merge_group',
        ref: 'refs/heads/gh-readonly-queue/main/pr-7-0123456789',
        branch: 'main',
      };
    },
    schedule: (): RecipeEvent => ({ ...blank({ schedule: '23 4 * * 1' }, MARY), name: 'schedule' }),
    dispatch: (inputs: Record<string, string>): RecipeEvent => ({
      ...blank({ inputs, ref: 'refs/heads/main' }, MARY),
      name: 'workflow_dispatch',
      inputs,
    }),
    comment: (
      pull: Pull,
      body: string,
      { by = MARY, association = 'MEMBER', at = '2026-01-02T08:00:00Z' } = {},
    ): RecipeEvent => {
      const example = examplePayload('issue_comment', 'created') as Payload &
        Record<'issue' | 'comment', Payload>;
      const payload = {
        ...example,
        issue: {
          ...example.issue,
          number: pull.number,
          title: pull.title,
          state: pull.state,
          user: userShape(pull.author),
          pull_request: { url: `${world.surroundings.apiUrl}/repos/acme/project/pulls/${pull.number}` },
        },
        comment: {
          ...example.comment,
          id: 501,
          body,
          user: userShape(by),
          author_association: association,
          created_at: at,
        },
      };
      return { ...blank(payload, by), name: 'issue_comment' };
    },
    /** A reply to a comment on lines. */
    threadComment: (
      pull: Pull,
      body: string,
      { to, by = MARY, at = '2026-01-02T08:00:00Z' }: { to: FakeLineComment; by?: Account; at?: string },
    ): RecipeEvent => {
      const example = examplePayload('pull_request_review_comment', 'created') as Payload & {
        comment: Payload;
      };
      const asked = { ...to, id: to.id + 500, author: by, body, replyTo: to.id, thumbsDown: [] };
      world.state.published.lineComments.push(asked);
      const payload = {
        ...example,
        pull_request: world.pullShape(pull),
        comment: {
          ...example.comment,
          ...{ id: asked.id, in_reply_to_id: to.id, body, path: to.path, user: userShape(by) },
          ...{ created_at: at, updated_at: at },
        },
      };
      return {
        ...blank(payload, by),
        name: 'pull_request_review_comment',
        ...onPull(pull),
      };
    },
    issueLabeled: (
      label: string,
      {
        by = MARY,
        author = STRANGER,
        title = 'Crash on start',
        body = 'It says boom.',
        association = 'NONE',
      } = {},
    ): RecipeEvent => {
      const example = examplePayload('issues', 'labeled') as Payload & { issue: Payload };
      const { pull_request: _none, ...issue } = example.issue;
      const payload = {
        ...example,
        label: { ...(example['label'] as Payload), name: label },
        issue: {
          ...issue,
          ...{ number: 31, title, body, user: userShape(author), author_association: association },
          labels: [{ ...(example['label'] as Payload), name: label }],
        },
      };
      return { ...blank(payload, by), name: 'issues' };
    },
    workflowRun: (
      branch: string,
      {
        conclusion = 'failure',
        event = 'push',
        repository = REPOSITORY.full_name,
        sha = '',
        by = MARY,
        actor = MARY,
        id = 4711,
      } = {},
    ): RecipeEvent => {
      const example = examplePayload('workflow_run', 'completed') as Payload & { workflow_run: Payload };
      const head = sha === '' ? world.tipOf(`refs/heads/${branch}`) : sha;
      const own = repository === REPOSITORY.full_name;
      const payload = {
        ...example,
        workflow_run: {
          ...example.workflow_run,
          id,
          name: 'CI',
          run_attempt: 1,
          conclusion,
          event,
          status: 'completed',
          head_branch: branch,
          head_sha: head,
          html_url: `${world.surroundings.serverUrl}/${REPOSITORY.full_name}/actions/runs/${id}`,
          pull_requests: [],
          repository: repositoryShape(),
          head_repository: own ? repositoryShape() : repositoryShape(repository, 777),
          // Who caused the run, and who started it this time: somebody can start another one's run again.
          actor: userShape(actor),
          triggering_actor: userShape(by),
        },
      };
      return { ...blank(payload, by), name: 'workflow_run', branch };
    },
    /** Runs for the base, with its secrets. */
    pullRequestTarget: (
      pull: Pull,
      action = 'opened',
      options: { by?: Account; label?: string } = {},
    ): RecipeEvent => ({
      ...events.pullRequest(pull, action, options),
      name: 'pull_request_target',
      ref: 'refs/heads/main',
      sha: main(),
    }),
    /** Sets a label, which triggers an event. */
    label: (
      pull: Pull,
      { name = 'cursor-review', by = MARY, at = '2026-01-02T08:00:00Z' } = {},
    ): RecipeEvent => {
      pull.labelled.push({ event: 'labeled', name, by, at });
      return events.pullRequestTarget(pull, 'labeled', { by, label: name });
    },
  };
  return events;
}
