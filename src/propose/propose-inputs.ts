import * as z from 'zod/mini';
import {
  choice,
  issueProblem,
  LINES_OR_COMMAS,
  list,
  optional,
  patterns,
  quote,
  token,
  wholeNumber,
  type InputProblem,
} from '../core/input-shapes.js';
import { branchProblem } from './branch-name.js';

const branch = z.pipe(
  optional,
  z.optional(
    z.string().check(
      z.refine((name) => branchProblem(name) === undefined, {
        error: ({ input }) => branchProblem(String(input)) ?? '',
      }),
    ),
  ),
);

/** GitHub allows 256 characters in a title and 65,536 in a description, part of which is ours. */
const text = (most: number) =>
  z.pipe(optional, z.optional(z.string().check(z.maxLength(most, `use at most ${most} characters`))));

/** Names of a list. GitHub allows up to 100 labels, 15 reviewers and 10 assignees. */
const names = (what: string, shape: RegExp, most: number) =>
  list(LINES_OR_COMMAS).check(
    z.maxLength(most, `name at most ${most} ${what}`),
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
export const ProposeSchema = z.object({
  'patch-file': optional,
  'report-file': optional,
  branch,
  base: branch,
  title: text(256),
  body: text(40_000),
  'commit-message': text(20_000),
  fixes: wholeNumber(2_000_000_000),
  labels: names('labels', /^[^\s](?:.{0,48}[^\s])?$/s, 50),
  reviewers: names('reviewers', LOGIN, 15),
  'team-reviewers': names('teams', TEAM, 15),
  assignees: names('assignees', LOGIN, 10),
  draft: choice('false', 'true', 'false'),
  paths: patterns,
  'deny-paths': patterns,
  target: choice('new-branch', 'new-branch', 'pull-request-branch'),
  'github-token': token,
});
export type ProposeInputName = keyof typeof ProposeSchema.shape;
export const PROPOSE_INPUTS = Object.keys(ProposeSchema.shape) as ProposeInputName[];

export interface ProposeInputs {
  patchFile: string | undefined;
  reportFile: string | undefined;
  branch: string | undefined;
  base: string | undefined;
  title: string | undefined;
  body: string | undefined;
  commitMessage: string | undefined;
  /** The number of an issue. */
  fixes: number | undefined;
  people: People;
  draft: boolean;
  paths: string[];
  denyPaths: string[];
  target: 'new-branch' | 'pull-request-branch';
  token: string;
}

/** Who and what is added to a new pull request. */
export interface People {
  labels: string[];
  reviewers: string[];
  teamReviewers: string[];
  assignees: string[];
}

/** Raw strings → inputs, or every problem at once. */
export function parseProposeInputs(
  raw: Readonly<Record<ProposeInputName, string>>,
): ProposeInputs | { problems: InputProblem[] } {
  const parsed = ProposeSchema.safeParse(raw);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => issueProblem(issue, raw, ['github-token']));
  if (raw['github-token'] === '') {
    const message = 'is empty; leave the input out, or set it to ${{ github.token }}.';
    problems.push({ input: 'github-token', message });
  }
  if (raw.branch !== '' && raw.branch === raw.base)
    problems.push({ input: 'branch', message: 'is the same as base; the change needs a branch of its own.' });
  if (!parsed.success || problems.length > 0) return { problems };
  const { data } = parsed;
  return {
    patchFile: data['patch-file'],
    reportFile: data['report-file'],
    branch: data.branch,
    base: data.base,
    title: data.title,
    body: data.body,
    commitMessage: data['commit-message'],
    fixes: data.fixes,
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
