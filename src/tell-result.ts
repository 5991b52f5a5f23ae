import * as core from '@actions/core';
import { writeFileSync } from 'node:fs';
import { FAILURES } from './failure.js';
import { buildOutputs, setOutputs } from './outputs.js';
import { logLine, truncate } from './report/plain-text.js';
import { redactAll } from './report/redact.js';
import type { RunRecord } from './report/run-record.js';
import { countCalls } from './report/run-report.js';
import { buildSummary } from './report/summary.js';
import { duration, plural } from './report/words.js';
import type { Run } from './run.js';

/** An annotation is cut at 4,096 characters; the sentences around the detail need room too. */
const DETAIL_CHARACTERS = 3000;

/** The end of every run: files, summary, outputs and the step's verdict, each of them even if another fails. */
export async function tellResult(run: Run): Promise<void> {
  run.record.wallMs = performance.now() - run.startedAt;
  const attempt = async (what: string, action: () => void | Promise<void>) => {
    try {
      await action();
    } catch (error) {
      core.warning(`${what} could not be written: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  await attempt('The result file', () => {
    writeResult(run);
  });
  const record = redactAll(run.record, run.redact);
  await attempt('The report', () => {
    writeReport(run, record);
  });
  await attempt('The job summary', () => writeSummary(run, record));
  await attempt('An output', () => {
    setOutputs(buildOutputs(record));
  });
  for (const note of record.notes) core.warning(note);
  announce(record);
}

function writeResult({ workplace, record, redact }: Run): void {
  if (!workplace) return;
  writeFileSync(workplace.result, redact(record.report.answer.trim()));
  record.files.result = workplace.result;
  record.files.report = workplace.report;
}

function writeReport({ workplace }: Run, record: RunRecord): void {
  if (workplace)
    writeFileSync(workplace.report, `${JSON.stringify({ version: 1, ...record }, undefined, 1)}\n`);
}

async function writeSummary({ summary }: Run, record: RunRecord): Promise<void> {
  if (summary === 'off' || !process.env['GITHUB_STEP_SUMMARY']) return;
  await core.summary.addRaw(buildSummary(record, summary)).write();
}

/** The last word: a line on success, one error annotation and a failed step otherwise. */
function announce(record: RunRecord): void {
  const { verdict, report } = record;
  const { calls } = countCalls(report);
  if (verdict.status === 'success') {
    core.info(`Done in ${duration(report.durationMs ?? record.wallMs)} with ${plural(calls, 'tool call')}.`);
    return;
  }
  const { what, remedy } = FAILURES[verdict.reason];
  const detail = truncate(verdict.detail.trim(), DETAIL_CHARACTERS)
    .split('\n')
    .map((line) => logLine(line));
  core.error([what, ...detail, remedy].join('\n'), { title: `Cursor Agent: ${verdict.reason}` });
  process.exitCode = core.ExitCode.Failure;
}
