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
