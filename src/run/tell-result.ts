import { rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { printGuarded } from './run-output.js';
import { structuredText } from '../review/read-answer.js';
import { buildOutputs, pathsText, setOutputs, type Outputs } from './outputs.js';
import { readPatches } from './find-changes.js';
import { buildAnnotations } from '../report/annotations.js';
import { buildCallGroups } from '../report/live-log.js';
import { findingLine, reviewTitle } from '../report/findings.js';
import { logLine } from '../text/plain-text.js';
import { redactAll, type Redaction } from '../text/redact.js';
import { mergeNotes } from './merge-notes.js';
import type { RunRecord } from '../report/model.js';
import { countCalls } from '../report/run-report.js';
import { failure } from '../report/judge.js';
import { duration, plural } from '../text/format.js';
import { appendSummary, error, inGroup, info, summarySize, warning } from '../core/runner.js';
import { buildHtml } from '../report/render-html.js';
import { buildSummary, SUMMARY_BYTES } from '../report/render-markdown.js';
import { buildReport } from '../report/sections.js';
import { findingsFiles } from '../review/findings-files.js';
import { uploadArtifact } from '../github/artifact.js';
import { messageOf, reasonOf } from '../core/errors.js';
import { failureReason, unwrittenText, type Run } from './run-state.js';

const MAX_PRINTED = 200;

/**
 * The end of every run: files, summary, outputs and the result of the step, each of them even if another fails. If a
 * file or an output cannot be written, the run is not a success, because later steps would go on without it. Returns the
 * exit code.
 */
export async function tellResult(run: Run, env: NodeJS.ProcessEnv): Promise<number> {
  run.record.wallMs = performance.now() - run.startedAt;
  const redacted = redactRecord(run);
  const clean = { ...redacted, notes: mergeNotes(redacted.notes) };
  let record = writeResultFiles(run, { ...clean, files: plannedFiles(run) });
  if (run.unwritten.length > 0) {
    // The files that were written do not mention yet which files are missing.
    const { files } = writeResultFiles(run, withLoss(run, record));
    record = { ...record, files };
  }
  record = await linkPage(run, record, env);
  try {
    writeSummary(run, withLoss(run, record));
  } catch (problem) {
    // Not a failure: only people read it, and the log and the report contain the same.
    const note = run.redaction.redact(`The job summary could not be written: ${messageOf(problem)}`);
    record = { ...record, notes: [...record.notes, note] };
  }
  const outputsOf = (final: RunRecord) => cleanOutputs(buildOutputs(final), run.redaction);
  const errors = setOutputs(outputsOf(withLoss(run, record)));
  run.unwritten.push(...new Set(errors.map((problem) => unwrittenText('An output', problem))));
  const last = withLoss(run, record);
  // The outputs that can be set must say that the run is not a success.
  if (errors.length > 0) setOutputs(outputsOf(last));
  announce(last, run.redaction);
  return last.verdict.status === 'success' ? 0 : 1;
}

/** If something could not be written, a success becomes a failure, and any other failure gets a note. */
function withLoss({ unwritten, redaction: { redact } }: Run, record: RunRecord): RunRecord {
  const losses = [...new Set(unwritten)].map(redact);
  if (losses.length === 0) return record;
  return record.verdict.status === 'success'
    ? { ...record, verdict: failure('internal', losses.join('\n')) }
    : { ...record, notes: [...new Set([...record.notes, ...losses])] };
}

type Files = RunRecord['files'];

/** The files that a run writes. */
function plannedFiles({ folder, record: { files, review }, repository }: Run): Files {
  if (!folder) return files;
  const { result, report, html, sarif, rdjson } = folder;
  const hasFindings = review !== undefined && repository !== undefined;
  return { ...files, result, report, html, ...(hasFindings ? { sarif, rdjson } : {}) };
}

/** Writes every file that the record names, the most important first. Returns the record with the files that exist. */
function writeResultFiles(run: Run, planned: RunRecord): RunRecord {
  const { redaction, repository } = run;
  const record = { ...planned, files: { ...planned.files } };
  const write = (name: keyof Files, what: string, text: () => string) => {
    const path = record.files[name];
    if (path === undefined) return;
    try {
      writeOrRemove(path, text());
    } catch (problem) {
      run.unwritten.push(unwrittenText(what, problem));
      record.files = without(record.files, name);
    }
  };
  write('result', 'The result file', () => redaction.redact(record.report.answer.trim()));
  const { review } = record;
  if (review && repository !== undefined) {
    const { sarif, rdjson, notes } = findingsFiles(review, repository, redaction);
    record.notes = [...new Set([...record.notes, ...notes])];
    write('sarif', 'The SARIF file', () => sarif);
    write('rdjson', 'The rdjson file', () => rdjson);
  }
  write('report', 'The report', () => reportText(record, redaction));
  write('html', 'The page', () => buildHtml(record, redaction, readPatches(run.record.changes)));
  return record;
}

const reportText = (record: RunRecord, { redact }: Redaction): string =>
  `${JSON.stringify(redactAll(buildReport(record), redact), undefined, 1)}\n`;

/**
 * Uploads the page, and adds its address to the report. The runner gives a cancelled step only seconds, which are not
 * enough for that.
 */
async function linkPage(run: Run, record: RunRecord, env: NodeJS.ProcessEnv): Promise<RunRecord> {
  const { verdict, files, notes } = record;
  if (
    !run.uploadsPage ||
    failureReason(verdict) === 'cancelled' ||
    files.html === undefined ||
    !env['GITHUB_ACTIONS']
  )
    return record;
  const page = files.html;
  const uploaded = await inGroup('Upload of the page', () => uploadPage(page, env));
  if ('note' in uploaded) return { ...record, notes: [...notes, run.redaction.redact(uploaded.note)] };
  const linked = { ...record, pageUrl: uploaded.url };
  if (files.report === undefined) return linked;
  try {
    writeOrRemove(files.report, reportText(linked, run.redaction));
    return linked;
  } catch (problem) {
    run.unwritten.push(unwrittenText('The report', problem));
    return { ...linked, files: without(files, 'report') };
  }
}

/** The page is for people. It is not worth a longer wait. */
const UPLOAD_MS = 60_000;

/**
 * Uploads the page as an artifact that opens in the browser without unzipping, and returns its address. It never fails
 * the run: where there are no artifacts, the page is still a file, and a note says why.
 */
async function uploadPage(page: string, env: NodeJS.ProcessEnv): Promise<{ url: string } | { note: string }> {
  const missing = NEEDED.filter((name) => !env[name]);
  if (missing.length > 0) {
    const why = `this runner has no artifacts (${missing.join(', ')} is not set)`;
    return { note: `The page was not uploaded: ${why}.` };
  }
  try {
    const artifact = { path: page, name: artifactName(page, env), contentType: 'text/html', env };
    const id = await inTime(uploadArtifact(artifact));
    const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
    return { url: `${server ?? ''}/${repository ?? ''}/actions/runs/${run ?? ''}/artifacts/${id}` };
  } catch (error) {
    return { note: `The page was not uploaded: ${reasonOf(error)}.` };
  }
}

const NEEDED = [
  'ACTIONS_RUNTIME_TOKEN',
  'ACTIONS_RESULTS_URL',
  'GITHUB_SERVER_URL',
  'GITHUB_REPOSITORY',
  'GITHUB_RUN_ID',
];

/**
 * An artifact that is not an archive has the name of its file. The name has to be unique in a run of the workflow: jobs
 * of a matrix have the same id, and a job can be tried again. The folder of this run ends in random letters.
 */
function artifactName(page: string, env: NodeJS.ProcessEnv): string {
  const job = (env['GITHUB_JOB'] ?? 'job').replace(/[^\w-]/g, '-').slice(0, 60);
  const unique = basename(dirname(page)).replace(/^cursor-agent-/, '');
  return `cursor-agent-${job}-${env['GITHUB_RUN_ATTEMPT'] ?? '1'}-${unique}.html`;
}

/** The timer keeps the process running, so that a note is written even if the upload waits for nothing. */
function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((done, failed) => {
    const timer = setTimeout(() => {
      failed(new Error(`GitHub did not take it within ${UPLOAD_MS / 1000} seconds.`));
    }, UPLOAD_MS);
    work.then(done, failed).finally(() => {
      clearTimeout(timer);
    });
  });
}

const without = (files: Files, name: keyof Files): Files =>
  Object.fromEntries(Object.entries(files).filter(([other]) => other !== name));

/** Removes a file that was written only in part: it would be misleading, and another file may need the space. */
function writeOrRemove(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (problem) {
    rmSync(path, { force: true });
    throw problem;
  }
}

/** Structured output is redacted value by value, so that it stays valid JSON. */
function redactRecord({ record, redaction: { redact } }: Run): RunRecord {
  const { structuredOutput, ...rest } = record;
  const clean = redactAll(rest, redact);
  const paths = clean.changes?.kind === 'known' ? clean.changes.paths : [];
  const data = structuredOutput === undefined ? undefined : redactAll(structuredOutput, redact, true);
  const notes = [structuredText(data).note, pathsText(paths).note].filter((note) => note !== undefined);
  return {
    ...clean,
    ...(data === undefined ? {} : { structuredOutput: data }),
    notes: [...clean.notes, ...notes],
  };
}

const JSON_OUTPUTS: readonly string[] = ['usage', 'changed-files', 'structured-output'];

/** Outputs with JSON stay valid JSON. */
function cleanOutputs(outputs: Outputs, { redact, redactLine }: Redaction): Outputs {
  const clean = Object.entries(outputs).map(([name, value]) => [
    name,
    JSON_OUTPUTS.includes(name) ? redactLine(value) : redact(value),
  ]);
  return Object.fromEntries(clean) as Outputs;
}

function writeSummary({ summary, redaction }: Run, record: RunRecord): void {
  const before = summarySize();
  if (summary === 'off' || before === undefined) return;
  // An earlier summary can end in the middle of a line.
  const gap = before > 0 ? '\n\n' : '';
  const text = buildSummary(record, summary, { room: SUMMARY_BYTES - before - gap.length, redaction });
  if (text !== '') appendSummary(`${gap}${text}`);
}

/** The details of the calls and the findings, in collapsed groups; then annotations, and a last line on success. */
function announce(record: RunRecord, { redact }: Redaction): void {
  const { verdict, report, review, pageUrl } = record;
  for (const { title, lines } of buildCallGroups(report)) printGuarded(title, lines.map(redact));
  if (review) {
    const lines = review.findings
      .slice(0, MAX_PRINTED)
      .map((finding) => redact(logLine(findingLine(finding), 300)));
    printGuarded(reviewTitle(review.findings), lines);
  }
  if (pageUrl !== undefined) info(`The page of this run, with every tool call: ${pageUrl}`);
  for (const { level, title, text } of buildAnnotations(record)) {
    if (level === 'error') error(redact(text), title);
    else warning(redact(text), title);
  }
  if (verdict.status === 'success') {
    const { calls } = countCalls(report);
    const work = calls === 0 ? '' : ` with ${plural(calls, 'tool call')}`;
    info(`Done in ${duration(report.durationMs ?? record.wallMs)}${work}.`);
  }
}
