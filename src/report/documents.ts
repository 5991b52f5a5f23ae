/** Everything that writes a run down; loaded together, and only when there is something to write. */
export { buildHtml } from './html.js';
export { buildReport } from './report-file.js';
export { buildSummary, SUMMARY_BYTES } from './summary.js';
