import { randomUUID } from 'node:crypto';
import { startServer, type Answer, type FileServer } from './file-server.js';

interface Stored {
  key: string;
  version: string;
  bytes: Buffer;
  isWhole: boolean;
}

/** The part of the first version of the GitHub Actions cache service that the client uses. */
export async function startCacheService(): Promise<FileServer> {
  const stored = new Map<string, Stored>();
  const answer: Answer = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', `http://${request.headers.host ?? ''}`);
      const reply = respond(request.method ?? '', url, Buffer.concat(chunks));
      const isBytes = Buffer.isBuffer(reply.body);
      response.writeHead(reply.code, {
        'content-type': isBytes ? 'application/octet-stream' : 'application/json',
      });
      response.end(isBytes ? reply.body : JSON.stringify(reply.body ?? {}));
    });
  };

  function respond(method: string, url: URL, body: Buffer): { code: number; body?: object } {
    const [, id = ''] = /\/(?:caches|blobs)\/([^/]+)$/.exec(url.pathname) ?? [];
    const entry = stored.get(id);
    if (method === 'GET' && url.pathname.endsWith('/cache')) return lookUp(url);
    if (method === 'GET' && entry) return { code: 200, body: entry.bytes };
    if (method === 'POST' && url.pathname.endsWith('/caches')) {
      const cacheId = String(stored.size + 1);
      const { key, version } = JSON.parse(body.toString('utf8')) as { key: string; version: string };
      stored.set(cacheId, { key, version, bytes: Buffer.alloc(0), isWhole: false });
      return { code: 201, body: { cacheId: Number(cacheId) } };
    }
    if (!entry) return { code: 404 };
    if (method === 'PATCH') entry.bytes = Buffer.concat([entry.bytes, body]);
    else entry.isWhole = true;
    return { code: 204 };
  }

  function lookUp(url: URL): { code: number; body?: object } {
    const found = [...stored].find(
      ([, entry]) =>
        entry.isWhole &&
        entry.key === url.searchParams.get('keys') &&
        entry.version === url.searchParams.get('version'),
    );
    if (!found) return { code: 204 };
    const [id, { key }] = found;
    return {
      code: 200,
      body: { cacheKey: key, archiveLocation: `${server.url}/blobs/${id}?${randomUUID()}` },
    };
  }

  const server = await startServer(answer);
  return server;
}
