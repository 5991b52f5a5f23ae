import * as z from 'zod/mini';

/** What an event is about, as far as its payload tells. Pure: nothing is looked up. */
export interface Subject {
  event: string;
  change?: NamedChange;
  pull?: NamedPull;
  ci?: FailedCi;
}

/** A change of the repository, by the commits the event names. */
export interface NamedChange {
  pullRequest?: number;
  commits:
    | { kind: 'known'; base: string; head: string; history: 'straight' | 'forked' }
    /** A branch that was not there before: what it has over the default branch. */
    | { kind: 'new-branch'; head: string; ref: string; defaultBranch: string }
    /** The event names the pull request alone; GitHub knows its commits. */
    | { kind: 'of-pull' };
}

export interface NamedPull {
  number: number;
  /** Missing where the event names the number alone. */
  details?: PullDetails;
}

export interface PullDetails {
  title: string;
  body: string;
  author: string;
  labels: string[];
  base: { branch: string; commit: string };
  head: { branch: string; commit: string; repository?: string };
  draft: boolean;
}

/** Whose logs are wanted. */
export type FailedCi =
  { kind: 'run'; id: number; attempt: number; name: string } | { kind: 'check-suite'; id: number };

const Commit = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
const Count = z.int().check(z.positive());
const isNothing = (commit: string): boolean => /^0+$/.test(commit);

export const PullSchema = z.looseObject({
  number: Count,
  title: z.string(),
  body: z.nullish(z.string()),
  user: z.nullish(z.looseObject({ login: z.string() })),
  labels: z.nullish(z.array(z.looseObject({ name: z.string() }))),
  draft: z.nullish(z.boolean()),
  base: z.looseObject({ ref: z.string(), sha: Commit }),
  head: z.looseObject({
    ref: z.string(),
    sha: Commit,
    repo: z.nullish(z.looseObject({ full_name: z.string() })),
  }),
});

/** How other events name a pull request. */
const PullMention = z.looseObject({ number: Count, base: z.looseObject({ sha: Commit }) });
const Mentions = z.looseObject({ pull_requests: z.array(z.unknown()) });

const EVENTS = {
  pull: z.looseObject({ pull_request: PullSchema }),
  push: z.looseObject({
    ref: z.string(),
    before: Commit,
    after: Commit,
    forced: z.nullish(z.boolean()),
    repository: z.looseObject({ default_branch: z.string() }),
  }),
  mergeGroup: z.looseObject({ merge_group: z.looseObject({ base_sha: Commit, head_sha: Commit }) }),
  issue: z.looseObject({
    issue: z.looseObject({ number: Count, pull_request: z.looseObject({}) }),
  }),
  workflowRun: z.looseObject({
    workflow_run: z.looseObject({
      id: Count,
      name: z.nullish(z.string()),
      run_attempt: z.nullish(Count),
      head_sha: Commit,
    }),
  }),
  checkSuite: z.looseObject({
    check_suite: z.looseObject({
      id: Count,
      head_sha: Commit,
      before: z.nullish(z.string()),
      after: z.nullish(z.string()),
    }),
  }),
  checkRun: z.looseObject({
    check_run: z.looseObject({ head_sha: Commit, check_suite: z.looseObject({ id: Count }) }),
  }),
};

/** What is missing or of another shape in a payload is not offered; nothing is guessed. */
export function readSubject(event: string, payload: unknown): Subject {
  switch (event) {
    case 'pull_request':
    case 'pull_request_target':
    case 'pull_request_review':
    case 'pull_request_review_comment':
      return { event, ...ofPull(EVENTS.pull.safeParse(payload).data?.pull_request) };
    case 'push':
      return { event, ...ofPush(EVENTS.push.safeParse(payload).data) };
    case 'merge_group':
      return { event, ...ofMergeGroup(EVENTS.mergeGroup.safeParse(payload).data) };
    case 'issue_comment':
      return { event, ...ofComment(EVENTS.issue.safeParse(payload).data) };
    case 'workflow_run':
      return { event, ...ofWorkflowRun(EVENTS.workflowRun.safeParse(payload).data) };
    case 'check_suite':
      return { event, ...ofCheckSuite(EVENTS.checkSuite.safeParse(payload).data) };
    case 'check_run':
      return { event, ...ofCheckRun(EVENTS.checkRun.safeParse(payload).data) };
    default:
      return { event };
  }
}

type About = Omit<Subject, 'event'>;
type Payload<Name extends keyof typeof EVENTS> = z.output<(typeof EVENTS)[Name]> | undefined;

function ofPull(pull: z.output<typeof PullSchema> | undefined): About {
  if (!pull) return {};
  const { number } = pull;
  return {
    change: { pullRequest: number, commits: forked(pull.base.sha, pull.head.sha) },
    pull: { number, details: pullDetails(pull) },
  };
}

export function pullDetails(pull: z.output<typeof PullSchema>): PullDetails {
  const { base, head } = pull;
  return {
    title: pull.title,
    body: pull.body ?? '',
    author: pull.user?.login ?? '',
    labels: (pull.labels ?? []).map(({ name }) => name),
    base: { branch: base.ref, commit: base.sha },
    head: {
      branch: head.ref,
      commit: head.sha,
      ...(head.repo ? { repository: head.repo.full_name } : {}),
    },
    draft: pull.draft === true,
  };
}

/** A new tag changes nothing, and a branch that was deleted has no commit any more. */
function ofPush(push: Payload<'push'>): About {
  if (!push || isNothing(push.after)) return {};
  const { before, after: head, ref } = push;
  if (!isNothing(before))
    return { change: { commits: push.forced === true ? forked(before, head) : straight(before, head) } };
  if (!ref.startsWith('refs/heads/')) return {};
  return {
    change: { commits: { kind: 'new-branch', head, ref, defaultBranch: push.repository.default_branch } },
  };
}

function ofMergeGroup(payload: Payload<'mergeGroup'>): About {
  if (!payload) return {};
  const { base_sha: base, head_sha: head } = payload.merge_group;
  return { change: { commits: straight(base, head) } };
}

function ofComment(payload: Payload<'issue'>): About {
  if (!payload) return {};
  const { number } = payload.issue;
  return { change: { pullRequest: number, commits: { kind: 'of-pull' } }, pull: { number } };
}

function ofWorkflowRun(payload: Payload<'workflowRun'>): About {
  const run = payload?.workflow_run;
  if (!run) return {};
  return {
    ...mentionedPull(run, run.head_sha),
    ci: { kind: 'run', id: run.id, attempt: run.run_attempt ?? 1, name: run.name ?? '' },
  };
}

function ofCheckSuite(payload: Payload<'checkSuite'>): About {
  const suite = payload?.check_suite;
  if (!suite) return {};
  const [before, after] = [Commit.safeParse(suite.before).data, Commit.safeParse(suite.after).data];
  const isKnown = before !== undefined && after !== undefined && ![before, after].some(isNothing);
  // Whether the push was forced is not told.
  const pushed = isKnown ? { change: { commits: forked(before, after) } } : {};
  return { ...pushed, ...mentionedPull(suite, suite.head_sha), ci: { kind: 'check-suite', id: suite.id } };
}

function ofCheckRun(payload: Payload<'checkRun'>): About {
  const run = payload?.check_run;
  if (!run) return {};
  return { ...mentionedPull(run, run.head_sha), ci: { kind: 'check-suite', id: run.check_suite.id } };
}

/** The one pull request the checks were for; of several it cannot be told which. */
function mentionedPull(from: unknown, head: string): About {
  const mentions = Mentions.safeParse(from).data?.pull_requests ?? [];
  const pull = mentions.length === 1 ? PullMention.safeParse(mentions[0]).data : undefined;
  if (!pull) return {};
  const { number } = pull;
  return { change: { pullRequest: number, commits: forked(pull.base.sha, head) }, pull: { number } };
}

/** The base is an ancestor of the head. */
const straight = (base: string, head: string) =>
  ({ kind: 'known', base, head, history: 'straight' }) as const;
/** Both have gone on since they parted. */
const forked = (base: string, head: string) => ({ kind: 'known', base, head, history: 'forked' }) as const;
