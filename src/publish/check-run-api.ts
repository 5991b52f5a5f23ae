import * as z from 'zod/mini';
import type { GithubClient } from '../github/client.js';

/** Every request about check runs that publish may send. */

export interface CheckRun {
  id: number;
  url: string;
  externalId: string;
  isCompleted: boolean;
  /** How many annotations it has. */
  annotations: number;
}

/** An annotation, as GitHub's API expects it. */
export interface CheckAnnotation {
  path: string;
  start_line: number;
  end_line: number;
  annotation_level: 'notice' | 'warning' | 'failure';
  title: string;
  message: string;
}

export type Conclusion = 'success' | 'failure' | 'neutral';

export interface CheckUpdate {
  title: string;
  summary: string;
  annotations: readonly CheckAnnotation[];
  /** Set with the last update. */
  conclusion?: Conclusion;
}

const CheckShape = z.pipe(
  z.looseObject({
    id: z.int(),
    html_url: z.nullish(z.string()),
    external_id: z.nullish(z.string()),
    status: z.string(),
    output: z.looseObject({ annotations_count: z.int() }),
  }),
  z.transform(({ id, html_url, external_id, status, output }): CheckRun => ({
    id,
    url: html_url ?? '',
    externalId: external_id ?? '',
    isCompleted: status === 'completed',
    annotations: output.annotations_count,
  })),
);

const NEEDS = { needs: 'checks: write' };
/** The newest ones are enough: an older one of the same name is no longer shown. */
const LOOKED_AT = 100;

export type CheckRunApi = ReturnType<typeof openCheckRuns>;
export function openCheckRuns(github: GithubClient) {
  /** The check runs of a commit with this name, the newest first. */
  const checkRuns = async (commit: string, name: string): Promise<CheckRun[]> => {
    const { check_runs } = await github.read({
      ...NEEDS,
      doing: 'read the check runs of the commit',
      route: 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      parameters: { ref: commit, check_name: name, filter: 'all', per_page: LOOKED_AT },
      shape: z.looseObject({ check_runs: z.array(CheckShape) }),
    });
    return check_runs.sort((one, other) => other.id - one.id);
  };
  return {
    checkRuns,
    createCheckRun: (
      { commit, name, externalId }: { commit: string; name: string; externalId: string },
      update: CheckUpdate,
      find: () => Promise<CheckRun | undefined>,
    ): Promise<CheckRun> =>
      github.write({
        ...NEEDS,
        doing: 'write the check run',
        route: 'POST /repos/{owner}/{repo}/check-runs',
        parameters: { head_sha: commit, name, external_id: externalId, ...fieldsOf(update) },
        shape: CheckShape,
        find,
      }),
    /** Annotations are added to those that are there. */
    updateCheckRun: (
      id: number,
      update: CheckUpdate,
      find: () => Promise<CheckRun | undefined>,
    ): Promise<CheckRun> =>
      github.write({
        ...NEEDS,
        doing: 'write the check run',
        route: 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
        parameters: { check_run_id: id, ...fieldsOf(update) },
        shape: CheckShape,
        find,
      }),
  };
}

const fieldsOf = ({ title, summary, annotations, conclusion }: CheckUpdate) => ({
  ...(conclusion === undefined ? { status: 'in_progress' } : { status: 'completed', conclusion }),
  output: { title, summary, ...(annotations.length === 0 ? {} : { annotations }) },
});
