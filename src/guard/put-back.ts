import { chmodSync, lstatSync, mkdirSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { foldersAbove, joinBytes, toBytes, type BytePath } from './byte-path.js';
import { kindOfMark, type Mark } from './file-walk.js';

/** What stood at a path before; the content is missing when it was not kept. */
export type Former = { kind: 'nothing' } | { kind: 'file'; mark: Mark; content: Buffer | undefined };

export interface PutBackPlace {
  top: BytePath;
  /** The folders there were; others are taken away when they end up empty. */
  folders: ReadonlySet<BytePath>;
}

/**
 * Takes away what stands at a path now. Only a link or file itself is ever removed, never through a link, and
 * never a folder that holds something.
 */
export function clearPath({ top, folders }: PutBackPlace, path: BytePath): void {
  assertRealFolders(top, path, 'existing');
  const stat = lstatSync(toBytes(joinBytes(top, path)), { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) unlinkSync(toBytes(joinBytes(top, path)));
  for (const folder of foldersAbove(path)) {
    if (folders.has(folder) || !removeEmpty(joinBytes(top, folder))) return;
  }
}

/** Puts a file or link back with its content and mode, where nothing stands any more. */
export function putBack(place: PutBackPlace, path: BytePath, former: Former & { kind: 'file' }): void {
  if (former.content === undefined) throw new Error('its content was not kept or cannot be read any more');
  assertRealFolders(place.top, path, 'make');
  const target = toBytes(joinBytes(place.top, path));
  if (kindOfMark(former.mark) === 'link') {
    symlinkSync(former.content, target);
    return;
  }
  writeFileSync(target, former.content, { flag: 'wx', mode: 0o600 });
  chmodSync(target, former.mark.mode & 0o7777);
}

function assertRealFolders(top: BytePath, path: BytePath, missing: 'existing' | 'make'): void {
  for (const folder of foldersAbove(path).reverse()) {
    const absolute = toBytes(joinBytes(top, folder));
    const stat = lstatSync(absolute, { throwIfNoEntry: false });
    if (!stat && missing === 'make') mkdirSync(absolute);
    else if (!stat) return;
    else if (!stat.isDirectory()) throw new Error('something else stands where its folder was');
  }
}

function removeEmpty(folder: BytePath): boolean {
  try {
    rmdirSync(toBytes(folder));
    return true;
  } catch {
    return false;
  }
}
