import type { EventAccount, GithubEvent, Payload } from '../github/event.js';
import { includesWriting } from '../github/accounts.js';

/** Only people with write access can cause these events. For every other event the people are checked. */
const BY_WRITERS: readonly string[] = [
  ...['push', 'create', 'delete', 'release', 'merge_group', 'schedule', 'workflow_dispatch'],
  ...['repository_dispatch', 'branch_protection_rule', 'label', 'milestone', 'page_build', 'public'],
  'registry_package',
];
/** These events run with the secrets of this repository, no matter who opened the pull request. */
const WITH_SECRETS_FOR_FORKS: readonly string[] = ['pull_request_target', 'workflow_run'];
const BY_COMMENT: readonly string[] = [
  ...['issue_comment', 'commit_comment', 'discussion_comment', 'pull_request_review'],
  'pull_request_review_comment',
];

export type TriggerRefusal = {
  kind: 'refused';
  reason: 'untrusted-event' | 'actor-not-allowed';
  why: string;
};
export type TriggerDecision = { kind: 'allowed'; why: string } | TriggerRefusal;
/** What is known before GitHub is asked: a decision, or the logins whose permissions decide. */
export type Assessment = TriggerDecision | { kind: 'depends'; logins: string[]; why: string };

/** The permission of a login in this repository, or the reason why it is unknown. */
export type Permission =
  { kind: 'known'; level: string; isPerson: boolean } | { kind: 'unknown'; why: string };

/** First half of the rule: code of forks is refused, events of writers pass, everything else depends on people. */
export function assessEvent(event: GithubEvent, allowedActors: readonly string[]): Assessment {
  const { name, payload } = event;
  if (event.local) return allowed('Started without a workflow event, on your own machine.');
  if (name === '')
    return refused(
      'untrusted-event',
      'This runner does not say which event started the workflow (GITHUB_EVENT_NAME is empty), so it is unknown who ' +
        'caused it. Use a runner that sets it, as GitHub’s does.',
    );
  if (BY_WRITERS.includes(name)) return allowed(`Triggered by ${name}, which requires write access.`);
  if (WITH_SECRETS_FOR_FORKS.includes(name)) {
    const problem = forkProblem(event);
    if (problem !== undefined) return refused('untrusted-event', problem);
  }
  if (!payload)
    return refused(
      'actor-not-allowed',
      `It is unknown who caused the ${name} event: its payload (GITHUB_EVENT_PATH) is missing or unreadable.`,
    );
  return assessPeople(event, payload, allowedActors);
}

/** Checks everyone who caused the event: whether all are named in allowed-actors, or whose permissions decide. */
export function assessPeople(
  event: GithubEvent,
  payload: Payload,
  allowedActors: readonly string[],
): Assessment {
  const people = findPeople(event, payload);
  if (typeof people === 'string') return refused('actor-not-allowed', people);
  const isNamed = namedTest(allowedActors);
  const others = people.filter(({ login }) => !isNamed(login));
  const bot = others.find(isBot);
  if (bot)
    return refused(
      'actor-not-allowed',
      `${quoteName(bot.login)} caused this ${event.name} event and is a bot. Bots must be allowed by name. ` +
        `If you trust it, add it: allowed-actors: ${plainLogin(bot.login)}`,
    );
  const by = (accounts: readonly EventAccount[]) =>
    `Triggered by ${event.name} of ${accounts.map(({ login }) => quoteName(login)).join(', ')}`;
  if (others.length === 0) return allowed(`${by(people)}, named in allowed-actors.`);
  return {
    kind: 'depends',
    logins: others.map(({ login }) => login),
    why: `${by(others)}, who ${others.length === 1 ? 'has' : 'have'} write access.`,
  };
}

/** Whether a login is one of these. GitHub does not distinguish case in logins. */
export function namedTest(logins: readonly string[]): (login: string) => boolean {
  const named = new Set(logins.map((login) => login.toLowerCase()));
  return (login) => named.has(login.toLowerCase());
}

/** Second half of the rule: everyone the decision depends on has write access. */
export function decideTrigger(
  assessment: Assessment,
  permissions: ReadonlyMap<string, Permission>,
): TriggerDecision {
  if (assessment.kind !== 'depends') return assessment;
  for (const login of assessment.logins) {
    const why = problemWith(login, permissions.get(login));
    if (why !== undefined) return refused('actor-not-allowed', why);
  }
  return allowed(assessment.why);
}

/** Why the permission of a login is not enough; undefined if it is. */
export function problemWith(login: string, permission: Permission | undefined): string | undefined {
  const remedy = `If you trust them, add the login: allowed-actors: ${plainLogin(login)}`;
  if (permission === undefined) return `The permission of ${quoteName(login)} was not looked up.`;
  if (permission.kind === 'unknown')
    return `The permission of ${quoteName(login)} is unknown. ${permission.why} ${remedy}`;
  if (!permission.isPerson)
    return `${quoteName(login)} is not a person. Bots must be allowed by name. ${remedy}`;
  if (includesWriting(permission.level)) return undefined;
  return (
    `${quoteName(login)} has ${permission.level === 'none' ? 'no' : permission.level} permission in this repository; ` +
    `starting the agent with this event requires write access. ${remedy}`
  );
}

type PayloadRepository = NonNullable<Payload['repository']>;

const headRepository = ({ name, payload }: GithubEvent): PayloadRepository | null | undefined =>
  name === 'workflow_run' ? payload?.workflow_run?.head_repository : payload?.pull_request?.head?.repo;

const isSame = (one: PayloadRepository, other: PayloadRepository): boolean =>
  one.id !== undefined && other.id !== undefined
    ? one.id === other.id
    : one.full_name.toLowerCase() === other.full_name.toLowerCase();

/** Whether the event says that its pull request comes from a fork, which may be deleted by now. */
function isFromFork(event: GithubEvent): boolean {
  const own = event.payload?.repository;
  if (!own || !event.payload?.pull_request) return false;
  const head = headRepository(event);
  return !head || !isSame(own, head);
}

/**
 * The fork whose code an event is about that runs with the secrets of this repository. Undefined if there is none, or
 * if it is unknown which.
 */
export function forkOf(event: GithubEvent): string | undefined {
  const own = event.payload?.repository;
  const head = WITH_SECRETS_FOR_FORKS.includes(event.name) ? headRepository(event) : undefined;
  return own && head && !isSame(own, head) ? head.full_name : undefined;
}

/** Why the code of the event is not, or may not be, this repository's own; undefined if it is. */
function forkProblem(event: GithubEvent): string | undefined {
  const { name } = event;
  const own = event.payload?.repository;
  const head = headRepository(event);
  const remedy =
    name === 'workflow_run'
      ? 'To run the agent only for branches of this repository, add to the job: ' +
        'if: github.event.workflow_run.head_repository.full_name == github.repository'
      : 'Use on: pull_request instead, which gives a fork no secrets.';
  if (!own)
    return `${name} may be about a fork, and its payload (GITHUB_EVENT_PATH) is missing or unreadable. ${remedy}`;
  if (!head)
    return `${name} is about code whose repository is unknown or deleted, so it may come from a fork. ${remedy}`;
  return isSame(own, head)
    ? undefined
    : `${name} is about code of the fork ${quoteName(head.full_name)}, and runs with the secrets of ${quoteName(own.full_name)}. ${remedy}`;
}

/**
 * Everyone who caused this run: who acted (sender), who wrote the comment or review (also if another user edited
 * it), who the run belongs to, and who started it again. If a maintainer labels a stranger's issue, the maintainer
 * caused the run.
 */
function findPeople({ name, actors }: GithubEvent, payload: Payload): EventAccount[] | string {
  const author = payload.comment?.user ?? payload.review?.user;
  const run = name === 'workflow_run' ? payload.workflow_run : undefined;
  const source = name === 'workflow_run' ? run?.triggering_actor : payload.sender;
  if (!source || (name === 'workflow_run' && !run?.actor))
    return `It is unknown who caused the ${name} event: the payload names no account.`;
  if (BY_COMMENT.includes(name) && !author)
    return 'It is unknown who wrote the comment: the payload names no account, probably because it was deleted.';
  const accounts = [source, author, run?.actor].filter((account) => account != null);
  // The runner's variables do not say what type an account has. If the payload has the same login, it does.
  const known = new Map(
    [...actors.map((login) => ({ login })), ...accounts].map((account) => [
      account.login.toLowerCase(),
      account,
    ]),
  );
  return [...known.values()];
}

const isBot = ({ login, type }: { login: string; type?: string | undefined }): boolean =>
  /\[bot\]$/i.test(login) || (type !== undefined && type !== 'User');

/**
 * Whether a user without write access can cause such an event or write text that it contains, such as a comment,
 * an issue or a pull request from a fork. That the person who caused this event has write access does not matter.
 */
export function isOpenToStrangers(event: GithubEvent): boolean {
  const { name, payload } = event;
  if (event.local || BY_WRITERS.includes(name)) return false;
  if (name === 'pull_request' || name === 'pull_request_target') return forkProblem(event) !== undefined;
  if (name === 'workflow_run') return !BY_WRITERS.includes(payload?.workflow_run?.event ?? '');
  return true;
}

/** GitHub gives these events no secrets if the pull request comes from a fork. */
const WITHOUT_SECRETS_FOR_FORKS: readonly string[] = [
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
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
  if (WITHOUT_SECRETS_FOR_FORKS.includes(name) && isFromFork(event))
    return (
      `api-key is empty, because GitHub passes no secrets to ${name} runs for a fork. To review ` +
      'forks, use this action’s recipe for reviews of forks. To skip this job for forks, add to the job: ' +
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

export const allowed = (why: string): TriggerDecision => ({ kind: 'allowed', why });
export const refused = (reason: TriggerRefusal['reason'], why: string): TriggerRefusal => ({
  kind: 'refused',
  reason,
  why,
});
export const quoteName = (text: string): string => JSON.stringify(text.slice(0, 200));
/** A login that can be pasted into a workflow, or a placeholder. */
const plainLogin = (login: string): string =>
  /^[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$/.test(login) ? login : '<login>';
