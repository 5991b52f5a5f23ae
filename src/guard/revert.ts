import { renameSync, rmSync } from 'node:fs';
import { fromText, joinBytes, toBytes, toText, type BytePath } from './byte-path.js';
import type { Inspection, Violation } from './changes.js';
import { stateBefore } from './file-state.js';
import { walkFiles } from './file-walk.js';
import type { GitFolder } from './git-folder.js';
import { findMovedGit, gitFolderChanges, isDotGitSame, isReplaced } from './git-violations.js';
import { loadObjects } from './object-reading.js';
import { clearPath, putBack, type Former, type PutBackPlace } from './put-back.js';
import type { RepositorySnapshot, Snapshot } from './snapshot.js';

/** One thing that could not be put back, and why. */
export interface Unreverted {
  path: string;
  reason: string;
}

/**
 * Puts back exactly what was changed against the rules: content, mode, link or absence, and the repository's
 * own folder. Changes that were allowed stay. Says what it could not put back.
 */
export function revertViolations(snapshot: Snapshot, inspection: Inspection): Unreverted[] {
  if (snapshot.kind === 'not-a-repository' || inspection.kind === 'not-a-repository') return [];
  const isGitTouched = inspection.violations.some(({ target }) => target.kind === 'git');
  return [
    ...(isGitTouched ? revertGit(snapshot) : []),
    ...revertFolders(snapshot, inspection.violations),
    ...revertFiles(snapshot, inspection.violations),
  ];
}

function revertGit(snapshot: RepositorySnapshot): Unreverted[] {
  const problems = isDotGitSame(snapshot)
    ? []
    : attempt('.git', () => {
        revertDotGit(snapshot);
      });
  return [...problems, ...snapshot.gitFolders.flatMap((folder) => revertGitFolder(snapshot, folder))];
}

/** A folder that was moved away is moved back, objects and all; a file or link is written again. */
function revertDotGit(snapshot: RepositorySnapshot): void {
  const root = fromText(snapshot.repository.root);
  const target = joinBytes(root, '.git');
  const { mark, content } = snapshot.dotGit;
  if (content !== undefined && mark) {
    rmSync(toBytes(target), { recursive: true, force: true });
    putBack({ top: root, folders: new Set() }, '.git', { kind: 'file', mark, content });
    return;
  }
  const moved = findMovedGit(snapshot, walkFiles(root, 'skip-git'));
  if (moved === undefined) throw new Error('the folder that was there cannot be found any more');
  const aside = joinBytes(fromText(snapshot.place.parent), `impostor-${Date.now().toString(36)}`);
  move(target, aside);
  renameSync(toBytes(joinBytes(root, moved)), toBytes(target));
}

/** Gone is gone where a move is not possible, as across file systems. */
function move(from: BytePath, to: BytePath): void {
  try {
    renameSync(toBytes(from), toBytes(to));
  } catch {
    rmSync(toBytes(from), { recursive: true, force: true });
  }
}

function revertGitFolder(snapshot: RepositorySnapshot, folder: GitFolder): Unreverted[] {
  if (isReplaced(folder)) {
    return [{ path: folder.label, reason: 'the folder that was there cannot be found any more' }];
  }
  const changes = gitFolderChanges(snapshot, folder).map(({ path }) => path);
  const former = (path: BytePath): Former => {
    const mark = folder.files.get(path);
    const id = folder.contents.get(path);
    return mark
      ? { kind: 'file', mark, content: id === undefined ? undefined : snapshot.store.read(id) }
      : { kind: 'nothing' };
  };
  const place = { top: folder.path, folders: folder.folders };
  return restore(place, changes, { former, label: (path) => `${folder.label}/${toText(path)}` });
}

/** A repository made inside this one goes as a whole; a folder that cannot be read cannot be helped. */
function revertFolders(snapshot: RepositorySnapshot, violations: readonly Violation[]): Unreverted[] {
  const root = fromText(snapshot.repository.root);
  return violations.flatMap(({ path, target }) => {
    if (target.kind !== 'folder') return [];
    return attempt(path, () => {
      if (snapshot.tree.folders.has(target.key) || target.key === '') throw new Error('it cannot be read');
      rmSync(toBytes(joinBytes(root, target.key)), { recursive: true, force: true });
      clearPath({ top: root, folders: snapshot.tree.folders }, target.key);
    });
  });
}

function revertFiles(snapshot: RepositorySnapshot, violations: readonly Violation[]): Unreverted[] {
  const { tree, repository, store } = snapshot;
  const paths = violations.flatMap(({ target }) => (target.kind === 'file' ? [target.key] : []));
  const idOf = (path: BytePath) => {
    const state = stateBefore(snapshot, path, tree.files.get(path));
    return state.kind === 'blob' ? state.id : undefined;
  };
  loadObjects(
    snapshot,
    paths.flatMap((path) => idOf(path) ?? []),
  );
  const former = (path: BytePath): Former => {
    const mark = tree.files.get(path);
    const id = idOf(path);
    return mark
      ? { kind: 'file', mark, content: id === undefined ? undefined : store.read(id) }
      : { kind: 'nothing' };
  };
  const place = { top: fromText(repository.root), folders: tree.folders };
  return restore(place, paths, { former, label: toText });
}

interface Restoring {
  former: (path: BytePath) => Former;
  label: (path: BytePath) => string;
}

/**
 * First everything that was not there is taken away, deepest first, so that a planted link or file no longer
 * stands where a folder was; then the rest is put back. What cannot be put back is left as it is.
 */
function restore(place: PutBackPlace, paths: readonly BytePath[], how: Restoring): Unreverted[] {
  const sorted = [...paths].sort();
  const added = sorted.filter((path) => how.former(path).kind === 'nothing').reverse();
  const taken = added.flatMap((path) =>
    attempt(how.label(path), () => {
      clearPath(place, path);
    }),
  );
  const put = sorted.flatMap((path) =>
    attempt(how.label(path), () => {
      const former = how.former(path);
      if (former.kind === 'nothing') return;
      if (former.content === undefined)
        throw new Error('its content was not kept or cannot be read any more');
      clearPath(place, path);
      putBack(place, path, former);
    }),
  );
  return [...taken, ...put];
}

function attempt(path: string, act: () => void): Unreverted[] {
  try {
    act();
    return [];
  } catch (error) {
    return [{ path, reason: error instanceof Error ? error.message : String(error) }];
  }
}
