import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../error-message.js';
import { findGit } from '../guard/git-program.js';
import { openPrivateGit } from '../guard/private-git.js';
import { findRepository } from '../guard/repository.js';
import { readNumstat, type ChangedFile } from './changed-file.js';
import type { Change } from './event-change.js';

export interface ChangePlaces {
  workspace: string;
  /** A private folder for a repository of our own, through which the checkout's objects are read. */
  holding: string;
  path: string | undefined;
}

/** Asks git for the files of a change. Nothing of the checkout is run or configures that git. */
export function readChange(change: Change, { workspace, holding, path }: ChangePlaces): ChangedFile[] {
  const repository = findRepository(workspace);
  const program = findGit({ platform: process.platform, path, untrusted: [workspace, holding, tmpdir()] });
  if (!repository) throw new Error('There is no git repository here. Add an actions/checkout step before.');
  if (program === undefined) throw new Error('There is no git on this machine. Install it on the runner.');
  const git = openPrivateGit({
    program,
    parent: holding,
    format: change.head.length === 64 ? 'sha256' : 'sha1',
    objects: join(repository.commonFolder, 'objects'),
  });
  try {
    const base = change.sinceParting
      ? git
          .call({ args: ['merge-base', change.base, change.head] })
          .toString('utf8')
          .trim()
      : change.base;
    const args = [
      'diff',
      '--numstat',
      '-z',
      '--no-renames',
      '--no-ext-diff',
      '--no-textconv',
      base,
      change.head,
    ];
    return readNumstat(git.call({ args: [...args, '--'] }).toString('utf8'));
  } catch (error) {
    throw new Error(
      `The change from ${change.base.slice(0, 10)} to ${change.head.slice(0, 10)} cannot be read from this clone. ` +
        `Set fetch-depth: 0 in the actions/checkout step. (${messageOf(error)})`,
      { cause: error },
    );
  } finally {
    git.close();
  }
}
