import { beforeEach, describe, expect, it } from '@jest/globals';
import { createReadStream } from 'node:fs';
import { serve, silence, startServer, status } from '../install/file-server.js';
import {
  collectBytes,
  contentOf,
  openActionsCache,
  type ActionsCache,
} from '../../src/github/actions-cache.js';
import { startCacheService, type CacheService } from './cache-service.js';

let service: CacheService;
beforeEach(async () => {
  service = await startCacheService();
});

const options = { cancel: new AbortController().signal, kind: 'result', mostBytes: 1000 } as const;

function cacheOf(env: NodeJS.ProcessEnv, limitMs = 10_000): ActionsCache {
  const cache = openActionsCache({ ...options, env, limitMs });
  if ('unavailable' in cache) throw new Error(cache.unavailable);
  return cache;
}
const find = ({ find: ask }: ActionsCache, key: string) => ask(key, collectBytes);
const keep = ({ keep: ask }: ActionsCache, key: string, text: string) =>
  ask(key, contentOf(Buffer.from(text)));

describe('the Actions cache', () => {
  it('keeps bytes under a name, once', async () => {
    const cache = cacheOf(service.env);
    expect(await find(cache, 'a')).toBeUndefined();
    expect(await keep(cache, 'a', 'first')).toBe(true);
    expect(await keep(cache, 'a', 'second')).toBe(false);
    expect((await find(cache, 'a'))?.toString()).toBe('first');
    // Only the service itself gets the token.
    for (const { what, hasToken } of service.requests)
      expect([what, hasToken]).toEqual([what, !what.endsWith('blob')]);
  });

  it('returns nothing for a longer name that the service found', async () => {
    const answer = JSON.stringify({ ok: true, signed_download_url: service.url, matched_key: 'ab' });
    const other = await startServer(serve(answer));
    expect(await find(cacheOf({ ...service.env, ACTIONS_RESULTS_URL: other.url }), 'a')).toBeUndefined();
  });

  it('fails on something too large, before all of it is read', async () => {
    service.entries.set('a', Buffer.alloc(100_000));
    await expect(find(cacheOf(service.env), 'a')).rejects.toThrow('larger than 1000 bytes');
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
    const cache = cacheOf({ ...service.env, ACTIONS_RESULTS_URL: other.url });
    await expect(find(cache, 'a')).rejects.toThrow(message);
  });

  it('does not wait for a service that is silent', async () => {
    const other = await startServer(silence);
    const cache = cacheOf({ ...service.env, ACTIONS_RESULTS_URL: other.url }, 50);
    await expect(find(cache, 'a')).rejects.toThrow('took too long');
    await expect(keep(cache, 'a', 'x')).rejects.toThrow('took too long');
  });

  it.each(['ACTIONS_CACHE_SERVICE_V2', 'ACTIONS_RESULTS_URL', 'ACTIONS_RUNTIME_TOKEN'])(
    'is not available without %s',
    (name) => {
      const env = { ...service.env, [name]: '' };
      expect(openActionsCache({ ...options, env, limitMs: 1 })).toHaveProperty('unavailable');
    },
  );

  it('keeps nothing of a file that cannot be read', async () => {
    const missing = { size: 1, open: () => createReadStream('/does/not/exist') };
    await expect(cacheOf(service.env).keep('a', missing)).rejects.toThrow('ENOENT');
    expect(service.entries.size).toBe(0);
  });

  it('finds nothing of another kind', async () => {
    const versions = new Set<string>();
    const other = await startServer((request, response) => {
      request.on('data', (chunk: Buffer) => {
        versions.add((JSON.parse(chunk.toString()) as { version: string }).version);
        response.end('{}');
      });
    });
    const env = { ...service.env, ACTIONS_RESULTS_URL: other.url };
    for (const kind of ['result', 'archive'] as const) {
      const cache = openActionsCache({ ...options, env, kind, limitMs: 10_000 });
      if (!('unavailable' in cache)) await find(cache, 'a');
    }
    expect(versions.size).toBe(2);
  });
});
