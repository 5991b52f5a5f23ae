import * as core from '@actions/core';
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

/** Lines of ours under a title that can be opened and closed. */
export function printGroup(title: string, lines: readonly string[]): void {
  core.startGroup(title);
  for (const line of lines) core.info(line);
  core.endGroup();
}

function toStdout(text: string): void {
  process.stdout.write(text);
}
