import { GithubError } from '../github/github-error.js';
import type { ProposalApi } from './proposal-api.js';
import type { People } from './propose-inputs.js';

/**
 * Adds labels, reviewers and assignees to a new pull request. Whatever GitHub refuses becomes a note: the pull request
 * is there, and is worth more than its labels.
 */
export async function addPeople(api: ProposalApi, number: number, people: People): Promise<string[]> {
  const { labels, reviewers, teamReviewers, assignees } = people;
  const notes: string[] = [];
  const each = async (what: string, names: readonly string[], add: (some: string[]) => Promise<unknown>) => {
    for (const name of await refused([...names], add))
      notes.push(`GitHub did not accept the ${what} ${name}.`);
  };
  await each('label', labels, (some) => api.addLabels(number, some));
  await each('reviewer', reviewers, (some) => api.requestReviewers(number, { reviewers: some }));
  const before = notes.length;
  await each('team', teamReviewers.map(teamName), (some) =>
    api.requestReviewers(number, { team_reviewers: some }),
  );
  if (notes.length > before)
    notes.push(
      'To ask a team for a review, use the token of a GitHub App that may read the members of the organization.',
    );
  if (assignees.length > 0) {
    const assigned = await assignTo(api, number, assignees);
    for (const name of assignees.filter((login) => !assigned.has(login.toLowerCase())))
      notes.push(`GitHub did not accept the assignee ${name}.`);
  }
  return notes;
}

/** GitHub wants the name of a team without its organization. */
const teamName = (team: string): string => team.replace(/^.*\//, '');

/** One name that is wrong makes GitHub refuse them all, so they are then tried one by one. */
async function refused(names: string[], add: (some: string[]) => Promise<unknown>): Promise<string[]> {
  if (names.length === 0) return [];
  try {
    await add(names);
    return [];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (names.length === 1) return names;
    const left: string[] = [];
    for (const name of names) left.push(...(await refused([name], add)));
    return left;
  }
}

async function assignTo(
  api: ProposalApi,
  number: number,
  assignees: readonly string[],
): Promise<Set<string>> {
  try {
    return new Set((await api.addAssignees(number, assignees)).map((login) => login.toLowerCase()));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return new Set();
  }
}

const isRefusal = (error: unknown): boolean => error instanceof GithubError;
