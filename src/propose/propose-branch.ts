import { ExplainedError } from '../core/errors.js';
import { wrongInput } from '../core/input-shapes.js';
import type { AppliedPatch } from '../git/apply-patch.js';
import { wroteIt, type Account } from '../github/accounts.js';
import { GithubError } from '../github/github-error.js';
import type { ContinuedProposal } from '../report/model.js';
import { codeText } from '../text/markdown.js';
import { shortCommit } from '../text/format.js';
import { isOurs, type PullRequest } from '../github/proposals.js';
import type { ProposalApi } from './proposal-api.js';
import { updateText, type ProposalText } from './proposal-text.js';
import type { People } from './propose-inputs.js';
import { writeCommit } from './write-commit.js';

/** What is proposed, and where: what both targets need. */
export interface Proposal {
  api: ProposalApi;
  viewer: Account;
  /** `id` is its node id, `name` is `owner/name`. */
  repository: { id: string; defaultBranch: string; name: string; url: string };
  patch: AppliedPatch;
}

/** The result of the step. */
export interface ProposalOutcome {
  operation: 'created' | 'updated' | 'closed' | 'none';
  pull: Pick<PullRequest, 'number' | 'url'> | undefined;
  branch: string;
  commit: string;
  /** What a reader should know; each is a sentence. */
  notes: string[];
}

/** GitHub refused this request, not the token: the branch was not where we saw it, or a rule forbids it. */
const isConflict = (error: unknown): error is GithubError =>
  error instanceof GithubError && [409, 422].includes(error.failure.status ?? 0);

const RULES_REMEDY =
  'If a rule or a protection of the repository forbids this branch, name another one in the input branch, or let the ' +
  'account of github-token bypass the rule.';

interface BranchProposal extends Proposal {
  branch: string;
  base: string;
  text: ProposalText;
  people: People;
  draft: boolean;
  /** The pull request that runs keep up to date, as the run found it. */
  standing: ContinuedProposal | undefined;
}

/** Puts the change on a branch of its own, as one commit, and opens a pull request or updates the one that is open. */
export async function proposeBranch(proposal: BranchProposal): Promise<ProposalOutcome> {
  const { branch, base, repository } = proposal;
  if (branch === base || branch === repository.defaultBranch) {
    const message = `${branch} is ${branch === base ? 'the base' : 'the default branch'}; the change needs a branch of its own.`;
    throw wrongInput('branch', message);
  }
  const baseCommit = await checkBase(proposal);
  const placed = await placeCommit(proposal, baseCommit);
  if (placed.kind === 'outdated') {
    const note = `The branch ${branch} already has a proposal for a newer commit (${shortCommit(placed.newer)}), so this one is dropped.`;
    const [pull] = await proposal.api.openPulls(branch, base);
    return { operation: 'none', pull, branch, commit: placed.commit, notes: [note] };
  }
  const { operation, pull, notes } = await openPull(proposal);
  if (operation === 'created') await tellOthers(proposal, pull);
  const isUpdated = operation === 'none' && placed.kind === 'moved';
  return { operation: isUpdated ? 'updated' : operation, pull, branch, commit: placed.commit, notes };
}

/** The change must be made on a commit of the base, or the pull request would contain the commits of others. */
async function checkBase({ api, base, patch }: BranchProposal): Promise<string> {
  const there = await api.branch(base);
  if (!there) throw wrongInput('base', `there is no branch ${base} in this repository.`);
  const comparison =
    there.commit === patch.commit ? { ahead: 0 } : await api.compare(there.commit, patch.commit);
  if (comparison?.ahead === 0) return there.commit;
  throw new ExplainedError(
    `The commit that is checked out (${shortCommit(patch.commit)}) is not part of the branch ${base}, so a pull request would ` +
      'contain more than the patch. Check out a commit of that branch before this step (on pull_request events, set ' +
      'ref: ${{ github.event.pull_request.head.sha }} in the checkout step), or set the input base.',
  );
}

type BranchPlacement =
  | { kind: 'moved' | 'same'; commit: string }
  /** Another run has proposed something for a newer commit of the base. */
  | { kind: 'outdated'; commit: string; newer: string };

/** How often the branch may change between a look and a write. */
const MAX_TRIES = 3;

/**
 * Makes the branch point at our commit. Each write names the commit where the branch was seen; if another run was
 * faster, it is looked at again.
 */
async function placeCommit(proposal: BranchProposal, baseCommit: string): Promise<BranchPlacement> {
  const { api, branch, patch, text } = proposal;
  let commit: string | undefined;
  for (let tries = 1; ; tries += 1) {
    const there = await api.branch(branch);
    const state = there ? await judgeBranch(proposal, there, baseCommit) : ({ kind: 'free' } as const);
    if (state.kind !== 'free') return state;
    commit ??= await writeCommit(api, patch, text.commitMessage);
    const isMoved = await pointBranch(proposal, { branch, from: there?.commit, to: commit, force: true });
    if (isMoved) return { kind: 'moved', commit };
    if (tries === MAX_TRIES)
      throw new ExplainedError(
        `The branch ${branch} was changed by others ${MAX_TRIES} times while this step tried to update it. Let only ` +
          'one run at a time propose on a branch (concurrency), and run it again.',
      );
  }
}

interface BranchMove {
  branch: string;
  /** Where the branch was seen; undefined if it did not exist. */
  from: string | undefined;
  to: string;
  /** Whether the branch may lose `from`. */
  force: boolean;
}

/** Makes a branch point at a commit. False if the branch is no longer where it was seen. */
async function pointBranch(
  { api, repository }: Proposal,
  { branch, from, to, force }: BranchMove,
): Promise<boolean> {
  try {
    if (from === undefined) await api.createBranch(branch, to);
    else await api.moveBranch({ repository: repository.id, branch, from, to, force });
    return true;
  } catch (error) {
    if (!isConflict(error)) throw error;
    const now = await api.branch(branch);
    if (now?.commit === to) return true;
    if (now?.commit === from) throw new ExplainedError(`${error.message} ${RULES_REMEDY}`);
    return false;
  }
}

/** Whether an existing branch may be replaced. It may if nothing of it is lost, or only our own commit. */
async function judgeBranch(
  { api, branch, base, patch, viewer, standing }: BranchProposal,
  there: { commit: string; isProtected: boolean },
  baseCommit: string,
): Promise<BranchPlacement | { kind: 'free' }> {
  if (there.isProtected)
    throw new ExplainedError(
      `The branch ${branch} is protected, so nothing was written. Name another one in the input branch.`,
    );
  const comparison = await api.compare(baseCommit, there.commit);
  if (comparison?.ahead === 0) return { kind: 'free' };
  const only = comparison?.only;
  const [parent = ''] = only?.parents ?? [];
  const isSame = parent === patch.commit && only?.tree === patch.tree;
  if (standing && !isSame && !(await isAsSeen(standing, there.commit, api)))
    throw new ExplainedError(
      `The branch ${branch} was changed while the agent worked, and the change does not contain that. Nothing was ` +
        'written, so nothing is lost. Run the whole workflow again, with its agent job.',
    );
  if (!only || !isOurs(only, branch, viewer))
    throw new ExplainedError(
      `The branch ${branch} has commits that this step did not make, and they are not overwritten. Merge or close what ` +
        `is there and delete the branch, or name another one in the input branch. (Compared with ${base}.)`,
    );
  if (parent === patch.commit) return isSame ? { kind: 'same', commit: only.id } : { kind: 'free' };
  const newer = await api.compare(patch.commit, parent);
  const isNewer = newer !== undefined && newer.ahead > 0 && newer.behind === 0;
  return isNewer ? { kind: 'outdated', commit: only.id, newer: parent } : { kind: 'free' };
}

/** Whether the branch is as the run found it, which may have overlooked one without an open pull request. */
const isAsSeen = async (
  { branch, commit }: ContinuedProposal,
  now: string,
  api: ProposalApi,
): Promise<boolean> => (commit === undefined ? (await api.openPulls(branch)).length === 0 : commit === now);

/** Says on a pull request with commits of others where the work goes on. A missing comment is no failure. */
async function tellOthers(
  { api, standing, base }: BranchProposal,
  opened: PullLink | undefined,
): Promise<void> {
  if (standing?.besides === undefined || !opened) return;
  const others = await api.pull(standing.besides);
  if (!others.isOpen) return;
  await api.comment(
    others.number,
    `This pull request has commits of others, so it is left as it is. What has come to ${codeText(base)} since is ` +
      `in #${opened.number}.`,
  );
}

interface PullClosing extends Pick<Proposal, 'api' | 'viewer'> {
  standing: ContinuedProposal;
}

/** Closes a pull request of which the base has everything, unless a user has committed to it meanwhile. */
export async function closePull({ api, viewer, standing }: PullClosing): Promise<ProposalOutcome> {
  const { branch, commit = '', pullRequest: number } = standing;
  const none = (note: string, pull?: PullRequest): ProposalOutcome => ({
    operation: 'none',
    pull,
    branch,
    commit,
    notes: [note],
  });
  if (number === undefined) return none('There is no pull request to close.');
  const [pull, there] = await Promise.all([api.pull(number), api.branch(branch)]);
  if (!pull.isOpen) return none(`Pull request #${number} is closed already.`, pull);
  const isUnchanged = there?.commit === commit && pull.head.commit === commit && pull.head.branch === branch;
  if (!isUnchanged || !wroteIt(pull.author, viewer))
    return none(`Pull request #${number} was changed while the agent worked, so it stays open.`, pull);
  const note = 'The base branch already has everything that this pull request proposes, so it is closed.';
  await api.comment(number, note);
  await api.updatePull(number, { state: 'closed' });
  return { operation: 'closed', pull, branch, commit, notes: [note] };
}

type PullLink = Pick<PullRequest, 'number' | 'url'>;
type OpenedPull = Pick<ProposalOutcome, 'operation' | 'pull' | 'notes'>;

/** Opens the pull request of our branch, or updates the one that is open. */
async function openPull(proposal: BranchProposal): Promise<OpenedPull> {
  const { api, branch, base, people, draft } = proposal;
  const { title, body } = proposal.text;
  const [open] = await api.openPulls(branch, base);
  if (open) return updatePull(proposal, open);
  let pull;
  try {
    pull = await api.createPull({ title, body, branch, base, draft });
  } catch (error) {
    // Another run may have opened it since.
    const [other] = isConflict(error) ? await api.openPulls(branch, base) : [];
    if (other) return updatePull(proposal, other);
    throw error instanceof GithubError ? explainNoPull(error, proposal) : error;
  }
  return { operation: 'created', pull, notes: await addPeople(api, pull.number, people) };
}

async function updatePull({ api, viewer, text }: BranchProposal, pull: PullRequest): Promise<OpenedPull> {
  const change = wroteIt(pull.author, viewer) ? updateText(pull, text) : 'not-ours';
  if (change === 'not-ours') {
    const note = `Title and description of #${pull.number} were not written by this step, so they stay as they are.`;
    return { operation: 'none', pull, notes: [note] };
  }
  if (Object.keys(change).length === 0) return { operation: 'none', pull, notes: [] };
  await api.updatePull(pull.number, change);
  return { operation: 'updated', pull, notes: [] };
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
  const add = async (what: string, names: readonly string[], send: (some: string[]) => Promise<unknown>) =>
    (await sendNames([...names], send)).map((name) => refusal(what, name));
  const aboutLabels = await add('label', labels, (some) => api.addLabels(number, some));
  const aboutReviewers = await add('reviewer', reviewers, (some) =>
    api.requestReviewers(number, { reviewers: some }),
  );
  const aboutTeams = await add('team', teamReviewers.map(teamName), (some) =>
    api.requestReviewers(number, { team_reviewers: some }),
  );
  const aboutAssignees = await assign(api, number, assignees);
  return [
    ...aboutLabels,
    ...aboutReviewers,
    ...aboutTeams,
    ...(aboutTeams.length > 0 ? [TEAM_REMEDY] : []),
    ...aboutAssignees,
  ];
}

const refusal = (what: string, name: string): string => `GitHub did not accept the ${what} ${name}.`;
const TEAM_REMEDY =
  'To ask a team for a review, use the token of a GitHub App that may read the members of the organization.';

/** GitHub wants the name of a team without its organization. */
const teamName = (team: string): string => team.replace(/^.*\//, '');

/**
 * Returns the names that GitHub refuses. One name that is wrong makes it refuse them all, so they are then sent one by
 * one.
 */
async function sendNames(names: string[], send: (some: string[]) => Promise<unknown>): Promise<string[]> {
  if (names.length === 0) return [];
  try {
    await send(names);
    return [];
  } catch (error) {
    if (!(error instanceof GithubError)) throw error;
    if (names.length === 1) return names;
    const refused: string[] = [];
    for (const name of names) refused.push(...(await sendNames([name], send)));
    return refused;
  }
}

/** GitHub leaves out in silence whom it does not accept, so its answer is compared with what was asked. */
async function assign(api: ProposalApi, number: number, assignees: readonly string[]): Promise<string[]> {
  if (assignees.length === 0) return [];
  let assigned: string[] = [];
  try {
    assigned = (await api.addAssignees(number, assignees)).map((login) => login.toLowerCase());
  } catch (error) {
    if (!(error instanceof GithubError)) throw error;
  }
  return assignees
    .filter((login) => !assigned.includes(login.toLowerCase()))
    .map((login) => refusal('assignee', login));
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
export async function extendPull(extension: PullExtension): Promise<ProposalOutcome> {
  const { api, patch, commitMessage } = extension;
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
  const isMoved = await pointBranch(extension, { branch, from: head, to: commit, force: false });
  if (!isMoved) throw moved(pull, patch.commit);
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
    `The branch ${head.branch} of #${number} is no longer at ${shortCommit(commit)}, the commit that is checked out and that ` +
      'the patch was made for. Nothing was written. Run the agent again on the new commit.',
  );
