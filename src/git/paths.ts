import { relative, sep } from 'node:path';
import { parseJson } from '../text/json.js';
import { isPlainPath } from '../text/paths.js';

/**
 * A path in the bytes that the file system and git use, with one character per byte. Most systems allow any bytes in
 * a name. As text, two different names that are not valid UTF-8 could become the same.
 */
export type BytePath = string;

export const toBytes = (path: BytePath): Buffer => Buffer.from(path, 'latin1');
export const fromText = (text: string): BytePath => Buffer.from(text, 'utf8').toString('latin1');

/** For people and patterns. Bytes that are not UTF-8 become replacement characters. */
export const toText = (path: BytePath): string => toBytes(path).toString('utf8');
export const isText = (path: BytePath): boolean => fromText(toText(path)) === path;

/** The way from a folder to a path, with forward slashes on every system. */
export const pathFrom = (folder: string, path: string): string => relative(folder, path).split(sep).join('/');

export const joinBytes = (folder: BytePath, name: BytePath): BytePath =>
  folder === '' ? name : name === '' ? folder : `${folder}/${name}`;

export const isWithin = (path: BytePath, folder: BytePath): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/** Every folder above a path, the nearest first. */
export function foldersAbove(path: BytePath): BytePath[] {
  const folders: BytePath[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    folders.push(path.slice(0, at));
  }
  return folders;
}

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
  const path = line.startsWith('"') ? parseJson(line) : line;
  if (typeof path !== 'string') return { problem: 'begins with a quotation mark and is not a JSON string' };
  return isPlainPath(path)
    ? { path }
    : { problem: 'is not the path of a file from the top of the repository, such as src/a.ts' };
}
