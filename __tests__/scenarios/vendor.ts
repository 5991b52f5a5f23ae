import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

/** One request for a token. */
export interface ExchangeCall {
  method: string;
  path: string;
  authorization: string;
  body: string;
}

export type VendorAnswer = (response: ServerResponse, request: IncomingMessage) => void;

/** Cursor's API on this machine, as far as the action uses it. It gives these answers in order and repeats the last. */
export interface Vendor {
  url: string;
  port: number;
  calls: ExchangeCall[];
  /** Every token that it gave. */
  tokens: string[];
  close(): Promise<void>;
}

export async function startVendor(
  answers: readonly VendorAnswer[] = [giveToken()],
  tls?: ServerOptions,
): Promise<Vendor> {
  const calls: ExchangeCall[] = [];
  const tokens: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const { method = '', url: path = '', headers } = request;
    calls.push({ method, path, authorization: headers.authorization ?? '', body });
    const end = response.end.bind(response) as (text?: string) => ServerResponse;
    response.end = ((text?: string) => {
      // Quoted, because the search for a token in one long word would not end.
      for (const [, token = ''] of (text ?? '').matchAll(/"([\w-]+\.[\w-]+\.[\w-]+)"/g)) tokens.push(token);
      return end(text);
    }) as typeof response.end;
    answers[Math.min(calls.length, answers.length) - 1]?.(response, request);
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
  const server: Server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    calls,
    tokens,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

let count = 0;

/** A token like Cursor's, with these claims. Each is another one. */
export function makeToken(claims: Readonly<Record<string, unknown>>): string {
  count += 1;
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signature = Buffer.from(`signature ${process.pid} ${count} of nobody`).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ type: 'api_key_token', count, ...claims })}.${signature}`;
}

/** What Cursor answers to a good key: two tokens of this many seconds. */
export const giveToken =
  (seconds = 3600): VendorAnswer =>
  (response) => {
    const exp = Math.floor(Date.now() / 1000) + seconds;
    sendJson(response, 200, { accessToken: makeToken({ exp }), refreshToken: makeToken({ exp }) });
  };

export const giveStatus =
  (status: number, body: unknown = { error: 'no' }): VendorAnswer =>
  (response) => {
    sendJson(response, status, body);
  };

export const giveText =
  (text: string, contentType = 'application/json'): VendorAnswer =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType }).end(text);
  };

/** It takes the request, and says nothing. */
export const stayQuiet: VendorAnswer = () => undefined;

export const redirectTo =
  (location: string): VendorAnswer =>
  (response) => {
    response.writeHead(307, { location }).end();
  };

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
