import { FINDINGS_EXAMPLE, findingsJsonSchema } from '../report/findings-schema.js';
import { FindingsSchema } from '../report/findings.js';
import { compileSchema, compileSchemaText } from './compile-schema.js';
import type { Expectation, SchemaSource } from './expectation.js';
import { forgiveFindings } from './forgive-findings.js';

/**
 * What the answer must be, from the input `output-schema`, or what is wrong with that. Only a run that has this input
 * loads it: the validator is larger than most of the rest.
 */
export function expectAnswer(source: SchemaSource): { expectation: Expectation } | { problems: string[] } {
  if (source.kind === 'text') {
    const compiled = compileSchemaText(source.text);
    return 'problems' in compiled ? compiled : { expectation: { kind: 'schema', ...compiled } };
  }
  const compiled = compileSchema(findingsJsonSchema(), FINDINGS_EXAMPLE);
  if ('problems' in compiled) return compiled;
  return { expectation: { kind: 'findings', ...compiled, forgive: forgiveFindings, read: readFindings } };
}

function readFindings(value: unknown): ReturnType<Extract<Expectation, { kind: 'findings' }>['read']> {
  const { summary, findings } = FindingsSchema.parse(value);
  return {
    summary,
    findings: findings.map(({ suggestion, ...finding }) => ({
      ...finding,
      ...(suggestion === undefined ? {} : { suggestion }),
    })),
  };
}
