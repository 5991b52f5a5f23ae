import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GIT } from '../sandbox/layer/scratch-repository.js';

export interface GitServer {
  url: string;
  /** The path and the credential of each request. */
  requests: { path: string; authorization: string }[];
  close(): Promise<void>;
}

/** Git over http as GitHub speaks it, on this machine: git's own server program for the repositories in a folder. */
export async function startGitServer(folder: string): Promise<GitServer> {
  const requests: GitServer['requests'] = [];
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://localhost');
    requests.push({ path: `${pathname}${search}`, authorization: request.headers.authorization ?? '' });
    const child = spawn(GIT, ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      const heads = answer.toString('latin1', 0, end).split('\r\n');
      const headers = heads.map((line) => [
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 2),
      ]);
      const { Status: status = '200', ...others } = Object.fromEntries(headers) as Record<string, string>;
      response.writeHead(Number.parseInt(status, 10), others);
      response.end(answer.subarray(end + 4));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
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
