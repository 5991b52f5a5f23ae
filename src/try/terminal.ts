import type { Nodes, RootContent, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

interface LogView {
  width: number;
  /** Shows what is inside of groups, too. */
  verbose: boolean;
}

/** Details of calls that have had their lines, and the further lines of a message, which the result shows. */
const REPEATED = /^(?:::group::Details of | {13})/;

/** The runner's log commands, shown for a person in a terminal: one line per step, and the title of each group. */
export function renderLog(
  print: (line: string) => void,
  view: LogView,
): { push(text: string): void; end(): void } {
  let pending = '';
  let isInGroup = false;
  const show = (line: string) => {
    if (line === '::endgroup::') isInGroup = false;
    const isHidden = !view.verbose && ((isInGroup && !line.startsWith('::')) || REPEATED.test(line));
    if (line.startsWith('::group::')) isInGroup = true;
    const shown = isHidden ? undefined : renderLine(line);
    if (shown !== undefined) for (const part of wrapText(shown, view.width, indentOf(shown))) print(part);
  };
  return {
    push(text) {
      const lines = `${pending}${text}`.split('\n');
      pending = lines.pop() ?? '';
      lines.forEach(show);
    },
    end() {
      if (pending !== '') show(pending);
      pending = '';
    },
  };
}

/** Where the text of a line of the log begins, so that the rest of a long one stands below it. */
const indentOf = (line: string): string => ' '.repeat(/^\+\d+:\d+ \S+ +| */.exec(line)?.[0].length ?? 0);

/** Groups become titles and annotations become lines. Commands that only concern the runner are left out. */
export function renderLine(line: string): string | undefined {
  const command = /^::([\w-]+)(?: ([^:]*))?::(.*)$/.exec(line);
  if (!command) return line;
  const [, name = '', properties = '', data = ''] = command;
  const text = unescape(data);
  switch (name) {
    case 'group':
      return `▸ ${text}`;
    case 'error':
    case 'warning':
    case 'notice': {
      const title = /title=([^,]*)/.exec(properties)?.[1];
      return `${name.toUpperCase()}${title === undefined ? '' : ` ${unescape(title)}`}: ${text}`;
    }
    default:
      return undefined;
  }
}

/** A file of `name=value` and `name<<delimiter` entries, as @actions/core writes them. */
export function parseFileCommand(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const [, name = '', delimiter] = /^([^=<]+)<<(.+)$/.exec(lines[index]?.trimEnd() ?? '') ?? [];
    if (delimiter === undefined) continue;
    const end = lines.findIndex((line, at) => at > index && line.trimEnd() === delimiter);
    if (end < 0) break;
    entries.set(name, lines.slice(index + 1, end).join('\n'));
    index = end;
  }
  return entries;
}

const unescape = (text: string): string =>
  text.replace(/%(0D|0A|3A|2C|25)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Emoji and the letters of East Asia, which take two columns of a terminal. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/u;
const NO_COLUMN = /^(?:\p{Mn}|\p{Me}|\u200d)$/u;

/** How many columns of a terminal a text takes. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const letter of text) columns += NO_COLUMN.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return columns;
}

/** Breaks a text into lines of at most `width` columns, between words where possible. Keeps its own line breaks. */
export function wrapText(text: string, width: number, indent = ''): string[] {
  const room = Math.max(1, width - columnsOf(indent));
  const lines = text.split('\n').flatMap((line) => wrapLine(line, room, width));
  return lines.map((line, index) => (index === 0 ? line : `${indent}${line}`));
}

function wrapLine(line: string, room: number, first: number): string[] {
  const lines: string[] = [];
  const [start = ''] = /^ */.exec(line) ?? [];
  let current = '';
  const most = () => (lines.length === 0 ? first : room);
  for (const word of line.slice(start.length).split(' ')) {
    const joined = current === '' ? `${lines.length === 0 ? start : ''}${word}` : `${current} ${word}`;
    if (columnsOf(joined) <= most()) {
      current = joined;
      continue;
    }
    if (current !== '') lines.push(current);
    current = word;
    while (columnsOf(current) > most()) {
      const piece = firstColumns(current, most());
      lines.push(piece);
      current = current.slice(piece.length);
    }
  }
  // A no-break space held words together. Now it is an ordinary one.
  return [...lines, current].map((shown) => shown.replaceAll('\u00a0', ' '));
}

/** The beginning of a text that fits, and at least one letter. */
function firstColumns(text: string, width: number): string {
  let piece = '';
  for (const letter of text) {
    if (piece !== '' && columnsOf(piece + letter) > width) break;
    piece += letter;
  }
  return piece;
}

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
