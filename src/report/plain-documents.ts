import { htmlWriter } from './html-writer.js';
import { plainAnswer } from './plain-answer.js';
import { summaryWriter } from './summary-writer.js';

/** The same as documents.ts for a run whose answer is plain: without a Markdown parser, which is most of it. */
export const buildHtml = htmlWriter(plainAnswer);
export const buildSummary = summaryWriter(plainAnswer);
export { buildReport } from './report-file.js';
export { SUMMARY_BYTES } from './summary-writer.js';
