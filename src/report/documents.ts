import { findDenials } from './denials.js';
import { agentTime, fileChanges } from './sections.js';
import type { ReportFile, RunRecord } from './model.js';
import { timeShares } from './timeline.js';

/** Everything that writes a run down. A run loads this file, and the Markdown parser with it, only when it ends. */
export { buildHtml } from './render-html.js';
export { buildSummary, SUMMARY_BYTES } from './render-markdown.js';

/** The report file: the record of a run, and what follows from it. */
export function buildReport(record: RunRecord): ReportFile {
  return {
    version: 1,
    ...record,
    denials: findDenials(record.report, record.setup),
    changedFiles: fileChanges(record),
    timeShares: timeShares(record.report, agentTime(record)),
  };
}
