import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { foldersAbove, joinBytes, toBytes, toText, type BytePath } from '../git/byte-path.js';
import type { LayerChange } from './changes.js';
import { copyFile } from './copy-tree.js';
import { entryAt, readLink, statAt } from './file-tree.js';
import { MOST_FILE_BYTES } from './judge-changes.js';
import { isDotGit } from './path-fold.js';

export interface ApplyRequest {
  changes: readonly LayerChange[];
  /** Where the changed files lie, and where they go. */
  from: BytePath;
  to: BytePath;
}

/**
 * Copies changes into the checkout. Everything that can fail for want of room or rights is done first, beside the
 * files; then each file is put in place by one rename. So a checkout never holds half of a file, and nothing at all of
 * changes that could not be written.
 */
export function applyChanges({ changes, from, to }: ApplyRequest): void {
  const name = `.cursor-agent-${randomBytes(8).toString('hex')}`;
  const written = changes.filter(({ after }) => after.kind !== 'absent');
  const removed = changes.filter(({ after }) => after.kind === 'absent');
  const staging = joinBytes(to, name);
  const unfit = changes.find((change) => !canBeApplied(change));
  if (unfit) throw new Error(`${toText(unfit.path)} may not be written.`);
  mkdirSync(toBytes(staging), { mode: 0o700 });
  try {
    const staged = written.map((change, index) => {
      const file = joinBytes(staging, String(index));
      stage(change, joinBytes(from, change.path), { file, target: joinBytes(to, change.path) });
      return { path: change.path, file };
    });
    for (const { path } of removed) removeFile(to, path);
    for (const { path, file } of staged) putInPlace(to, path, file);
  } finally {
    rmSync(toBytes(staging), { recursive: true, force: true });
  }
}

/** Whether a change can be written at all, allowed or not. Nothing is ever written into a `.git`. */
export function canBeApplied({ path, after }: LayerChange): boolean {
  const isSafe = (part: string) => !isDotGit(part) && part !== '..' && part !== '.' && part !== '';
  const isPlain = after.kind !== 'special' && (after.kind !== 'file' || after.bytes <= MOST_FILE_BYTES);
  return isPlain && toText(path).split('/').every(isSafe);
}

function stage(
  { after }: LayerChange,
  source: BytePath,
  { file, target }: { file: BytePath; target: BytePath },
): void {
  const stat = statAt(source);
  if (after.kind === 'link') symlinkSync(toBytes(readLink(source)), toBytes(file));
  else if (after.kind === 'file' && stat?.isFile() === true) {
    copyFile(source, file, stat);
    chmodSync(toBytes(file), modeFor(statAt(target)?.mode, after.executable));
  } else throw new Error(`${toText(source)} is neither a file nor a link.`);
}

/** As open as the file it replaces, or as a new one would be. */
function modeFor(former: number | undefined, executable: boolean): number {
  const mode = former === undefined ? 0o666 & ~process.umask() : former & 0o666;
  return executable ? mode | ((mode & 0o444) >> 2) : mode;
}

function removeFile(to: BytePath, path: BytePath): void {
  if (!hasRealFolders(to, path) || entryAt(joinBytes(to, path)).kind === 'absent') return;
  unlinkSync(toBytes(joinBytes(to, path)));
  for (const folder of foldersAbove(path)) if (!removeIfEmpty(joinBytes(to, folder))) return;
}

/** Never through a link: every folder on the way is a real one, or is made. */
function putInPlace(to: BytePath, path: BytePath, file: BytePath): void {
  for (const folder of foldersAbove(path).reverse()) {
    const { kind } = entryAt(joinBytes(to, folder));
    if (kind === 'absent') mkdirSync(toBytes(joinBytes(to, folder)));
    else if (kind !== 'folder')
      throw new Error(`${toText(path)} could not be written: ${toText(folder)} is no folder.`);
  }
  const target = toBytes(joinBytes(to, path));
  // An empty folder may be left where a file is to stand.
  if (lstatSync(target, { throwIfNoEntry: false })?.isDirectory() === true) rmdirSync(target);
  renameSync(toBytes(file), target);
}

const hasRealFolders = (to: BytePath, path: BytePath): boolean =>
  foldersAbove(path).every((folder) => entryAt(joinBytes(to, folder)).kind === 'folder');

function removeIfEmpty(folder: BytePath): boolean {
  try {
    rmdirSync(toBytes(folder));
    return true;
  } catch {
    return false;
  }
}
