import * as z from 'zod/mini';
import { RunFailure } from './failure.js';

/** What inputs of any of the actions are made of. An input arrives as a string; an empty one is "not given". */

// One object is parsed once: code made for it would cost more than it saves.
z.config({ jitless: true });

/** One wrong input, in words: which, what was given, what is allowed. */
export interface InputProblem {
  input: string;
  message: string;
}

export const items = (text: string, separator: RegExp): string[] =>
  text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
export const LINES = /\r?\n/;
export const LINES_OR_COMMAS = /\r?\n|,/;

export const read = <T>(reader: (text: string) => T) => z.pipe(z.string(), z.transform(reader));
export const optional = read((text) => (text === '' ? undefined : text));
export const withDefault = (fallback: string) => read((text) => (text === '' ? fallback : text));
export const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, { error: `use one of ${values.join(', ')}` });
export const choice = <const T extends readonly [string, ...string[]]>(fallback: T[number], ...values: T) =>
  z.pipe(withDefault(fallback), oneOf(...values));
/** A token for GitHub travels in a header, where nothing but visible ASCII can stand; two pasted together cannot. */
export const token = optional.check(
  z.refine(
    (text) => text === undefined || /^[!-~]+$/.test(text),
    'holds a line break, a blank or another character no token has',
  ),
);
export const list = (separator: RegExp) => read((text) => items(text, separator));

/** All problems as one failure, one line each. */
export function invalidInput(problems: readonly InputProblem[]): RunFailure {
  const lines = problems.map(({ input, message }) => `${input}: ${message}`);
  return new RunFailure('invalid-input', lines.join('\n'));
}

/** One issue of a schema in words, with what was given, unless that is a secret. */
export function issueProblem(
  issue: z.core.$ZodIssue,
  raw: Readonly<Record<string, string | undefined>>,
  secrets: readonly string[],
): InputProblem {
  const input = String(issue.path[0]);
  // A message about one item of a list begins with that item.
  const isTold = issue.message.startsWith('"') || secrets.includes(input);
  const given = Object.hasOwn(raw, input) ? (raw[input] ?? '') : '';
  const message = `${isTold ? '' : `${quote(given)} given; `}${issue.message}`;
  return { input, message: message.endsWith('.') ? message : `${message}.` };
}

export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
