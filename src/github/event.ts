import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { COMMIT_ID } from '../text/format.js';
import type { GithubClient } from './client.js';

/** The event that started the workflow: who caused it, and what it is about. Nothing is looked up. */
export interface GithubEvent {
  /** Empty on a developer's machine, and on a runner that does not say. */
  name: string;
  /** There is no event because no runner runs this. */
  local?: true;
  /** github.actor and github.triggering_actor: who caused the run, and who started it again. */
  actors: string[];
  /** `owner/name`. */
  repository: string;
  /** Missing if the file is missing or is not what GitHub writes. */
  payload?: Payload;
  change?: NamedChange;
  pull?: NamedPull;
  comment?: NamedComment;
  /** The issue that the event is about, as it was when the event happened. */
  issue?: NamedIssue;
  ci?: FailedCi;
  /** The commit the event is about. For a pull request it is the head. */
  head?: string;
  origin?: Origin;
}

/** The branch that a CI run was started for. Each part is missing if the event does not name it. */
export interface Origin {
  /** `owner/name`. For a pull request from a fork, the fork. */
  repository?: string;
  branch?: string;
}

/** A change of the repository, by the commits that the event names. */
export interface NamedChange {
  pullRequest?: number;
  commits:
    | Commits
    /** The event names only the pull request. GitHub knows its commits. */
    | { kind: 'of-pull' };
}

export type Commits =
  /** `straight`: the base is an ancestor of the head. `forked`: both have commits that the other one lacks. */
  | { kind: 'known'; base: string; head: string; history: 'straight' | 'forked' }
  /** A new branch: the change is what it adds to the default branch. */
  | { kind: 'new-branch'; head: string; ref: string; defaultBranch: string };

interface NamedPull {
  number: number;
  head?: string;
  details?: PullDetails;
}

export interface PullDetails {
  title: string;
  body: string;
  author: string;
  /** What GitHub says the author is to the repository, such as `CONTRIBUTOR`. Missing if it does not say. */
  association?: string;
  labels: string[];
  base: { branch: string; commit: string };
  head: { branch: string; commit: string; repository?: string };
  draft: boolean;
}

export interface NamedComment {
  id: number;
  /** For a comment on lines: the first comment of its thread, which may be this one. */
  thread?: number;
}

export interface NamedIssue {
  number: number;
  title: string;
  body: string;
  author: string;
  labels: string[];
}

export type FailedCi =
  { kind: 'run'; id: number; attempt: number; name: string } | { kind: 'check-suite'; id: number };

const Commit = z.string().check(z.regex(COMMIT_ID));
const Count = z.int().check(z.positive());

/**
 * The decision who may trigger a run depends on accounts and repositories: if one of them is malformed, the whole
 * payload is rejected. Any other field that is malformed counts as missing.
 */
const tolerant = <T extends z.ZodMiniType>(schema: T) => z.catch(z.nullish(schema), undefined);
const optionalText = tolerant(z.string());
const optionalCommit = tolerant(Commit);
const optionalCount = tolerant(Count);

const Account = z.looseObject({ login: z.string(), type: z.optional(z.string()) });
const Repository = z.looseObject({
  id: z.optional(z.number()),
  full_name: z.string(),
  default_branch: optionalText,
});

const labelList = tolerant(z.array(z.looseObject({ name: z.string() })));
const labelNames = (labels: z.output<typeof labelList>): string[] => (labels ?? []).map(({ name }) => name);

const Pull = z.looseObject({
  number: optionalCount,
  title: optionalText,
  body: optionalText,
  user: tolerant(Account),
  author_association: optionalText,
  labels: labelList,
  draft: tolerant(z.boolean()),
  base: tolerant(z.looseObject({ ref: optionalText, sha: optionalCommit })),
  head: z.nullish(
    z.looseObject({
      ref: optionalText,
      sha: optionalCommit,
      /** Null if the fork was deleted. */
      repo: z.nullish(Repository),
    }),
  ),
});

const Mention = z.looseObject({
  number: Count,
  head: tolerant(z.looseObject({ sha: Commit })),
  base: tolerant(
    z.looseObject({
      ref: optionalText,
      sha: optionalCommit,
      repo: tolerant(z.looseObject({ id: tolerant(z.number()) })),
    }),
  ),
});
const mentions = tolerant(z.array(Mention));

const PayloadSchema = z.looseObject({
  action: optionalText,
  sender: z.nullish(Account),
  repository: z.nullish(Repository),
  comment: z.nullish(
    z.looseObject({
      id: optionalCount,
      in_reply_to_id: optionalCount,
      user: z.nullish(Account),
      created_at: optionalText,
      updated_at: optionalText,
    }),
  ),
  review: z.nullish(z.looseObject({ user: z.nullish(Account) })),
  pull_request: z.nullish(Pull),
  workflow_run: z.nullish(
    z.looseObject({
      id: optionalCount,
      name: optionalText,
      workflow_id: optionalCount,
      run_attempt: optionalCount,
      head_sha: optionalCommit,
      head_branch: optionalText,
      pull_requests: mentions,
      event: z.optional(z.string()),
      head_repository: z.nullish(Repository),
      actor: z.nullish(Account),
      triggering_actor: z.nullish(Account),
    }),
  ),
  issue: tolerant(
    z.looseObject({
      number: Count,
      title: optionalText,
      body: optionalText,
      user: tolerant(Account),
      labels: labelList,
      pull_request: tolerant(z.looseObject({})),
    }),
  ),
  merge_group: tolerant(z.looseObject({ base_sha: Commit, head_sha: Commit })),
  ref: optionalText,
  before: optionalCommit,
  after: optionalCommit,
  forced: tolerant(z.boolean()),
  check_suite: tolerant(
    z.looseObject({
      id: Count,
      head_sha: Commit,
      head_branch: optionalText,
      before: optionalCommit,
      after: optionalCommit,
      pull_requests: mentions,
    }),
  ),
  check_run: tolerant(
    z.looseObject({
      head_sha: Commit,
      check_suite: z.looseObject({ id: Count, head_branch: optionalText }),
      pull_requests: mentions,
    }),
  ),
});
export type Payload = z.output<typeof PayloadSchema>;
export type EventAccount = z.output<typeof Account>;

/** Reads what the runner says about the event. `read` returns the text of a file. */
export function readGithubEvent(
  env: NodeJS.ProcessEnv,
  read: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): GithubEvent {
  const name = env['GITHUB_EVENT_NAME'] ?? '';
  const path = env['GITHUB_EVENT_PATH'] ?? '';
  const payload = path === '' ? undefined : parsePayload(() => read(path));
  const actors = [env['GITHUB_ACTOR'] ?? '', env['GITHUB_TRIGGERING_ACTOR'] ?? ''];
  const sha = Commit.safeParse(env['GITHUB_SHA']).data;
  return {
    name,
    ...(name === '' && !isOnRunner(env) ? { local: true } : {}),
    actors: [...new Set(actors.filter((login) => login !== ''))],
    repository: env['GITHUB_REPOSITORY'] || (payload?.repository?.full_name ?? ''),
    ...(payload ? { payload } : {}),
    ...((payload && describe(name, payload)) ?? (sha === undefined ? {} : { head: sha })),
  };
}

/** GitHub's runner always says so, and a workflow cannot change it. Runners of other services say it as well. */
const isOnRunner = ({ GITHUB_ACTIONS: stated = '' }: NodeJS.ProcessEnv): boolean =>
  !['', 'false'].includes(stated.toLowerCase());

function parsePayload(read: () => string): Payload | undefined {
  try {
    return PayloadSchema.safeParse(JSON.parse(read())).data;
  } catch {
    return undefined;
  }
}

type Description = Partial<GithubEvent>;

/** What the event is about; undefined if only GITHUB_SHA says so. What the payload does not say is not guessed. */
function describe(name: string, payload: Payload): Description | undefined {
  switch (name) {
    case 'pull_request':
    case 'pull_request_target':
    case 'pull_request_review':
      return payload.pull_request ? describePull(payload.pull_request) : undefined;
    case 'pull_request_review_comment': {
      const { id, in_reply_to_id: first } = payload.comment ?? {};
      if (!payload.pull_request) return undefined;
      return {
        ...describePull(payload.pull_request),
        ...(id ? { comment: { id, thread: first ?? id } } : {}),
      };
    }
    case 'push':
      return describePush(payload);
    case 'merge_group': {
      const { base_sha: base, head_sha: head } = payload.merge_group ?? {};
      return base && head ? { change: { commits: straight(base, head) }, head } : undefined;
    }
    case 'issues':
      return payload.issue ? describeIssue(payload.issue) : undefined;
    case 'issue_comment':
      return payload.issue ? describeCommented(payload.issue, payload.comment?.id) : undefined;
    case 'workflow_run':
      return describeWorkflowRun(payload);
    case 'check_suite':
      return describeCheckSuite(payload);
    case 'check_run': {
      const run = payload.check_run;
      return run ? describeSuite(payload, run, run.check_suite) : undefined;
    }
    default:
      return undefined;
  }
}

function describePull(pull: z.output<typeof Pull>): Description {
  const { number, base, head } = pull;
  const details = pullDetails(pull);
  const commit = head?.sha ? { head: head.sha } : {};
  if (!number) return commit;
  const commits = base?.sha && head?.sha ? forked(base.sha, head.sha) : ({ kind: 'of-pull' } as const);
  return {
    change: { pullRequest: number, commits },
    pull: { number, ...commit, ...(details ? { details } : {}) },
    ...commit,
  };
}

/** The details of a pull request, from an event or from the API; undefined if something essential is missing. */
export function readPullDetails(data: unknown): PullDetails | undefined {
  const pull = Pull.safeParse(data).data;
  return pull && pullDetails(pull);
}

function pullDetails(pull: z.output<typeof Pull>): PullDetails | undefined {
  const { title, body, user, author_association: association, labels, base, head, draft } = pull;
  if (typeof title !== 'string' || !base?.ref || !base.sha || !head?.ref || !head.sha) return undefined;
  return {
    title,
    body: body ?? '',
    author: user?.login ?? '',
    ...(association ? { association } : {}),
    labels: labelNames(labels),
    base: { branch: base.ref, commit: base.sha },
    head: {
      branch: head.ref,
      commit: head.sha,
      ...(head.repo ? { repository: head.repo.full_name } : {}),
    },
    draft: draft === true,
  };
}

/** A new tag changes nothing, and a deleted branch has no commit. */
function describePush({ ref, before, after: head, forced, repository }: Payload): Description | undefined {
  if (!ref || !before || !head || isZero(head)) return undefined;
  if (!isZero(before))
    return { change: { commits: forced === true ? forked(before, head) : straight(before, head) }, head };
  const defaultBranch = repository?.default_branch;
  if (!ref.startsWith('refs/heads/') || !defaultBranch) return undefined;
  return { change: { commits: { kind: 'new-branch', head, ref, defaultBranch } }, head };
}

type Issue = NonNullable<Payload['issue']>;

/** An issue that is not a pull request is about no change and no commit. */
function describeIssue({ number, title, body, user, labels, pull_request: pull }: Issue): Description {
  if (pull || typeof title !== 'string') return {};
  const author = user?.login ?? '';
  return { issue: { number, title, body: body ?? '', author, labels: labelNames(labels) } };
}

function describeCommented(issue: Issue, id: number | null | undefined): Description {
  const { number, pull_request: pull } = issue;
  if (!pull) return describeIssue(issue);
  return {
    change: { pullRequest: number, commits: { kind: 'of-pull' } },
    pull: { number },
    ...(id ? { comment: { id } } : {}),
  };
}

function describeWorkflowRun(payload: Payload): Description | undefined {
  const { id, head_sha, run_attempt: attempt, name, pull_requests, ...run } = payload.workflow_run ?? {};
  if (!id || !head_sha) return undefined;
  return {
    ...mentionedPull(payload, { head_sha, pull_requests }),
    ci: { kind: 'run', id, attempt: attempt ?? 1, name: name ?? '' },
    origin: originOf(run.head_repository?.full_name, run.head_branch),
  };
}

const originOf = (repository: string | undefined, branch: string | null | undefined): Origin => ({
  ...(repository === undefined ? {} : { repository }),
  ...(branch ? { branch } : {}),
});

function describeCheckSuite(payload: Payload): Description | undefined {
  const suite = payload.check_suite;
  if (!suite) return undefined;
  const { before, after } = suite;
  const isKnown = before && after && !isZero(before) && !isZero(after);
  // The event does not say whether the push was forced.
  const pushed = isKnown ? { change: { commits: forked(before, after) } } : {};
  return { ...pushed, ...describeSuite(payload, suite, suite) };
}

/** What a check suite, or a check run of it, is about. A suite names its branch only if that is in this repository. */
const describeSuite = (
  payload: Payload,
  checked: CheckedCommit,
  suite: { id: number; head_branch?: string | null | undefined },
): Description => ({
  ...mentionedPull(payload, checked),
  ci: { kind: 'check-suite', id: suite.id },
  origin: suite.head_branch ? originOf(payload.repository?.full_name, suite.head_branch) : {},
});

interface CheckedCommit {
  head_sha: string;
  pull_requests?: z.output<typeof mentions>;
}

/**
 * The one pull request that was checked. The list can also contain pull requests of other repositories, and it is
 * empty for a pull request from a fork. If several remain, nothing says which one is meant.
 */
function mentionedPull(
  { repository }: Payload,
  { head_sha: head, pull_requests: listed }: CheckedCommit,
): Description {
  const own = (listed ?? []).filter(({ base }) => !base?.repo?.id || base.repo.id === repository?.id);
  const atHead = own.filter((mention) => mention.head?.sha === head);
  const [pull, ...others] = atHead.length > 0 ? atHead : own;
  if (!pull || others.length > 0) return { head };
  const { number, base } = pull;
  const commits = base?.sha ? forked(base.sha, head) : ({ kind: 'of-pull' } as const);
  return {
    change: { pullRequest: number, commits },
    pull: { number, ...(pull.head ? { head: pull.head.sha } : {}) },
    head,
  };
}

const isZero = (commit: string): boolean => /^0+$/.test(commit);
const straight = (base: string, head: string) =>
  ({ kind: 'known', base, head, history: 'straight' }) as const;
const forked = (base: string, head: string) => ({ kind: 'known', base, head, history: 'forked' }) as const;

export const lookUpPull = (github: GithubClient, number: number): Promise<PullDetails> =>
  github.read({
    doing: `read pull request ${number}`,
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    parameters: { pull_number: number },
    needs: 'pull-requests: read',
    shape: z.pipe(
      z.transform(readPullDetails),
      z.custom<PullDetails>((details: unknown) => details !== undefined),
    ),
  });
