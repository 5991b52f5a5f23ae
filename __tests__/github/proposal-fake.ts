import { execFileSync } from 'node:child_process';
import { refuse, REPO, serveApi, type Answer, type Api, type ApiRequest } from './api-server.js';
import { openGitData, performGitData, tipOf, type GitData } from './git-data-fake.js';
import { OPERATIONS } from './operations.js';
import { completeAnswer } from './sample.js';
import { userShape, type Account } from './shapes.js';
import { ACTIONS_BOT, READ_TOKEN, WRITE_TOKEN, type Fault } from './stateful-fake.js';

export interface ProposedPull {
  number: number;
  title: string;
  body: string;
  state: 'open' | 'closed';
  draft: boolean;
  branch: string;
  base: string;
  author: Account;
  /** `owner/name` of the repository with the branch. */
  repository: string;
  labels: string[];
  reviewers: string[];
  assignees: string[];
}

export interface ProposalGithub extends Api {
  data: GitData;
  pulls: ProposedPull[];
  /** `METHOD operation`, writes only, without the question who we are. */
  writes(): string[];
}

export interface ProposalSettings {
  /** Called before each request; what it returns is answered instead, or after the request is carried out. */
  fault?: (request: ApiRequest, github: { data: GitData; pulls: ProposedPull[] }) => Fault | undefined;
  /** "Allow GitHub Actions to create and approve pull requests". */
  mayOpenPulls?: boolean;
  /** Who can be asked for a review or be assigned. */
  collaborators?: readonly string[];
}

/** GitHub on this machine, as far as propose asks it: the git database of a real bare repository, and pull requests. */
export async function startProposals(
  bare: string,
  { fault, mayOpenPulls = true, collaborators = ['mary'] }: ProposalSettings = {},
): Promise<ProposalGithub> {
  const data = openGitData(bare);
  const pulls: ProposedPull[] = [];
  const writes: string[] = [];
  const perform = (request: ApiRequest): Answer => {
    const token = request.authorization.replace(/^(?:token|bearer) /i, '');
    if (token !== WRITE_TOKEN && token !== READ_TOKEN) return refuse(401, 'Bad credentials');
    const { operation } = request;
    const body = (request.body ?? {}) as Record<string, unknown>;
    if (operation === 'POST /graphql' && String(body['query']).startsWith('query'))
      return { body: { data: { viewer: { databaseId: ACTIONS_BOT.id, login: ACTIONS_BOT.login } } } };
    if (!operation.startsWith('GET ')) writes.push(operation);
    if (!operation.startsWith('GET ') && token === READ_TOKEN)
      return refuse(403, 'Resource not accessible by integration');
    const ofGit = performGitData(data, request, ACTIONS_BOT);
    if (ofGit) return ofGit;
    return performPulls({ data, pulls, request, body, mayOpenPulls, collaborators });
  };
  const answering = (request: ApiRequest): Answer | 'hang up' => {
    const wrong = fault?.(request, { data, pulls });
    const isAfter = typeof wrong === 'object' && 'after' in wrong;
    if (wrong !== undefined && !isAfter) return wrong;
    const answer = perform(request);
    return isAfter ? wrong.after : answer;
  };
  const api = await serveApi(answering, { operations: OPERATIONS.propose });
  return { ...api, data, pulls, writes: () => writes };
}

interface PullTask {
  data: GitData;
  pulls: ProposedPull[];
  request: ApiRequest;
  body: Record<string, unknown>;
  mayOpenPulls: boolean;
  collaborators: readonly string[];
}

function performPulls(task: PullTask): Answer {
  const { data, pulls, request, body, collaborators } = task;
  const { operation, parameters, query } = request;
  const show = (status: number, pull: ProposedPull): Answer => ({
    status,
    body: completeAnswer(operation, status, pullValues(data, pull)),
  });
  if (operation === `GET ${REPO}/pulls`) {
    const [, branch] = (query.get('head') ?? '').split(':');
    const found = pulls.filter(
      (pull) =>
        pull.state === query.get('state') &&
        pull.branch === branch &&
        (query.get('base') === null || pull.base === query.get('base')),
    );
    return {
      body: completeAnswer(
        operation,
        200,
        found.map((pull) => pullValues(data, pull)),
      ),
    };
  }
  if (operation === `POST ${REPO}/pulls`) return createPull(task, (pull) => show(201, pull));
  const number = Number(parameters['pull_number'] ?? parameters['issue_number']);
  const pull = pulls.find((each) => each.number === number);
  if (!pull) return refuse(404, 'Not Found');
  const unknown = (names: readonly string[]) => names.filter((name) => !collaborators.includes(name));
  switch (operation.replace(REPO, '')) {
    case 'GET /pulls/{pull_number}':
      return show(200, pull);
    case 'PATCH /pulls/{pull_number}':
      Object.assign(pull, body);
      return show(200, pull);
    case 'POST /issues/{issue_number}/labels':
      pull.labels.push(...(body['labels'] as string[]));
      return { body: [] };
    case 'POST /pulls/{pull_number}/requested_reviewers': {
      const asked = (body['reviewers'] ?? body['team_reviewers']) as string[];
      if ('team_reviewers' in body || unknown(asked).length > 0)
        return refuse(422, 'Reviews may only be requested from collaborators.');
      pull.reviewers.push(...asked);
      return { status: 201, body: completeAnswer(operation, 201, {}) };
    }
    case 'POST /issues/{issue_number}/assignees': {
      const asked = body['assignees'] as string[];
      pull.assignees.push(...asked.filter((name) => collaborators.includes(name)));
      const assignees = pull.assignees.map((login) => userShape({ login, id: 11, type: 'User' }));
      return { status: 201, body: completeAnswer(operation, 201, { assignees }) };
    }
    default:
      return refuse(404, 'Not Found');
  }
}

function createPull(
  { data, pulls, body, mayOpenPulls }: PullTask,
  show: (pull: ProposedPull) => Answer,
): Answer {
  const {
    title,
    body: text,
    head: branch,
    base,
    draft,
  } = body as Record<string, string> & { draft: boolean };
  if (!mayOpenPulls)
    return refuse(403, 'GitHub Actions is not permitted to create or approve pull requests.');
  const isOpen = pulls.some((each) => each.branch === branch && each.base === base && each.state === 'open');
  if (isOpen) return refuse(422, `A pull request already exists for acme:${branch ?? ''}.`);
  if (!branch || !base || tipOf(data, branch) === undefined) return refuse(422, 'Validation Failed');
  const pull: ProposedPull = {
    ...{ number: pulls.length + 1, title: title ?? '', body: text ?? '', state: 'open', draft, branch, base },
    ...{ author: ACTIONS_BOT, repository: 'acme/project', labels: [], reviewers: [], assignees: [] },
  };
  pulls.push(pull);
  return show(pull);
}

function pullValues(data: GitData, pull: ProposedPull) {
  const { number, title, body, state, draft, branch, base, author, repository } = pull;
  return {
    ...{ number, title, body, state, draft, user: userShape(author) },
    html_url: `https://github.example/acme/project/pull/${number}`,
    head: { ref: branch, sha: tipOf(data, branch) ?? '0'.repeat(40), repo: { full_name: repository } },
    base: { ref: base, sha: tipOf(data, base) ?? '0'.repeat(40) },
  };
}

/** A bare copy of a repository, as GitHub has it. */
export function copyBare(from: string, to: string): string {
  execFileSync('git', ['clone', '--quiet', '--bare', from, to], { stdio: 'pipe' });
  return to;
}
