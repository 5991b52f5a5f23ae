import type { GithubEvent, PullDetails } from '../github/event.js';
import { commitAt, short, type Push } from './commented-commit.js';
import {
  allowed,
  assessPeople,
  problemWith,
  quote,
  refused,
  type Assessment,
  type Decision,
  type Permission,
} from './decide.js';

/** Whose pull requests from forks are reviewed. */
export const FORK_REVIEWS = ['labelled', 'known-contributors', 'all'] as const;
export type ForkReviews = (typeof FORK_REVIEWS)[number];

/** Somebody with write access sets it to have a pull request from a fork reviewed. */
export const REVIEW_LABEL = 'cursor-review';

/** The settings on which it depends whether a fork's change may be shown to an agent in a run with secrets. */
export interface ForkSettings {
  preset: string;
  allow: readonly unknown[];
  mode?: string | undefined;
  force?: boolean | undefined;
  extraArgs: readonly unknown[];
  isolation: string;
  network: string;
  allowedHosts?: readonly unknown[];
  credential: string;
  mcpConfig?: string | undefined;
  passEnv: readonly unknown[];
  resume?: string | undefined;
  reuseResult?: boolean;
  projectRules: string;
}

/** What must hold, and the words for a setting that is missing. */
const CONDITIONS: readonly { needs: string; holds: (settings: ForkSettings) => boolean }[] = [
  { needs: 'preset: review', holds: ({ preset }) => preset === 'review' },
  {
    needs: 'no allow, mode, force or extra-args, which would change what the preset permits',
    holds: ({ allow, mode, force, extraArgs }) =>
      allow.length === 0 && mode === undefined && force === undefined && extraArgs.length === 0,
  },
  { needs: 'isolation: required', holds: ({ isolation }) => isolation === 'required' },
  { needs: 'network: required', holds: ({ network }) => network === 'required' },
  // Each of them would be a way out for what the agent reads.
  { needs: 'no allowed-hosts', holds: ({ allowedHosts = [] }) => allowedHosts.length === 0 },
  { needs: 'credential: token', holds: ({ credential }) => credential === 'token' },
  { needs: 'no mcp-config', holds: ({ mcpConfig }) => mcpConfig === undefined },
  { needs: 'no pass-env', holds: ({ passEnv }) => passEnv.length === 0 },
  { needs: 'no resume', holds: ({ resume }) => resume === undefined },
  // Whoever can write to the cache must not be able to say what was found in a fork's change.
  { needs: 'no reuse-result', holds: ({ reuseResult = false }) => !reuseResult },
  {
    needs: 'project-rules: base, auto or none',
    holds: ({ projectRules }) => projectRules !== 'head',
  },
];

/** The settings that are missing for the review of a fork. Isolation and network fail the run if they do not work. */
export const missingSettings = (settings: ForkSettings): string[] =>
  CONDITIONS.filter(({ holds }) => !holds(settings)).map(({ needs }) => needs);

/** Why a fork is not reviewed, with everything that is missing. */
export function describeMissing(event: GithubEvent, fork: string, missing: readonly string[]): string {
  return (
    `${event.name} is about code of the fork ${quote(fork)}, and runs with the secrets of ${quote(event.repository)}. ` +
    `The action reviews such a change only under safe conditions. This run still needs: ${missing.join('; ')}. ` +
    'The recipe fork-review.yml meets them all. Or use on: pull_request instead, which gives a fork no secrets.'
  );
}

/** What GitHub keeps about a label, the oldest first. */
export interface LabelEvent {
  event: string;
  label: string;
  /** Missing if the account was deleted. */
  by: string | undefined;
  at: string;
}

/** A review of a pull request, with the commit that it is about. */
export interface ReviewEvent {
  state: string;
  by: string | undefined;
  commit: string | undefined;
}

/** What GitHub has recorded about a pull request from a fork. */
export interface ForkRecord {
  details: PullDetails;
  /** The commit that would be reviewed. */
  commit: string;
  labels: readonly LabelEvent[];
  reviews: readonly ReviewEvent[];
  pushes: readonly Push[];
}

/** Somebody who may have approved a commit. Whether they could is another question. */
export interface Approval {
  by: string;
  how: string;
}

/**
 * Who approved this commit, and why the label does not count if it does not.
 *
 * A label says nothing about a commit, and neither the dates in commits nor their order in the timeline of a pull
 * request can be relied on, because their author writes them. So the time of the label is compared with GitHub's record
 * of pushes to the fork. Both are GitHub's own. The payload of the event is not enough: it is written after the label
 * was set, and a push can come in between. A review names its commit itself.
 */
export function findApprovals({ details, commit, labels, reviews, pushes }: ForkRecord): {
  approvals: Approval[];
  problems: string[];
} {
  const approving = new Set(
    reviews.flatMap(({ state, by, commit: reviewed }) =>
      state === 'APPROVED' && reviewed === commit && by !== undefined ? [by] : [],
    ),
  );
  const approvals = [...approving].map((by) => ({ by, how: 'an approving review' }));
  const label = labels.filter((each) => each.label === REVIEW_LABEL).at(-1);
  if (label?.event !== 'labeled' || !details.labels.includes(REVIEW_LABEL))
    return { approvals, problems: [`It does not have the label ${REVIEW_LABEL}.`] };
  if (label.by === undefined)
    return { approvals, problems: ['GitHub does not say who set the label; remove it and set it again.'] };
  const labelled = commitAt(pushes, details.head.branch, label.at);
  if (labelled === commit)
    return {
      approvals: [{ by: label.by, how: `the label ${REVIEW_LABEL}` }, ...approvals],
      problems: [],
    };
  const when =
    labelled === undefined
      ? 'GitHub has no record of a push before the label was set.'
      : `The label was set when ${short(labelled)} was the newest commit. Look at ${short(commit)}, then remove the label and set it again.`;
  return { approvals, problems: [when] };
}

/** GitHub uses these for authors whose commits are in the repository, or who belong to it. */
const KNOWN: readonly string[] = ['CONTRIBUTOR', 'COLLABORATOR', 'MEMBER', 'OWNER'];

export interface ForkRules {
  forkReviews: ForkReviews;
  allowedActors: readonly string[];
}

/**
 * What can be said without an approval: the people on whom it depends, or that an approval is needed. Bots are refused
 * unless they are named, as for every event.
 */
export function assessFork(
  event: GithubEvent,
  { author, association }: Pick<PullDetails, 'author' | 'association'>,
  { forkReviews, allowedActors }: ForkRules,
): Assessment | { kind: 'needs-approval' } {
  const isKnown = KNOWN.includes(association ?? '');
  if (forkReviews === 'labelled' || (forkReviews === 'known-contributors' && !isKnown))
    return { kind: 'needs-approval' };
  const people = event.payload
    ? assessPeople(event, event.payload, allowedActors)
    : refused('actor-not-allowed', 'The payload of the event is missing or unreadable.');
  if (people.kind !== 'depends') return people;
  const why = `Reviewing a fork’s pull request by ${quote(author)}: fork-reviews is ${forkReviews}.`;
  if (forkReviews === 'all') return allowed(why);
  // The author may be known, and somebody else may push to the fork.
  const others = people.logins.filter((login) => login.toLowerCase() !== author.toLowerCase());
  return others.length === 0 ? allowed(why) : { kind: 'depends', logins: others, why };
}

/** Whether one of the approvals is by somebody who may approve. */
export function decideApproval(
  { details, commit }: Pick<ForkRecord, 'details' | 'commit'>,
  { approvals, problems }: ReturnType<typeof findApprovals>,
  {
    permissions,
    allowedActors,
  }: { permissions: ReadonlyMap<string, Permission> } & Pick<ForkRules, 'allowedActors'>,
): Decision {
  const named = new Set(allowedActors.map((login) => login.toLowerCase()));
  const refusals: string[] = [];
  for (const { by, how } of approvals) {
    const problem = named.has(by.toLowerCase()) ? undefined : problemWith(by, permissions.get(by));
    if (problem === undefined)
      return allowed(`Reviewing ${short(commit)} of a fork, approved by ${quote(by)} with ${how}.`);
    refusals.push(problem);
  }
  return refused(
    'untrusted-event',
    `The pull request of ${quote(details.author)} comes from a fork, and commit ${short(commit)} was not approved. ` +
      `${[...problems, ...refusals].join(' ')} To have it reviewed, somebody with write access sets the label ` +
      `${REVIEW_LABEL}, or approves this commit in a review.`,
  );
}
