import * as z from 'zod/mini';
import { messageOf } from '../core/errors.js';
import type { GithubClient, Tail } from '../github/client.js';
import type { FailedCi } from '../github/event.js';
import { GithubError } from '../github/github-error.js';
import { ANSI, CONTROL, joinWords } from '../text/plain-text.js';
import { failureLines, machineLine, type FailureLine } from '../report/failure-lines.js';

interface CiLogs {
  text: string;
  failedJobs: number;
  leftOut: string[];
  /** The commands of the failed steps, as far as the logs show them. */
  commands: StepCommand[];
  /** What failed. Undefined if no log of a failed job could be read. */
  failures: FailureLine[] | undefined;
  /** A line that says that the machine failed, if that is so for each failed job. */
  machine: string | undefined;
}

export interface StepCommand {
  job: string;
  step: string;
  found: FailedCommand;
}

type FailedCommand = { command: ScriptCommand } | { why: string };

export interface ScriptCommand {
  script: string;
  shell: 'bash' | 'sh';
  /** What the shell is started with, before the script. */
  options: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Where it is run: at the top of the workspace, or in the working directory of the agent. */
  place: 'workspace' | 'working-directory';
}

const MAX_PAGES = 5;
const MAX_RUNS = 10;
/** Jobs whose logs are read. The others are only named. */
const MAX_JOBS = 20;
const MAX_ANNOTATIONS = 20;
const CHARACTERS_OF_JOB = 60_000;
const CHARACTERS_OF_ALL = 400_000;
/** Of a longer log only the end is read. */
const BYTES_OF_LOG = 4 * 1024 * 1024;

const OptionalText = z.nullish(z.string());
const StepSchema = z.pipe(
  z.looseObject({
    name: z.string(),
    conclusion: OptionalText,
    started_at: OptionalText,
    completed_at: OptionalText,
  }),
  z.transform(({ name, conclusion, started_at: startedAt, completed_at: completedAt }): JobStep => ({
    name,
    conclusion,
    startedAt,
    completedAt,
  })),
);
const JobSchema = z.looseObject({
  id: z.number(),
  name: z.string(),
  conclusion: OptionalText,
  steps: z.nullish(z.array(StepSchema)),
});
type Job = z.output<typeof JobSchema>;
const RunSchema = z.looseObject({ id: z.number(), run_attempt: z.nullish(z.number()), name: OptionalText });
const AnnotationSchema = z.looseObject({
  path: z.string(),
  start_line: z.nullish(z.number()),
  annotation_level: OptionalText,
  message: OptionalText,
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
  const parts: JobPart[] = [];
  let room = CHARACTERS_OF_ALL;
  for (const [index, each] of failed.entries()) {
    const isRead = index < MAX_JOBS && room > 0;
    const part = await describeJob(github, each, isRead ? Math.min(CHARACTERS_OF_JOB, room) : 0);
    room -= part.text.length;
    parts.push(part);
  }
  const head =
    failed.length === 0
      ? `No job failed in ${runs.map(({ name, id }) => name || String(id)).join(', ') || 'any run'}.`
      : `Failed jobs: ${failed.length}`;
  const failures = parts.flatMap((part) => (part.failures ? [part.failures] : []));
  const isMachine = parts.every(({ machine }) => machine !== undefined);
  return {
    text: [head, '', ...parts.map(({ text }) => text)].join('\n'),
    failedJobs: failed.length,
    leftOut: parts.flatMap(({ job, isCut }) => (isCut ? [job] : [])),
    commands: parts.flatMap(({ commands }) => commands),
    failures: failures.length === 0 ? undefined : failures.flat(),
    machine: isMachine ? parts[0]?.machine : undefined,
  };
}

interface CiRun {
  id: number;
  attempt: number;
  name: string;
}
interface FailedJob {
  run: string;
  job: Job;
}

const READ_LOGS = { doing: 'read the CI logs', needs: 'actions: read' };

async function findRuns(github: GithubClient, ci: FailedCi): Promise<CiRun[]> {
  if (ci.kind === 'run') return [ci];
  const { workflow_runs: runs } = await github.read({
    ...READ_LOGS,
    route: 'GET /repos/{owner}/{repo}/actions/runs',
    parameters: { check_suite_id: ci.id, per_page: MAX_RUNS },
    shape: z.looseObject({ workflow_runs: z.array(RunSchema) }),
  });
  return runs.map(({ id, run_attempt: attempt, name }) => ({ id, attempt: attempt ?? 1, name: name ?? '' }));
}

const JobsSchema = z.pipe(
  z.looseObject({ jobs: z.array(JobSchema) }),
  z.transform(({ jobs }: { jobs: Job[] }) => jobs),
);

const listJobs = (github: GithubClient, { id, attempt }: CiRun): Promise<Job[]> =>
  github.readPages({
    ...READ_LOGS,
    route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs',
    parameters: { run_id: id, attempt_number: attempt },
    shape: JobsSchema,
    maxPages: MAX_PAGES,
  });

/** What is said about one failed job. */
interface JobPart extends Tail {
  job: string;
  commands: StepCommand[];
  failures?: FailureLine[] | undefined;
  machine?: string | undefined;
}

async function describeJob(
  github: GithubClient,
  { run, job }: FailedJob,
  maxLength: number,
): Promise<JobPart> {
  const steps = job.steps ?? [];
  const failed = steps.filter(({ conclusion }) => isFailure(conclusion));
  const head = [
    `===== Job: ${brief(job.name)}${run === '' ? '' : ` (workflow ${brief(run)})`}: ${job.conclusion ?? ''} =====`,
    `Failed steps: ${failed.map(({ name }) => brief(name)).join(', ') || '(none is named)'}`,
  ];
  const unknownCommands = (why: string) =>
    failed.map((step) => ({ job: brief(job.name), step: brief(step.name), found: { why } }));
  if (maxLength === 0)
    return {
      job: job.name,
      text: [...head, '(This log was not read: there are too many.)', ''].join('\n'),
      isCut: true,
      commands: unknownCommands('its log was not read'),
    };
  const annotations = await describeAnnotations(github, job);
  const log = await readJobLog(github, job);
  const isMissing = 'missing' in log;
  const part = isMissing ? { text: log.missing, isCut: true } : failingPart(log.text, steps, maxLength);
  return {
    job: job.name,
    text: [...head, ...annotations, '', 'Log:', part.text, ''].join('\n'),
    isCut: part.isCut || (!isMissing && log.isCut),
    commands: isMissing
      ? unknownCommands('its log could not be read')
      : failed.map((step) => ({
          job: brief(job.name),
          step: brief(step.name),
          found: failedCommand(log, step),
        })),
    failures: isMissing ? undefined : failureLines(part.text),
    // Of a runner that is gone only an annotation may be left.
    machine: machineLine([...annotations, ...(isMissing ? [] : [part.text])].join('\n')),
  };
}

async function describeAnnotations(github: GithubClient, job: Job): Promise<string[]> {
  try {
    const annotations = await github.read({
      doing: 'read the annotations',
      route: 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations',
      // A job is also a check run, with the same id.
      parameters: { check_run_id: job.id, per_page: MAX_ANNOTATIONS },
      needs: 'checks: read',
      shape: z.array(AnnotationSchema),
    });
    const lines = annotations.map(
      ({ path, start_line: line, annotation_level: level, message }) =>
        `- ${level ?? ''} ${brief(path)}${line == null ? '' : `:${line}`}: ${brief(message ?? '')}`,
    );
    return lines.length === 0 ? [] : ['Annotations:', ...lines];
  } catch (error) {
    return [`(${messageOf(error)})`];
  }
}

async function readJobLog(github: GithubClient, job: Job): Promise<Tail | { missing: string }> {
  const doing = 'read the log';
  try {
    return await github.readTail({
      doing,
      route: 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
      parameters: { job_id: job.id },
      needs: 'actions: read',
      maxBytes: BYTES_OF_LOG,
    });
  } catch (error) {
    if (!(error instanceof GithubError))
      return { missing: `(Could not ${doing}: ${messageOf(error).slice(0, 300)}.)` };
    return {
      missing: `(${error.isGone ? `The log no longer exists: ${error.failure.status ?? ''}.` : error.message})`,
    };
  }
}

const brief = (words: string): string => joinWords(words, 500);

interface JobStep {
  name: string;
  conclusion?: string | null | undefined;
  startedAt?: string | null | undefined;
  completedAt?: string | null | undefined;
}

/** When a step ran, in milliseconds; undefined if GitHub does not say. */
function timesOf({ startedAt, completedAt }: JobStep): { start: number; end: number } | undefined {
  const [start, end] = [Date.parse(startedAt ?? ''), Date.parse(completedAt ?? '')];
  return Number.isNaN(start) || Number.isNaN(end) ? undefined : { start, end };
}

interface RawLine {
  /** When the line was written, in milliseconds. A line without a time belongs to the line before it. */
  at: number;
  text: string;
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z ?/;

function splitLog(log: string): RawLine[] {
  const lines = log.replace(/^\ufeff/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  let at = Number.NEGATIVE_INFINITY;
  return lines.map((line) => {
    const [stamp = '', second] = TIMESTAMP.exec(line) ?? [];
    if (second !== undefined) at = Date.parse(`${second}Z`);
    return { at, text: line.slice(stamp.length).replace(/^\ufeff/, '') };
  });
}

interface CiLogLine extends RawLine {
  isError: boolean;
}

const COMMAND = /^##\[(\w+)\](.*)$/s;
const MAX_LINE = 2000;

/** The lines of a log as a reader should see them: without colours and the commands of the runner. */
export function readLog(log: string): CiLogLine[] {
  return splitLog(log).flatMap(({ at, text: line }) => {
    const plain = afterLastReturn(line.replace(ANSI, '')).replace(CONTROL, '').replaceAll('\ufeff', '');
    const [, command, rest = ''] = COMMAND.exec(plain) ?? [];
    if (command === 'endgroup') return [];
    const words = command === undefined ? plain : command === 'error' ? `error: ${rest}` : rest;
    const text = words.length > MAX_LINE ? `${words.slice(0, MAX_LINE)}…` : words;
    return [{ at, text, isError: command === 'error' }];
  });
}

/** A progress bar overwrites its own line. Only what it wrote last was visible. */
const afterLastReturn = (text: string): string => text.slice(text.lastIndexOf('\r', text.length - 2) + 1);

/**
 * The lines of the failed steps, by their times, or else the whole log. If that is too long: the first lines, the
 * lines around errors, and the last lines.
 */
export function failingPart(log: string, steps: readonly JobStep[], maxCharacters: number): Tail {
  const lines = readLog(log);
  const failed = steps.filter(({ conclusion }) => isFailure(conclusion));
  const own = failed.flatMap((step) => linesOf(step, lines));
  return bound(own.length > 0 ? own : lines, maxCharacters);
}

const isFailure = (conclusion: string | null | undefined): boolean =>
  ['failure', 'timed_out', 'startup_failure'].includes(conclusion ?? '');

/** The times of lines are read in whole seconds. */
function linesOf(step: JobStep, lines: readonly CiLogLine[]): CiLogLine[] {
  const times = timesOf(step);
  if (!times) return [];
  const start = Math.floor(times.start / 1000) * 1000;
  return lines.filter(({ at }) => at >= start && at <= times.end);
}

const BEFORE_ERROR = 30;
const AFTER_ERROR = 5;
const FIRST_LINES = 10;

/** Takes the most useful lines until the room is used up, and marks the gaps. */
function bound(lines: readonly CiLogLine[], maxLength: number): Tail {
  const total = lines.reduce((sum, { text }) => sum + text.length + 1, 0);
  if (total <= maxLength) return { text: lines.map(({ text }) => text).join('\n'), isCut: false };
  const kept = new Set<number>();
  let room = maxLength;
  for (const index of byUse(lines)) {
    if (kept.has(index)) continue;
    room -= (lines[index]?.text.length ?? 0) + 1;
    if (room < 0) break;
    kept.add(index);
  }
  return { text: withGaps(lines, kept), isCut: true };
}

/** The most useful lines first. A generator, because a log may have millions of lines and only hundreds fit. */
function* byUse(lines: readonly CiLogLine[]): Generator<number> {
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

function withGaps(lines: readonly CiLogLine[], kept: ReadonlySet<number>): string {
  const shown: string[] = [];
  let next = 0;
  for (const index of [...[...kept].sort((one, other) => one - other), lines.length]) {
    if (index > next) shown.push(`… ${index - next} lines are left out …`);
    shown.push(...lines.slice(index, index + 1).map(({ text }) => text));
    next = index + 1;
  }
  return shown.join('\n');
}

/**
 * The command of a step, as the runner printed it at the start of the step. Everything in a step can print lines that
 * look the same, and the log is all there is. So the command is taken only if exactly one such group lies between the
 * start and the end of the step: a second one makes it unknown, and never replaces it.
 */
export function failedCommand(log: Tail, step: JobStep): FailedCommand {
  const times = timesOf(step);
  if (!times) return { why: 'GitHub does not say when the step ran' };
  const { start, end } = times;
  const lines = splitLog(log.text);
  // Then the group that the runner printed can be missing, and one that the step printed can look like it.
  const first = lines.find(({ at }) => Number.isFinite(at))?.at ?? start;
  if (log.isCut && first >= start) return { why: 'its log is too long, so the beginning was not read' };
  const own = lines.filter(({ at }) => at >= start && at <= end).map(({ text }) => text);
  const groups = runGroups(own).filter(({ title }) => isTitleOf(title, step.name));
  const [group] = groups;
  if (!group) return { why: 'its log does not show a command' };
  if (groups.length > 1) return { why: 'more than one command is shown for the time of the step' };
  return readGroup(group.lines);
}

const GROUP = '##[group]Run ';

function runGroups(lines: readonly string[]): { title: string; lines: string[] }[] {
  return lines.flatMap((line, index) => {
    if (!line.startsWith(GROUP)) return [];
    const rest = lines.slice(index + 1);
    const end = rest.indexOf('##[endgroup]');
    return [{ title: line.slice(GROUP.length), lines: rest.slice(0, end < 0 ? 0 : end) }];
  });
}

/** A step without a name of its own is named after the first line of its script. GitHub may cut that. */
function isTitleOf(title: string, name: string): boolean {
  if (!name.startsWith('Run ')) return true;
  const named = name
    .slice('Run '.length)
    .replace(/(?:…|\.\.\.)$/, '')
    .trim();
  return title.trim().startsWith(named);
}

// eslint-disable-next-line no-control-regex -- the runner prints each line of a script in this colour
const SCRIPT_LINE = /^\u001b\[36;1m(.*)\u001b\[0m$/s;
const SHELL = /^shell: (?:\/(?:[^/\s]+\/)*)?(bash|sh) (.*?) ?\{0\}$/;
const MAX_SCRIPT = 10_000;
/** No option may take the place of the script. */
const OPTION = /^(?:-[abefhkmnptuvxBCEHPTo]+|--(?:noprofile|norc|login|posix)|pipefail)$/;
const VARIABLE = /^ {2}([A-Za-z_][A-Za-z0-9_]*): (.*)$/;
const RUNNER_FILES = /\bGITHUB_(?:ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)\b/;

function readGroup(lines: readonly string[]): FailedCommand {
  const written = lines.map((line) => SCRIPT_LINE.exec(line)?.[1]);
  const length = written.findIndex((line) => line === undefined);
  const script = written.slice(0, length < 0 ? written.length : length).join('\n');
  if (script.trim() === '') return { why: 'it is an action and not a command' };
  const [, shell, given = ''] = SHELL.exec((lines[length] ?? '').replace(ANSI, '')) ?? [];
  const options = given.split(' ').filter((option) => option !== '');
  if ((shell !== 'bash' && shell !== 'sh') || !options.every((option) => OPTION.test(option)))
    return { why: 'its shell is not bash or sh' };
  if (script.includes('***')) return { why: 'it contains a secret, which the log does not show' };
  if (RUNNER_FILES.test(script)) return { why: 'it writes to files of the runner' };
  if (script.length > MAX_SCRIPT) return { why: 'it is too long' };
  const env = readVariables(lines.slice(length + 1));
  return { command: { script, shell, options, env, place: 'workspace' } };
}

/** A masked value is not known, and an absolute path may lead nowhere on this machine. */
function readVariables(lines: readonly string[]): Record<string, string> {
  const [first, ...rest] = lines;
  if (first !== 'env:') return {};
  return Object.fromEntries(
    rest.flatMap((line) => {
      const [, name, value = ''] = VARIABLE.exec(line) ?? [];
      return name === undefined || value.includes('***') || value.startsWith('/') ? [] : [[name, value]];
    }),
  );
}
