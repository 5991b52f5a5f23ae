import { FAILURES, RunFailure } from '../core/failure.js';
import { invalidInput, readStepInputs } from '../core/input-shapes.js';
import type { Account } from '../github/accounts.js';
import {
  apiUrlOf,
  connectGithub,
  parseRepository,
  serverUrlOf,
  type GithubClient,
} from '../github/client.js';
import { readGithubEvent, type GithubEvent, type NamedComment, type Origin } from '../github/event.js';
import { GithubError } from '../github/github-error.js';
import { logLine } from '../text/plain-text.js';
import { chooseCommit } from './choose-commit.js';
import { readEarlierThreads } from './earlier-threads.js';
import { dismissedTest } from '../review/dismissed.js';
import { packFindings } from '../review/left-findings.js';
import { writeComment, type Surroundings } from './layout.js';
import { lineAnnotations } from './line-annotations.js';
import { digest, readReviewedMark, writeMarker } from '../github/marker.js';
import { openPullRequests, type Pull, type PullRequestApi } from './pull-request-api.js';
import {
  byWeight,
  closedGate,
  isWithheld,
  mergeReports,
  withoutDismissed,
  type Publication,
} from './publication.js';
import { readReports, redactShards, type Shard } from '../report/read-reports.js';
import { parsePublishInputs, PUBLISH_INPUTS, type PublishInputs } from './publish-inputs.js';
import { publishCheck } from './publish-check.js';
import { publishReview } from './publish-review.js';
import { publishReply, readPatch, type ChangeRoute } from './publish-reply.js';
import { publishSticky, underPull } from './sticky-comment.js';
import {
  annotate,
  appendSummary,
  error as printError,
  info,
  setOutput,
  summarySize,
  warning,
} from '../core/runner.js';

/** The result of the step. */
interface Outcome {
  published: boolean;
  url: string;
  inline: number;
  dropped: number;
  /** What became of the change. Only for a reply. */
  change?: ChangeRoute;
  /** Why the step fails although everything was published. A check run says it itself. */
  closed?: string | undefined;
}
const NOTHING: Outcome = { published: false, url: '', inline: 0, dropped: 0 };

/**
 * The publish step, top to bottom: inputs, reports, pull request, GitHub, and whether the findings let it succeed.
 * The outputs are set even if it fails. Returns the exit code.
 */
export async function publishReport(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<number> {
  let outcome = NOTHING;
  try {
    const inputs = readStepInputs(PUBLISH_INPUTS, parsePublishInputs);
    const shards = redactShards(readShards(inputs), inputs.token);
    const publication = mergeReports(shards, inputs);
    outcome = await publish({ inputs, publication, env, cancel });
    if (outcome.closed === undefined) return 0;
    printError(outcome.closed, 'Cursor Agent: fail-on-severity');
    return 1;
  } finally {
    setOutput('published', String(outcome.published));
    setOutput('url', outcome.url);
    setOutput('inline-comments', String(outcome.inline));
    setOutput('dropped-findings', String(outcome.dropped));
    setOutput('change', outcome.change ?? '');
  }
}

interface PublishTask {
  inputs: PublishInputs;
  publication: Publication;
  env: NodeJS.ProcessEnv;
  cancel: AbortSignal;
}

async function publish(task: PublishTask): Promise<Outcome> {
  const { inputs, publication, env } = task;
  const closed = closedGate(publication, inputs.failOnSeverity);
  if (isWithheld(publication)) {
    const { what, remedy } = FAILURES['secrets-unavailable'];
    info(`Nothing is published, because no agent ran: ${what} ${remedy}`);
    return { ...NOTHING, closed };
  }
  const event = readGithubEvent(env);
  const surroundings = surroundingsOf(env, event);
  if (inputs.as === 'annotations') return { ...showInRun(publication, surroundings, ''), closed };
  try {
    return await writeToGithub({ ...task, event, surroundings });
  } catch (error) {
    // Annotations of the run are no verdict that a rule could require, so they do not replace a check run.
    if (!(error instanceof GithubError) || !error.isReadOnly || inputs.as === 'check') throw error;
    const why =
      'github-token can only read, as in a run for a fork, so the report is shown as annotations and in the job ' +
      'summary. To publish it on the pull request, publish from a workflow_run, or give the job ' +
      '"permissions: pull-requests: write".';
    warning(why, 'Cursor Agent: not published');
    return { ...showInRun(publication, surroundings, `*${why}*`), published: false, closed };
  }
}

/** If some reports cannot be read, the result says so. If none can be read, there is nothing to publish. */
function readShards({ reportFiles }: PublishInputs): Shard[] {
  const shards = readReports(reportFiles);
  const unread = shards.filter((shard) => shard.kind === 'unread');
  if (shards.length === 0) {
    throw invalidInput([
      { input: 'report-file', message: `there is no report*.json below ${reportFiles.join(', ')}.` },
    ]);
  }
  if (unread.length === shards.length) {
    throw invalidInput(unread.map(({ name, why }) => ({ input: 'report-file', message: `${name} ${why}` })));
  }
  for (const { name, why } of unread) warning(`${name} ${why}`, 'Cursor Agent: a report is missing');
  return shards;
}

function surroundingsOf(env: NodeJS.ProcessEnv, { ci }: GithubEvent): Surroundings {
  const repositoryUrl = `${serverUrlOf(env)}/${env['GITHUB_REPOSITORY'] ?? ''}`;
  // After a workflow_run the agent worked in that other run.
  const run = ci?.kind === 'run' ? ci.id : (env['GITHUB_RUN_ID'] ?? '');
  return { repositoryUrl, runUrl: `${repositoryUrl}/actions/runs/${run}` };
}

/** Annotations and the job summary, which need no token. */
function showInRun(publication: Publication, surroundings: Surroundings, remark: string): Outcome {
  for (const { level, text, ...where } of lineAnnotations(publication)) annotate(level, text, where);
  const { text, left } = writeComment(publication, surroundings, { remark });
  if (summarySize() !== undefined) appendSummary(`${text}\n`);
  return { published: true, url: '', inline: 0, dropped: publication.belowMinimum + left };
}

/** A report that is not published is lost work, so publish waits longer for GitHub than other steps do. */
export const PATIENCE = { mostTries: 5, mostWaitMs: 120_000 };

interface PullTask extends PublishTask {
  event: GithubEvent;
  surroundings: Surroundings;
}

/** Where to write, and with which token. */
interface Place extends PullTask {
  github: GithubClient;
  api: PullRequestApi;
  number: number;
  pull: Pull;
  viewer: Account;
  /** A hash of the input `key`. */
  key: string;
  /** The commit that the reports are about: their own word, or that of the event. */
  reviewed: string | undefined;
}

async function writeToGithub(task: PullTask): Promise<Outcome> {
  const { inputs, publication, event, env, cancel } = task;
  const repository = parseRepository(env['GITHUB_REPOSITORY'] ?? '');
  if (!repository) throw new RunFailure('invalid-input', 'GITHUB_REPOSITORY is not owner/name.');
  const target = chooseTarget(inputs.pullNumber, event, publication.pullRequest);
  const connection = { token: inputs.token, apiUrl: apiUrlOf(env), repository, cancel };
  const github = connectGithub({ ...connection, limits: PATIENCE, tell: info });
  const api = openPullRequests(github, repository);
  if (inputs.as === 'check' && target.kind === 'none') return writeCheck(task, github, publication);
  const { number, pull } = await findPull(api, target, event);
  const key = digest('key', inputs.key);
  const reviewed = publication.head ?? (pullOf(event) === number ? event.head : undefined);
  const place = { ...task, github, api, number, pull, viewer: await api.viewer(), key, reviewed };
  switch (inputs.as) {
    case 'check':
      return writePullCheck(place);
    case 'review':
      return writeReview(place);
    case 'reply':
      return writeReply(place);
    default:
      return writeSticky(place);
  }
}

async function writeSticky(place: Place): Promise<Outcome> {
  const { api, inputs, surroundings, number, pull, viewer, key } = place;
  const publication = await leaveOutDismissed(place);
  const { text: body, left } = writeComment(publication, surroundings, {
    opening: writeMarker({ kind: 'comment', key }),
  });
  const { reviewed: mark, head, all } = publication;
  const isPart = mark !== undefined && (await api.hasCommit(number, pull, mark.head));
  const sticky = {
    ...{ key, body, isKept: publication.isSkipped },
    isNewer: (there: string) =>
      head !== undefined && head !== pull.head && readReviewedMark(there)?.head === pull.head,
    ...(isPart ? { memory: { mark, findings: packFindings([...all].sort(byWeight)) } } : {}),
  };
  const { url, what } = await publishSticky(underPull(api, number), sticky, viewer);
  info(`The comment on #${number} is ${what}: ${url}`);
  return outcomeOf(inputs, publication, { url, inline: 0, left });
}

/** `left`: findings that did not fit. */
const outcomeOf = (
  { failOnSeverity }: PublishInputs,
  publication: Publication,
  { url, inline, left }: { url: string; inline: number; left: number },
): Outcome => ({
  published: true,
  url,
  inline,
  dropped: publication.belowMinimum + publication.dismissed + left,
  closed: closedGate(publication, failOnSeverity),
});

/** The reports without what was dismissed in the threads of the review with the same key. */
async function leaveOutDismissed(place: Place): Promise<Publication> {
  const { api, number, publication } = place;
  if (publication.all.length === 0) return publication;
  const { dismissed } = await readEarlierThreads(api, number, place);
  if (dismissed.length === 0) return publication;
  const { files } = await chooseCommit(api, place);
  return withoutDismissed(publication, dismissedTest(dismissed, files));
}

async function writeReview(place: Place): Promise<Outcome> {
  const { api, inputs, number, viewer } = place;
  const { publication, ...review } = await publishReview(api, { ...place, event: inputs.event }, viewer);
  for (const remark of review.notes) info(remark);
  info(review.isUnchanged ? `Nothing new since ${review.url}` : `The review of #${number}: ${review.url}`);
  return outcomeOf(inputs, publication, review);
}

async function writePullCheck(place: Place): Promise<Outcome> {
  const { api, number, github } = place;
  const { commit, notes } = await chooseCommit(api, place);
  for (const remark of notes) info(remark);
  if (commit === undefined) {
    const message = `the report does not name a commit of #${number}, and a check run belongs to a commit.`;
    throw invalidInput([{ input: 'report-file', message }]);
  }
  const publication = await leaveOutDismissed(place);
  return writeCheck({ ...place, event: { ...place.event, head: commit } }, github, publication);
}

/** The step itself does not fail for findings, because the check run does. */
async function writeCheck(
  { inputs, event: { head: commit }, surroundings }: PullTask,
  github: GithubClient,
  publication: Publication,
): Promise<Outcome> {
  if (commit === undefined || (publication.head !== undefined && publication.head !== commit)) {
    const message =
      'the report is not about the commit of this event, so there is no commit for a check run.';
    throw invalidInput([{ input: 'report-file', message }]);
  }
  const { text: summary, left } = writeComment(publication, surroundings);
  const { url, annotations, isUnchanged } = await publishCheck(github, {
    ...{ commit, key: inputs.key, publication, summary },
    closed: closedGate(publication, inputs.failOnSeverity),
    hasGate: inputs.failOnSeverity !== undefined,
  });
  info(isUnchanged ? `The check run says the same: ${url}` : `The check run: ${url}`);
  return { ...outcomeOf(inputs, publication, { url, inline: annotations, left }), closed: undefined };
}

async function writeReply(place: Place): Promise<Outcome> {
  const { api, inputs, event, env, publication, number, viewer } = place;
  const reply = {
    ...place,
    comment: askedIn(event, number),
    key: inputs.key,
    patch: readPatch(inputs.patchFile, publication),
    repository: env['GITHUB_REPOSITORY'] ?? '',
    token: inputs.token,
  };
  const { url, what, change, left } = await publishReply(api, reply, viewer);
  info(`The reply on #${number} is ${what}: ${url}`);
  const closed = closedGate(publication, inputs.failOnSeverity);
  return { published: true, url, inline: 0, dropped: publication.belowMinimum + left, change, closed };
}

/** The comment to reply to is the one of the event. A report cannot choose another. */
function askedIn({ name, comment, pull }: GithubEvent, number: number): NamedComment {
  if (comment && pull?.number === number) return comment;
  const message =
    comment && pull
      ? `reply answers the comment of the event, which is on #${pull.number} and not on #${number}; leave pr-number out.`
      : `reply needs the event of a comment on a pull request (issue_comment or pull_request_review_comment), and this is ${name || 'none'}; use as: comment.`;
  throw invalidInput([{ input: 'as', message }]);
}

/**
 * The pull request to write to. The input of the workflow's author comes first, then the event. A number that only
 * the report names is a claim, and so is what the event lists for a run of a fork.
 */
export type Target = { kind: 'known'; number: number } | Claim | { kind: 'none' };

/**
 * A claim holds if GitHub says the same of the pull request: `commit`, which the event vouches for, is part of it, and
 * after a CI run it comes from the branch of the repository that the run was for. The commit alone is not enough:
 * anybody can push the commits of somebody else's pull request to a fork.
 */
interface Claim {
  kind: 'claimed';
  number: number;
  commit: string;
  origin?: Origin;
}

type TargetEvent = Pick<GithubEvent, 'pull' | 'head' | 'origin'> & { repository?: string };

export function chooseTarget(
  given: number | undefined,
  event: TargetEvent,
  named: number | undefined,
): Target {
  if (given !== undefined) return { kind: 'known', number: given };
  const { head, origin, repository } = event;
  const isFork = origin !== undefined && origin.repository !== repository;
  const listed = pullOf(event);
  if (listed !== undefined && !isFork) return { kind: 'known', number: listed };
  const claimed = listed ?? named;
  if (claimed === undefined || head === undefined) return { kind: 'none' };
  return { kind: 'claimed', number: claimed, commit: head, ...(origin ? { origin } : {}) };
}

/** The pull request of the event. After a CI run it counts only if the run was about its current head. */
const pullOf = ({ pull, head }: TargetEvent): number | undefined =>
  pull?.head === head ? pull?.number : undefined;

/** Reads the pull request to write to, and checks a claim. */
async function findPull(
  api: PullRequestApi,
  target: Target,
  { name }: GithubEvent,
): Promise<{ number: number; pull: Pull }> {
  if (target.kind === 'none') {
    const message = `the event ${name || '(none)'} is not about one pull request; set pr-number, or use as: annotations.`;
    throw invalidInput([{ input: 'pr-number', message }]);
  }
  const { number } = target;
  const pull = await api.pull(number);
  if (target.kind === 'known') return { number, pull };
  const problem = await contradiction(api, target, pull);
  if (problem === undefined) return { number, pull };
  const message = `the report names #${number}, but ${problem}, so the report is not believed; set pr-number.`;
  throw invalidInput([{ input: 'pr-number', message }]);
}

/** What GitHub says against a claim. */
async function contradiction(
  api: PullRequestApi,
  { number, commit, origin }: Claim,
  pull: Pull,
): Promise<string | undefined> {
  if (origin && !isSameOrigin(origin, pull.origin))
    return `it comes from ${originText(pull.origin)}, and this run was for ${originText(origin)}`;
  return (await api.hasCommit(number, pull, commit))
    ? undefined
    : `the commit of this event (${commit.slice(0, 12)}) is not part of it`;
}

const isSameOrigin = (one: Origin, other: Origin): boolean =>
  one.repository !== undefined &&
  one.branch !== undefined &&
  one.repository === other.repository &&
  one.branch === other.branch;

const originText = ({ repository = 'an unknown repository', branch = 'an unknown branch' }: Origin): string =>
  logLine(`${repository}:${branch}`, 300);
