import { toJSONSchema } from 'zod/v4/core';
import { FindingSchema, FindingsSchema, SEVERITIES, type Finding } from '../report/findings.js';
import { compileSchema, compileSchemaText } from './compile-schema.js';
import type { Expectation, SchemaSource } from './expectation.js';

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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
