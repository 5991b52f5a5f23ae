/** What a step wrote into one of its command files: `name=value` lines, and `name<<end` blocks. */
export function readFileCommands(text: string): Map<string, string> {
  const entries = new Map<string, string>();
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').replace(/\r$/, '');
    const [, name = '', mark = '', rest = ''] = /^(.+?)(<<|=)(.*)$/.exec(line) ?? [];
    if (name === '') {
      if (line !== '') throw new Error(`Invalid format: ${line}`);
      continue;
    }
    if (mark === '=') {
      entries.set(name, rest);
      continue;
    }
    const end = lines.indexOf(rest, index + 1);
    if (end < 0) throw new Error(`Invalid value: matching delimiter not found: ${rest}`);
    entries.set(name, lines.slice(index + 1, end).join('\n'));
    index = end;
  }
  return entries;
}
