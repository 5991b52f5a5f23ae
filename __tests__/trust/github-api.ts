import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Api {
  url: string;
  /** `GET /path` and the token of every request. */
  requests: { line: string; authorization: string }[];
  close(): Promise<void>;
}

/** GitHub's API as far as it is asked, on this machine; the last answer is given again and again. */
export async function startApi(answers: (Answer | 'hang up')[], base = ''): Promise<Api> {
  const requests: Api['requests'] = [];
  const server: Server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? {};
    requests.push({
      line: `${request.method ?? ''} ${request.url ?? ''}`,
      authorization: request.headers.authorization ?? '',
    });
    if (answer === 'hang up') {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body ?? {}));
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

/** The answer about a person, in GitHub's shape. */
export const permissionAnswer = (permission: string, login = 'mary', type = 'User'): Answer => ({
  body: { permission, role_name: permission, user: { login, id: 11, type } },
});
