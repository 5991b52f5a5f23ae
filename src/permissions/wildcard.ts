/**
 * The CLI's own matching: `*` (and `**`) stands for anything, a slash too, all else for itself. Pieces are
 * looked for from left to right, so that no pattern can make it slow.
 */
export function wildcard(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, from);
      if (found < 0) return false;
      from = found + piece.length;
    }
    return from + last.length <= text.length;
  };
}
