import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import {
  checkDocument,
  cutGraphql,
  GRAPHQL_FILE,
  readGraphql,
  readIntrospection,
  type Introspection,
} from './graphql.js';
import { GRAPHQL } from './operations.js';

// `npm run github-api` downloads the whole schema and sets these variables. Otherwise the test only compares.
const { GITHUB_GRAPHQL_FILE: download, GITHUB_GRAPHQL_SOURCE: source } = process.env;
const DOCUMENTS = GRAPHQL.map(({ query }) => query);
if (download !== undefined) {
  const whole = readIntrospection(JSON.parse(readFileSync(download, 'utf8')) as Introspection);
  writeFileSync(GRAPHQL_FILE, `${JSON.stringify({ source, types: cutGraphql(whole, DOCUMENTS) })}\n`);
}

describe('our GraphQL', () => {
  const { source: stored, types } = readGraphql();

  it.each(DOCUMENTS.map((document) => [document]))(
    'fits GitHub’s schema and uses nothing deprecated: %.90s',
    (document) => {
      expect(checkDocument(document, types)).toEqual([]);
    },
  );

  it('is all that the stored schema has (npm run github-api writes it)', () => {
    expect(cutGraphql(types, DOCUMENTS)).toEqual(types);
    expect(readFileSync('scripts/github-api.mjs', 'utf8')).toContain(`'${stored}'`);
  });
});

describe('the check', () => {
  const types = readIntrospection({
    __schema: {
      types: [
        type('Query', [
          field('node', 'Node', { args: [input('id', 'ID!')] }),
          field('old', 'String', { isDeprecated: true, deprecationReason: 'use node' }),
        ]),
        { ...type('Node', [field('id', 'ID!')]), possibleTypes: [named('Thing')] },
        type('Thing', [
          field('name', 'String'),
          field('kind', 'Kind'),
          field('nodes', '[Node]', { args: [input('kind', 'Kind'), input('by', 'ThingInput')] }),
        ]),
        { ...type('Kind', null), enumValues: [field('NEW', ''), field('OLD', '', { isDeprecated: true })] },
        { ...type('ThingInput', null), inputFields: [field('size', 'Int!'), field('name', 'String')] },
        type('String', null),
      ],
    },
  });

  it.each<[string, string[]]>([
    [
      'query ($id: ID!) { node(id: $id) { id ... on Thing { name kind nodes(kind: NEW, by: { size: 1 }) { id } } } }',
      [],
    ],
    ['query { node(id: "x") { id } }', []],
    ['query { old }', ['Query.old is deprecated: use node']],
    ['query { nothing }', ['Query has no nothing']],
    ['query { node { id } }', ['Query.node needs id']],
    ['query ($id: ID) { node(id: $id) { id } }', ['$id is ID, not ID!']],
    ['query { node(id: $id) { id } }', ['$id is unknown, not ID!']],
    ['query { node(id: 1, x: "a") { id } }', ['1 is no ID!', 'Query.node has no argument x', '"a" is no ']],
    ['query { node(id: "x") }', ['Query.node needs a selection']],
    [
      'query { node(id: "x") { ... on Query { old } } }',
      ['Node is never Query', 'Query.old is deprecated: use node'],
    ],
    [
      'query { node(id: "x") { ... on Thing { nodes(kind: OLD) { id } } } }',
      ['Kind.OLD is deprecated: deprecated'],
    ],
    [
      'query { node(id: "x") { ... on Thing { nodes(by: { name: true }) { id } } } }',
      ['true is no String', 'ThingInput needs size'],
    ],
  ])('of %s finds %j', (document, problems) => {
    expect(checkDocument(document, types)).toEqual(problems);
  });
});

function named(text: string): { kind: string; name: string | null; ofType: ReturnType<typeof named> | null } {
  if (text.endsWith('!')) return { kind: 'NON_NULL', name: null, ofType: named(text.slice(0, -1)) };
  if (text.startsWith('[')) return { kind: 'LIST', name: null, ofType: named(text.slice(1, -1)) };
  return { kind: 'OBJECT', name: text, ofType: null };
}
function input(name: string, text: string) {
  return { name, type: named(text) };
}
function field(
  name: string,
  text: string,
  more: { args?: ReturnType<typeof input>[]; isDeprecated?: boolean; deprecationReason?: string } = {},
) {
  return { name, type: named(text), ...more };
}
function type(name: string, fields: ReturnType<typeof field>[] | null) {
  return { name, fields, inputFields: null, enumValues: null, possibleTypes: null };
}
