// Renders Markdown almost as GitHub does: GFM and alerts, then an allow list of elements.
import { Marked } from 'marked';
import markedAlert from 'marked-alert';
import sanitizeHtml from 'sanitize-html';

const marked = new Marked({ gfm: true }, markedAlert());

/** A comment keeps its line breaks, a job summary does not. */
export const renderComment = (markdown) => clean(marked.parse(markdown, { breaks: true }));

/** @param {string} markdown @returns {string} */
export const renderSummary = (markdown) => clean(marked.parse(markdown));

function clean(html) {
  return sanitizeHtml(html, {
    allowedTags: [
      ...sanitizeHtml.defaults.allowedTags,
      ...['img', 'details', 'summary', 'del', 'ins', 'input', 'picture', 'svg', 'path'],
    ],
    allowedAttributes: {
      ...sanitizeHtml.defaults.allowedAttributes,
      '*': ['align', 'class', 'dir'],
      details: ['open'],
      input: ['type', 'checked', 'disabled'],
      svg: ['class', 'viewBox', 'width', 'height', 'aria-hidden'],
      path: ['d'],
    },
    parser: { lowerCaseAttributeNames: false },
  });
}
