import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../core/errors.js';
import { toText } from './paths.js';
import { copyIndex, LIST_INDEX, readSettings, type CheckoutGitRequest } from './checkout-git.js';
import { isSubmodule, parseIndexEntries } from './file-store.js';
import { answerOf, openPrivateGit, type PrivateGit } from './private-git.js';
import { copyIfPresent, readHead } from './repository.js';

/** The tree that contains all of a checkout, or why there is none. */
type CleanTree = { tree: string } | { problem: string };

/**
 * Finds the tree of the commit that is checked out, if the work tree is exactly that: no tracked file is changed, and
 * git ignores everything else. Ignored files, such as installed packages, are not looked at.
 */
export function findCleanTree(request: CheckoutGitRequest): CleanTree {
  const { repository, program, parent } = request;
  const { root, gitFolder, commonFolder } = repository;
  const commit = readHead(repository);
  if (commit === undefined) return { problem: 'no commit is checked out' };
  const git = openPrivateGit({
    ...{ program, parent, ...readSettings(request), workTree: root, attributes: 'tree' },
    objects: join(commonFolder, 'objects'),
    shallow: join(commonFolder, 'shallow'),
  });
  try {
    copyIndex(join(gitFolder, 'index'), git.folder);
    copyIfPresent(join(commonFolder, 'info', 'exclude'), join(git.folder, 'info', 'exclude'));
    copyIfPresent(join(commonFolder, 'info', 'attributes'), join(git.folder, 'info', 'attributes'));
    const unknown = findUnknown(git, root);
    if (unknown !== undefined) return { problem: unknown };
    const tree = answerOf(git, ['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`]);
    if (answerOf(git, ['write-tree', '--missing-ok']) !== tree)
      return { problem: 'something is staged that is not in the commit' };
    const [first, ...others] = git
      .call({ args: ['ls-files', '--modified', '--deleted', '--others', '--exclude-standard', '-z'] })
      .toString('latin1')
      .split('\0')
      .filter(Boolean);
    if (first === undefined) return { tree };
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return { problem: `the checkout has files that are not as in the commit: ${toText(first)}${more}` };
  } catch (error) {
    return { problem: `git could not compare the checkout with its commit (${messageOf(error)})` };
  } finally {
    git.close();
  }
}

/** What a tree does not say: the files of submodules, and files that git was told to overlook. */
function findUnknown(git: PrivateGit, root: string): string | undefined {
  for (const [path, entry] of parseIndexEntries(git.call({ args: LIST_INDEX }))) {
    if (entry.conflict) return `${toText(path)} has a conflict`;
    if (entry.unwatched) return 'git was told to overlook changes of some files, as a sparse checkout does';
    if (isSubmodule(entry) && existsSync(join(root, toText(path), '.git')))
      return `the submodule ${toText(path)} is checked out`;
  }
  return undefined;
}
