/** The runner's log commands, shown for a person in a terminal. */
export function renderLog(print: (line: string) => void): { push(text: string): void; end(): void } {
  let pending = '';
  const show = (line: string) => {
    const shown = renderLine(line);
    if (shown !== undefined) print(shown);
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
