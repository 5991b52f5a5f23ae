// Renders Markdown almost as GitHub does: GFM and alerts, then an allow list of elements.
import { Marked } from 'marked';
import markedAlert from 'marked-alert';
import sanitizeHtml from 'sanitize-html';

const marked = new Marked({ gfm: true }, markedAlert());

/** @param {string} markdown @returns {string} */
export function renderSummary(markdown) {
  return sanitizeHtml(marked.parse(markdown), {
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
