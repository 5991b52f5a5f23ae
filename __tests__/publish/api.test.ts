import { afterEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { connectGithub, type Connection } from '../../src/publish/api.js';
import { adviseRetry, MOST_WAIT_MS } from '../../src/publish/api-error.js';
import { createPace } from '../../src/publish/pace.js';
import { publishSticky } from '../../src/publish/sticky-comment.js';
import { digest, writeMarker } from '../../src/publish/marker.js';
import { serveApi, startApi, type Answer, type Api } from '../github/api-server.js';
import { OPERATIONS } from '../github/operations.js';
import {
  startGithub,
  STRANGER,
  WRITE_TOKEN,
  type FakeGithub,
  type FakeSettings,
} from '../github/stateful-fake.js';
import { sampleItem } from '../github/sample.js';
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
const connect = (apiUrl: string, given: Partial<Connection> = {}) =>
  connectGithub({
    token: WRITE_TOKEN,
    apiUrl,
    owner: 'acme',
    repo: 'project',
    tell: () => undefined,
    wait: () => Promise.resolve(),
    ...given,
  });

describe('the calls of publish', () => {
  it('are those on the list', () => {
    const source = readFileSync('src/publish/api.ts', 'utf8');
    const routes = [...source.matchAll(/'((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)'/g)].map(
      ([, route = '']) => route,
    );
    expect([...new Set(routes)].sort()).toEqual([...OPERATIONS.publish].sort());
  });
});

describe('a comment on a line', () => {
  it.each([
    ['null, as GitHub says against its own description', { line: null }, true],
    ['left out', {}, true],
    ['there', { line: 3 }, false],
  ])('is outdated by its line: %s', async (_name, given, isOutdated) => {
    const item = sampleItem('GET /repos/{owner}/{repo}/pulls/{pull_number}/comments', { id: 1, body: 'x' });
    const api = await startApi([{ body: [{ ...item, ...given }], unlike: true }]);
    open.push(api);
    expect(await (await connect(api.url)).lineComments(7)).toMatchObject([{ isOutdated }]);
  });
});

describe('a failure that may pass', () => {
  const key = digest('key', 'default');
  const body = `${writeMarker({ kind: 'comment', key })}\nhello`;
  const sticky = { number: 7, key, body };
  const faulty = async (answers: (Answer | 'hang up' | 'after')[]) => {
    const left = [...answers];
    const fake = await start({
      fault: ({ operation }) => (operation.startsWith('POST /repos') ? left.shift() : undefined),
    });
    const waits: number[] = [];
    const github = await connect(fake.url, {
      wait: (ms) => Promise.resolve(waits.push(ms)),
      now: () => 1_000_000,
    });
    return { fake, waits, run: async () => publishSticky(github, sticky, await github.viewer()) };
  };

  it.each<[string, (Answer | 'hang up' | 'after')[], number[]]>([
    ['a broken connection', ['hang up'], [1000]],
    ['an answer that was lost', ['after'], [1000]],
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
  ])('%s is waited for, and there is one comment', async (_name, answers, expected) => {
    const { fake, waits, run } = await faulty(answers);
    await run();
    expect(waits).toEqual(expected);
    expect(fake.state.comments.map((each) => each.body)).toEqual([body]);
  });

  it('is not tried for ever, and says when to come back', async () => {
    const { run, waits } = await faulty(Array(9).fill({ status: 502 }) as Answer[]);
    await expect(run()).rejects.toThrow(/502.*Run it again/);
    expect(waits).toHaveLength(4);
    const limited = await faulty([{ status: 429, headers: { 'retry-after': '3600' } }]);
    await expect(limited.run()).rejects.toThrow(/rate limit is used up for 60 min/);
    expect(limited.waits).toEqual([]);
    expect(MOST_WAIT_MS).toBeLessThan(3_600_000);
  });

  it('is not told as a missing permission where the conversation is locked', async () => {
    const message = 'Unable to create comment because issue is locked.';
    const locked = await faulty([{ status: 403, body: { message, documentation_url: 'https://x' } }]);
    await expect(locked.run()).rejects.toThrow(/is locked \(403\)\. Unlock it, or use as: annotations\.$/);
  });

  it('is told from one that will not', () => {
    const at = (status: number) => adviseRetry({ status, headers: {}, words: '' }, 1, 0).kind;
    expect([400, 401, 403, 404, 422].map(at)).toEqual(Array(5).fill('stop'));
    expect([429, 500, 502, 503].map(at)).toEqual(Array(4).fill('again'));
  });
});

describe('the sticky comment', () => {
  const key = digest('key', 'default');
  const bodyOf = (words: string) => `${writeMarker({ kind: 'comment', key })}\n${words}`;
  const publish = async (fake: FakeGithub, words: string) => {
    const github = await connect(fake.url);
    return publishSticky(github, { number: 7, key, body: bodyOf(words) }, await github.viewer());
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
      const github = await connect(slow.url);
      await publishSticky(github, { number: 7, key, body: bodyOf('first') }, await github.viewer());
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

describe('the pace of writes', () => {
  it('is at most 80 in any minute', async () => {
    let time = 0;
    const moments: number[] = [];
    const pace = createPace({ now: () => time, wait: (ms) => Promise.resolve((time += ms)) });
    for (let index = 0; index < 300; index += 1) {
      await pace();
      moments.push(time);
    }
    const most = Math.max(
      ...moments.map((from) => moments.filter((at) => at >= from && at < from + 60_000).length),
    );
    expect(most).toBeLessThanOrEqual(80);
    expect(moments.slice(0, 15)).toEqual(Array(15).fill(0));
  });
});
