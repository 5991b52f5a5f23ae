import type { InlineCode, Nodes, Text } from 'mdast';
import type { Span } from './redact-forms.js';
import { REDACTED, type Redaction } from './redact.js';

/** A line of the stream, and its part in a text that comes in pieces. */
export interface Piece<T> {
  line: T;
  /** `part` continues the text of a channel, `aside` can stand between two parts, and `other` ends every text. */
  role: { kind: 'part'; channel: string; text: string } | { kind: 'aside' } | { kind: 'other' };
}

interface Seams<T> {
  /** Takes the next line, and returns the lines, in order, that nothing later can change. */
  push(piece: Piece<T>): T[];
  /** Returns every line that is still held. */
  end(): T[];
}

/** Makes a line that says `from` say `to`. */
type Rewrite<T> = (line: T, from: string, to: string) => T;

/** A line that was not returned yet. */
interface Box<T> {
  line: T;
}

/** One piece of a text. Its end, from `from` on, can be part of a secret. */
interface Segment<T> {
  text: string;
  from: number;
  /** Its line, until that is returned. */
  box?: Box<T>;
}

/** The most lines that are held. After that, a possible beginning of a secret counts as a secret. */
const MAX_HELD = 1000;

/**
 * Finds secrets that are split over several pieces of a text. A line whose end can be the beginning of a secret is
 * held until the next piece shows whether it is one.
 */
export function watchSeams<T>({ find, openTail }: Redaction, rewrite: Rewrite<T>): Seams<T> {
  const queue: Box<T>[] = [];
  const open = new Map<string, Segment<T>[]>();

  const release = (): T[] => {
    const held = new Set([...open.values()].flat().map(({ box }) => box));
    const count = queue.findIndex((box) => held.has(box));
    return queue.splice(0, count < 0 ? queue.length : count).map(({ line }) => line);
  };
  /** After a new piece: takes out the secrets that are complete, and keeps only what can become one. */
  const redactComplete = (segments: Segment<T>[], tail: number) => {
    const joined = joinedText(segments);
    const spans = find(joined);
    // A secret that overlaps the possible beginning of another one waits with it.
    const limit = spans.reduce(
      (place, { start, end }) => (end > place ? Math.min(place, start) : place),
      joined.length - tail,
    );
    for (const span of spans.reverse()) if (span.end <= limit) takeOut(segments, span, rewrite);
    return lastCharacters(segments, joined.length - limit);
  };
  /** Stops waiting. The texts are remembered, because the rest of a secret can still come. */
  const close = (isForced: boolean) => {
    for (const [channel, segments] of open) {
      const remembered = segments.map(({ text, from }) => ({ text, from }));
      if (isForced) takeOut(segments, { start: 0, end: Infinity }, rewrite);
      else redactComplete(segments, 0);
      open.set(channel, remembered);
    }
  };

  return {
    push({ line, role }) {
      const box = { line };
      if (role.kind === 'other' || (role.kind === 'part' && isHeldElsewhere(open, role.channel)))
        close(false);
      queue.push(box);
      if (role.kind === 'part') {
        const segments = [...(open.get(role.channel) ?? []), { text: role.text, from: 0, box }];
        open.set(role.channel, redactComplete(segments, openTail(joinedText(segments))));
      }
      if (queue.length > MAX_HELD) close(true);
      return release();
    },
    end() {
      close(false);
      return release();
    },
  };
}

function isHeldElsewhere(open: ReadonlyMap<string, readonly Segment<unknown>[]>, channel: string): boolean {
  return [...open].some(([name, segments]) => name !== channel && segments.some(({ box }) => box));
}

const joinedText = (segments: readonly Segment<unknown>[]): string =>
  segments.map(({ text, from }) => text.slice(from)).join('');

/** Takes a span of the joined text out of every line that can still be changed. */
function takeOut<T>(segments: readonly Segment<T>[], span: Span, rewrite: Rewrite<T>): void {
  const held = partsOf(span, segments, ({ text, from }) => text.length - from).filter(({ part }) => part.box);
  held.forEach(({ part, start, end }, index) => {
    const { text, from, box } = part;
    part.text = text.slice(0, from + start) + (index === 0 ? REDACTED : '') + text.slice(from + end);
    if (box) box.line = rewrite(box.line, text, part.text);
  });
}

/** Where a span of a joined text lies in the parts that it was joined from. */
function partsOf<T>(
  span: Span,
  parts: readonly T[],
  lengthOf: (part: T) => number,
): { part: T; start: number; end: number }[] {
  let offset = 0;
  return parts
    .map((part) => {
      const length = lengthOf(part);
      const [start, end] = [Math.max(span.start - offset, 0), Math.min(span.end - offset, length)];
      offset += length;
      return { part, start, end };
    })
    .filter(({ start, end }) => start < end);
}

/** The segments that make up the last characters of the joined text. */
function lastCharacters<T>(segments: readonly Segment<T>[], count: number): Segment<T>[] {
  const kept: Segment<T>[] = [];
  let left = count;
  for (const segment of [...segments].reverse()) {
    const taken = Math.min(left, segment.text.length - segment.from);
    if (taken > 0) kept.unshift({ ...segment, from: segment.text.length - taken });
    left -= taken;
  }
  return kept;
}

/** Nodes of Markdown that are shown as one run of text, whatever marks are in it. */
const BLOCKS = ['paragraph', 'heading', 'tableCell'];

type Leaf = Text | InlineCode;

/**
 * Takes secrets out of a tree of Markdown. Only in the tree is the text what a reader sees: escapes are decoded, and
 * the marks between its parts are gone.
 */
export function redactTree(node: Nodes, redaction: Redaction): void {
  if (node.type === 'code') node.value = redaction.redact(node.value);
  if (node.type === 'link') node.url = redaction.redact(node.url);
  if (BLOCKS.includes(node.type)) {
    const leaves = leavesOf(node);
    for (const span of redaction.find(leaves.map(({ value }) => value).join('')).reverse())
      partsOf(span, leaves, ({ value }) => value.length).forEach(({ part, start, end }, index) => {
        part.value = part.value.slice(0, start) + (index === 0 ? REDACTED : '') + part.value.slice(end);
      });
  }
  if ('children' in node) for (const child of node.children) redactTree(child, redaction);
}

function leavesOf(node: Nodes): Leaf[] {
  if (node.type === 'text' || node.type === 'inlineCode') return [node];
  return 'children' in node ? node.children.flatMap(leavesOf) : [];
}
