import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { readFileSync } from 'node:fs';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Schema = Record<string, Json>;

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Schema;
}
interface Operation {
  parameters: Parameter[];
  body?: { required: boolean; schema: Schema };
  /** By status; null where GitHub describes no JSON body. */
  responses: Record<string, Schema | null>;
}
/** GitHub's own description of its API, reduced to the operations in use and the schemas that they refer to. */
export interface Description {
  /** The package it was cut from, with its version. */
  source: string;
  operations: Record<string, Operation>;
  schemas: Record<string, Schema>;
}

export const DESCRIPTION_FILE = 'fixtures/github/api-description.json';

/** Keys for readers or for other tools, which no validation needs. */
const PROSE = ['description', 'example', 'examples', 'title', 'deprecated', 'externalDocs', 'discriminator'];
const isRecord = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Cuts these operations out of the whole description (OpenAPI). */
export function cutDescription(
  whole: Record<string, Json>,
  operations: readonly string[],
): Omit<Description, 'source'> {
  const at = (pointer: string): Json =>
    pointer
      .replace(/^#\//, '')
      .split('/')
      .reduce<Json>((value, name) => (isRecord(value) ? (value[name] ?? null) : null), whole);
  const follow = (value: Json | undefined): Record<string, Json> => {
    if (!isRecord(value)) return {};
    return typeof value['$ref'] === 'string' ? follow(at(value['$ref'])) : value;
  };
  const cut: Omit<Description, 'source'> = { operations: {}, schemas: {} };
  for (const name of operations.filter((operation) => operation !== 'POST /graphql')) {
    const [method = '', path = ''] = name.split(' ');
    const described = follow(follow(follow(whole['paths'])[path])[method.toLowerCase()]);
    if (!('operationId' in described)) throw new Error(`GitHub has no operation "${name}".`);
    cut.operations[name] = readOperation(described, follow);
  }
  // The set grows while the loop runs: a schema can refer to further schemas.
  const wanted = referencesIn(cut.operations);
  for (const name of wanted) {
    const schema = plainSchema(at(`components/schemas/${name}`));
    cut.schemas[name] = schema as Schema;
    for (const more of referencesIn(schema)) wanted.add(more);
  }
  cut.schemas = Object.fromEntries(Object.entries(cut.schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return cut;
}

function readOperation(
  described: Record<string, Json>,
  follow: (value: Json | undefined) => Record<string, Json>,
): Operation {
  const schemaOf = (content: Json | undefined): Schema | null => {
    const json = follow(follow(content)['application/json'])['schema'];
    return json === undefined ? null : (plainSchema(json) as Schema);
  };
  const parameters = (described['parameters'] as Json[]).map(follow).map((parameter) => ({
    name: parameter['name'] as string,
    in: parameter['in'] as string,
    required: parameter['required'] === true,
    schema: plainSchema(parameter['schema'] ?? {}) as Schema,
  }));
  const body = follow(described['requestBody']);
  const schema = schemaOf(body['content']);
  return {
    parameters,
    ...(schema ? { body: { required: body['required'] === true, schema: closed(schema) as Schema } } : {}),
    responses: Object.fromEntries(
      Object.entries(follow(described['responses'])).map(([status, answer]) => [
        status,
        schemaOf(follow(answer)['content']),
      ]),
    ),
  };
}

/** Turns OpenAPI 3.0 into JSON Schema: drops prose, and allows null where it says `nullable`. */
function plainSchema(value: Json): Json {
  if (Array.isArray(value)) return value.map(plainSchema);
  if (!isRecord(value)) return value;
  const { nullable, ...rest } = value;
  const schema = Object.fromEntries(
    Object.entries(rest).flatMap(([name, item]): [string, Json][] => {
      if (name === 'properties' && isRecord(item)) {
        return [
          [name, Object.fromEntries(Object.entries(item).map(([key, each]) => [key, plainSchema(each)]))],
        ];
      }
      if (PROSE.includes(name) || name.startsWith('x-')) return [];
      return [[name, name === 'enum' || name === 'default' ? item : plainSchema(item)]];
    }),
  );
  if (nullable !== true) return schema;
  return { anyOf: [schema, { type: 'null' }] };
}

/** GitHub ignores unknown properties of a request. Here they are errors, so that a test finds a misspelt one. */
function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (!isRecord(value)) return value;
  const all = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, closed(item)]));
  return 'properties' in all && !('additionalProperties' in all)
    ? { ...all, additionalProperties: false }
    : all;
}

/** The names of the schemas that a value refers to. */
export const referencesIn = (value: unknown): Set<string> =>
  new Set(
    [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name),
  );

let cached: ReturnType<typeof readDescription> | undefined;
export const description = () => (cached ??= readDescription());

/** The stored description, with a function that compiles a schema of it when it is first needed. */
function readDescription(): Description & {
  validator(name: string, schema: Schema): ValidateFunction;
} {
  const description = JSON.parse(readFileSync(DESCRIPTION_FILE, 'utf8')) as Description;
  // Few values are checked, so fast compiling matters more than fast code.
  const quick = { inlineRefs: false, code: { optimize: false } };
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false, logger: false, ...quick });
  formats.default(ajv);
  const prefix = 'github:';
  const relocated = (schema: Schema): Schema =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', `"${prefix}`)) as Schema;
  for (const [name, schema] of Object.entries(description.schemas))
    ajv.addSchema(relocated(schema), prefix + name);
  const made = new Map<string, ValidateFunction>();
  return {
    ...description,
    validator(name, schema) {
      const known = made.get(name) ?? ajv.compile(relocated(schema));
      made.set(name, known);
      return known;
    },
  };
}
