import { teamRuleOf } from '../report/findings.js';
import type { Finding, Review, RunReport } from '../report/model.js';
import { parseJson } from '../text/json.js';
import { checkFindings } from './check-findings.js';
import { findingJudge, type Grounds } from './judge-finding.js';

type CheckedAnswer = { kind: 'valid'; value: unknown } | { kind: 'invalid'; problem: string };

/**
 * Finds the answer's JSON: in the last message, or else in an earlier one, because the agent's own result contains
 * those too. The first value that satisfies the schema is the answer. If there is none, the problems of the largest
 * value are reported. `root` is the top of the checkout.
 */
export function readAnswer(report: RunReport, expectation: Expectation, root: string): CheckedAnswer {
  const texts = [report.answer, report.result && !report.result.isError ? report.result.text : ''];
  let nearest: { length: number; problems: string[] } | undefined;
  for (const text of new Set(texts)) {
    for (const { value, length } of findJson(text)) {
      const prepared = expectation.kind === 'findings' ? expectation.correct(value, root) : value;
      const problems = expectation.check(prepared);
      if (problems.length === 0) return { kind: 'valid', value: prepared };
      if (!nearest || length > nearest.length) nearest = { length, problems };
    }
  }
  return { kind: 'invalid', problem: problemOf(nearest?.problems, report) };
}

function problemOf(problems: readonly string[] | undefined, { answer }: RunReport): string {
  if (problems) {
    return [
      'The JSON of the answer does not satisfy output-schema:',
      ...problems.map((line) => `- ${line}`),
    ].join('\n');
  }
  return answer.trim() === '' ? 'There is no answer.' : 'There is no JSON in the answer.';
}

/** A valid answer as the record keeps it. `prefix` leads from the top of the repository to where the agent worked. */
export function settleAnswer(
  value: unknown,
  expectation: Expectation,
  { prefix, isRule, ...grounds }: Grounds & { prefix: string; isRule: IsRule },
): { structuredOutput: unknown; review?: Review } {
  if (expectation.kind === 'schema') return { structuredOutput: value };
  const { summary, findings } = expectation.read(value);
  const judge = findingJudge(grounds);
  const isThere = (finding: Finding) => judge(finding).place !== 'no-such-path';
  const placed = findings.map((finding) => {
    // An agent that works in a subfolder of the repository may name files relative to it.
    const inside = prefix === '' ? finding : below(prefix, finding);
    return withKnownRule(isThere(finding) || !isThere(inside) ? finding : inside, isRule);
  });
  return {
    structuredOutput: { summary, findings: placed },
    review: { summary, findings: checkFindings(placed, grounds) },
  };
}

/** Whether there is such a rule for a file. */
export type IsRule = (id: string, path: string) => boolean;

/** An id that was not given says nothing. */
function withKnownRule({ rule, ...finding }: Finding, isRule: IsRule): Finding {
  const named = rule === undefined ? undefined : teamRuleOf({ rule });
  return rule === undefined || (named !== undefined && !isRule(named, finding.path))
    ? finding
    : { ...finding, rule };
}

function below(folder: string, finding: Finding): Finding {
  const move = <T extends { path: string }>(place: T): T => ({ ...place, path: `${folder}/${place.path}` });
  return { ...move(finding), ...(finding.alsoAt ? { alsoAt: finding.alsoAt.map(move) } : {}) };
}

/** A job can have 1 MB of outputs, counted in UTF-16. */
const MAX_CHARACTERS = 200_000;

/** JSON on one line for every reader: some treat U+2028 and similar characters as line ends. */
const oneLineJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The output `structured-output`. JSON is never cut: if it is too long, only the report has it. */
export function structuredText(value: unknown): { text: string; note?: string } {
  if (value === undefined) return { text: '' };
  const text = oneLineJson(value);
  if (text.length <= MAX_CHARACTERS) return { text };
  const note =
    `structured-output is empty, because the JSON has ${text.length} characters and an output can have ${MAX_CHARACTERS}; ` +
    'report-file has all of it, as structuredOutput.';
  return { text: '', note };
}

/** How many pieces of JSON in prose are tried: the last ones, because an answer usually ends with its result. */
const MAX_EMBEDDED = 100;
/** How often, on average, a character may be read again because earlier text turned out not to be JSON. */
const READINGS = 2;

/** A value, and the length of its text. */
interface FoundJson {
  value: unknown;
  length: number;
}

/**
 * The JSON values that may be the answer in a message, the most likely first: the whole message; its fenced blocks,
 * the last first; then JSON in its prose, the last first.
 */
export function* findJson(message: string): Generator<FoundJson> {
  const seen = new Set<string>();
  for (const text of candidates(message)) {
    if (seen.has(text)) continue;
    seen.add(text);
    const isNested = text.startsWith('{') || text.startsWith('[');
    if (isNested && spanOfJson(text, 0).kind === 'broken') continue;
    const value = parseJson(text);
    if (value !== undefined) yield { value, length: text.length };
  }
}

function* candidates(message: string): Generator<string> {
  const whole = message.trim();
  yield whole;
  for (const block of fencedBlocks(whole).reverse()) yield block.trim();
  for (const { start, end } of embedded(whole).reverse()) yield whole.slice(start, end);
}

const FENCE = /^[ \t]{0,8}(`{3,}|~{3,})[ \t]*([^\s`]*)/;

/** Blocks of JSON or without a language. A block that is never closed reaches to the end. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: { fence: string; isJson: boolean; lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const [, fence = '', language = ''] = FENCE.exec(line) ?? [];
    if (!open) {
      if (fence !== '') open = { fence, isJson: /^(?:json[5c]?)?$/i.test(language), lines: [] };
    } else if (fence.startsWith(open.fence) && language === '') {
      if (open.isJson) blocks.push(open.lines.join('\n'));
      open = undefined;
    } else open.lines.push(line);
  }
  if (open?.isJson) blocks.push(open.lines.join('\n'));
  return blocks;
}

/** The outermost objects and arrays in a text, in time proportional to its length. */
function embedded(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let readAgain = READINGS * text.length;
  for (let at = nextOpening(text, 0); at !== -1;) {
    const span = spanOfJson(text, at);
    if (span.kind === 'closed') {
      found.push({ start: at, end: span.end });
      if (found.length > 2 * MAX_EMBEDDED) found.splice(0, MAX_EMBEDDED);
      at = nextOpening(text, span.end);
    } else {
      readAgain -= span.at - at;
      at = nextOpening(text, readAgain > 0 ? at + 1 : Math.max(span.at, at + 1));
    }
  }
  return found.slice(-MAX_EMBEDDED);
}

function nextOpening(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x7b || unit === 0x5b) return at;
  }
  return -1;
}

/** Where a piece of JSON ends, or where it turns out not to be JSON. */
export type JsonSpan = { kind: 'closed'; end: number } | { kind: 'broken'; at: number };

/** Deeper nesting is not accepted, because code that walks through the value may be recursive. */
export const MAX_DEPTH = 200;

type ExpectedToken = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

/**
 * Finds the end of the JSON that begins at `start` with a `{` or `[`. It works in one pass and without recursion, so
 * that no text can make it slow or exhaust the stack. It accepts everything that JSON.parse does, and a little more.
 */
export function spanOfJson(text: string, start: number): JsonSpan {
  const closers: string[] = [];
  let expected: ExpectedToken = 'value';
  for (let at = start; at < text.length;) {
    const mark = text[at] ?? '';
    if (isBlank(mark)) {
      at += 1;
      continue;
    }
    if ((mark === '{' || mark === '[') && (expected === 'value' || expected === 'value-or-end')) {
      closers.push(mark === '{' ? '}' : ']');
      if (closers.length > MAX_DEPTH) return { kind: 'broken', at };
      expected = mark === '{' ? 'key-or-end' : 'value-or-end';
      at += 1;
    } else if (mark === closers.at(-1) && MAY_END.includes(expected)) {
      closers.pop();
      at += 1;
      if (closers.length === 0) return { kind: 'closed', end: at };
      expected = 'comma-or-end';
    } else {
      const step = readToken(text, at, expected);
      if (step === undefined) return { kind: 'broken', at };
      at = step.end;
      expected = mark === ',' ? (closers.at(-1) === '}' ? 'key' : 'value') : step.next;
    }
  }
  return { kind: 'broken', at: text.length };
}

const MAY_END: readonly ExpectedToken[] = ['value-or-end', 'key-or-end', 'comma-or-end'];
const isBlank = (mark: string): boolean => mark === ' ' || mark === '\n' || mark === '\r' || mark === '\t';

/** Reads a string, a number or word, a colon or a comma, if it is allowed here. */
function readToken(
  text: string,
  at: number,
  expected: ExpectedToken,
): { end: number; next: ExpectedToken } | undefined {
  const mark = text[at];
  if (expected === 'colon') return mark === ':' ? { end: at + 1, next: 'value' } : undefined;
  if (expected === 'comma-or-end') return mark === ',' ? { end: at + 1, next: 'value' } : undefined;
  const isKey = expected === 'key' || expected === 'key-or-end';
  const end = mark === '"' ? endOfString(text, at) : isKey ? undefined : endOfWord(text, at);
  return end === undefined ? undefined : { end, next: isKey ? 'colon' : 'comma-or-end' };
}

/** JSON strings have no line breaks, so a stray quotation mark in prose reaches at most to the end of its line. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at + 1;
    if (unit < 0x20) return undefined;
    if (unit === 0x5c) at += 1;
  }
  return undefined;
}

function endOfWord(text: string, start: number): number | undefined {
  let at = start;
  while (at < text.length && /[-+.\w]/.test(text[at] ?? '')) at += 1;
  return at === start ? undefined : at;
}

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
  '- Look each place up before you name it: paths and lines are checked, and a finding whose place does not exist is set aside.',
  '- Line numbers count from 1 in the file as it is after the change, not in a diff. For lines that the change removed, count in the file before the change and set side to base.',
  '- The best first: begin with the finding that you are surest of and that matters most.',
  '- Report a problem once, at the lines where it would be fixed; prefer few lines. If exactly the same mistake is in other places too, name those in alsoAt.',
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
