import { lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ExplainedError, messageOf } from '../core/errors.js';
import { FAILURES, RunFailure } from '../core/failure.js';
import { describeError } from '../core/entry.js';
import { readStepInputs, wrongInput } from '../core/input-shapes.js';
import { appendSummary, info, setOutput, summarySize, warning } from '../core/runner.js';
import { applyPatch, type AppliedPatch } from '../git/apply-patch.js';
import { toText } from '../git/paths.js';
import { findGit } from '../git/private-git.js';
import { findRepository } from '../git/repository.js';
import { connectWriter, serverUrlOf } from '../github/client.js';
import { readGithubEvent, type GithubEvent } from '../github/event.js';
import type { ContinuedProposal } from '../report/model.js';
import { readReports, redactShards, type RunFacts } from '../report/read-reports.js';
import { plural, shortCommit } from '../text/format.js';
import { codeText, escapeText } from '../text/markdown.js';
import { defaultBranch, parseProposeInputs, PROPOSE_INPUTS, type ProposeInputs } from './propose-inputs.js';
import { judgePatch, judgeSizes } from './judge-patch.js';
import { openProposals, type ProposalApi } from './proposal-api.js';
import { isUnverified, writeProposal } from './proposal-text.js';
import {
  closePull,
  extendPull,
  proposeBranch,
  type ProposalOutcome,
  type Proposal,
} from './propose-branch.js';

const NOTHING: ProposalOutcome = { operation: 'none', pull: undefined, branch: '', commit: '', notes: [] };

/** The propose step, top to bottom: inputs, report, patch, checks, GitHub. The outputs are set even if it fails. */
export async function proposePatch(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<void> {
  let outcome = NOTHING;
  try {
    outcome = await propose(readStepInputs(PROPOSE_INPUTS, parseProposeInputs), env, cancel);
  } finally {
    setOutput('pull-request-number', outcome.pull === undefined ? '' : String(outcome.pull.number));
    setOutput('pull-request-url', outcome.pull?.url ?? '');
    setOutput('branch', outcome.branch);
    setOutput('commit-sha', outcome.commit);
    setOutput('operation', outcome.operation);
  }
  tell(outcome);
}

async function propose(
  inputs: ProposeInputs,
  env: NodeJS.ProcessEnv,
  cancel: AbortSignal,
): Promise<ProposalOutcome> {
  const run = readRun(inputs);
  const standing = findStanding(inputs, run);
  const bytes = readPatch(inputs, standing?.isTaken === true);
  if (bytes === undefined && standing?.isTaken === true)
    return closePull({ ...(await connect(env, inputs, cancel)), standing });
  if (bytes === undefined)
    return { ...NOTHING, notes: ['The agent changed nothing, so there is nothing to propose.'] };
  const scratch = mkdtempSync(join(env['RUNNER_TEMP'] || tmpdir(), 'cursor-agent-propose-'));
  let patch: AppliedPatch | undefined;
  try {
    patch = openPatch(bytes, scratch, env);
    checkPatch(patch, inputs);
    if (patch.changes.length === 0)
      return { ...NOTHING, notes: ['The commit that is checked out already contains this change.'] };
    return await send({ inputs, env, cancel, patch, run, standing });
  } catch (error) {
    throw keepPatch(error, inputs);
  } finally {
    patch?.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Whatever went wrong, the work of the agent is not lost. */
function keepPatch(error: unknown, { patchFile = '' }: ProposeInputs): unknown {
  if (!(error instanceof ExplainedError) && !(error instanceof RunFailure)) return error;
  return new ExplainedError(
    `${describeError(error)}\nThe patch is still in ${patchFile}, and in the artifact of the agent’s job if that uploaded it.`,
    { cause: error },
  );
}

/** A run that failed proposes nothing: half of a task may be wrong. */
function readRun({ reportFile, token }: ProposeInputs): RunFacts | undefined {
  if (reportFile === undefined) return undefined;
  const [shard, ...others] = redactShards(readReports([reportFile]), token);
  if (others.length > 0 || !shard)
    throw wrongInput(
      'report-file',
      `${reportFile} does not contain exactly one report; name the file of one run.`,
    );
  if (shard.kind === 'unread') throw wrongInput('report-file', `${shard.name} ${shard.why}`);
  const { verdict } = shard.run;
  if (verdict.status === 'success') return shard.run;
  throw new ExplainedError(
    `The agent’s run failed (${verdict.reason}), so nothing is proposed. ${FAILURES[verdict.reason].what} ` +
      `${FAILURES[verdict.reason].remedy} To propose its patch anyway, leave report-file out.`,
  );
}

/** The pull request that runs keep up to date, if this step is for its branch. */
function findStanding(
  { branch, target }: ProposeInputs,
  run: RunFacts | undefined,
): ContinuedProposal | undefined {
  const proposal = run?.proposal;
  if (!proposal || target !== 'new-branch') return undefined;
  if (branch === proposal.branch) return proposal;
  throw wrongInput(
    'branch',
    `the run was for the branch ${proposal.branch}; set branch to the output proposal-branch of the agent step.`,
  );
}

const MAX_PATCH_BYTES = 2 ** 27;

/** Undefined if there is no change: an agent that changed nothing names no patch. */
function readPatch({ patchFile }: ProposeInputs, mayBeMissing: boolean): Buffer | undefined {
  if (patchFile === undefined) return undefined;
  const path = resolve(patchFile);
  const state = lstatSync(path, { throwIfNoEntry: false });
  const wrong = (problem: string) => wrongInput('patch-file', `${patchFile} ${problem}`);
  if (!state && mayBeMissing) return undefined;
  if (!state)
    throw wrong(
      'does not exist; check that the agent step ran, and that its patch was downloaded in this job.',
    );
  if (!state.isFile()) throw wrong('is not a file.');
  if (state.size > MAX_PATCH_BYTES)
    throw wrong(`has ${plural(state.size, 'byte')}; a patch can have at most ${MAX_PATCH_BYTES}.`);
  const patch = readFileSync(path);
  return patch.every((byte) => byte <= 32) ? undefined : patch;
}

const CHECK_OUT = 'Add an actions/checkout step for the commit that the agent worked on before this one.';

function openPatch(patch: Buffer, scratch: string, env: NodeJS.ProcessEnv): AppliedPatch {
  const workspace = env['GITHUB_WORKSPACE'] || process.cwd();
  const repository = findRepository(workspace);
  if (!repository) throw new ExplainedError(`${workspace} is not a git repository. ${CHECK_OUT}`);
  const untrusted = [workspace, scratch, tmpdir()];
  const program = findGit({ path: env['PATH'], untrusted });
  if (program === undefined) throw new ExplainedError('There is no git on this runner. Install it.');
  let outcome;
  try {
    outcome = applyPatch({ repository, program, scratch, patch });
  } catch (error) {
    throw new ExplainedError(
      `The commit that is checked out cannot be read: ${messageOf(error)}. The clone must have all files of that commit; ` +
        'leave out the input filter of actions/checkout.',
    );
  }
  if (outcome.kind === 'no-commit') throw new ExplainedError(`No commit is checked out. ${CHECK_OUT}`);
  if (outcome.kind === 'applied') return outcome;
  throw new ExplainedError(
    `The patch does not apply to the commit that is checked out. Nothing was written.\n${outcome.problems.join('\n')}\n` +
      'Check out the commit that the agent worked on, or run the agent again.',
  );
}

function checkPatch(patch: AppliedPatch, rules: ProposeInputs): void {
  const problems = judgePatch(patch, rules);
  const files = patch.changes.flatMap(({ after }) => after ?? []);
  if (problems.length === 0) {
    const sizes = patch.sizes(files.map(({ id }) => id));
    problems.push(
      ...judgeSizes(files.map(({ path, id }) => ({ path: toText(path), bytes: sizes.get(id) ?? 0 }))),
    );
  }
  if (problems.length === 0) return;
  const shown = problems.slice(0, 20);
  const more = problems.length > shown.length ? [`… and ${problems.length - shown.length} more.`] : [];
  throw new ExplainedError(
    ['The patch contains changes that are not allowed. Nothing was written.', ...shown, ...more].join('\n'),
  );
}

/** GitHub, and the account of the token. */
async function connect(env: NodeJS.ProcessEnv, { token }: ProposeInputs, cancel: AbortSignal) {
  const limits = { timeoutMs: 60_000 };
  const { github, repository } = connectWriter(env, token, { cancel, limits });
  const api = openProposals(github, repository);
  return { api, repository, viewer: await api.viewer() };
}

interface SendTask {
  inputs: ProposeInputs;
  env: NodeJS.ProcessEnv;
  cancel: AbortSignal;
  patch: AppliedPatch;
  run: RunFacts | undefined;
  standing: ContinuedProposal | undefined;
}

async function send({ inputs, env, cancel, patch, run, standing }: SendTask): Promise<ProposalOutcome> {
  const event = readGithubEvent(env);
  const isNewBranch = inputs.target === 'new-branch';
  const base = isNewBranch ? chooseBase(inputs.base, event, env) : '';
  const wanted = isNewBranch ? undefined : choosePull(inputs.branch, event);
  const { api, repository, viewer } = await connect(env, inputs, cancel);
  const firstBase = await ancestor(api, standing?.firstBase, patch.commit);
  const name = `${repository.owner}/${repository.repo}`;
  const url = `${serverUrlOf(env)}/${name}`;
  const proposal: Proposal = {
    api,
    viewer,
    repository: { ...(await api.repository()), name, url },
    patch,
  };
  const writeText = (branch: string) =>
    writeProposal({
      ...inputs,
      run,
      branch,
      firstBase,
      files: patch.changes.length,
      runUrl: `${url}/actions/runs/${env['GITHUB_RUN_ID'] ?? ''}`,
      isWorkflowToken: viewer.login === 'github-actions[bot]',
    });
  if (wanted)
    return extendPull({ ...proposal, wanted, commitMessage: (branch) => writeText(branch).commitMessage });
  const origin = { workflowRef: env['GITHUB_WORKFLOW_REF'] ?? '', job: env['GITHUB_JOB'] ?? '', base };
  const branch = inputs.branch ?? defaultBranch(origin);
  const { people } = inputs;
  const draft = inputs.draft || isUnverified(run);
  return proposeBranch({ ...proposal, branch, base, text: writeText(branch), people, draft, standing });
}

/** The report only claims where the change begins. Undefined if that is not a commit before this one. */
async function ancestor(
  api: ProposalApi,
  claimed: string | undefined,
  commit: string,
): Promise<string | undefined> {
  if (claimed === undefined || claimed === commit) return claimed;
  const comparison = await api.compare(claimed, commit);
  return comparison?.behind === 0 ? claimed : undefined;
}

/**
 * The branch that the change is for: the one that the workflow names; else the pull request's own branch, the branch of
 * the CI run, or the branch that the workflow runs on.
 */
export function chooseBase(
  given: string | undefined,
  { name, pull, payload }: Pick<GithubEvent, 'name' | 'pull' | 'payload'>,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const ref = /^refs\/heads\/(.+)$/s.exec(env['GITHUB_REF'] ?? '')?.[1];
  // A comment event runs on the default branch, which is not what the comment is about.
  const ofEvent = pull && !pull.details ? undefined : ref;
  const base =
    given ??
    pull?.details?.head.branch ??
    (name === 'workflow_run' ? (payload?.workflow_run?.head_branch ?? undefined) : ofEvent);
  if (base !== undefined) return base;
  const message = `the event ${name || '(none)'} does not say which branch the change is for; name it.`;
  throw wrongInput('base', message);
}

/** The pull request to extend: the one with the branch that the workflow names, or the one the event is about. */
function choosePull(branch: string | undefined, { name, pull }: GithubEvent) {
  if (branch !== undefined) return { branch };
  if (pull) return { number: pull.number };
  const message = `the event ${name || '(none)'} is not about one pull request; name the branch of the pull request.`;
  throw wrongInput('branch', message);
}

const WORDS = { created: 'Opened', updated: 'Updated', closed: 'Closed', none: 'Nothing new for' } as const;
const HEADINGS = {
  created: 'pull request opened',
  updated: 'pull request updated',
  closed: 'pull request closed',
  none: 'nothing new to propose',
} as const;

function tell({ operation, pull, branch, commit, notes }: ProposalOutcome): void {
  if (pull) {
    info(`${WORDS[operation]} pull request #${pull.number}: ${pull.url}`);
    info(`Branch ${branch} at ${commit}`);
  }
  for (const note of notes) {
    if (operation === 'none' || operation === 'closed') info(note);
    else warning(note, 'Cursor Agent: proposed with a remark');
  }
  if (summarySize() === undefined) return;
  const place = `branch ${codeText(branch)} at ${codeText(shortCommit(commit))}`;
  const where = pull ? [`${WORDS[operation]} ${pullLink(pull)}, ${place}.`] : [];
  const lines = [`### Cursor agent: ${HEADINGS[operation]}`, ...where, ...notes.map(escapeText)];
  appendSummary(`${lines.join('\n\n')}\n`);
}

const pullLink = ({ number, url }: { number: number; url: string }): string =>
  /^https?:\/\/[\w.:/%-]+$/.test(url)
    ? `<a href="${url}">pull request #${number}</a>`
    : `pull request #${number}`;
