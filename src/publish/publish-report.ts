import { FAILURES, RunFailure } from '../core/failure.js';
import { invalidInput, readStepInputs, wrongInput } from '../core/input-shapes.js';
import {
  annotate,
  appendSummary,
  error as printError,
  info,
  setOutput,
  summarySize,
  warning,
} from '../core/runner.js';
import { documentsUrl } from '../core/this-action.js';
import type { Account } from '../github/accounts.js';
import { connectWriter, EMPTY_TOKEN, serverUrlOf, type GithubClient } from '../github/client.js';
import { readGithubEvent, type GithubEvent, type NamedComment } from '../github/event.js';
import { GithubError } from '../github/github-error.js';
import { digest, withLimitLine, writeMarker } from '../github/marker.js';
import { readReports, redactShards, type ReportShard } from '../report/read-reports.js';
import { leaveReview } from '../review/left-findings.js';
import {
  chooseReviewCommit,
  chooseTarget,
  findPull,
  isAboutNewer,
  lookUpAtEvent,
  pullOf,
  type ChosenCommit,
  type PullPublication,
} from './choose-target.js';
import { leaveOutDismissed, needsEarlier, readEarlierThreads } from './earlier-threads.js';
import { limitLine, lineAnnotations, writeComment, type RunLinks } from './publication-text.js';
import { severityFailure, isWithheld, mergeReports, type Publication } from './publication.js';
import { publishCheck } from './publish-check.js';
import { withReason } from './look-up-places.js';
import { parsePublishInputs, PUBLISH_INPUTS, type PublishInputs } from './publish-inputs.js';
import { publishReply, readPatch, type ChangeRoute } from './publish-reply.js';
import { publishReview } from './publish-review.js';
import { openPullRequests, type Pull, type PullRequestApi } from './pull-request-api.js';
import { publishSticky, underPull } from './sticky-comment.js';

interface PublishOutcome {
  published: boolean;
  url: string;
  inline: number;
  dropped: number;
  change?: ChangeRoute | undefined;
  /** Why the step fails although everything was published. A check run says it itself. */
  failure?: string | undefined;
}
const NOTHING: PublishOutcome = { published: false, url: '', inline: 0, dropped: 0 };

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
    const event = readGithubEvent(env);
    outcome = await publish({ inputs, publication, event, links: linksOf(env, event), env, cancel });
    if (outcome.failure === undefined) return 0;
    printError(outcome.failure, 'Cursor Agent: fail-on-severity');
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
  event: GithubEvent;
  links: RunLinks;
  env: NodeJS.ProcessEnv;
  cancel: AbortSignal;
}

async function publish(task: PublishTask): Promise<PublishOutcome> {
  const { inputs, publication } = task;
  if (isWithheld(publication)) {
    const { what, remedy } = FAILURES['secrets-unavailable'];
    info(`Nothing is published, because no agent ran: ${what} ${remedy}`);
    return { ...NOTHING, failure: severityFailure(publication, inputs.failOnSeverity) };
  }
  if (inputs.as === 'annotations') return showInRun(task, '');
  try {
    return await writeToGithub(task, inputs.as);
  } catch (error) {
    // Annotations of the run are no verdict that a rule could require, so they do not replace a check run.
    const isExpected = error instanceof GithubError && error.isReadOnly && isForFork(task.event);
    if (!isExpected || inputs.as === 'check') throw error;
    const why =
      'For a pull request from a fork, GitHub gives this run a token that can only read, so the report is shown as ' +
      'annotations and in the job summary. To publish it on the pull request, publish from a workflow_run.';
    warning(why, 'Cursor Agent: not published');
    return { ...(await showInRun(task, `*${why}*`)), published: false };
  }
}

/** Whatever permissions its jobs ask for, such a run gets a token that can only read. */
const isForFork = ({ name, pull, repository }: GithubEvent): boolean =>
  name !== 'pull_request_target' &&
  pull?.details !== undefined &&
  pull.details.head.repository !== repository;

/** If some reports cannot be read, the result says so. If none can be read, there is nothing to publish. */
function readShards({ reportFiles }: PublishInputs): ReportShard[] {
  const shards = readReports(reportFiles);
  const unread = shards.filter((shard) => shard.kind === 'unread');
  if (shards.length === 0) {
    throw wrongInput('report-file', `there is no report*.json below ${reportFiles.join(', ')}.`);
  }
  if (unread.length === shards.length) {
    throw invalidInput(unread.map(({ name, why }) => ({ input: 'report-file', message: `${name} ${why}` })));
  }
  for (const { name, why } of unread) warning(`${name} ${why}`, 'Cursor Agent: a report is missing');
  return shards;
}

function linksOf(env: NodeJS.ProcessEnv, { ci }: GithubEvent): RunLinks {
  const repositoryUrl = `${serverUrlOf(env)}/${env['GITHUB_REPOSITORY'] ?? ''}`;
  // After a workflow_run the agent worked in that other run.
  const run = ci?.kind === 'run' ? ci.id : (env['GITHUB_RUN_ID'] ?? '');
  return { repositoryUrl, runUrl: `${repositoryUrl}/actions/runs/${run}`, documentsUrl: documentsUrl(env) };
}

/** Annotations and the job summary. The token is only needed to look up what findings point at. */
async function showInRun(task: PublishTask, remark: string): Promise<PublishOutcome> {
  const publication = await lookUpForRun(task);
  for (const { level, text, ...where } of lineAnnotations(publication)) annotate(level, text, where);
  const { text, omitted } = writeComment(publication, task.links, { remark });
  if (summarySize() !== undefined) appendSummary(`${text}\n`);
  return outcomeOf(task, { publication, url: '', omitted, notes: [] });
}

/** If GitHub cannot be asked, nothing is known about the places, and the result says so. */
async function lookUpForRun(task: PublishTask): Promise<Publication> {
  const { inputs, publication, event, env, cancel } = task;
  if (isSettled(publication)) return publication;
  if (inputs.token === '') return withReason(publication, { why: EMPTY_TOKEN, isRefused: true });
  try {
    const { github, repository } = connectWriter(env, inputs.token, { cancel });
    const api = openPullRequests(github, repository);
    const target = chooseTarget(inputs.pullNumber, event, publication.pullRequest);
    if (target.kind === 'none') return await lookUpAtEvent(api, publication, event);
    const found = await findPull(api, target, event);
    const { publication: judged } = await chooseReviewCommit(api, { ...aboutPull(task, found), publication });
    return judged;
  } catch (error) {
    if (!(error instanceof GithubError || error instanceof RunFailure)) throw error;
    const isRefused = error instanceof GithubError && error.failure.status === 403;
    const unknown = withReason(publication, { why: error.message, isRefused });
    // GitHub says something else than the report.
    return error instanceof RunFailure ? { ...unknown, isOtherCommit: true } : unknown;
  }
}

/** The commit that the reports are about. The event vouches for its own. */
function aboutPull({ publication, event }: PublishTask, { number, pull }: { number: number; pull: Pull }) {
  const { head: eventHead } = event;
  const reviewed = publication.head ?? (pullOf(event) === number ? eventHead : undefined);
  return { number, pull, reviewed, eventHead };
}

interface PullTask extends PublishTask, PullPublication {
  github: GithubClient;
  api: PullRequestApi;
  viewer: Account;
  key: string;
}

/** What was written, and what the log says about it. */
interface WriteResult {
  publication: Publication;
  url: string;
  inline?: number;
  omitted: number;
  notes: readonly string[];
  change?: ChangeRoute;
}

async function writeToGithub(
  task: PublishTask,
  as: Exclude<PublishInputs['as'], 'annotations'>,
): Promise<PublishOutcome> {
  const { inputs, publication, event, env, cancel } = task;
  const { github, repository } = connectWriter(env, inputs.token, { cancel });
  const api = openPullRequests(github, repository);
  const target = chooseTarget(inputs.pullNumber, event, publication.pullRequest);
  if (as === 'check' && target.kind === 'none') {
    const commit = commitOf(event, publication);
    const judged = await lookUpAtEvent(api, publication, event);
    return outcomeOf(task, await writeCheck(github, { ...task, publication: judged }, commit));
  }
  const found = await findPull(api, target, event);
  const key = digest('key', inputs.key);
  const pullTask = { ...task, ...aboutPull(task, found), github, api, viewer: await api.viewer(), key };
  const write = { comment: writeSticky, review: writeReview, reply: writeReply, check: writePullCheck };
  return outcomeOf(task, await write[as](pullTask));
}

/** The step itself does not fail for findings if a check run does. */
function outcomeOf({ inputs }: PublishTask, written: WriteResult): PublishOutcome {
  const { publication, url, inline = 0, omitted, notes, change } = written;
  notes.forEach(info);
  return {
    published: true,
    url,
    inline,
    dropped: publication.belowMinimum + publication.dismissed + omitted,
    change,
    failure: inputs.as === 'check' ? undefined : severityFailure(publication, inputs.failOnSeverity),
  };
}

/** Whether nothing that GitHub says could change what is published. A gate has to know what was reviewed. */
const isSettled = ({ reported, gate }: Publication): boolean => reported.length === 0 && gate === undefined;

/** The findings with their places, without what was dismissed in the review with the same key. */
async function lookUpFindings(task: PullTask): Promise<ChosenCommit> {
  const { api, number } = task;
  const chosen = await chooseReviewCommit(api, task);
  const { publication, files } = chosen;
  if (publication.standing.length === 0 && !needsEarlier(publication)) return chosen;
  const earlier = await readEarlierThreads(api, number, task);
  return {
    ...chosen,
    publication: await leaveOutDismissed(api, publication, { ...task, ...earlier, files }),
  };
}

async function writeSticky(task: PullTask): Promise<WriteResult> {
  const { api, links, number, pull, viewer, key } = task;
  const { publication } = isSettled(task.publication) ? task : await lookUpFindings(task);
  const opening = writeMarker({ kind: 'comment', key });
  const { text: body, omitted } = writeComment(publication, links, { opening, key });
  const { reviewed: mark, head, standing } = publication;
  const isPart = mark !== undefined && (await api.hasCommit(number, pull, mark.head));
  const sticky = {
    key,
    body,
    ...(publication.isSkipped
      ? { keep: (there: string) => withLimitLine(there, limitLine(publication, links, there)) }
      : {}),
    isNewer: (there: string) => isAboutNewer(there, head, pull),
    memory: leaveReview(isPart ? mark : undefined, standing),
  };
  const { url, what } = await publishSticky(underPull(api, number), sticky, viewer);
  return { publication, url, omitted, notes: [`The comment on #${number} is ${what}: ${url}`] };
}

async function writeReview(task: PullTask): Promise<WriteResult> {
  const { reviewEvent, maxComments, hasFixCommand } = task.inputs;
  const review = await publishReview(
    task.api,
    { ...task, reviewEvent, maxComments, hasFixCommand },
    task.viewer,
  );
  const { url, notes, isUnchanged } = review;
  const note = isUnchanged ? `Nothing new since ${url}` : `The review of #${task.number}: ${url}`;
  return { ...review, notes: [...notes, note] };
}

async function writePullCheck(task: PullTask): Promise<WriteResult> {
  const { commit, notes, publication } = await lookUpFindings(task);
  if (commit === undefined)
    throw wrongInput(
      'report-file',
      `the report does not name a commit of #${task.number}, and a check run belongs to a commit.`,
    );
  const written = await writeCheck(task.github, { ...task, publication }, commit);
  return { ...written, notes: [...notes, ...written.notes] };
}

/** The commit for a check run without a pull request, as after a push. */
function commitOf({ head }: GithubEvent, publication: Publication): string {
  if (head !== undefined && (publication.head ?? head) === head) return head;
  throw wrongInput(
    'report-file',
    'the report is not about the commit of this event, so there is no commit for a check run.',
  );
}

async function writeCheck(
  github: GithubClient,
  { inputs, publication, links, key }: PublishTask & { key?: string },
  commit: string,
): Promise<WriteResult> {
  const { text: summary, omitted } = writeComment(publication, links, key === undefined ? {} : { key });
  const { url, annotations, isUnchanged } = await publishCheck(github, {
    commit,
    inputKey: inputs.key,
    publication,
    failOnSeverity: inputs.failOnSeverity,
    summary,
  });
  const notes = [isUnchanged ? `The check run says the same: ${url}` : `The check run: ${url}`];
  return { publication, url, inline: annotations, omitted, notes };
}

async function writeReply(task: PullTask): Promise<WriteResult> {
  const { api, inputs, event, env, number, viewer } = task;
  const { publication } = isSettled(task.publication) ? task : await lookUpFindings(task);
  const reply = {
    ...task,
    publication,
    comment: askedIn(event, number),
    inputKey: inputs.key,
    patch: readPatch(inputs.patchFile, publication),
    repository: env['GITHUB_REPOSITORY'] ?? '',
    token: inputs.token,
  };
  const { what, ...written } = await publishReply(api, reply, viewer);
  return { ...written, publication, notes: [`The reply on #${number} is ${what}: ${written.url}`] };
}

/** The comment to reply to is the one of the event. A report cannot choose another. */
function askedIn({ name, comment, pull }: GithubEvent, number: number): NamedComment {
  if (comment && pull?.number === number) return comment;
  const message =
    comment && pull
      ? `reply answers the comment of the event, which is on #${pull.number} and not on #${number}; leave pr-number out.`
      : `reply needs the event of a comment on a pull request (issue_comment or pull_request_review_comment), and this is ${name || 'none'}; use as: comment.`;
  throw wrongInput('as', message);
}
