import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { runInNewContext } from 'node:vm';
import { messageOf } from '../core/errors.js';
import { truncate } from '../text/plain-text.js';
import { exampleOf } from './example-value.js';
import type { UsableSchema } from './expectation.js';

/** The prompt contains the schema, so it must not be too long. */
const MOST_SCHEMA_CHARACTERS = 200_000;
/** All errors are collected only for answers up to this size. Beyond it, they could fill the memory. */
const MOST_EXPLAINED = 500_000;
const MOST_PROBLEMS = 20;
const PROBLEM_CHARACTERS = 300;
/** A pattern of the schema can be extremely slow on a text that was made for it. */
const CHECK_MS = 3000;
const LATER_CHECK_MS = 100;

export type Compiled = UsableSchema | { problems: string[] };

/** Compiles the text of a schema, or says what is wrong with it. */
export function compileSchemaText(text: string): Compiled {
  if (text.length > MOST_SCHEMA_CHARACTERS) {
    return {
      problems: [`is longer than ${MOST_SCHEMA_CHARACTERS} characters; use a shorter schema.`],
    };
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
    const isValid = first.compile(schema);
    const explain = makeValidator(Validator, true).compile(schema);
    const check = checker(isValid, explain);
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
function tolerantRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern, flags.replace('u', ''));
  }
}

function checker(isValid: ValidateFunction, explain: ValidateFunction): UsableSchema['check'] {
  let patience = CHECK_MS;
  return (value) => {
    const first = runInTime(isValid, value, patience);
    if (first.kind === 'ended-early') {
      // An answer may contain many values that were made to be slow.
      patience = LATER_CHECK_MS;
      return [`the value could not be checked against the schema: ${first.why}.`];
    }
    if (first.isValid) return [];
    if (JSON.stringify(value).length > MOST_EXPLAINED) return wordsOf(isValid.errors);
    const all = runInTime(explain, value, patience);
    return wordsOf(all.kind === 'ended' ? explain.errors : isValid.errors);
  };
}

/** Runs in a context of its own, because its time limit also stops a pattern in the middle of a search. */
function runInTime(
  validate: ValidateFunction,
  value: unknown,
  timeout: number,
): { kind: 'ended'; isValid: boolean } | { kind: 'ended-early'; why: string } {
  try {
    const check = () => validate(value);
    return { kind: 'ended', isValid: runInNewContext('check()', { check }, { timeout }) === true };
  } catch (error) {
    return { kind: 'ended-early', why: messageOf(error) };
  }
}

/** The errors with their places, each once. */
function wordsOf(errors: readonly ErrorObject[] | null | undefined, before = ''): string[] {
  const all = [...new Set((errors ?? []).map((error) => `${before}${wordOf(error)}.`))];
  const shown = all.slice(0, MOST_PROBLEMS);
  const left = all.length - shown.length;
  return left > 0 ? [...shown, `… and ${left} more`] : shown;
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
