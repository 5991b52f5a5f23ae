import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { unlessAborted } from '../core/abort.js';
import { followRedirect } from '../core/address.js';
import { codeOf, reasonOf } from '../core/errors.js';
import type { InstallIo } from './install.js';
import type { Pin } from './pins.js';
import { MAX_ARCHIVE_BYTES } from './release.js';

export type Downloaded = Required<Pin>;

interface DownloadRequest {
  url: string;
  target: string;
  expectedBytes?: number | undefined;
}

const BUFFER_BYTES = 4 * 1024 * 1024;

/**
 * Streams a file to disk, hashes it on the way, and retries if that can help. `downloadTool` of @actions/tool-cache is
 * not used, because it neither hashes nor lets the caller decide how to wait.
 */
export async function download(request: DownloadRequest, io: InstallIo): Promise<Downloaded> {
  const { url, target, expectedBytes } = request;
  try {
    return await withRetries(io, async () => {
      const message = await openAddress(url, io.stallMs);
      const arrived = await receive(message, request, io);
      // If the server does not say how long the file is, a broken connection looks like its end.
      const isCut = message.headers['content-length'] === undefined && arrived.bytes < (expectedBytes ?? 0);
      if (isCut) throw new Error(`the connection ended after ${arrived.bytes} of ${expectedBytes} bytes`);
      return arrived;
    });
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

async function receive(
  message: IncomingMessage,
  { target, expectedBytes }: DownloadRequest,
  io: InstallIo,
): Promise<Downloaded> {
  const total = Number(message.headers['content-length'] ?? expectedBytes ?? 0) || undefined;
  const progress = trackProgress(total, io.now());
  const hash = createHash('sha256');
  const stall = watchStall(message, io.stallMs);
  let bytes = 0;
  try {
    const meter = new Transform({
      highWaterMark: BUFFER_BYTES,
      transform(chunk: Buffer, _, pass) {
        stall.refresh();
        hash.update(chunk);
        bytes += chunk.length;
        const line = progress.line(bytes, io.now());
        if (line !== undefined) io.info(line);
        if (bytes > MAX_ARCHIVE_BYTES) pass(new Refused(`it is larger than ${MAX_ARCHIVE_BYTES} bytes`));
        else pass(null, chunk);
      },
    });
    await pipeline(message, meter, createWriteStream(target, { highWaterMark: BUFFER_BYTES }));
  } finally {
    clearTimeout(stall);
  }
  io.info(progress.done(bytes, io.now()));
  return { sha256: hash.digest('hex'), bytes };
}

const PROGRESS_MS = 5_000;

/** Describes a download in percent, megabytes and megabytes per second. Without a total there is no percentage. */
export function trackProgress(total: number | undefined, start: number) {
  let shown = start;
  const rate = (bytes: number, now: number) => `${megabytes(bytes / (Math.max(now - start, 1) / 1000))} MB/s`;
  return {
    line(bytes: number, now: number): string | undefined {
      if (now - shown < PROGRESS_MS) return undefined;
      shown = now;
      const part =
        total === undefined || total <= 0
          ? `${megabytes(bytes)} MB`
          : `${Math.min(100, Math.floor((bytes / total) * 100))} % (${megabytes(bytes)} of ${megabytes(total)} MB)`;
      return `  ${part}, ${rate(bytes, now)}`;
    },
    done: (bytes: number, now: number) => `Downloaded ${megabytes(bytes)} MB, ${rate(bytes, now)}`,
  };
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

/** A response without the file. */
export class HttpStatus extends Error {
  override readonly name = 'HttpStatus';

  constructor(
    readonly status: number,
    statusText: string,
    readonly retryAfter?: string | undefined,
  ) {
    super(`the server answered ${status}${statusText ? ` ${statusText}` : ''}`);
  }
}

/** A problem that stays when it is tried again: a redirect to an unsafe place, a file that is too large. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** The waiting times before the second, third and fourth attempt. */
const WAITS_MS = [2_000, 6_000, 18_000];
/** If a server asks for a longer wait, there is no other attempt. */
const MAX_WAIT_MS = 5 * 60_000;
/** Errors of this machine or of a certificate, which do not go away. */
const LASTING = /^(ENOSPC|EDQUOT|EACCES|EPERM|EROFS|ENOTDIR|EISDIR|ERR_TLS_.*|.*CERT.*|UNABLE_TO_.*)$/;

/** How long to wait before the next attempt; undefined if there is none. */
export function waitBeforeDownload(error: unknown, failed: number, now: number): number | undefined {
  const wait = WAITS_MS[failed - 1];
  if (wait === undefined || !mayPass(error)) return undefined;
  const asked = error instanceof HttpStatus ? readRetryAfter(error.retryAfter, now) : undefined;
  if (asked === undefined) return wait;
  return asked > MAX_WAIT_MS ? undefined : Math.max(asked, 0);
}

function mayPass(error: unknown): boolean {
  if (error instanceof Refused) return false;
  if (error instanceof HttpStatus) return [408, 429].includes(error.status) || error.status >= 500;
  return !LASTING.test(codeOf(error));
}

function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date - now;
}

export async function withRetries<T>(io: InstallIo, attempt: () => Promise<T>): Promise<T> {
  for (let failed = 0; ;) {
    try {
      return await attempt();
    } catch (error) {
      failed += 1;
      const wait = waitBeforeDownload(error, failed, io.now());
      if (wait === undefined) throw error;
      io.info(`That failed: ${reasonOf(error)}. Trying again in ${Math.ceil(wait / 1000)} s.`);
      await io.sleep(wait);
    }
  }
}

const MAX_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Requests an address through the proxy that the environment names. Redirects are followed here, because the client
 * would follow one from https on this machine to plain http anywhere. The caller reads the body.
 */
async function openAddress(url: string, stallMs: number): Promise<IncomingMessage> {
  let address = url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const message = await get(address, stallMs);
    const status = message.statusCode ?? 0;
    if (status === 200) return message;
    const location = message.headers.location;
    message.destroy();
    if (!REDIRECTS.includes(status) || location === undefined) throw statusOf(message);
    const next = followRedirect(address, location);
    if ('problem' in next) throw new Refused(next.problem);
    address = next.url;
  }
  throw new Refused(`it redirects more than ${MAX_REDIRECTS} times`);
}

/** The address that a redirect leads to. It is not requested. */
export async function redirectOf(url: string, stallMs: number): Promise<string> {
  const message = await get(url, stallMs);
  message.destroy();
  if (!REDIRECTS.includes(message.statusCode ?? 0)) throw statusOf(message);
  return message.headers.location ?? '';
}

export async function readText(url: string, stallMs: number, maxBytes: number): Promise<string> {
  const message = await openAddress(url, stallMs);
  const stall = watchStall(message, stallMs);
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of message as AsyncIterable<Buffer>) {
      stall.refresh();
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) throw new Refused(`it is larger than ${maxBytes} bytes`);
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    clearTimeout(stall);
    message.destroy();
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

/** Ends a body that has stalled, so that reading it fails instead of waiting forever. */
const watchStall = (message: IncomingMessage, stallMs: number): NodeJS.Timeout =>
  setTimeout(() => {
    message.destroy(new Error(`the server was silent for ${seconds(stallMs)}`));
  }, stallMs);

async function get(url: string, stallMs: number): Promise<IncomingMessage> {
  // Loaded here, because an installation from the tool cache needs no client.
  const { HttpClient } = await import('@actions/http-client');
  const client = new HttpClient('cursor-agent-action', [], {
    allowRedirects: false,
    allowRetries: false,
    socketTimeout: stallMs,
  });
  const answer = client.get(url, { accept: '*/*' });
  // The timeout of the client starts when it is connected. This one covers the time before that.
  const limit = AbortSignal.timeout(stallMs);
  const late = () => new Error(`the server did not answer for ${seconds(stallMs)}`);
  try {
    return (await unlessAborted(limit, answer, late)).message;
  } catch (error) {
    // A late answer is not read, and a late failure is not reported.
    void answer.then(
      ({ message }) => message.destroy(),
      () => undefined,
    );
    throw error;
  }
}

function statusOf(message: IncomingMessage): HttpStatus {
  return new HttpStatus(
    message.statusCode ?? 0,
    (message.statusMessage ?? '').replace(/[^ -~]/g, ''),
    message.headers['retry-after'],
  );
}
