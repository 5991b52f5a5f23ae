import { runInNewContext } from 'node:vm';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { toJSONSchema } from 'zod/v4/core';
import { attempt, messageOf } from '../core/errors.js';
import { RULE_ID, SEVERITIES } from '../report/findings.js';
import { FindingsSchema, type Finding } from '../report/model.js';
import { firstLines } from '../text/format.js';
import { isObject, known, type JsonObject } from '../text/json.js';
import { truncate } from '../text/plain-text.js';
import { correctPath } from './judge-finding.js';
import { VERDICTS_EXAMPLE, VerdictsSchema } from './validate-findings.js';
import type { Expectation, SchemaSource, UsableSchema } from './read-answer.js';

/**
 * What the answer must be, by the input `output-schema`, or what is wrong with that input. Only a run that has the
 * input loads this file, because the validator is large.
 */
export function expectAnswer(source: SchemaSource): { expectation: Expectation } | { problems: string[] } {
  if (source.kind === 'text') {
    const compiled = compileSchemaText(source.text);
    return 'problems' in compiled ? compiled : { expectation: { kind: 'schema', ...compiled } };
  }
  const compiled = compileSchema(findingsJsonSchema(), FINDINGS_EXAMPLE);
  if ('problems' in compiled) return compiled;
  return {
    expectation: {
      kind: 'findings',
      ...compiled,
      correct: correctFindings,
      read: (value) => FindingsSchema.parse(value),
    },
  };
}

/** What a chat must answer that has to refute findings. */
export function expectVerdicts(): Expectation {
  const { $schema, ...rest } = toJSONSchema(VerdictsSchema, { target: 'draft-2020-12' });
  const compiled = compileSchema({ $schema, title: 'Verdicts about findings', ...rest }, VERDICTS_EXAMPLE);
  if ('problems' in compiled) throw new Error(compiled.problems.join('\n'));
  return { kind: 'schema', ...compiled };
}

/** The form of a review as JSON Schema: for the prompt, the validation and the documentation. */
export function findingsJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = toJSONSchema(FindingsSchema, { target: 'draft-2020-12' });
  return { $schema, title: 'Findings of a review', ...rest };
}

/** An example of an answer, for the prompt and the documentation. */
export const FINDINGS_EXAMPLE: { summary: string; findings: Finding[] } = {
  summary: 'One bug in how the cache is read; the rest of the change looks right.',
  findings: [
    {
      path: 'src/cache.ts',
      startLine: 41,
      endLine: 42,
      severity: 'high',
      title: 'An expired entry is returned once more',
      body: 'The age is compared after the entry was handed out, so the first read after its end still gets it.',
      suggestion:
        '  const entry = entries.get(key);\n  if (!entry || entry.expires <= now) return undefined;',
      rule: 'logic',
    },
  ],
};

/**
 * Corrects a review before it is validated, if there is no doubt what was meant. docs/findings.md lists what is
 * corrected. `root` is the top of the checkout.
 */
export function correctFindings(value: unknown, root: string): unknown {
  if (!isObject(value)) return value;
  const { summary, findings } = value;
  return known({
    summary,
    findings: Array.isArray(findings) ? findings.map((item) => correctFinding(item, root)) : findings,
  });
}

function correctFinding(value: unknown, root: string): unknown {
  if (!isObject(value)) return value;
  const { side, severity, title, body, suggestion, alsoAt, rule } = value;
  return known({
    ...correctLines(value, root),
    side: side ?? undefined,
    severity: correctSeverity(severity),
    title,
    body,
    suggestion: suggestion ?? undefined,
    alsoAt: correctPlaces(alsoAt, root),
    rule: correctRule(rule),
  } satisfies Record<keyof Finding, unknown>);
}

function correctLines({ path, startLine, endLine }: JsonObject, root: string) {
  const [start, end] = [asNumber(startLine), asNumber(endLine ?? startLine)];
  const isReversed = typeof start === 'number' && typeof end === 'number' && start > end;
  return {
    path: typeof path === 'string' ? correctPath(path, root) : path,
    startLine: isReversed ? end : start,
    endLine: isReversed ? start : end,
  };
}

/** An empty list says the same as none. */
function correctPlaces(places: unknown, root: string): unknown {
  if (!Array.isArray(places)) return places ?? undefined;
  if (places.length === 0) return undefined;
  return places.map((place: unknown) => (isObject(place) ? known(correctLines(place, root)) : place));
}

/** It only serves to count findings, so that an answer is not asked for again because of it. */
function correctRule(rule: unknown): unknown {
  const id = typeof rule === 'string' ? rule.trim().toLowerCase() : '';
  return RULE_ID.test(id) ? id : undefined;
}

function correctSeverity(severity: unknown): unknown {
  if (typeof severity !== 'string') return severity;
  const word = severity.trim().toLowerCase();
  return SEVERITIES.find((name) => name === word) ?? severity;
}

const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;

/** The prompt contains the schema, so it must not be too long. */
const MAX_SCHEMA_CHARACTERS = 200_000;
/** All errors are collected only for answers up to this size. Beyond it, they could fill the memory. */
const MAX_EXPLAINED = 500_000;
const MAX_PROBLEMS = 20;
const PROBLEM_CHARACTERS = 300;
/** A pattern of the schema can be extremely slow on a text that was made for it. */
const CHECK_MS = 3000;
const LATER_CHECK_MS = 100;

type Compiled = UsableSchema | { problems: string[] };

/** Compiles the text of a schema, or says what is wrong with it. */
export function compileSchemaText(text: string): Compiled {
  if (text.length > MAX_SCHEMA_CHARACTERS) {
    return { problems: [`is longer than ${MAX_SCHEMA_CHARACTERS} characters; use a shorter schema.`] };
  }
  try {
    return compileSchema(JSON.parse(text));
  } catch (error) {
    return { problems: [`is not JSON: ${messageOf(error)}.`] };
  }
}

export function compileSchema(schema: unknown, example?: unknown): Compiled {
  if (!isObject(schema)) return { problems: ['is not a JSON Schema: it must be a JSON object.'] };
  const Validator = validatorFor(schema['$schema']);
  if (!Validator) {
    const given = truncate(JSON.stringify(schema['$schema']), 100);
    return { problems: [`has $schema ${given}; use ${DRAFTS.map(({ uri }) => uri).join(' or ')}.`] };
  }
  if ('$async' in schema) return { problems: ['has $async, which is not part of JSON Schema.'] };
  try {
    const first = makeValidator(Validator, false);
    // It would be a promise for an asynchronous schema, but the metaschemas of both drafts are synchronous.
    if (first.validateSchema(schema) !== true) return { problems: wordsOf(first.errors, 'is not valid: ') };
    const check = checker(first.compile(schema), makeValidator(Validator, true).compile(schema));
    const shown = example ?? exampleOf(schema);
    return { schema, example: shown, exampleIsValid: check(shown).length === 0, check };
  } catch (error) {
    return { problems: [`cannot be used: ${truncate(messageOf(error), PROBLEM_CHARACTERS)}.`] };
  }
}

const DRAFTS = [
  { uri: 'https://json-schema.org/draft/2020-12/schema', Validator: Ajv2020 },
  { uri: 'http://json-schema.org/draft-07/schema#', Validator: Ajv },
] as const;

function validatorFor(declared: unknown): typeof Ajv | typeof Ajv2020 | undefined {
  if (declared === undefined) return Ajv2020;
  if (typeof declared !== 'string') return undefined;
  const plain = (uri: string) => uri.replace(/^https?:/, '').replace(/#$/, '');
  return DRAFTS.find(({ uri }) => plain(uri) === plain(declared))?.Validator;
}

function makeValidator(Validator: typeof Ajv | typeof Ajv2020, allErrors: boolean): Ajv | Ajv2020 {
  const options: Options = {
    allErrors,
    // Unknown keywords are annotations. Nothing is loaded: a reference to another document is an error.
    strict: false,
    logger: false,
    // Inherited properties such as "constructor" do not count as properties of an answer.
    ownProperties: true,
    code: { regExp: Object.assign(tolerantRegExp, { code: 'new RegExp' }) },
  };
  const validator = new Validator(options);
  formats.default(validator);
  return validator;
}

/** Patterns such as `[\w\-]` are common, but invalid in Unicode mode. */
const tolerantRegExp = (pattern: string, flags: string): RegExp =>
  attempt(() => new RegExp(pattern, flags)) ?? new RegExp(pattern, flags.replace('u', ''));

function checker(isValid: ValidateFunction, explain: ValidateFunction): UsableSchema['check'] {
  let patience = CHECK_MS;
  return (value) => {
    const first = runInTime(isValid, value, patience);
    if ('why' in first) {
      // An answer may contain many values that were made to be slow.
      patience = LATER_CHECK_MS;
      return [`the value could not be checked against the schema: ${first.why}.`];
    }
    if (first.isValid) return [];
    if (JSON.stringify(value).length > MAX_EXPLAINED) return wordsOf(isValid.errors);
    const all = runInTime(explain, value, patience);
    return wordsOf('why' in all ? isValid.errors : explain.errors);
  };
}

/**
 * Whether a value is valid, or why that could not be found out. It runs in a context of its own, because its time limit
 * also stops a pattern in the middle of a search.
 */
function runInTime(
  validate: ValidateFunction,
  value: unknown,
  timeout: number,
): { isValid: boolean } | { why: string } {
  try {
    const check = () => validate(value);
    return { isValid: runInNewContext('check()', { check }, { timeout }) === true };
  } catch (error) {
    return { why: messageOf(error) };
  }
}

/** The errors with their places, each once. */
function wordsOf(errors: readonly ErrorObject[] | null | undefined, before = ''): string[] {
  const all = new Set((errors ?? []).map((error) => `${before}${wordOf(error)}.`));
  return firstLines([...all], MAX_PROBLEMS);
}

function wordOf({ instancePath, message = 'is wrong', params, keyword }: ErrorObject): string {
  const place = instancePath === '' ? 'the value' : instancePath;
  return truncate(`${place} ${message}${DETAILS[keyword]?.(params) ?? ''}`, PROBLEM_CHARACTERS);
}

/** Details that ajv knows but does not put into its message. */
const DETAILS: Readonly<Record<string, ((params: Record<string, unknown>) => string) | undefined>> = {
  additionalProperties: ({ additionalProperty }) => `: ${JSON.stringify(additionalProperty)}`,
  unevaluatedProperties: ({ unevaluatedProperty }) => `: ${JSON.stringify(unevaluatedProperty)}`,
  enum: ({ allowedValues }) => `: ${JSON.stringify(allowedValues)}`,
  const: ({ allowedValue }) => `: ${JSON.stringify(allowedValue)}`,
};

/**
 * A value that shows the form that a JSON Schema asks for. It is small and simple: it ignores patterns, multiples and
 * `not`, so that the caller has to check whether it satisfies the schema.
 */
export function exampleOf(schema: unknown): unknown {
  return build(schema, { root: schema, depth: 0, left: { values: MAX_VALUES, parts: MAX_PARTS } });
}

const MAX_VALUES = 200;
/** How many parts of the schema are looked at. */
const MAX_PARTS = 10_000;
const MAX_DEPTH = 12;
const MAX_PROPERTIES = 30;
const MAX_ITEMS = 3;
const MAX_EXAMPLE = 200;

interface Walk {
  root: unknown;
  depth: number;
  /** Shared by the whole walk, so that a schema that refers to itself twice does not grow forever. */
  left: { values: number; parts: number };
}

function build(given: unknown, walk: Walk): unknown {
  walk.left.values -= 1;
  const schema = resolve(given, walk);
  if (walk.left.values < 0 || walk.depth > MAX_DEPTH) return null;
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
function resolve(given: unknown, walk: Walk, hops = 0): JsonObject {
  walk.left.parts -= 1;
  if (!isObject(given) || hops > MAX_DEPTH || walk.left.parts < 0) return {};
  const { $ref, allOf, anyOf, oneOf, ...own } = given;
  const parts = [
    ...(typeof $ref === 'string' ? [target($ref, walk.root)] : []),
    ...asList(allOf),
    ...[anyOf, oneOf].flatMap((list) => asList(list).slice(0, 1)),
  ].map((part) => resolve(part, walk, hops + 1));
  return parts.reduce(merge, own);
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  const properties = { ...asSchema(other['properties']), ...asSchema(one['properties']) };
  const required = [...asList(one['required']), ...asList(other['required'])];
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
    .map((part) => attempt(() => decodeURIComponent(part)) ?? part)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined), root);
}

/** The definition that has this `$id` or `$anchor`. */
function findNamed(root: unknown, reference: string): unknown {
  if (!isObject(root)) return undefined;
  const all = [root['$defs'], root['definitions']].flatMap((defs) => Object.values(asSchema(defs)));
  return all.find(
    (definition) =>
      isObject(definition) &&
      (definition['$id'] === reference || `#${String(definition['$anchor'])}` === reference),
  );
}

function typeOf(schema: JsonObject): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type) && typeof type[0] === 'string') return type[0];
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return 'number';
  return 'string';
}

function buildObject(schema: JsonObject, walk: Walk): unknown {
  const properties = asSchema(schema['properties']);
  const required = asList(schema['required']).filter((name) => typeof name === 'string');
  // At depth only required properties, so that a schema that refers to itself comes to an end.
  const optional = walk.depth > MAX_DEPTH / 2 ? [] : Object.keys(properties);
  const names = [...new Set([...required, ...optional])].slice(0, Math.max(MAX_PROPERTIES, required.length));
  return Object.fromEntries(
    names.map((name) => [name, build(Object.hasOwn(properties, name) ? properties[name] : {}, walk)]),
  );
}

function buildArray(schema: JsonObject, walk: Walk): unknown[] {
  const { prefixItems, items } = schema;
  const prefix = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0;
  const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : Infinity;
  const hasRest = !Array.isArray(items) && items !== false && most > prefix.length;
  const isDeep = walk.depth > MAX_DEPTH / 2;
  const wanted = Math.max(least - prefix.length, hasRest && !isDeep ? 1 : 0);
  const rest = Array.from({ length: Math.min(wanted, MAX_ITEMS) }, () => build(items, walk));
  return [...prefix.slice(0, 2 * MAX_ITEMS).map((item) => build(item, walk)), ...rest];
}

function buildNumber(schema: JsonObject): number {
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

function buildString(schema: JsonObject): string {
  const { format, minLength, maxLength } = schema;
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format)) return FORMATS[format] ?? '';
  const least = typeof minLength === 'number' ? minLength : 0;
  const most = typeof maxLength === 'number' ? maxLength : MAX_EXAMPLE;
  return 'text'.padEnd(Math.min(least, MAX_EXAMPLE), 't').slice(0, most);
}

const asSchema = (value: unknown): JsonObject => (isObject(value) ? value : {});
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
