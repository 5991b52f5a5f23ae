import type { Account, Payload, Trigger } from './event.js';

/** Events that take write access to cause; whoever causes another one is looked at. */
const BY_WRITERS: readonly string[] = [
  ...['push', 'create', 'delete', 'release', 'merge_group', 'schedule', 'workflow_dispatch'],
  ...['repository_dispatch', 'branch_protection_rule', 'label', 'milestone', 'page_build', 'public'],
  'registry_package',
];
/** Run with the secrets of this repository, whoever opened the pull request. */
const WITH_FORK_HEADS: readonly string[] = ['pull_request_target', 'workflow_run'];
const BY_COMMENT: readonly string[] = [
  ...['issue_comment', 'commit_comment', 'discussion_comment', 'pull_request_review'],
  'pull_request_review_comment',
];

export type Refusal = { kind: 'refused'; reason: 'untrusted-event' | 'actor-not-allowed'; why: string };
export type Decision = { kind: 'allowed'; why: string } | Refusal;
/** What can be said before anybody is asked: a decision, or whose permission it hangs on. */
export type Assessment = Decision | { kind: 'depends'; logins: string[]; why: string };

/** What GitHub says a login may do here; `unknown` with the reason where it could not be found out. */
export type Permission =
  { kind: 'known'; level: string; isPerson: boolean } | { kind: 'unknown'; why: string };

/** The first half of the rule: fork code is refused, writers' events pass, everything else hangs on people. */
export function assessTrigger(trigger: Trigger, allowedActors: readonly string[]): Assessment {
  const { event, payload } = trigger;
  if (event === '') return allowed('no workflow event: a run on your own machine');
  if (BY_WRITERS.includes(event)) return allowed(`${event} takes write access`);
  if (WITH_FORK_HEADS.includes(event)) {
    const stranger = strangeHead(event, payload);
    if (stranger !== undefined) return refused('untrusted-event', stranger);
  }
  if (event === 'workflow_run' && BY_WRITERS.includes(payload?.workflow_run?.event ?? ''))
    return allowed(`workflow_run after ${payload?.workflow_run?.event ?? ''}, which takes write access`);
  if (!payload)
    return refused(
      'actor-not-allowed',
      `Who caused the ${event} event cannot be told: its payload (GITHUB_EVENT_PATH) is missing or unreadable.`,
    );
  return assessPeople(trigger, payload, allowedActors);
}

function assessPeople(trigger: Trigger, payload: Payload, allowedActors: readonly string[]): Assessment {
  const causers = findCausers(trigger, payload);
  if (typeof causers === 'string') return refused('actor-not-allowed', causers);
  const named = new Set(allowedActors.map((login) => login.toLowerCase()));
  const others = causers.filter(({ login }) => !named.has(login.toLowerCase()));
  const bot = others.find(isBot);
  if (bot)
    return refused(
      'actor-not-allowed',
      `${quote(bot.login)} caused this ${trigger.event} event and is a bot; bots may only do so by name. ` +
        `If you trust it, add it: allowed-actors: ${plainLogin(bot.login)}`,
    );
  if (others.length === 0)
    return allowed(`${names(causers.map(({ login }) => login))} named in allowed-actors`);
  const logins = others.map(({ login }) => login);
  return { kind: 'depends', logins, why: `${trigger.event} caused by ${names(logins)}` };
}

/** The second half: everyone it hangs on has write access. */
export function decide(assessment: Assessment, permissions: ReadonlyMap<string, Permission>): Decision {
  if (assessment.kind !== 'depends') return assessment;
  for (const login of assessment.logins) {
    const why = problemWith(login, permissions.get(login));
    if (why !== undefined) return refused('actor-not-allowed', why);
  }
  return allowed(`${assessment.why}, with write access`);
}

const WRITES: readonly string[] = ['write', 'maintain', 'admin'];

function problemWith(login: string, permission: Permission | undefined): string | undefined {
  const remedy = `If you trust them, add the login: allowed-actors: ${plainLogin(login)}`;
  if (permission === undefined) return `The permission of ${quote(login)} was not looked up.`;
  if (permission.kind === 'unknown')
    return `The permission of ${quote(login)} could not be looked up: ${permission.why} ${remedy}`;
  if (!permission.isPerson)
    return `${quote(login)} is not a person; bots may only trigger this by name. ${remedy}`;
  if (WRITES.includes(permission.level)) return undefined;
  return (
    `${quote(login)} has ${permission.level === 'none' ? 'no' : permission.level} permission in this repository; ` +
    `write is needed to trigger the agent by this event. ${remedy}`
  );
}

/** Why the code this is about is not this repository's own; nothing if it is. */
function strangeHead(event: string, payload: Payload | undefined): string | undefined {
  const own = payload?.repository;
  const head =
    event === 'workflow_run' ? payload?.workflow_run?.head_repository : payload?.pull_request?.head?.repo;
  const remedy =
    event === 'workflow_run'
      ? 'Let the workflow before it pass on data only, and run the agent for branches of this repository.'
      : 'Use on: pull_request instead, which gives a fork no secrets.';
  if (!own)
    return `${event} may be about a fork, and its payload (GITHUB_EVENT_PATH) is missing or unreadable. ${remedy}`;
  if (!head)
    return `${event} is about code whose repository is unknown or deleted, as that of a fork can be. ${remedy}`;
  const isOwn =
    own.id !== undefined && head.id !== undefined
      ? own.id === head.id
      : own.full_name.toLowerCase() === head.full_name.toLowerCase();
  return isOwn
    ? undefined
    : `${event} is about code of the fork ${quote(head.full_name)}, and runs with the secrets of ${quote(own.full_name)}. ${remedy}`;
}

/**
 * Everyone without whom this run would not be: who did it (sender), who wrote the words that did it (the author
 * of a comment or review, also when somebody else edited it), who the run belongs to and who ran it again.
 * A label that a maintainer puts on a stranger's issue is the maintainer's doing.
 */
function findCausers({ event, actors }: Trigger, payload: Payload): Account[] | string {
  const author = payload.comment?.user ?? payload.review?.user;
  const run = payload.workflow_run;
  const source = event === 'workflow_run' ? run?.triggering_actor : payload.sender;
  if (!source) return `Who caused the ${event} event cannot be told: the payload names nobody.`;
  if (BY_COMMENT.includes(event) && !author)
    return `Who wrote the comment cannot be told: the payload names nobody, as for a deleted account.`;
  const found = [source, author, event === 'workflow_run' ? run?.actor : undefined];
  const accounts = found.filter((account) => account !== undefined && account !== null);
  // The runner's names come without a type; where the payload has the same one, its type counts.
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
 * Whether somebody without write access can cause such an event, or has words in it, even when the one who
 * caused this one may: a comment, an issue, a fork's pull request.
 */
export function isOpenToStrangers({ event, payload }: Trigger): boolean {
  if (event === '' || BY_WRITERS.includes(event)) return false;
  const isPull = event === 'pull_request' || event === 'pull_request_target';
  if (isPull) return strangeHead(event, payload) !== undefined;
  if (event === 'workflow_run') return !BY_WRITERS.includes(payload?.workflow_run?.event ?? '');
  return true;
}

const allowed = (why: string): Decision => ({ kind: 'allowed', why });
const refused = (reason: Refusal['reason'], why: string): Refusal => ({ kind: 'refused', reason, why });
const quote = (text: string): string => JSON.stringify(text.slice(0, 200));
const names = (logins: readonly string[]): string => logins.map(quote).join(', ');
/** A login as it can be copied into a workflow; anything else is no login. */
const plainLogin = (login: string): string =>
  /^[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$/.test(login) ? login : '<login>';
