import { serveApi, type Answer, type Api, type ApiRequest } from '../github/api-server.js';
import { OPERATIONS } from '../github/operations.js';

export interface RouteAnswer {
  status?: number;
  /** Text is sent as it is; of anything else what GitHub would say besides is put in. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Deliberately not what GitHub would say. */
  unlike?: boolean;
}
type Route = RouteAnswer | ((request: ApiRequest) => RouteAnswer);

/**
 * GitHub's API by its paths, below a path of its own as an Enterprise server has it; what is not there is a 404.
 * Every request and every answer is held against GitHub's description, and nothing is answered but what the agent
 * step may ask. ` diff` after a path is another form of the same thing.
 */
export function startRoutes(routes: Readonly<Record<string, Route>>, base = '/api/v3'): Promise<Api> {
  const answering = (request: ApiRequest): Answer => {
    const name = addressOf(request);
    const form = request.accept.includes('diff') ? `${name} diff` : name;
    const route = [form, name]
      .map((key) => (Object.hasOwn(routes, key) ? routes[key] : undefined))
      .find(Boolean);
    if (!route) return { status: 404, body: { message: 'Not Found' } };
    return answerOf(typeof route === 'function' ? route(request) : route);
  };
  return serveApi(answering, { base, operations: OPERATIONS.run });
}

const addressOf = ({ operation, parameters }: ApiRequest): string =>
  operation.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');

function answerOf({ body, ...more }: RouteAnswer): Answer {
  return typeof body === 'string' ? { ...more, text: body } : { ...more, body };
}

/** Another host that has files, such as the one GitHub keeps logs on. */
export const startStorage = (downloads: Readonly<Record<string, string>>): Promise<Api> =>
  serveApi(() => ({ status: 404, body: { message: 'Not Found' } }), { downloads, operations: [] });
