import { joinBytes, type BytePath } from '../git/byte-path.js';
import type { FileState, LayerChange } from './changes.js';
import { ABSENT, asFile, entryAt, filesBelow, isSameContent, namesIn } from './file-tree.js';

/** Where an overlay keeps what was written, and what lies under it. */
export interface OverlayFolders {
  upper: BytePath;
  lower: BytePath;
}

/**
 * Asks which of these paths, which lie under the overlay and were not written, are seen through it. Only a mounted
 * overlay can tell.
 */
export type AskSeen = (paths: readonly BytePath[]) => boolean[];

export interface OverlayInspection {
  changes: LayerChange[];
  /** Folders that hide what lies under them in the checkout. */
  remade: ReadonlySet<BytePath>;
}

/**
 * What is different in an overlay. Only what was written is looked at, so that the work grows with the change and not
 * with the checkout. One thing cannot be read there: whether a folder was removed and made anew, which hides all that
 * lies under it. So for each folder that is in both, one path is asked about that only the lower one has.
 */
export function overlayChanges({ upper, lower }: OverlayFolders, askSeen: AskSeen): OverlayInspection {
  const changes: LayerChange[] = [];
  const inBoth: { folder: BytePath; unwritten: BytePath[] }[] = [];
  const removeBelow = (path: BytePath) => {
    for (const file of filesBelow(lower, path))
      changes.push({ path: file, before: asFile(entryAt(joinBytes(lower, file))), after: ABSENT });
  };
  const pending = [{ folder: '', hasLower: true }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { folder, hasLower } = next;
    const names = namesIn(joinBytes(upper, folder), 'force');
    for (const name of names) {
      const path = joinBytes(folder, name);
      const written = entryAt(joinBytes(upper, path));
      // Below a link or a file of the checkout there is nothing, whatever the system finds behind the link.
      const former = hasLower ? entryAt(joinBytes(lower, path)) : ABSENT;
      if (former.kind === 'folder' && written.kind !== 'folder') removeBelow(path);
      if (written.kind === 'folder') pending.push({ folder: path, hasLower: former.kind === 'folder' });
      if (former.kind === 'folder' && written.kind === 'folder') continue;
      addChange(path, asFile(former), asFile(written));
    }
    if (hasLower && folder !== '') {
      const here = new Set(names);
      const unwritten = namesIn(joinBytes(lower, folder))
        .filter((name) => !here.has(name))
        .map((name) => joinBytes(folder, name));
      if (unwritten.length > 0) inBoth.push({ folder, unwritten });
    }
  }
  const seen = inBoth.length === 0 ? [] : askSeen(inBoth.map(({ unwritten }) => unwritten[0] ?? ''));
  const remade = inBoth.filter((_, index) => seen[index] === false);
  for (const { unwritten } of remade) unwritten.forEach(removeBelow);
  return { changes, remade: new Set(remade.map(({ folder }) => folder)) };

  function addChange(path: BytePath, before: FileState, after: FileState): void {
    if (!isSame(joinBytes(upper, path), joinBytes(lower, path), { before, after }))
      changes.push({ path, before, after });
  }
}

/** Whether the file at one path is the file at another. A special file is never taken for another one. */
export function isSame(
  one: BytePath,
  other: BytePath,
  { before, after }: Pick<LayerChange, 'before' | 'after'>,
): boolean {
  switch (before.kind) {
    case 'absent':
      return after.kind === 'absent';
    case 'special':
      return false;
    case 'link':
      return after.kind === 'link' && isSameContent(one, other, 'link');
    case 'file':
      return (
        after.kind === 'file' &&
        before.executable === after.executable &&
        before.privileged === after.privileged &&
        before.bytes === after.bytes &&
        isSameContent(one, other, 'file')
      );
  }
}
