import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readGithubEvent } from '../../src/github/event.js';
import {
  assessEvent,
  decideTrigger,
  isOpenToStrangers,
  whySecretsAreWithheld,
  type Permission,
} from '../../src/trust/decide.js';
import { githubEventOf } from './events.js';

const PEOPLE: Record<string, string> = {
  mary: 'write',
  max: 'maintain',
  ada: 'admin',
  stranger: 'read',
  tess: 'triage',
};
const permissions = new Map(
  Object.entries(PEOPLE).map(([login, level]): [string, Permission] => [
    login,
    { kind: 'known', level, isPerson: true },
  ]),
);
const judged = (event: string, fixture: string, more: { allowed?: string[]; actor?: string } = {}) => {
  const decision = decideTrigger(
    assessEvent(githubEventOf(event, fixture, more.actor), more.allowed ?? []),
    permissions,
  );
  return decision.kind === 'allowed' ? 'allowed' : `${decision.reason}: ${decision.why}`;
};

describe('who may trigger', () => {
  it.each<[string, string]>([
    ['push', 'push'],
    ['schedule', 'push'],
    ['workflow_dispatch', 'push'],
    ['merge_group', 'push'],
    ['release', 'push'],
    ['pull_request', 'pull-request-own'],
    ['pull_request_target', 'pull-request-own'],
    ['issue_comment', 'comment-by-writer'],
    ['issues', 'issue-labeled-by-writer'],
    ['pull_request', 'pull-request-fork-labeled'],
    ['workflow_run', 'workflow-run-own'],
    ['workflow_run', 'workflow-run-after-push'],
  ])('%s with %s is allowed', (event, fixture) => {
    expect(judged(event, fixture)).toBe('allowed');
  });

  it.each<[string, string, RegExp]>([
    [
      'pull_request_target',
      'pull-request-fork',
      /^untrusted-event: .*fork "stranger\/project".*on: pull_request/,
    ],
    ['pull_request_target', 'pull-request-fork-labeled', /^untrusted-event/],
    ['pull_request_target', 'pull-request-fork-deleted', /^untrusted-event: .*unknown or deleted/],
    ['workflow_run', 'workflow-run-fork', /^untrusted-event: .*fork "stranger\/project"/],
    ['workflow_run', 'workflow-run-fork-deleted', /^untrusted-event: .*unknown or deleted/],
    [
      'workflow_run',
      'workflow-run-after-bot-push',
      /^actor-not-allowed: "dependabot\[bot\]".*allowed-actors: dependabot\[bot\]/,
    ],
    ['workflow_run', 'workflow-run-after-bot-push-rerun', /^actor-not-allowed: "dependabot\[bot\]"/],
    ['workflow_run', 'workflow-run-of-deleted-account', /^actor-not-allowed: It is unknown who caused/],
    ['workflow_run', 'workflow-run-after-comment', /^actor-not-allowed: "stranger" has read permission/],
    ['pull_request', 'pull-request-fork', /^actor-not-allowed: "stranger" has read/],
    [
      'pull_request',
      'pull-request-bot',
      /^actor-not-allowed: "dependabot\[bot\]".*allowed-actors: dependabot\[bot\]/,
    ],
    ['issue_comment', 'comment-by-stranger', /^actor-not-allowed: "stranger" .*allowed-actors: stranger/],
    ['issue_comment', 'comment-of-stranger-edited-by-writer', /^actor-not-allowed: "stranger"/],
    [
      'issue_comment',
      'comment-of-deleted-account',
      /^actor-not-allowed: It is unknown who wrote the comment/,
    ],
    ['issues', 'issue-by-stranger', /^actor-not-allowed: "stranger"/],
    ['pull_request_review', 'review-by-stranger', /^actor-not-allowed: "stranger"/],
    ['watch', 'issue-by-stranger', /^actor-not-allowed: "stranger"/],
    ['an_event_of_tomorrow', 'issue-by-stranger', /^actor-not-allowed: "stranger"/],
    ['constructor', 'issue-by-stranger', /^actor-not-allowed: "stranger"/],
  ])('%s with %s is refused', (event, fixture, words) => {
    expect(judged(event, fixture)).toMatch(words);
  });

  it('takes write, maintain and admin, and nothing less', () => {
    for (const [actor, level] of Object.entries(PEOPLE)) {
      const verdict = judged('issue_comment', 'comment-by-writer', { actor });
      expect(verdict === 'allowed').toBe(['write', 'maintain', 'admin'].includes(level));
    }
  });

  it('takes a name as it is, in whatever case, and no part of one', () => {
    const by = (...allowed: string[]) => judged('issue_comment', 'comment-by-stranger', { allowed });
    expect([by('Stranger'), by('STRANGER')]).toEqual(['allowed', 'allowed']);
    for (const name of ['strange', 'strangers', 'stranger[bot]'])
      expect(by(name)).toMatch(/^actor-not-allowed/);
    const bot = (...allowed: string[]) => judged('pull_request', 'pull-request-bot', { allowed });
    expect(bot('dependabot[bot]')).toBe('allowed');
    expect(bot('dependabot')).toMatch(/^actor-not-allowed/);
    const allowed = ['dependabot[bot]'];
    expect(judged('workflow_run', 'workflow-run-after-bot-push', { allowed })).toBe('allowed');
  });

  it('asks for everyone who had a part: a run of a stranger’s that a writer runs again is still the stranger’s', () => {
    expect(judged('issue_comment', 'comment-by-writer', { actor: 'stranger' })).toMatch(/"stranger"/);
    expect(judged('issue_comment', 'comment-by-writer', { actor: 'helper[bot]' })).toMatch(/is a bot/);
  });

  it('refuses whom it knows nothing of', () => {
    const assessment = assessEvent(githubEventOf('issue_comment', 'comment-by-writer'), []);
    expect(decideTrigger(assessment, new Map())).toMatchObject({ reason: 'actor-not-allowed' });
    const unknown = new Map<string, Permission>([['mary', { kind: 'unknown', why: 'no answer.' }]]);
    expect(decideTrigger(assessment, unknown)).toMatchObject({
      why: expect.stringContaining('no answer.') as unknown,
    });
    const robot = new Map<string, Permission>([['mary', { kind: 'known', level: 'admin', isPerson: false }]]);
    expect(decideTrigger(assessment, robot)).toMatchObject({
      why: expect.stringContaining('not a person') as unknown,
    });
  });

  it('refuses a run in Actions that has no event name, and lets one on your own machine pass', () => {
    const without = (env: Record<string, string>) => readGithubEvent(env, () => 'no JSON');
    for (const variables of [
      { GITHUB_ACTIONS: 'true' },
      { GITHUB_ACTIONS: 'True', GITHUB_EVENT_NAME: '' },
      { GITHUB_ACTIONS: 'true', GITHUB_ACTOR: 'mary' },
    ]) {
      const event = without({ GITHUB_EVENT_PATH: '/x', ...variables });
      expect(assessEvent(event, ['mary'])).toMatchObject({
        reason: 'untrusted-event',
        why: expect.stringContaining('GITHUB_EVENT_NAME') as unknown,
      });
      expect(isOpenToStrangers(event)).toBe(true);
    }
    for (const variables of [{}, { GITHUB_ACTIONS: '' }, { GITHUB_ACTIONS: 'false' }]) {
      expect(assessEvent(without(variables), [])).toMatchObject({ kind: 'allowed' });
      expect(isOpenToStrangers(without(variables))).toBe(false);
    }
  });

  it('is careful where the payload cannot be read', () => {
    const without = (event: string, read = () => 'no JSON') =>
      assessEvent(
        readGithubEvent({ GITHUB_EVENT_NAME: event, GITHUB_EVENT_PATH: '/x', GITHUB_ACTOR: 'mary' }, read),
        [],
      );
    expect(without('push')).toMatchObject({ kind: 'allowed' });
    expect(without('pull_request_target')).toMatchObject({ reason: 'untrusted-event' });
    expect(without('workflow_run')).toMatchObject({ reason: 'untrusted-event' });
    for (const text of ['no JSON', '[]', '{}', '{"sender":1}', '{"sender":null}', 'null'])
      expect(without('issue_comment', () => text)).toMatchObject({ reason: 'actor-not-allowed' });
    const missing = () => {
      throw new Error('ENOENT');
    };
    expect(without('issues', missing)).toMatchObject({ reason: 'actor-not-allowed' });
  });

  it('never throws and never allows a stranger, whatever the payload holds', () => {
    const account = fc.option(fc.record({ login: fc.constantFrom('stranger', 'x[bot]', '__proto__', '') }));
    const payload = fc.record({
      sender: account,
      comment: fc.option(fc.record({ user: account })),
      review: fc.jsonValue(),
    });
    fc.assert(
      fc.property(payload, (value) => {
        const event = readGithubEvent(
          { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_EVENT_PATH: '/x', GITHUB_ACTOR: 'mary' },
          () => JSON.stringify(value),
        );
        expect(decideTrigger(assessEvent(event, []), permissions).kind).toBe('refused');
      }),
    );
  });
});

describe('isOpenToStrangers', () => {
  it.each<[string, string, boolean]>([
    ['push', 'push', false],
    ['pull_request', 'pull-request-own', false],
    ['pull_request', 'pull-request-fork', true],
    ['issue_comment', 'comment-by-writer', true],
    ['issues', 'issue-labeled-by-writer', true],
    ['workflow_run', 'workflow-run-after-push', false],
    ['workflow_run', 'workflow-run-after-comment', true],
  ])('%s with %s: %s', (event, fixture, expected) => {
    expect(isOpenToStrangers(githubEventOf(event, fixture))).toBe(expected);
  });
});

describe('whySecretsAreWithheld', () => {
  const DEPENDABOT = 'dependabot[bot]';
  const why = (event: string, fixture: string, actor?: string) =>
    whySecretsAreWithheld(githubEventOf(event, fixture, actor));

  it.each<[string, string, RegExp]>([
    [
      'pull_request',
      'pull-request-fork',
      /no secrets to pull_request runs for a fork.*recipe for reviews of forks/,
    ],
    ['pull_request', 'pull-request-fork-deleted', /for a fork/],
    ['pull_request', 'pull-request-fork-labeled', /for a fork/],
    ['pull_request_review', 'pull-request-fork', /pull_request_review runs for a fork/],
    ['pull_request', 'pull-request-bot', /Dependabot secrets.*allowed-actors: dependabot\[bot\]/],
  ])('%s with %s', (event, fixture, words) => {
    expect(why(event, fixture)).toMatch(words);
  });

  it.each(['push', 'create', 'deployment', 'deployment_status'])('%s of Dependabot', (event) => {
    expect(why(event, 'push', DEPENDABOT)).toMatch(new RegExp(`Dependabot secrets to ${event} runs`));
    expect(why(event, 'push')).toBeUndefined();
  });

  it('pull_request_target only for a pull request of Dependabot itself', () => {
    expect(why('pull_request_target', 'pull-request-bot')).toMatch(/pull_request_target runs of Dependabot/);
    expect(why('pull_request_target', 'pull-request-own', DEPENDABOT)).toBeUndefined();
  });

  it.each([
    ['pull_request', 'pull-request-own'],
    ['pull_request_target', 'pull-request-fork'],
    ['issue_comment', 'comment-by-stranger'],
    ['workflow_run', 'workflow-run-fork'],
    ['schedule', 'push'],
  ])('nothing is kept from %s with %s', (event, fixture) => {
    expect(why(event, fixture)).toBeUndefined();
  });
});
