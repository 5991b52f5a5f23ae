import { ExplainedError } from '../core/errors.js';
import type { Commits, GithubEvent } from '../github/event.js';
import type { PlanInputs } from './plan-inputs.js';

const REMEDY = 'Give the inputs base and head, or run this on another event.';

/** The change to split up: the one that the inputs name, or the change of the event. */
export function plannedCommits(
  { base, head }: Pick<PlanInputs, 'base' | 'head'>,
  event: Pick<GithubEvent, 'name' | 'change'>,
): Commits {
  if (base !== undefined && head !== undefined) return { kind: 'known', base, head, history: 'forked' };
  const commits = event.change?.commits;
  const what = event.name === '' ? 'A run without an event' : `This ${event.name} event`;
  if (!commits) {
    throw new ExplainedError(
      `${what} is about no change, as pull requests, merge groups and pushes of a branch are. ${REMEDY}`,
    );
  }
  if (commits.kind === 'of-pull')
    throw new ExplainedError(`${what} names its pull request, but not the commits of it. ${REMEDY}`);
  return commits;
}
