import { closeSync, openSync, writeSync } from 'node:fs';
import { messageOf } from '../error-message.js';

/** The event stream on disk, one JSON object a line, written as it comes. */
export interface Transcript {
  /** A line of the stream, redacted; one that is no JSON object is kept inside of one. */
  write(lines: readonly { number: number; text: string; isRecord: boolean }[]): void;
  close(): void;
  /** What kept it from being whole, if anything did. */
  problems(): string[];
}

/** A disk that is full costs the rest of the transcript, never the run. */
export function openTranscript(path: string): Transcript {
  let problem: string | undefined;
  let file: number | undefined;
  const attempt = (action: () => void) => {
    try {
      action();
    } catch (error) {
      problem ??= `the transcript is not complete: ${messageOf(error)}`;
    }
  };
  attempt(() => {
    file = openSync(path, 'w', 0o600);
  });
  return {
    write(lines) {
      if (file === undefined || problem !== undefined || lines.length === 0) return;
      const text = lines.map((line) => `${line.isRecord ? line.text : wrapped(line)}\n`).join('');
      attempt(() => {
        writeWhole(file ?? -1, Buffer.from(text));
      });
    },
    close() {
      const open = file;
      file = undefined;
      if (open !== undefined) {
        attempt(() => {
          closeSync(open);
        });
      }
    },
    problems: () => (problem === undefined ? [] : [problem]),
  };
}

/** A write may take only a part, and the rest has to be offered again. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
}

const wrapped = ({ number, text }: { number: number; text: string }): string =>
  JSON.stringify({ type: 'unparsed', line: number, text });
