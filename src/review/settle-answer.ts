import type { FileDiff } from '../git/diff.js';
import type { Finding, Review } from '../report/findings.js';
import type { RunReport } from '../report/model.js';
import { checkFindings, type LineCount } from './check-findings.js';
import type { Expectation } from './expectation.js';
import { readAnswer, type Answer } from './read-answer.js';

/** Where the agent worked, as far as findings can point at it. */
export interface Grounds {
  /** The top of the repository. */
  root: string;
  /** From there to where the agent worked; empty if it is the same. */
  prefix: string;
  lineCount: LineCount;
  /** The change under review, where one is known. */
  change?: { files: readonly FileDiff[] } | undefined;
}

/** What the record tells of an answer. */
export interface SettledAnswer {
  structuredOutput: unknown;
  review?: Review;
}

/** Finds the answer in what the agent said. */
export function answerIn(report: RunReport, expectation: Expectation, root: string): Answer {
  return readAnswer(report, expectation, (value) =>
    expectation.kind === 'findings' ? expectation.forgive(value, root) : value,
  );
}

/** A usable answer as the record keeps it. Files are looked at as they are once the agent has ended. */
export function settleAnswer(value: unknown, expectation: Expectation, grounds: Grounds): SettledAnswer {
  if (expectation.kind === 'schema') return { structuredOutput: value };
  const { summary, findings } = expectation.read(value);
  const placed = findings.map((finding) => withPath(finding, grounds));
  const checked = checkFindings(placed, grounds.change, grounds.lineCount);
  return { structuredOutput: { summary, findings: placed }, review: { summary, findings: checked } };
}

/** An agent that works in a folder of the repository may name files from there. */
function withPath(finding: Finding, { prefix, lineCount }: Grounds): Finding {
  if (prefix === '' || lineCount(finding.path) !== undefined) return finding;
  const path = `${prefix}/${finding.path}`;
  return lineCount(path) === undefined ? finding : { ...finding, path };
}
