import * as z from 'zod/mini';
import { messageOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import {
  connectGithub,
  EMPTY_TOKEN,
  PAGE,
  parseRepository,
  type Connection,
  type GithubClient,
} from '../github/client.js';
import { lookUpPull, readPullDetails, type GithubEvent, type PullDetails } from '../github/event.js';
import { mayPass } from '../github/github-error.js';
import { lookUpPermission } from './check-trigger.js';
import { aboutCommit, readPushes, short } from './commented-commit.js';
import { decide, type Decision, type Permission } from './decide.js';
import {
  assessFork,
  decideApproval,
  findApprovals,
  type ForkRecord,
  type ForkRules,
  type LabelEvent,
  type ReviewEvent,
} from './fork-review.js';

export interface ForkRequest extends ForkRules, Pick<Connection, 'apiUrl' | 'cancel' | 'clock'> {
  token: string | undefined;
}

/**
 * Whether a fork's pull request may be reviewed, by what GitHub has recorded about it. Returns the event about the one
 * commit that may be, or stops the run.
 */
export async function admitFork(
  event: GithubEvent,
  request: ForkRequest,
): Promise<{ event: GithubEvent; why: string }> {
  const { token, apiUrl, cancel, clock } = request;
  const repository = parseRepository(event.repository);
  if (!token) throw unknown(new Error(EMPTY_TOKEN));
  if (!repository) throw unknown(new Error('GITHUB_REPOSITORY is not owner/name.'));
  const connection = { token, apiUrl, cancel, ...(clock ? { clock } : {}) };
  const github = connectGithub({ ...connection, repository });
  try {
    const pull = await findPull(github, event);
    const commit = event.head;
    if (commit === undefined) throw new Error('The event names no commit.');
    const about = { details: pull.details, commit };
    const decision = await decideAbout(
      event,
      { ...request, ...connection, github, number: pull.number },
      about,
    );
    if (decision.kind === 'refused') throw new RunFailure(decision.reason, decision.why);
    return { event: aboutCommit(event, pull, commit), why: decision.why };
  } catch (error) {
    throw error instanceof RunFailure ? error : unknown(error);
  }
}

const unknown = (error: unknown): RunFailure =>
  new RunFailure(
    mayPass(error) ? 'network' : 'untrusted-event',
    `The action could not find out whether this pull request from a fork may be reviewed. ${messageOf(error)}`,
    { cause: error },
  );

interface Asking extends ForkRules, Omit<Connection, 'repository'> {
  github: GithubClient;
  number: number;
}

async function decideAbout(
  event: GithubEvent,
  asking: Asking,
  about: Pick<ForkRecord, 'details' | 'commit'>,
): Promise<Decision> {
  const permissionsOf = (logins: readonly string[]) => lookUpPermissions(event.repository, logins, asking);
  const assessment = assessFork(event, about.details, asking);
  if (assessment.kind !== 'needs-approval')
    return decide(assessment, await permissionsOf(assessment.kind === 'depends' ? assessment.logins : []));
  const found = findApprovals({ ...about, ...(await readRecord(asking, about.details)) });
  const permissions = await permissionsOf(found.approvals.map(({ by }) => by));
  return decideApproval(about, found, { permissions, allowedActors: asking.allowedActors });
}

/** A pull request has few people who approve it. */
const MOST_LOGINS = 10;

async function lookUpPermissions(
  repository: string,
  logins: readonly string[],
  { token, apiUrl, cancel, clock }: Asking,
): Promise<Map<string, Permission>> {
  const found = new Map<string, Permission>();
  for (const login of logins.slice(0, MOST_LOGINS))
    found.set(
      login,
      await lookUpPermission({ login, repository, token, apiUrl, cancel, ...(clock ? { clock } : {}) }),
    );
  return found;
}

interface FoundPull {
  number: number;
  details: PullDetails;
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
      `${found.length === 0 ? 'No' : 'More than one'} open pull request has ${short(head ?? '')} of ${repository} as its newest commit.`,
    );
  return first;
}

const Person = z.nullish(z.looseObject({ login: z.string() }));
const EventsSchema = z.array(
  z.looseObject({
    event: z.string(),
    created_at: z.string(),
    actor: Person,
    label: z.optional(z.looseObject({ name: z.nullish(z.string()) })),
  }),
);
const ReviewsSchema = z.array(
  z.looseObject({ state: z.string(), user: Person, commit_id: z.nullish(z.string()) }),
);
/** If there are more, the label counts as not set. */
const MOST_PAGES = 20;

async function readRecord(
  { github, number, ...connection }: Asking,
  { head }: PullDetails,
): Promise<Pick<ForkRecord, 'labels' | 'reviews' | 'pushes'>> {
  const events = await github.readPages(
    {
      doing: `read when pull request ${number} was labelled`,
      route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/events',
      parameters: { issue_number: number },
      needs: 'pull-requests: read',
      shape: EventsSchema,
    },
    MOST_PAGES,
  );
  const reviews = await github.readPages(
    {
      doing: `read the reviews of pull request ${number}`,
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
      parameters: { pull_number: number },
      needs: 'pull-requests: read',
      shape: ReviewsSchema,
    },
    MOST_PAGES,
  );
  return {
    labels: events.map(({ event, label, actor, created_at: at }): LabelEvent => ({
      ...{ event, label: label?.name ?? '', by: actor?.login, at },
    })),
    reviews: reviews.map(({ state, user, commit_id: commit }): ReviewEvent => ({
      ...{ state, by: user?.login, commit: commit ?? undefined },
    })),
    pushes: await readPushes(connection, head),
  };
}
