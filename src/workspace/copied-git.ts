import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyIfThere } from '../git/checkout-git.js';
import { withoutCredentials } from '../git/git-config.js';
import type { Repository } from '../git/repository.js';

/** What git needs of a repository's folders besides its objects. Hooks and logs stay behind. */
const OF_WORK_TREE = ['HEAD', 'index', 'info/sparse-checkout'];
const OF_REPOSITORY = ['packed-refs', 'shallow', 'info/exclude', 'info/attributes'];

/**
 * A `.git` of the copy's own: the agent can ask git about the repository, and nothing it tells git reaches the real
 * one. The objects are read where they are; there is no credential in it.
 */
export function copyGit({ gitFolder, commonFolder }: Repository, target: string): void {
  mkdirSync(join(target, 'objects', 'info'), { recursive: true });
  writeFileSync(join(target, 'objects', 'info', 'alternates'), `${join(commonFolder, 'objects')}\n`);
  mkdirSync(join(target, 'refs'), { recursive: true });
  const halves = readdirSync(gitFolder).filter((name) => name.startsWith('sharedindex.'));
  for (const name of [...OF_WORK_TREE, ...halves]) copyIfThere(join(gitFolder, name), join(target, name));
  for (const name of OF_REPOSITORY) copyIfThere(join(commonFolder, name), join(target, name));
  const refs = join(commonFolder, 'refs');
  if (existsSync(refs)) cpSync(refs, join(target, 'refs'), { recursive: true });
  const config = withoutCredentials(readFileSync(join(commonFolder, 'config'), 'utf8'));
  writeFileSync(join(target, 'config'), config.replace(/^\s*(worktree|bare) = .*\n/gm, ''));
}

/** Objects do nothing until something names them, and large files of LFS are named after their content. */
const UNWATCHED = /(^|\/)(objects|lfs)$/;

/** What is in a repository's folder, file by file. */
export function recordGit(folder: string, identify: (path: string) => string): Map<string, string> {
  const record = new Map<string, string>();
  const pending = [''];
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (!entry.isDirectory()) record.set(path, identify(join(folder, path)));
      else if (!UNWATCHED.test(path)) pending.push(path);
    }
  }
  return record;
}

export function byContent(path: string): string {
  const stat = lstatSync(path);
  return stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : `${stat.mode}`;
}

export function byTimes(path: string): string {
  const { mode, size, ino, mtimeMs, ctimeMs } = lstatSync(path);
  return [mode, size, ino, mtimeMs, ctimeMs].join(' ');
}

/** The paths that are not the same in two records. */
export function compareRecords(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path));
}

/** What a change of such a file means, for a person. */
export function describeGitFile(name: string): string {
  if (name === 'index') return 'files were staged, or taken out of the index';
  if (name === 'HEAD') return 'another commit or branch was checked out';
  if (name === 'packed-refs' || name.startsWith('refs/'))
    return 'a branch, tag or other reference was changed';
  if (name === 'config' || name === 'config.worktree')
    return 'git’s configuration was changed, which can run programs';
  if (name.startsWith('hooks/')) return 'a git hook was written, which git commands would run';
  if (name.startsWith('info/')) return 'git’s rules on what to ignore or convert were changed';
  return 'a file of git’s own was changed';
}
