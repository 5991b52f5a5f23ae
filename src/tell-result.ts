import { writeFileSync } from 'node:fs';
import { FAILURES } from './failure.js';
import { buildOutputs, setOutputs } from './outputs.js';
import { logLine, truncate } from './report/plain-text.js';
import { redactAll } from './report/redact.js';
import type { RunRecord } from './report/run-record.js';
import { countCalls } from './report/run-report.js';
import { buildSummary, SUMMARY_BYTES } from './report/summary.js';
import { duration, plural } from './report/words.js';
import type { Run } from './run.js';
import { appendSummary, error, info, summarySize, warning } from './runner.js';
import { messageOf } from './error-message.js';

/** An annotation is cut at 4,096 characters; the sentences around the detail need room too. */
const DETAIL_CHARACTERS = 3000;

/** The end of every run: files, summary, outputs and the step's verdict, each of them even if another fails. */
export function tellResult(run: Run): void {
  run.record.wallMs = performance.now() - run.startedAt;
  const attempt = (what: string, action: () => void) => {
    try {
      action();
    } catch (problem) {
      warning(run.redaction.redact(`${what} could not be written: ${messageOf(problem)}`));
    }
  };
  attempt('The result file', () => {
    writeResult(run);
  });
  const record = redactAll(run.record, run.redaction.redact);
  attempt('The report', () => {
    writeReport(run, record);
  });
  attempt('The job summary', () => {
    writeSummary(run, record);
  });
  attempt('An output', () => {
    setOutputs(buildOutputs(record));
  });
  for (const note of record.notes) warning(note);
  announce(record);
}

function writeResult({ workplace, record, redaction }: Run): void {
  if (!workplace) return;
  writeFileSync(workplace.result, redaction.redact(record.report.answer.trim()));
  record.files.result = workplace.result;
  record.files.report = workplace.report;
}

function writeReport({ workplace }: Run, record: RunRecord): void {
  if (workplace)
    writeFileSync(workplace.report, `${JSON.stringify({ version: 1, ...record }, undefined, 1)}\n`);
}

function writeSummary({ summary }: Run, record: RunRecord): void {
  const before = summarySize();
  if (summary === 'off' || before === undefined) return;
  appendSummary(buildSummary(record, summary, SUMMARY_BYTES - before));
}

/** The last word: a line on success, one error annotation and a failed step otherwise. */
function announce(record: RunRecord): void {
  const { verdict, report } = record;
  const { calls } = countCalls(report);
  if (verdict.status === 'success') {
    info(`Done in ${duration(report.durationMs ?? record.wallMs)} with ${plural(calls, 'tool call')}.`);
    return;
  }
  const { what, remedy } = FAILURES[verdict.reason];
  const detail = truncate(verdict.detail.trim(), DETAIL_CHARACTERS)
    .split('\n')
    .map((line) => logLine(line));
  error([what, ...detail, remedy].join('\n'), `Cursor Agent: ${verdict.reason}`);
  process.exitCode = 1;
}
