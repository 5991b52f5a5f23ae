import type { RunReport } from '../report/model.js';
import type { Expectation } from './expectation.js';
import { findJson } from './find-json.js';

export type Answer = { kind: 'valid'; value: unknown } | { kind: 'invalid'; problem: string };

/** What is done to a value before it is validated. */
export type Prepare = (value: unknown) => unknown;

/**
 * The answer's JSON, wherever it stands: in the last message, or else in one before it, which the agent's own result
 * has too. The first value that satisfies the schema is it; failing that, the largest is what was meant.
 */
export function readAnswer(report: RunReport, expectation: Expectation, prepare: Prepare): Answer {
  const texts = [report.answer, report.result && !report.result.isError ? report.result.text : ''];
  let nearest: { length: number; problems: string[] } | undefined;
  for (const text of new Set(texts)) {
    for (const { value, length } of findJson(text)) {
      const prepared = prepare(value);
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
