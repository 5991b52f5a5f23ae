import type { GithubEvent } from '../github/event.js';
import { isFromFork } from './decide.js';

/** GitHub gives these events no secrets if the pull request comes from a fork. */
const WITHOUT_SECRETS_FOR_FORKS: readonly string[] = [
  ...['pull_request', 'pull_request_review', 'pull_request_review_comment'],
];
/** For these events, a run of Dependabot gets only the secrets that are set for Dependabot. */
const WITH_DEPENDABOT_SECRETS: readonly string[] = [
  ...WITHOUT_SECRETS_FOR_FORKS,
  ...['push', 'create', 'deployment', 'deployment_status'],
];
const DEPENDABOT = 'dependabot[bot]';

/** Why GitHub keeps the secrets from this run, and what to do about it. Undefined if it does not keep them. */
export function whySecretsAreWithheld(event: GithubEvent): string | undefined {
  const { name, actors, payload } = event;
  if (WITHOUT_SECRETS_FOR_FORKS.includes(name) && isFromFork(event) === true)
    return (
      `api-key is empty, because GitHub passes no secrets to ${name} runs for a fork. To review ` +
      'forks, use the recipe fork-review.yml. To skip this job for forks, add to the job: ' +
      'if: github.event.pull_request.head.repo.full_name == github.repository'
    );
  const isDependabot = actors.includes(DEPENDABOT);
  if (isDependabot && WITH_DEPENDABOT_SECRETS.includes(name))
    return (
      `api-key is empty, because GitHub passes only the Dependabot secrets to ${name} runs of Dependabot. To skip this ` +
      `job for it, add to the job: if: github.actor != '${DEPENDABOT}'. To review its changes, add the key under Settings > ` +
      `Secrets and variables > Dependabot, and set allowed-actors: ${DEPENDABOT}`
    );
  if (isDependabot && name === 'pull_request_target' && payload?.pull_request?.user?.login === DEPENDABOT)
    return (
      'api-key is empty, because GitHub passes no secrets to pull_request_target runs of Dependabot. Use ' +
      'on: pull_request, which gets the Dependabot secrets.'
    );
  return undefined;
}
