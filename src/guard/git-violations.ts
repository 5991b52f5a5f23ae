import { fromText, joinBytes, toText, type BytePath } from './byte-path.js';
import type { Violation } from './changes.js';
import { kindOfMark, markOf, readContent, type FileTree } from './file-walk.js';
import { compareGitFolder, describeGitChange, type GitFileChange, type GitFolder } from './git-folder.js';
import { compareIndexes } from './index-entries.js';
import type { RepositorySnapshot } from './snapshot.js';
import { readIndexContent } from './tracked-files.js';

/** Anything different in the repository's own folder, or in that of a repository below it. */
export function judgeGitFolders(snapshot: RepositorySnapshot, now: FileTree): Violation[] {
  const root = fromText(snapshot.repository.root);
  const known = new Set(snapshot.gitFolders.map((folder) => folder.path));
  return [
    ...judgeDotGit(snapshot),
    ...snapshot.gitFolders.flatMap((folder) => judgeGitFolder(snapshot, folder)),
    ...now.gitFolders
      .filter((path) => !known.has(joinBytes(root, path)))
      .map((key): Violation => {
        const reason = 'a git repository was made inside this one';
        return { path: toText(key), reason, target: { kind: 'folder', key } };
      }),
  ];
}

function judgeGitFolder(snapshot: RepositorySnapshot, folder: GitFolder): Violation[] {
  if (isReplaced(folder)) {
    return [gitViolation(folder.label, 'the repository’s own folder was replaced, moved or deleted')];
  }
  return gitFolderChanges(snapshot, folder).map((change) =>
    gitViolation(`${folder.label}/${toText(change.path)}`, change.reason),
  );
}

export function isReplaced(folder: GitFolder): boolean {
  const mark = markOf(folder.path);
  return !mark || kindOfMark(mark) !== 'folder' || mark.inode !== folder.inode;
}

/** What was changed in it, each with its reason; an index that says the same of every file is no change. */
export function gitFolderChanges(
  snapshot: RepositorySnapshot,
  folder: GitFolder,
): (GitFileChange & { reason: string })[] {
  const changes = compareGitFolder(folder, snapshot.store.format);
  return changes.flatMap((change) => {
    if (!/^((worktrees|modules)\/.+\/)?index$/.test(change.path)) {
      return [{ ...change, reason: describeGitChange(change) }];
    }
    const reason = judgeIndex(snapshot, folder, change);
    return reason === undefined ? [] : [{ ...change, reason }];
  });
}

const MOST_NAMED = 5;

function judgeIndex(
  snapshot: RepositorySnapshot,
  folder: GitFolder,
  { path, status }: GitFileChange,
): string | undefined {
  if (status === 'deleted') return 'the index was deleted';
  const id = folder.contents.get(path);
  const absolute = joinBytes(folder.path, path);
  const mark = markOf(absolute);
  const after = mark && kindOfMark(mark) === 'file' ? readContent(absolute, mark) : undefined;
  const list = (content: Buffer | undefined) =>
    content && readIndexContent(snapshot.place, snapshot.settings, content);
  const was = id === undefined ? new Map() : list(snapshot.store.read(id));
  const is = list(after);
  if (!was || !is) return 'the index was changed and cannot be read any more';
  const differences = compareIndexes(was, is);
  if (differences.length === 0) return undefined;
  const named = differences.slice(0, MOST_NAMED).map((one) => `${toText(one.path)} ${one.what}`);
  const rest = differences.length - named.length;
  return `the index was changed: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function judgeDotGit(snapshot: RepositorySnapshot): Violation[] {
  return isDotGitSame(snapshot) ? [] : [gitViolation('.git', 'it was replaced by something else')];
}

/** A folder must be the same one; a file or link, as in a work tree or submodule, must say the same. */
export function isDotGitSame({ repository, dotGit }: RepositorySnapshot): boolean {
  const path = joinBytes(fromText(repository.root), '.git');
  const mark = markOf(path);
  if (!mark || !dotGit.mark || kindOfMark(mark) !== kindOfMark(dotGit.mark)) return false;
  if (kindOfMark(mark) === 'folder') return mark.inode === dotGit.mark.inode;
  const content = readContent(path, mark);
  return content !== undefined && dotGit.content?.equals(content) === true;
}

const gitViolation = (path: string, reason: string): Violation => ({ path, reason, target: { kind: 'git' } });

/** Where the folder that was `.git` is now, when it was moved within the repository. */
export function findMovedGit(snapshot: RepositorySnapshot, now: FileTree): BytePath | undefined {
  const { mark } = snapshot.dotGit;
  if (isDotGitSame(snapshot) || !mark || kindOfMark(mark) !== 'folder') return undefined;
  const root = fromText(snapshot.repository.root);
  return [...now.folders, ...now.gitFolders].find(
    (folder) => markOf(joinBytes(root, folder))?.inode === mark.inode,
  );
}
