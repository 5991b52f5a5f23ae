import type { IncomingMessage } from 'node:http';
import { followRedirect } from '../core/address.js';
import { HttpStatus, Refused } from './retry.js';

const MOST_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Asks for an address through the proxy the environment names, and follows redirects ourselves, because the
 * client would follow one from https on this machine to plain http anywhere. The body is the caller's to read.
 */
export async function openAddress(url: string, stallMs: number): Promise<IncomingMessage> {
  let address = url;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const message = await ask(address, stallMs);
    const status = message.statusCode ?? 0;
    if (status === 200) return message;
    const location = message.headers.location;
    message.destroy();
    if (!REDIRECTS.includes(status) || location === undefined) throw statusOf(message);
    const next = followRedirect(address, location);
    if ('problem' in next) throw new Refused(next.problem);
    address = next.url;
  }
  throw new Refused(`it redirects more than ${MOST_REDIRECTS} times`);
}

/** Where an address redirects to, without going there. */
export async function redirectOf(url: string, stallMs: number): Promise<string> {
  const message = await ask(url, stallMs);
  message.destroy();
  if (!REDIRECTS.includes(message.statusCode ?? 0)) throw statusOf(message);
  return message.headers.location ?? '';
}

/** A short text, whole. */
export async function readText(url: string, stallMs: number, mostBytes: number): Promise<string> {
  const message = await openAddress(url, stallMs);
  const stall = watchStall(message, stallMs);
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of message as AsyncIterable<Buffer>) {
      stall.sign();
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > mostBytes) throw new Refused(`it is larger than ${mostBytes} bytes`);
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    stall.stop();
    message.destroy();
  }
}

/** Ends a body that has gone silent, so that reading it fails instead of waiting for ever. */
export function watchStall(message: IncomingMessage, stallMs: number): { sign(): void; stop(): void } {
  const timer = setTimeout(() => {
    message.destroy(new Error(`the server was silent for ${Math.round(stallMs / 100) / 10} s`));
  }, stallMs);
  return {
    sign: () => void timer.refresh(),
    stop: () => {
      clearTimeout(timer);
    },
  };
}

async function ask(url: string, stallMs: number): Promise<IncomingMessage> {
  // Loaded only here: what is in the tool cache needs no client.
  const { HttpClient } = await import('@actions/http-client');
  const client = new HttpClient('cursor-agent-action', [], {
    allowRedirects: false,
    allowRetries: false,
    socketTimeout: stallMs,
  });
  // The client's own timeout begins when the connection stands; this one covers the way there.
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`the server did not answer for ${Math.round(stallMs / 100) / 10} s`));
    }, stallMs);
  });
  const answer = client.get(url, { accept: '*/*' });
  // An answer that comes too late is not read.
  answer.catch(() => undefined);
  try {
    return (await Promise.race([answer, silence])).message;
  } catch (error) {
    void answer.then(
      ({ message }) => message.destroy(),
      () => undefined,
    );
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function statusOf(message: IncomingMessage): HttpStatus {
  return new HttpStatus(
    message.statusCode ?? 0,
    (message.statusMessage ?? '').replace(/[^ -~]/g, ''),
    message.headers['retry-after'],
  );
}
