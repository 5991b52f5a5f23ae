import { parseRepository, serverUrlOf } from '../github/client.js';
import type { GithubEvent } from '../github/event.js';
import type { RunOrigin } from '../report/model.js';

/** Where and when a run takes place, for people who read its report later. `startedAt` is by `performance.now()`. */
export function originOf(
  { pull, change, head }: Pick<GithubEvent, 'pull' | 'change' | 'head'>,
  env: NodeJS.ProcessEnv,
  startedAt: number,
): RunOrigin {
  const repository = env['GITHUB_REPOSITORY'] ?? '';
  const pullRequest = pull?.number ?? change?.pullRequest;
  return {
    startedAt: new Date(performance.timeOrigin + startedAt).toISOString(),
    ...(parseRepository(repository) ? addresses(`${serverUrlOf(env)}/${repository}`, env) : {}),
    ...(parseRepository(repository) ? { repository } : {}),
    ...(pullRequest === undefined ? {} : { pullRequest }),
    ...(head === undefined ? {} : { commit: head }),
  };
}

function addresses(
  repositoryUrl: string,
  { GITHUB_RUN_ID: run = '', GITHUB_RUN_ATTEMPT: attempt = '' }: NodeJS.ProcessEnv,
): Pick<RunOrigin, 'repositoryUrl' | 'runUrl'> {
  if (run === '') return { repositoryUrl };
  return { repositoryUrl, runUrl: `${repositoryUrl}/actions/runs/${run}/attempts/${attempt || '1'}` };
}
