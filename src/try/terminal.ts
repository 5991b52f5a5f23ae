import { wrapText } from './terminal-text.js';

export interface LogView {
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
