import { afterEach, describe, expect, it } from '@jest/globals';
import { RunFailure } from '../../src/core/failure.js';
import type { GithubAccess } from '../../src/trust/check-trigger.js';
import { admitFork, type ForkRules } from '../../src/trust/fork-review.js';
import { startRoutes, type RouteAnswer } from '../context/routes.js';
import type { Api } from '../github/api-server.js';
import { githubEventOf } from './events.js';

const started: Api[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((api) => api.close()));
});

const [A, LATER, BASE] = ['a', 'c', 'b'].map((letter) => letter.repeat(40)) as [string, string, string];
const account = (login: string) => ({ login, id: 11, type: 'User' });
const pull = (more: object = {}) => ({
  ...{ id: 1, number: 7, title: 'A change', user: account('stranger'), author_association: 'NONE' },
  labels: [{ name: 'cursor-review' }],
  base: { ref: 'main', sha: BASE, repo: { full_name: 'acme/project' } },
  head: { ref: 'change', sha: A, repo: { full_name: 'stranger/project' } },
  ...more,
});
const REPO = 'GET /repos/acme/project';
const ROUTES: Record<string, RouteAnswer> = {
  [`${REPO}/pulls/7`]: { body: pull() },
  [`${REPO}/pulls`]: { body: [pull()] },
  [`${REPO}/issues/7/events`]: {
    body: [
      {
        event: 'labeled',
        created_at: '2026-01-02T08:00:00Z',
        actor: account('mary'),
        label: { name: 'cursor-review' },
      },
    ],
  },
  [`${REPO}/pulls/7/reviews`]: { body: [] },
  'GET /repos/stranger/project/activity': {
    body: [
      { id: 1, activity_type: 'push', after: A, timestamp: '2026-01-01T08:00:00Z', ref: 'refs/heads/change' },
    ],
  },
  [`${REPO}/collaborators/mary/permission`]: { body: { permission: 'write', user: account('mary') } },
};

const admit = async (
  { event = 'pull_request_target', fixture = 'pull-request-fork' } = {},
  routes: Record<string, RouteAnswer> = {},
  more: Partial<ForkRules & GithubAccess> = {},
) => {
  const api = await startRoutes({ ...ROUTES, ...routes });
  started.push(api);
  const given: ForkRules & GithubAccess = {
    ...{ forkReviews: 'labelled', allowedActors: [], token: 'ghs_token', apiUrl: api.url },
    ...{ cancel: new AbortController().signal, clock: { wait: () => Promise.resolve() } },
    ...more,
  };
  const admitted = admitFork(githubEventOf(event, fixture), given, given);
  const result = await admitted.catch((reason: unknown) =>
    reason instanceof RunFailure ? `${reason.reason}: ${reason.detail}` : String(reason),
  );
  return { result, lines: api.requests.map(({ line }) => line.replace(/^GET \/api\/v3/, '')) };
};

describe('admitFork', () => {
  it('reviews the commit of the event that the label was set for', async () => {
    const { result } = await admit();
    expect(result).toMatchObject({
      why: expect.stringContaining('approved by "mary"') as unknown,
      event: {
        head: A,
        change: { pullRequest: 7, commits: { kind: 'known', base: BASE, head: A, history: 'forked' } },
        pull: { number: 7, head: A, details: { head: { commit: A, repository: 'stranger/project' } } },
      },
    });
  });

  it('stays with the commit of the event if the pull request has a newer one', async () => {
    const moved = pull({ head: { ref: 'change', sha: LATER, repo: { full_name: 'stranger/project' } } });
    const pushes = [
      {
        id: 2,
        activity_type: 'push',
        after: LATER,
        timestamp: '2026-01-02T09:00:00Z',
        ref: 'refs/heads/change',
      },
      ...(ROUTES['GET /repos/stranger/project/activity']!.body as object[]),
    ];
    const { result } = await admit(
      {},
      { [`${REPO}/pulls/7`]: { body: moved }, 'GET /repos/stranger/project/activity': { body: pushes } },
    );
    expect(result).toMatchObject({ event: { head: A, pull: { details: { head: { commit: A } } } } });
  });

  it('finds the pull request of a CI run by its branch and commit', async () => {
    const run = { event: 'workflow_run', fixture: 'workflow-run-fork' };
    const { result, lines } = await admit(run);
    expect(result).toMatchObject({ event: { head: A, pull: { number: 7 } } });
    expect(lines[0]).toBe('/repos/acme/project/pulls?state=open&head=stranger%3Achange&per_page=100');
    const moved = pull({ head: { ref: 'change', sha: LATER, repo: { full_name: 'stranger/project' } } });
    const other = await admit(run, { [`${REPO}/pulls`]: { body: [moved] } });
    expect(other.result).toMatch(
      /^untrusted-event: .*No open pull request has aaaaaaaaaa of stranger\/project/,
    );
  });

  it('asks only what it needs to know', async () => {
    const all = await admit({}, {}, { forkReviews: 'all' });
    expect(all.lines).toEqual(['/repos/acme/project/pulls/7']);
    const contributor = { [`${REPO}/pulls/7`]: { body: pull({ author_association: 'CONTRIBUTOR' }) } };
    const known = await admit({}, contributor, { forkReviews: 'known-contributors' });
    expect([known.result, known.lines]).toEqual([expect.any(Object), ['/repos/acme/project/pulls/7']]);
  });

  it.each([
    ['write', 'is reviewed'],
    ['read', 'untrusted-event'],
  ])('asks what an author may do whom GitHub does not list: %s', async (permission, result) => {
    const person = account('stranger');
    const routes = { [`${REPO}/collaborators/stranger/permission`]: { body: { permission, user: person } } };
    const labels = { [`${REPO}/issues/7/events`]: { body: [] } };
    const asked = await admit({}, { ...routes, ...labels }, { forkReviews: 'known-contributors' });
    expect(asked.lines[1]).toBe('/repos/acme/project/collaborators/stranger/permission');
    expect(typeof asked.result === 'string' ? asked.result : 'is reviewed').toMatch(new RegExp(`^${result}`));
  });

  it.each<[string, Record<string, RouteAnswer>, Partial<ForkRules & GithubAccess>, RegExp]>([
    [
      'the person with the label cannot write',
      {
        [`${REPO}/collaborators/mary/permission`]: { body: { permission: 'triage', user: account('mary') } },
      },
      {},
      /^untrusted-event: .*"mary" has triage permission/,
    ],
    ['there is no token', {}, { token: undefined }, /^untrusted-event: .*github-token is empty/],
    [
      'GitHub does not tell about the pushes',
      { 'GET /repos/stranger/project/activity': { status: 404, body: { message: 'Not Found' } } },
      {},
      /^untrusted-event: The action could not find out whether this pull request .* may be reviewed/,
    ],
    [
      'GitHub has a problem',
      { [`${REPO}/issues/7/events`]: { status: 503, body: { message: 'Unavailable' } } },
      {},
      /^network: /,
    ],
  ])('refuses if %s', async (_, routes, more, words) => {
    expect((await admit({}, routes, more)).result).toMatch(words);
  });
});
