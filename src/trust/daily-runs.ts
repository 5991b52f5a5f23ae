import * as z from 'zod/mini';
import { messageOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import { mayPass } from '../github/github-error.js';
import { connectTo, type GithubAccess } from './check-trigger.js';

const RunsSchema = z.pipe(
  z.looseObject({
    workflow_runs: z.array(z.looseObject({ id: z.number(), conclusion: z.nullish(z.string()) })),
  }),
  z.transform(({ workflow_runs: runs }) => runs),
);
/** The largest limit. GitHub lists no more runs of one search either. */
export const MAX_RUNS_PER_DAY = 1000;

/**
 * Why this run may start no agent; undefined if it may. Counts the runs of the same workflow that began today (UTC)
 * before this one, so of runs that begin together the first ones get through. Runs that GitHub skipped do not count.
 */
export async function findDailyLimit(
  limit: number,
  env: NodeJS.ProcessEnv,
  access: GithubAccess,
): Promise<string | undefined> {
  const [, file = ''] = /\/\.github\/workflows\/([^/@]+)@/.exec(env['GITHUB_WORKFLOW_REF'] ?? '') ?? [];
  const own = Number(env['GITHUB_RUN_ID'] ?? '');
  try {
    if (file === '' || !(own > 0)) throw new Error('This is not a run of a workflow.');
    const runs = await connectTo(env['GITHUB_REPOSITORY'] ?? '', access).readPages({
      doing: 'count the runs of today',
      route: 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs',
      parameters: { workflow_id: file, created: `>=${new Date().toISOString().slice(0, 10)}` },
      needs: 'actions: read',
      shape: RunsSchema,
      maxPages: MAX_RUNS_PER_DAY / 100,
    });
    const earlier = runs.filter(({ id, conclusion }) => id < own && conclusion !== 'skipped').length;
    if (earlier < limit) return undefined;
    return `This workflow has had ${earlier} runs today (UTC), and \`runs-per-day\` is ${limit}. Run it again tomorrow, or raise the limit.`;
  } catch (error) {
    const why = `runs-per-day: ${messageOf(error)}`;
    throw new RunFailure(mayPass(error) ? 'network' : 'invalid-input', why, { cause: error });
  }
}
