import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { unlessAborted } from '../core/abort.js';
import { isSafeAddress } from '../core/address.js';

/** Where the results of earlier runs are. Both calls fail if the service does. */
export interface ResultStore {
  /** The bytes under exactly this name. */
  find(key: string): Promise<Buffer | undefined>;
  /** False if there is already something under this name, which cannot be replaced. */
  keep(key: string, bytes: Buffer): Promise<boolean>;
}

export interface StoreOptions {
  env: NodeJS.ProcessEnv;
  cancel: AbortSignal;
  mostBytes: number;
  /** How long a call may take. */
  limitMs?: number;
}

const LIMIT_MS = 20_000;

/**
 * The cache of GitHub Actions, through the three requests of its service. Its usual client is not used, because that
 * unpacks an archive with absolute paths: whoever can write an entry could write any file of the runner. Here an entry
 * is bytes, and stays bytes.
 */
export function openResultStore({
  env,
  cancel,
  mostBytes,
  limitMs = LIMIT_MS,
}: StoreOptions): ResultStore | { unavailable: string } {
  const { ACTIONS_RESULTS_URL: service = '', ACTIONS_RUNTIME_TOKEN: token = '' } = env;
  if (!env['ACTIONS_CACHE_SERVICE_V2'] || !isSafeAddress(service) || token === '')
    return { unavailable: 'this runner has no Actions cache of the current form' };
  const inTime = async <T>(work: (exchange: Exchange) => Promise<T>): Promise<T> => {
    const deadline = AbortSignal.any([cancel, AbortSignal.timeout(limitMs)]);
    const exchange = await openExchange({ service, token, deadline });
    try {
      return await work(exchange);
    } finally {
      exchange.close();
    }
  };
  return {
    find: (key) =>
      inTime(async ({ call, download }) => {
        const found = understood(
          FoundSchema.safeParse(await call('GetCacheEntryDownloadURL', { key, version: VERSION })),
        );
        // The service also answers with a longer name that begins like this one.
        if (!found.ok || found.matched_key !== key) return undefined;
        return download(found.signed_download_url, mostBytes);
      }),
    keep: (key, bytes) =>
      inTime(async ({ call, upload }) => {
        const made = understood(
          MadeSchema.safeParse(await call('CreateCacheEntry', { key, version: VERSION })),
        );
        if (!made.ok) return false;
        await upload(made.signed_upload_url, bytes);
        const size = { size_bytes: String(bytes.length) };
        const { ok } = understood(
          EndSchema.safeParse(await call('FinalizeCacheEntryUpload', { key, version: VERSION, ...size })),
        );
        if (!ok) throw new Error('the service did not take it');
        return true;
      }),
  };
}

/** Tells our entries from archives of the usual client under the same name. */
const VERSION = createHash('sha256').update('cursor-agent-action result').digest('hex');

const ok = z._default(z.boolean(), false);
const address = z._default(z.string(), '');
const FoundSchema = z.object({ ok, signed_download_url: address, matched_key: z._default(z.string(), '') });
const MadeSchema = z.object({ ok, signed_upload_url: address });
const EndSchema = z.object({ ok });

function understood<T>(answer: { success: true; data: T } | { success: false }): T {
  if (!answer.success) throw new Error('the service answered something that is not known here');
  return answer.data;
}

type Method = 'GetCacheEntryDownloadURL' | 'CreateCacheEntry' | 'FinalizeCacheEntryUpload';

interface Exchange {
  call(method: Method, message: Readonly<Record<string, string>>): Promise<unknown>;
  download(url: string, mostBytes: number): Promise<Buffer>;
  upload(url: string, bytes: Buffer): Promise<void>;
  close(): void;
}

const MOST_ANSWER_BYTES = 65_536;

/** Only the service gets the token. The addresses that it returns are signed. No redirect is followed. */
async function openExchange({
  service,
  token,
  deadline,
}: {
  service: string;
  token: string;
  deadline: AbortSignal;
}): Promise<Exchange> {
  const { HttpClient } = await import('@actions/http-client');
  const client = new HttpClient('cursor-agent-action', [], { allowRedirects: false, allowRetries: false });
  const send = async (
    verb: 'GET' | 'POST' | 'PUT',
    url: string,
    { body, headers = {}, most }: { body?: Buffer; headers?: Record<string, string>; most: number },
  ): Promise<{ status: number; bytes: Buffer }> => {
    if (!isSafeAddress(url)) throw new Error('the service named an address that is not https');
    const length = body ? { 'content-length': String(body.length) } : {};
    const data = body ? Readable.from([body]) : null;
    const sent = client.request(verb, url, data, { ...headers, ...length });
    const { message } = await unlessAborted(deadline, sent, tooLate);
    try {
      return {
        status: message.statusCode ?? 0,
        bytes: await unlessAborted(deadline, readAtMost(message as AsyncIterable<Buffer>, most), tooLate),
      };
    } finally {
      message.destroy();
    }
  };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    async call(method, message) {
      const { href } = new URL(`/twirp/github.actions.results.api.v1.CacheService/${method}`, service);
      const body = Buffer.from(JSON.stringify(message));
      const { status, bytes } = await send('POST', href, { body, headers, most: MOST_ANSWER_BYTES });
      // A name that is taken, and a name that does not exist.
      if (status === 409 || status === 404) return {};
      if (status !== 200) throw new Error(`the service answered ${status}`);
      return JSON.parse(bytes.toString('utf8')) as unknown;
    },
    async download(url, most) {
      const { status, bytes } = await send('GET', url, { most });
      if (status !== 200) throw new Error(`the download was answered with ${status}`);
      return bytes;
    },
    async upload(url, body) {
      const kind = { 'x-ms-blob-type': 'BlockBlob', 'content-type': 'application/octet-stream' };
      const { status } = await send('PUT', url, { body, headers: kind, most: MOST_ANSWER_BYTES });
      if (status !== 201 && status !== 200) throw new Error(`the upload was answered with ${status}`);
    },
    close: () => {
      client.dispose();
    },
  };
}

const tooLate = (): Error => new Error('it took too long, or was cancelled');

async function readAtMost(stream: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) throw new Error(`it is larger than ${most} bytes`);
  }
  return Buffer.concat(chunks);
}
