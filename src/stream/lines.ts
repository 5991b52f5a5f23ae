import { REDACTED, type Redaction } from '../text/redact.js';
import { watchKeyLines } from '../text/redact-forms.js';
import { head } from './record.js';

/** A line with more bytes than this is skipped, except for its beginning. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** How much of a skipped line is kept, to tell what it was. */
const HEAD_BYTES = 64 * 1024;
/** A buffer that grew larger than this for one long line is not kept for the rest of the stream. */
const KEPT_BYTES = 256 * 1024;

export interface Line {
  /** Counted from 1. Empty lines count too. */
  number: number;
  text: string;
  /** Set if the line was too long: then `text` is only its beginning, and `bytes` its whole length. */
  oversized?: { bytes: number };
  /** Set for a last line without a newline: it may be only the beginning of a line. */
  isUnfinished?: true;
}

/** The end of a line that was cut can be a part of a secret that cannot be recognised, so it is dropped. */
const UNCLEAN_CHARACTERS = 4096;

/**
 * Bytes → lines without secrets. Each line is redacted here, once, so what is taken out is in no event, no log and no
 * transcript.
 */
export function readLines(redaction: Redaction, maxBytes?: number) {
  const splitter = splitLines(maxBytes);
  const isInKey = watchKeyLines();
  const clean = (line: Line): Line => {
    const text = isInKey(line.text) ? REDACTED : redaction.redactLine(line.text);
    if (!line.oversized) return { ...line, text };
    const unclean = Math.max(UNCLEAN_CHARACTERS, redaction.openTail(text));
    return { ...line, text: head(text, Math.max(0, text.length - unclean)) };
  };
  return {
    push: (chunk: Uint8Array): Line[] => splitter.push(chunk).map(clean),
    end: (): Line[] => splitter.end().map(clean),
  };
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Splits bytes into lines. It splits bytes, because a chunk can end inside of a character, and only at `\n`, because a
 * JSON string can contain U+2028 and other line ends. Empty lines are counted but not returned.
 */
export function splitLines(maxBytes = MAX_LINE_BYTES) {
  const held = growingBuffer();
  /** Bytes of the line so far, including those that were dropped. */
  let lineBytes = 0;
  let number = 0;

  const hold = (bytes: Buffer) => {
    lineBytes += bytes.length;
    if (lineBytes <= maxBytes) held.append(bytes);
    else held.cutTo(Math.min(HEAD_BYTES, maxBytes), bytes);
  };

  /** Turns the bytes of a complete line into text. Empty lines give nothing. */
  const finish = (bytes: Buffer): Line | undefined => {
    number += 1;
    const oversized = lineBytes > maxBytes ? { bytes: lineBytes } : undefined;
    lineBytes = 0;
    const text = decode(bytes, number === 1);
    if (oversized) return { number, text, oversized };
    return text.trim() === '' ? undefined : { number, text };
  };

  return {
    /** Returns the lines that end in this chunk. */
    push(chunk: Uint8Array): Line[] {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const lines: Line[] = [];
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        const rest = bytes.subarray(start, end);
        const isWhole = lineBytes === 0 && rest.length <= maxBytes;
        if (!isWhole) hold(rest);
        const line = finish(isWhole ? rest : held.take());
        if (line) lines.push(line);
        start = end + 1;
      }
      if (start < bytes.length) hold(bytes.subarray(start));
      return lines;
    },
    /** Returns the last line, if it did not end with a newline. */
    end(): Line[] {
      const line = lineBytes > 0 ? finish(held.take()) : undefined;
      return line ? [{ ...line, isUnfinished: true }] : [];
    },
  };
}

/** One buffer that doubles. A line can come byte by byte, and a list of its pieces would take far more memory. */
function growingBuffer() {
  let buffer = Buffer.alloc(0);
  let length = 0;
  const append = (bytes: Buffer) => {
    if (length + bytes.length > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + bytes.length));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    bytes.copy(buffer, length);
    length += bytes.length;
  };
  return {
    append,
    /** Keeps only the first `max` bytes of what is held plus these. */
    cutTo(max: number, bytes: Buffer) {
      if (length < max) append(bytes.subarray(0, max - length));
      length = max;
      if (buffer.length > KEPT_BYTES) buffer = Buffer.from(buffer.subarray(0, max));
    },
    /** Returns what was held. Read it before the next append. */
    take(): Buffer {
      const bytes = buffer.subarray(0, length);
      length = 0;
      if (buffer.length > KEPT_BYTES) buffer = Buffer.alloc(0);
      return bytes;
    },
  };
}

function decode(bytes: Buffer, isFirst: boolean): string {
  const end = bytes[bytes.length - 1] === RETURN ? bytes.length - 1 : bytes.length;
  const text = bytes.toString('utf8', 0, end);
  return isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
