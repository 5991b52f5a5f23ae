import * as z from 'zod/mini';
import { askGitHub, explainFailure, statusOf, type Asking, type Question } from '../github/ask.js';
import { messageOf } from '../core/error-message.js';
import { downloadTail } from '../github/download.js';
import type { FailedCi } from '../github/event.js';
import { failingPart, isFailure, type JobStep } from './job-log.js';

export interface CiRequest {
  asking: Asking;
  repository: { owner: string; repo: string };
  ci: FailedCi;
}

export interface CiLogs {
  text: string;
  failedJobs: number;
  /** Jobs whose log is not told, or not whole. */
  leftOut: string[];
}

const PAGE = 100;
const MOST_PAGES = 5;
const MOST_RUNS = 10;
/** Jobs whose logs are read; the others are named. */
const MOST_JOBS = 20;
const MOST_ANNOTATIONS = 20;
const CHARACTERS_OF_JOB = 60_000;
const CHARACTERS_OF_ALL = 400_000;
/** Of a longer log only the end is looked at. */
const BYTES_OF_LOG = 4 * 1024 * 1024;

const text = z.nullish(z.string());
const StepSchema = z.looseObject({
  name: z.string(),
  number: z.number(),
  conclusion: text,
  started_at: text,
  completed_at: text,
});
const JobSchema = z.looseObject({
  id: z.number(),
  name: z.string(),
  conclusion: text,
  html_url: text,
  steps: z.nullish(z.array(StepSchema)),
});
type Job = z.output<typeof JobSchema>;
const RunSchema = z.looseObject({ id: z.number(), run_attempt: z.nullish(z.number()), name: text });
const AnnotationSchema = z.looseObject({
  path: z.string(),
  start_line: z.nullish(z.number()),
  annotation_level: text,
  message: text,
});

/** The failed jobs of the runs an event is about, and of each log the part that says why. */
export async function gatherCiLogs(request: CiRequest): Promise<CiLogs> {
  const runs = await findRuns(request);
  const failed: { run: string; job: Job }[] = [];
  for (const run of runs) {
    const jobs = await listJobs(request, run);
    failed.push(
      ...jobs.filter(({ conclusion }) => isFailure(conclusion)).map((job) => ({ run: run.name, job })),
    );
  }
  const leftOut: string[] = [];
  const parts: string[] = [];
  let room = CHARACTERS_OF_ALL;
  for (const [index, { run, job }] of failed.entries()) {
    const isRead = index < MOST_JOBS && room > 0;
    const part = await tellJob(request, { run, job }, isRead ? Math.min(CHARACTERS_OF_JOB, room) : 0);
    if (part.isCut) leftOut.push(job.name);
    room -= part.text.length;
    parts.push(part.text);
  }
  const head =
    failed.length === 0
      ? `No job failed in ${runs.map(({ name, id }) => name || String(id)).join(', ') || 'any run'}.`
      : `Failed jobs: ${failed.length}`;
  return { text: [head, '', ...parts].join('\n'), failedJobs: failed.length, leftOut };
}

interface CiRun {
  id: number;
  attempt: number;
  name: string;
}

async function findRuns({ ci, asking, repository }: CiRequest): Promise<CiRun[]> {
  switch (ci.kind) {
    case 'run':
      return [ci];
    case 'check-suite': {
      const data = await ask(asking, {
        route: 'GET /repos/{owner}/{repo}/actions/runs',
        parameters: { ...repository, check_suite_id: ci.id, per_page: MOST_RUNS },
      });
      const { workflow_runs: runs } = understood(z.looseObject({ workflow_runs: z.array(RunSchema) }), data);
      return runs.map(({ id, run_attempt: attempt, name }) => ({
        id,
        attempt: attempt ?? 1,
        name: name ?? '',
      }));
    }
  }
}

async function listJobs({ asking, repository }: CiRequest, run: CiRun): Promise<Job[]> {
  const jobs: Job[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const data = await ask(asking, {
      route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs',
      parameters: { ...repository, run_id: run.id, attempt_number: run.attempt, per_page: PAGE, page },
    });
    const { jobs: more } = understood(z.looseObject({ jobs: z.array(JobSchema) }), data);
    jobs.push(...more);
    if (more.length < PAGE) break;
  }
  return jobs;
}

async function ask(asking: Asking, question: Question): Promise<unknown> {
  try {
    return (await askGitHub(asking, question)).data;
  } catch (error) {
    throw new Error(explainFailure(error, 'The CI logs', 'actions: read'), { cause: error });
  }
}

/** What is not understood must not pass for a list of nothing: then no job would have failed. */
function understood<T>(schema: z.ZodMiniType<T>, data: unknown): T {
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw new Error('The CI logs: the answer of GitHub is not understood.');
  return parsed.data;
}

async function tellJob(
  request: CiRequest,
  { run, job }: { run: string; job: Job },
  most: number,
): Promise<{ text: string; isCut: boolean }> {
  const steps = (job.steps ?? []).map((step): JobStep => ({
    name: step.name,
    number: step.number,
    conclusion: step.conclusion ?? undefined,
    startedAt: step.started_at ?? undefined,
    completedAt: step.completed_at ?? undefined,
  }));
  const failedSteps = steps
    .filter(({ conclusion }) => isFailure(conclusion))
    .map(({ name }) => oneLine(name));
  const head = [
    `===== Job: ${oneLine(job.name)}${run === '' ? '' : ` (workflow ${oneLine(run)})`}: ${job.conclusion ?? ''} =====`,
    `Failed steps: ${failedSteps.join(', ') || '(none is named)'}`,
  ];
  if (most === 0)
    return { text: [...head, '(This log was not read: there are too many.)', ''].join('\n'), isCut: true };
  const annotations = await tellAnnotations(request, job);
  const log = await readJobLog(request, job);
  const part = 'missing' in log ? { text: log.missing, isCut: true } : failingPart(log.text, steps, most);
  const isCut = part.isCut || ('isCut' in log && log.isCut);
  return { text: [...head, ...annotations, '', 'Log:', part.text, ''].join('\n'), isCut };
}

async function tellAnnotations({ asking, repository }: CiRequest, job: Job): Promise<string[]> {
  try {
    const { data } = await askGitHub(asking, {
      route: 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations',
      // A job is a check run too, of the same number.
      parameters: { ...repository, check_run_id: job.id, per_page: MOST_ANNOTATIONS },
    });
    const annotations = z.array(AnnotationSchema).safeParse(data).data ?? [];
    const lines = annotations.map(
      ({ path, start_line: line, annotation_level: level, message }) =>
        `- ${level ?? ''} ${oneLine(path)}${line == null ? '' : `:${line}`}: ${oneLine(message ?? '')}`,
    );
    return lines.length === 0 ? [] : ['Annotations:', ...lines];
  } catch (error) {
    return [`(${explainFailure(error, 'The annotations', 'checks: read')})`];
  }
}

/** The address GitHub names is of another host, which has no business with our token. */
async function readJobLog(
  { asking, repository }: CiRequest,
  job: Job,
): Promise<{ text: string; isCut: boolean } | { missing: string }> {
  try {
    const { status, headers, data } = await askGitHub(asking, {
      route: 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
      parameters: { ...repository, job_id: job.id },
      redirect: 'manual',
    });
    if (status >= 300) {
      const location = typeof headers['location'] === 'string' ? headers['location'] : '';
      return await downloadTail({
        from: asking.apiUrl,
        location,
        mostBytes: BYTES_OF_LOG,
        cancel: asking.cancel,
      });
    }
    return typeof data === 'string' ? { text: data, isCut: false } : { missing: '(The log is not text.)' };
  } catch (error) {
    const status = statusOf(error);
    if (status === 404 || status === 410)
      return { missing: `(There is no log of this job any more: ${status}.)` };
    if (status === undefined)
      return { missing: `(The log could not be downloaded: ${messageOf(error).slice(0, 300)})` };
    return { missing: `(${explainFailure(error, 'The log', 'actions: read')})` };
  }
}

const oneLine = (words: string): string => words.replace(/\s+/g, ' ').trim().slice(0, 500);
