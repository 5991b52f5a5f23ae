import type { Commits } from '../context/git-change.js';
import type { Subject } from '../context/subject.js';
import type { PlanInputs } from './plan-inputs.js';

const REMEDY = 'Give the inputs base and head, or run this on another event.';

/** Which change is shared out: the one that was named, or else the event's own. */
export function plannedCommits({ base, head }: Pick<PlanInputs, 'base' | 'head'>, subject: Subject): Commits {
  if (base !== undefined && head !== undefined) return { kind: 'known', base, head, history: 'forked' };
  const commits = subject.change?.commits;
  const event = subject.event === '' ? 'A run without an event' : `This ${subject.event} event`;
  if (!commits) {
    throw new Error(
      `${event} is about no change, as pull requests, merge groups and pushes of a branch are. ${REMEDY}`,
    );
  }
  if (commits.kind === 'of-pull')
    throw new Error(`${event} names its pull request, but not the commits of it. ${REMEDY}`);
  return commits;
}
