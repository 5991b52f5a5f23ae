import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as z from 'zod/mini';
import {
  connectGithub,
  downloadTail,
  limitWrites,
  parseRepository,
  type Connection,
} from '../../src/github/client.js';
import { adviseRetry, explainGithubFailure, GithubError, mayPass } from '../../src/github/github-error.js';
import { startApi, type Answer, type Api } from './api-server.js';

const started: Api[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((api) => api.close()));
});

const ROUTE = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits';
const request = {
  doing: 'read the commits',
  route: ROUTE,
  parameters: { pull_number: 7 },
  needs: 'pull-requests: read',
  shape: z.unknown(),
};
const connect = async (answers: (Answer | 'hang up')[], given: Partial<Connection> = {}) => {
  const api = await startApi(answers);
  started.push(api);
  const waits: number[] = [];
  const client = connectGithub({
    token: 'ghs_x',
    apiUrl: api.url,
    repository: { owner: 'acme', repo: 'project' },
    cancel: new AbortController().signal,
    ...given,
    clock: { wait: (ms) => Promise.resolve(waits.push(ms)), ...given.clock },
  });
  return { api, client, waits };
};

describe('a failed read', () => {
  it('is repeated if it may pass, and waits as long as GitHub asks', async () => {
    const limited = { status: 429, headers: { 'retry-after': '7' } };
    const { client, waits } = await connect([{ status: 502 }, limited, { body: [] }]);
    expect(await client.read(request)).toEqual([]);
    expect(waits).toEqual([1000, 7000]);
    const busy = await connect([{ status: 503, headers: { 'retry-after': '4' } }, { body: [] }]);
    await busy.client.read(request);
    expect(busy.waits).toEqual([4000]);
  });

  it('fails at once if GitHub asks for more patience than there is', async () => {
    const { client, waits } = await connect([{ status: 429, headers: { 'retry-after': '16' } }]);
    const error: unknown = await client.read(request).catch((reason: unknown) => reason);
    expect([error instanceof GithubError, mayPass(error), waits]).toEqual([true, true, []]);
  });

  it('is not repeated for ever', async () => {
    const { api, client } = await connect(['hang up']);
    await expect(client.read(request)).rejects.toThrow(
      /^Could not read the commits: GitHub’s API did not answer \(.*\)\. Run it again\.$/,
    );
    expect(api.requests).toHaveLength(3);
  });

  it('ends when the job is cancelled, before and during a wait', async () => {
    const during = new AbortController();
    const wait = () => {
      during.abort();
      return Promise.reject(new Error('aborted'));
    };
    const { api, client } = await connect([{ status: 502 }], { cancel: during.signal, clock: { wait } });
    await expect(client.read(request)).rejects.toThrow('Could not read the commits: the job was cancelled.');
    expect(api.requests).toHaveLength(1);
    const before = await connect([{ body: [] }], { cancel: AbortSignal.abort() });
    await expect(before.client.read(request)).rejects.toThrow('the job was cancelled');
    expect([before.api.requests.length, before.waits]).toEqual([0, []]);
  });

  it('ends when GitHub accepts a request and never answers', async () => {
    const { client } = await connect([{ body: [] }], { limits: { timeoutMs: 0, mostTries: 1 } });
    await expect(client.read(request)).rejects.toThrow('did not answer');
  });

  it('is told from one that will not pass', () => {
    const limits = { tries: 1, mostTries: 5, mostWaitMs: 120_000 };
    const at = (status: number) => adviseRetry({ status, headers: {}, words: '' }, limits, 0).kind;
    expect([400, 401, 403, 404, 422].map(at)).toEqual(Array(5).fill('stop'));
    expect([429, 500, 502, 503].map(at)).toEqual(Array(4).fill('again'));
  });
});

describe('a list', () => {
  it('is read on after a page that is not full, if GitHub names a next one', async () => {
    const link = { link: '<https://api.github.example/x?page=2>; rel="next", <https://x>; rel="last"' };
    const { api, client } = await connect([{ body: [], headers: link }, { body: [] }]);
    expect(await client.readPages({ ...request, shape: z.array(z.unknown()), maxPages: 9 })).toEqual([]);
    expect(api.requests).toHaveLength(2);
  });
});

describe('a refusal', () => {
  const refused = { status: 403, body: { message: 'Resource not accessible by integration' } };
  const thrown = async (send: () => Promise<unknown>) => {
    const error = await send().catch((reason: unknown) => reason);
    if (!(error instanceof GithubError)) throw new Error('no GithubError');
    const { isReadOnly, mayLackPermission, isRateLimit } = error;
    return { isReadOnly, mayLackPermission, isRateLimit };
  };

  it('of a write means that the token can only read, and one of a read does not', async () => {
    const { client } = await connect([refused]);
    const missing = { isReadOnly: false, mayLackPermission: true, isRateLimit: false };
    expect(await thrown(() => client.read(request))).toEqual(missing);
    const write = { ...request, find: 'same-result' } as const;
    expect(await thrown(() => client.write(write))).toEqual({ ...missing, isReadOnly: true });
  });

  it('for a rate limit is no missing permission', async () => {
    const message = 'You have exceeded a secondary rate limit, Resource not accessible by integration';
    const { client } = await connect([{ status: 403, body: { message } }]);
    const write = { ...request, find: 'same-result' } as const;
    const limited = { isReadOnly: false, mayLackPermission: false, isRateLimit: true };
    expect(await thrown(() => client.write(write))).toEqual(limited);
  });

  it('of GraphQL for a rate limit is waited for', async () => {
    const limited = { body: { data: null, errors: [{ type: 'RATE_LIMITED', message: 'x' }] } };
    const headers = { 'retry-after': '3' };
    const { client, waits } = await connect([
      { ...limited, headers },
      { body: { data: { viewer: { login: 'mary' } } } },
    ]);
    const query = 'query { viewer { databaseId login } }';
    await client.read({ ...request, route: 'POST /graphql', parameters: { query } });
    expect(waits).toEqual([3000]);
  });
});

describe('a server without GraphQL', () => {
  const query = 'query { viewer { databaseId login } }';
  const message = async (body: unknown) => {
    const { client } = await connect([{ status: 404, body }]);
    const read = { ...request, route: 'POST /graphql', parameters: { query }, needs: 'contents: write' };
    return String(await client.read(read).catch((reason: unknown) => reason));
  };

  it.each([{ message: 'Not Found' }, '404 page not found'])(
    'is named, and no permission: %j',
    async (body) => {
      const text = await message(body);
      expect(text).toContain('this server has no GraphQL API (404)');
      expect(text).not.toContain('contents: write');
    },
  );
});

describe('an answer', () => {
  it('that is not understood is an error, and not repeated', async () => {
    const { api, client } = await connect([{ body: [] }]);
    const error: unknown = await client
      .read({ ...request, shape: z.string() })
      .catch((reason: unknown) => reason);
    expect(String(error)).toContain('Could not read the commits: the answer of GitHub is not understood.');
    expect([mayPass(error), api.requests.length]).toEqual([false, 1]);
  });

  it('names a permission that GitHub asks for, but no other text of a header', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const failure = { status: 403, headers: { 'x-accepted-github-permissions': header }, words: 'no' };
        const text = explainGithubFailure(failure, { doing: 'x', remedy: '' }, 0);
        expect(text.includes('GitHub asks for')).toBe(/^[a-z_=,; ]{1,200}$/.test(header));
      }),
    );
  });
});

describe('writes', () => {
  it('are at most 80 in any minute', async () => {
    let time = 0;
    const moments: number[] = [];
    const waitForTurn = limitWrites({ now: () => time, wait: (ms) => Promise.resolve((time += ms)) });
    for (let index = 0; index < 300; index += 1) {
      await waitForTurn();
      moments.push(time);
    }
    const most = Math.max(
      ...moments.map((from) => moments.filter((at) => at >= from && at < from + 60_000).length),
    );
    expect(most).toBeLessThanOrEqual(80);
    expect(moments.slice(0, 15)).toEqual(Array(15).fill(0));
  });
});

describe('parseRepository', () => {
  it('takes owner/name and nothing else', () => {
    expect(parseRepository('acme/project')).toEqual({ owner: 'acme', repo: 'project' });
    for (const name of ['', 'acme', 'acme/', '/project', 'a/b/c'])
      expect(parseRepository(name)).toBeUndefined();
  });
});

/** Asks a server of the test's own for a file, and stops asking as soon as the server was asked. */
async function cancelled(listener: RequestListener): Promise<unknown> {
  const cancel = new AbortController();
  const server = createServer((request, response) => {
    listener(request, response);
    cancel.abort();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await downloadTail({ from, location: '/log', maxBytes: 1000, cancel: cancel.signal });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('a download that is cancelled', () => {
  it.each<[string, RequestListener]>([
    ['nothing is answered', () => undefined],
    ['the answer does not end', (_request, response) => void response.write('a line\n')],
  ])('ends at once where %s', async (_name, listener) => {
    await expect(cancelled(listener)).rejects.toThrow('it took too long, or was cancelled');
  });
});
