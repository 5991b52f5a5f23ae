import { randomUUID } from 'node:crypto';

/** The part of the log in which the agent speaks: no workflow command is obeyed in it. */
export interface AgentSection {
  print(lines: readonly string[]): void;
  close(): void;
}

export function openAgentSection(write: (text: string) => void = toStdout): AgentSection {
  const token = randomUUID();
  write(`::stop-commands::${token}\n`);
  let isOpen = true;
  return {
    print(lines) {
      if (lines.length > 0) write(`${lines.join('\n')}\n`);
    },
    close() {
      if (isOpen) write(`::${token}::\n`);
      isOpen = false;
    },
  };
}

/** A closed group whose lines are the agent's: they are shown, and obeyed no more than in its own section. */
export function printGuarded(
  title: string,
  lines: readonly string[],
  write: (text: string) => void = toStdout,
): void {
  write(`::group::${title.replaceAll('%', '%25')}\n`);
  const section = openAgentSection(write);
  section.print(lines);
  section.close();
  write('::endgroup::\n');
}

function toStdout(text: string): void {
  process.stdout.write(text);
}
