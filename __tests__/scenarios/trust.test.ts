import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readStrictFile } from '../report/strict-report.js';
import { eventVariables } from '../trust/events.js';
import { permissionAnswer, startApi, type Answer, type Api } from '../github/api-server.js';
import { ANSWERS, fakeAgent } from './fake-agent.js';
import { GITHUB_TOKEN, runStep } from './step.js';
import { git, makeWorkspace, removeFolders } from './workspace.js';

const started: Api[] = [];
afterEach(async () => {
  removeFolders();
  await Promise.all(started.splice(0).map((api) => api.close()));
});

interface Case {
  event: string;
  fixture: string;
  answer?: Answer;
  inputs?: Record<string, string>;
}

const triggered = async ({ event, fixture, answer = permissionAnswer('read'), inputs = {} }: Case) => {
  const api = await startApi([answer], '/api/v3');
  started.push(api);
  const agent = fakeAgent(ANSWERS);
  const step = await runStep({
    inputs: { 'cli-path': agent.path, ...inputs },
    env: { ...eventVariables(event, fixture), GITHUB_API_URL: api.url },
  });
  return { step, api, started: agent.sightings().length };
};

describe('who may start the agent', () => {
  it('is a writer who comments, as GitHub says', async () => {
    const answer = permissionAnswer('write');
    const run = await triggered({ event: 'issue_comment', fixture: 'comment-by-writer', answer });
    expect(run.step.outputs.get('status')).toBe('success');
    expect(run.started).toBe(1);
    expect(run.api.requests).toMatchObject([
      {
        line: 'GET /api/v3/repos/acme/project/collaborators/mary/permission',
        authorization: `token ${GITHUB_TOKEN}`,
      },
    ]);
  });

  it.each<[string, Case, string, RegExp]>([
    [
      'a stranger who comments',
      { event: 'issue_comment', fixture: 'comment-by-stranger' },
      'actor-not-allowed',
      /"stranger" has read permission.*allowed-actors: stranger/,
    ],
    [
      'anyone GitHub will not tell about',
      { event: 'issue_comment', fixture: 'comment-by-writer', answer: { status: 403 } },
      'actor-not-allowed',
      /may not do this \(403.*metadata=read/,
    ],
    [
      'a bot nobody named',
      { event: 'pull_request', fixture: 'pull-request-bot' },
      'actor-not-allowed',
      /dependabot\[bot\].*is a bot/,
    ],
    [
      'a fork with our secrets',
      { event: 'pull_request_target', fixture: 'pull-request-fork' },
      'untrusted-event',
      /fork "stranger\/project"/,
    ],
    [
      'a fork after another workflow, also by name',
      { event: 'workflow_run', fixture: 'workflow-run-fork', inputs: { 'allowed-actors': 'stranger' } },
      'untrusted-event',
      /fork "stranger\/project"/,
    ],
    [
      'anyone on a runner that names no event',
      { event: '', fixture: 'push', inputs: { 'allowed-actors': 'mary' } },
      'untrusted-event',
      /GITHUB_EVENT_NAME is empty/,
    ],
    [
      'a bot whose push started another workflow',
      { event: 'workflow_run', fixture: 'workflow-run-after-bot-push' },
      'actor-not-allowed',
      /dependabot\[bot\].*is a bot/,
    ],
    [
      'somebody without write access whose push started another workflow',
      { event: 'workflow_run', fixture: 'workflow-run-after-push' },
      'actor-not-allowed',
      /"mary" has read permission/,
    ],
  ])('is never %s', async (_name, given, reason, words) => {
    const run = await triggered(given);
    expect(run.step.code).toBe(1);
    expect(run.step.outputs.get('failure-reason')).toBe(reason);
    expect(run.step.errors[0]).toMatch(words);
    expect(run.step.summary).toContain(reason);
    expect(run.started).toBe(0);
    const report = readStrictFile(run.step.outputs.get('report-file') ?? '');
    expect(report.verdict).toMatchObject({ status: 'failure', reason });
    expect(existsSync(run.step.outputs.get('report-html') ?? '')).toBe(true);
  });

  it.each([
    ['issue_comment', 'comment-by-stranger', 'Stranger'],
    ['pull_request', 'pull-request-bot', 'dependabot[bot]'],
    ['workflow_run', 'workflow-run-after-bot-push', 'dependabot[bot]'],
    ['push', 'push', ''],
  ])('is asked of nobody where the answer is known: %s, %s', async (event, fixture, named) => {
    const run = await triggered({ event, fixture, inputs: { 'allowed-actors': named } });
    expect(run.step.outputs.get('status')).toBe('success');
    expect(run.api.requests).toEqual([]);
  });

  it('is settled before a dangerous mix is', async () => {
    const run = await triggered({
      event: 'issue_comment',
      fixture: 'comment-by-writer',
      answer: permissionAnswer('admin'),
      inputs: { preset: 'custom', allow: 'Shell(*)' },
    });
    expect(run.step.outputs.get('failure-reason')).toBe('invalid-input');
    expect(run.step.errors[0]).toMatch(/Shell\(\*\) with preset custom on issue_comment/);
    expect(run.started).toBe(0);
  });
});

describe('a git credential in the checkout', () => {
  it('is told with the line that ends it, and is in no sink', async () => {
    const token = 'v1.credential-of-the-checkout';
    const workspace = makeWorkspace();
    const header = `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
    git(workspace, 'config', 'http.https://github.com/.extraheader', header);
    const agent = fakeAgent(`init(); say('I read ${token}.'); finish('I read ${token}.');`);
    const step = await runStep({ workspace, inputs: { 'cli-path': agent.path } });
    expect(step.code).toBe(0);
    expect(step.warnings.join()).toMatch(/extraheader in \.git.config.*persist-credentials: false/);
    expect(step.outputs.get('result')).toBe('I read ***.');
    expect(step.summary).not.toContain(token);
    expect(join(step.summary, step.warnings.join())).not.toContain(header.slice(-16));
  });
});
