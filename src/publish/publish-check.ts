import * as z from 'zod/mini';
import { PAGE, withPermission, type GithubClient } from '../github/client.js';
import { digest } from '../github/marker.js';
import type { Severity } from '../report/findings.js';
import { joinParts } from '../text/format.js';
import { logLine, truncate } from '../text/plain-text.js';
import { descriptionOf, hasLinesAtHead, heading, LEVELS, safeLines } from './publication-text.js';
import { severityFailure, wentWell, type Publication } from './publication.js';

/** The verdict of the reports, as a check run of a commit. */
interface CheckTask {
  commit: string;
  /** The input `key`. Each has a check run of its own. */
  inputKey: string;
  publication: Publication;
  failOnSeverity: Severity | undefined;
  summary: string;
}

/** GitHub takes 50 annotations per request. */
const AT_ONCE = 50;
/** GitHub limits how much is written per minute. */
const MAX_ANNOTATIONS = 500;
const MAX_TITLE = 255;
/** GitHub allows 64 KB. A character has up to four bytes. */
const MAX_MESSAGE = 15_000;
/** GitHub allows 65,535 characters. */
const MAX_SUMMARY = 65_000;

/**
 * Writes one check run. GitHub adds the annotations of an update to those that are there, so a check run is never
 * written over: one that says the same stays as it is, one that a killed run left unfinished is finished, and in all
 * other cases a new one replaces it, because GitHub shows the newest of a name.
 */
export async function publishCheck(github: GithubClient, task: CheckTask) {
  const { commit, inputKey, publication, failOnSeverity, summary } = task;
  const checks = withPermission(github, 'checks: write');
  const failure = severityFailure(publication, failOnSeverity);
  const name = `Cursor Agent${inputKey === 'default' ? '' : ` (${inputKey})`}`;
  const annotations = annotationsOf(publication);
  const text = {
    title: truncate(heading(publication).replace(/^#+ /, ''), MAX_TITLE),
    summary: truncate(joinParts([failure ?? '', summary], '\n\n'), MAX_SUMMARY),
  };
  const conclusion = conclude(task, failure);
  const externalId = `${digest('key', inputKey)}-${digest('check', text.title, conclusion, annotations)}`;
  /** The newest of this name, if it says the same. An older one is no longer shown. */
  const findSame = async () => {
    const { check_runs: runs } = await checks.read({
      doing: 'read the check runs of the commit',
      route: 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      parameters: { ref: commit, check_name: name, filter: 'all', per_page: PAGE },
      shape: z.looseObject({ check_runs: z.array(CheckShape) }),
    });
    const [newest] = runs.sort((one, other) => other.id - one.id);
    return newest?.externalId === externalId ? newest : undefined;
  };
  const result = ({ url }: CheckRun, isUnchanged: boolean) => ({
    url,
    /** Findings without an annotation are in the summary as far as it has room. */
    annotations: annotations.length,
    isUnchanged,
  });
  let check = await findSame();
  if (check?.isCompleted === true) return result(check, true);
  for (let sent = check?.annotations ?? 0; ;) {
    const some = annotations.slice(sent, sent + AT_ONCE);
    sent += some.length;
    const isLast = sent >= annotations.length;
    const fields = {
      ...(isLast ? { status: 'completed', conclusion } : { status: 'in_progress' }),
      output: { ...text, ...(some.length === 0 ? {} : { annotations: some }) },
    };
    const find = async () => {
      const now = await findSame();
      return now && now.annotations >= sent && now.isCompleted === isLast ? now : undefined;
    };
    const request = { doing: 'write the check run', shape: CheckShape, find };
    check = check
      ? await checks.write({
          ...request,
          route: 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
          parameters: { check_run_id: check.id, ...fields },
        })
      : await checks.write({
          ...request,
          route: 'POST /repos/{owner}/{repo}/check-runs',
          parameters: { head_sha: commit, name, external_id: externalId, ...fields },
        });
    if (isLast) return result(check, false);
  }
}

/** Without `fail-on-severity` nothing was asked to fail, so findings and failed runs are only shown. */
function conclude({ publication, failOnSeverity }: CheckTask, failure: string | undefined): Conclusion {
  if (failure !== undefined) return 'failure';
  if (failOnSeverity !== undefined) return 'success';
  const { shards, missing, findings } = publication;
  return shards.every(wentWell) && missing === 0 && findings.length === 0 ? 'success' : 'neutral';
}

/** The most severe findings that have a place in the repository, as GitHub's API expects them. */
const annotationsOf = ({ findings }: Publication) =>
  findings
    .filter(hasLinesAtHead)
    .slice(0, MAX_ANNOTATIONS)
    .map((finding) => ({
      path: finding.path,
      start_line: finding.startLine,
      end_line: finding.endLine,
      annotation_level: LEVELS[finding.severity] === 'error' ? 'failure' : LEVELS[finding.severity],
      title: logLine(`${finding.severity}: ${finding.title}`, MAX_TITLE - 5),
      message: truncate(safeLines(descriptionOf(finding)), MAX_MESSAGE),
    }));

type Conclusion = 'success' | 'failure' | 'neutral';

const CheckShape = z.pipe(
  z.looseObject({
    id: z.int(),
    html_url: z.nullish(z.string()),
    external_id: z.nullish(z.string()),
    status: z.string(),
    output: z.looseObject({ annotations_count: z.int() }),
  }),
  z.transform(({ id, html_url, external_id, status, output }) => ({
    id,
    url: html_url ?? '',
    externalId: external_id ?? '',
    isCompleted: status === 'completed',
    annotations: output.annotations_count,
  })),
);
type CheckRun = z.output<typeof CheckShape>;
