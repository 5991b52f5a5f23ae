import { constants, lstatSync, readdirSync, readFileSync, readlinkSync, type Dirent } from 'node:fs';
import { joinBytes, toBytes, toText, type BytePath } from './byte-path.js';
import { isDotGit } from './path-fold.js';

/**
 * What the file system says of one file. Any write, change of mode, rename or replacement alters at least the
 * change time or the inode, and neither can be set back without being root or turning back the clock; size
 * and modification time, which anyone can restore, are never relied on alone.
 */
export interface Mark {
  mode: number;
  size: number;
  inode: number;
  modifiedMs: number;
  changedMs: number;
}

/** Everything below a folder that is no folder itself, by its path from there. No link is followed. */
export interface FileTree {
  files: Map<BytePath, Mark>;
  folders: Set<BytePath>;
  /** Folders called `.git` (in any spelling) below the top: looked at by themselves, not walked here. */
  gitFolders: BytePath[];
  /** Folders that could not be read. */
  closed: BytePath[];
}

export type WalkSkip = 'skip-git' | 'all';

/** How every spelling of `.git` begins, unseen code points included: spares most names the closer look. */
const MAY_BE_GIT = /^[.gG\x80-\xff]/;

/** `skip-git` leaves out the top's own `.git` and does not go into others; `all` goes everywhere. */
export function walkFiles(top: BytePath, skip: WalkSkip): FileTree {
  const tree: FileTree = { files: new Map(), folders: new Set(), gitFolders: [], closed: [] };
  const pending: BytePath[] = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = listFolder(joinBytes(top, folder));
    if (entries === undefined) {
      tree.closed.push(folder);
      continue;
    }
    const prefix = folder === '' ? '' : `${folder}/`;
    for (const entry of entries) {
      const path = `${prefix}${entry.name}`;
      const isGit = skip === 'skip-git' && MAY_BE_GIT.test(entry.name) && isDotGit(toText(entry.name));
      if (isGit && path === '.git') continue;
      if (!entry.isDirectory()) {
        const mark = markOf(`${top}/${path}`);
        if (mark) tree.files.set(path, mark);
      } else if (isGit) {
        tree.gitFolders.push(path);
      } else {
        tree.folders.add(path);
        pending.push(path);
      }
    }
  }
  return tree;
}

export function markOf(path: BytePath): Mark | undefined {
  const stat = lstatSync(toBytes(path), { throwIfNoEntry: false });
  return (
    stat && {
      mode: stat.mode,
      size: stat.size,
      inode: stat.ino,
      modifiedMs: stat.mtimeMs,
      changedMs: stat.ctimeMs,
    }
  );
}

export const isSameMark = (a: Mark, b: Mark): boolean =>
  a.changedMs === b.changedMs &&
  a.modifiedMs === b.modifiedMs &&
  a.inode === b.inode &&
  a.size === b.size &&
  a.mode === b.mode;

export type FileKind = 'file' | 'link' | 'folder' | 'special';

export function kindOfMark(mark: Mark): FileKind {
  switch (mark.mode & constants.S_IFMT) {
    case constants.S_IFREG:
      return 'file';
    case constants.S_IFLNK:
      return 'link';
    case constants.S_IFDIR:
      return 'folder';
    default:
      return 'special';
  }
}

/** The content git would keep: a file's bytes, a link's target. Undefined when it cannot be read. */
export function readContent(path: BytePath, mark: Mark): Buffer | undefined {
  try {
    const kind = kindOfMark(mark);
    if (kind === 'link') return readlinkSync(toBytes(path), { encoding: 'buffer' });
    return kind === 'file' ? readFileSync(toBytes(path)) : undefined;
  } catch {
    return undefined;
  }
}

function listFolder(path: BytePath): Dirent[] | undefined {
  try {
    return readdirSync(toBytes(path), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return undefined;
  }
}
