/** A line over this many bytes is skipped to its end; its head is kept. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** How much of a skipped line is kept to tell what it was. */
const HEAD_BYTES = 64 * 1024;

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

/**
 * Splits bytes into lines. Bytes and not text, because a chunk may end inside a character; and by `\n` alone,
 * because U+2028 and its like may stand inside a JSON string. Empty lines are counted but not returned.
 */
export function splitLines(maxBytes = MAX_LINE_BYTES): LineSplitter {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let skippedBytes = 0;
  let number = 0;

  const hold = (bytes: Uint8Array) => {
    const room = maxBytes - pendingBytes;
    if (skippedBytes > 0 || bytes.length > room) {
      if (skippedBytes === 0) keepHead(bytes);
      skippedBytes += bytes.length;
      return;
    }
    pending.push(bytes);
    pendingBytes += bytes.length;
  };

  /** The line has become too long: everything but its head is let go. */
  const keepHead = (bytes: Uint8Array) => {
    const head = Buffer.concat([...pending, bytes.subarray(0, HEAD_BYTES)]).subarray(0, HEAD_BYTES);
    skippedBytes = pendingBytes;
    pending = [Buffer.from(head)];
  };

  const take = (): Line[] => {
    number += 1;
    const bytes = pending.length === 1 ? pending[0] : Buffer.concat(pending);
    const text = decode(bytes ?? Buffer.alloc(0), number === 1);
    const oversized = skippedBytes > 0 ? { bytes: skippedBytes } : undefined;
    pending = [];
    pendingBytes = 0;
    skippedBytes = 0;
    if (text.trim() === '') return [];
    return [oversized ? { number, text, oversized } : { number, text }];
  };

  return {
    push(chunk) {
      const lines: Line[] = [];
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        hold(chunk.subarray(start, end));
        lines.push(...take());
        start = end + 1;
      }
      // Copied, because the caller may use the chunk's memory again.
      if (start < chunk.length) hold(Buffer.from(chunk.subarray(start)));
      return lines;
    },
    end() {
      return pendingBytes > 0 || skippedBytes > 0 ? take() : [];
    },
  };
}

function decode(bytes: Uint8Array, isFirst: boolean): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const withoutMark = isFirst && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return withoutMark.endsWith('\r') ? withoutMark.slice(0, -1) : withoutMark;
}
