import { markdownAnswer } from './answer-markdown.js';
import { summaryWriter } from './summary-writer.js';

export { SUMMARY_BYTES } from './summary-writer.js';

/** The job summary of a run, with its answer as the Markdown it is. */
export const buildSummary = summaryWriter(markdownAnswer);
