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
