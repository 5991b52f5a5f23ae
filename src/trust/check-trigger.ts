import { readFileSync } from 'node:fs';
import { RunFailure } from '../core/failure.js';
import { assessTrigger, decide, type Permission } from './decide.js';
import { readTrigger, type Trigger } from './event.js';
import { lookUpPermission } from './permission.js';

export interface TrustRequest {
  allowedActors: readonly string[];
  githubToken: string | undefined;
  cancel: AbortSignal;
}

/** Finds out who triggered this run and stops it if they may not; says why they may. */
export async function checkTrigger(
  { allowedActors, githubToken, cancel }: TrustRequest,
  env: NodeJS.ProcessEnv,
): Promise<{ trigger: Trigger; why: string }> {
  const trigger = readTrigger(env, (path) => readFileSync(path, 'utf8'));
  const assessment = assessTrigger(trigger, allowedActors);
  const permissions = new Map<string, Permission>();
  for (const login of assessment.kind === 'depends' ? assessment.logins : []) {
    const { repository } = trigger;
    const apiUrl = env['GITHUB_API_URL'] || 'https://api.github.com';
    permissions.set(login, await lookUpPermission({ login, repository, token: githubToken, apiUrl, cancel }));
  }
  const decision = decide(assessment, permissions);
  if (decision.kind === 'refused') throw new RunFailure(decision.reason, decision.why);
  return { trigger, why: decision.why };
}
