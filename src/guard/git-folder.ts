import { joinBytes, toText, type BytePath } from './byte-path.js';
import { blobId, type BlobFormat, type BlobStore } from './blob-store.js';
import { isSameMark, kindOfMark, markOf, readContent, walkFiles, type Mark } from './file-walk.js';
import { isSealed, isTrueToName, objectFileKind, readSeal } from './object-files.js';

/** A repository's own folder as it was: every file of it, and the content of all but the objects. */
export interface GitFolder {
  /** Absolute. */
  path: BytePath;
  /** How it is called in front of people. */
  label: string;
  inode: number;
  files: ReadonlyMap<BytePath, Mark>;
  contents: ReadonlyMap<BytePath, string>;
  /** What packs and their indexes end in. */
  seals: ReadonlyMap<BytePath, string>;
  folders: ReadonlySet<BytePath>;
}

export type GitFileStatus = 'added' | 'modified' | 'deleted';
export interface GitFileChange {
  path: BytePath;
  status: GitFileStatus;
}

/** Large files of LFS are named after their content, like objects; neither is copied. */
const UNKEPT = /^lfs\//;
const MOST_KEPT = 256 * 1024 * 1024;

export function recordGitFolder(path: BytePath, label: string, store: BlobStore): GitFolder {
  const { files, folders } = walkFiles(path, 'all');
  const contents = new Map<BytePath, string>();
  const seals = new Map<BytePath, string>();
  for (const [name, mark] of files) {
    const absolute = joinBytes(path, name);
    const kind = objectFileKind(name);
    if (kind === 'sealed') {
      const seal = readSeal(absolute, store.format);
      if (seal !== undefined) seals.set(name, seal);
    } else if (kind === undefined && !UNKEPT.test(name) && mark.size <= MOST_KEPT) {
      const content = readContent(absolute, mark);
      if (content) contents.set(name, store.keep(content));
    }
  }
  return { path, label, inode: markOf(path)?.inode ?? 0, files, contents, seals, folders };
}

/** What is different now. A mark only raises the question; the content answers it where it can. */
export function compareGitFolder(before: GitFolder, format: BlobFormat): GitFileChange[] {
  const now = walkFiles(before.path, 'all').files;
  const changes: GitFileChange[] = [];
  for (const [path, mark] of before.files) {
    const after = now.get(path);
    if (!after) changes.push({ path, status: 'deleted' });
    else if (!isSameMark(mark, after) && !isSameFile(before, { path, mark, after }, format)) {
      changes.push({ path, status: 'modified' });
    }
  }
  for (const path of now.keys()) {
    if (!before.files.has(path) && !isInert(path)) changes.push({ path, status: 'added' });
  }
  return changes;
}

function isSameFile(
  { path: folder, contents, seals }: GitFolder,
  { path, mark, after }: { path: BytePath; mark: Mark; after: Mark },
  format: BlobFormat,
): boolean {
  if (kindOfMark(mark) !== kindOfMark(after) || mark.mode !== after.mode) return false;
  const absolute = joinBytes(folder, path);
  if (objectFileKind(path) === 'loose') return isTrueToName(absolute, format);
  const seal = seals.get(path);
  if (seal !== undefined) return isSealed(absolute, seal, format);
  const known = contents.get(path);
  const content = known === undefined ? undefined : readContent(absolute, after);
  return content !== undefined && blobId(content, format) === known;
}

/**
 * A new loose object does nothing until something names it, and git reads a packed object of the same name
 * first. A new pack is not inert: it could answer for objects that are there already.
 */
const isInert = (path: BytePath): boolean => objectFileKind(path) === 'loose';

const VERBS: Readonly<Record<GitFileStatus, string>> = {
  added: 'was added',
  modified: 'was changed',
  deleted: 'was deleted',
};

/** What such a change means, for a person. */
export function describeGitChange({ path, status }: GitFileChange): string {
  const name = toText(path).replace(/^(worktrees|modules)\/[^/]+\//, '');
  const verb = VERBS[status];
  const plural = verb.replace('was', 'were');
  if (name === 'HEAD') return `HEAD ${verb}: another commit or branch is checked out`;
  if (name === 'packed-refs') return `the packed references ${plural}`;
  if (/^refs\/./.test(name)) return `the reference ${name} ${verb}`;
  if (/^(config|config\.worktree)$/.test(name)) return `git’s configuration ${verb}, which can run programs`;
  if (name.startsWith('hooks/')) return `a git hook ${verb}, which later git commands would run`;
  if (name.startsWith('info/')) return `git’s rules on what to ignore or convert ${plural}`;
  if (name.startsWith('objects/')) return `the object store ${verb.replace('was added', 'was added to')}`;
  return `a file of the repository’s own folder ${verb}`;
}
