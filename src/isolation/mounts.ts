import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The fields of a line of /proc/self/mountinfo that are used here. */
export interface Mount {
  id: string;
  parent: string;
  path: string;
  /** The flags of this mount, such as `rw`, `nosuid` and `relatime`. */
  flags: readonly string[];
}

/** The mounts of this process. */
export const readMounts = (): Mount[] => parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'));

export function parseMounts(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [id, parent, , , path, flags] = line.split(' ');
    if (id === undefined || parent === undefined || path === undefined || flags === undefined) return [];
    // Its mount point was deleted, so no path leads there any more.
    if (path.endsWith('//deleted')) return [];
    return [{ id, parent, path: unescapePath(path), flags: flags.split(',') }];
  });
}

/** The kernel escapes spaces, line breaks and backslashes in a path as three octal digits per byte. */
function unescapePath(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/** The mounts that a path still leads to. */
export function reachableMounts(mounts: readonly Mount[]): Mount[] {
  const byId = new Map(mounts.map((mount) => [mount.id, mount]));
  const childrenOf = (id: string) => mounts.filter(({ parent }) => parent === id);
  // Mounted exactly on top of another mount, which is then its parent.
  const isCovered = (mount: Mount) =>
    childrenOf(mount.id).some(({ id, path }) => id !== mount.id && path === mount.path);
  // Covered by a mount further up that has the same parent. If that one had come first, it would be the parent.
  const isBuried = (mount: Mount) =>
    childrenOf(mount.parent).some(({ id, path }) => id !== mount.id && isBelow(mount.path, path));
  const isReachable = (mount: Mount | undefined): boolean => {
    for (const seen = new Set<string>(); mount && !seen.has(mount.id); mount = byId.get(mount.parent)) {
      if (isBuried(mount)) return false;
      seen.add(mount.id);
    }
    return true;
  };
  return mounts.filter((mount) => !isCovered(mount) && isReachable(mount));
}

/** Whether a path lies strictly below a folder; both are absolute and without links. */
export const isBelow = (path: string, folder: string): boolean =>
  path !== folder && path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/** The folders between a root and a path, outer ones first. */
export function foldersBetween(root: string, path: string): string[] {
  const folder = dirname(path);
  return isBelow(folder, root) ? [...foldersBetween(root, folder), folder] : [];
}

/** The mount that contains a path. */
export function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
  return mounts
    .filter((mount) => mount.path === path || isBelow(path, mount.path))
    .reduce<Mount | undefined>(
      (best, mount) => (best && best.path.length >= mount.path.length ? best : mount),
      undefined,
    );
}
