import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, codeOf, messageOf } from '../../core/errors.js';
import { foldersAbove, fromText, joinBytes, toBytes, toText, type BytePath } from '../../git/paths.js';
import { followDotGit } from '../../git/repository.js';
import { isDotGit } from '../../text/paths.js';
import { entryAt, entryBelow, filesBelow, namesIn, writeChange } from './file-tree.js';
import { MAX_FILE_BYTES } from '../../permissions/judge-changes.js';
import type { LayerChange } from '../../permissions/layer-change.js';

interface ApplyRequest {
  changes: readonly LayerChange[];
  sourceOf(change: LayerChange): BytePath;
  to: BytePath;
  /** A folder outside of the checkout in which files can be staged, if it is on the same file system. */
  spare?: string;
}

/**
 * Copies changes into the checkout, all or none. First the new files are written to a staging folder, because that can
 * fill the disk. Then they are put in place by renames, which are undone if one fails. So a checkout never contains
 * half of a file, or half of the changes.
 */
export function applyChanges(request: ApplyRequest): void {
  const unfit = request.changes.find((change) => !canBeApplied(change));
  if (unfit) throw new Error(`${toText(unfit.path)} may not be written.`);
  const places = stagingPlaces(request);
  for (const [index, place] of places.entries())
    try {
      applyBy(joinBytes(place, `${STAGING}${randomBytes(8).toString('hex')}`), request);
      return;
    } catch (error) {
      // Between two mounts nothing can be renamed, even if both show the same file system.
      if (index === places.length - 1 || !UNUSABLE.includes(codeOf(error))) throw error;
    }
}

const STAGING = '.cursor-agent-';
const LEFT_BEHIND = /^\.cursor-agent-[0-9a-f]{16}$/;
const UNUSABLE = ['EXDEV', 'EACCES', 'EPERM', 'EROFS'];

/**
 * Where files can be staged, the best place first. A process that is killed leaves the staging folder behind, so it
 * should be where neither git nor a later step looks: in the repository folder, wherever a `.git` file leads to.
 */
function stagingPlaces({ to, spare }: Pick<ApplyRequest, 'to' | 'spare'>): BytePath[] {
  const { dev } = statSync(toBytes(to));
  const candidates = [gitFolderOf(toText(to)), spare].flatMap((folder) =>
    folder === undefined ? [] : [folder],
  );
  return [...candidates.filter((folder) => attempt(() => statSync(folder).dev) === dev).map(fromText), to];
}

const gitFolderOf = (top: string): string | undefined => {
  const folder = followDotGit(join(top, '.git'))?.gitFolder;
  return folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? folder
    : undefined;
};

/** Removes what a run left behind in the repository folder that was killed while it applied its changes. */
export function removeStaging(top: string): void {
  const folder = gitFolderOf(top);
  for (const name of folder === undefined ? [] : readdirSync(folder))
    if (folder !== undefined && LEFT_BEHIND.test(name))
      rmSync(join(folder, name), { recursive: true, force: true });
}

function applyBy(staging: BytePath, { changes, sourceOf, to }: ApplyRequest): void {
  const written = changes.filter(({ after }) => after.kind !== 'absent');
  const removed = changes.filter(({ after }) => after.kind === 'absent');
  const checkout: ChangingCheckout = { to, staging, undo: [] };
  mkdirSync(toBytes(staging), { mode: 0o700 });
  try {
    const staged = written.map((change, index) => {
      const file = joinBytes(staging, String(index));
      const left = { after: change.after, source: sourceOf(change) };
      writeChange(left, { file, replaced: joinBytes(to, change.path) });
      return { path: change.path, file };
    });
    for (const { path } of removed) if (entryBelow(to, path).kind !== 'absent') setAside(checkout, path);
    for (const { path, file } of staged) putInPlace(checkout, path, file);
    for (const { path } of removed) removeEmptyFolders(checkout, path);
  } catch (error) {
    undoAll(checkout, error);
    throw error;
  }
  rmSync(toBytes(staging), { recursive: true, force: true });
}

/** Whether a change can be written at all, allowed or not. Nothing is ever written to a `.git`. */
export function canBeApplied({ path, after }: LayerChange): boolean {
  const isSafe = (part: string) => !isDotGit(part) && part !== '..' && part !== '.' && part !== '';
  const isPlain = after.kind !== 'special' && (after.kind !== 'file' || after.bytes <= MAX_FILE_BYTES);
  return isPlain && toText(path).split('/').every(isSafe);
}

interface ChangingCheckout {
  to: BytePath;
  /** Holds the new files before they are put in place, and the files they replace. */
  staging: BytePath;
  undo: (() => void)[];
}

/** What cannot be put back stays in the staging folder, which the error names. */
function undoAll({ staging, undo }: ChangingCheckout, cause: unknown): void {
  try {
    for (let step = undo.pop(); step; step = undo.pop()) step();
  } catch (error) {
    const words = `${messageOf(cause)} This could not be undone: ${messageOf(error)}`;
    throw new Error(`${words} What was there before is in ${toText(staging)}.`, { cause: error });
  }
  rmSync(toBytes(staging), { recursive: true, force: true });
}

/** Comes last, so that a folder stays if all of its files were replaced by others. */
function removeEmptyFolders(checkout: ChangingCheckout, path: BytePath): void {
  for (const folder of foldersAbove(path)) {
    if (entryBelow(checkout.to, folder).kind !== 'folder') continue;
    if (namesIn(joinBytes(checkout.to, folder)).length > 0) return;
    setAside(checkout, folder);
  }
}

/** Never writes through a link: every folder on the way is a real one or is created. */
function putInPlace(checkout: ChangingCheckout, path: BytePath, file: BytePath): void {
  const { to } = checkout;
  for (const folder of foldersAbove(path).reverse()) {
    const { kind } = entryAt(joinBytes(to, folder));
    if (kind === 'absent') makeFolder(checkout, folder);
    else if (kind !== 'folder')
      throw new Error(`${toText(path)} could not be written: ${toText(folder)} is not a folder.`);
  }
  const { kind } = entryAt(joinBytes(to, path));
  if (kind === 'folder' && filesBelow(to, path).length > 0)
    throw new Error(`${toText(path)} could not be written: it is a folder with other files in it.`);
  if (kind !== 'absent') setAside(checkout, path);
  move(checkout, file, joinBytes(to, path));
}

const setAside = (checkout: ChangingCheckout, path: BytePath): void => {
  move(checkout, joinBytes(checkout.to, path), joinBytes(checkout.staging, `old-${checkout.undo.length}`));
};

function move({ undo }: ChangingCheckout, from: BytePath, to: BytePath): void {
  renameSync(toBytes(from), toBytes(to));
  undo.push(() => {
    renameSync(toBytes(to), toBytes(from));
  });
}

function makeFolder({ to, undo }: ChangingCheckout, folder: BytePath): void {
  const path = toBytes(joinBytes(to, folder));
  mkdirSync(path);
  undo.push(() => {
    rmdirSync(path);
  });
}
