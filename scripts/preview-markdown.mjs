// Renders Markdown almost as GitHub does: GFM and alerts, then an allow list of elements.
import { Marked } from 'marked';
import markedAlert from 'marked-alert';
import sanitizeHtml from 'sanitize-html';

const escape = (text) => text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);

const marked = new Marked({ gfm: true }, markedAlert(), {
  renderer: {
    code({ text, lang }) {
      return lang === 'mermaid' ? `<pre class="mermaid">${escape(text)}</pre>` : false;
    },
  },
});

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
