import * as z from 'zod/mini';
import { RunFailure } from './failure.js';
import { findUnknownInputs } from './input-names.js';
import { getInput, info, setSecret } from './runner.js';

/** The building blocks of every action's inputs. An input arrives as a string; an empty one is "not given". */

// Each schema is used once, so compiling it would take longer than it saves.
z.config({ jitless: true });

/** The agents that the action can run. */
export const AGENT_NAMES = ['cursor', 'clido'] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

/** What is wrong with one input: what was given, and what is allowed. */
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

const anyText = z.string();
export const read = <T>(reader: (text: string) => T) => z.pipe(anyText, z.transform(reader));
export const optional = read((text) => (text === '' ? undefined : text));
export const withDefault = (fallback: string) => read((text) => (text === '' ? fallback : text));
export const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, { error: `use one of ${values.join(', ')}` });
export const choice = <const T extends readonly [string, ...string[]]>(fallback: T[number], ...values: T) =>
  z.pipe(withDefault(fallback), oneOf(...values));
/** What the schema makes of the input; undefined if the input is not given. */
export const ifGiven = <T extends z.core.$ZodType<unknown, string | undefined>>(schema: T) =>
  z.pipe(optional, z.optional(schema));
/** A whole number from 1 to `max`; undefined if the input is not given. */
export const wholeNumber = (max: number) => {
  const message = `use a whole number from 1 to ${max}`;
  const text = z.string().check(
    z.regex(/^[1-9]\d{0,9}$/, message),
    z.refine((digits) => Number(digits) <= max, message),
  );
  return ifGiven(z.pipe(text, z.transform(Number)));
};
/** A token travels in a header, so it can only contain visible ASCII characters. */
export const token = optional.check(
  z.refine(
    (text) => text === undefined || /^[!-~]+$/.test(text),
    'contains a line break, a blank or another character that no token has',
  ),
);
export const list = (separator: RegExp) => read((text) => items(text, separator));
/** A list whose items are read one by one. All that are wrong are reported. */
export const listOf = <T>(separator: RegExp, readItem: (text: string) => { item: T } | { problem: string }) =>
  z.pipe(
    list(separator),
    z.transform((all: string[], context): T[] =>
      all.flatMap((text) => {
        const result = readItem(text);
        if ('item' in result) return [result.item];
        context.issues.push({ code: 'custom', message: result.problem, input: all });
        return [];
      }),
    ),
  );

/** An item of a YAML list, in an input that takes text. */
export const isDashed = (text: string): boolean => text.startsWith('- ');
export const NO_DASH =
  'inputs take text, not a YAML list; write "|" after the name of the input, and remove the dash';

/** A pattern that can match no file is a mistake that would go unnoticed. */
const patternList = (isPattern: (text: string) => boolean) =>
  list(LINES).check(
    z.maxLength(500, 'name at most 500 patterns'),
    z.refine((all) => !all.some(isDashed), {
      error: ({ input }) => `${quote((input as string[]).find(isDashed) ?? '')}: ${NO_DASH}`,
    }),
    z.refine((all) => all.every(isPattern), {
      error: ({ input }) => {
        const wrong = (input as string[]).find((pattern) => !isPattern(pattern)) ?? '';
        return `${quote(wrong)} is not a pattern as in .gitignore, from the top of the repository; patterns with ! are not supported`;
      },
    }),
  );
function isPlainPattern(pattern: string): boolean {
  const names = pattern.replace(/^\//, '').replace(/\/$/, '').split('/');
  return (
    pattern.length <= 500 &&
    !/[\\\0]|^!/.test(pattern) &&
    !names.some((name) => ['', '.', '..'].includes(name))
  );
}

/** Patterns for `allowTest`. */
export const allowPatterns = patternList((pattern) => isPlainPattern(pattern.replace(/^\.\//, '')));

/** Patterns for `ignoreFinder`. Git matches nothing with a bracket that is not closed. */
export const ignorePatterns = patternList(
  (pattern) =>
    isPlainPattern(pattern) && !pattern.replace(/\[[!^]?\]?(?:\[:\w+:\]|[^\]])*\]/g, '').includes('['),
);

/** Why a name cannot be the name of a branch; undefined if it can. As `git check-ref-format --branch`, and stricter. */
export function branchProblem(name: string): string | undefined {
  const parts = name.split('/');
  const isMalformed =
    name.length > 200 ||
    // eslint-disable-next-line no-control-regex -- the test is for such characters
    /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|^-|^@$/.test(name) ||
    parts.some((part) => part === '' || part.startsWith('.') || part.endsWith('.') || part.endsWith('.lock'));
  if (isMalformed) return 'is not the name of a branch';
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) return 'looks like the id of a commit';
  if (/^(?:refs(?:\/|$)|HEAD$)/i.test(name)) return 'is a name that git uses itself; leave out refs/heads/';
  return undefined;
}

/** The name of a branch, if one is given. */
export const branchName = ifGiven(
  z.string().check(
    z.refine((name) => branchProblem(name) === undefined, {
      error: ({ input }) => branchProblem(String(input)) ?? '',
    }),
  ),
);

/** All problems as one failure, one per line. */
export function invalidInput(problems: readonly InputProblem[]): RunFailure {
  const lines = problems.map(({ input, message }) => `${input}: ${message}`);
  return new RunFailure('invalid-input', lines.join('\n'));
}

/** The failure for one input. */
export const wrongInput = (input: string, message: string): RunFailure => invalidInput([{ input, message }]);

/** Inputs as the runner passes them. */
export const readRaw = <Name extends string>(names: readonly Name[]): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, getInput(name)])) as Record<Name, string>;

/** Inputs that the action does not have: what is wrong with them. Those that are close to no input are only mentioned. */
export function checkInputNames(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
  removed?: Readonly<Record<string, string>>,
): InputProblem[] {
  const { problems, ignored } = findUnknownInputs(names, env, removed);
  if (ignored.length > 0)
    info(`Not inputs of this action, so they are ignored: ${ignored.map(quote).slice(0, 20).join(', ')}.`);
  return problems;
}

/** The inputs of a step that takes a token. The token is hidden first, and all problems are one failure. */
export function readStepInputs<Name extends string, Inputs extends object>(
  names: readonly Name[],
  parse: (raw: Record<Name, string>) => Inputs | { problems: InputProblem[] },
): Inputs {
  const raw = readRaw(names);
  const token = getInput('github-token');
  if (token !== '') setSecret(token);
  const unknown = checkInputNames(names, process.env);
  const inputs = parse(raw);
  if ('problems' in inputs) throw invalidInput([...unknown, ...inputs.problems]);
  if (unknown.length > 0) throw invalidInput(unknown);
  return inputs;
}

/** Parses the inputs of such a step. `more` are the problems that the schema cannot see. */
export function parseStepInputs<Output>(
  schema: z.ZodMiniType<Output>,
  raw: Readonly<Record<string, string>>,
  more: readonly InputProblem[],
): { data: Output } | { problems: InputProblem[] } {
  const parsed = schema.safeParse(raw);
  const issues = parsed.error?.issues ?? [];
  const problems = [...issues.map((issue) => issueProblem(issue, raw, ['github-token'])), ...more];
  return parsed.success && problems.length === 0 ? { data: parsed.data } : { problems };
}

/** For a step that cannot do without a token. */
export const NO_TOKEN: InputProblem = {
  input: 'github-token',
  message: 'is empty; leave the input out, or set it to ${{ github.token }}.',
};

/** An issue of a schema as a problem, with what was given unless that is a secret. */
export function issueProblem(
  issue: z.core.$ZodIssue,
  raw: Readonly<Record<string, string | undefined>>,
  secrets: readonly string[],
): InputProblem {
  const input = String(issue.path[0]);
  // A message about one item of a list begins with that item.
  const saysWhat = issue.message.startsWith('"') || secrets.includes(input);
  const value = Object.hasOwn(raw, input) ? (raw[input] ?? '') : '';
  const message = `${saysWhat ? '' : `${quote(value)} given; `}${issue.message}`;
  return { input, message: message.endsWith('.') ? message : `${message}.` };
}

export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
