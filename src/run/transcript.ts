import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { Redact } from '../text/redact.js';
import { number as withCommas } from '../text/format.js';
import { unwrittenText } from './run.js';

/** The event stream on disk, one JSON object a line, written as it comes. */
export interface Transcript {
  /** A line of the stream, redacted; one that is no JSON object is kept inside of one. */
  write(lines: readonly { number: number; text: string; isRecord: boolean }[]): void;
  close(): void;
  /** What is worth knowing of it: that it is too long to be whole. */
  notes(): string[];
  /** What kept it from being written, if anything did. */
  problems(): string[];
}

export interface TranscriptOptions {
  /** Takes secrets out of a line as it is written down. */
  redact?: Redact;
  mostBytes?: number;
}

/** An agent that prints without end must not fill the disk that the report has to be written to. */
const MOST_BYTES = 256 * 1024 * 1024;

/** A disk that is full costs a part of the transcript; the rest of the run is told all the same. */
export function openTranscript(
  path: string,
  { redact = (text) => text, mostBytes = MOST_BYTES }: TranscriptOptions = {},
): Transcript {
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
  /** Result and report matter more than the stream they were made from, so half of it makes room for them. */
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
      const text = lines.map((line) => `${redact(line.isRecord ? line.text : wrapped(line))}\n`).join('');
      const bytes = Buffer.from(text);
      // From the first line that is missing on, all are.
      if (left === 0 && problem === undefined && size + bytes.length <= mostBytes) append(file, bytes);
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

/** A write may take only a part, and the rest has to be offered again. */
function writeWhole(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
}

const CHUNK_BYTES = 65_536;

/** The last place at or before this one where a line begins. */
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
