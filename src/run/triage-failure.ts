import * as z from 'zod/mini';
import { gatherCiLogs } from '../context/ci-logs.js';
import { messageOf } from '../core/errors.js';
import type { GithubClient } from '../github/client.js';
import type { GithubEvent } from '../github/event.js';
import { digest, readTried } from '../github/marker.js';
import type { FailureLine } from '../report/failure-lines.js';
import type { Skipped } from '../report/model.js';
import { firstLines } from '../text/format.js';
import { oneLine, truncate } from '../text/plain-text.js';

/** What is known of a failed CI run before an agent is started. */
interface TriageRequest {
  event: Pick<GithubEvent, 'name' | 'ci' | 'origin' | 'payload'>;
  github: GithubClient | undefined;
  failures: readonly FailureLine[] | undefined;
  /** A line of the log that says that the machine failed, if that is so for each failed job. */
  machine: string | undefined;
}

export interface Triage {
  /** Why no agent is needed. */
  skipped?: Skipped;
  /** What the agent should know. */
  hint?: string;
  notes: string[];
}

/** Decides whether a failed CI run is worth a repair. If that cannot be looked up, it is. */
export async function triageFailure(request: TriageRequest): Promise<Triage> {
  const { event, github, failures, machine } = request;
  if (event.name !== 'workflow_run') return { notes: [] };
  if (machine !== undefined)
    return {
      skipped: {
        code: 'infrastructure',
        reason: `CI failed because of its machine, not because of the code: “${truncate(oneLine(machine), 200)}”. Run CI again.`,
      },
      notes: [],
    };
  if (!github) return { notes: [] };
  const notes: string[] = [];
  const ask = <T>(question: Promise<T | undefined>): Promise<T | undefined> =>
    question.catch((error: unknown) => {
      notes.push(`Whether CI still needs a repair was not looked up in full. ${messageOf(error)}`);
      return undefined;
    });
  const place = failedRunOf(event);
  const skipped =
    (place && (await ask(findNewerRun(github, place)))) ??
    (place && failures ? await ask(findTried(github, place, failures)) : undefined);
  if (skipped) return { skipped, notes };
  const hint = place && failures ? await ask(compareWithBase(github, place, failures)) : undefined;
  return { notes, ...(hint === undefined ? {} : { hint }) };
}

interface FailedRun {
  repository: string;
  /** Where the branch is. */
  headRepository: string;
  branch: string;
  base: { branch: string; isDefault: boolean } | undefined;
  workflow: number;
  cause: string | undefined;
  run: number;
  attempt: number;
}

function failedRunOf({ ci, origin, payload }: TriageRequest['event']): FailedRun | undefined {
  const run = payload?.workflow_run;
  if (ci?.kind !== 'run' || !run?.workflow_id || origin?.branch === undefined) return undefined;
  return {
    repository: payload?.repository?.full_name ?? '',
    headRepository: run.head_repository?.full_name ?? payload?.repository?.full_name ?? '',
    branch: origin.branch,
    base: baseOf(payload),
    workflow: run.workflow_id,
    cause: run.event,
    run: ci.id,
    attempt: ci.attempt,
  };
}

/** The branch of the one pull request that the run is for, else the default branch. */
function baseOf(payload: TriageRequest['event']['payload']): FailedRun['base'] {
  const { id, default_branch: defaultBranch } = payload?.repository ?? {};
  // A pull request to another repository is listed, too.
  const pulls = payload?.workflow_run?.pull_requests?.filter(({ base }) => base?.repo?.id === id) ?? [];
  const named = new Set(pulls.map(({ base }) => base?.ref));
  const [branch] = named.size === 1 ? named : [defaultBranch];
  return branch ? { branch, isDefault: branch === defaultBranch } : undefined;
}

const RunsSchema = z.looseObject({
  workflow_runs: z.array(
    z.looseObject({
      id: z.number(),
      run_attempt: z.nullish(z.number()),
      head_branch: z.nullish(z.string()),
      conclusion: z.nullish(z.string()),
      name: z.nullish(z.string()),
      head_repository: z.nullish(z.looseObject({ full_name: z.string() })),
      html_url: z.nullish(z.string()),
    }),
  ),
});

async function listRuns(github: GithubClient, workflow: number, more: Readonly<Record<string, unknown>>) {
  const { workflow_runs: runs } = await github.read({
    doing: 'list the runs of CI',
    route: 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs',
    parameters: { workflow_id: workflow, per_page: 50, ...more },
    needs: 'actions: read',
    shape: RunsSchema,
  });
  return runs;
}

/** A newer run of the same workflow for the branch, or a newer attempt, says more than this one. */
async function findNewerRun(github: GithubClient, place: FailedRun): Promise<Skipped | undefined> {
  const { branch, workflow, cause, run, attempt } = place;
  const runs = await listRuns(github, workflow, { branch, ...(cause ? { event: cause } : {}) });
  const newer = runs.find(
    (other) =>
      other.head_branch === branch &&
      other.head_repository?.full_name === place.headRepository &&
      (other.id > run || (other.id === run && (other.run_attempt ?? 1) > attempt)),
  );
  if (!newer) return undefined;
  return {
    code: 'outdated',
    reason: `CI was started again for ${quoted(branch)} since it failed, so its newest run decides.`,
    ...(newer.html_url ? { url: newer.html_url } : {}),
  };
}

const PullsSchema = z.array(
  z.looseObject({
    number: z.number(),
    html_url: z.string(),
    body: z.nullish(z.string()),
    head: z.looseObject({ repo: z.nullish(z.looseObject({ full_name: z.string() })) }),
  }),
);
const MAX_PULLS = 50;

/** A pull request for the branch whose mark names the same failure. Marks from forks are untrusted and do not count. */
async function findTried(
  github: GithubClient,
  { repository, branch }: FailedRun,
  failures: readonly FailureLine[],
): Promise<Skipped | undefined> {
  const key = failureKey(failures);
  if (key === undefined) return undefined;
  const pulls = await github.read({
    doing: 'list the pull requests for the branch',
    route: 'GET /repos/{owner}/{repo}/pulls',
    parameters: { base: branch, state: 'all', sort: 'created', direction: 'desc', per_page: MAX_PULLS },
    needs: 'pull-requests: read',
    shape: PullsSchema,
  });
  const tried = pulls.find(
    ({ body, head }) => head.repo?.full_name === repository && readTried(body ?? '') === key,
  );
  if (!tried) return undefined;
  return {
    code: 'already-tried',
    reason: `A repair of the same failure on ${quoted(branch)} was already proposed, in pull request #${tried.number}.`,
    url: tried.html_url,
  };
}

/** The same for failures of the same tests, or without tests of the same errors. */
export function failureKey(failures: readonly FailureLine[]): string | undefined {
  const keys = specific(failures).map(({ key }) => key);
  return keys.length === 0 ? undefined : digest('failure', [...new Set(keys)].sort());
}

/** Tests say more than errors, and both more than files. */
function specific(failures: readonly FailureLine[]): FailureLine[] {
  for (const kind of ['test', 'error', 'test-file'] as const) {
    const some = failures.filter((failure) => failure.kind === kind);
    if (some.length > 0) return some;
  }
  return [];
}

const MAX_NAMED = 5;

/** What fails on the base branch as well, for the agent. */
async function compareWithBase(
  github: GithubClient,
  { repository, branch, base, workflow }: FailedRun,
  failures: readonly FailureLine[],
): Promise<string | undefined> {
  if (base === undefined || branch === base.branch) return undefined;
  const runs = await listRuns(github, workflow, { branch: base.branch, status: 'completed' });
  // A fork can have a branch of the same name.
  const newest = runs.find(
    (run) => run.head_branch === base.branch && run.head_repository?.full_name === repository,
  );
  if (newest?.conclusion !== 'failure') return undefined;
  const { id, run_attempt: attempt, name } = newest;
  const logs = await gatherCiLogs(github, { kind: 'run', id, attempt: attempt ?? 1, name: name ?? '' });
  const keys = new Set(logs.failures?.map(({ key }) => key));
  const same = specific(failures).filter(({ key }) => keys.has(key));
  if (same.length === 0) return undefined;
  const named = firstLines(
    same.map(({ text }) => JSON.stringify(truncate(oneLine(text), 200))),
    MAX_NAMED,
  );
  return (
    `The newest run of the same workflow on the ${base.isDefault ? 'default' : 'base'} branch fails in the same way, so the cause may be older than this ` +
    `branch. As data, what fails on both: ${named.join(', ')}.`
  );
}

const quoted = (branch: string): string => `“${truncate(oneLine(branch), 100)}”`;
