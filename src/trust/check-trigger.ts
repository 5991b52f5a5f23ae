import * as z from 'zod/mini';
import { messageOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import { connectGithub, EMPTY_TOKEN, parseRepository, type Connection } from '../github/client.js';
import type { GithubEvent } from '../github/event.js';
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

const AnswerSchema = z.looseObject({
  permission: z.string(),
  user: z.nullish(z.looseObject({ type: z.optional(z.string()) })),
});

/** Asks GitHub what a login may do. Never throws: if the permission stays unknown, the result says why. */
export async function lookUpPermission(request: PermissionRequest): Promise<Permission> {
  const { login: username, token, repository: name, ...connection } = request;
  const repository = parseRepository(name);
  if (!repository) return unknown('GITHUB_REPOSITORY is not owner/name.');
  if (!token) return unknown(EMPTY_TOKEN);
  const limits = { mostTries: 2, timeoutMs: 10_000 };
  try {
    const answer = await connectGithub({ ...connection, token, repository, limits }).read({
      doing: 'look up the permission',
      route: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
      parameters: { username },
      remedy: 'The token needs metadata=read for this repository, which the job’s own token has.',
      shape: AnswerSchema,
    });
    const type = answer.user?.type;
    return { kind: 'known', level: answer.permission, isPerson: type === undefined || type === 'User' };
  } catch (error) {
    return unknown(messageOf(error));
  }
}

const unknown = (why: string): Permission => ({ kind: 'unknown', why });
