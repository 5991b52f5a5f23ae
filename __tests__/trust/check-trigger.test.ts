import { afterEach, describe, expect, it } from '@jest/globals';
import { lookUpPermission } from '../../src/trust/check-trigger.js';
import { permissionAnswer, startApi, type Answer, type Api } from '../github/api-server.js';

let api: Api | undefined;
const started: Api[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

const ask = async (
  answers: (Answer | 'hang up')[],
  more: { base?: string; token?: string; login?: string } = {},
) => {
  api = await startApi(answers, more.base);
  started.push(api);
  return lookUpPermission('acme/project', more.login ?? 'mary', {
    token: more.token ?? 'ghs_token',
    apiUrl: api.url,
    cancel: new AbortController().signal,
    clock: { wait: () => Promise.resolve() },
  });
};

describe('lookUpPermission', () => {
  it.each(['admin', 'write', 'read', 'none'])('tells what a person may do: %s', async (level) => {
    expect(await ask([permissionAnswer(level)])).toEqual({ kind: 'known', level, isPerson: true });
    expect(api?.requests).toMatchObject([
      { line: 'GET /repos/acme/project/collaborators/mary/permission', authorization: 'token ghs_token' },
    ]);
  });

  it('asks an Enterprise server below its own path, and escapes names', async () => {
    await ask([permissionAnswer('write')], { base: '/api/v3/', login: 'a/../b' });
    expect(api?.requests[0]?.line).toBe('GET /api/v3/repos/acme/project/collaborators/a%2F..%2Fb/permission');
  });

  it('tells a bot from a person', async () => {
    expect(await ask([permissionAnswer('write', 'x', 'Bot')])).toMatchObject({ isPerson: false });
  });

  it.each<[string, Answer, RegExp]>([
    ['401', { status: 401 }, /not accepted \(401\)/],
    ['403', { status: 403 }, /may not do this \(403.*metadata=read/],
    [
      '403 with what is missing',
      { status: 403, headers: { 'x-accepted-github-permissions': 'metadata=read; contents=read' } },
      /GitHub asks for metadata=read; contents=read/,
    ],
    ['404', { status: 404, body: { message: 'mary is not a user' } }, /does not exist.*\(404\)/],
    ['nonsense', { body: { permission: 1 }, unlike: true }, /not understood/],
  ])('explains %s, after one request', async (_name, answer, words) => {
    const permission = await ask([answer]);
    expect(permission).toMatchObject({ kind: 'unknown', why: expect.stringMatching(words) as unknown });
    expect(api?.requests).toHaveLength(1);
  });

  it('asks once more after a failure that may pass', async () => {
    expect(await ask([{ status: 502 }, permissionAnswer('write')])).toMatchObject({ level: 'write' });
    expect(await ask(['hang up', permissionAnswer('write')])).toMatchObject({ level: 'write' });
    const failed = await ask([{ status: 503 }]);
    expect(failed).toMatchObject({ why: expect.stringContaining('503') as unknown });
    expect(api?.requests).toHaveLength(2);
  });

  it('needs a token and a repository, and asks nobody without', async () => {
    expect(await ask([permissionAnswer('write')], { token: '' })).toMatchObject({ kind: 'unknown' });
    expect(api?.requests).toMatchObject([]);
  });
});
