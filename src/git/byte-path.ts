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

export const joinBytes = (folder: BytePath, name: BytePath): BytePath =>
  folder === '' ? name : name === '' ? folder : `${folder}/${name}`;

/** Whether a path is this folder or is below it. */
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
