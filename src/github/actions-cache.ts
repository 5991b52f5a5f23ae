import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { tooLate, unlessAborted } from '../core/abort.js';
import { isSafeAddress } from '../core/address.js';

/** `open` is called when the bytes are sent. */
export interface Content {
  size: number;
  open(): Readable;
}

/** The cache of GitHub Actions. Both calls fail if the service does. Whoever can run a job can write to it. */
export interface ActionsCache {
  /** Reads the bytes under exactly this name; undefined if there are none. */
  find<T>(key: string, read: (bytes: AsyncIterable<Buffer>) => Promise<T>): Promise<T | undefined>;
  /** False if there is already something under this name, which cannot be replaced. */
  keep(key: string, content: Content): Promise<boolean>;
}

interface CacheOptions {
  env: NodeJS.ProcessEnv;
  cancel: AbortSignal;
  /** What the entries are. Those of one kind are never found as the other. */
  kind: 'result' | 'archive';
  mostBytes: number;
  /** How long a call may take. */
  limitMs: number;
}

/**
 * Uses the three requests of the cache service. Its usual client is not used, because that unpacks an archive with
 * absolute paths: whoever can write an entry could write any file of the runner. Here an entry is bytes, and stays bytes.
 */
export function openActionsCache({
  env,
  cancel,
  kind,
  mostBytes,
  limitMs,
}: CacheOptions): ActionsCache | { unavailable: string } {
  const { ACTIONS_RESULTS_URL: service = '', ACTIONS_RUNTIME_TOKEN: token = '' } = env;
  if (!env['ACTIONS_CACHE_SERVICE_V2'] || !isSafeAddress(service) || token === '')
    return { unavailable: 'this runner has no Actions cache of the current form' };
  // It also tells our entries from archives of the usual client under the same name.
  const version = createHash('sha256').update(`cursor-agent-action ${kind}`).digest('hex');
  const inTime = async <T>(work: (connection: ServiceConnection) => Promise<T>): Promise<T> => {
    const deadline = AbortSignal.any([cancel, AbortSignal.timeout(limitMs)]);
    const connection = await connectService({ service, token, deadline });
    try {
      return await work(connection);
    } finally {
      connection.close();
    }
  };
  return {
    find: (key, read) =>
      inTime(async ({ call, download }) => {
        const found = await call('GetCacheEntryDownloadURL', { key, version }, FoundSchema);
        // The service also answers with a longer name that begins like this one.
        if (!found.ok || found.matched_key !== key) return undefined;
        return download(found.signed_download_url, (bytes) => read(atMost(bytes, mostBytes)));
      }),
    keep: (key, content) =>
      inTime(async ({ call, upload }) => {
        const made = await call('CreateCacheEntry', { key, version }, MadeSchema);
        if (!made.ok) return false;
        await upload(made.signed_upload_url, content);
        const entry = { key, version, size_bytes: String(content.size) };
        const end = await call('FinalizeCacheEntryUpload', entry, EndSchema);
        if (!end.ok) throw new Error('the service did not take it');
        return true;
      }),
  };
}

export const contentOf = (bytes: Buffer): Content => ({
  size: bytes.length,
  open: () => Readable.from([bytes]),
});

/** All of the bytes in one piece. */
export async function collectBytes(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const ok = z._default(z.boolean(), false);
const address = z._default(z.string(), '');
const FoundSchema = z.object({ ok, signed_download_url: address, matched_key: z._default(z.string(), '') });
const MadeSchema = z.object({ ok, signed_upload_url: address });
const EndSchema = z.object({ ok });

type Method = 'GetCacheEntryDownloadURL' | 'CreateCacheEntry' | 'FinalizeCacheEntryUpload';
type Message = Readonly<Record<string, string>>;
type ServiceConnection = Awaited<ReturnType<typeof connectService>>;

const MOST_ANSWER_BYTES = 65_536;
const readAnswer = (bytes: AsyncIterable<Buffer>) => collectBytes(atMost(bytes, MOST_ANSWER_BYTES));

interface CacheRequest<T> {
  content?: Content;
  headers?: Record<string, string>;
  /** What is done with the answer. */
  read(status: number, bytes: AsyncIterable<Buffer>): Promise<T>;
}

interface ServiceAccess {
  service: string;
  token: string;
  deadline: AbortSignal;
}

/** Only the service gets the token. The addresses that it returns are signed. No redirect is followed. */
async function connectService({ service, token, deadline }: ServiceAccess) {
  const { HttpClient } = await import('@actions/http-client');
  const client = new HttpClient('cursor-agent-action', [], { allowRedirects: false, allowRetries: false });
  const send = async <T>(
    verb: 'GET' | 'POST' | 'PUT',
    url: string,
    { content, headers = {}, read }: CacheRequest<T>,
  ): Promise<T> => {
    if (!isSafeAddress(url)) throw new Error('the service named an address that is not https');
    const length = content ? { 'content-length': String(content.size) } : {};
    const body = content?.open() ?? null;
    try {
      const sent = client.request(verb, url, body, { ...headers, ...length });
      const { message } = await unlessAborted(deadline, unlessUnreadable(sent, body), tooLate);
      try {
        const reading = read(message.statusCode ?? 0, message as AsyncIterable<Buffer>);
        return await unlessAborted(deadline, reading, tooLate);
      } finally {
        message.destroy();
      }
    } finally {
      body?.destroy();
    }
  };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    async call<T>(method: Method, message: Message, shape: z.ZodMiniType<T>): Promise<T> {
      const { href } = new URL(`/twirp/github.actions.results.api.v1.CacheService/${method}`, service);
      const content = contentOf(Buffer.from(JSON.stringify(message)));
      const answer = await send('POST', href, {
        content,
        headers,
        async read(status, bytes): Promise<unknown> {
          // A name that is taken, and a name that does not exist.
          if (status === 409 || status === 404) return {};
          if (status !== 200) throw new Error(`the service answered ${status}`);
          return JSON.parse((await readAnswer(bytes)).toString('utf8'));
        },
      });
      const parsed = shape.safeParse(answer);
      if (!parsed.success) throw new Error('the service answered something that is not known here');
      return parsed.data;
    },
    download: <T>(url: string, read: (bytes: AsyncIterable<Buffer>) => Promise<T>) =>
      send('GET', url, {
        read(status, bytes) {
          if (status !== 200) throw new Error(`the download was answered with ${status}`);
          return read(bytes);
        },
      }),
    upload: (url: string, content: Content) =>
      send('PUT', url, {
        content,
        headers: { 'x-ms-blob-type': 'BlockBlob', 'content-type': 'application/octet-stream' },
        async read(status, bytes) {
          await readAnswer(bytes);
          if (status !== 201 && status !== 200) throw new Error(`the upload was answered with ${status}`);
        },
      }),
    close: () => {
      client.dispose();
    },
  };
}

/** The client does not notice that what it sends cannot be read. */
const unlessUnreadable = <T>(sent: Promise<T>, body: Readable | null): Promise<T> =>
  body ? Promise.race([sent, new Promise<never>((_, failed) => body.once('error', failed))]) : sent;

async function* atMost(bytes: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > most) throw new Error(`it is larger than ${most} bytes`);
    yield chunk;
  }
}
