import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RunFailure } from '../../src/core/failure.js';
import { readGithubEvent, type GithubEvent } from '../../src/github/event.js';
import {
  chooseCommentedCommit,
  pinCommentedCommit,
  type CommentedPull,
  type PinRequest,
  type Push,
} from '../../src/trust/commented-commit.js';
import type { Api } from '../github/api-server.js';
import { startRoutes, type RouteAnswer } from '../context/routes.js';

const commit = (letter: string): string => letter.repeat(40);
const [SEEN, LATER, OLD, MAIN, MERGE] = ['b', 'c', 'a', 'd', 'e'].map(commit) as [
  string,
  string,
  string,
  string,
  string,
];
const WRITTEN = '2026-01-02T08:00:00Z';
const push = (after: string, timestamp: string, ref = 'refs/heads/change'): Push => ({
  after,
  timestamp,
  ref,
});
const PUSHES = [push(SEEN, '2026-01-01T10:00:00Z'), push(OLD, '2026-01-01T09:00:00Z')];
const details = (head: string): CommentedPull['details'] => ({
  ...{ title: 'A change', body: '', author: 'stranger', labels: [], draft: false },
  base: { branch: 'main', commit: MAIN },
  head: { branch: 'change', commit: head, repository: 'stranger/project' },
});
const pull = (more: Partial<CommentedPull> = {}): CommentedPull => ({
  writtenAt: WRITTEN,
  details: details(SEEN),
  pushes: PUSHES,
  checkedOut: { commit: SEEN, merged: [] },
  eventCommit: MAIN,
  ...more,
});
const withLater = (at: string) => ({
  details: details(LATER),
  pushes: [push(LATER, at), ...PUSHES],
});

describe('the commit that a comment is about', () => {
  it.each<[string, Partial<CommentedPull>]>([
    ['is the newest one that was pushed before', {}],
    ['stays the same if a push follows', withLater('2026-01-02T08:00:01Z')],
    ['does not include a push in the same second', withLater(WRITTEN)],
    ['is known if the base is checked out', { checkedOut: { commit: MAIN, merged: [] } }],
    ['is known if nothing is checked out', { checkedOut: undefined }],
    ['may be checked out as a merge', { checkedOut: { commit: MERGE, merged: [SEEN] } }],
    [
      'is known if the base is checked out at which the branch began',
      {
        checkedOut: { commit: MAIN, merged: [] },
        pushes: [...PUSHES, push(MAIN, '2026-01-01T08:00:00Z')],
      },
    ],
    [
      'is not taken from another branch',
      { pushes: [push(LATER, '2026-01-01T11:00:00Z', 'refs/heads/other'), ...PUSHES] },
    ],
  ])('%s', (_name, more) => {
    expect(chooseCommentedCommit(pull(more))).toEqual({ commit: SEEN });
  });

  it.each<[string, Partial<CommentedPull>, RegExp]>([
    [
      'a later commit is checked out',
      { ...withLater('2026-01-02T08:00:01Z'), checkedOut: { commit: LATER, merged: [] } },
      /^Commit cccccccccc of the pull request is checked out, but bbbbbbbbbb was its newest/,
    ],
    [
      'a later commit is checked out that merges the approved one',
      { ...withLater('2026-01-02T08:00:01Z'), checkedOut: { commit: LATER, merged: [SEEN] } },
      /^Commit cccccccccc/,
    ],
    [
      'the merge of a later commit is checked out',
      { ...withLater('2026-01-02T08:00:01Z'), checkedOut: { commit: MERGE, merged: [LATER] } },
      /^Commit cccccccccc/,
    ],
    [
      'a later commit is checked out that the record of pushes does not have yet',
      { details: details(LATER), checkedOut: { commit: LATER, merged: [] } },
      /^Commit cccccccccc/,
    ],
    ['an older commit is checked out', { checkedOut: { commit: OLD, merged: [] } }, /^Commit aaaaaaaaaa/],
    ['there is no record', { pushes: [] }, /no record of a push to "change" before the comment/],
    [
      'every push is later',
      { pushes: [push(SEEN, '2026-01-03T08:00:00Z')] },
      /no record of a push to "change" before/,
    ],
    [
      'the branch was deleted then',
      { pushes: [push('0'.repeat(40), '2026-01-02T07:00:00Z'), ...PUSHES] },
      /no record/,
    ],
    ['nobody says when', { writtenAt: undefined }, /does not say when the comment was written/],
    ['the time makes no sense', { writtenAt: 'yesterday' }, /does not say when/],
  ])('is refused if %s', (_name, more, words) => {
    expect(chooseCommentedCommit(pull(more))).toEqual({ problem: expect.stringMatching(words) as unknown });
  });

  it('is never one that was pushed after the comment, and never another than the one checked out', () => {
    const heads = [SEEN, LATER, OLD, MERGE];
    const minute = fc.integer({ min: 0, max: 59 });
    const at = (minutes: number) => `2026-01-02T08:${String(minutes).padStart(2, '0')}:00Z`;
    const history = fc.array(fc.tuple(fc.constantFrom(...heads), minute), { maxLength: 6 });
    const checkout = fc.record({
      commit: fc.constantFrom(...heads),
      merged: fc.subarray(heads, { maxLength: 1 }),
    });
    fc.assert(
      fc.property(history, minute, checkout, (all, written, checkedOut) => {
        const pushes = all.sort(([, a], [, b]) => b - a).map(([after, minutes]) => push(after, at(minutes)));
        const newest = pushes[0]?.after ?? SEEN;
        const given = { pushes, checkedOut, writtenAt: at(written), details: details(newest) };
        const chosen = chooseCommentedCommit(pull(given));
        if ('problem' in chosen) return;
        const then = pushes.find(({ timestamp }) => timestamp < at(written));
        expect(chosen.commit).toBe(then?.after);
        if (pushes.some(({ after }) => after === checkedOut.commit))
          expect(checkedOut.commit).toBe(chosen.commit);
      }),
    );
  });
});

const started: Api[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((api) => api.close()));
});

const commented = (comment: object = { created_at: WRITTEN, updated_at: WRITTEN }): GithubEvent =>
  readGithubEvent(
    { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_EVENT_PATH: '/e', GITHUB_REPOSITORY: 'acme/project' },
    () => JSON.stringify({ issue: { number: 7, pull_request: {} }, comment }),
  );
const pullAnswer = (head: object): RouteAnswer => ({
  body: {
    ...{ id: 1, number: 7, title: 'A change', user: { login: 'stranger', id: 22, type: 'User' } },
    base: { ref: 'main', sha: MAIN, repo: { full_name: 'acme/project' } },
    head: { ref: 'change', sha: LATER, repo: { full_name: 'stranger/project' }, ...head },
  },
});
const pushAnswers = (...pushes: Push[]): RouteAnswer => ({
  body: pushes.map((given, id) => ({ id, activity_type: 'push', ...given })),
});
const pin = async (
  routes: Parameters<typeof startRoutes>[0],
  { event = commented(), ...more }: Partial<PinRequest> & { event?: GithubEvent } = {},
) => {
  const api = await startRoutes(routes);
  started.push(api);
  const pinned = pinCommentedCommit(event, {
    token: 'ghs_token',
    apiUrl: api.url,
    cancel: new AbortController().signal,
    clock: { wait: () => Promise.resolve() },
    checkedOut: () => ({ commit: SEEN, merged: [] }),
    eventCommit: MAIN,
    ...more,
  });
  return { api, pinned };
};
const PULL = 'GET /repos/acme/project/pulls/7';
const ACTIVITY = 'GET /repos/stranger/project/activity';
const refusal = async (pinned: Promise<unknown>) => {
  const error = await pinned.catch((reason: unknown) => reason);
  return error instanceof RunFailure ? `${error.reason}: ${error.detail}` : error;
};

describe('pinCommentedCommit', () => {
  const pushed = pushAnswers(push(LATER, '2026-01-02T09:00:00Z'), ...PUSHES);

  it('names that commit in the event, asks the repository of the branch, and says that there is a newer one', async () => {
    const { api, pinned } = await pin({ [PULL]: pullAnswer({}), [ACTIVITY]: pushed });
    const { event, notes } = await pinned;
    expect(event).toMatchObject({
      head: SEEN,
      change: { pullRequest: 7, commits: { kind: 'known', base: MAIN, head: SEEN, history: 'forked' } },
      pull: { number: 7, head: SEEN, details: { title: 'A change', head: { commit: SEEN } } },
    });
    expect(notes).toEqual([
      expect.stringMatching(/works on commit bbbbbbbbbb.*has a newer commit, cccccccccc\./),
    ]);
    expect(api.requests.map(({ line }) => line)).toEqual([
      'GET /api/v3/repos/acme/project/pulls/7',
      'GET /api/v3/repos/stranger/project/activity?ref=refs%2Fheads%2Fchange&per_page=100',
    ]);
  });

  it('goes by the time of the last edit', async () => {
    const edited = commented({ created_at: WRITTEN, updated_at: '2026-01-02T09:30:00Z' });
    const checkedOut = () => ({ commit: LATER, merged: [] });
    const { pinned } = await pin(
      { [PULL]: pullAnswer({}), [ACTIVITY]: pushed },
      { event: edited, checkedOut },
    );
    expect(await pinned).toMatchObject({ event: { head: LATER }, notes: [] });
  });

  it('does the same for a comment on lines, whose event names a commit that may have come later', async () => {
    const event = readGithubEvent(
      {
        GITHUB_EVENT_NAME: 'pull_request_review_comment',
        GITHUB_EVENT_PATH: '/e',
        GITHUB_REPOSITORY: 'acme/project',
      },
      () =>
        JSON.stringify({
          comment: { id: 9, in_reply_to_id: 8, created_at: WRITTEN, updated_at: WRITTEN },
          pull_request: { number: 7, base: { ref: 'main', sha: MAIN }, head: { ref: 'change', sha: LATER } },
        }),
    );
    expect(event).toMatchObject({ head: LATER, comment: { id: 9, thread: 8 } });
    const routes = { [PULL]: pullAnswer({}), [ACTIVITY]: pushed };
    const { pinned } = await pin(routes, { event });
    expect((await pinned).event).toMatchObject({
      head: SEEN,
      pull: { head: SEEN },
      comment: { id: 9, thread: 8 },
    });
    // What this event checks out by itself is the merge of the newest commit.
    const merge = { checkedOut: () => ({ commit: MERGE, merged: [LATER] }), eventCommit: MERGE };
    const { pinned: later } = await pin(routes, { event, ...merge });
    expect(await refusal(later)).toMatch(/^untrusted-event: Commit cccccccccc/);
  });

  it.each<[string, Parameters<typeof startRoutes>[0], RegExp]>([
    [
      'the pushes cannot be read',
      { [PULL]: pullAnswer({}), [ACTIVITY]: { status: 404 } },
      /^untrusted-event: The action could not find out which commit the comment is about\..*stranger\/project.*contents: read/s,
    ],
    [
      'the fork is deleted',
      { [PULL]: { ...pullAnswer({ repo: null }), unlike: true } },
      /^untrusted-event: .*unknown or deleted/,
    ],
    ['the pull request cannot be read', {}, /^untrusted-event: .*pull-requests: read/s],
    ['GitHub does not answer', { [PULL]: { status: 502 } }, /^network: /],
  ])('refuses if %s', async (_name, routes, words) => {
    const { pinned } = await pin(routes);
    expect(await refusal(pinned)).toMatch(words);
  });

  it('refuses without a token, and asks nobody', async () => {
    const { api, pinned } = await pin({}, { token: undefined });
    expect(await refusal(pinned)).toMatch(/^untrusted-event: .*github-token is empty/);
    expect(api.requests).toEqual([]);
  });

  it('leaves every other event as it is, and asks nobody', async () => {
    const issue = readGithubEvent(
      { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_EVENT_PATH: '/e' },
      () => '{"issue":{"number":7}}',
    );
    const { api, pinned } = await pin({}, { event: issue });
    expect(await pinned).toEqual({ event: issue, notes: [] });
    expect(api.requests).toEqual([]);
  });
});
