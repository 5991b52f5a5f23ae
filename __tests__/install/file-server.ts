import { afterAll } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A server on this machine that gives these answers in order and then repeats the last one. It is closed when all tests
 * of the file are done.
 */
export interface FileServer {
  url: string;
  /** The requested paths, in order. */
  asked: string[];
  /** What to answer from now on. */
  answer(...answers: Answer[]): void;
}

const open: Server[] = [];
afterAll(async () => {
  for (const server of open) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

export async function startServer(...answers: Answer[]): Promise<FileServer> {
  let queue = answers;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const [now, ...later] = queue;
    if (later.length > 0) queue = later;
    if (now) now(request, response);
    else response.writeHead(500).end();
  });
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    answer: (...next) => {
      queue = next;
    },
  };
}

export const serve =
  (body: Buffer | string): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body);
  };

/** The same without a content length. */
export const serveUnmeasured =
  (body: Buffer): Answer =>
  (_, response) => {
    response.shouldKeepAlive = false;
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200).end(body);
  };

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(code, headers).end('no');
  };

/** Sends half of it, then closes the connection. */
export const cut =
  (body: Buffer): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, body.length >> 1), () => response.socket?.destroy());
  };

/** Sends half of it, then nothing. */
export const stall =
  (body: Buffer): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, body.length >> 1));
  };

/** Sends not even a header. */
export const silence: Answer = () => undefined;

export const redirect = (location: string): Answer => status(302, { location });
