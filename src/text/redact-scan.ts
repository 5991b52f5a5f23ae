/** A stretch of a text, its end not included. */
export interface Span {
  start: number;
  end: number;
}

export interface Scanner {
  /** Every occurrence of a word, overlapping ones as one stretch. */
  find(text: string): Span[];
  /** Whether any word occurs. */
  has(text: string): boolean;
  /** How many characters at the end of a text are the beginning of a word that is not whole yet. */
  openTail(text: string): number;
}

/** Groups of three characters are looked up in a table of this size; it is a power of two. */
const TABLE = 1 << 15;
const GROUP = 3;
/** The group that ends at this place of a text. */
const groupAt = (text: string, last: number): number =>
  ((text.charCodeAt(last - 2) << 10) ^ (text.charCodeAt(last - 1) << 5) ^ text.charCodeAt(last)) &
  (TABLE - 1);

/**
 * Looks for many words in one pass over a text. A window as long as the shortest word is moved over it; the
 * last three characters in the window tell how far it may jump (Wu and Manber's way), so that most of the text
 * is never looked at, however many words there are. Every word has at least three characters.
 */
export function createScanner(given: readonly string[]): Scanner {
  // Longest first, so that the first word that fits is the whole of what stands there.
  const words = [...new Set(given)].sort((a, b) => b.length - a.length);
  const width = words.at(-1)?.length ?? 0;
  const { jumps, candidates } = buildTables(words, width);
  const byFirst = groupBy(words, (word) => word.charCodeAt(0));
  const longest = words[0]?.length ?? 0;

  const next = (text: string, from: number): Span | undefined => {
    if (width === 0) return undefined;
    for (let last = from + width - 1; last < text.length;) {
      const hash = groupAt(text, last);
      const jump = jumps[hash] ?? 1;
      if (jump > 0) {
        last += jump;
        continue;
      }
      const start = last - width + 1;
      const word = candidates.get(hash)?.find((candidate) => text.startsWith(candidate, start));
      if (word !== undefined) return { start, end: start + word.length };
      last += 1;
    }
    return undefined;
  };

  return {
    has: (text) => next(text, 0) !== undefined,
    find(text) {
      const found: Span[] = [];
      for (let span = next(text, 0); span; span = next(text, span.start + 1)) found.push(span);
      return merge(found);
    },
    openTail(text) {
      const most = Math.min(text.length, longest - 1);
      for (let length = most; length > 0; length -= 1) {
        const start = text.length - length;
        const possible = byFirst.get(text.charCodeAt(start));
        if (possible?.some((word) => word.length > length && text.endsWith(word.slice(0, length))))
          return length;
      }
      return 0;
    },
  };
}

/** How far each group lets the window jump, and the words that may stand in it where it may not jump at all. */
function buildTables(words: readonly string[], width: number) {
  const jumps = new Uint16Array(TABLE).fill(Math.max(1, Math.min(width - GROUP + 1, 0xffff)));
  for (const word of words) {
    for (let at = GROUP - 1; at < width; at += 1) {
      const hash = groupAt(word, at);
      jumps[hash] = Math.min(jumps[hash] ?? 0, width - 1 - at);
    }
  }
  const candidates = groupBy(words, (word) => groupAt(word, width - 1));
  return { jumps, candidates };
}

function groupBy(words: readonly string[], keyOf: (word: string) => number): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const word of words) {
    const group = groups.get(keyOf(word));
    if (group) group.push(word);
    else groups.set(keyOf(word), [word]);
  }
  return groups;
}

/** Stretches as they are, but those that overlap are one. */
export function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const before = merged.at(-1);
    if (before && span.start < before.end) before.end = Math.max(before.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}
