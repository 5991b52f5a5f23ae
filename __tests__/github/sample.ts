import { description, type Schema } from './description.js';

/** These values, with all that GitHub's answer would have besides put in, in the items of its lists too. */
export function completeAnswer(operation: string, status: number, values: unknown): unknown {
  const schema = description().operations[operation]?.responses[String(status)];
  return schema ? complete(schema, values) : values;
}

function complete(schema: Schema, values: unknown): unknown {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    return complete(description().schemas[reference.replace('#/components/schemas/', '')] ?? {}, values);
  }
  const options = ['anyOf', 'oneOf'].flatMap((word) => (schema[word] ?? []) as Schema[]);
  const meant = options.find(({ type }) => type !== 'null');
  if (meant) return values === null ? null : complete(meant, values);
  if (Array.isArray(values)) return values.map((item) => complete((schema['items'] ?? {}) as Schema, item));
  if (!isPlain(values)) return values;
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const given = Object.entries(values).map(([name, value]) => [
    name,
    Object.hasOwn(properties, name) ? complete(properties[name] ?? {}, value) : value,
  ]);
  return overlay(sample(schema), Object.fromEntries(given));
}

function overlay(base: unknown, values: unknown): unknown {
  if (!isPlain(base) || !isPlain(values)) return values;
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(values)) merged[name] = overlay(merged[name], value);
  return merged;
}
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function sample(schema: Schema): unknown {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    return sample(description().schemas[reference.replace('#/components/schemas/', '')] ?? {});
  }
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (Array.isArray(schema['allOf'])) {
    return (schema['allOf'] as Schema[])
      .map(sample)
      .reduce((all, part) => overlay(all, part), sample({ ...schema, allOf: null }));
  }
  for (const word of ['anyOf', 'oneOf']) {
    const options = schema[word];
    if (!Array.isArray(options)) continue;
    const isNullable = options.some((option) => (option as Schema)['type'] === 'null');
    return isNullable ? null : sample(options[0] as Schema);
  }
  return sampleOfType(schema);
}

function sampleOfType(schema: Schema): unknown {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  switch (schema['type'] ?? (schema['properties'] ? 'object' : undefined)) {
    case 'object': {
      const required = (schema['required'] ?? []) as string[];
      return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {})]));
    }
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean':
      return false;
    case 'string':
      return textOf(typeof schema['format'] === 'string' ? schema['format'] : '');
    default:
      return null;
  }
}

function textOf(format: string): string {
  if (format === 'uri') return 'https://github.example/x';
  if (format === 'date-time') return '2030-01-02T03:04:05Z';
  return format === 'date' ? '2030-01-02' : 'x';
}
