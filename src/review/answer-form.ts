import type { Expectation } from './expectation.js';

/** The end of the prompt, below its heading: what the answer must look like, and one that does. */
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

/** What the agent is asked when its answer was not of that form; it says everything, in case the chat was lost. */
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

/** No JSON has a run of backticks outside of its strings, and inside of them a fence is not at the start of a line. */
const block = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``;
