import type { Nodes, Parents, PhrasingContent, Root, RootContent, Text } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown, gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown, type Options } from 'mdast-util-to-markdown';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { splitLiveText, escapeText } from '../text/markdown.js';
import { nameInvisible, splitIntoLines, truncate } from '../text/plain-text.js';
import { redactTree } from '../text/redact-seams.js';
import type { Redaction } from '../text/redact.js';

/** Sanitizes Markdown and limits it to `maxLength` characters. */
export type MakeSafe = (text: string, maxLength: number) => string;

/**
 * Markdown of unknown origin, parsed and written again: it looks as it was meant to, but nothing in it runs, loads,
 * notifies anyone, hides, or reaches beyond its own place in the document. Secrets that only appear once the text is
 * parsed are removed on the way.
 */
export const safeMarkdown = (text: string, maxLength: number, redaction?: Redaction): string =>
  readSafely(text, maxLength, redaction)
    .map((tree) => toMarkdown(tree, WRITING).trimEnd())
    .join('\n\n');

/** The same as HTML. It contains no HTML of the text's own, and no links except to the web. */
export const safeHtml = (text: string, maxLength: number, redaction?: Redaction): string =>
  readSafely(text, maxLength, redaction)
    .map((tree) => micromark(toMarkdown(tree, WRITING), HTML))
    .join('\n')
    // One way to write each mark, wherever secrets are looked for.
    .replace(/&(?:amp|lt|gt|quot);/g, (mark) => ENTITIES[mark] ?? mark);

const HTML = { extensions: [gfm()], htmlExtensions: [gfmHtml()] };
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&#38;',
  '&lt;': '&#60;',
  '&gt;': '&#62;',
  '&quot;': '&#34;',
};

const WRITING: Options = {
  bullet: '-',
  fences: true,
  rule: '-',
  resourceLink: true,
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
};

/** Each text is parsed once, for the summary and the page, until other secrets apply. */
const parsed: { redaction: Redaction | undefined; trees: Map<string, Root[]> } = {
  redaction: undefined,
  trees: new Map(),
};
const MAX_KEPT = 2000;

function readSafely(text: string, maxLength: number, redaction: Redaction | undefined): Root[] {
  const source = truncate(text.trim(), maxLength).replace(/\r\n?/g, '\n').replaceAll('\u0000', '\ufffd');
  if (parsed.redaction !== redaction || parsed.trees.size >= MAX_KEPT)
    Object.assign(parsed, { redaction, trees: new Map() });
  const earlier = parsed.trees.get(source);
  if (earlier) return earlier;
  const trees = splitPieces(source).map((piece) => {
    const tree = isTooTangled(piece) ? asCode(piece) : parse(piece);
    if (redaction) redactTree(tree, redaction);
    return tree;
  });
  parsed.trees.set(source, trees);
  return trees;
}

function parse(source: string): Root {
  const tree = fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return { type: 'root', children: rewriteAll(tree, definitionsOf(tree)) as RootContent[] };
}

const asCode = (source: string): Root => ({
  type: 'root',
  children: [{ type: 'code', value: splitIntoLines(source).map(nameInvisible).join('\n') }],
});

const MAX_NESTING = 8;
const MAX_MARKS_PER_BLOCK = 1000;

/**
 * Deep nesting and very long runs of opening marks take a Markdown parser far too much time and stack. Such text
 * is not written to be read, so it is shown as code.
 */
function isTooTangled(source: string): boolean {
  return source.split(/\n[ \t]*\n/).some((block) => {
    const marks = block.match(/[[\]*_~<`!&]/g)?.length ?? 0;
    return (marks > MAX_MARKS_PER_BLOCK && !FENCE.test(block)) || block.split('\n').some(isDeeplyNested);
  });
}

const isDeeplyNested = (line: string): boolean =>
  (/^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]))+/.exec(line)?.[0].replace(/[ \t\d]/g, '').length ?? 0) >
  MAX_NESTING;

const PIECE_CHARACTERS = 8000;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * A long text is parsed in pieces, because parsing time grows faster than length. It is cut between blocks if
 * possible. Wherever it is cut, each piece is written as complete Markdown.
 */
function splitPieces(source: string): string[] {
  const pieces: string[][] = [[]];
  let [length, fence] = [0, ''];
  for (const line of source.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? '';
    const isBetween = fence === '' && (length > 2 * PIECE_CHARACTERS || /^[^\s>*+\-\d|]/.test(line));
    const isAfterBlank = pieces.at(-1)?.at(-1)?.trim() === '' || length > 2 * PIECE_CHARACTERS;
    if (length > PIECE_CHARACTERS && isBetween && isAfterBlank) {
      pieces.push([]);
      length = 0;
    }
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = '';
    pieces.at(-1)?.push(line);
    length += line.length + 1;
  }
  return pieces.map((lines) => lines.join('\n')).filter((piece) => piece.trim() !== '');
}

type Definitions = ReadonlyMap<string, string>;

/** Addresses of reference links. They are written into the links, so that the definitions can be dropped. */
function definitionsOf(tree: Root): Definitions {
  const definitions = new Map<string, string>();
  const visit = (node: Nodes) => {
    if (node.type === 'definition' && !definitions.has(node.identifier))
      definitions.set(node.identifier, node.url);
    if ('children' in node) node.children.forEach(visit);
  };
  visit(tree);
  return definitions;
}

function rewriteAll(parent: Parents, definitions: Definitions): Nodes[] {
  const children = (parent.children as Nodes[]).flatMap((child) => rewrite(child, definitions));
  if (PHRASING_PARENTS.includes(parent.type))
    return joinAdjacent('inlineCode', joinAdjacent('text', children).flatMap(splitText));
  return children.map((child) => (child.type === 'text' ? paragraph(splitText(child)) : child));
}

const PHRASING_PARENTS = [
  ...['paragraph', 'heading', 'emphasis', 'strong', 'delete'],
  ...['link', 'linkReference', 'tableCell'],
];

const text = (value: string): Text => ({ type: 'text', value });
const paragraph = (children: Nodes[]): Nodes => ({
  type: 'paragraph',
  children: children as PhrasingContent[],
});
const withChildren = <T extends Parents>(node: T, definitions: Definitions): T => ({
  ...node,
  children: rewriteAll(node, definitions),
});

function rewrite(node: Nodes, definitions: Definitions): Nodes[] {
  switch (node.type) {
    case 'text':
      return [text(nameInvisible(node.value))];
    case 'inlineCode':
      return [{ type: 'inlineCode', value: nameInvisible(node.value) }];
    case 'code':
      return [{ type: 'code', lang: language(node.lang), meta: null, value: nameInvisible(node.value) }];
    case 'html':
      return [text(nameInvisible(node.value).replace(/\n\s*\n/g, '\n'))];
    case 'heading':
      // Headings of the answer rank below those of the summary.
      return [{ ...withChildren(node, definitions), depth: node.depth <= 2 ? 4 : node.depth === 3 ? 5 : 6 }];
    case 'link':
      return rewriteLink(node.url, withChildren(node, definitions).children);
    case 'linkReference':
      return rewriteLink(definitions.get(node.identifier) ?? '', rewriteAll(node, definitions));
    case 'image':
      return imageAsLink(node.alt, node.url);
    case 'imageReference':
      return imageAsLink(node.alt, definitions.get(node.identifier) ?? '');
    case 'footnoteReference':
      return [text(`[${nameInvisible(node.label ?? node.identifier)}]`)];
    case 'footnoteDefinition':
      return [
        paragraph([text(`[${nameInvisible(node.label ?? node.identifier)}]:`)]),
        ...rewriteAll(node, definitions),
      ];
    case 'blockquote':
      return [withChildren(withPlainAlert(node), definitions)];
    case 'definition':
    case 'yaml':
      return [];
    default:
      return ['children' in node ? withChildren(node, definitions) : node];
  }
}

/** Languages of code blocks that GitHub renders as something other than code. */
const LIVE_LANGUAGES = ['mermaid', 'math', 'geojson', 'topojson', 'stl', 'suggestion'];

function language(given: string | null | undefined): string | null {
  const name = /^[\w+#.-]{1,30}$/.exec(given ?? '')?.[0];
  return name === undefined || LIVE_LANGUAGES.includes(name.toLowerCase()) ? null : name;
}

/** Only links to the web are kept, and they show their host. */
function rewriteLink(address: string, children: Nodes[]): Nodes[] {
  const url = webAddress(address);
  const label = joinAdjacent('text', children);
  if (!url) return label;
  const words = label.map((child) => ('value' in child ? child.value : '')).join('');
  const isItself = words !== '' && (words === address || `http://${words}` === address);
  // GitHub adds a note to an issue, pull request or commit that is linked to.
  if (isReference(url)) {
    const code: Nodes = { type: 'inlineCode', value: nameInvisible(url.href) };
    return isItself ? [code] : [...label, text(' '), code];
  }
  const link: Nodes = {
    type: 'link',
    url: url.href,
    children: (isItself ? [text(nameInvisible(words))] : label) as PhrasingContent[],
  };
  return isItself ? [link] : [link, text(` (${url.host})`)];
}

function webAddress(address: string): URL | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url;
}

/** On any host, because an Enterprise server can have any name. */
const isReference = ({ pathname }: URL): boolean =>
  /^\/[^/]+\/[^/]+\/(issues|pull|discussions|commit)\/\w/i.test(pathname);

function imageAsLink(alt: string | null | undefined, url: string): Nodes[] {
  return rewriteLink(url, [text(`image: ${nameInvisible(alt || 'without a description')}`)]);
}

/** GitHub renders a quotation that begins with `[!WARNING]` as an alert. Here it becomes a bold word. */
function withPlainAlert<T extends Parents>(quote: T): T {
  const [first, ...rest] = quote.children as Nodes[];
  if (first?.type !== 'paragraph') return quote;
  const [start, ...others] = first.children;
  const alert = start?.type === 'text' ? /^\[!(\w+)\][ \t]*\n?/.exec(start.value) : null;
  if (!alert || start?.type !== 'text') return quote;
  const word = alert[1] ?? '';
  const name = word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
  const left = start.value.slice(alert[0].length);
  const children = [
    { type: 'strong' as const, children: [text(`${name}:`)] },
    text(left === '' ? '' : ` ${left}`),
    ...others,
  ];
  return { ...quote, children: [{ ...first, children }, ...rest] };
}

/**
 * Joins adjacent nodes of a type. A renderer treats adjacent texts as one text, so they are joined before they are
 * checked; two adjacent pieces of inline code would be parsed as one piece with backticks in it.
 */
function joinAdjacent(type: 'text' | 'inlineCode', nodes: readonly Nodes[]): Nodes[] {
  const joined: Nodes[] = [];
  for (const node of nodes) {
    const last = joined.at(-1);
    if (node.type !== type) joined.push(node);
    else if (last?.type === type) last.value += node.value;
    else joined.push({ ...node });
  }
  return joined;
}

/** Mentions, references and links that GitHub would make from text become inline code, where it makes none. */
function splitText(node: Nodes): Nodes[] {
  if (node.type !== 'text') return [node];
  return splitLiveText(node.value).map(({ isLive, value }) =>
    isLive ? { type: 'inlineCode', value } : text(value),
  );
}

/**
 * Markdown of unknown origin for a comment. Other bots read comments too, and they obey lines such as `/merge`, no
 * matter who wrote them. So no line of it begins like that.
 */
export const safeWords = (text: string, maxLength: number): string =>
  breakSlashCommands(safeMarkdown(text, maxLength));

/** The same, and a note if the text is cut. */
export const safeBeginning = (text: string, maxLength: number): string =>
  `${safeWords(text, maxLength)}${text.length > maxLength ? '\n\n*This is only the beginning; the whole text is in the report.*' : ''}`;

/** A short text of unknown origin for a comment, on one line. */
export const safeLine = (text: string, maxLength: number): string =>
  breakSlashCommands(escapeText(truncate(text.trim(), maxLength)));

/** Blanks and the markers of quotations and lists. A command or a code block may follow them. */
const LEAD = /^([ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*)/.source;
const COMMAND = new RegExp(`${LEAD}/(?=[A-Za-z])`);
const MARKED_FENCE = new RegExp(`${LEAD}(\`{3,}|~{3,})`);
/** The beginning of a hidden comment, such as our own marker. */
const HIDDEN = /^[ \t]*<!--/;

/**
 * No line of the result begins with a slash and a letter. In text the slash becomes an entity. In a code block there
 * are no entities, so a block with such a line, or with a hidden comment, is put into a quotation.
 */
function breakSlashCommands(markdown: string): string {
  if (!/^[ \t>*+\d.)-]*(?:\/[A-Za-z]|<!--)/m.test(markdown)) return markdown;
  const lines = markdown.split('\n');
  const done: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const [, lead = '', fence] = MARKED_FENCE.exec(line) ?? [];
    if (fence === undefined) {
      done.push(line.replace(COMMAND, '$1&#47;'));
      continue;
    }
    const end = closingFence(lines, index, fence);
    const block = lines.slice(index, end + 1);
    const isObeyed = block.some((each) => COMMAND.test(each) || HIDDEN.test(each));
    done.push(...(isObeyed ? quoteBlock(block, lead) : block));
    index = end;
  }
  return done.join('\n');
}

function closingFence(lines: readonly string[], start: number, fence: string): number {
  for (let index = start + 1; index < lines.length; index += 1) {
    const text = (lines[index] ?? '').replace(/^[ \t>]*/, '').trimEnd();
    if (text.startsWith(fence) && text === (fence[0] ?? '`').repeat(text.length)) return index;
  }
  return lines.length - 1;
}

/** Quotes a block whose first line begins with `lead`. A block that is in a quotation already stays as it is. */
function quoteBlock(block: readonly string[], lead: string): readonly string[] {
  if (lead.includes('>')) return block;
  const indent = ' '.repeat(lead.length);
  return block.map((line, index) => `${index === 0 ? lead : indent}> ${line.slice(lead.length)}`.trimEnd());
}
