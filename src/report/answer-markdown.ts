import type { Nodes, Parents, PhrasingContent, Root, RootContent, Text } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown, gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown, type Options } from 'mdast-util-to-markdown';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { fenced } from '../text/markdown.js';
import { nameInvisible, truncate } from '../text/plain-text.js';
import { splitLiveText } from '../text/live-text.js';
import { isPlain, type AnswerWriter } from './plain-answer.js';
import type { Redaction } from '../text/redact.js';
import { redactTree } from '../text/redact-seams.js';

/**
 * Markdown of unknown origin, read by a Markdown parser and written anew: it looks as it was meant to, and
 * nothing in it runs, loads, pings anyone, hides, or reaches beyond its own place in the document. Secrets that
 * are only to be seen once it is read are taken out on the way.
 */
export function safeMarkdown(text: string, most: number, redaction?: Redaction): string {
  const source = truncate(text.trim(), most).replace(/\r\n?/g, '\n').replaceAll('\u0000', '\ufffd');
  if (latest?.source !== source || latest.redaction !== redaction) {
    const pieces = splitPieces(source).map((piece) => safePiece(piece, redaction));
    latest = { source, redaction, safe: pieces.join('\n\n') };
  }
  return latest.safe;
}

/** The answer is made safe as Markdown first; what is left cannot hold HTML or any link but to the web. */
export const markdownAnswer: AnswerWriter = {
  markdown: safeMarkdown,
  html: (text, most, redaction) =>
    micromark(safeMarkdown(text, most, redaction), { extensions: [gfm()], htmlExtensions: [gfmHtml()] }),
};

/** Summary and page show the same answer; it is read once. */
let latest: { source: string; redaction: Redaction | undefined; safe: string } | undefined;

function safePiece(source: string, redaction: Redaction | undefined): string {
  if (isPlain(source)) return source;
  if (isTooTangled(source)) return fenced(source);
  const tree = fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const safe: Root = { type: 'root', children: rewriteAll(tree, definitionsOf(tree)) as RootContent[] };
  if (redaction) redactTree(safe, redaction);
  return toMarkdown(safe, WRITING).trimEnd();
}

const WRITING: Options = {
  bullet: '-',
  fences: true,
  rule: '-',
  resourceLink: true,
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
};

/** Languages that GitHub does not show as code but draws, loads or lays out. */
const LIVE_LANGUAGES = ['mermaid', 'math', 'geojson', 'topojson', 'stl', 'suggestion'];

/**
 * Parsers of Markdown need time and stack out of proportion for some texts that no one writes to be read: deep
 * nesting, and very long runs of marks that open something. Those are shown as they are.
 */
const MOST_NESTING = 8;
const MOST_MARKS_A_BLOCK = 1000;
function isTooTangled(source: string): boolean {
  return source.split(/\n[ \t]*\n/).some((block) => {
    const marks = block.match(/[[\]*_~<`!&]/g)?.length ?? 0;
    return (marks > MOST_MARKS_A_BLOCK && !FENCE.test(block)) || block.split('\n').some(isDeeplyNested);
  });
}
const isDeeplyNested = (line: string): boolean =>
  (/^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]))+/.exec(line)?.[0].replace(/[ \t\d]/g, '').length ?? 0) >
  MOST_NESTING;

/**
 * A long text is read in pieces, because the time to read one grows faster than its length. It is cut between
 * blocks where it can be; wherever it is cut, each piece is written as Markdown that is closed in itself.
 */
const PIECE_CHARACTERS = 8000;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
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

/** Addresses that stand apart from their links; the links are written whole, so these can go. */
function definitionsOf(tree: Root): Definitions {
  const found = new Map<string, string>();
  const visit = (node: Nodes) => {
    if (node.type === 'definition' && !found.has(node.identifier)) found.set(node.identifier, node.url);
    if ('children' in node) node.children.forEach(visit);
  };
  visit(tree);
  return found;
}

function rewriteAll(parent: Parents, definitions: Definitions): Nodes[] {
  const children = (parent.children as Nodes[]).flatMap((child) => rewrite(child, definitions));
  if (isPhrasing(parent)) return joinCode(joinText(children).flatMap(splitText));
  return children.map((child) => (child.type === 'text' ? paragraph(splitText(child)) : child));
}

const PHRASING_PARENTS = [
  'paragraph',
  'heading',
  'emphasis',
  'strong',
  'delete',
  'link',
  'linkReference',
  'tableCell',
];
const isPhrasing = (node: Nodes): boolean => PHRASING_PARENTS.includes(node.type);

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
      return [{ ...withChildren(node, definitions), depth: deeper(node.depth) }];
    case 'link':
      return linkTo(node.url, withChildren(node, definitions).children);
    case 'linkReference':
      return linkTo(definitions.get(node.identifier) ?? '', rewriteAll(node, definitions));
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

/** Headings of the answer stand below those of the summary. */
const deeper = (depth: number): 4 | 5 | 6 => (depth <= 2 ? 4 : depth === 3 ? 5 : 6);

function language(given: string | null | undefined): string | null {
  const name = /^[\w+#.-]{1,30}$/.exec(given ?? '')?.[0];
  return name === undefined || LIVE_LANGUAGES.includes(name.toLowerCase()) ? null : name;
}

/** Links lead to the web only, and say where. */
function linkTo(address: string, children: Nodes[]): Nodes[] {
  const url = webAddress(address);
  const label = joinText(children);
  if (!url) return label;
  const shown = label.map((child) => ('value' in child ? child.value : '')).join('');
  const isItself = shown !== '' && (shown === address || `http://${shown}` === address);
  // GitHub tells the other side when one of these is linked to.
  if (isReference(url)) {
    const code: Nodes = { type: 'inlineCode', value: nameInvisible(url.href) };
    return isItself ? [code] : [...label, text(' '), code];
  }
  const link: Nodes = {
    type: 'link',
    url: url.href,
    children: (isItself ? [text(nameInvisible(shown))] : label) as PhrasingContent[],
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

/** Whatever the host: an Enterprise server has a name of its own. */
const isReference = ({ pathname }: URL): boolean =>
  /^\/[^/]+\/[^/]+\/(issues|pull|discussions|commit)\/\w/i.test(pathname);

function imageAsLink(alt: string | null | undefined, url: string): Nodes[] {
  return linkTo(url, [text(`image: ${nameInvisible(alt || 'without a description')}`)]);
}

/** GitHub draws `[!WARNING]` at the beginning of a quotation as a box of its own; here it is a word. */
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

/** Neighbouring texts are one text to whoever renders them. */
function joinText(nodes: readonly Nodes[]): Nodes[] {
  const joined: Nodes[] = [];
  for (const node of nodes) {
    const last = joined.at(-1);
    if (node.type === 'text' && last?.type === 'text') last.value += node.value;
    else joined.push(node.type === 'text' ? { ...node } : node);
  }
  return joined;
}

/** Two pieces of code side by side would be read as one with the marks between them inside. */
function joinCode(nodes: readonly Nodes[]): Nodes[] {
  const joined: Nodes[] = [];
  for (const node of nodes) {
    const last = joined.at(-1);
    if (node.type === 'inlineCode' && last?.type === 'inlineCode') last.value += node.value;
    else joined.push(node.type === 'inlineCode' ? { ...node } : node);
  }
  return joined;
}

/** What GitHub would bring to life in a text becomes code, where nothing lives. */
function splitText(node: Nodes): Nodes[] {
  if (node.type !== 'text') return [node];
  return splitLiveText(node.value).map(({ isLive, value }) =>
    isLive ? { type: 'inlineCode', value } : text(value),
  );
}
