// The picture of the README: the demo reviews its change, and this page shows what publish writes on the pull request,
// beside the job summary, as GitHub shows them.
import { renderComment, renderSummary } from './preview-markdown.mjs';

const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** The lines of a hunk up to one of the new file, with the numbers of both files. */
function diffRows(patch, last) {
  const rows = [];
  let [before, after] = [0, 0];
  for (const line of patch.split('\n')) {
    const [, oldStart, newStart] = /^@@ -(\d+)[^+]*\+(\d+)/.exec(line) ?? [];
    if (oldStart !== undefined) [before, after] = [Number(oldStart), Number(newStart)];
    else if (line.startsWith('-')) rows.push(['removed', before++, '', line]);
    else if (line.startsWith('+')) rows.push(['added', '', after++, line]);
    else if (line !== '') rows.push(['same', before++, after++, line]);
    if (after > last) break;
  }
  return rows.slice(-6);
}

const table = (rows) =>
  `<table class="diff">${rows.map(([type, ...cells]) => `<tr class="${type}"><td>${cells[0]}</td><td>${cells[1]}</td><td>${escape(cells[2])}</td></tr>`).join('')}</table>`;

/** A comment, with its suggestion as GitHub shows one. */
function commentBody(markdown, removed) {
  const suggestions = [];
  const text = markdown.replace(/^(`{3,})suggestion\n([\s\S]*?)\n\1$/gm, (_, fence, added) => {
    suggestions.push(
      `<div class="suggestion"><div class="title">Suggested change</div>${table([
        ['removed', '', '', `-${removed}`],
        ['added', '', '', `+${added}`],
      ])}<div class="commit"><span>Commit suggestion</span></div></div>`,
    );
    return `SUGGESTION-${suggestions.length - 1}`;
  });
  return renderComment(text).replace(/<p>SUGGESTION-(\d+)<\/p>/g, (_, index) => suggestions[Number(index)]);
}

const STYLE = `
body{margin:0;background:#f6f8fa;font-family:system-ui,sans-serif}
main{display:grid;grid-template-columns:1fr 1fr;gap:24px;padding:24px;align-items:start}
section{border:1px solid #d1d9e0;border-radius:8px;overflow:hidden;background:#fff}
section>h4{margin:0;padding:10px 16px;font-size:13px;background:#f6f8fa;border-bottom:1px solid #d1d9e0;color:#59636e}
article{padding:16px;font-size:14px}
.cut{max-height:600px;overflow:hidden;mask-image:linear-gradient(#000 80%,transparent)}
.diff{border-collapse:collapse;width:100%;font:12px ui-monospace,monospace;display:table;margin:0}
.diff td{border:0;padding:2px 6px;white-space:pre;background:none;overflow-wrap:anywhere}
.diff td:last-child{white-space:pre-wrap;width:100%}
.diff td:not(:last-child){color:#59636e;text-align:right;min-width:20px}
.diff tr.added{background:#dafbe1!important}.diff tr.removed{background:#ffebe9!important}
.comment{margin:12px 16px;border:1px solid #d1d9e0;border-radius:8px}
.comment header{padding:8px 12px;font-size:13px;color:#59636e;border-bottom:1px solid #d1d9e0}
.comment header b{color:#1f2328}
.suggestion{border:1px solid #d1d9e0;border-radius:6px;margin:12px 0;overflow:hidden}
.suggestion .title{padding:6px 12px;font-size:12px;font-weight:600;background:#f6f8fa}
.suggestion .commit{padding:8px;text-align:right}
.commit span{font-size:12px;font-weight:600;border:1px solid #d1d9e0;border-radius:6px;padding:4px 10px;background:#f6f8fa}
`;

/**
 * @param {{ comment: { line: number, body: string }, summary: string, patch: string, file: string, css: string }} content
 * @returns {string}
 */
export function readmePage({ comment, summary, patch, file, css }) {
  const rows = diffRows(patch, comment.line);
  const removed = rows.at(-1)?.[3].slice(1) ?? '';
  return `<!doctype html><html><meta charset="utf-8"><style>${css}${STYLE}</style><main>
<section><h4>Pull request · Files changed · ${file}</h4>${table(rows)}
<div class="comment"><header><b>github-actions</b> <small>bot</small> reviewed</header>
<article class="markdown-body">${commentBody(comment.body, removed)}</article></div></section>
<section><h4>Actions · Job summary</h4><article class="markdown-body cut">${renderSummary(summary)}</article></section>
</main></html>`;
}
