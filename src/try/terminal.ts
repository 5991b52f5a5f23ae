/** Details of calls that have had their lines, and the further lines of a message, which the result shows. */
const REPEATED = /^(?:::group::Details of | {13})/;

/** The runner's log commands, shown for a person in a terminal: one line per step, and the title of each group. */
export function renderLog(print: (line: string) => void, verbose: boolean) {
  let pending = '';
  let isInGroup = false;
  const show = (line: string) => {
    if (line === '::endgroup::') isInGroup = false;
    const isHidden = !verbose && ((isInGroup && !line.startsWith('::')) || REPEATED.test(line));
    if (line.startsWith('::group::')) isInGroup = true;
    const shown = isHidden ? undefined : renderLine(line);
    if (shown !== undefined) print(shown);
  };
  return {
    push(text: string) {
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

/** Folds that contain no other. */
const OPEN_FOLD = /<details open><summary>(.*?)<\/summary>((?:(?!<details)[^])*?)<\/details>/g;
const CLOSED_FOLD = /<details>(?:(?!<details)[^])*?<\/details>/g;

/** The job summary without its marks, tags and entities, and without what is folded, which the page shows better. */
export function summaryText(markdown: string): string {
  let text = markdown;
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(OPEN_FOLD, '$1$2').replace(CLOSED_FOLD, '');
  }
  return text
    .replace(/^\| --- .*\n/gm, '')
    .replace(/^\| (.*) \|$/gm, (_, row: string) => row.replaceAll(' | ', '   '))
    .replace(/^#+ /gm, '')
    .replaceAll('**', '')
    .replaceAll('<br>', ', ')
    .replace(/<[^<>]*>/g, '')
    .replaceAll('&nbsp;', ' ')
    .replace(/&#(\d+|x[\da-f]+);/gi, (_, code: string) =>
      String.fromCodePoint(Number(code.replace(/^x/i, '0x'))),
    )
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
