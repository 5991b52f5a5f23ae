import { randomUUID } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { RunReport } from '../report/model.js';
import { number as withCommas } from '../text/format.js';
import type { Redaction } from '../text/redact.js';
import { unwrittenText } from './run-state.js';

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
  redaction: Redaction,
  onReport: RunOutput['onReport'],
): RunOutput {
  const startedAt = performance.now();
  const transcript = openTranscript(transcriptFile);
  let section = openAgentSection();
  // Redacted again here: colour codes and invisible characters are gone only now, and could have hidden a secret.
  const print = (lines: readonly string[]) => {
    section.print(lines.map(redaction.redact));
  };
  return {
    redaction,
    transcript,
    print,
    onReport,
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
interface AgentSection {
  print(lines: readonly string[]): void;
  close(): void;
}

function openAgentSection(write: (text: string) => void = toStdout): AgentSection {
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

/** The event stream on disk, one JSON object per line, written as it arrives. */
export interface Transcript {
  /** Writes lines of the stream, which were redacted as they were read. A line that is no JSON object is wrapped in one. */
  write(lines: readonly { number: number; text: string; isRecord: boolean }[]): void;
  close(): void;
  /** Says so if the transcript is too long to be complete. */
  notes(): string[];
  /** The error that stopped the transcript, if there was one. */
  problems(): string[];
}

/** An agent that prints without end must not fill the disk, because the report needs space too. */
const MAX_BYTES = 256 * 1024 * 1024;

/** A full disk costs only a part of the transcript. Everything else is still reported. */
export function openTranscript(path: string, maxBytes = MAX_BYTES): Transcript {
  let problem: string | undefined;
  let file: number | undefined;
  let [size, left] = [0, 0];
  const attempt = (action: () => void) => {
    try {
      action();
    } catch (error) {
      problem ??= unwrittenText('The transcript', error);
    }
  };
  attempt(() => {
    file = openSync(path, 'w+', 0o600);
  });
  const append = (open: number, bytes: Buffer) => {
    attempt(() => {
      writeWhole(open, bytes, size);
      size += bytes.length;
    });
  };
  /** Halves the transcript to free space for the result and the report, which matter more. */
  const makeRoom = (open: number) => {
    attempt(() => {
      const kept = lineStart(open, Math.floor(size / 2));
      ftruncateSync(open, kept);
      left += size - kept;
      size = kept;
    });
  };
  return {
    write(lines) {
      if (file === undefined || lines.length === 0) return;
      const text = lines.map((line) => `${line.isRecord ? line.text : wrapped(line)}\n`).join('');
      const bytes = Buffer.from(text);
      // After the first missing line, all further lines are left out.
      if (left === 0 && problem === undefined && size + bytes.length <= maxBytes) append(file, bytes);
      else left += bytes.length;
      if (problem === undefined || left > 0) return;
      left = bytes.length;
      makeRoom(file);
    },
    close() {
      const open = file;
      file = undefined;
      if (open === undefined) return;
      if (left > 0) append(open, Buffer.from(`${JSON.stringify({ type: 'left-out', bytes: left })}\n`));
      attempt(() => {
        closeSync(open);
      });
    },
    notes: () =>
      left === 0 || problem !== undefined
        ? []
        : [
            `The transcript ends after ${withCommas(size)} bytes; ${withCommas(left)} more were left out. The report is about the whole run.`,
          ],
    problems: () => (problem === undefined ? [] : [problem]),
  };
}

/** A write can be partial, so the rest is written again. */
function writeWhole(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
}

const CHUNK_BYTES = 65_536;

/** The last position at or before this one at which a line begins. */
function lineStart(file: number, place: number): number {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let end = place; end > 0; end -= CHUNK_BYTES) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const read = readSync(file, chunk, 0, end - start, start);
    const newline = chunk.subarray(0, read).lastIndexOf(0x0a);
    if (newline >= 0) return start + newline + 1;
  }
  return 0;
}

const wrapped = ({ number, text }: { number: number; text: string }): string =>
  JSON.stringify({ type: 'unparsed', line: number, text });
