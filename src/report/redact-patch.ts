import type { Redact } from './redact.js';

/**
 * A patch without secrets that still applies: what was added and the names in its headers are redacted, while
 * the lines that have to be found in the old file (context and removals) stay as they are; those were in the
 * repository before. Bytes are taken one by one as characters, so that none of them changes on the way.
 */
export function redactPatch(patch: Buffer, redact: Redact): Buffer {
  let [oldLeft, newLeft] = [0, 0];
  const lines = patch
    .toString('latin1')
    .split('\n')
    .map((line) => {
      if (oldLeft > 0 || newLeft > 0) {
        const mark = line[0] ?? ' ';
        if (mark !== '+' && mark !== '\\') oldLeft -= 1;
        if (mark !== '-' && mark !== '\\') newLeft -= 1;
        return mark === '+' ? `+${redact(line.slice(1))}` : line;
      }
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (!hunk) return redact(line);
      [oldLeft, newLeft] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      return line;
    });
  return Buffer.from(lines.join('\n'), 'latin1');
}
