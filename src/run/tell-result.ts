import { rmSync, writeFileSync } from 'node:fs';
import { printGuarded } from './agent-section.js';
import { structuredText } from '../review/read-answer.js';
import { buildOutputs, pathsText, setOutputs } from './outputs.js';
import { buildAnnotations } from '../report/annotations.js';
import { buildCallGroups } from '../report/live-log.js';
import { countFindings, placeRemark, placeText, type Review } from '../report/findings.js';
import { logLine } from '../text/plain-text.js';
import { redactAll, type Redaction } from '../text/redact.js';
import type { RunRecord } from '../report/model.js';
import { countCalls } from '../report/run-report.js';
import { failure } from '../report/judge.js';
import { duration, number, plural } from '../text/format.js';
import type { Run } from './run.js';
import { appendSummary, error, info, summarySize, warning } from '../core/runner.js';
import type * as Documents from '../report/documents.js';
import { messageOf } from '../core/error-message.js';
import { unwrittenText } from './unwritten.js';

const MOST_PRINTED = 200;

/**
 * The end of every run: files, summary, outputs and the step's verdict, each of them even if another fails. What
 * writes them is loaded only now: before, it would make every run wait for it. A run whose files or outputs could
 * not be written is no success: whoever relies on them would go on without.
 */
export async function tellResult(run: Run): Promise<void> {
  run.record.wallMs = performance.now() - run.startedAt;
  const clean = redactRecord(run);
  let record = await writeFiles(run, { ...clean, files: plannedFiles(run) });
  if (run.unwritten.length > 0) {
    // What could be written does not know yet what could not.
    const { files } = await writeFiles(run, withLoss(run, record));
    record = { ...record, files };
  }
  try {
    writeSummary(run, withLoss(run, record), await loadDocuments());
  } catch (problem) {
    // Nobody but people reads it, and they find the same in the log and in the report.
    const note = run.redaction.redact(`The job summary could not be written: ${messageOf(problem)}`);
    record = { ...record, notes: [...record.notes, note] };
  }
  const outputs = cleanOutputs(buildOutputs(withLoss(run, record)), run.redaction);
  const problems = setOutputs(outputs).map((problem) => unwrittenText('An output', problem));
  run.unwritten.push(...new Set(problems));
  const last = withLoss(run, record);
  if (problems.length > 0) setOutputs(cleanOutputs(buildOutputs(last), run.redaction));
  printCalls(last, run.redaction);
  announce(last, run.redaction);
}

/** What could not be written makes a failure of a success, and is a note on any other failure. */
function withLoss({ unwritten, redaction: { redact } }: Run, record: RunRecord): RunRecord {
  const losses = [...new Set(unwritten)].map(redact);
  if (losses.length === 0) return record;
  return record.verdict.status === 'success'
    ? { ...record, verdict: failure('internal', losses.join('\n')) }
    : { ...record, notes: [...new Set([...record.notes, ...losses])] };
}

type Files = RunRecord['files'];

/** The files that a run should leave. */
function plannedFiles({ workplace, record: { files, review }, repository }: Run): Files {
  if (!workplace) return files;
  const { result, report, html, sarif, rdjson } = workplace;
  const hasFindings = review !== undefined && repository !== undefined;
  return { ...files, result, report, html, ...(hasFindings ? { sarif, rdjson } : {}) };
}

/** Writes every file that the record names, the most important first; gives the record with those that there are. */
async function writeFiles(run: Run, given: RunRecord): Promise<RunRecord> {
  const { redaction, repository } = run;
  const record = { ...given, files: { ...given.files } };
  const write = async (name: keyof Files, what: string, text: () => string | Promise<string>) => {
    const path = record.files[name];
    if (path === undefined) return;
    try {
      writeWhole(path, await text());
    } catch (problem) {
      run.unwritten.push(unwrittenText(what, problem));
      record.files = without(record.files, name);
    }
  };
  await write('result', 'The result file', () => redaction.redact(record.report.answer.trim()));
  const findings = async () => {
    const { findingsFiles } = await import('../review/findings-files.js');
    const files = findingsFiles(record.review ?? NO_FINDINGS, repository ?? '', redaction);
    record.notes = [...new Set([...record.notes, ...files.notes])];
    return files;
  };
  await write('sarif', 'The SARIF file', async () => (await findings()).sarif);
  await write('rdjson', 'The rdjson file', async () => (await findings()).rdjson);
  await write('report', 'The report', async () => {
    const { buildReport } = await loadDocuments();
    return `${JSON.stringify(redactAll(buildReport(record), redaction.redact), undefined, 1)}\n`;
  });
  await write('html', 'The HTML report', async () => (await loadDocuments()).buildHtml(record, redaction));
  return record;
}

const without = (files: Files, name: keyof Files): Files =>
  Object.fromEntries(Object.entries(files).filter(([other]) => other !== name));

const NO_FINDINGS: Review = { summary: '', findings: [] };

/** Half a file would be taken for a whole one, and takes the room that another may need. */
function writeWhole(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (problem) {
    rmSync(path, { force: true });
    throw problem;
  }
}

/** What is data of the agent's own making is cleaned value by value, so that it stays JSON. */
function redactRecord({ record, redaction: { redact } }: Run): RunRecord {
  const { structuredOutput, ...rest } = record;
  const told = redactAll(rest, redact);
  const paths = told.changes?.kind === 'known' ? told.changes.paths : [];
  const data = structuredOutput === undefined ? undefined : redactAll(structuredOutput, redact, true);
  const notes = [structuredText(data).note, pathsText(paths).note].filter((note) => note !== undefined);
  return {
    ...told,
    ...(data === undefined ? {} : { structuredOutput: data }),
    notes: [...told.notes, ...notes],
  };
}

const JSON_OUTPUTS: readonly string[] = ['usage', 'changed-files', 'structured-output'];

/** What is JSON stays that. */
function cleanOutputs(outputs: Outputs, { redact, redactLine }: Redaction): Outputs {
  const clean = Object.entries(outputs).map(([name, value]) => [
    name,
    JSON_OUTPUTS.includes(name) ? redactLine(value) : redact(value),
  ]);
  return Object.fromEntries(clean) as Outputs;
}
type Outputs = ReturnType<typeof buildOutputs>;

/** Starts loading what writes the end of a run, while the run waits for something else. If it fails, the end says so. */
export function preloadDocuments(): void {
  loadDocuments().catch(() => undefined);
}

const loadDocuments = (): Promise<typeof Documents> => import('../report/documents.js');

function writeSummary(
  { summary, redaction }: Run,
  record: RunRecord,
  { buildSummary, SUMMARY_BYTES }: typeof Documents,
): void {
  const before = summarySize();
  if (summary === 'off' || before === undefined) return;
  // What was written before may end in the middle of a line.
  const gap = before > 0 ? '\n\n' : '';
  const text = buildSummary(record, summary, { room: SUMMARY_BYTES - before - gap.length, redaction });
  if (text !== '') appendSummary(`${gap}${text}`);
}

/** The details of each call, in groups that are closed until someone opens them. */
function printCalls({ report }: RunRecord, { redact }: Redaction): void {
  const { groups, left } = buildCallGroups(report);
  for (const { title, lines } of groups) printGuarded(redact(title), lines.map(redact));
  if (left > 0) info(`${number(left)} more calls have details; report-html has them all.`);
}

/** What a review found, a line each. */
function printFindings({ review }: RunRecord, { redact }: Redaction): void {
  if (!review) return;
  const lines = review.findings.slice(0, MOST_PRINTED).map((finding) => {
    const remark = placeRemark(finding);
    return logLine(
      `${finding.severity.padEnd(8)} ${placeText(finding)} ${finding.title}${remark === '' ? '' : ` (${remark})`}`,
      300,
    );
  });
  printGuarded(countFindings(review.findings), lines.map(redact));
}

/** The last word: annotations, then a line on success or a failed step. */
function announce(record: RunRecord, redaction: Redaction): void {
  const { verdict, report } = record;
  const { calls } = countCalls(report);
  printFindings(record, redaction);
  for (const { level, title, text } of buildAnnotations(record)) {
    if (level === 'error') error(redaction.redact(text), title);
    else warning(redaction.redact(text), title);
  }
  if (verdict.status === 'success') {
    info(`Done in ${duration(report.durationMs ?? record.wallMs)} with ${plural(calls, 'tool call')}.`);
  } else process.exitCode = 1;
}
