import type { Finding } from '../report/findings.js';

/** A JSON Schema that can be used, and what can be said with it. */
export interface UsableSchema {
  schema: Readonly<Record<string, unknown>>;
  /** A value of that form, for the prompt. */
  example: unknown;
  /** Whether the example satisfies the schema, or only shows its outline. */
  exampleIsValid: boolean;
  /** What is wrong with a value, in words; nothing if it satisfies the schema. */
  check(value: unknown): string[];
}

/** What the answer of a run must be, settled before the agent starts. */
export type Expectation =
  | ({ kind: 'schema' } & UsableSchema)
  /** A review by the built-in schema, whose findings are also checked against the change. */
  | ({
      kind: 'findings';
      /** The value with what is forgiven made good; `root` is the top of the checkout. */
      forgive(value: unknown, root: string): unknown;
      /** Only for a value that satisfies the schema. */
      read(value: unknown): { summary: string; findings: Finding[] };
    } & UsableSchema);

/** The input `output-schema` as it was given: the word, or the text of a schema. */
export type SchemaSource = { kind: 'findings' } | { kind: 'text'; text: string };
