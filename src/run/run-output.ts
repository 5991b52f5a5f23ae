import { randomUUID } from 'node:crypto';
import type { RunReport } from '../report/model.js';
import type { Redaction } from '../text/redact.js';
import { openTranscript, type Transcript } from './transcript.js';

/** Where the output of the agent goes while it runs: transcript, log and report. */
export interface RunOutput {
  redaction: Redaction;
  transcript: Transcript;
  print: (lines: readonly string[]) => void;
  printLine: (line: string) => void;
  /** Called with the report as soon as there is one, so that it survives whatever happens. */
  onReport: (report: RunReport) => void;
  /** Does something whose workflow commands the runner must obey. No agent may be running. */
  withCommands(action: () => void): void;
  close(): { agentMs: number; notes: string[]; unwritten: string[] };
}

export function openRunOutput(
  transcriptFile: string,
  { redaction, onReport }: Pick<RunOutput, 'redaction' | 'onReport'>,
): RunOutput {
  const startedAt = performance.now();
  const transcript = openTranscript(transcriptFile, { redact: redaction.redactLine });
  let section = openAgentSection();
  // Redacted again here: colour codes and invisible characters are gone only now, and could have hidden a secret.
  const print = (lines: readonly string[]) => {
    section.print(lines.map(redaction.redact));
  };
  return {
    ...{ redaction, transcript, print, onReport },
    printLine: (line) => {
      print([line]);
    },
    withCommands(action) {
      section.close();
      action();
      section = openAgentSection();
    },
    close() {
      section.close();
      transcript.close();
      return {
        agentMs: performance.now() - startedAt,
        notes: transcript.notes(),
        unwritten: transcript.problems(),
      };
    },
  };
}

/** The part of the log that shows output of the agent. The runner obeys no workflow command in it. */
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

/** A collapsed group with text of the agent. The runner obeys no workflow command in it either. */
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
