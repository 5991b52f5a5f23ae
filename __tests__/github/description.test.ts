import { describe, expect, it } from '@jest/globals';
import { getOctokit } from '@actions/github';
import { readFileSync, writeFileSync } from 'node:fs';
import { permissionAnswer, serveApi, startApi } from './api-server.js';
import {
  cutDescription,
  DESCRIPTION_FILE,
  referencesIn,
  type Description,
  type Schema,
} from './description.js';
import { judgeRequest, judgeResponse } from './judge.js';
import { ALL_OPERATIONS } from './operations.js';

// `npm run github-api` downloads the whole description and sets these variables. Otherwise the test only compares.
const { GITHUB_API_FILE: download, GITHUB_API_SOURCE: source } = process.env;
if (download !== undefined) {
  const whole = JSON.parse(readFileSync(download, 'utf8')) as Parameters<typeof cutDescription>[0];
  writeFileSync(
    DESCRIPTION_FILE,
    `${JSON.stringify({ source, ...cutDescription(whole, ALL_OPERATIONS) })}\n`,
  );
}

const request = (line: string, body?: unknown) => {
  const [method = '', address = ''] = line.split(' ');
  const { pathname: path, searchParams: query } = new URL(address, 'http://here');
  return judgeRequest({ method, path, query, body }).problems.join('\n');
};
const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });
/** A small description in the form of GitHub's own. */
const WHOLE = {
  paths: {
    '/thing': {
      get: {
        operationId: 'get',
        parameters: [{ $ref: '#/components/parameters/page' }],
        responses: { 200: json({ $ref: '#/components/schemas/thing' }), 204: {} },
      },
      put: {
        operationId: 'put',
        parameters: [],
        requestBody: { required: true, ...json({ properties: { name: { type: 'string' } } }) },
        responses: {},
      },
    },
  },
  components: {
    parameters: { page: { name: 'page', in: 'query', schema: { type: 'integer', description: 'prose' } } },
    schemas: {
      thing: {
        properties: {
          owner: { $ref: '#/components/schemas/owner' },
          title: { type: 'string', nullable: true },
        },
      },
      owner: { type: 'object', description: 'prose', 'x-extension': 1 },
      unused: {},
    },
  },
};
const PULL = '/repos/acme/project/pulls/7';

describe('the cut-down description of GitHub’s API', () => {
  const stored = JSON.parse(readFileSync(DESCRIPTION_FILE, 'utf8')) as Description;

  it('has each operation that we may use and no other (npm run github-api writes it)', () => {
    const described = ALL_OPERATIONS.filter((operation) => operation !== 'POST /graphql');
    expect(Object.keys(stored.operations).sort()).toEqual([...described].sort());
  });

  it('has each schema that it refers to and no other', () => {
    expect(Object.keys(stored.schemas).sort()).toEqual([...referencesIn(stored)].sort());
  });

  it('comes from the version that npm run github-api downloads', () => {
    expect(readFileSync('scripts/github-api.mjs', 'utf8')).toContain(`'${stored.source}'`);
  });

  it('has no operation that GitHub does not have', () => {
    const cut = (operation: string) => cutDescription(WHOLE, [operation]);
    expect(() => cut('GET /nonsense')).toThrow('no operation');
    expect(() => cut('POST /thing')).toThrow('no operation');
  });

  it('is cut out of the whole with what it refers to', () => {
    expect(cutDescription(WHOLE, ['GET /thing', 'PUT /thing', 'POST /graphql'])).toEqual({
      operations: {
        'GET /thing': {
          parameters: [{ name: 'page', in: 'query', required: false, schema: { type: 'integer' } }],
          responses: { 200: { $ref: '#/components/schemas/thing' }, 204: null },
        },
        'PUT /thing': {
          parameters: [],
          body: {
            required: true,
            schema: { properties: { name: { type: 'string' } }, additionalProperties: false },
          },
          responses: {},
        },
      },
      schemas: {
        owner: { type: 'object' },
        thing: {
          properties: {
            owner: { $ref: '#/components/schemas/owner' },
            title: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          },
        },
      },
    });
  });
});

describe('the judge', () => {
  it.each<[string, unknown]>([
    [`GET ${PULL}/files?per_page=100&page=2`, undefined],
    [`POST ${PULL}/reviews`, { event: 'COMMENT', body: 'x', comments: [{ path: 'a', body: 'b', line: 1 }] }],
    ['POST /repos/acme/project/issues/7/comments', { body: 'x' }],
    ['DELETE /repos/acme/project/issues/comments/1', undefined],
    ['POST /graphql', { query: 'query { viewer { databaseId login } }' }],
  ])('lets %s pass', (line, body) => {
    expect(request(line, body)).toBe('');
  });

  it.each<[string, unknown, RegExp]>([
    [
      'PATCH /repos/acme/project/git/refs/heads%2Fmain',
      { sha: 'x', force: true },
      /not one of the operations/,
    ],
    ['DELETE /repos/acme/project', undefined, /not one of the operations/],
    [`PUT ${PULL}/merge`, { merge_method: 'squash' }, /not one of the operations/],
    ['GET /repos/acme/project/pulls/seven', undefined, /pull_number.*integer/],
    [`GET ${PULL}/files?perpage=100`, undefined, /perpage is not known/],
    [`POST ${PULL}/reviews`, { event: 'MERGE' }, /event.*allowed values/],
    [`POST ${PULL}/reviews`, { comments: [{ path: 'a', body: 'b', lines: 1 }] }, /comments\/0.*lines/],
    [`POST ${PULL}/reviews`, { comments: [{ path: 'a' }] }, /required property 'body'/],
    ['POST /repos/acme/project/issues/7/comments', {}, /required property 'body'/],
    ['POST /repos/acme/project/issues/7/comments', undefined, /body is missing/],
    ['DELETE /repos/acme/project/issues/comments/1', { a: 1 }, /where none is expected/],
    ['POST /graphql', { query: 'mutation { deleteIssue(input: {}) { clientMutationId } }' }, /not one of/],
    ['POST /graphql', { query: 'query { viewer { databaseId login } }', variables: { a: 1 } }, /variables/],
  ])('finds what is wrong with %s %j', (line, body, words) => {
    expect(request(line, body)).toMatch(words);
  });

  it('judges answers too', () => {
    const operation = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
    expect(judgeResponse(operation, 200, permissionAnswer('read').body)).toEqual([]);
    expect(judgeResponse(operation, 200, { permission: 'read' }).join()).toContain("'role_name'");
    expect(judgeResponse(operation, 201, {}).join()).toContain('never answers 201');
    expect(judgeResponse(operation, 502, {})).toEqual([]);
  });
});

describe('the server of the tests', () => {
  const octokit = (baseUrl: string) => getOctokit('t', { baseUrl });

  it('answers a wrong request with 500, and cannot be closed in silence', async () => {
    const api = await startApi([{ body: {} }]);
    const answer = await fetch(`${api.url}/repos/acme/project/branches`, { method: 'POST' });
    expect(answer.status).toBe(500);
    await expect(api.close()).rejects.toThrow(/POST \/repos\/acme\/project\/branches: .*not one of/);
  });

  it('does so for an answer that GitHub would not give', async () => {
    const api = await startApi([{ body: { permission: 'read', role_name: 7 } }]);
    const asked = octokit(api.url).rest.repos.getCollaboratorPermissionLevel({
      owner: 'acme',
      repo: 'project',
      username: 'mary',
    });
    await expect(asked).rejects.toMatchObject({ status: 500 });
    await expect(api.close()).rejects.toThrow(/role_name/);
  });

  it('answers nothing but what may be asked there', async () => {
    const api = await serveApi(() => ({}), { operations: ['GET /repos/{owner}/{repo}/pulls/{pull_number}'] });
    await fetch(`${api.url}${PULL}/files`);
    await expect(api.close()).rejects.toThrow(/pulls\/\{pull_number\}\/files is not to be asked here/);
  });

  it('stands below an Enterprise path, with GraphQL beside it', async () => {
    const viewer = { viewer: { databaseId: 1, login: 'x' } };
    const api = await startApi([{ body: { data: viewer } }], '/api/v3');
    expect(await octokit(api.url).graphql('query { viewer { databaseId login } }')).toEqual(viewer);
    expect(api.requests[0]?.line).toBe('POST /api/graphql');
    await api.close();
  });
});
