import { messageOf } from '../core/errors.js';
import type { CheckoutGitRequest } from './checkout-git.js';
import { listDifferences, treeOfIndex, type Side, type TreeChange, type Trees } from './file-store.js';
import type { BytePath } from './paths.js';
import { blobSizes, openPrivateGit, type PrivateGit } from './private-git.js';
import { historyOf, readHead } from './repository.js';

export interface AppliedPatch {
  kind: 'applied';
  commit: string;
  treeBefore: string;
  tree: string;
  changes: TreeChange[];
  /** The names in a folder of these trees, whose path is given from the top. */
  namesIn(side: Side, folder: BytePath): ReadonlySet<BytePath>;
  sizes(ids: readonly string[]): ReadonlyMap<string, number>;
  read(id: string): Buffer;
  close(): void;
}

export type PatchOutcome =
  AppliedPatch | { kind: 'does-not-apply'; problems: string[] } | { kind: 'no-commit' };

/**
 * Applies a patch to the commit that is checked out, in an index of our own. Neither the checkout nor its repository
 * changes, and the files of the work tree are not looked at: line endings, filters and attributes play no part, because
 * the patch and the index both hold files as the repository stores them. Only the files of one commit are needed, so a
 * shallow clone will do. There is no three-way merge: its result would depend on which objects the clone has, and would
 * be a change that no author wrote.
 */
export function applyPatch({
  repository,
  program,
  scratch,
  patch,
}: CheckoutGitRequest & { patch: Buffer }): PatchOutcome {
  const commit = readHead(repository);
  if (commit === undefined) return { kind: 'no-commit' };
  const git = openPrivateGit({ program, scratch, ...historyOf(repository, commit) });
  try {
    git.call({ args: ['read-tree', commit] });
    const treeBefore = treeOfIndex(git);
    const problems = tryToApply(git, patch);
    // If it can be taken back, an earlier run of the workflow has put it there.
    const isThere = problems.length > 0 && tryToApply(git, patch, ['--reverse', '--check']).length === 0;
    if (problems.length > 0 && !isThere) {
      git.close();
      return { kind: 'does-not-apply', problems };
    }
    const tree = treeOfIndex(git);
    const changes = listDifferences(git, { before: treeBefore, after: tree });
    return {
      kind: 'applied',
      commit,
      treeBefore,
      tree,
      changes,
      namesIn: folderReader(git, { before: treeBefore, after: tree }),
      sizes: (ids) => blobSizes(git, ids),
      read: (id) => git.call({ args: ['cat-file', 'blob', id] }),
      close: git.close,
    };
  } catch (error) {
    git.close();
    throw error;
  }
}

/** Each tree is listed once, when it is first needed. */
function folderReader(git: PrivateGit, trees: Trees): AppliedPatch['namesIn'] {
  const listings = new Map<Side, Map<BytePath, Set<BytePath>>>();
  const listingOf = (side: Side) => {
    const folders = listings.get(side) ?? new Map<BytePath, Set<BytePath>>();
    if (!listings.has(side)) {
      const listing = git.call({ args: ['ls-tree', '-r', '-t', '-z', '--name-only', trees[side]] });
      for (const path of listing.toString('latin1').split('\0')) {
        const cut = path.lastIndexOf('/');
        const folder = path.slice(0, Math.max(0, cut));
        folders.set(folder, (folders.get(folder) ?? new Set()).add(path.slice(cut + 1)));
      }
    }
    listings.set(side, folders);
    return folders;
  };
  return (side, folder) => listingOf(side).get(folder) ?? new Set();
}

/** Git applies the whole patch or nothing of it. */
function tryToApply(git: PrivateGit, patch: Buffer, options: readonly string[] = []): string[] {
  try {
    git.call({ args: ['apply', '--cached', '--whitespace=nowarn', ...options, '-'], input: patch });
    return [];
  } catch (error) {
    return explainRefusal(messageOf(error));
  }
}

const MAX_PROBLEMS = 20;

/** The messages of `git apply`, one sentence for each file. */
function explainRefusal(message: string): string[] {
  const lines = message
    .replace(/^git apply failed: /, '')
    .split('\n')
    .map((line) => line.replace(/^(?:error|fatal): /, '').trim())
    .filter((line) => line !== '' && !line.startsWith('warning: '));
  const failed = new Set(lines.flatMap((line) => /^patch failed: (.*):\d+$/s.exec(line)?.[1] ?? []));
  const said = lines.flatMap((line) => {
    const again = /^(.*): patch does not apply$/s.exec(line)?.[1];
    return again !== undefined && failed.has(again) ? [] : [explainLine(line)];
  });
  const shown = said.slice(0, MAX_PROBLEMS);
  return said.length > shown.length ? [...shown, `… and ${said.length - shown.length} more.`] : shown;
}

const EXPLANATIONS: readonly [RegExp, (path: string, detail: string) => string][] = [
  [
    /^patch failed: (.*):(\d+)$/s,
    (path, line) => `${path}: the lines around line ${line} are not the lines that the patch expects there.`,
  ],
  [/^(.*): patch does not apply$/s, (path) => `${path}: its content is not what the patch expects.`],
  [
    /^(.*): does not exist in index$/s,
    (path) => `${path}: the patch changes it, but it is not in the commit.`,
  ],
  [/^(.*): already exists in index$/s, (path) => `${path}: the patch adds it, but it is already there.`],
  [/^(.*): wrong type$/s, (path) => `${path}: it is not the kind of file that the patch expects.`],
  [/^corrupt patch at (?:line |.*:)(\d+)$/s, (line) => `The patch is damaged at its line ${line}.`],
  [/^invalid path '(.*)'$/s, (path) => `${path}: git does not accept this path.`],
];

function explainLine(line: string): string {
  for (const [pattern, explain] of EXPLANATIONS) {
    const [found, first = '', second = ''] = pattern.exec(line) ?? [];
    if (found !== undefined) return explain(first, second);
  }
  return `git says: ${line.replace(/\.$/, '')}.`;
}
