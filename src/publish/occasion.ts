import * as z from 'zod/mini';

const number = z.int().check(z.gte(1));
const commit = z.string().check(z.regex(/^[0-9a-f]{40,64}$/));
const Repository = z.looseObject({ id: z.optional(z.number()) });
const Pull = z.looseObject({ number, head: z.nullish(z.looseObject({ sha: z.optional(commit) })) });
const RunPull = z.looseObject({
  number,
  head: z.looseObject({ sha: commit }),
  base: z.optional(z.looseObject({ repo: z.optional(Repository) })),
});
const Payload = z.looseObject({
  repository: z.nullish(Repository),
  pull_request: z.nullish(Pull),
  issue: z.nullish(z.looseObject({ number, pull_request: z.nullish(z.unknown()) })),
  workflow_run: z.nullish(
    z.looseObject({ id: number, head_sha: commit, pull_requests: z.optional(z.array(RunPull)) }),
  ),
});

/** What GitHub, which wrote the event, says this run is about. Unlike the report it can be believed. */
export interface Occasion {
  event: string;
  /** The pull request of the event, if it has exactly one. */
  pullNumber?: number;
  /** The commit of the event; of a pull request its head. */
  head?: string;
  /** The run in which the agent worked, if that was another one. */
  agentRunId?: number;
}

type Variables = Readonly<Record<string, string | undefined>>;

export function readOccasion(env: Variables, read: (path: string) => string): Occasion {
  const event = env['GITHUB_EVENT_NAME'] ?? '';
  const payload = readPayload(env['GITHUB_EVENT_PATH'] ?? '', read);
  const ownSha = commit.safeParse(env['GITHUB_SHA']).data;
  if (payload?.pull_request) {
    const { number: pullNumber, head } = payload.pull_request;
    return { event, pullNumber, ...(head?.sha ? { head: head.sha } : {}) };
  }
  // A comment on an issue that is none of a pull request has nothing to do with any.
  if (payload?.issue)
    return { event, ...(payload.issue.pull_request ? { pullNumber: payload.issue.number } : {}) };
  if (payload?.workflow_run) return afterRun(event, payload);
  return { event, ...(ownSha ? { head: ownSha } : {}) };
}

/**
 * The event names the pull requests whose head the other run was about, also those of other repositories; for a
 * fork's it names none.
 */
function afterRun(event: string, { workflow_run: run, repository }: z.output<typeof Payload>): Occasion {
  if (!run) return { event };
  const own = (run.pull_requests ?? []).filter(
    ({ head, base }) =>
      head.sha === run.head_sha && (base?.repo?.id === undefined || base.repo.id === repository?.id),
  );
  const [first, ...others] = own;
  return {
    event,
    head: run.head_sha,
    agentRunId: run.id,
    ...(first && others.length === 0 ? { pullNumber: first.number } : {}),
  };
}

function readPayload(path: string, read: (path: string) => string): z.output<typeof Payload> | undefined {
  if (path === '') return undefined;
  try {
    return Payload.safeParse(JSON.parse(read(path))).data;
  } catch {
    return undefined;
  }
}

/**
 * Which pull request to write to. What the workflow's author says counts most, then the event. A number that only
 * the report names is a claim: it is `claimed`, and holds only if `commit`, which the event vouches for, is one of
 * that pull request's commits. So a report can choose among the pull requests its commit belongs to, and no other.
 */
export type Target =
  { kind: 'known'; number: number } | { kind: 'claimed'; number: number; commit: string } | { kind: 'none' };

export function chooseTarget(
  given: number | undefined,
  occasion: Occasion,
  named: number | undefined,
): Target {
  const known = given ?? occasion.pullNumber;
  if (known !== undefined) return { kind: 'known', number: known };
  if (named === undefined || occasion.head === undefined) return { kind: 'none' };
  return { kind: 'claimed', number: named, commit: occasion.head };
}
