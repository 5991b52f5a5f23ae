import { readFileSync } from 'node:fs';

/** A type of GitHub's GraphQL schema, as far as our documents use it. Types are written as in GraphQL: `[ID!]!`. */
interface GraphqlType {
  fields: Record<string, GraphqlField>;
  /** Values of an enum. */
  values: Record<string, { deprecated?: string }>;
  /** Types that a value of this interface or union can have. */
  possible: string[];
}
interface GraphqlField {
  type: string;
  args: Record<string, string>;
  deprecated?: string;
}
type Types = Record<string, GraphqlType>;
export interface GraphqlDescription {
  /** The package it was cut from, with its version. */
  source: string;
  types: Types;
}

export const GRAPHQL_FILE = 'fixtures/github/graphql-description.json';
export const readGraphql = (): GraphqlDescription =>
  JSON.parse(readFileSync(GRAPHQL_FILE, 'utf8')) as GraphqlDescription;

interface RawType {
  kind: string;
  name: string | null;
  ofType: RawType | null;
}
interface RawInput {
  name: string;
  type: RawType;
}
interface RawMember {
  name: string;
  type: RawType;
  args?: RawInput[];
  isDeprecated?: boolean;
  deprecationReason?: string | null;
}
/** The result of an introspection query. */
export interface Introspection {
  __schema: {
    types: {
      name: string;
      fields: RawMember[] | null;
      inputFields: RawMember[] | null;
      enumValues: RawMember[] | null;
      possibleTypes: RawType[] | null;
    }[];
  };
}

const written = ({ kind, name, ofType }: RawType): string => {
  if (kind === 'NON_NULL' && ofType) return `${written(ofType)}!`;
  return kind === 'LIST' && ofType ? `[${written(ofType)}]` : (name ?? '');
};
const deprecation = ({ isDeprecated, deprecationReason }: RawMember) =>
  isDeprecated === true ? { deprecated: deprecationReason ?? 'deprecated' } : {};

/** Every type that is not a scalar. */
export function readIntrospection({ __schema }: Introspection): Types {
  return Object.fromEntries(
    __schema.types
      .filter(({ fields, inputFields, enumValues, possibleTypes }) =>
        [fields, inputFields, enumValues, possibleTypes].some((list) => list !== null),
      )
      .map(({ name, fields, inputFields, enumValues, possibleTypes }) => [
        name,
        {
          fields: Object.fromEntries(
            [...(fields ?? []), ...(inputFields ?? [])].map((field) => [
              field.name,
              {
                type: written(field.type),
                args: Object.fromEntries((field.args ?? []).map((arg) => [arg.name, written(arg.type)])),
                ...deprecation(field),
              },
            ]),
          ),
          values: Object.fromEntries((enumValues ?? []).map((value) => [value.name, deprecation(value)])),
          possible: (possibleTypes ?? []).map(({ name: type }) => type ?? ''),
        },
      ]),
  );
}

/** Cuts out what these documents use. Of the input types they use, all fields stay, so that a missing one is found. */
export function cutGraphql(whole: Types, documents: readonly string[]): Types {
  const cut: Types = {};
  const keep = (name: string) => (cut[name] ??= { fields: {}, values: {}, possible: [] });
  for (const document of documents)
    checkDocument(document, whole, (type, member) => {
      const from = whole[type];
      const field = from?.fields[member];
      if (field) keep(type).fields[member] = field;
      if (from?.values[member]) keep(type).values[member] = from.values[member];
      if (from?.possible.includes(member)) keep(type).possible.push(member);
      if (/Input$|Update$/.test(type) && from) Object.assign(keep(type).fields, from.fields);
    });
  const sorted = <T>(record: Record<string, T>) =>
    Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
  return sorted(
    Object.fromEntries(
      Object.entries(cut).map(([name, { fields, values, possible }]) => [
        name,
        { fields: sorted(fields), values: sorted(values), possible: [...new Set(possible)].sort() },
      ]),
    ),
  );
}

const nameOf = (type: string): string => type.replace(/[[\]!]/g, '');
const itemOf = (type: string): string => type.replace(/!$/, '').replace(/^\[(.*)\]$/, '$1');
const isLeaf = (types: Types, name: string): boolean => {
  const type = types[name];
  return type === undefined || Object.keys(type.values).length > 0;
};

/**
 * Everything in which a document does not fit the schema: unknown or deprecated fields, arguments and values of the
 * wrong type, missing ones. Reads the part of GraphQL that our documents use. `used` is told each member of a type.
 */
export function checkDocument(
  document: string,
  types: Types,
  used: (type: string, member: string) => void = () => undefined,
): string[] {
  const tokens = document.match(/\.\.\.|\$?[A-Za-z_]\w*|-?\d+|"[^"]*"|[^\s,]/g) ?? [];
  const problems: string[] = [];
  const variables: Record<string, string> = {};
  let at = 0;
  const next = () => tokens[at++] ?? '';
  const isNext = (token: string) => tokens[at] === token;
  const skip = (token: string) => {
    if (next() !== token)
      throw new Error(`GraphQL that cannot be read, at ${tokens.slice(at - 1, at + 5).join(' ')}`);
  };
  const readType = (): string => {
    let type = next();
    if (type === '[') {
      type = `[${readType()}]`;
      skip(']');
    }
    return isNext('!') ? `${type}${next()}` : type;
  };
  const member = (type: string, name: string): GraphqlField | undefined => {
    used(type, name);
    const field = types[type]?.fields[name];
    if (!field) problems.push(`${type} has no ${name}`);
    else if (field.deprecated !== undefined)
      problems.push(`${type}.${name} is deprecated: ${field.deprecated}`);
    return field;
  };
  const missing = (where: string, wanted: Record<string, string>, given: readonly string[]) => {
    for (const [name, type] of Object.entries(wanted))
      if (type.endsWith('!') && !given.includes(name)) problems.push(`${where} needs ${name}`);
  };
  const readValue = (type: string): void => {
    const value = next();
    const name = nameOf(type);
    const fits = (...names: string[]) => {
      if (!names.includes(name)) problems.push(`${value} is no ${type}`);
    };
    if (value === '[') {
      while (!isNext(']')) readValue(itemOf(type));
      skip(']');
    } else if (value === '{') {
      const given: string[] = [];
      while (!isNext('}')) {
        given.push(next());
        skip(':');
        readValue(member(name, given.at(-1) ?? '')?.type ?? '');
      }
      skip('}');
      const fields = Object.entries(types[name]?.fields ?? {}).map(([field, { type: each }]) => [
        field,
        each,
      ]);
      missing(name, Object.fromEntries(fields) as Record<string, string>, given);
    } else if (value.startsWith('$')) {
      const declared = variables[value];
      if (declared !== type && declared !== `${type}!`)
        problems.push(`${value} is ${declared ?? 'unknown'}, not ${type}`);
    } else if (/^-?\d/.test(value)) fits('Int', 'Float', 'BigInt');
    else if (value.startsWith('"')) fits('String', 'ID');
    else if (value === 'true' || value === 'false') fits('Boolean');
    else {
      used(name, value);
      const known = types[name]?.values[value];
      if (!known) problems.push(`${name} has no ${value}`);
      else if (known.deprecated !== undefined)
        problems.push(`${name}.${value} is deprecated: ${known.deprecated}`);
    }
  };
  const readField = (type: string, name: string): void => {
    const field = member(type, name);
    const given: string[] = [];
    if (isNext('(')) {
      skip('(');
      while (!isNext(')')) {
        const argument = next();
        given.push(argument);
        skip(':');
        const wanted = field?.args[argument];
        if (wanted === undefined) problems.push(`${type}.${name} has no argument ${argument}`);
        readValue(wanted ?? '');
      }
      skip(')');
    }
    missing(`${type}.${name}`, field?.args ?? {}, given);
    const inner = nameOf(field?.type ?? '');
    if (isNext('{')) readSelection(inner);
    else if (!isLeaf(types, inner)) problems.push(`${type}.${name} needs a selection`);
  };
  const readSelection = (type: string): void => {
    skip('{');
    while (!isNext('}')) {
      const name = next();
      if (name !== '...') {
        readField(type, name);
        continue;
      }
      skip('on');
      const one = next();
      used(type, one);
      if (one !== type && types[type]?.possible.includes(one) !== true)
        problems.push(`${type} is never ${one}`);
      readSelection(one);
    }
    skip('}');
  };
  const operation = next();
  if (isNext('(')) {
    skip('(');
    while (!isNext(')')) {
      const variable = next();
      skip(':');
      variables[variable] = readType();
    }
    skip(')');
  }
  readSelection(operation === 'mutation' ? 'Mutation' : 'Query');
  return [...new Set(problems)];
}
