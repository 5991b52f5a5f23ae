import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export type Access = 'none' | 'read' | 'write';
export interface GitServer {
  url: string;
  close(): Promise<void>;
}

const program = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');

/**
 * Git over HTTP as on GitHub: repositories below a folder, protected by tokens. Git's own CGI program does the work, so
 * fetches, shallow clones and pushes are real.
 */
export async function serveGit(root: string, accessOf: (token: string) => Access): Promise<GitServer> {
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '', 'http://here');
    const isPush = address.pathname.endsWith('/git-receive-pack') || address.search.includes('receive-pack');
    const access = accessOf(tokenOf(request));
    if (request.headers.authorization === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end('Authenticate.\n');
    } else if (access === 'none' || (isPush && access !== 'write')) {
      response.writeHead(403).end('Write access to repository not granted.\n');
    } else {
      answer(request, response, { root, address });
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => {
          done();
        });
      }),
  };
}

/** The token is the password, with any user name, as actions/checkout and people send it. */
function tokenOf(request: IncomingMessage): string {
  const encoded = /^basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '');
}

interface Backend {
  root: string;
  address: URL;
}

function answer(request: IncomingMessage, response: ServerResponse, { root, address }: Backend): void {
  const header = (name: string) => String(request.headers[name] ?? '');
  const child = spawn(program, [], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      PATH_INFO: address.pathname,
      QUERY_STRING: address.search.slice(1),
      REQUEST_METHOD: request.method,
      REMOTE_USER: 'somebody',
      REMOTE_ADDR: '127.0.0.1',
      CONTENT_TYPE: header('content-type'),
      CONTENT_LENGTH: header('content-length'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: header('git-protocol'),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const headers = all
      .subarray(0, end)
      .toString('latin1')
      .split('\r\n')
      .map((line) => line.split(/: */, 2) as [string, string]);
    const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200';
    response.writeHead(
      Number.parseInt(status, 10),
      Object.fromEntries(headers.filter(([name]) => name !== 'Status')),
    );
    response.end(all.subarray(end + 4));
  });
}
