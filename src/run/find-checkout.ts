import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { countProgress } from '../core/progress.js';
import { info } from '../core/runner.js';
import { openCheckoutGit } from '../git/checkout-git.js';
import { findGit } from '../git/private-git.js';
import { findRepository } from '../git/repository.js';
import { findConfig } from '../permissions/checkout-config.js';
import { removeStaging, type Checkout } from '../sandbox/index.js';
import type { RunFolder } from './run-folder.js';

interface Folders {
  workspace: string;
  directory: string;
}

/** The CLI reads its project files from the git root down. That root can be above the workspace. */
export function checkoutTop({ workspace, directory }: Folders): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder.length < workspace.length ? folder : workspace;
    if (folder === dirname(folder)) return workspace;
  }
}

/** Searches the checkout for repositories and for files that configure an agent. */
export function findCheckout(
  { workspace, directory }: Folders,
  { root, git: scratch }: RunFolder,
  path: string | undefined,
): { checkout: Checkout; config: ReturnType<typeof findConfig>['config'] } {
  const top = checkoutTop({ workspace, directory });
  const onEntry = countProgress((count) => {
    info(`Searching the checkout for files that configure an agent: ${count} files so far.`);
  });
  const { config, gitEntries } = findConfig(top, { onEntry });
  const repository = findRepository(directory);
  removeStaging(repository?.root ?? top);
  // A git in the checkout or a temporary folder could have been put there by anyone.
  const program = repository && findGit({ path, untrusted: [workspace, root, tmpdir()] });
  const git =
    repository && program !== undefined ? openCheckoutGit({ repository, program, scratch }) : undefined;
  return { checkout: { top, directory, git, gitEntries }, config };
}
