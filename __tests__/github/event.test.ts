import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { AUTO_CONTEXT } from '../../src/context/choose-context.js';
import { readGithubEvent } from '../../src/github/event.js';
import { HEAD, LATER } from '../publish/reports.js';
import { eventFile } from '../trust/events.js';

const [A, B, ZERO] = ['a'.repeat(40), 'b'.repeat(40), '0'.repeat(40)];
const fixture = (name: string) =>
  JSON.parse(readFileSync(eventFile(name), 'utf8')) as Record<string, unknown>;
const readEvent = (name: string, payload: unknown, sha?: string) =>
  readGithubEvent({ GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: '/event', GITHUB_SHA: sha }, () =>
    JSON.stringify(payload),
  );
/** What the event is about, without who caused it. */
const about = (name: string, payload: unknown) => {
  const { change, pull, comment, issue, ci } = readEvent(name, payload);
  const found = Object.entries({ change, pull, comment, issue, ci });
  return { name, ...Object.fromEntries(found.filter(([, value]) => value !== undefined)) };
};
const repository = { full_name: 'acme/project', default_branch: 'main' };

describe('what an event is about', () => {
  it.each(['pull_request', 'pull_request_target', 'pull_request_review', 'pull_request_review_comment'])(
    '%s: the pull request, from where it parted to its head',
    (event) => {
      expect(about(event, fixture('pull-request-own'))).toEqual({
        name: event,
        change: { pullRequest: 7, commits: { kind: 'known', base: B, head: A, history: 'forked' } },
        pull: {
          number: 7,
          head: A,
          details: {
            title: 'A change',
            body: '',
            author: 'mary',
            association: 'NONE',
            labels: [],
            base: { branch: 'main', commit: B },
            head: { branch: 'change', commit: A, repository: 'acme/project' },
            draft: false,
          },
        },
      });
    },
  );

  it('a pull request of a fork that was deleted: the same, without its repository', () => {
    const { pull } = readEvent('pull_request', fixture('pull-request-fork-deleted'));
    expect(pull?.details?.head).toEqual({ branch: 'change', commit: A });
  });

  it.each([
    ['commits', { before: B, after: A }, { kind: 'known', base: B, head: A, history: 'straight' }],
    [
      'a forced push',
      { before: B, after: A, forced: true },
      { kind: 'known', base: B, head: A, history: 'forked' },
    ],
    [
      'a new branch',
      { before: ZERO, after: A, ref: 'refs/heads/new' },
      { kind: 'new-branch', head: A, ref: 'refs/heads/new', defaultBranch: 'main' },
    ],
    [
      'a tag that was moved',
      { before: B, after: A, ref: 'refs/tags/v1' },
      { kind: 'known', base: B, head: A, history: 'straight' },
    ],
  ])('push: %s', (_name, payload, commits) => {
    expect(readEvent('push', { ref: 'refs/heads/main', repository, ...payload }).change).toEqual({
      commits,
    });
  });

  it.each([
    ['a new tag', { before: ZERO, after: A, ref: 'refs/tags/v1' }],
    ['a deleted branch', { before: B, after: ZERO, deleted: true }],
    ['commits that are none', { before: '--upload-pack=evil', after: A }],
  ])('push: nothing in %s', (_name, payload) => {
    expect(about('push', { ref: 'refs/heads/main', repository, ...payload })).toEqual({
      name: 'push',
    });
  });

  it('merge_group: what the group adds', () => {
    const payload = { merge_group: { base_sha: B, head_sha: A } };
    expect(readEvent('merge_group', payload).change).toEqual({
      commits: { kind: 'known', base: B, head: A, history: 'straight' },
    });
  });

  it('issue_comment: a pull request and the comment on it, else the issue', () => {
    const payload = fixture('comment-by-writer');
    expect(about('issue_comment', payload)).toMatchObject({ name: 'issue_comment' });
    const about5 = { number: 5, title: 'Broken', user: { login: 'ann' }, labels: [{ name: 'bug' }] };
    const issue = { number: 5, title: 'Broken', body: '', author: 'ann', labels: ['bug'] };
    expect(about('issue_comment', { ...payload, issue: about5 })).toEqual({ name: 'issue_comment', issue });
    expect(about('issues', { issue: { ...about5, body: 'How' } })).toEqual({
      name: 'issues',
      issue: { ...issue, body: 'How' },
    });
    const onPull = { ...payload, issue: { ...(payload['issue'] as object), pull_request: { url: 'x' } } };
    expect(about('issue_comment', onPull)).toEqual({
      name: 'issue_comment',
      change: { pullRequest: 5, commits: { kind: 'of-pull' } },
      pull: { number: 5 },
      comment: { id: 9 },
    });
    const own = { comment: { id: 9, user: { login: 'ann' } }, pull_request: { number: 5 } };
    expect(readEvent('pull_request_review_comment', own).comment).toEqual({ id: 9, thread: 9 });
  });

  it('workflow_run: its run and attempt, and the pull request it was for, at the commit it ran on', () => {
    const { workflow_run: run } = fixture('workflow-run-own') as { workflow_run: object };
    const pull = { number: 7, base: { ref: 'main', sha: B }, head: { ref: 'change', sha: 'c'.repeat(40) } };
    expect(
      about('workflow_run', { workflow_run: { ...run, run_attempt: 2, pull_requests: [pull] } }),
    ).toEqual({
      name: 'workflow_run',
      ci: { kind: 'run', id: 3, attempt: 2, name: 'CI' },
      change: { pullRequest: 7, commits: { kind: 'known', base: B, head: A, history: 'forked' } },
      pull: { number: 7, head: 'c'.repeat(40) },
    });
    expect(about('workflow_run', { workflow_run: { ...run, pull_requests: [pull, pull] } })).toEqual({
      name: 'workflow_run',
      ci: { kind: 'run', id: 3, attempt: 1, name: 'CI' },
    });
  });

  it('check_suite and check_run: the suite', () => {
    const suite = { id: 4, head_sha: A, before: B, after: A, pull_requests: [] };
    expect(about('check_suite', { check_suite: suite })).toEqual({
      name: 'check_suite',
      ci: { kind: 'check-suite', id: 4 },
      change: { commits: { kind: 'known', base: B, head: A, history: 'forked' } },
    });
    const run = { head_sha: A, check_suite: { id: 4 }, pull_requests: [{ number: 7, base: { sha: B } }] };
    expect(about('check_run', { check_run: run })).toMatchObject({
      ci: { kind: 'check-suite', id: 4 },
      pull: { number: 7 },
    });
  });

  it('never throws, whatever the payload is', () => {
    const events = [...Object.keys(AUTO_CONTEXT.review), 'schedule', 'constructor', ''];
    fc.assert(
      fc.property(fc.constantFrom(...events), fc.jsonValue(), (name, payload) => {
        expect(about(name, payload)).toEqual({ name });
      }),
    );
  });

  it('reads every example of GitHub’s own that names a change, a pull request or a run', () => {
    const path = 'node_modules/@octokit/webhooks-examples/api.github.com/index.json';
    const all = JSON.parse(readFileSync(path, 'utf8')) as {
      name: string;
      examples: Record<string, unknown>[];
    }[];
    const offered = (event: string) =>
      (all.find(({ name }) => name === event)?.examples ?? []).map((example) => {
        const { payload, change, pull, comment, issue, ci } = readEvent(event, example);
        expect(payload).toBeDefined();
        const kinds = [change && 'diff', pull && 'pull-request', comment?.thread && 'thread'];
        return [...kinds, issue && 'issue', ci && 'ci-logs'].filter(Boolean).join();
      });
    expect(new Set(offered('pull_request_review_comment'))).toEqual(new Set(['diff,pull-request,thread']));
    for (const event of ['pull_request', 'pull_request_review']) {
      expect(offered(event).length).toBeGreaterThan(0);
      expect(new Set(offered(event))).toEqual(new Set(['diff,pull-request']));
    }
    expect(offered('push')).toContain('diff');
    expect(offered('workflow_run').every((kinds) => kinds.includes('ci-logs'))).toBe(true);
    expect(offered('check_suite').every((kinds) => kinds.includes('ci-logs'))).toBe(true);
    expect(offered('check_run').every((kinds) => kinds.includes('ci-logs'))).toBe(true);
    expect(new Set(offered('issues'))).toEqual(new Set(['issue', '']));
  });
});

describe('the commit and the pull request that publish relies on', () => {
  it.each(['pull-request-own', 'pull-request-fork', 'review-by-stranger'])('a pull request: %s', (name) => {
    const payload = fixture(name) as { pull_request: { number: number; head: { sha: string } } };
    const event = name.startsWith('review') ? 'pull_request_review' : 'pull_request';
    const { pull, head } = readEvent(event, payload);
    expect([pull?.number, head]).toEqual([payload.pull_request.number, payload.pull_request.head.sha]);
  });

  it('are known of a pull request of which the event says little else', () => {
    const payload = { pull_request: { number: 7, title: 1, head: { sha: A } } };
    expect(readEvent('pull_request', payload)).toMatchObject({
      change: { pullRequest: 7, commits: { kind: 'of-pull' } },
      pull: { number: 7, head: A },
      head: A,
    });
  });

  it('a comment on a pull request, not one on an issue', () => {
    const comment = (issue: object) => readEvent('issue_comment', { issue }, HEAD);
    expect(comment({ number: 3, pull_request: { url: 'x' } })).toMatchObject({ pull: { number: 3 } });
    const onIssue = comment({ number: 3 });
    expect([onIssue.pull, onIssue.head]).toEqual([undefined, undefined]);
  });

  it.each(['workflow_run', 'check_suite', 'check_run'])(
    '%s: the pull request that was checked, if it is one of this repository',
    (event) => {
      const own = { id: 1, full_name: 'acme/project' };
      const checked = (pull_requests: unknown[]) => {
        const run = { id: 5, head_sha: HEAD, check_suite: { id: 5 }, pull_requests };
        const { pull, head } = readEvent(event, { repository: own, [event]: run }, LATER);
        expect(head).toBe(HEAD);
        return pull;
      };
      const pull = (number: number, sha = HEAD, id = 1) => ({
        number,
        head: { sha },
        base: { repo: { id } },
      });
      expect(checked([pull(4)])).toEqual({ number: 4, head: HEAD });
      expect(checked([pull(4), pull(5, LATER), pull(6, HEAD, 2)])).toEqual({ number: 4, head: HEAD });
      // The pull request has newer commits than the run; publish does not write to it.
      expect(checked([pull(4, LATER)])).toEqual({ number: 4, head: LATER });
      for (const other of [[], [pull(4, HEAD, 2)], [pull(4), pull(5)]])
        expect(checked(other)).toBeUndefined();
    },
  );

  it('nothing if the event says nothing, or nothing sensible', () => {
    const none = { actors: [], repository: '' };
    const push = { ref: 'refs/heads/main' };
    expect(readEvent('push', push, HEAD)).toEqual({ ...none, name: 'push', payload: push, head: HEAD });
    const { pull, head } = readEvent('pull_request', { pull_request: { number: 'seven' } }, 'not a commit');
    expect([pull, head]).toEqual([undefined, undefined]);
    expect(readGithubEvent({}, () => '')).toEqual({ ...none, name: '', local: true });
    expect(readGithubEvent({ GITHUB_ACTIONS: 'true' }, () => '')).toEqual({ ...none, name: '' });
  });
});
