import { describe, expect, it } from '@jest/globals';
import { whySecretsAreWithheld } from '../../src/trust/withheld-secrets.js';
import { githubEventOf } from './events.js';

const DEPENDABOT = 'dependabot[bot]';
const why = (event: string, fixture: string, actor?: string) =>
  whySecretsAreWithheld(githubEventOf(event, fixture, actor));

describe('whySecretsAreWithheld', () => {
  it.each<[string, string, RegExp]>([
    ['pull_request', 'pull-request-fork', /no secrets to pull_request runs for a fork.*fork-review\.yml/],
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
