import { markdownAnswer } from './answer-markdown.js';
import { htmlWriter } from './html-writer.js';

/** The page of a run, with its answer as the Markdown it is. */
export const buildHtml = htmlWriter(markdownAnswer);
