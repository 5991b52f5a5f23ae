import { joinBytes, toText, type BytePath } from './byte-path.js';
import type { BlobStore } from './blob-store.js';
import { isSameMark, kindOfMark, markOf, readContent, walkFiles, type Mark } from './file-walk.js';

/** A repository's own folder as it was: every file of it, and the content of all but the objects. */
export interface GitFolder {
  /** Absolute. */
  path: BytePath;
  /** How it is called in front of people. */
  label: string;
  inode: number;
  files: ReadonlyMap<BytePath, Mark>;
  contents: ReadonlyMap<BytePath, string>;
  folders: ReadonlySet<BytePath>;
}

export type GitFileStatus = 'added' | 'modified' | 'deleted';
export interface GitFileChange {
  path: BytePath;
  status: GitFileStatus;
}

/** Objects are named by their content and large files of LFS likewise: their marks are enough. */
const UNKEPT = /(^|\/)(objects|lfs)\//;
const MOST_KEPT = 256 * 1024 * 1024;

export function recordGitFolder(path: BytePath, label: string, store: BlobStore): GitFolder {
  const { files, folders } = walkFiles(path, 'all');
  const contents = new Map<BytePath, string>();
  for (const [name, mark] of files) {
    if (UNKEPT.test(name) || mark.size > MOST_KEPT) continue;
    const content = readContent(joinBytes(path, name), mark);
    if (content) contents.set(name, store.keep(content));
  }
  return { path, label, inode: markOf(path)?.inode ?? 0, files, contents, folders };
}

/** What is different now, by content where the content is known and by mark where it is not. */
export function compareGitFolder(before: GitFolder, identify: (content: Buffer) => string): GitFileChange[] {
  const now = walkFiles(before.path, 'all').files;
  const changes: GitFileChange[] = [];
  for (const [path, mark] of before.files) {
    const after = now.get(path);
    if (!after) changes.push({ path, status: 'deleted' });
    else if (!isSameMark(mark, after) && isChanged(path, after)) changes.push({ path, status: 'modified' });
  }
  for (const path of now.keys()) {
    if (!before.files.has(path) && !isInert(path)) changes.push({ path, status: 'added' });
  }
  return changes;

  function isChanged(path: BytePath, after: Mark): boolean {
    const known = before.contents.get(path);
    const was = before.files.get(path);
    if (known === undefined || !was || kindOfMark(was) !== kindOfMark(after)) return true;
    if ((was.mode & 0o7777) !== (after.mode & 0o7777)) return true;
    const content = readContent(joinBytes(before.path, path), after);
    return content === undefined || identify(content) !== known;
  }
}

/**
 * A new loose object does nothing until something names it, and git reads a packed object of the same name
 * first. A new pack is not inert: it could answer for objects that are there already.
 */
const isInert = (path: BytePath): boolean => /^objects\/[0-9a-f]{2}\/[0-9a-f]{38,62}$/.test(path);

const VERBS: Readonly<Record<GitFileStatus, string>> = {
  added: 'was added',
  modified: 'was changed',
  deleted: 'was deleted',
};

/** What such a change means, for a person. */
export function describeGitChange({ path, status }: GitFileChange): string {
  const name = toText(path).replace(/^(worktrees|modules)\/[^/]+\//, '');
  const verb = VERBS[status];
  if (name === 'HEAD') return `HEAD ${verb}: another commit or branch is checked out`;
  if (name === 'packed-refs') return `the packed references ${VERBS[status].replace('was', 'were')}`;
  if (/^refs\/./.test(name)) return `the reference ${name} ${verb}`;
  if (/^(config|config\.worktree)$/.test(name)) return `git’s configuration ${verb}, which can run programs`;
  if (name.startsWith('hooks/')) return `a git hook ${verb}, which later git commands would run`;
  if (name.startsWith('info/')) return `git’s own rules for ignoring files or attributes ${verb}`;
  if (name.startsWith('objects/')) return `the object store ${verb.replace('was added', 'was added to')}`;
  return `a file of the repository’s own folder ${verb}`;
}
