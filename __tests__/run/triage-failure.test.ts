import { expect, it } from '@jest/globals';
import type { GithubClient } from '../../src/github/client.js';
import { readGithubEvent } from '../../src/github/event.js';
import { failureLines } from '../../src/report/failure-lines.js';
import { triageFailure } from '../../src/run/triage-failure.js';

const OWN = { id: 1, full_name: 'acme/project' };
const failedRun = (pulls: object[] = []) => {
  const payload = {
    repository: { ...OWN, default_branch: 'main' },
    workflow_run: {
      ...{ id: 3, name: 'CI', workflow_id: 9, head_sha: 'a'.repeat(40), head_branch: 'feature' },
      ...{ head_repository: OWN, pull_requests: pulls },
    },
  };
  const env = { GITHUB_EVENT_NAME: 'workflow_run', GITHUB_EVENT_PATH: '/event' };
  return readGithubEvent(env, () => JSON.stringify(payload));
};
const failures = failureLines('not ok 1 - adds two numbers');
const into = (ref: string, id = 1) => ({ number: 7, base: { ref, sha: 'b'.repeat(40), repo: { id } } });

it.each<[string, object[], string]>([
  ['the branch that its pull request is for', [into('release')], 'release'],
  ['the default branch without a pull request', [], 'main'],
  ['the default branch if it is in two that differ', [into('release'), into('next')], 'main'],
  ['the default branch if its pull request is for another repository', [into('release', 2)], 'main'],
])('a failure is compared with %s', async (_, pulls, base) => {
  const event = failedRun(pulls);
  const asked: unknown[] = [];
  const read = ({ route, parameters }: { route: string; parameters: Record<string, unknown> }) => {
    if (route.endsWith('/pulls')) return Promise.resolve([]);
    asked.push(parameters['branch']);
    return Promise.resolve({ workflow_runs: [] });
  };
  const github = { read } as unknown as GithubClient;
  expect(await triageFailure({ event, github, failures, machine: undefined })).toEqual({ notes: [] });
  expect(asked).toEqual(['feature', base]);
});

it('a failure is outdated by a newer run, also below runs of forks whose branch has the same name', async () => {
  const run = (id: number, owner: string) => ({
    ...{ id, run_attempt: 1, head_branch: 'feature', head_repository: { full_name: `${owner}/project` } },
  });
  const runs = [...Array.from({ length: 20 }, (_, count) => run(30 - count, 'stranger')), run(4, 'acme')];
  const read = ({ parameters }: { parameters: { per_page: number } }) =>
    Promise.resolve({ workflow_runs: runs.slice(0, parameters.per_page) });
  const github = { read } as unknown as GithubClient;
  const { skipped } = await triageFailure({ event: failedRun(), github, failures, machine: undefined });
  expect(skipped?.code).toBe('outdated');
});
