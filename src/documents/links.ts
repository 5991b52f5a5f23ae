import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Nodes } from 'mdast';
import { attempt } from '../core/errors.js';
import { joinParts } from '../text/format.js';

/** A version of the repository, with what links can lead to. Paths start at its top. */
export interface LinkTree {
  /** The text of a Markdown file; undefined if there is none. */
  textOf(path: string): string | undefined;
  /** Whether there is a file or folder. */
  has(path: string): boolean;
}

/** A link that leads nowhere. */
interface BrokenLink {
  document: string;
  line: number;
  target: string;
  why: string;
}

export const isMarkdown = (path: string): boolean => /\.(?:md|mdx|markdown)$/i.test(path);

/**
 * The links of these documents that lead nowhere after the change and did not before. `changed` are the files of the
 * change, `others` the documents that could link to them.
 */
export function newBrokenLinks(
  { changed, others }: { changed: readonly string[]; others: readonly string[] },
  before: LinkTree,
  after: LinkTree,
): BrokenLink[] {
  const documents = [...new Set([...changed.filter(isMarkdown), ...others])];
  const brokenBefore = linkReader(before);
  const brokenAfter = linkReader(after);
  const wasBroken = new Map(
    documents.map((path) => [path, new Set(brokenBefore(path).map(({ target }) => target))]),
  );
  // A document that was moved keeps what was broken in it.
  const gone = new Set(
    documents
      .filter((path) => after.textOf(path) === undefined)
      .flatMap((path) => [...(wasBroken.get(path) ?? [])]),
  );
  return documents.flatMap((path) =>
    brokenAfter(path).filter(({ target }) => !gone.has(target) && wasBroken.get(path)?.has(target) !== true),
  );
}

/** One line per link. */
export const brokenLinksText = (links: readonly BrokenLink[]): string =>
  links.map(({ document, line, target, why }) => `${document}:${line}: ${target}: ${why}`).join('\n');

/** The links of a document, and what links to it can name. */
interface LinkFacts {
  links: { target: string; line: number }[];
  undefinedLabels: { target: string; line: number }[];
  anchors: ReadonlySet<string>;
}

/** Returns a function that finds the broken links of a document. Each document is read once. */
function linkReader(tree: LinkTree): (path: string) => BrokenLink[] {
  const known = new Map<string, LinkFacts | undefined>();
  const factsOf = (path: string): LinkFacts | undefined => {
    if (!known.has(path)) {
      const text = tree.textOf(path);
      // What is nested too deeply cannot be read.
      known.set(path, text === undefined ? undefined : attempt(() => readLinks(text)));
    }
    return known.get(path);
  };
  return (document) => {
    const { links = [], undefinedLabels = [] } = factsOf(document) ?? {};
    return [
      ...links.flatMap(({ target, line }) => {
        const why = problemOf(target, { document, tree, factsOf });
        return why === undefined ? [] : [{ document, line, target, why }];
      }),
      ...undefinedLabels.map((label) => ({ document, ...label, why: 'the reference is not defined' })),
    ];
  };
}

interface LinkPlace {
  document: string;
  tree: LinkTree;
  factsOf(path: string): LinkFacts | undefined;
}

/** Why a link leads nowhere; undefined if it leads somewhere, or may be a route of a documentation site. */
function problemOf(target: string, { document, tree, factsOf }: LinkPlace): string | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target) || /[{}<>]|\$\(/.test(target)) return undefined;
  const [address = '', fragment = ''] = target.split(/#(.*)/s);
  const path = decoded(address.replace(/\?.*$/s, ''));
  const from = document.split('/').slice(0, -1);
  const full = path === '' ? document : resolved(path.startsWith('/') ? [] : from, path);
  // A path out of the repository leads to pages of GitHub, such as its issues.
  if (full === undefined) return undefined;
  const isSiteRoute = path.startsWith('/') && !tree.has(full.split('/')[0] ?? '');
  if (isSiteRoute) return undefined;
  const file = candidates(full).find((candidate) => candidate === '' || tree.has(candidate));
  if (file === undefined) return `${full} does not exist`;
  return isMarkdown(file) ? anchorProblem(file, decoded(fragment), factsOf) : undefined;
}

function anchorProblem(file: string, fragment: string, factsOf: LinkPlace['factsOf']): string | undefined {
  const anchor = fragment
    .replace(/:~:.*$/s, '')
    .replace(/^user-content-/, '')
    .toLowerCase();
  if (anchor === '' || anchor === 'top' || /^l\d+(?:c\d+)?(?:-l\d+(?:c\d+)?)?$/.test(anchor))
    return undefined;
  const facts = factsOf(file);
  return !facts || facts.anchors.has(anchor) ? undefined : `${file} has no anchor #${anchor}`;
}

const decoded = (text: string): string => attempt(() => decodeURIComponent(text)) ?? text;

/** Undefined if the path leads out of the repository. */
function resolved(from: readonly string[], path: string): string | undefined {
  const names = [...from];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.join('/');
}

/** Sites of documents leave out the ending, or write the one of the page that is made of the file. */
function candidates(path: string): string[] {
  const bare = path.replace(/\.html?$/i, '');
  const endings = ['.md', '.mdx', '.markdown', '/index.md', '/README.md'];
  return [path, ...endings.map((ending) => `${bare}${ending}`)];
}

const HTML_LINK = /<(?:a|img|source|video)\b[^>]*?\s(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;
const HTML_ANCHOR = /<[a-z][\w-]*\b[^>]*?\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;
/** A reference with a label of its own, which Markdown takes for text if the label is not defined. */
const REFERENCE = /(?<![\w\])])\[[^[\]\n]+\]\[([^[\]\n]+)\]/g;

function readLinks(text: string): LinkFacts {
  const root = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const links: LinkFacts['links'] = [];
  const undefinedLabels: LinkFacts['undefinedLabels'] = [];
  const anchors = new Set<string>();
  const pending: Nodes[] = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    const line = node.position?.start.line ?? 1;
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition')
      links.push({ target: node.url, line });
    if (node.type === 'heading') addSlug(anchors, textIn(node));
    if (node.type === 'html') {
      for (const [, double, single] of node.value.matchAll(HTML_LINK))
        links.push({ target: double ?? single ?? '', line });
      for (const [, double, single] of node.value.matchAll(HTML_ANCHOR))
        anchors.add((double ?? single ?? '').toLowerCase());
    }
    if (node.type === 'text')
      for (const [target] of node.value.matchAll(REFERENCE)) undefinedLabels.push({ target, line });
    // The first child comes off first, so that repeated headings are numbered in their order.
    if ('children' in node) pending.push(...[...node.children].reverse());
  }
  return { links, undefinedLabels, anchors };
}

/** As GitHub names the anchor of a heading; a second one of the same name gets a number. */
function addSlug(anchors: Set<string>, heading: string): void {
  const slug = heading
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  let name = slug;
  for (let count = 1; anchors.has(name); count += 1) name = `${slug}-${count}`;
  anchors.add(name);
}

function textIn(node: Nodes): string {
  if (node.type === 'text' || node.type === 'inlineCode') return node.value;
  return 'children' in node ? joinParts(node.children.map(textIn), '') : '';
}
