import { describe, expect, it } from '@jest/globals';
import { readGithubEvent } from '../../src/github/event.js';
import { plannedCommits } from '../../src/plan/plan-change.js';

const [a, b] = ['a'.repeat(40), 'b'.repeat(40)];
const readEvent = (name: string, payload: unknown) =>
  readGithubEvent({ GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: '/event' }, () => JSON.stringify(payload));
const nothing = { base: undefined, head: undefined };
const onPull = { issue: { number: 7, pull_request: {} } };
const push = {
  ref: 'refs/heads/x',
  before: a,
  after: b,
  repository: { full_name: 'acme/project', default_branch: 'main' },
};

describe('plannedCommits', () => {
  it('are those of the event', () => {
    const commits = (before: string) => plannedCommits(nothing, readEvent('push', { ...push, before }));
    expect(commits(a)).toEqual({ kind: 'known', base: a, head: b, history: 'straight' });
    expect(commits('0'.repeat(40))).toMatchObject({ kind: 'new-branch', head: b, defaultBranch: 'main' });
  });

  it('are the given ones, whatever the event', () => {
    const given = { kind: 'known', base: a, head: b, history: 'forked' };
    for (const event of [readEvent('schedule', {}), readEvent('issue_comment', onPull)])
      expect(plannedCommits({ base: a, head: b }, event)).toEqual(given);
  });

  it.each([
    ['schedule', {}, /^This schedule event is not about a change.* Set the inputs base and head/],
    ['push', { ...push, after: '0'.repeat(40) }, /^This push event is not about a change/],
    ['', undefined, /^A run without an event is not about a change/],
    [
      'issue_comment',
      onPull,
      /^This issue_comment event names its pull request.* Set the inputs base and head/,
    ],
    ['pull_request', { pull_request: { base: { sha: '--output=x' } } }, /not about a change/],
  ])('are not guessed for %j %j', (event, payload, problem) => {
    expect(() => plannedCommits(nothing, readEvent(event, payload))).toThrow(problem);
  });
});
