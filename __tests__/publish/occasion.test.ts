import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { chooseTarget, readOccasion } from '../../src/publish/occasion.js';
import { eventFile } from '../trust/events.js';
import { HEAD, LATER } from './reports.js';

const occasionOf = (payload: unknown, event = 'x', sha?: string) =>
  readOccasion({ GITHUB_EVENT_NAME: event, GITHUB_EVENT_PATH: '/event', GITHUB_SHA: sha }, () =>
    JSON.stringify(payload),
  );

describe('what an event is about', () => {
  it.each(['pull-request-own', 'pull-request-fork', 'review-by-stranger'])('a pull request: %s', (name) => {
    const payload = readFileSync(eventFile(name), 'utf8');
    const occasion = readOccasion({ GITHUB_EVENT_PATH: '/event' }, () => payload);
    expect(occasion.pullNumber).toBe(
      (JSON.parse(payload) as { pull_request: { number: number } }).pull_request.number,
    );
  });

  it('a comment on a pull request, not one on an issue', () => {
    expect(occasionOf({ issue: { number: 3, pull_request: { url: 'x' } } })).toMatchObject({ pullNumber: 3 });
    expect(occasionOf({ issue: { number: 3 } }, 'issue_comment', HEAD)).toEqual({ event: 'issue_comment' });
  });

  it('the pull request of another run, if it is one of this repository with that head', () => {
    const run = (pull_requests: unknown[]) =>
      occasionOf(
        { repository: { id: 1 }, workflow_run: { id: 5, head_sha: HEAD, pull_requests } },
        'workflow_run',
      );
    const pull = (number: number, sha = HEAD, id = 1) => ({ number, head: { sha }, base: { repo: { id } } });
    expect(run([pull(4)])).toEqual({ event: 'workflow_run', head: HEAD, agentRunId: 5, pullNumber: 4 });
    for (const other of [[], [pull(4, LATER)], [pull(4, HEAD, 2)], [pull(4), pull(5)]])
      expect(run(other)).toEqual({ event: 'workflow_run', head: HEAD, agentRunId: 5 });
  });

  it('no pull request where it says nothing, or nothing sensible', () => {
    expect(occasionOf({ ref: 'refs/heads/main' }, 'push', HEAD)).toEqual({ event: 'push', head: HEAD });
    expect(occasionOf({ pull_request: { number: 'seven' } }, 'x', 'not a commit')).toEqual({ event: 'x' });
    expect(readOccasion({}, () => '')).toEqual({ event: '' });
  });
});

describe('the target', () => {
  it.each([
    ['the input counts most', [9, { event: '', pullNumber: 7 }, 8], { kind: 'known', number: 9 }],
    ['then the event', [undefined, { event: '', pullNumber: 7 }, 8], { kind: 'known', number: 7 }],
    [
      'a report makes a claim',
      [undefined, { event: '', head: HEAD }, 8],
      { kind: 'claimed', number: 8, commit: HEAD },
    ],
    ['which needs a commit to hold', [undefined, { event: '' }, 8], { kind: 'none' }],
    ['nobody says anything', [undefined, { event: '', head: HEAD }, undefined], { kind: 'none' }],
  ] as const)('%s', (_name, [given, occasion, named], expected) => {
    expect(chooseTarget(given, occasion, named)).toEqual(expected);
  });
});
