import { constants, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
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
  /** Those of the files whose name begins with `.git`: where git's rules for a folder stand. */
  gitFiles: BytePath[];
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
  const tree = emptyTree();
  const pending: BytePath[] = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const names = listFolder(joinBytes(top, folder));
    if (names === undefined) {
      tree.closed.push(folder);
      continue;
    }
    const prefix = folder === '' ? '' : `${folder}/`;
    for (const name of names) {
      const path = `${prefix}${name}`;
      const isGit = skip === 'skip-git' && MAY_BE_GIT.test(name) && isDotGit(toText(name));
      if (isGit && path === '.git') continue;
      const mark = markOf(`${top}/${path}`);
      if (!mark) continue;
      if ((mark.mode & constants.S_IFMT) !== constants.S_IFDIR) {
        tree.files.set(path, mark);
        if (name.startsWith('.git')) tree.gitFiles.push(path);
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

const emptyTree = (): FileTree => ({
  files: new Map(),
  folders: new Set(),
  gitFiles: [],
  gitFolders: [],
  closed: [],
});

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

function listFolder(path: BytePath): BytePath[] | undefined {
  try {
    return readdirSync(toBytes(path), { encoding: 'latin1' });
  } catch {
    return undefined;
  }
}

/** The content of each regular file of this name, in whatever folder. */
export function readNamed(top: BytePath, tree: FileTree, name: string): Map<BytePath, Buffer> {
  const contents = new Map<BytePath, Buffer>();
  for (const path of tree.gitFiles) {
    const mark = tree.files.get(path);
    if (!mark || path.slice(path.lastIndexOf('/') + 1) !== name || kindOfMark(mark) !== 'file') continue;
    const content = readContent(joinBytes(top, path), mark);
    if (content) contents.set(path, content);
  }
  return contents;
}
