import { ExplainedError } from '../core/errors.js';
import { wrongInput } from '../core/input-shapes.js';
import { wroteIt, type Account } from '../github/accounts.js';
import { GithubError } from '../github/github-error.js';
import type { ProposalApi, PullRequest, RemoteCommit } from './proposal-api.js';
import { hasTrailer, updateText, type ProposalText } from './proposal-text.js';
import { isConflict, RULES_REMEDY, short, writeCommit, type Outcome, type Proposal } from './proposal.js';
import type { People } from './propose-inputs.js';

interface BranchProposal extends Proposal {
  branch: string;
  base: string;
  text: ProposalText;
  people: People;
  draft: boolean;
}

/** Puts the change on a branch of its own, as one commit, and opens a pull request or updates the one that is open. */
export async function proposeBranch(proposal: BranchProposal): Promise<Outcome> {
  const { branch, base, repository } = proposal;
  if (branch === base || branch === repository.defaultBranch) {
    const message = `${branch} is ${branch === base ? 'the base' : 'the default branch'}; the change needs a branch of its own.`;
    throw wrongInput('branch', message);
  }
  const baseCommit = await checkBase(proposal);
  const placed = await placeCommit(proposal, baseCommit);
  if (placed.kind === 'outdated') {
    const note = `The branch ${branch} already has a proposal for a newer commit (${short(placed.newer)}), so this one is dropped.`;
    const [pull] = await proposal.api.openPulls(branch, base);
    return { operation: 'none', pull, branch, commit: placed.commit, notes: [note] };
  }
  const { pull, isNew, isEdited, notes } = await offer(proposal);
  const operation = isNew ? 'created' : placed.kind === 'moved' || isEdited ? 'updated' : 'none';
  return { operation, pull, branch, commit: placed.commit, notes };
}

/** The change must be made on a commit of the base, or the pull request would contain the commits of others. */
async function checkBase({ api, base, patch }: BranchProposal): Promise<string> {
  const there = await api.branch(base);
  if (!there) throw wrongInput('base', `there is no branch ${base} in this repository.`);
  const comparison =
    there.commit === patch.commit ? { ahead: 0 } : await api.compare(there.commit, patch.commit);
  if (comparison?.ahead === 0) return there.commit;
  throw new ExplainedError(
    `The commit that is checked out (${short(patch.commit)}) is not part of the branch ${base}, so a pull request would ` +
      'contain more than the patch. Check out a commit of that branch before this step (on pull_request events, set ' +
      'ref: ${{ github.event.pull_request.head.sha }} in the checkout step), or set the input base.',
  );
}

type Placed =
  | { kind: 'moved' | 'same'; commit: string }
  /** Another run has proposed something for a newer commit of the base. */
  | { kind: 'outdated'; commit: string; newer: string };

/** How often the branch may change between a look and a write. */
const MOST_TRIES = 3;

/**
 * Makes the branch point at our commit. Each write names the commit where the branch was seen; if another run was
 * faster, it is looked at again.
 */
async function placeCommit(proposal: BranchProposal, baseCommit: string): Promise<Placed> {
  const { api, branch, patch, text, repository } = proposal;
  let commit: string | undefined;
  for (let tries = 1; ; tries += 1) {
    const there = await api.branch(branch);
    const state = there ? await judgeBranch(proposal, there, baseCommit) : ({ kind: 'free' } as const);
    if (state.kind !== 'free') return state;
    commit ??= await writeCommit(api, patch, text.commitMessage);
    try {
      const move = { repository: repository.node, branch, to: commit, force: true };
      if (there) await api.moveBranch({ ...move, from: there.commit });
      else await api.createBranch(branch, commit);
      return { kind: 'moved', commit };
    } catch (error) {
      if (!isConflict(error)) throw error;
      const now = await api.branch(branch);
      if (now?.commit === commit) return { kind: 'moved', commit };
      if (now?.commit === there?.commit) throw new ExplainedError(`${error.message} ${RULES_REMEDY}`);
      if (tries === MOST_TRIES)
        throw new ExplainedError(
          `The branch ${branch} was changed by others ${MOST_TRIES} times while this step tried to update it. Let only ` +
            'one run at a time propose on a branch (concurrency), and run it again.',
        );
    }
  }
}

/** Whether an existing branch may be replaced. It may if nothing of it is lost, or nothing but a commit of ours. */
async function judgeBranch(
  { api, branch, base, patch, viewer }: BranchProposal,
  there: { commit: string; isProtected: boolean },
  baseCommit: string,
): Promise<Placed | { kind: 'free' }> {
  if (there.isProtected)
    throw new ExplainedError(
      `The branch ${branch} is protected, so nothing was written. Name another one in the input branch.`,
    );
  const comparison = await api.compare(baseCommit, there.commit);
  if (comparison?.ahead === 0) return { kind: 'free' };
  const only = comparison?.only;
  if (!only || !isOurs(only, branch, viewer))
    throw new ExplainedError(
      `The branch ${branch} has commits that this step did not make, and they are not overwritten. Merge or close what ` +
        `is there and delete the branch, or name another one in the input branch. (Compared with ${base}.)`,
    );
  const [parent = ''] = only.parents;
  if (parent === patch.commit)
    return only.tree === patch.tree ? { kind: 'same', commit: only.id } : { kind: 'free' };
  const newer = await api.compare(patch.commit, parent);
  const isNewer = newer !== undefined && newer.ahead > 0 && newer.behind === 0;
  return isNewer ? { kind: 'outdated', commit: only.id, newer: parent } : { kind: 'free' };
}

/** The account with which GitHub signs what is made through its pages and its API. */
const SIGNER = 'web-flow';

/**
 * Whether we made this commit. A person who amends it keeps its author and its message, but becomes its committer.
 */
export function isOurs(commit: RemoteCommit, branch: string, viewer: Account): boolean {
  const { author, committer, message, isVerified, parents } = commit;
  const isByUs = committer
    ? wroteIt(committer, viewer) || (committer.login === SIGNER && isVerified)
    : isVerified;
  return parents.length === 1 && hasTrailer(message, branch) && wroteIt(author, viewer) && isByUs;
}

interface Offer {
  pull: PullRequest;
  isNew: boolean;
  isEdited: boolean;
  notes: string[];
}

async function offer(proposal: BranchProposal): Promise<Offer> {
  const { api, branch, base, people, draft } = proposal;
  const { title, body } = proposal.text;
  const [open] = await api.openPulls(branch, base);
  if (open) return edit(proposal, open);
  let pull;
  try {
    pull = await api.createPull({ title, body, branch, base, draft });
  } catch (error) {
    // Another run may have opened it since.
    const [other] = isConflict(error) ? await api.openPulls(branch, base) : [];
    if (other) return edit(proposal, other);
    throw error instanceof GithubError ? explainNoPull(error, proposal) : error;
  }
  return { pull, isNew: true, isEdited: false, notes: await addPeople(api, pull.number, people) };
}

async function edit({ api, viewer, text }: BranchProposal, pull: PullRequest): Promise<Offer> {
  const result = (isEdited: boolean, ...notes: string[]): Offer => ({ pull, isNew: false, isEdited, notes });
  const change = wroteIt(pull.author, viewer) ? updateText(pull, text) : 'not-ours';
  if (change === 'not-ours')
    return result(
      false,
      `Title and description of #${pull.number} were not written by this step, so they stay as they are.`,
    );
  if (Object.keys(change).length === 0) return result(false);
  await api.updatePull(pull.number, change);
  return result(true);
}

/** The branch is there by now, so a person can open the pull request. */
function explainNoPull(error: GithubError, { repository, base, branch }: BranchProposal): ExplainedError {
  const page = `${repository.url}/compare/${addressOf(base)}...${addressOf(branch)}?expand=1`;
  const { status, words } = error.failure;
  const remedy =
    status === 403 && /not permitted to create or approve pull requests/i.test(words)
      ? 'GitHub Actions may not open pull requests in this repository. Switch on "Allow GitHub Actions to create and ' +
        'approve pull requests" in Settings > Actions > General > Workflow permissions (an organization can forbid it in ' +
        'its own settings), or use the token of a GitHub App as github-token.'
      : /draft pull requests are not supported/i.test(words)
        ? 'This repository does not have draft pull requests. Set draft: false.'
        : error.message;
  return new ExplainedError(
    `${remedy} The change is on the branch ${branch}; you can open the pull request yourself: ${page}`,
  );
}

const addressOf = (branch: string): string => branch.split('/').map(encodeURIComponent).join('/');

/**
 * Adds labels, reviewers and assignees to a new pull request. Whatever GitHub refuses becomes a note: the pull request
 * is there, and is worth more than its labels.
 */
async function addPeople(api: ProposalApi, number: number, people: People): Promise<string[]> {
  const { labels, reviewers, teamReviewers, assignees } = people;
  const notes: string[] = [];
  const each = async (what: string, names: readonly string[], add: (some: string[]) => Promise<unknown>) => {
    for (const name of await refused([...names], add))
      notes.push(`GitHub did not accept the ${what} ${name}.`);
  };
  await each('label', labels, (some) => api.addLabels(number, some));
  await each('reviewer', reviewers, (some) => api.requestReviewers(number, { reviewers: some }));
  const before = notes.length;
  await each('team', teamReviewers.map(teamName), (some) =>
    api.requestReviewers(number, { team_reviewers: some }),
  );
  if (notes.length > before)
    notes.push(
      'To ask a team for a review, use the token of a GitHub App that may read the members of the organization.',
    );
  if (assignees.length > 0) {
    const assigned = await assignTo(api, number, assignees);
    for (const name of assignees.filter((login) => !assigned.has(login.toLowerCase())))
      notes.push(`GitHub did not accept the assignee ${name}.`);
  }
  return notes;
}

/** GitHub wants the name of a team without its organization. */
const teamName = (team: string): string => team.replace(/^.*\//, '');

/** One name that is wrong makes GitHub refuse them all, so they are then tried one by one. */
async function refused(names: string[], add: (some: string[]) => Promise<unknown>): Promise<string[]> {
  if (names.length === 0) return [];
  try {
    await add(names);
    return [];
  } catch (error) {
    if (!(error instanceof GithubError)) throw error;
    if (names.length === 1) return names;
    const left: string[] = [];
    for (const name of names) left.push(...(await refused([name], add)));
    return left;
  }
}

async function assignTo(
  api: ProposalApi,
  number: number,
  assignees: readonly string[],
): Promise<Set<string>> {
  try {
    return new Set((await api.addAssignees(number, assignees)).map((login) => login.toLowerCase()));
  } catch (error) {
    if (!(error instanceof GithubError)) throw error;
    return new Set();
  }
}

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
  throw wrongInput('branch', message);
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
