import { findDenials, type Denial } from './denials.js';
import { fileChanges, type FileChanges } from './file-changes.js';
import type { RunRecord } from './run-record.js';
import { timeShares } from './timeline.js';

/**
 * The report file: what a run was, as data. Readers rely on this; new fields may come with any release, and
 * `version` changes when a field changes its meaning or goes. Its schema is in report-schema.ts, which a run does
 * not load: the tests hold every report they make against it.
 */
export const REPORT_VERSION = 1;

export interface ReportFile extends RunRecord {
  version: typeof REPORT_VERSION;
  denials: Denial[];
  changedFiles: FileChanges;
  timeShares: ReturnType<typeof timeShares>;
}

/** The record of a run and what follows from it. */
export function buildReport(record: RunRecord): ReportFile {
  const total = record.agentMs ?? record.report.durationMs ?? record.wallMs;
  return {
    version: REPORT_VERSION,
    ...record,
    denials: findDenials(record.report, record.setup),
    changedFiles: fileChanges(record),
    timeShares: timeShares(record.report, total),
  };
}
