import { writeFileSync } from 'node:fs';
import { printGuarded } from './agent-section.js';
import { structuredText } from '../answer/structured-text.js';
import { buildOutputs, setOutputs } from '../outputs.js';
import { buildAnnotations } from '../report/annotations.js';
import { buildCallGroups } from '../report/call-groups.js';
import { countFindings, markdownTexts, placeRemark, placeText } from '../report/answer-parts.js';
import { isPlain } from '../report/plain-answer.js';
import { logLine } from '../report/plain-text.js';
import { redactAll } from '../report/redact.js';
import type { RunRecord } from '../report/run-record.js';
import { countCalls } from '../report/run-report.js';
import { duration, number, plural } from '../report/words.js';
import type { Run } from './run.js';
import { appendSummary, error, info, summarySize, warning } from '../runner.js';
import type * as Documents from '../report/documents.js';
import { messageOf } from '../error-message.js';

const MOST_PRINTED = 200;

/**
 * The end of every run: files, summary, outputs and the step's verdict, each of them even if another fails. What
 * writes them is loaded only now: before, it would make every run wait for it.
 */
export async function tellResult(run: Run): Promise<void> {
  run.record.wallMs = performance.now() - run.startedAt;
  const problems: string[] = [];
  const attempt = async (what: string, action: () => void | Promise<void>) => {
    try {
      await action();
    } catch (problem) {
      problems.push(run.redaction.redact(`${what} could not be written: ${messageOf(problem)}`));
    }
  };
  await attempt('The result file', () => {
    writeResult(run);
  });
  const record = redactRecord(run);
  await writeFindings(run, record, (problem) => problems.push(problem));
  await attempt('The HTML report', async () => {
    writeHtml(run, record, await loadDocuments(record));
  });
  await attempt('The report', async () => {
    writeReport(run, record, await loadDocuments(record));
  });
  await attempt('The job summary', async () => {
    writeSummary(run, record, await loadDocuments(record));
  });
  await attempt('An output', () => {
    setOutputs(buildOutputs(record));
  });
  printCalls(record);
  announce({ ...record, notes: [...record.notes, ...problems] });
}

/** What is data of the agent's own making is cleaned value by value, so that it stays JSON. */
function redactRecord({ record, redaction: { redact } }: Run): RunRecord {
  const { structuredOutput, ...rest } = record;
  const told = redactAll(rest, redact);
  if (structuredOutput === undefined) return told;
  const clean: RunRecord = { ...told, structuredOutput: redactAll(structuredOutput, redact, true) };
  const { note } = structuredText(clean.structuredOutput);
  return note === undefined ? clean : { ...clean, notes: [...clean.notes, note] };
}

function writeResult({ workplace, record, redaction }: Run): void {
  if (!workplace) return;
  writeFileSync(workplace.result, redaction.redact(record.report.answer.trim()));
  record.files.result = workplace.result;
  record.files.report = workplace.report;
}

const loadDocuments = (record: RunRecord): Promise<typeof Documents> =>
  markdownTexts(record).every((text) => isPlain(text.trim()))
    ? import('../report/plain-documents.js')
    : import('../report/documents.js');

/** A review as the files that other tools read. */
async function writeFindings(run: Run, record: RunRecord, tell: (problem: string) => void): Promise<void> {
  const { workplace, repository, redaction } = run;
  if (!workplace || repository === undefined || !record.review) return;
  try {
    const { findingsFiles } = await import('../answer/findings-files.js');
    const { sarif, rdjson, notes } = findingsFiles(record.review, repository);
    writeFileSync(workplace.sarif, sarif);
    writeFileSync(workplace.rdjson, rdjson);
    record.files.sarif = workplace.sarif;
    record.files.rdjson = workplace.rdjson;
    record.notes.push(...notes);
  } catch (error) {
    tell(redaction.redact(`The findings could not be written as files: ${messageOf(error)}`));
  }
}

function writeHtml({ workplace }: Run, record: RunRecord, { buildHtml }: typeof Documents): void {
  if (!workplace) return;
  writeFileSync(workplace.html, buildHtml(record));
  record.files.html = workplace.html;
}

function writeReport({ workplace }: Run, record: RunRecord, { buildReport }: typeof Documents): void {
  if (workplace) writeFileSync(workplace.report, `${JSON.stringify(buildReport(record), undefined, 1)}\n`);
}

function writeSummary(
  { summary }: Run,
  record: RunRecord,
  { buildSummary, SUMMARY_BYTES }: typeof Documents,
): void {
  const before = summarySize();
  if (summary === 'off' || before === undefined) return;
  // What was written before may end in the middle of a line.
  const gap = before > 0 ? '\n\n' : '';
  const text = buildSummary(record, summary, SUMMARY_BYTES - before - gap.length);
  if (text !== '') appendSummary(`${gap}${text}`);
}

/** The details of each call, in groups that are closed until someone opens them. */
function printCalls({ report }: RunRecord): void {
  const { groups, left } = buildCallGroups(report);
  for (const { title, lines } of groups) printGuarded(title, lines);
  if (left > 0) info(`${number(left)} more calls have details; report-html has them all.`);
}

/** What a review found, a line each. */
function printFindings({ review }: RunRecord): void {
  if (!review) return;
  const lines = review.findings.slice(0, MOST_PRINTED).map((finding) => {
    const remark = placeRemark(finding);
    return logLine(
      `${finding.severity.padEnd(8)} ${placeText(finding)} ${finding.title}${remark === '' ? '' : ` (${remark})`}`,
      300,
    );
  });
  printGuarded(countFindings(review.findings), lines);
}

/** The last word: annotations, then a line on success or a failed step. */
function announce(record: RunRecord): void {
  const { verdict, report } = record;
  const { calls } = countCalls(report);
  printFindings(record);
  for (const { level, title, text } of buildAnnotations(record)) {
    if (level === 'error') error(text, title);
    else warning(text, title);
  }
  if (verdict.status === 'success') {
    info(`Done in ${duration(report.durationMs ?? record.wallMs)} with ${plural(calls, 'tool call')}.`);
  } else process.exitCode = 1;
}
