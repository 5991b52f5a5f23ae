import type { Nodes, RootContent, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { columnsOf, wrapText } from './terminal.js';

/** Sections that the terminal shows in another way. */
const SHOWN_AS_PATCH = /Files changed$/;

/**
 * The job summary for a terminal, at most `width` columns wide. Folded parts and sections with a chart are left out,
 * because the page shows them better, and so is the list of files, because the patch follows.
 */
export function renderMarkdown(markdown: string, width: number): string[] {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return renderBlocks(withoutRepeats(tree.children), width);
}

function withoutRepeats(blocks: readonly RootContent[]): RootContent[] {
  const sections: RootContent[][] = [[]];
  for (const block of blocks) {
    if (block.type === 'heading' || block.type === 'html') sections.push([]);
    sections.at(-1)?.push(block);
  }
  const isRepeat = (block: RootContent) =>
    (block.type === 'code' && block.lang === 'mermaid') ||
    (block.type === 'heading' && SHOWN_AS_PATCH.test(inlineText(block)));
  return sections.filter((section) => !section.some(isRepeat)).flat();
}

function renderBlocks(blocks: readonly RootContent[], width: number): string[] {
  const lines: string[] = [];
  let folded = 0;
  for (const block of blocks) {
    const isFolded = folded > 0;
    if (block.type === 'html') folded = Math.max(0, folded + opensFolds(block.value));
    if (isFolded || folded > 0) continue;
    const shown = renderBlock(block, width);
    if (shown.length === 0) continue;
    lines.push(...(lines.length > 0 ? ['', ...shown] : shown));
  }
  return lines;
}

/** How many folds a piece of HTML opens more than it closes. */
const opensFolds = (html: string): number =>
  (html.match(/<details(?![^>]*\sopen)[^>]*>/g)?.length ?? 0) - (html.match(/<\/details>/g)?.length ?? 0);

function renderBlock(block: RootContent, width: number): string[] {
  switch (block.type) {
    case 'heading': {
      const title = wrapText(inlineText(block), width);
      return block.depth > 2 ? title : [...title, '─'.repeat(Math.max(...title.map(columnsOf)))];
    }
    case 'code':
      return block.value.split('\n').flatMap((line) => wrapText(`    ${line}`, width, '    '));
    case 'list':
      return block.children.flatMap((item, index) => {
        const start = block.ordered === true ? `${(block.start ?? 1) + index}. ` : '- ';
        const mark = typeof item.checked === 'boolean' ? `${start}${item.checked ? '☑' : '☐'} ` : start;
        const room = width - columnsOf(mark);
        return hang(
          mark,
          item.children.flatMap((child) => renderBlock(child, room)),
        );
      });
    case 'blockquote':
      return renderBlocks(block.children, width - 2).map((line) => `│ ${line}`);
    case 'table':
      return renderTable(block, width);
    case 'thematicBreak':
      return ['─'.repeat(Math.min(width, 20))];
    default: {
      const text = inlineText(block).trim();
      return text === '' ? [] : wrapText(text, width);
    }
  }
}

const hang = (mark: string, lines: readonly string[]): string[] =>
  lines.map((line, index) => `${index === 0 ? mark : ' '.repeat(columnsOf(mark))}${line}`.trimEnd());

/** The text of a node without its marks. A link outside of the page keeps its address. */
function inlineText(node: Nodes): string {
  switch (node.type) {
    case 'text':
      return node.value;
    case 'inlineCode':
      return `\`${node.value}\``;
    case 'break':
      return '\n';
    case 'html':
      return htmlText(node.value);
    case 'image':
      return node.alt ?? '';
    case 'link': {
      const text = node.children.map(inlineText).join('');
      return /^https?:/.test(node.url) && node.url !== text ? `${text} (${node.url})` : text;
    }
    default:
      return 'children' in node ? node.children.map(inlineText).join('') : 'value' in node ? node.value : '';
  }
}

/** HTML of our own summary. The Markdown parser leaves entities in it as they are. */
const htmlText = (html: string): string =>
  html
    .replace(/<br\s*\/?>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&amp;/g, '&');

const GAP = '  ';

function renderTable(table: Table, width: number): string[] {
  const rows = table.children.map((row) => row.children.map(inlineText));
  const columns = Math.max(...rows.map((row) => row.length));
  const natural = Array.from({ length: columns }, (_, column) =>
    Math.max(1, ...rows.flatMap((row) => (row[column] ?? '').split('\n').map(columnsOf))),
  );
  const widths = fitColumns(natural, width - GAP.length * (columns - 1));
  const [head = [], ...body] = rows.map((row) => renderRow(row, widths));
  return [...head, widths.map((columns) => '─'.repeat(columns)).join(GAP), ...body.flat()];
}

function renderRow(cells: readonly string[], widths: readonly number[]): string[] {
  const wrapped = widths.map((width, column) => wrapText(cells[column] ?? '', width));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    widths
      .map((width, column) => padded(wrapped[column]?.[row] ?? '', width))
      .join(GAP)
      .trimEnd(),
  );
}

const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - columnsOf(text)));

/** Takes from the widest columns until all fit. */
export function fitColumns(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, one) => sum + one, 0) - width;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= 1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}
