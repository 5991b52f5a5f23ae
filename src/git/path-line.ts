/**
 * Writes a path as one line of a prompt or an input. A path that could be mistaken for something else (because of a
 * line break, a quotation mark, a backtick, a space at either end, or an invisible character) is written as a JSON
 * string with those characters escaped.
 */
export function writePath(path: string): string {
  const isPlain = PLAIN_PATH.test(path) && path.trim() === path;
  return isPlain ? path : JSON.stringify(path).replace(INVISIBLE, escapeCharacter);
}

const PLAIN_PATH = /^[\p{L}\p{N}\p{M}._/@+~#%=,()[\]{}!$& -]+$/u;
// eslint-disable-next-line no-control-regex
const INVISIBLE = /[`\u0000-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g;
const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Reads such a line. The problem completes "the line … ". */
export function readPath(line: string): { path: string } | { problem: string } {
  const path = line.startsWith('"') ? unquoted(line) : line;
  if (path === undefined) return { problem: 'begins with a quotation mark and is not a JSON string' };
  const isInside = path.split('/').every((part) => !['', '.', '..'].includes(part));
  return isInside && !path.includes('\0')
    ? { path }
    : { problem: 'is not the path of a file from the top of the repository, such as src/a.ts' };
}

function unquoted(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
