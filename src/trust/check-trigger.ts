import { messageOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import { connectGithub, EMPTY_TOKEN, parseRepository, type Connection } from '../github/client.js';
import type { GithubEvent } from '../github/event.js';
import { readPermission } from '../github/accounts.js';
import { assessEvent, decide, type Permission } from './decide.js';

export interface TrustRequest {
  event: GithubEvent;
  allowedActors: readonly string[];
  githubToken: string | undefined;
  cancel: AbortSignal;
}

/** Finds out who triggered this run. Stops the run if they may not trigger it, and says why they may. */
export async function checkTrigger(
  { event, allowedActors, githubToken: token, cancel }: TrustRequest,
  apiUrl: string,
): Promise<string> {
  const { repository } = event;
  const assessment = assessEvent(event, allowedActors);
  const permissions = new Map<string, Permission>();
  for (const login of assessment.kind === 'depends' ? assessment.logins : []) {
    permissions.set(login, await lookUpPermission({ login, repository, token, apiUrl, cancel }));
  }
  const decision = decide(assessment, permissions);
  if (decision.kind === 'refused') throw new RunFailure(decision.reason, decision.why);
  return decision.why;
}

export interface PermissionRequest extends Pick<Connection, 'apiUrl' | 'cancel' | 'clock'> {
  login: string;
  /** `owner/name`. */
  repository: string;
  token: string | undefined;
}

/** Asks GitHub what a login may do. Never throws: if the permission stays unknown, the result says why. */
export async function lookUpPermission(request: PermissionRequest): Promise<Permission> {
  const { login, token, repository: name, ...connection } = request;
  const repository = parseRepository(name);
  if (!repository) return unknown('GITHUB_REPOSITORY is not owner/name.');
  if (!token) return unknown(EMPTY_TOKEN);
  const limits = { mostTries: 2, timeoutMs: 10_000 };
  try {
    const github = connectGithub({ ...connection, token, repository, limits });
    return { kind: 'known', ...(await readPermission(github, login)) };
  } catch (error) {
    return unknown(messageOf(error));
  }
}

const unknown = (why: string): Permission => ({ kind: 'unknown', why });
