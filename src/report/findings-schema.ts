import * as z from 'zod/mini';
import { toJSONSchema } from 'zod/v4/core';
import { MOST_FINDINGS, MOST_LINE, MOST_PATH, SEVERITIES } from './findings.js';

const line = (words: string) =>
  z.number().check(z.multipleOf(1), z.minimum(1), z.maximum(MOST_LINE), z.describe(words));
const words = (description: string) => z.string().check(z.minLength(1), z.describe(description));

/** One finding as the agent must answer it. What of it is forgiven is in answer/forgive-findings.ts. */
export const FindingSchema = z.strictObject({
  path: words('The file, from the root of the repository, with forward slashes.').check(
    z.maxLength(MOST_PATH),
  ),
  startLine: line('The first line it is about, counted from 1, in the file as it is now.'),
  endLine: line('The last line it is about; the same as startLine for a single line.'),
  severity: z
    .enum(SEVERITIES)
    .check(
      z.describe(
        'critical: must not be merged; high: a bug that users will meet; medium: a bug in rare cases; low: worth changing; info: worth knowing.',
      ),
    ),
  title: words('What is wrong, in one short sentence.'),
  body: z.string().check(z.describe('Why it is wrong and how to see it, as Markdown.')),
  suggestion: z.optional(
    z
      .string()
      .check(
        z.describe(
          'What the lines from startLine to endLine should read instead, whole lines with their indentation; empty to delete them. Leave it out where no exact replacement is known.',
        ),
      ),
  ),
});

/** A review as the agent must answer it: what `output-schema: findings` asks for. */
export const FindingsSchema = z.strictObject({
  summary: z.string().check(z.describe('The review in a few sentences, as Markdown.')),
  findings: z
    .array(FindingSchema)
    .check(
      z.maxLength(MOST_FINDINGS),
      z.describe('Each separate problem once, the worst first; empty if there is none.'),
    ),
});
export type FindingsAnswer = z.output<typeof FindingsSchema>;

/** The same as JSON Schema: for the prompt, for validating the answer, and for readers in any language. */
export function findingsJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = toJSONSchema(FindingsSchema, {
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => {
      // A whole number is called so where there is a word for it.
      if (jsonSchema.multipleOf === 1) {
        jsonSchema.type = 'integer';
        delete jsonSchema.multipleOf;
      }
    },
  });
  return { $schema, title: 'Findings of a review', ...rest };
}

/** What an answer looks like, for the prompt and the documentation. */
export const FINDINGS_EXAMPLE: FindingsAnswer = {
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
