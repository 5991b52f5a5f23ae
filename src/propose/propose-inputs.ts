import * as z from 'zod/mini';
import {
  allowPatterns,
  branchName,
  choice,
  ifGiven,
  ignorePatterns,
  LINES_OR_COMMAS,
  list,
  NO_TOKEN,
  optional,
  parseStepInputs,
  quote,
  token,
  wholeNumber,
  type InputProblem,
} from '../core/input-shapes.js';
import { digest } from '../github/marker.js';

/** GitHub allows 256 characters in a title and 65,536 in a description, part of which is ours. */
const text = (max: number) => ifGiven(z.string().check(z.maxLength(max, `use at most ${max} characters`)));

/** Names of a list. GitHub allows up to 100 labels, 15 reviewers and 10 assignees. */
const names = (what: string, shape: RegExp, max: number) =>
  list(LINES_OR_COMMAS).check(
    z.maxLength(max, `name at most ${max} ${what}`),
    z.refine((all) => all.every((name) => shape.test(name)), {
      error: ({ input }) => {
        const wrong = (input as string[]).find((name) => !shape.test(name)) ?? '';
        return `${quote(wrong)} cannot be one of the ${what}`;
      },
    }),
  );
const LOGIN = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98})$/;
/** The name of a team, or `organization/team`. */
const TEAM = /^(?:[A-Za-z0-9-]{1,100}\/)?[A-Za-z0-9._-]{1,100}$/;

/** Every input of propose/action.yml by its name. */
const ProposeSchema = z.object({
  'patch-file': optional,
  'report-file': optional,
  branch: branchName,
  base: branchName,
  title: text(256),
  body: text(40_000),
  'commit-message': text(20_000),
  fixes: wholeNumber(2_000_000_000),
  labels: names('labels', /^[^\s](?:.{0,48}[^\s])?$/s, 50),
  reviewers: names('reviewers', LOGIN, 15),
  'team-reviewers': names('teams', TEAM, 15),
  assignees: names('assignees', LOGIN, 10),
  draft: choice('false', 'true', 'false'),
  paths: allowPatterns,
  'deny-paths': ignorePatterns,
  target: choice('new-branch', 'new-branch', 'pull-request-branch'),
  'github-token': token,
});
type ProposeInputName = keyof typeof ProposeSchema.shape;
export const PROPOSE_INPUTS = Object.keys(ProposeSchema.shape) as ProposeInputName[];

export type ProposeInputs = ReturnType<typeof toInputs>;
export type People = ProposeInputs['people'];

/** Parses the raw strings. Returns the inputs, or every problem at once. */
export function parseProposeInputs(
  raw: Readonly<Record<ProposeInputName, string>>,
): ProposeInputs | { problems: InputProblem[] } {
  const problems: InputProblem[] = [];
  if (raw['github-token'] === '') problems.push(NO_TOKEN);
  if (raw.branch !== '' && raw.branch === raw.base)
    problems.push({ input: 'branch', message: 'is the same as base; the change needs a branch of its own.' });
  const parsed = parseStepInputs(ProposeSchema, raw, problems);
  return 'problems' in parsed ? parsed : toInputs(parsed.data);
}

function toInputs(data: z.output<typeof ProposeSchema>) {
  return {
    patchFile: data['patch-file'],
    reportFile: data['report-file'],
    branch: data.branch,
    base: data.base,
    title: data.title,
    body: data.body,
    commitMessage: data['commit-message'],
    /** The number of an issue. */
    fixes: data.fixes,
    /** Who and what is added to a new pull request. */
    people: {
      labels: data.labels,
      reviewers: data.reviewers,
      teamReviewers: data['team-reviewers'],
      assignees: data.assignees,
    },
    draft: data.draft === 'true',
    paths: data.paths,
    denyPaths: data['deny-paths'],
    target: data.target,
    token: data['github-token'] ?? '',
  };
}

/**
 * The branch of this job for this base, the same in every run. The last part keeps apart what the readable part would
 * not: jobs of other workflows with similar names, and other bases. `workflowRef` is GITHUB_WORKFLOW_REF:
 * `owner/name/.github/workflows/file.yml@ref`.
 */
export function defaultBranch({
  workflowRef,
  job,
  base,
}: Readonly<Record<'workflowRef' | 'job' | 'base', string>>): string {
  const path = workflowRef.replace(/@.*$/s, '');
  const file = (path.split('/').pop() ?? '').replace(/\.ya?ml$/i, '');
  const words = slug(file) || slug(job) || 'changes';
  return `cursor-agent/${words}-${digest('branch', path, job, base).slice(0, 8)}`;
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
