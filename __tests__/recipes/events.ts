import { createRequire } from 'node:module';

/** The event that triggers a workflow: the payload in GitHub's own shape, and what the runner derives from it. */
export interface RecipeEvent {
  name: string;
  payload: Record<string, unknown>;
  ref: string;
  sha: string;
  headRef: string;
  baseRef: string;
  actor: string;
  inputs: Record<string, string>;
  /** What the filters of `on` are compared with: the branch, and the paths of a push. */
  branch: string;
  paths: readonly string[];
}

/** Runs of these events get neither secrets nor write access if Dependabot caused them. */
const WITHOUT_SECRETS_FOR_DEPENDABOT = [
  ...['pull_request', 'pull_request_review', 'pull_request_review_comment', 'push', 'create'],
  ...['deployment', 'deployment_status'],
];

/**
 * Whether GitHub gives a run the secrets of the repository, and a token that can write: not for a fork's pull request,
 * nor for what Dependabot caused. A `workflow_run` gets both, whoever caused the run before it.
 */
export function isGivenSecrets({ name, payload, actor }: RecipeEvent): boolean {
  const pull = payload['pull_request'] as { head: { repo: { full_name: string } | null } } | undefined;
  const isForeign =
    name !== 'pull_request_target' && pull && pull.head.repo?.full_name !== REPOSITORY.full_name;
  if (isForeign === true) return false;
  return actor !== 'dependabot[bot]' || !WITHOUT_SECRETS_FOR_DEPENDABOT.includes(name);
}

export type Payload = Record<string, unknown>;

interface Examples {
  name: string;
  examples: Payload[];
}
const EXAMPLES = createRequire(import.meta.url)(
  '@octokit/webhooks-examples/api.github.com/index.json',
) as Examples[];

/** A copy of one of GitHub's own example payloads, about our repository. */
export function examplePayload(event: string, action?: string): Payload {
  const found = EXAMPLES.find(({ name }) => name === event)?.examples.find(
    (example) => action === undefined || example['action'] === action,
  );
  if (!found) throw new Error(`there is no example of ${event} ${action ?? ''}`);
  const text = JSON.stringify(found).replaceAll('Codertocat/Hello-World', REPOSITORY.full_name);
  return JSON.parse(text) as Payload;
}

export const REPOSITORY = { id: 186853002, name: 'project', full_name: 'acme/project' };
const exampleRepository = (): Payload => examplePayload('pull_request', 'labeled')['repository'] as Payload;

/** A repository as in payloads and API responses. */
export function repositoryShape(fullName = REPOSITORY.full_name, id = REPOSITORY.id): Payload {
  const [owner = '', name = ''] = fullName.split('/');
  const shape = exampleRepository();
  const isFork = fullName !== REPOSITORY.full_name;
  const text = JSON.stringify({ ...shape, id, name, fork: isFork, default_branch: 'main' });
  const renamed = JSON.parse(text.replaceAll(REPOSITORY.full_name, fullName)) as Payload;
  return { ...renamed, owner: { ...(renamed['owner'] as Payload), login: owner } };
}
