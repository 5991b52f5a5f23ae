import type { InlineCode, Nodes, Text } from 'mdast';
import { REDACTED, type Redaction } from './redact.js';
import type { Span } from './redact-scan.js';

/** What is shown as one run of text, whatever marks are in it. */
const BLOCKS = ['paragraph', 'heading', 'tableCell'];

type Leaf = Text | InlineCode;

/**
 * Takes secrets out of a tree of Markdown: only here is text what a reader sees, with its escapes decoded and the
 * marks between its pieces gone.
 */
export function redactTree(node: Nodes, redaction: Pick<Redaction, 'find' | 'redact'>): void {
  if (node.type === 'code') node.value = redaction.redact(node.value);
  if (node.type === 'link') node.url = redaction.redact(node.url);
  if (BLOCKS.includes(node.type)) {
    const leaves = leavesOf(node);
    const shown = leaves.map(({ value }) => value).join('');
    for (const span of redaction.find(shown).reverse()) takeOut(leaves, span);
  }
  if ('children' in node) for (const child of node.children) redactTree(child, redaction);
}

function leavesOf(node: Nodes): Leaf[] {
  if (node.type === 'text' || node.type === 'inlineCode') return [node];
  return 'children' in node ? node.children.flatMap(leavesOf) : [];
}

/** Takes a stretch of the joined text out of every leaf it is in; the first gets the mark. */
function takeOut(leaves: readonly Leaf[], span: Span): void {
  let [offset, mark] = [0, REDACTED];
  for (const leaf of leaves) {
    const { length } = leaf.value;
    const [start, end] = [Math.max(span.start - offset, 0), Math.min(span.end - offset, length)];
    offset += length;
    if (start >= end) continue;
    leaf.value = leaf.value.slice(0, start) + mark + leaf.value.slice(end);
    mark = '';
  }
}
