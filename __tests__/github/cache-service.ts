import { startServer, type FileServer } from '../install/file-server.js';

const METHOD = /^\/twirp\/github\.actions\.results\.api\.v1\.CacheService\/(\w+)$/;

/** The second version of the GitHub Actions cache service, as far as we need it. */
export interface CacheService extends FileServer {
  /** Whole entries by their key. A test may change them, as somebody with access to the cache can. */
  entries: Map<string, Buffer>;
  /** Each request with its method, and whether it had the token. */
  requests: { what: string; hasToken: boolean }[];
  /** The variables by which a job finds the service. */
  env: Record<string, string>;
}

export const RUNTIME_TOKEN = 'runtime-token-canary';

export async function startCacheService(): Promise<CacheService> {
  const entries = new Map<string, Buffer>();
  const uploads = new Map<string, Buffer>();
  const requests: CacheService['requests'] = [];
  const server = await startServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', server.url);
      const [, method] = METHOD.exec(url.pathname) ?? [];
      const hasToken = request.headers.authorization === `Bearer ${RUNTIME_TOKEN}`;
      requests.push({ what: method ?? `${request.method ?? ''} blob`, hasToken });
      const body = Buffer.concat(chunks);
      if (method !== undefined) {
        const message = JSON.parse(body.toString('utf8')) as Record<string, string>;
        response.writeHead(hasToken ? 200 : 401, { 'content-type': 'application/json' });
        response.end(JSON.stringify(hasToken ? answer(method, message) : { code: 'unauthenticated' }));
        return;
      }
      const key = decodeURIComponent(url.pathname.slice('/blobs/'.length));
      if (request.method === 'PUT' && request.headers['x-ms-blob-type'] === 'BlockBlob') {
        uploads.set(key, body);
        response.writeHead(201).end();
      } else if (request.method === 'GET' && entries.has(key)) {
        response.writeHead(200).end(entries.get(key));
      } else response.writeHead(400).end();
    });
  });

  function answer(method: string, { key = '', version = '', size_bytes: size }: Record<string, string>) {
    const blob = `${server.url}/blobs/${encodeURIComponent(key)}?sig=signature`;
    if (!/^[0-9a-f]{64}$/.test(version)) return { ok: false };
    switch (method) {
      case 'GetCacheEntryDownloadURL':
        return entries.has(key) ? { ok: true, signed_download_url: blob, matched_key: key } : { ok: false };
      case 'CreateCacheEntry':
        return entries.has(key) ? { ok: false } : { ok: true, signed_upload_url: blob };
      case 'FinalizeCacheEntryUpload': {
        const bytes = uploads.get(key);
        if (bytes === undefined || String(bytes.length) !== size) return { ok: false };
        entries.set(key, bytes);
        return { ok: true, entry_id: '1' };
      }
      default:
        return { ok: false };
    }
  }

  const env = {
    ACTIONS_CACHE_SERVICE_V2: 'True',
    ACTIONS_RESULTS_URL: `${server.url}/`,
    ACTIONS_RUNTIME_TOKEN: RUNTIME_TOKEN,
  };
  return { ...server, entries, requests, env };
}
