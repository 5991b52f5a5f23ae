import type { Finding } from '../report/findings.js';

/** A JSON Schema, ready to be used. */
export interface UsableSchema {
  schema: Readonly<Record<string, unknown>>;
  /** A value of this form, for the prompt. */
  example: unknown;
  /** Whether the example satisfies the schema. If not, it only shows the outline. */
  exampleIsValid: boolean;
  /** What is wrong with a value; empty if it satisfies the schema. */
  check(value: unknown): string[];
}

/** What the answer of a run must be. It is known before the agent starts. */
export type Expectation =
  | ({ kind: 'schema' } & UsableSchema)
  /** A review by the built-in schema. Its findings are also checked against the change. */
  | ({
      kind: 'findings';
      /** Corrects what is obviously meant otherwise; `root` is the top of the checkout. */
      correct(value: unknown, root: string): unknown;
      /** Only for a value that satisfies the schema. */
      read(value: unknown): { summary: string; findings: Finding[] };
    } & UsableSchema);

/** The input `output-schema`: the word `findings`, or the text of a schema. */
export type SchemaSource = { kind: 'findings' } | { kind: 'text'; text: string };

/** The end of the prompt: what the answer must look like, with an example. */
export function answerForm({ kind, schema, example, exampleIsValid }: Expectation): string {
  return [
    'Your answer is read by a program. Do the task first. Then end with one last message that is a single JSON value ' +
      'satisfying the JSON Schema below: in one fenced `json` block, with nothing before or after the block.',
    `The JSON Schema:\n\n${block(schema)}`,
    exampleIsValid
      ? `The form of an answer, with made-up values:\n\n${block(example)}`
      : `The outline of an answer, with made-up values (the schema decides):\n\n${block(example)}`,
    ...(kind === 'findings' ? [FINDINGS_RULES] : []),
  ].join('\n\n');
}

const FINDINGS_RULES = [
  'Rules for findings:',
  '- Look each place up before you name it: paths and lines are checked, and a finding whose place does not exist is set apart.',
  '- Line numbers count from 1 in the file as it is in the checkout, not in a diff.',
  '- Report a problem once, at the lines where it would be fixed; prefer few lines.',
  '- Without a problem to report, answer with an empty list and say so in the summary.',
].join('\n');

/** Asks the agent to correct its answer. It repeats everything, in case the chat was lost. */
export function correctionRequest({ schema }: Expectation, problem: string): string {
  return [
    'Your last message could not be used as the answer, because it is not what was asked for:',
    problem,
    'Answer again: the whole answer, corrected, as a single JSON value that satisfies the JSON Schema below, in one ' +
      'fenced `json` block, with nothing before or after the block. Keep what you found out; change nothing else, ' +
      'and use no tools unless a correction needs one.',
    block(schema),
  ].join('\n\n');
}

/** JSON has backticks only inside strings, and those never start a line, so that nothing can close the fence. */
const block = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``;
