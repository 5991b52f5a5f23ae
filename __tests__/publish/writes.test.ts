import { afterEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { connectGithub, PATIENCE, type Clock } from '../../src/github/client.js';
import { openPullRequests, type PullRequestApi } from '../../src/publish/pull-request-api.js';
import { publishSticky, underPull } from '../../src/publish/sticky-comment.js';
import { digest, writeMarker } from '../../src/github/marker.js';
import { serveApi, type Answer, type Api, type Fault } from '../github/api-server.js';
import { OPERATIONS } from '../github/operations.js';
import {
  startGithub,
  STRANGER,
  WRITE_TOKEN,
  type FakeGithub,
  type FakeSettings,
} from '../github/stateful-fake.js';
import { pullOf } from './reports.js';

let open: Api[] = [];
afterEach(async () => {
  const all = open;
  open = [];
  await Promise.all(all.map((each) => each.close()));
});
const start = async (settings: Partial<FakeSettings> = {}): Promise<FakeGithub> => {
  const github = await startGithub({ pulls: [pullOf()], ...settings });
  open.push(github);
  return github;
};
const connect = (apiUrl: string, clock: Partial<Clock> = {}) =>
  openPullRequests(
    connectGithub({
      token: WRITE_TOKEN,
      apiUrl,
      repository: { owner: 'acme', repo: 'project' },
      cancel: new AbortController().signal,
      limits: PATIENCE,
      clock: { wait: () => Promise.resolve(), ...clock },
    }),
    { owner: 'acme', repo: 'project' },
  );

describe('the calls of publish', () => {
  it('are those on the list', () => {
    const source = ['publish/pull-request-api', 'publish/publish-check', 'github/accounts']
      .map((name) => readFileSync(`src/${name}.ts`, 'utf8'))
      .join('\n');
    const routes = [...source.matchAll(/'((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)'/g)].map(
      ([, route = '']) => route,
    );
    expect([...new Set(routes)].sort()).toEqual([...OPERATIONS.publish].sort());
  });
});

/** GitHub answers too many writes like an invalid request, which its description does not say. */
const tooFast = (error: unknown): Answer => ({
  status: 422,
  body: { message: 'Validation Failed', errors: [error], documentation_url: 'https://x' },
  unlike: true,
});

describe('a failure that may pass', () => {
  const key = digest('key', 'default');
  const body = `${writeMarker({ kind: 'comment', key })}\nhello`;
  const sticky = { key, body };
  const faulty = async (answers: Fault[]) => {
    const left = [...answers];
    const fake = await start({
      fault: ({ operation }) => (operation.startsWith('POST /repos') ? left.shift() : undefined),
    });
    const waits: number[] = [];
    const github = connect(fake.url, {
      wait: (ms) => Promise.resolve(waits.push(ms)),
      now: () => 1_000_000,
    });
    return {
      fake,
      waits,
      run: async () => publishSticky(underPull(github, 7), sticky, await github.viewer()),
    };
  };

  it.each<[string, Fault[], number[]]>([
    ['a broken connection', ['hang up'], [1000]],
    ['an answer that was lost', [{ after: 'hang up' }], [1000]],
    ['502 after the write was carried out', [{ after: { status: 502 } }], [1000]],
    ['server errors', [{ status: 502 }, { status: 503 }], [1000, 2000]],
    ['retry-after', [{ status: 429, headers: { 'retry-after': '7' } }], [7000]],
    [
      'a rate limit with a reset',
      [
        {
          status: 403,
          headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1030' },
          body: { message: 'x' },
        },
      ],
      [30_000],
    ],
    [
      'a secondary rate limit',
      [{ status: 403, body: { message: 'You have exceeded a secondary rate limit' } }],
      [60_000],
    ],
    [
      'a secondary rate limit that only its documentation names',
      [{ status: 403, body: { message: 'Blocked', documentation_url: 'https://x/#secondary-rate-limits' } }],
      [60_000],
    ],
    [
      'a limit for writes, answered as an invalid request, that lasts',
      [
        tooFast({ resource: 'IssueComment', code: 'abuse', field: 'body' }),
        tooFast({ resource: 'Issue', code: 'custom', message: 'was submitted too quickly' }),
      ],
      [60_000, 120_000],
    ],
    [
      'a limit for writes in other words, with a time',
      [{ ...tooFast('was submitted too quickly'), headers: { 'retry-after': '5' } }],
      [5000],
    ],
    [
      'a limit that was answered after the write was carried out',
      [{ after: tooFast({ resource: 'IssueComment', code: 'abuse', field: 'body' }) }],
      [60_000],
    ],
  ])('%s is waited for, and there is one comment', async (_name, answers, expected) => {
    const { fake, waits, run } = await faulty(answers);
    await run();
    expect(waits).toEqual(expected);
    expect(fake.state.comments.map((each) => each.body)).toEqual([body]);
  });

  it('ends at once when the job is cancelled during the wait for a limit', async () => {
    const cancel = new AbortController();
    const fake = await start({
      fault: ({ operation }) =>
        operation.startsWith('POST /repos') ? tooFast('was submitted too quickly') : undefined,
    });
    const github = openPullRequests(
      connectGithub({
        token: WRITE_TOKEN,
        apiUrl: fake.url,
        repository: { owner: 'acme', repo: 'project' },
        cancel: cancel.signal,
        limits: PATIENCE,
        clock: {
          wait: () => {
            cancel.abort();
            return Promise.reject(new Error('aborted'));
          },
        },
      }),
      { owner: 'acme', repo: 'project' },
    );
    await expect(publishSticky(underPull(github, 7), sticky, await github.viewer())).rejects.toThrow(
      'the job was cancelled',
    );
    expect(fake.writes().filter((line) => line.startsWith('POST /repos'))).toHaveLength(1);
  });

  it('is not tried for ever, and says when to come back', async () => {
    const { run, waits } = await faulty(Array(9).fill({ status: 502 }) as Answer[]);
    await expect(run()).rejects.toThrow(/502.*Run it again/);
    expect(waits).toHaveLength(4);
    const limited = await faulty([{ status: 429, headers: { 'retry-after': '3600' } }]);
    await expect(limited.run()).rejects.toThrow(/rate limit is used up for 60 min/);
    expect(limited.waits).toEqual([]);
    expect(PATIENCE.mostWaitMs).toBeLessThan(3_600_000);
  });

  it('is not told as a missing permission where the conversation is locked', async () => {
    const message = 'Unable to create comment because issue is locked.';
    const locked = await faulty([{ status: 403, body: { message, documentation_url: 'https://x' } }]);
    await expect(locked.run()).rejects.toThrow(/is locked \(403\)\. Unlock it, or use as: annotations\.$/);
  });
});

describe('the sticky comment', () => {
  const key = digest('key', 'default');
  const bodyOf = (words: string) => `${writeMarker({ kind: 'comment', key })}\n${words}`;
  const publish = async (fake: FakeGithub, words: string) => {
    const github = connect(fake.url);
    return publishSticky(underPull(github, 7), { key, body: bodyOf(words) }, await github.viewer());
  };

  it('stays one in every order in which two runs can meet', async () => {
    // The second run does all its work at a moment of the first: before each of its four requests.
    for (let moment = 1; moment <= 4; moment += 1) {
      let seen = 0;
      let other: Promise<unknown> | undefined;
      const fake = await start();
      const slow = await serveApi(async ({ operation, parameters, query, body, authorization }) => {
        seen += 1;
        if (seen === moment) await (other = publish(fake, 'second'));
        const path = operation
          .split(' ')[1]
          ?.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
        const answer = await fetch(`${fake.url}${path ?? ''}?${query.toString()}`, {
          method: operation.split(' ')[0] ?? '',
          headers: { authorization },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
      });
      open.push(slow);
      const github = connect(slow.url);
      await publishSticky(underPull(github, 7), { key, body: bodyOf('first') }, await github.viewer());
      expect(other).toBeDefined();
      expect(fake.state.comments).toHaveLength(1);
    }
  });

  it('is put in order after a run that was killed', async () => {
    const fake = await start();
    await publish(fake, 'one');
    const [first] = fake.state.comments;
    fake.comment(7, first!.author, bodyOf('left behind'));
    fake.comment(7, STRANGER, bodyOf('a stranger'));
    expect(await publish(fake, 'two')).toMatchObject({ what: 'updated' });
    expect(fake.state.comments.map(({ id, body }) => [id, body])).toEqual([
      [first!.id, bodyOf('two')],
      [expect.any(Number), bodyOf('a stranger')],
    ]);
  });

  it('is found beyond the first page', async () => {
    const fake = await start();
    for (let index = 0; index < 150; index += 1) fake.comment(7, STRANGER, `number ${index}`);
    await publish(fake, 'one');
    expect(await publish(fake, 'one')).toMatchObject({ what: 'unchanged' });
  });
});

/** Each write, once: what it needs to be there, and what must be true afterwards. */
describe('a write that GitHub carried out and answered with 502', () => {
  const key = digest('key', 'default');
  const bodyOf = (words: string) => `${writeMarker({ kind: 'comment', key })}\n${words}`;
  const publish = async (api: PullRequestApi, words: string) =>
    publishSticky(underPull(api, 7), { key, body: bodyOf(words) }, await api.viewer());
  const review = { commit: undefined, event: 'REQUEST_CHANGES', body: 'x', comments: [] } as const;
  const never = () => Promise.resolve(undefined);

  const started = async (operation: string) => {
    const faults: Fault[] = [];
    const fake = await start({
      fault: (request) => (request.operation.startsWith(operation) ? faults.shift() : undefined),
    });
    const fail = () => faults.push({ after: { status: 502 } });
    const count = () => fake.writes().filter((line) => line.startsWith(operation.split(' ')[0]!)).length;
    return { fake, fail, count, api: connect(fake.url) };
  };

  it('is not repeated: an updated comment', async () => {
    const { fake, fail, count, api } = await started('PATCH');
    await publish(api, 'one');
    fail();
    expect(await publish(api, 'two')).toMatchObject({ what: 'updated' });
    expect([fake.state.comments.map(({ body }) => body), count()]).toEqual([[bodyOf('two')], 1]);
  });

  it('is not repeated: a deleted comment', async () => {
    const { fake, fail, count, api } = await started('DELETE');
    await publish(api, 'one');
    fake.comment(7, fake.state.comments[0]!.author, bodyOf('left behind'));
    fail();
    await publish(api, 'one');
    expect([fake.state.comments.map(({ body }) => body), count()]).toEqual([[bodyOf('one')], 1]);
  });

  it('is not repeated: a dismissed review', async () => {
    const { fake, fail, count, api } = await started('PUT');
    const { id } = await api.createReview(7, review, never);
    fail();
    await api.dismissReview(7, id, 'done');
    expect([fake.state.reviews.map(({ state }) => state), count()]).toEqual([['DISMISSED'], 1]);
  });

  it('is repeated if that changes nothing: a minimized comment', async () => {
    const { fake, fail, api } = await started('POST /graphql');
    const { nodeId } = await api.createReview(7, review, never);
    fail();
    await api.minimize(nodeId);
    expect(new Set(fake.state.minimized)).toEqual(new Set([nodeId]));
  });

  it('is repeated if it was not carried out', async () => {
    const left: Fault[] = [{ status: 502 }, { after: { status: 502 } }];
    const fake = await start({
      fault: ({ operation }) => (operation.startsWith('POST /repos') ? left.shift() : undefined),
    });
    await publish(connect(fake.url), 'one');
    expect(fake.state.comments.map(({ body }) => body)).toEqual([bodyOf('one')]);
    expect(fake.writes().filter((line) => line.startsWith('POST /repos'))).toHaveLength(2);
  });
});
