import { RunFailure } from '../core/failure.js';
import { readGithubEvent, type GithubEvent } from '../github/event.js';
import { assessEvent, decide, type Permission } from './decide.js';
import { lookUpPermission } from './permission.js';

export interface TrustRequest {
  allowedActors: readonly string[];
  githubToken: string | undefined;
  cancel: AbortSignal;
}

/** Finds out who triggered this run. Stops the run if they may not trigger it, and says why they may. */
export async function checkTrigger(
  { allowedActors, githubToken, cancel }: TrustRequest,
  env: NodeJS.ProcessEnv,
): Promise<{ event: GithubEvent; why: string }> {
  const event = readGithubEvent(env);
  const assessment = assessEvent(event, allowedActors);
  const permissions = new Map<string, Permission>();
  for (const login of assessment.kind === 'depends' ? assessment.logins : []) {
    const { repository } = event;
    const apiUrl = env['GITHUB_API_URL'] || 'https://api.github.com';
    permissions.set(login, await lookUpPermission({ login, repository, token: githubToken, apiUrl, cancel }));
  }
  const decision = decide(assessment, permissions);
  if (decision.kind === 'refused') throw new RunFailure(decision.reason, decision.why);
  return { event, why: decision.why };
}
