import type { AppliedPatch } from '../git/apply-patch.js';
import type { Account } from '../github/account.js';
import { GithubError } from '../github/github-error.js';
import type { ProposalApi, PullRequest } from './proposal-api.js';

/** What both targets need. */
export interface Proposal {
  api: ProposalApi;
  viewer: Account;
  /** `node` is its id for GraphQL. */
  repository: { node: string; defaultBranch: string; name: string; url: string };
  patch: AppliedPatch;
}

/** The result of the step. */
export interface Outcome {
  operation: 'created' | 'updated' | 'none';
  pull: Pick<PullRequest, 'number' | 'url'> | undefined;
  branch: string;
  commit: string;
  /** What a reader should know; each is a sentence. */
  notes: string[];
}

/** GitHub refused what we sent, not us: the branch was not where we saw it, or a rule forbids it. */
export const isConflict = (error: unknown): error is GithubError =>
  error instanceof GithubError && [409, 422].includes(error.failure.status ?? 0);

export const RULES_REMEDY =
  'If a rule or a protection of the repository forbids this branch, choose another with the input branch, or let the ' +
  'account of github-token bypass the rule.';

export const short = (commit: string): string => commit.slice(0, 12);
