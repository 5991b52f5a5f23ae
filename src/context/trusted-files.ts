import { messageOf } from '../core/errors.js';
import { gitAnswer, type PrivateGit } from '../git/private-git.js';
import { findRepository, readHead } from '../git/repository.js';
import type { GithubEvent } from '../github/event.js';
import { shortCommit } from '../text/format.js';
import {
  DEPTHS,
  FETCHED_BRANCH,
  isOnRef,
  openHistory,
  type History,
  type HistoryRequest,
} from './history.js';

/** Files that steer the agent, and where they come from. */
export type TrustedFiles<T> =
  | { kind: 'checkout' }
  /** `name` completes "those of". */
  | { kind: 'commit'; name: string; files: T }
  | { kind: 'missing'; why: string };

interface TrustedRequest<T> {
  event: GithubEvent;
  history: HistoryRequest;
  /** `auto`: the checkout, if its commit is proven to be on the default branch. `base`: never the checkout. */
  choice: 'auto' | 'base';
  read(git: PrivateGit, commit: string): Promise<T>;
}

/**
 * Reads files that only people with write access can have written: from the checkout if its commit is proven to be on
 * this repository's default branch, else from the base of the pull request, else from the default branch. A name
 * proves nothing, because a fork can have a `main` too. So the default branch is fetched from this repository's own
 * address, and git decides whether the commit is on it. Refs and remotes of the checkout are not read.
 */
export async function readTrusted<T>(request: TrustedRequest<T>): Promise<TrustedFiles<T>> {
  const { event, history: place, choice } = request;
  if (choice === 'auto' && event.local) return { kind: 'checkout' };
  const repository = findRepository(place.directory);
  const head = repository && readHead(repository);
  if (head === undefined) return { kind: 'missing', why: 'no commit is checked out' };
  if (choice === 'auto' && isNewestOfDefaultBranch(head, event, place.env)) return { kind: 'checkout' };
  const base = baseOfPull(event);
  const history = openHistory(place, [base ?? head]);
  if ('missing' in history) return { kind: 'missing', why: history.missing };
  try {
    if (base !== undefined) return await readBase({ ...request, base }, history);
    // More history is cheap only if the clone has it already.
    const depths = history.isShallow() ? DEPTHS.slice(0, 1) : DEPTHS;
    const isOnDefaultBranch = await isOnRef(history, { commit: head, ref: 'HEAD', depths });
    if (isOnDefaultBranch && choice === 'auto') return { kind: 'checkout' };
    const commit = gitAnswer(history.git, ['rev-parse', FETCHED_BRANCH]);
    const files = await request.read(history.git, commit);
    return { kind: 'commit', name: `the default branch (${shortCommit(commit)})`, files };
  } catch (error) {
    return { kind: 'missing', why: `the default branch could not be fetched: ${messageOf(error)}` };
  } finally {
    history.close();
  }
}

/** The runner says for which commit of which branch of this repository the workflow runs, and no step can change that. */
const isNewestOfDefaultBranch = (head: string, { payload }: GithubEvent, env: NodeJS.ProcessEnv): boolean => {
  const name = payload?.repository?.default_branch;
  return Boolean(name) && env['GITHUB_REF'] === `refs/heads/${name ?? ''}` && env['GITHUB_SHA'] === head;
};

/** The commit of the base branch that GitHub names for the pull request of the event. */
function baseOfPull({ payload, pull, change }: GithubEvent): string | undefined {
  const named = payload?.pull_request?.base?.sha ?? pull?.details?.base.commit;
  if (named !== undefined || change?.pullRequest === undefined) return named;
  return change.commits.kind === 'known' ? change.commits.base : undefined;
}

async function readBase<T>(
  { base, read }: TrustedRequest<T> & { base: string },
  history: History,
): Promise<TrustedFiles<T>> {
  const name = `the base commit (${shortCommit(base)})`;
  try {
    if (!history.has(base)) await history.fetch([base], 1);
    return { kind: 'commit', name, files: await read(history.git, base) };
  } catch (error) {
    const why =
      'is not in this clone and could not be fetched; set fetch-depth: 0 in the checkout step to have it';
    return { kind: 'missing', why: `${name} ${why}: ${messageOf(error)}` };
  }
}
