import { messageOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import { readPermission } from '../github/accounts.js';
import {
  connectGithub,
  EMPTY_TOKEN,
  parseRepository,
  type Connection,
  type GithubClient,
} from '../github/client.js';
import type { GithubEvent } from '../github/event.js';
import { mayPass } from '../github/github-error.js';
import { assessEvent, decideTrigger, type Permission } from './decide.js';

export interface GithubAccess extends Pick<Connection, 'apiUrl' | 'cancel' | 'clock' | 'limits'> {
  /** Empty or undefined if there is none. */
  token: string | undefined;
}

/** A client for a repository, which is given as `owner/name`. */
export function connectTo(name: string, { token, ...connection }: GithubAccess): GithubClient {
  const repository = parseRepository(name);
  if (!token) throw new Error(EMPTY_TOKEN);
  if (!repository) throw new Error('GITHUB_REPOSITORY is not owner/name.');
  return connectGithub({ ...connection, token, repository });
}

/** Why a run must not start if GitHub cannot be asked. `what` completes "could not find out". */
export const couldNotFindOut = (what: string, error: unknown): RunFailure =>
  new RunFailure(
    mayPass(error) ? 'network' : 'untrusted-event',
    `The action could not find out ${what}. ${messageOf(error)}`,
    { cause: error },
  );

/** Finds out who triggered this run. Stops the run if they may not trigger it, and says why they may. */
export async function checkTrigger(
  event: GithubEvent,
  allowedActors: readonly string[],
  access: GithubAccess,
): Promise<string> {
  const assessment = assessEvent(event, allowedActors);
  const logins = assessment.kind === 'depends' ? assessment.logins : [];
  const decision = decideTrigger(assessment, await lookUpPermissions(event.repository, logins, access));
  if (decision.kind === 'refused') throw new RunFailure(decision.reason, decision.why);
  return decision.why;
}

export async function lookUpPermissions(
  repository: string,
  logins: readonly string[],
  access: GithubAccess,
): Promise<Map<string, Permission>> {
  const permissions = new Map<string, Permission>();
  for (const login of logins) permissions.set(login, await lookUpPermission(repository, login, access));
  return permissions;
}

/** Asks GitHub what a login may do. Never throws: if the permission stays unknown, the result says why. */
export async function lookUpPermission(
  repository: string,
  login: string,
  access: GithubAccess,
): Promise<Permission> {
  try {
    const github = connectTo(repository, { ...access, limits: { mostTries: 2, timeoutMs: 10_000 } });
    return { kind: 'known', ...(await readPermission(github, login)) };
  } catch (error) {
    return { kind: 'unknown', why: messageOf(error) };
  }
}
