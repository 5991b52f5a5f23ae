import { openChange, type Change } from '../context/change.js';
import type { HistoryRequest } from '../context/history.js';
import { quoteData } from '../context/prompt.js';
import {
  findStanding,
  rebuildProposal,
  type OpenProposal,
  type RebuiltProposal,
} from '../context/standing-proposal.js';
import { messageOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import { toText, type BytePath } from '../git/paths.js';
import { findRepository, readHead } from '../git/repository.js';
import { EMPTY_TOKEN, parseRepository, type GithubClient } from '../github/client.js';
import type { GithubEvent, NamedChange } from '../github/event.js';
import { mayPass } from '../github/github-error.js';
import { readBranches } from '../github/proposals.js';
import { pathJudge } from '../permissions/path-policy.js';
import { effectivePolicy } from '../permissions/policy.js';
import { isNeverWritable } from '../permissions/steering-files.js';
import type { ContinuedProposal, Skipped } from '../report/model.js';
import { shortCommit, somePaths } from '../text/format.js';
import { truncate } from '../text/plain-text.js';
import { githubOf } from './gather-context.js';
import { realFolder, type CheckedInputs } from './resolve-inputs.js';
import { newBoundary } from './write-prompt.js';

/** What a run starts from if it keeps a pull request up to date. */
export interface Continuation {
  proposal?: ContinuedProposal;
  /** The event, whose change begins at the first base: the commit since which the pull request has everything. */
  event: GithubEvent;
  /** What came since the pull request was last rebuilt. Undefined if that is the change of the event. */
  latest?: Change;
  /** The files that the agent finds as the pull request has them, by their path from the top of the repository. */
  carried: ReadonlyMap<BytePath, Buffer>;
  /** What the agent should know. */
  hint?: string;
  skipped?: Skipped;
  notes: string[];
}

export interface ContinueRequest extends Pick<CheckedInputs, 'inputs' | 'resolved'> {
  event: GithubEvent;
  history: HistoryRequest;
}

/**
 * Finds the pull request that the workflow keeps up to date, and what the run has to start from so that nothing of it is
 * lost. A failure of the search ends the run, because the result of the agent could not be proposed.
 */
export async function continueProposal(request: ContinueRequest): Promise<Continuation> {
  const { inputs, event, history } = request;
  const name = inputs.proposalBranch;
  if (name === undefined) return { event, carried: new Map(), notes: [] };
  const github = githubOf(history);
  const repository = parseRepository(history.env['GITHUB_REPOSITORY'] ?? '');
  const checkout = findRepository(history.directory);
  const head = checkout && readHead(checkout);
  if (!github || !repository || !checkout || head === undefined)
    throw unknown(github ? 'No commit is checked out.' : EMPTY_TOKEN, false);
  try {
    const { branch, open, besides } = await findStanding({ github, repository, name, head });
    const target = { branch, ...(besides ? { besides: besides.number } : {}) };
    return open
      ? await continueOpen(request, { github, head, root: checkout.root, target, open })
      : await beginNew(request, { github, target, since: besides?.covered });
  } catch (error) {
    if (error instanceof RunFailure) throw error;
    throw unknown(messageOf(error), mayPass(error));
  }
}

/** Where the result goes, and the pull request beside it that has commits of others. */
type ProposalTarget = Pick<ContinuedProposal, 'branch' | 'besides'>;

interface NewProposal {
  github: GithubClient;
  target: ProposalTarget;
  /** The commit up to which another pull request describes the changes. */
  since: string | undefined;
}

/** There is no open pull request, so the run starts from the checkout alone. */
async function beginNew(
  { event }: ContinueRequest,
  { github, target, since }: NewProposal,
): Promise<Continuation> {
  const widened = await widen(github, event, since);
  const firstBase = baseOf(widened.event);
  const proposal = {
    ...target,
    ...(firstBase === undefined ? {} : { firstBase }),
    isTaken: false,
    carried: [],
    leftOut: [],
  };
  return { event: widened.event, proposal, carried: new Map(), notes: widened.notes };
}

interface OpenContinuation {
  github: GithubClient;
  /** The commit that is checked out, and the top of its repository. */
  head: string;
  root: string;
  target: ProposalTarget;
  open: OpenProposal;
}

/** Takes over what the open pull request has, as far as it fits to the checked out commit and the policy allows it. */
async function continueOpen(
  request: ContinueRequest,
  { github, head, root, target, open }: OpenContinuation,
): Promise<Continuation> {
  const { event, history } = request;
  const newer = await readBranches(github).compare(head, open.base);
  if (newer && newer.ahead > 0 && newer.behind === 0)
    return { event, carried: new Map(), notes: [], skipped: outdated(open.number, open.base) };
  const { leftOut, lost, removed, files } = await rebuildProposal(history, open, head);
  const { carried, refused } = onlyAllowed(files, request, root);
  const widened = await widen(github, event, open.firstBase);
  const proposal = {
    ...target,
    commit: open.commit,
    firstBase: open.firstBase,
    pullRequest: open.number,
    isTaken: files.size + leftOut.length + removed.length === 0,
    carried: [...carried.keys()].map(toText).sort(),
    leftOut: [...leftOut, ...removed, ...refused].sort(),
  };
  const latest = latestChange(event, { base: open.base, head, history, github });
  return {
    event: widened.event,
    proposal,
    carried,
    notes: [...widened.notes, ...lostNote(proposal)],
    ...(latest ? { latest } : {}),
    hint: hintOf(proposal, { lost, removed }),
  };
}

const lostNote = ({ leftOut, pullRequest }: ContinuedProposal): string[] =>
  leftOut.length === 0
    ? []
    : [
        `What pull request #${pullRequest ?? 0} does to ${somePaths(leftOut)} could not be taken over; the agent was told.`,
      ];

const unknown = (why: string, isTemporary: boolean): RunFailure =>
  new RunFailure(
    isTemporary ? 'network' : 'invalid-input',
    `proposal-branch: the pull request that this run would continue could not be read. ${why}`,
  );

const outdated = (number: number, base: string): Skipped => ({
  code: 'outdated',
  reason: `Pull request #${number} was already brought up to date with a newer commit (${shortCommit(base)}).`,
});

const baseOf = ({ change }: GithubEvent): string | undefined =>
  change?.commits.kind === 'known' ? change.commits.base : undefined;

/** The event of a push, with everything since another commit as its change. Any other event names its whole change. */
async function widen(
  github: GithubClient,
  event: GithubEvent,
  from: string | undefined,
): Promise<{ event: GithubEvent; notes: string[] }> {
  const commits = event.change?.commits;
  if (from === undefined || event.name !== 'push' || commits?.kind !== 'known') return { event, notes: [] };
  const { head, base } = commits;
  if (from === base) return { event, notes: [] };
  const comparison = await readBranches(github).compare(from, head);
  if (comparison?.behind !== 0)
    return {
      event,
      notes: [
        `The branch was rewritten since ${shortCommit(from)}, so the agent was given only the change of this push.`,
      ],
    };
  return { event: { ...event, change: changeOf(from, head) }, notes: [] };
}

const changeOf = (base: string, head: string): NamedChange & { commits: { kind: 'known' } } => ({
  commits: { kind: 'known', base, head, history: 'straight' },
});

interface LatestRequest {
  base: string;
  head: string;
  history: HistoryRequest;
  github: GithubClient;
}

/** What came since the pull request was last rebuilt. Only a push has a change that was looked at in part. */
function latestChange({ name }: GithubEvent, { base, head, ...access }: LatestRequest): Change | undefined {
  if (name !== 'push') return undefined;
  return openChange({ change: changeOf(base, head), isWanted: undefined, ...access });
}

/** Leaves out what the policy forbids: in the checkout it would count as a change of the agent, and fail the run. */
function onlyAllowed(
  files: RebuiltProposal['files'],
  { inputs, resolved }: ContinueRequest,
  root: string,
): { carried: Map<BytePath, Buffer>; refused: string[] } {
  // Only the rules about writing matter here.
  const policy = effectivePolicy({
    ...inputs,
    hasHook: true,
    realPath: realFolder,
    mcpServers: [],
    readable: undefined,
  });
  const judge = pathJudge(policy, { root, directory: resolved.directory });
  const isAllowed = (path: string) => judge(path) === undefined && !isNeverWritable(path);
  const entries = [...files];
  return {
    carried: new Map(entries.filter(([path]) => isAllowed(toText(path)))),
    refused: entries.map(([path]) => toText(path)).filter((path) => !isAllowed(path)),
  };
}

const MAX_LOST = 20_000;

function hintOf(
  { pullRequest, carried, leftOut }: ContinuedProposal,
  { lost, removed }: Pick<RebuiltProposal, 'lost' | 'removed'>,
): string {
  const parts = [
    `Your result replaces the content of pull request #${pullRequest ?? 0}, which an earlier run opened.`,
  ];
  if (carried.length > 0)
    parts.push(
      `The checkout already has its changes in ${somePaths(carried)}. Keep what is right in them, correct what the code no ` +
        'longer bears out, and add what is missing. Name sources for these changes, too.',
    );
  if (leftOut.length > 0)
    parts.push(
      `Not taken over were its changes in ${somePaths(leftOut)}. Make them again where they still hold.`,
    );
  if (removed.length > 0) parts.push(`It removes ${somePaths(removed)}.`);
  if (lost !== '') {
    const changes = quoteData('earlier-changes', truncate(lost, MAX_LOST), newBoundary());
    parts.push(`The changes that were not taken over, as data:\n\n${changes}`);
  }
  return parts.join('\n\n');
}
