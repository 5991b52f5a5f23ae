import type { ValidateFunction } from 'ajv';
import { description, type Schema } from './description.js';
import { GRAPHQL } from './operations.js';

/** A request without the base path of the server. */
export interface JudgedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  /** The parsed body; undefined where there is none. */
  body: unknown;
}

const problemsOf = (validate: ValidateFunction, value: unknown, where: string): string[] =>
  validate(value)
    ? []
    : (validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${where}${instancePath}: ${message ?? 'is wrong'} ${JSON.stringify(params)}`,
      );

/** Which operation of GitHub's a request is, the parameters in its path, and everything wrong with it. */
export function judgeRequest(request: JudgedRequest): {
  operation: string;
  parameters: Record<string, string>;
  problems: string[];
} {
  if (request.path === '/graphql') {
    const problems = request.method === 'POST' ? graphqlProblems(request.body) : ['GraphQL is asked by POST'];
    return { operation: 'POST /graphql', parameters: {}, problems };
  }
  for (const operation of Object.keys(description().operations)) {
    const [method = '', template = ''] = operation.split(' ');
    const parameters = method === request.method ? matchPath(template, request.path) : undefined;
    if (parameters) return { operation, parameters, problems: judgeParts(operation, parameters, request) };
  }
  const problem = `${request.method} ${request.path} is not one of the operations that are allowed`;
  return { operation: '', parameters: {}, problems: [problem] };
}

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [template.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== value : value === '') return undefined;
    if (name !== undefined) found[name] = decodeURIComponent(value);
  }
  return found;
}

/** Described as a point in time, but GitHub's documentation takes a range of its search here. */
const RANGES = ['GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs created'];
const RANGE = /^(?:>=|<=|>|<)\d{4}-\d\d-\d\d$/;

function judgeParts(operation: string, inPath: Record<string, string>, request: JudgedRequest): string[] {
  const described = description().operations[operation];
  if (!described) return [`${operation} is not described`];
  const queried = described.parameters.filter((parameter) => parameter.in === 'query');
  const unknown = [...request.query.keys()].filter((name) => !queried.some((each) => each.name === name));
  const values = described.parameters.flatMap((parameter): string[] => {
    const { name, in: place, schema } = parameter;
    if (place !== 'path' && place !== 'query') return [];
    const given = place === 'path' ? inPath[name] : request.query.get(name);
    if (given === null || given === undefined)
      return parameter.required ? [`${place} parameter ${name} is missing`] : [];
    if (RANGES.includes(`${operation} ${name}`) && RANGE.test(given)) return [];
    const validate = description().validator(`${operation} ${name}`, schema);
    return problemsOf(validate, typed(given, schema), `${place} parameter ${name}`);
  });
  return [
    ...unknown.map((name) => `query parameter ${name} is not known`),
    ...values,
    ...bodyProblems(operation, request.body),
  ];
}

/** A parameter stands as text in the address; a number is meant where the schema says so. */
const typed = (text: string, schema: Schema): unknown =>
  (schema['type'] === 'integer' || schema['type'] === 'number') && /^-?\d+$/.test(text) ? Number(text) : text;

function bodyProblems(operation: string, body: unknown): string[] {
  const described = description().operations[operation]?.body;
  if (!described) return body === undefined ? [] : ['a body is sent where none is expected'];
  if (body === undefined) return described.required ? ['the body is missing'] : [];
  return problemsOf(description().validator(`${operation} body`, described.schema), body, 'body');
}

function graphqlProblems(body: unknown): string[] {
  const { query, variables = {} } = (body ?? {}) as { query?: unknown; variables?: Record<string, unknown> };
  const text = String(query).replace(/\s+/g, ' ').trim();
  const known = GRAPHQL.find((each) => each.query === text);
  if (!known) return [`this GraphQL is not one of those that are allowed: ${text}`];
  const wanted = Object.keys(known.variables).sort().join();
  if (Object.keys(variables).sort().join() !== wanted) return [`the variables should be: ${wanted}`];
  return Object.entries(known.variables).flatMap(([name, shape]) =>
    (
      typeof shape === 'function'
        ? shape(variables[name])
        : typeof variables[name] === 'string' && shape.test(variables[name])
    )
      ? []
      : [`the variable ${name} is ${JSON.stringify(variables[name])}`],
  );
}

/** Everything in which an answer of a test's server is not what GitHub would say. */
export function judgeResponse(operation: string, status: number, body: unknown): string[] {
  if (operation === 'POST /graphql') {
    const isRight = typeof body === 'object' && body !== null && ('data' in body || 'errors' in body);
    return status >= 400 || isRight ? [] : ['GraphQL answers with data or errors'];
  }
  const responses = description().operations[operation]?.responses ?? {};
  if (!Object.hasOwn(responses, String(status))) {
    return status >= 400 ? [] : [`${operation} never answers ${status}`];
  }
  const schema = responses[String(status)] ?? null;
  if (schema === null) return [];
  return problemsOf(description().validator(`${operation} ${status}`, schema), body, 'answer');
}
