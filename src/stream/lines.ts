/** A line over this many bytes is skipped to its end; its head is kept. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** How much of a skipped line is kept to tell what it was. */
const HEAD_BYTES = 64 * 1024;
/** A buffer that one long line made large is not carried along for the rest of the stream. */
const KEPT_BYTES = 256 * 1024;

export interface Line {
  /** Counted from 1 over all lines, empty ones too. */
  number: number;
  text: string;
  /** Set when the line was too long: `text` is then only its head, `bytes` its whole length. */
  oversized?: { bytes: number };
}

export interface LineSplitter {
  /** The lines that end within this chunk. */
  push(chunk: Uint8Array): Line[];
  /** The last line, if it did not end with a newline. */
  end(): Line[];
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Splits bytes into lines. Bytes and not text, because a chunk may end inside a character; and by `\n` alone,
 * because U+2028 and its like may stand inside a JSON string. Empty lines are counted but not returned.
 */
export function splitLines(maxBytes = MAX_LINE_BYTES): LineSplitter {
  const held = growingBuffer();
  /** Bytes of the line so far, those no longer held included. */
  let lineBytes = 0;
  let number = 0;

  const hold = (bytes: Buffer) => {
    lineBytes += bytes.length;
    if (lineBytes <= maxBytes) held.append(bytes);
    else held.cutTo(Math.min(HEAD_BYTES, maxBytes), bytes);
  };

  /** The line's bytes are all there: as text, unless there is nothing in it. */
  const finish = (bytes: Buffer): Line | undefined => {
    number += 1;
    const oversized = lineBytes > maxBytes ? { bytes: lineBytes } : undefined;
    lineBytes = 0;
    const text = decode(bytes, number === 1);
    if (oversized) return { number, text, oversized };
    return text.trim() === '' ? undefined : { number, text };
  };

  return {
    push(chunk) {
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
    end() {
      const line = lineBytes > 0 ? finish(held.take()) : undefined;
      return line ? [line] : [];
    },
  };
}

/** One buffer that doubles, because a line may come byte by byte and a list of its pieces would dwarf it. */
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
    /** Keeps the first `most` bytes of what is held and of these. */
    cutTo(most: number, bytes: Buffer) {
      if (length < most) append(bytes.subarray(0, most - length));
      length = most;
      if (buffer.length > KEPT_BYTES) buffer = Buffer.from(buffer.subarray(0, most));
    },
    /** What was held, to be read before anything is appended again. */
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
