import * as z from 'zod/mini';
import {
  choice,
  ifGiven,
  LINES,
  list,
  NO_TOKEN,
  oneOf,
  optional,
  parseStepInputs,
  token,
  wholeNumber,
  withDefault,
  type InputProblem,
} from '../core/input-shapes.js';
import { SEVERITIES } from '../report/findings.js';

/** Every input of publish/action.yml by its name. */
const PublishSchema = z.object({
  'report-file': list(LINES).check(
    z.minLength(
      1,
      'name the report of the agent step, as in ${{ steps.agent.outputs.report-file }}. It is empty if that step did not run, or has another id',
    ),
    z.maxLength(500, 'name at most 500 reports, or a folder'),
  ),
  as: choice('comment', 'comment', 'review', 'reply', 'annotations', 'check'),
  'patch-file': optional,
  'github-token': token,
  'pr-number': wholeNumber(2_000_000_000),
  key: z.pipe(
    withDefault('default'),
    z.string().check(z.regex(/^[\w .:/-]{1,100}$/, 'use up to 100 letters, digits, blanks and . : / _ -')),
  ),
  event: choice('COMMENT', 'COMMENT', 'auto'),
  'minimum-severity': choice('low', ...SEVERITIES),
  'max-comments': wholeNumber(100),
  'fix-command': choice('false', 'false', 'true'),
  'expected-reports': wholeNumber(10_000),
  'fail-on-severity': ifGiven(oneOf(...SEVERITIES)),
});
/** Comments of a review on lines. With more, readers skip all of them. */
export const DEFAULT_COMMENTS = 10;

type PublishInputName = keyof typeof PublishSchema.shape;
export const PUBLISH_INPUTS = Object.keys(PublishSchema.shape) as PublishInputName[];

export type PublishInputs = ReturnType<typeof toInputs>;

/** Parses the raw strings. Returns the inputs, or every problem at once. */
export function parsePublishInputs(
  raw: Readonly<Record<PublishInputName, string>>,
): PublishInputs | { problems: InputProblem[] } {
  const problems: InputProblem[] = [];
  if (raw['github-token'] === '' && raw.as !== 'annotations') problems.push(NO_TOKEN);
  if (raw['patch-file'] !== '' && raw.as !== 'reply')
    problems.push({ input: 'patch-file', message: 'is only for as: reply; leave it out.' });
  const parsed = parseStepInputs(PublishSchema, raw, problems);
  return 'problems' in parsed ? parsed : toInputs(parsed.data);
}

function toInputs(data: z.output<typeof PublishSchema>) {
  return {
    reportFiles: data['report-file'],
    as: data.as,
    patchFile: data['patch-file'],
    token: data['github-token'] ?? '',
    pullNumber: data['pr-number'],
    key: data.key,
    /** The event of a review, as GitHub's API names it, or `auto`: it requests changes if a finding is severe. */
    reviewEvent: data.event,
    minimumSeverity: data['minimum-severity'],
    maxComments: data['max-comments'] ?? DEFAULT_COMMENTS,
    /** Whether a workflow of the repository answers `/cursor fix`. */
    hasFixCommand: data['fix-command'] === 'true',
    expectedReports: data['expected-reports'],
    failOnSeverity: data['fail-on-severity'],
  };
}
