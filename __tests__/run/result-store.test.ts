import { beforeEach, describe, expect, it } from '@jest/globals';
import { serve, silence, startServer, status } from '../install/file-server.js';
import { openResultStore, type ResultStore } from '../../src/run/result-store.js';
import { startResultService, type ResultService } from './result-service.js';

let service: ResultService;
beforeEach(async () => {
  service = await startResultService();
});

function storeOf(env: NodeJS.ProcessEnv, limitMs = 10_000): ResultStore {
  const cancel = new AbortController().signal;
  const store = openResultStore({ env, cancel, mostBytes: 1000, limitMs });
  if ('unavailable' in store) throw new Error(store.unavailable);
  return store;
}

describe('the store of results', () => {
  it('keeps bytes under a name, once', async () => {
    const store = storeOf(service.env);
    expect(await store.find('a')).toBeUndefined();
    expect(await store.keep('a', Buffer.from('first'))).toBe(true);
    expect(await store.keep('a', Buffer.from('second'))).toBe(false);
    expect((await store.find('a'))?.toString()).toBe('first');
    // Only the service itself gets the token.
    for (const { what, hasToken } of service.requests)
      expect([what, hasToken]).toEqual([what, !what.endsWith('blob')]);
  });

  it('returns nothing for a longer name that the service found', async () => {
    const answer = JSON.stringify({ ok: true, signed_download_url: service.url, matched_key: 'ab' });
    const other = await startServer(serve(answer));
    expect(await storeOf({ ...service.env, ACTIONS_RESULTS_URL: other.url }).find('a')).toBeUndefined();
  });

  it('fails on something too large, before all of it is read', async () => {
    service.entries.set('a', Buffer.alloc(100_000));
    await expect(storeOf(service.env).find('a')).rejects.toThrow('larger than 1000 bytes');
  });

  it.each([
    ['an error', status(500), /answered 500/],
    ['a redirect', status(302, { location: 'https://evil.example' }), /answered 302/],
    ['no JSON', serve('<html>'), /JSON/],
    ['another form', serve('{"ok":"yes"}'), /not known here/],
    [
      'an unsafe address',
      serve('{"ok":true,"matched_key":"a","signed_download_url":"http://evil.example"}'),
      /https/,
    ],
    ['a file', serve('{"ok":true,"matched_key":"a","signed_download_url":"file:///etc/passwd"}'), /https/],
  ])('fails if the service answers with %s', async (_, answer, message) => {
    const other = await startServer(answer);
    await expect(storeOf({ ...service.env, ACTIONS_RESULTS_URL: other.url }).find('a')).rejects.toThrow(
      message,
    );
  });

  it('does not wait for a service that is silent', async () => {
    const other = await startServer(silence);
    const store = storeOf({ ...service.env, ACTIONS_RESULTS_URL: other.url }, 50);
    await expect(store.find('a')).rejects.toThrow('took too long');
    await expect(store.keep('a', Buffer.from('x'))).rejects.toThrow('took too long');
  });

  it.each(['ACTIONS_CACHE_SERVICE_V2', 'ACTIONS_RESULTS_URL', 'ACTIONS_RUNTIME_TOKEN'])(
    'is not available without %s',
    (name) => {
      const cancel = new AbortController().signal;
      const env = { ...service.env, [name]: '' };
      expect(openResultStore({ env, cancel, mostBytes: 1 })).toHaveProperty('unavailable');
    },
  );
});
