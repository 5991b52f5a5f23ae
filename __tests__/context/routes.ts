import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RouteAnswer {
  status?: number;
  /** Text is sent as it is, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}
type Route = RouteAnswer | ((request: IncomingMessage, url: URL) => RouteAnswer);

export interface RoutedApi {
  url: string;
  requests: { line: string; accept: string; authorization: string }[];
  close(): Promise<void>;
}

/** GitHub's API by its paths, below a path of its own as an Enterprise server has it; what is not there is a 404. */
export async function startRoutes(
  routes: Readonly<Record<string, Route>>,
  base = '/api/v3',
): Promise<RoutedApi> {
  const requests: RoutedApi['requests'] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const accept = request.headers.accept ?? '';
    requests.push({
      line: `${request.method ?? ''} ${request.url ?? ''}`,
      accept,
      authorization: request.headers.authorization ?? '',
    });
    const name = `${request.method ?? ''} ${url.pathname.replace(base, '')}`;
    const form = accept.includes('diff') ? `${name} diff` : name;
    const route = [form, name]
      .map((key) => (Object.hasOwn(routes, key) ? routes[key] : undefined))
      .find(Boolean);
    const answer =
      typeof route === 'function'
        ? route(request, url)
        : (route ?? { status: 404, body: { message: 'Not Found' } });
    const isText = typeof answer.body === 'string';
    response.writeHead(answer.status ?? 200, {
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
      ...answer.headers,
    });
    response.end(isText ? (answer.body as string) : JSON.stringify(answer.body ?? {}));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${base}`,
    requests,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => {
          done();
        });
      }),
  };
}
