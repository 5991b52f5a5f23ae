/**
 * A path as the file system and git hold it: bytes, written here with one character a byte. Most systems let
 * a name hold any bytes, and text would quietly merge two names that are not valid UTF-8 into one.
 */
export type BytePath = string;

export const toBytes = (path: BytePath): Buffer => Buffer.from(path, 'latin1');
export const fromText = (text: string): BytePath => Buffer.from(text, 'utf8').toString('latin1');

/** For people and patterns; bytes that are no UTF-8 become replacement characters. */
export const toText = (path: BytePath): string => toBytes(path).toString('utf8');
export const isText = (path: BytePath): boolean => fromText(toText(path)) === path;

export const joinBytes = (folder: BytePath, name: BytePath): BytePath =>
  folder === '' ? name : name === '' ? folder : `${folder}/${name}`;

/** Every folder above a path, the nearest first. */
export function foldersAbove(path: BytePath): BytePath[] {
  const folders: BytePath[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    folders.push(path.slice(0, at));
  }
  return folders;
}
