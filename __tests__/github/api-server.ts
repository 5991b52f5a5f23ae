import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { judgeRequest, judgeResponse } from './judge.js';
import { listen } from './listen.js';
import { completeAnswer } from './sample.js';
import { userShape } from './shapes.js';

export interface Answer {
  status?: number;
  /** What matters of it; the rest that GitHub would say is put in. */
  body?: unknown;
  /** A body that is not JSON, such as a diff or a log. */
  text?: string;
  headers?: Record<string, string>;
  /** Deliberately not what GitHub would say. */
  unlike?: boolean;
}

/** A request as whoever answers it sees it. */
export interface ApiRequest {
  operation: string;
  parameters: Record<string, string>;
  query: URLSearchParams;
  body: unknown;
  authorization: string;
  accept: string;
}
export type Answering = (request: ApiRequest) => Answer | 'hang up' | Promise<Answer | 'hang up'>;
export type Fault = Answer | 'hang up' | { after: Answer | 'hang up' };

export interface ApiSettings {
  base?: string;
  /** Files it has besides, by path. */
  downloads?: Readonly<Record<string, string>>;
  /** What may be asked, where that is less than all the project ever asks. */
  operations?: readonly string[];
  /**
   * Called before each request; what it returns is answered instead. With `after` the request is carried out first,
   * and then the answer is lost or replaced.
   */
  fault?: ((request: ApiRequest, count: number) => Fault | undefined) | undefined;
  /** What each request waits for. */
  before?: ((request: ApiRequest) => Promise<void>) | undefined;
}

export interface Api {
  url: string;
  /** `GET /path`, the token and the wanted form of every request. */
  requests: { line: string; authorization: string; accept: string }[];
  /** In which ways requests and answers are not what GitHub describes. */
  violations: string[];
  /** Fails if there were any. */
  close(): Promise<void>;
}

/**
 * A server on this machine that answers as GitHub's API, below `base` as an Enterprise server does. It holds every
 * request and every answer against GitHub's own description. What is wrong is answered with 500 and kept, and
 * closing the server then fails, so that no test passes by it.
 */
export async function serveApi(
  answering: Answering,
  { base = '', downloads = {}, operations, fault, before }: ApiSettings = {},
): Promise<Api> {
  const requests: Api['requests'] = [];
  const violations: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await readAll(request);
    const line = `${request.method ?? ''} ${request.url ?? ''}`;
    const { authorization = '', accept = '' } = request.headers;
    requests.push({ line, authorization, accept });
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://here');
    const download = Object.hasOwn(downloads, pathname) ? downloads[pathname] : undefined;
    if (download !== undefined) {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(download);
      return;
    }
    const fail = (problems: readonly string[]) => {
      violations.push(...problems.map((problem) => `${line}: ${problem}`));
      send(response, { status: 500, body: { message: problems.join('; ') } });
    };
    const path = pathBelow(pathname, base.replace(/\/+$/, ''));
    const body = text === '' ? undefined : (JSON.parse(text) as unknown);
    const judged = judgeRequest({ method: request.method ?? '', path, query, body });
    if (judged.problems.length > 0) {
      fail(judged.problems);
      return;
    }
    const { operation, parameters } = judged;
    if (operations && !operations.includes(operation)) {
      fail([`${operation} is not to be asked here`]);
      return;
    }
    const asked = { operation, parameters, query, body, authorization, accept };
    await before?.(asked);
    const wrong = fault?.(asked, requests.length);
    const isAfter = typeof wrong === 'object' && 'after' in wrong;
    const performed = wrong === undefined || isAfter ? await answering(asked) : wrong;
    const given = isAfter ? wrong.after : performed;
    if (given === 'hang up') {
      request.socket.destroy();
      return;
    }
    const { status = 200, body: values = {}, text: plain, unlike } = given;
    if (unlike === true || plain !== undefined) {
      send(response, given);
      return;
    }
    const whole = completeAnswer(operation, status, values);
    const problems = judgeResponse(operation, status, whole);
    if (problems.length > 0) fail(problems);
    else send(response, { ...given, body: whole });
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      violations.push(String(error));
      send(response, { status: 500, body: { message: String(error) } });
    });
  });
  const { host, close: stop } = await listen(server);
  const close = async () => {
    await stop();
    if (violations.length > 0)
      throw new Error(`Not as GitHub describes it:\n${violations.slice(0, 10).join('\n')}`);
  };
  return { url: `http://${host}${base}`, requests, violations, close };
}

/** GitHub's API as far as it is asked, on this machine; the last answer is given again and again. */
export function startApi(answers: (Answer | 'hang up')[], base = ''): Promise<Api> {
  let given = 0;
  return serveApi(
    () => {
      const answer = answers[Math.min(given, answers.length - 1)] ?? {};
      given += 1;
      return answer;
    },
    { base },
  );
}

/** An Enterprise server has REST below /api/v3 and GraphQL beside it, at /api/graphql. */
function pathBelow(pathname: string, base: string): string {
  if (base.endsWith('/v3') && pathname === `${base.slice(0, -'/v3'.length)}/graphql`) return '/graphql';
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : `outside of ${base}: ${pathname}`;
}

function send(response: ServerResponse, { status = 200, body = {}, text, headers }: Answer): void {
  const type = text === undefined ? 'application/json' : 'text/plain; charset=utf-8';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(status === 204 ? undefined : (text ?? JSON.stringify(body)));
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** The path of a repository in GitHub's operations. */
export const REPO = '/repos/{owner}/{repo}';

/** What GitHub answers if it does not do what it was asked. */
export const refuse = (status: number, message: string, more: object = {}): Answer => ({
  status,
  body: { message, ...more, documentation_url: 'https://docs.github.example/rest' },
});
export const GONE = refuse(404, 'Not Found');

/** The answer about a person, in GitHub's shape. */
export const permissionAnswer = (
  permission: string,
  login = 'mary',
  type: 'User' | 'Bot' = 'User',
): Answer => ({
  body: {
    permission,
    role_name: permission,
    user: { ...userShape({ login, id: 11, type }), role_name: permission },
  },
});
