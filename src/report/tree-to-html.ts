import type { Nodes, Table } from 'mdast';
import { escapeHtml } from '../text/html-text.js';

/** A tree of Markdown as HTML. Text is always escaped, and HTML in the tree is treated as text. */
export function treeToHtml(node: Nodes): string {
  switch (node.type) {
    case 'root':
      return blocks(node.children);
    case 'paragraph':
      return `<p>${inline(node.children)}</p>`;
    case 'heading':
      return `<h${node.depth}>${inline(node.children)}</h${node.depth}>`;
    case 'blockquote':
      return `<blockquote>\n${blocks(node.children)}\n</blockquote>`;
    case 'list': {
      const start = node.ordered && (node.start ?? 1) !== 1 ? ` start="${Number(node.start)}"` : '';
      const tag = node.ordered ? 'ol' : 'ul';
      const isTight = !node.spread && node.children.every(({ spread }) => !spread);
      return `<${tag}${start}>\n${node.children.map((item) => listItem(item, isTight)).join('\n')}\n</${tag}>`;
    }
    case 'code': {
      const language = node.lang ? ` class="language-${escapeHtml(node.lang)}"` : '';
      return `<pre><code${language}>${escapeHtml(node.value)}\n</code></pre>`;
    }
    case 'table':
      return table(node);
    case 'thematicBreak':
      return '<hr>';
    case 'break':
      return '<br>\n';
    case 'text':
      return escapeHtml(node.value);
    case 'inlineCode':
      return `<code>${escapeHtml(node.value)}</code>`;
    case 'emphasis':
      return `<em>${inline(node.children)}</em>`;
    case 'strong':
      return `<strong>${inline(node.children)}</strong>`;
    case 'delete':
      return `<del>${inline(node.children)}</del>`;
    case 'link':
      return `<a href="${escapeHtml(node.url)}">${inline(node.children)}</a>`;
    default:
      return 'children' in node ? inline(node.children) : 'value' in node ? escapeHtml(node.value) : '';
  }
}

const blocks = (nodes: readonly Nodes[]): string => nodes.map(treeToHtml).join('\n');
const inline = (nodes: readonly Nodes[]): string => nodes.map(treeToHtml).join('');

/** The paragraphs of a list without blank lines are written without `<p>`. */
function listItem(item: Extract<Nodes, { type: 'listItem' }>, isTight: boolean): string {
  const box =
    typeof item.checked === 'boolean'
      ? `<input type="checkbox" disabled=""${item.checked ? ' checked=""' : ''}> `
      : '';
  const content = item.children.map((child, index) => {
    const before = index === 0 ? box : '';
    if (child.type !== 'paragraph') return `${before}${treeToHtml(child)}`;
    const words = `${before}${inline(child.children)}`;
    return isTight ? words : `<p>${words}</p>`;
  });
  return `<li>${content.join('\n')}</li>`;
}

function table({ align, children }: Table): string {
  const row = (cells: Table['children'][number]['children'], tag: 'th' | 'td') =>
    cells
      .map((cell, index) => {
        const side = align?.[index];
        return `<${tag}${side ? ` align="${side}"` : ''}>${inline(cell.children)}</${tag}>`;
      })
      .join('');
  const [head, ...body] = children;
  return [
    '<table>',
    `<thead><tr>${row(head?.children ?? [], 'th')}</tr></thead>`,
    `<tbody>${body.map(({ children: cells }) => `<tr>${row(cells, 'td')}</tr>`).join('\n')}</tbody>`,
    '</table>',
  ].join('\n');
}
