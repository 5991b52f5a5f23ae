/**
 * A value that shows the form that a JSON Schema asks for. It is small and simple: it ignores patterns, multiples and
 * `not`, so that the caller has to check whether it satisfies the schema.
 */
export function exampleOf(schema: unknown): unknown {
  return build(schema, { root: schema, depth: 0, left: { values: MOST_VALUES, parts: MOST_PARTS } });
}

const MOST_VALUES = 200;
/** How many parts of the schema are looked at. */
const MOST_PARTS = 10_000;
const MOST_DEPTH = 12;
const MOST_PROPERTIES = 30;
const MOST_ITEMS = 3;
const MOST_CHARACTERS = 200;

interface Walk {
  root: unknown;
  depth: number;
  /** Shared by the whole walk, so that a schema that refers to itself twice does not grow forever. */
  left: { values: number; parts: number };
}

type Schema = Readonly<Record<string, unknown>>;

function build(given: unknown, walk: Walk): unknown {
  walk.left.values -= 1;
  const schema = resolve(given, walk);
  if (walk.left.values < 0 || walk.depth > MOST_DEPTH) return null;
  const inner = { ...walk, depth: walk.depth + 1 };
  if ('const' in schema) return schema['const'];
  for (const list of [schema['examples'], schema['enum']]) {
    if (Array.isArray(list) && list.length > 0) return list[0];
  }
  if ('default' in schema) return schema['default'];
  switch (typeOf(schema)) {
    case 'object':
      return buildObject(schema, inner);
    case 'array':
      return buildArray(schema, inner);
    case 'integer':
    case 'number':
      return buildNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return buildString(schema);
  }
}

/** The schema merged with its `$ref`, all of its `allOf`, and the first of its `anyOf` and `oneOf`. */
function resolve(given: unknown, walk: Walk, hops = 0): Schema {
  walk.left.parts -= 1;
  if (!isSchema(given) || hops > MOST_DEPTH || walk.left.parts < 0) return {};
  const { $ref, allOf, anyOf, oneOf, ...own } = given;
  const parts = [
    ...(typeof $ref === 'string' ? [target($ref, walk.root)] : []),
    ...(Array.isArray(allOf) ? (allOf as unknown[]) : []),
    ...[anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? [list[0] as unknown] : [])),
  ].map((part) => resolve(part, walk, hops + 1));
  return parts.reduce(merge, own);
}

function merge(one: Schema, other: Schema): Schema {
  const [properties, required] = [
    { ...asSchema(other['properties']), ...asSchema(one['properties']) },
    [...asList(one['required']), ...asList(other['required'])],
  ];
  return {
    ...other,
    ...one,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** The target of a reference such as `#/$defs/name`, only within the schema itself. */
function target(reference: string, root: unknown): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return findNamed(root, reference);
  return reference
    .slice(2)
    .split('/')
    .map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (isSchema(at) && Object.hasOwn(at, part) ? at[part] : undefined), root);
}

/** The definition that has this `$id` or `$anchor`. */
function findNamed(root: unknown, reference: string): unknown {
  if (!isSchema(root)) return undefined;
  const all = [root['$defs'], root['definitions']].flatMap((defs) => Object.values(asSchema(defs)));
  return all.find(
    (definition) =>
      isSchema(definition) &&
      (definition['$id'] === reference || `#${String(definition['$anchor'])}` === reference),
  );
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function typeOf(schema: Schema): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type) && typeof type[0] === 'string') return type[0];
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return 'number';
  return 'string';
}

function buildObject(schema: Schema, walk: Walk): unknown {
  const properties = asSchema(schema['properties']);
  const required = asList(schema['required']).filter((name) => typeof name === 'string');
  // At depth only required properties, so that a schema that refers to itself comes to an end.
  const optional = walk.depth > MOST_DEPTH / 2 ? [] : Object.keys(properties);
  const names = [...new Set([...required, ...optional])].slice(0, Math.max(MOST_PROPERTIES, required.length));
  return Object.fromEntries(
    names.map((name) => [name, build(Object.hasOwn(properties, name) ? properties[name] : {}, walk)]),
  );
}

function buildArray(schema: Schema, walk: Walk): unknown[] {
  const { prefixItems, items } = schema;
  const prefix = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0;
  const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : Infinity;
  const hasRest = !Array.isArray(items) && items !== false && most > prefix.length;
  const isDeep = walk.depth > MOST_DEPTH / 2;
  const wanted = Math.max(least - prefix.length, hasRest && !isDeep ? 1 : 0);
  const rest = Array.from({ length: Math.min(wanted, MOST_ITEMS) }, () => build(items, walk));
  return [...prefix.slice(0, 2 * MOST_ITEMS).map((item) => build(item, walk)), ...rest];
}

function buildNumber(schema: Schema): number {
  const bound = (name: string) => (typeof schema[name] === 'number' ? schema[name] : undefined);
  const step = bound('multipleOf') ?? 1;
  const least = bound('minimum') ?? (bound('exclusiveMinimum') ?? -Infinity) + step;
  const most = bound('maximum') ?? (bound('exclusiveMaximum') ?? Infinity) - step;
  const value = Math.min(Math.max(step, least), most);
  return Number.isFinite(value) ? value : 1;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'name@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/path',
  'uri-reference': '/path',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
};

function buildString(schema: Schema): string {
  const { format, minLength, maxLength } = schema;
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format)) return FORMATS[format] ?? '';
  const least = typeof minLength === 'number' ? minLength : 0;
  const most = typeof maxLength === 'number' ? maxLength : MOST_CHARACTERS;
  return 'text'.padEnd(Math.min(least, MOST_CHARACTERS), 't').slice(0, most);
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const asSchema = (value: unknown): Schema => (isSchema(value) ? value : {});
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
