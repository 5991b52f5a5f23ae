import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { sharedIndexesIn } from '../git/checkout-git.js';
import { copyIfPresent, withoutCredentials, type Repository } from '../git/repository.js';

/** What git needs from a repository besides its objects. Hooks and logs are not copied. */
const OF_WORK_TREE = ['HEAD', 'index', 'info/sparse-checkout'];
const OF_REPOSITORY = ['packed-refs', 'shallow', 'info/exclude', 'info/attributes'];

/**
 * Makes a `.git` for the copy, without credentials. The agent can ask git about the repository, and no command
 * changes the real one. The objects are not copied but read from the real one.
 */
export function copyGit({ gitFolder, commonFolder }: Repository, target: string): void {
  mkdirSync(join(target, 'objects', 'info'), { recursive: true });
  writeFileSync(join(target, 'objects', 'info', 'alternates'), `${join(commonFolder, 'objects')}\n`);
  mkdirSync(join(target, 'refs'), { recursive: true });
  for (const name of [...OF_WORK_TREE, ...sharedIndexesIn(gitFolder)])
    copyIfPresent(join(gitFolder, name), join(target, name));
  for (const name of OF_REPOSITORY) copyIfPresent(join(commonFolder, name), join(target, name));
  const refs = join(commonFolder, 'refs');
  if (existsSync(refs)) cpSync(refs, join(target, 'refs'), { recursive: true });
  const config = withoutCredentials(readFileSync(join(commonFolder, 'config'), 'utf8'));
  writeFileSync(join(target, 'config'), config.replace(/^\s*(worktree|bare) = .*\n/gm, ''));
}

/** Objects have no effect until something names them, and LFS files are named by their content. */
const UNWATCHED = /(^|\/)(objects|lfs)$/;

/** Records the files of a repository folder, each with what identifies its content. */
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

export const byTimes = (path: string): string => stampOf(lstatSync(path));

/** Changes with every write, change of mode and replacement, because each changes at least the ctime or the inode. */
export const stampOf = ({ mode, size, ino, mtimeMs, ctimeMs }: Stats): string =>
  [mode, size, ino, mtimeMs, ctimeMs].join(' ');

/** The paths that differ between two records. */
export function compareRecords(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path));
}

/** Says what a change of this file of git means. */
export function describeGitFile(name: string): string {
  if (name === 'index') return 'files were staged or unstaged';
  if (name === 'HEAD') return 'another commit or branch was checked out';
  if (name === 'packed-refs' || name.startsWith('refs/'))
    return 'a branch, tag or other reference was changed';
  if (name === 'config' || name === 'config.worktree')
    return 'git’s configuration was changed, which can run programs';
  if (name.startsWith('hooks/')) return 'a git hook was written, which git commands would run';
  if (name.startsWith('info/')) return 'git’s rules on what to ignore or convert were changed';
  return 'a file of git’s own was changed';
}
