import { runInNewContext } from 'node:vm';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { toJSONSchema } from 'zod/v4/core';
import { messageOf } from '../core/errors.js';
import { FindingSchema, FindingsSchema, SEVERITIES, type Finding } from '../report/findings.js';
import { firstLines } from '../text/format.js';
import { truncate } from '../text/plain-text.js';
import { exampleOf } from './example-value.js';
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
    },
  ],
};

/**
 * Corrects a review before it is validated, if there is no doubt what was meant. docs/findings.md lists what is
 * corrected. `root` is the top of the checkout.
 */
export function correctFindings(value: unknown, root: string): unknown {
  if (!isObject(value)) return value;
  const { findings, ...rest } = known(value, Object.keys(FindingsSchema.shape));
  return {
    ...rest,
    ...(findings === undefined
      ? {}
      : {
          findings: Array.isArray(findings) ? findings.map((item) => correctFinding(item, root)) : findings,
        }),
  };
}

function correctFinding(value: unknown, root: string): unknown {
  if (!isObject(value)) return value;
  const { path, severity, startLine, endLine, suggestion, ...rest } = known(
    value,
    Object.keys(FindingSchema.shape),
  );
  const [start, end] = [asNumber(startLine), asNumber(endLine ?? startLine)];
  const isReversed = typeof start === 'number' && typeof end === 'number' && start > end;
  return {
    ...(path === undefined ? {} : { path: typeof path === 'string' ? correctPath(path, root) : path }),
    ...(start === undefined ? {} : { startLine: isReversed ? end : start }),
    ...(end === undefined ? {} : { endLine: isReversed ? start : end }),
    ...(severity === undefined ? {} : { severity: correctSeverity(severity) }),
    ...rest,
    ...(suggestion === undefined || suggestion === null ? {} : { suggestion }),
  };
}

/** Leaves out fields that the schema does not have. */
const known = (value: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(value, name) ? [[name, value[name]]] : [])));

/** `./src\a.ts` and `/home/runner/work/r/r/src/a.ts` are both `src/a.ts`. */
export function correctPath(path: string, root: string): string {
  const [slashed, top] = [path.trim().replaceAll('\\', '/'), root.replaceAll('\\', '/').replace(/\/+$/, '')];
  const inside = slashed.startsWith(`${top}/`) ? slashed.slice(top.length + 1) : slashed;
  return inside.replace(/^(?:\.\/+)+/, '').replace(/\/\/+/g, '/');
}

function correctSeverity(severity: unknown): unknown {
  if (typeof severity !== 'string') return severity;
  const word = severity.trim().toLowerCase();
  return SEVERITIES.find((name) => name === word) ?? severity;
}

const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;

/** The prompt contains the schema, so it must not be too long. */
const MOST_SCHEMA_CHARACTERS = 200_000;
/** All errors are collected only for answers up to this size. Beyond it, they could fill the memory. */
const MOST_EXPLAINED = 500_000;
const MOST_PROBLEMS = 20;
const PROBLEM_CHARACTERS = 300;
/** A pattern of the schema can be extremely slow on a text that was made for it. */
const CHECK_MS = 3000;
const LATER_CHECK_MS = 100;

type Compiled = UsableSchema | { problems: string[] };

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
  const all = new Set((errors ?? []).map((error) => `${before}${wordOf(error)}.`));
  return firstLines([...all], MOST_PROBLEMS);
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
