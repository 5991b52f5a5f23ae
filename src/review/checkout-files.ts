import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join, sep } from 'node:path';

/** Files of the checkout, by their path from its top, to look up where findings point. */
export interface CheckoutFiles {
  /** Nothing if there is no such file in the checkout. */
  lineCount(path: string): number | undefined;
  /** The text of some lines; nothing if it is not available. */
  lines(path: string, range: { startLine: number; endLine: number }): string | undefined;
}

/** The lines of a larger file are counted, but not returned. */
const MOST_TEXT_BYTES = 5 * 1024 * 1024;

export function openCheckout(root: string): CheckoutFiles {
  const top = realpathSync(root);
  const counts = new Map<string, number | undefined>();
  return {
    lineCount(path) {
      if (!counts.has(path))
        counts.set(
          path,
          attempt(() => countLines(findFile(top, path))),
        );
      return counts.get(path);
    },
    lines: (path, { startLine, endLine }) =>
      attempt(() => {
        const file = findFile(top, path);
        if (statSync(file).size > MOST_TEXT_BYTES) return undefined;
        const lines = readFileSync(file, 'utf8').split('\n');
        return lines.slice(startLine - 1, endLine).join('\n');
      }),
  };
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** A path of the agent must not lead out of the checkout, neither by `..` nor by a link, nor into `.git`. */
function findFile(top: string, path: string): string {
  const parts = path.split('/');
  const isPlain = parts.every(
    (part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git',
  );
  if (!isPlain || path.includes('\0')) throw new Error('not a path of the checkout');
  const real = realpathSync(join(top, ...parts));
  // Opening a pipe would wait until somebody writes to it.
  if (!real.startsWith(top + sep) || !lstatSync(real).isFile()) throw new Error('not a file of the checkout');
  return real;
}

function countLines(path: string): number {
  const file = openSync(path, constants.O_RDONLY);
  try {
    const chunk = Buffer.alloc(65_536);
    let [lines, last] = [0, 0x0a];
    for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
      for (let at = chunk.indexOf(0x0a); at !== -1 && at < size; at = chunk.indexOf(0x0a, at + 1)) lines += 1;
      last = chunk[size - 1] ?? 0x0a;
    }
    return last === 0x0a ? lines : lines + 1;
  } finally {
    closeSync(file);
  }
}
