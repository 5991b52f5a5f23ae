/**
 * The runner's own way of reading a step's output, written down from its behaviour: lines end at \n, \r\n or \r;
 * a line whose first characters, blanks aside, are `::` is a command `::name properties::data`; `##[name
 * properties]data` is one anywhere in a line. While commands are stopped, only the command with the token has an effect.
 */
const COMMANDS = [
  ...['add-mask', 'add-matcher', 'add-path', 'debug', 'echo', 'endgroup', 'error', 'group', 'notice'],
  ...[
    'remove-matcher',
    'save-state',
    'set-env',
    'set-output',
    'stop-commands',
    'warning',
    'internal-set-repo-path',
  ],
];

export interface RunnerCommand {
  name: string;
  data: string;
  /** Whether commands are stopped at this line. */
  stopped: boolean;
}

export function readCommands(output: string): RunnerCommand[] {
  const found: RunnerCommand[] = [];
  let token: string | undefined;
  for (const line of output.split(/\r\n|\n|\r/)) {
    const command = parse(line, token);
    if (!command) continue;
    if (token !== undefined && command.name === token.toLowerCase()) {
      token = undefined;
      continue;
    }
    found.push({ ...command, stopped: token !== undefined });
    if (token === undefined && command.name === 'stop-commands') token = command.data;
  }
  return found;
}

function parse(line: string, token: string | undefined): { name: string; data: string } | undefined {
  const known = (name: string) => [...COMMANDS, token?.toLowerCase()].includes(name.toLowerCase());
  const trimmed = line.trimStart();
  if (trimmed.startsWith('::')) {
    const end = trimmed.indexOf('::', 2);
    const [name = ''] = end < 0 ? [] : trimmed.slice(2, end).split(' ', 1);
    if (end >= 0 && known(name)) return { name: name.toLowerCase(), data: trimmed.slice(end + 2) };
  }
  const start = line.indexOf('##[');
  const end = start < 0 ? -1 : line.indexOf(']', start);
  if (end < 0) return undefined;
  const [name = ''] = line.slice(start + 3, end).split(' ', 1);
  return known(name) ? { name: name.toLowerCase(), data: line.slice(end + 1) } : undefined;
}
