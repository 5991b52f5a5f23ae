import { ExplainedError } from '../core/errors.js';
import { invalidInput } from '../core/input-shapes.js';
import { isConflict, RULES_REMEDY, short, writeCommit, type Outcome, type Proposal } from './proposal.js';
import type { PullRequest } from './proposal-api.js';

interface PullExtension extends Proposal {
  /** The pull request of the event, or the branch that the workflow names. */
  wanted: { number: number } | { branch: string };
  commitMessage(branch: string): string;
}

/**
 * Adds one commit to the branch of a pull request, if that branch is in this repository and still at the commit that
 * the patch was made for.
 */
export async function extendPull(extension: PullExtension): Promise<Outcome> {
  const { api, patch, repository, commitMessage } = extension;
  const pull = await findPull(extension);
  const { branch, commit: head } = pull.head;
  await checkBranch(extension, pull);
  if (head !== patch.commit) {
    const last = await api.commit(head);
    const isThere = last.tree === patch.tree && last.parents.length === 1 && last.parents[0] === patch.commit;
    if (!isThere) throw moved(pull, patch.commit);
    const notes = ['The branch already has this change.'];
    return { operation: 'none', pull, branch, commit: head, notes };
  }
  const commit = await writeCommit(api, patch, commitMessage(branch));
  try {
    await api.moveBranch({ repository: repository.node, branch, from: head, to: commit, force: false });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const now = await api.branch(branch);
    if (now?.commit !== commit) {
      if (now?.commit !== head) throw moved(pull, patch.commit);
      throw new ExplainedError(`${error.message} ${RULES_REMEDY}`);
    }
  }
  return { operation: 'updated', pull, branch, commit, notes: [] };
}

async function findPull({ api, wanted }: PullExtension): Promise<PullRequest> {
  if ('number' in wanted) return api.pull(wanted.number);
  const [pull, ...others] = await api.openPulls(wanted.branch);
  if (pull && others.length === 0) return pull;
  const message = pull
    ? `${wanted.branch} is the branch of ${others.length + 1} open pull requests; run this on the event of one of them.`
    : `no open pull request of this repository has the branch ${wanted.branch}.`;
  throw invalidInput([{ input: 'branch', message }]);
}

async function checkBranch({ api, repository }: PullExtension, pull: PullRequest): Promise<void> {
  const refuse = (why: string) =>
    new ExplainedError(
      `${why} Nothing was written. To open a separate pull request, set target: new-branch.`,
    );
  const { head, number } = pull;
  if (!pull.isOpen) throw refuse(`Pull request #${number} is closed.`);
  if ((head.repository ?? '').toLowerCase() !== repository.name.toLowerCase())
    throw refuse(`The branch of #${number} is in a fork, and this step writes only to this repository.`);
  if (head.branch === repository.defaultBranch)
    throw refuse(`The branch of #${number} is the default branch, which this step never writes to.`);
  const there = await api.branch(head.branch);
  if (there?.isProtected) throw refuse(`The branch ${head.branch} of #${number} is protected.`);
}

const moved = ({ number, head }: PullRequest, commit: string): ExplainedError =>
  new ExplainedError(
    `The branch ${head.branch} of #${number} is no longer at ${short(commit)}, the commit that is checked out and that ` +
      'the patch was made for. Nothing was written. Run the agent again on the new commit.',
  );
