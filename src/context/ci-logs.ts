import * as z from 'zod/mini';
import { messageOf } from '../core/errors.js';
import type { GithubClient, Tail } from '../github/client.js';
import type { FailedCi } from '../github/event.js';
import { GithubError } from '../github/github-error.js';
import { ANSI, CONTROL } from '../text/plain-text.js';
import { failedCommand, TIMESTAMP, type FailedCommand } from './failed-command.js';

export interface CiLogs {
  text: string;
  failedJobs: number;
  /** Jobs whose log is missing or incomplete. */
  leftOut: string[];
  /** The commands of the failed steps, as far as the logs show them. */
  commands: StepCommand[];
}

/** The command of a failed step. */
export interface StepCommand {
  job: string;
  step: string;
  found: FailedCommand;
}

const MOST_PAGES = 5;
const MOST_RUNS = 10;
/** Jobs whose logs are read. The others are only named. */
const MOST_JOBS = 20;
const MOST_ANNOTATIONS = 20;
const CHARACTERS_OF_JOB = 60_000;
const CHARACTERS_OF_ALL = 400_000;
/** Of a longer log only the end is read. */
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

/** The failed jobs of the runs that the event is about, with the part of each log that says why. */
export async function gatherCiLogs(github: GithubClient, ci: FailedCi): Promise<CiLogs> {
  const runs = await findRuns(github, ci);
  const failed: FailedJob[] = [];
  for (const run of runs) {
    const jobs = await listJobs(github, run);
    failed.push(
      ...jobs.filter(({ conclusion }) => isFailure(conclusion)).map((job) => ({ run: run.name, job })),
    );
  }
  const leftOut: string[] = [];
  const parts: string[] = [];
  const commands: StepCommand[] = [];
  let room = CHARACTERS_OF_ALL;
  for (const [index, each] of failed.entries()) {
    const isRead = index < MOST_JOBS && room > 0;
    const part = await describeJob(github, each, isRead ? Math.min(CHARACTERS_OF_JOB, room) : 0);
    if (part.isCut) leftOut.push(each.job.name);
    commands.push(...part.commands);
    room -= part.text.length;
    parts.push(part.text);
  }
  const head =
    failed.length === 0
      ? `No job failed in ${runs.map(({ name, id }) => name || String(id)).join(', ') || 'any run'}.`
      : `Failed jobs: ${failed.length}`;
  return { text: [head, '', ...parts].join('\n'), failedJobs: failed.length, leftOut, commands };
}

interface CiRun {
  id: number;
  attempt: number;
  name: string;
}
interface FailedJob {
  /** The name of the workflow. */
  run: string;
  job: Job;
}

const READ_LOGS = { doing: 'read the CI logs', needs: 'actions: read' };

async function findRuns(github: GithubClient, ci: FailedCi): Promise<CiRun[]> {
  if (ci.kind === 'run') return [ci];
  const { workflow_runs: runs } = await github.read({
    ...READ_LOGS,
    route: 'GET /repos/{owner}/{repo}/actions/runs',
    parameters: { check_suite_id: ci.id, per_page: MOST_RUNS },
    shape: z.looseObject({ workflow_runs: z.array(RunSchema) }),
  });
  return runs.map(({ id, run_attempt: attempt, name }) => ({ id, attempt: attempt ?? 1, name: name ?? '' }));
}

const JobsSchema = z.pipe(
  z.looseObject({ jobs: z.array(JobSchema) }),
  z.transform(({ jobs }: { jobs: Job[] }) => jobs),
);

const listJobs = (github: GithubClient, { id, attempt }: CiRun): Promise<Job[]> =>
  github.readPages(
    {
      ...READ_LOGS,
      route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs',
      parameters: { run_id: id, attempt_number: attempt },
      shape: JobsSchema,
    },
    MOST_PAGES,
  );

async function describeJob(
  github: GithubClient,
  { run, job }: FailedJob,
  most: number,
): Promise<Tail & Pick<CiLogs, 'commands'>> {
  const steps = (job.steps ?? []).map((step): JobStep => ({
    name: step.name,
    number: step.number,
    conclusion: step.conclusion ?? undefined,
    startedAt: step.started_at ?? undefined,
    completedAt: step.completed_at ?? undefined,
  }));
  const failed = steps.filter(({ conclusion }) => isFailure(conclusion));
  const failedSteps = failed.map(({ name }) => oneLine(name));
  const head = [
    `===== Job: ${oneLine(job.name)}${run === '' ? '' : ` (workflow ${oneLine(run)})`}: ${job.conclusion ?? ''} =====`,
    `Failed steps: ${failedSteps.join(', ') || '(none is named)'}`,
  ];
  if (most === 0)
    return {
      text: [...head, '(This log was not read: there are too many.)', ''].join('\n'),
      isCut: true,
      commands: [],
    };
  const annotations = await describeAnnotations(github, job);
  const log = await readJobLog(github, job);
  const part = 'missing' in log ? { text: log.missing, isCut: true } : failingPart(log.text, steps, most);
  const isCut = part.isCut || ('isCut' in log && log.isCut);
  return {
    text: [...head, ...annotations, '', 'Log:', part.text, ''].join('\n'),
    isCut,
    commands: failed.map((step) => ({
      job: oneLine(job.name),
      step: oneLine(step.name),
      found: 'missing' in log ? { why: 'its log could not be read' } : failedCommand(log, step),
    })),
  };
}

async function describeAnnotations(github: GithubClient, job: Job): Promise<string[]> {
  try {
    const annotations = await github.read({
      doing: 'read the annotations',
      route: 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations',
      // A job is also a check run, with the same id.
      parameters: { check_run_id: job.id, per_page: MOST_ANNOTATIONS },
      needs: 'checks: read',
      shape: z.array(AnnotationSchema),
    });
    const lines = annotations.map(
      ({ path, start_line: line, annotation_level: level, message }) =>
        `- ${level ?? ''} ${oneLine(path)}${line == null ? '' : `:${line}`}: ${oneLine(message ?? '')}`,
    );
    return lines.length === 0 ? [] : ['Annotations:', ...lines];
  } catch (error) {
    return [`(${messageOf(error)})`];
  }
}

async function readJobLog(github: GithubClient, job: Job): Promise<Tail | { missing: string }> {
  const doing = 'read the log';
  try {
    return await github.readTail(
      {
        doing,
        route: 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
        parameters: { job_id: job.id },
        needs: 'actions: read',
      },
      BYTES_OF_LOG,
    );
  } catch (error) {
    if (!(error instanceof GithubError))
      return { missing: `(Could not ${doing}: ${messageOf(error).slice(0, 300)}.)` };
    return {
      missing: `(${error.isGone ? `The log no longer exists: ${error.failure.status ?? ''}.` : error.message})`,
    };
  }
}

const oneLine = (words: string): string => words.replace(/\s+/g, ' ').trim().slice(0, 500);

/** A step of a job. */
export interface JobStep {
  name: string;
  number: number;
  conclusion?: string | undefined;
  startedAt?: string | undefined;
  completedAt?: string | undefined;
}

interface LogLine {
  /** When the line was written, in milliseconds. */
  at?: number;
  text: string;
  isError: boolean;
}

const COMMAND = /^##\[(\w+)\](.*)$/s;
const LONGEST_LINE = 2000;

/** The lines of a log without byte order mark, timestamps, colours and the commands of the runner. */
export function readLog(log: string): LogLine[] {
  const lines = log.replace(/^\ufeff/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.flatMap((line) => {
    const [stamp = '', second] = TIMESTAMP.exec(line) ?? [];
    const plain = afterLastReturn(line.slice(stamp.length).replace(ANSI, ''))
      .replace(CONTROL, '')
      .replaceAll('\ufeff', '');
    const [, command, rest = ''] = COMMAND.exec(plain) ?? [];
    if (command === 'endgroup') return [];
    const words = command === undefined ? plain : command === 'error' ? `error: ${rest}` : rest;
    const text = words.length > LONGEST_LINE ? `${words.slice(0, LONGEST_LINE)}…` : words;
    const at = second === undefined ? {} : { at: Date.parse(`${second}Z`) };
    return [{ ...at, text, isError: command === 'error' }];
  });
}

/** A progress bar overwrites its own line. Only what it wrote last was visible. */
const afterLastReturn = (text: string): string => text.slice(text.lastIndexOf('\r', text.length - 2) + 1);

/**
 * The lines of the failed steps, by their times, or else the whole log. If that is too long: the first lines, the
 * lines around errors, and the last lines.
 */
export function failingPart(log: string, steps: readonly JobStep[], mostCharacters: number): Tail {
  const lines = readLog(log);
  const failed = steps.filter(({ conclusion }) => isFailure(conclusion));
  const own = failed.flatMap((step) => linesOf(step, lines));
  return bound(own.length > 0 ? own : lines, mostCharacters);
}

const isFailure = (conclusion: string | null | undefined): boolean =>
  ['failure', 'timed_out', 'startup_failure'].includes(conclusion ?? '');

/** GitHub gives the times of a step in whole seconds. A line without a time belongs to the line before it. */
function linesOf({ startedAt, completedAt }: JobStep, lines: readonly LogLine[]): LogLine[] {
  const [start, end] = [Date.parse(startedAt ?? ''), Date.parse(completedAt ?? '')];
  if (Number.isNaN(start) || Number.isNaN(end)) return [];
  let at = Number.NEGATIVE_INFINITY;
  return lines.filter((line) => {
    at = line.at ?? at;
    return at >= Math.floor(start / 1000) * 1000 && at <= end;
  });
}

const BEFORE_ERROR = 30;
const AFTER_ERROR = 5;
const FIRST_LINES = 10;

/** Takes the most useful lines until the room is used up, and marks the gaps. */
function bound(lines: readonly LogLine[], most: number): Tail {
  const total = lines.reduce((sum, { text }) => sum + text.length + 1, 0);
  if (total <= most) return { text: lines.map(({ text }) => text).join('\n'), isCut: false };
  const kept = new Set<number>();
  let room = most;
  for (const index of byUse(lines)) {
    if (kept.has(index)) continue;
    room -= (lines[index]?.text.length ?? 0) + 1;
    if (room < 0) break;
    kept.add(index);
  }
  return { text: withGaps(lines, kept), isCut: true };
}

/** The most useful lines first. A generator, because a log may have millions of lines and only hundreds fit. */
function* byUse(lines: readonly LogLine[]): Generator<number> {
  const isError = (index: number) => lines[index]?.isError === true;
  for (let index = lines.length - 1; index >= 0; index -= 1) if (isError(index)) yield index;
  for (let index = 0; index < Math.min(FIRST_LINES, lines.length); index += 1) yield index;
  for (let error = lines.length - 1; error >= 0; error -= 1) {
    if (!isError(error)) continue;
    const first = Math.max(0, error - BEFORE_ERROR);
    for (let index = Math.min(lines.length - 1, error + AFTER_ERROR); index >= first; index -= 1) yield index;
  }
  for (let index = lines.length - 1; index >= 0; index -= 1) yield index;
}

function withGaps(lines: readonly LogLine[], kept: ReadonlySet<number>): string {
  const shown: string[] = [];
  let gap = 0;
  const close = () => {
    if (gap > 0) shown.push(`… ${gap} lines are left out …`);
    gap = 0;
  };
  lines.forEach(({ text }, index) => {
    if (!kept.has(index)) gap += 1;
    else {
      close();
      shown.push(text);
    }
  });
  close();
  return shown.join('\n');
}
