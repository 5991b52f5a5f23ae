import { toJSONSchema } from 'zod/v4/core';
import { FindingsSchema, type Finding } from './findings.js';

/** The same as JSON Schema: for the prompt, for validating the answer, and for readers in any language. */
export function findingsJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = toJSONSchema(FindingsSchema, { target: 'draft-2020-12' });
  return { $schema, title: 'Findings of a review', ...rest };
}

/** What an answer looks like, for the prompt and the documentation. */
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
