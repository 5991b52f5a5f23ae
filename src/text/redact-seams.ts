import { REDACTED, type Redaction } from './redact.js';

/** A line of the stream with what it says, as far as that is part of a text that comes in pieces. */
export interface Piece<T> {
  line: T;
  /** Which text it belongs to and what it adds to it; `aside` stands between pieces, `other` ends every text. */
  role: { kind: 'part'; channel: string; text: string } | { kind: 'aside' } | { kind: 'other' };
}

export interface Seams<T> {
  /** Takes the next line; gives the lines, in order, that nothing later can change any more. */
  push(piece: Piece<T>): T[];
  /** Every line that is still held. */
  end(): T[];
}

/** Makes another line of one that says `from`, so that it says `to`. */
export type Rewrite<T> = (line: T, from: string, to: string) => T;

/** A line on its way. */
interface Box<T> {
  line: T;
}

/** One piece of a text whose end, from `from` on, may be a part of a secret. */
interface Segment<T> {
  text: string;
  from: number;
  /** Its line, as long as that has not been let go. */
  box?: Box<T>;
}

/** So many lines are held at most; then what may be the beginning of a secret is taken for one. */
const MOST_HELD = 1000;

/**
 * Finds secrets that are split over several pieces of a text. A line whose end could be the beginning of a
 * secret is held back until the next piece shows whether it is one.
 */
export function watchSeams<T>(
  { find, openTail }: Pick<Redaction, 'find' | 'openTail'>,
  rewrite: Rewrite<T>,
): Seams<T> {
  const queue: Box<T>[] = [];
  const open = new Map<string, Segment<T>[]>();

  const release = (): T[] => {
    const held = new Set([...open.values()].flat().map(({ box }) => box));
    const count = queue.findIndex((box) => held.has(box));
    return queue.splice(0, count < 0 ? queue.length : count).map(({ line }) => line);
  };
  /** The text has gone on: secrets that are whole are taken out, and only what may become one is kept. */
  const settle = (segments: Segment<T>[], tail: number) => {
    const joined = joinedText(segments);
    const spans = find(joined);
    // A secret that reaches into what may be another one waits with it.
    const limit = spans.reduce(
      (place, { start, end }) => (end > place ? Math.min(place, start) : place),
      joined.length - tail,
    );
    for (const span of spans.reverse()) if (span.end <= limit) takeOut(segments, span, rewrite);
    return lastCharacters(segments, joined.length - limit);
  };
  /** Nothing is waited for any longer. What was let go is remembered: the rest of a secret may still come. */
  const close = (isForced: boolean) => {
    for (const [channel, segments] of open) {
      const remembered = segments.map(({ text, from }) => ({ text, from }));
      if (isForced) takeOut(segments, { start: 0, end: Infinity }, rewrite);
      else settle(segments, 0);
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
        open.set(role.channel, settle(segments, openTail(joinedText(segments))));
      }
      if (queue.length > MOST_HELD) close(true);
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

/** Takes a stretch of the joined text out of every line that can still be changed; the first gets the mark. */
function takeOut<T>(
  segments: readonly Segment<T>[],
  span: { start: number; end: number },
  rewrite: Rewrite<T>,
): void {
  let [offset, mark] = [0, REDACTED];
  for (const segment of segments) {
    const length = segment.text.length - segment.from;
    const [start, end] = [Math.max(span.start - offset, 0), Math.min(span.end - offset, length)];
    offset += length;
    if (start >= end || !segment.box) continue;
    const { text, from, box } = segment;
    segment.text = text.slice(0, from + start) + mark + text.slice(from + end);
    box.line = rewrite(box.line, text, segment.text);
    mark = '';
  }
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
