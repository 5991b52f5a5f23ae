import type { Finding, Review } from '../report/findings.js';
import type { RunReport } from '../report/model.js';
import { checkFindings, type CheckedChange, type LineCount } from './check-findings.js';
import type { Expectation } from './expectation.js';
import { findJson } from './find-json.js';

export type Answer = { kind: 'valid'; value: unknown } | { kind: 'invalid'; problem: string };

/**
 * Finds the answer's JSON: in the last message, or else in an earlier one, because the agent's own result contains
 * those too. The first value that satisfies the schema is the answer. If there is none, the problems of the largest
 * value are reported. `root` is the top of the checkout.
 */
export function readAnswer(report: RunReport, expectation: Expectation, root: string): Answer {
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

/** What is needed to look up where findings point. */
export interface Grounds {
  /** The top of the repository. */
  root: string;
  /** The path from there to where the agent worked; empty if it is the same. */
  prefix: string;
  lineCount: LineCount;
  /** The change under review, if one is known. */
  change?: CheckedChange | undefined;
}

/** An answer as the record keeps it. */
export interface SettledAnswer {
  structuredOutput: unknown;
  review?: Review;
}

/** A valid answer as the record keeps it. Findings are looked up in the files as they are after the run. */
export function settleAnswer(value: unknown, expectation: Expectation, grounds: Grounds): SettledAnswer {
  if (expectation.kind === 'schema') return { structuredOutput: value };
  const { summary, findings } = expectation.read(value);
  const placed = findings.map((finding) => withPath(finding, grounds));
  const checked = checkFindings(placed, grounds.change, grounds.lineCount);
  return { structuredOutput: { summary, findings: placed }, review: { summary, findings: checked } };
}

/** An agent that works in a subfolder of the repository may name files relative to it. */
function withPath(finding: Finding, { prefix, lineCount }: Grounds): Finding {
  if (prefix === '' || lineCount(finding.path) !== undefined) return finding;
  const path = `${prefix}/${finding.path}`;
  return lineCount(path) === undefined ? finding : { ...finding, path };
}

/** A job can have 1 MB of outputs, counted in UTF-16. */
const MOST_CHARACTERS = 200_000;

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
  if (text.length <= MOST_CHARACTERS) return { text };
  const note =
    `structured-output is empty, because the JSON has ${text.length} characters and an output can have ${MOST_CHARACTERS}; ` +
    'report-file has all of it, as structuredOutput.';
  return { text: '', note };
}
