import * as z from 'zod/mini';
import { RunFailure } from '../core/failure.js';
import { PAGE, type GithubClient } from '../github/client.js';
import { lookUpPull, readPullDetails, type GithubEvent, type PullDetails } from '../github/event.js';
import { shortCommit } from '../text/format.js';
import { connectTo, couldNotFindOut, lookUpPermissions, type GithubAccess } from './check-trigger.js';
import { aboutCommit, commitAt, readPushes, type Push } from './commented-commit.js';
import {
  allowed,
  assessPeople,
  decideTrigger,
  namedTest,
  problemWith,
  quoteName,
  refused,
  type Assessment,
  type TriggerDecision,
  type Permission,
} from './decide.js';

export const FORK_REVIEWS = ['labelled', 'known-contributors', 'all'] as const;
type ForkReviews = (typeof FORK_REVIEWS)[number];

/** A user with write access sets it to have a pull request from a fork reviewed. */
const REVIEW_LABEL = 'cursor-review';

/** The settings that decide whether a fork's change may be shown to an agent in a run with secrets. */
export interface ForkSettings {
  preset: string;
  allow: readonly unknown[];
  mode?: string | undefined;
  extraArgs: readonly unknown[];
  isolation: string;
  network: string;
  allowedHosts?: readonly unknown[];
  credential: string;
  mcpConfig?: string | undefined;
  passEnv: readonly unknown[];
  resume?: string | undefined;
  projectRules: string;
}

/** What must hold, and the words for a setting that is missing. */
const CONDITIONS: readonly { needs: string; holds: (settings: ForkSettings) => boolean }[] = [
  { needs: 'preset: review', holds: ({ preset }) => preset === 'review' },
  {
    needs: 'no allow, mode or extra-args, which would change what the preset permits',
    holds: ({ allow, mode, extraArgs }) => allow.length === 0 && mode === undefined && extraArgs.length === 0,
  },
  { needs: 'isolation: required', holds: ({ isolation }) => isolation === 'required' },
  { needs: 'network: required', holds: ({ network }) => network === 'required' },
  // Each of them would be a way out for what the agent reads.
  { needs: 'no allowed-hosts', holds: ({ allowedHosts = [] }) => allowedHosts.length === 0 },
  { needs: 'credential: token', holds: ({ credential }) => credential === 'token' },
  { needs: 'no mcp-config', holds: ({ mcpConfig }) => mcpConfig === undefined },
  { needs: 'no pass-env', holds: ({ passEnv }) => passEnv.length === 0 },
  { needs: 'no resume', holds: ({ resume }) => resume === undefined },
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
    `${event.name} is about code of the fork ${quoteName(fork)}, and runs with the secrets of ${quoteName(event.repository)}. ` +
    `The action reviews such a change only under safe conditions. This run still needs: ${missing.join('; ')}. ` +
    'This action’s recipe for reviews of forks meets them all. Or use on: pull_request instead, which gives a fork no secrets.'
  );
}

export interface ForkRules {
  forkReviews: ForkReviews;
  allowedActors: readonly string[];
}

/**
 * Whether a fork's pull request may be reviewed, by what GitHub has recorded about it. Returns the event about the one
 * commit that may be, or stops the run.
 */
export async function admitFork(
  event: GithubEvent,
  rules: ForkRules,
  access: GithubAccess,
): Promise<{ event: GithubEvent; why: string }> {
  const permissionsOf = (logins: readonly string[]) =>
    lookUpPermissions(event.repository, logins.slice(0, MAX_LOGINS), access);
  const decide = async (github: GithubClient, pull: FoundPull, commit: string): Promise<TriggerDecision> => {
    const { author, association } = pull.details;
    const isUnlisted = rules.forkReviews === 'known-contributors' && !isListed(association);
    const permission = isUnlisted ? (await permissionsOf([author])).get(author) : undefined;
    const assessment = assessFork(event, { author, association, permission }, rules);
    if (assessment.kind === 'depends')
      return decideTrigger(assessment, await permissionsOf(assessment.logins));
    if (assessment.kind !== 'needs-approval') return assessment;
    const record = { details: pull.details, commit, ...(await readRecord(github, pull, access)) };
    const found = findApprovals(record);
    const permissions = await permissionsOf(found.approvals.map(({ login }) => login));
    return decideApproval(record, found, { ...rules, permissions });
  };
  try {
    const github = connectTo(event.repository, access);
    const pull = await findPull(github, event);
    const commit = event.head;
    if (commit === undefined) throw new Error('The event names no commit.');
    const decision = await decide(github, pull, commit);
    if (decision.kind === 'refused') throw new RunFailure(decision.reason, decision.why);
    return { event: aboutCommit(event, pull, commit), why: decision.why };
  } catch (error) {
    if (error instanceof RunFailure) throw error;
    throw couldNotFindOut('whether this pull request from a fork may be reviewed', error);
  }
}

/** A pull request has few people who approve it. */
const MAX_LOGINS = 10;

interface FoundPull {
  number: number;
  details: PullDetails;
}

/** What GitHub keeps about a label, the oldest first. */
export interface LabelEvent {
  event: string;
  label: string;
  /** Missing if the account was deleted. */
  by: string | undefined;
  at: string;
}

interface ReviewEvent {
  state: string;
  by: string | undefined;
  commit: string | undefined;
}

export interface ForkRecord {
  details: PullDetails;
  commit: string;
  labels: readonly LabelEvent[];
  reviews: readonly ReviewEvent[];
  pushes: readonly Push[];
}

/** A user who approved a commit. Whether they may do that is decided later. */
interface Approval {
  login: string;
  method: string;
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
  const approvals = [...approving].map((login) => ({ login, method: 'an approving review' }));
  const label = labels.filter((each) => each.label === REVIEW_LABEL).at(-1);
  if (label?.event !== 'labeled' || !details.labels.includes(REVIEW_LABEL))
    return { approvals, problems: [`It does not have the label ${REVIEW_LABEL}.`] };
  if (label.by === undefined)
    return { approvals, problems: ['GitHub does not say who set the label; remove it and set it again.'] };
  const labelled = commitAt(pushes, details.head.branch, label.at);
  if (labelled === commit)
    return {
      approvals: [{ login: label.by, method: `the label ${REVIEW_LABEL}` }, ...approvals],
      problems: [],
    };
  const when =
    labelled === undefined
      ? 'GitHub has no record of a push before the label was set.'
      : `The label was set when ${shortCommit(labelled)} was the newest commit. Look at ${shortCommit(commit)}, then remove the label and set it again.`;
  return { approvals, problems: [when] };
}

/** Whether the author has commits in the repository or belongs to it. GitHub does not list members who hide that they are. */
const isListed = (association = ''): boolean =>
  ['CONTRIBUTOR', 'COLLABORATOR', 'MEMBER', 'OWNER'].includes(association);

interface ForkAuthor {
  author: string;
  association: string | undefined;
  /** Looked up if the association says nothing. */
  permission?: Permission | undefined;
}

/**
 * What can be said without an approval: the people on whom it depends, or that an approval is needed. Bots are refused
 * unless they are named, as for every event.
 */
export function assessFork(
  event: GithubEvent,
  { author, association, permission }: ForkAuthor,
  { forkReviews, allowedActors }: ForkRules,
): Assessment | { kind: 'needs-approval' } {
  const isKnown = isListed(association) || (permission && problemWith(author, permission) === undefined);
  if (forkReviews === 'labelled' || (forkReviews === 'known-contributors' && !isKnown))
    return { kind: 'needs-approval' };
  const people = event.payload
    ? assessPeople(event, event.payload, allowedActors)
    : refused('actor-not-allowed', 'The payload of the event is missing or unreadable.');
  if (people.kind !== 'depends') return people;
  const why = `Reviewing a fork’s pull request by ${quoteName(author)}: fork-reviews is ${forkReviews}.`;
  if (forkReviews === 'all') return allowed(why);
  // The author may be known, and another user may push to the fork.
  const others = people.logins.filter((login) => login.toLowerCase() !== author.toLowerCase());
  return others.length === 0 ? allowed(why) : { kind: 'depends', logins: others, why };
}

/** Whether one of the approvals is by a user who may approve. */
export function decideApproval(
  { details, commit }: { details: PullDetails; commit: string },
  { approvals, problems }: ReturnType<typeof findApprovals>,
  rules: { permissions: ReadonlyMap<string, Permission>; allowedActors: readonly string[] },
): TriggerDecision {
  const isNamed = namedTest(rules.allowedActors);
  const refusals: string[] = [];
  for (const { login, method } of approvals) {
    const problem = isNamed(login) ? undefined : problemWith(login, rules.permissions.get(login));
    if (problem === undefined)
      return allowed(
        `Reviewing ${shortCommit(commit)} of a fork, approved by ${quoteName(login)} with ${method}.`,
      );
    refusals.push(problem);
  }
  return refused(
    'untrusted-event',
    `The pull request of ${quoteName(details.author)} comes from a fork, and commit ${shortCommit(commit)} was not approved. ` +
      `${[...problems, ...refusals].join(' ')} To have it reviewed, a user with write access sets the label ` +
      `${REVIEW_LABEL}, or approves this commit in a review.`,
  );
}

/**
 * The pull request as it is now. The event of a CI run does not name those of forks, so they are looked up by the branch
 * and the commit that CI ran for.
 */
async function findPull(github: GithubClient, event: GithubEvent): Promise<FoundPull> {
  const { name, pull, origin, head } = event;
  if (name !== 'workflow_run') {
    if (!pull) throw new Error('The event names no pull request.');
    return { number: pull.number, details: await lookUpPull(github, pull.number) };
  }
  const { repository = '', branch = '' } = origin ?? {};
  const listed = await github.read({
    doing: 'find the pull request that CI ran for',
    route: 'GET /repos/{owner}/{repo}/pulls',
    parameters: { state: 'open', head: `${repository.split('/')[0] ?? ''}:${branch}`, per_page: PAGE },
    needs: 'pull-requests: read',
    shape: z.array(z.looseObject({ number: z.number() })),
  });
  const found = listed.flatMap((each): FoundPull[] => {
    const details = readPullDetails(each);
    const isSame = details?.head.commit === head && details?.head.repository === repository;
    return details && isSame ? [{ number: each.number, details }] : [];
  });
  const [first, ...others] = found;
  if (!first || others.length > 0)
    throw new Error(
      `${found.length === 0 ? 'No' : 'More than one'} open pull request has ${shortCommit(head ?? '')} of ${repository} as its newest commit.`,
    );
  return first;
}

const Person = z.nullish(z.looseObject({ login: z.string() }));
const EventsSchema = z.array(
  z.pipe(
    z.looseObject({
      event: z.string(),
      created_at: z.string(),
      actor: Person,
      label: z.optional(z.looseObject({ name: z.nullish(z.string()) })),
    }),
    z.transform(({ event, label, actor, created_at: at }): LabelEvent => ({
      event,
      label: label?.name ?? '',
      by: actor?.login,
      at,
    })),
  ),
);
const ReviewsSchema = z.array(
  z.pipe(
    z.looseObject({ state: z.string(), user: Person, commit_id: z.nullish(z.string()) }),
    z.transform(({ state, user, commit_id: commit }): ReviewEvent => ({
      state,
      by: user?.login,
      commit: commit ?? undefined,
    })),
  ),
);

async function readRecord(github: GithubClient, { number, details }: FoundPull, access: GithubAccess) {
  // If there are more events, the label counts as not set.
  const list = { needs: 'pull-requests: read', maxPages: 20 };
  return {
    labels: await github.readPages({
      ...list,
      doing: `read when pull request ${number} was labelled`,
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/events',
      parameters: { issue_number: number },
      shape: EventsSchema,
    }),
    reviews: await github.readPages({
      ...list,
      doing: `read the reviews of pull request ${number}`,
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
      parameters: { pull_number: number },
      shape: ReviewsSchema,
    }),
    pushes: await readPushes(details.head, access),
  };
}
