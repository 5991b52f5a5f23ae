import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../github/listen.js';
import { GIT } from '../sandbox/layer/scratch-repository.js';

export interface GitServer {
  url: string;
  /** The path and the credential of each request. */
  requests: { path: string; authorization: string }[];
  close(): Promise<void>;
}
export type Access = 'none' | 'read' | 'write';

/**
 * Git over http as GitHub speaks it, on this machine: git's own server program for the repositories in a folder, so
 * fetches, shallow clones and pushes are real. Who may do what is asked only where that is said.
 */
export async function startGitServer(
  folder: string,
  accessOf?: (token: string) => Access,
): Promise<GitServer> {
  const requests: GitServer['requests'] = [];
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://localhost');
    const { authorization = '' } = request.headers;
    requests.push({ path: `${pathname}${search}`, authorization });
    const access = accessOf?.(tokenIn(authorization)) ?? 'read';
    const isPush = `${pathname}${search}`.includes('receive-pack');
    if (accessOf && authorization === '') {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end('Authenticate.\n');
    } else if (access === 'none' || (isPush && access === 'read')) {
      response.writeHead(403).end('Write access to repository not granted.\n');
    } else {
      answer(request, response, { folder, pathname, search });
    }
  });
  const { host, close } = await listen(server);
  return { url: `http://${host}`, requests, close };
}

/** The token is the password, with any user name, as actions/checkout and people send it. */
const tokenIn = (authorization: string): string =>
  Buffer.from(authorization.replace(/^basic /i, ''), 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '');

interface Place {
  folder: string;
  pathname: string;
  search: string;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { folder, pathname, search }: Place,
): void {
  const header = (name: string) => String(request.headers[name] ?? '');
  const child = spawn(GIT, ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      GIT_PROTOCOL: header('git-protocol'),
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      REMOTE_USER: 'somebody',
      CONTENT_TYPE: header('content-type'),
      CONTENT_LENGTH: header('content-length'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const whole = Buffer.concat(chunks);
    const end = whole.indexOf('\r\n\r\n');
    const heads = whole.toString('latin1', 0, end).split('\r\n');
    const headers = heads.map((line) => line.split(/: */, 2));
    const { Status: status = '200', ...others } = Object.fromEntries(headers) as Record<string, string>;
    response.writeHead(Number.parseInt(status, 10), others);
    response.end(whole.subarray(end + 4));
  });
}
