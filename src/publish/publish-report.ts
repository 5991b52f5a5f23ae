import { RunFailure } from '../core/failure.js';
import { invalidInput } from '../core/input-shapes.js';
import { apiUrlOf, connectGithub, parseRepository } from '../github/client.js';
import { readGithubEvent, type GithubEvent } from '../github/event.js';
import { GithubError } from '../github/github-error.js';
import { writeComment } from './comment-body.js';
import type { Surroundings } from './layout.js';
import { lineAnnotations } from './line-annotations.js';
import { digest, writeMarker } from '../github/marker.js';
import { openPullRequests, type Pull, type PullRequestApi } from './pull-request-api.js';
import { mergeReports, type Publication } from './publication.js';
import { readReports, redactShards, type Shard } from '../report/read-reports.js';
import { parsePublishInputs, PUBLISH_INPUTS, type PublishInputs } from './publish-inputs.js';
import { publishReview } from './publish-review.js';
import { publishSticky } from './sticky-comment.js';
import {
  annotate,
  appendSummary,
  getInput,
  info,
  setOutput,
  setSecret,
  summarySize,
  warning,
} from '../core/runner.js';

/** The result of the step. */
interface Outcome {
  published: boolean;
  url: string;
  inline: number;
  dropped: number;
}
const NOTHING: Outcome = { published: false, url: '', inline: 0, dropped: 0 };

/** The publish step, top to bottom: inputs, reports, pull request, GitHub. The outputs are set even if it fails. */
export async function publishReport(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<void> {
  let outcome = NOTHING;
  try {
    outcome = await publish(env, cancel);
  } finally {
    setOutput('published', String(outcome.published));
    setOutput('url', outcome.url);
    setOutput('inline-comments', String(outcome.inline));
    setOutput('dropped-findings', String(outcome.dropped));
  }
}

async function publish(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<Outcome> {
  const inputs = readPublishInputs();
  const shards = redactShards(readShards(inputs), inputs.token);
  const publication = mergeReports(shards, inputs);
  const event = readGithubEvent(env);
  const surroundings = surroundingsOf(env, event);
  if (inputs.as === 'annotations') return showInRun(publication, surroundings, '');
  try {
    return await writeToPull({ inputs, publication, event, surroundings, env, cancel });
  } catch (error) {
    if (!(error instanceof GithubError) || !error.isReadOnly) throw error;
    const why =
      'github-token can only read, as in a run for a fork, so the report is shown as annotations and in the job ' +
      'summary. To publish it on the pull request, publish from a workflow_run, or give the job ' +
      '"permissions: pull-requests: write".';
    warning(why, 'Cursor Agent: not published');
    return { ...showInRun(publication, surroundings, `*${why}*`), published: false };
  }
}

function readPublishInputs(): PublishInputs {
  const raw = Object.fromEntries(PUBLISH_INPUTS.map((name) => [name, getInput(name)])) as Record<
    (typeof PUBLISH_INPUTS)[number],
    string
  >;
  if (raw['github-token'] !== '') setSecret(raw['github-token']);
  const inputs = parsePublishInputs(raw);
  if ('problems' in inputs) throw invalidInput(inputs.problems);
  return inputs;
}

/** If some reports cannot be read, the result says so. If none can be read, there is nothing to publish. */
function readShards({ reportFiles }: PublishInputs): Shard[] {
  const shards = readReports(reportFiles);
  const silent = shards.filter((shard) => shard.kind === 'silent');
  if (shards.length === 0) {
    throw invalidInput([
      { input: 'report-file', message: `there is no report*.json below ${reportFiles.join(', ')}.` },
    ]);
  }
  if (silent.length === shards.length) {
    throw invalidInput(silent.map(({ name, why }) => ({ input: 'report-file', message: `${name} ${why}` })));
  }
  for (const { name, why } of silent) warning(`${name} ${why}`, 'Cursor Agent: a report is missing');
  return shards;
}

function surroundingsOf(env: NodeJS.ProcessEnv, { ci }: GithubEvent): Surroundings {
  const server = (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, '');
  const repositoryUrl = `${server}/${env['GITHUB_REPOSITORY'] ?? ''}`;
  // After a workflow_run the agent worked in that other run.
  const run = ci?.kind === 'run' ? ci.id : (env['GITHUB_RUN_ID'] ?? '');
  return { repositoryUrl, runUrl: `${repositoryUrl}/actions/runs/${run}` };
}

/** Annotations and the job summary, which need no token. */
function showInRun(publication: Publication, surroundings: Surroundings, remark: string): Outcome {
  const { annotations } = lineAnnotations(publication);
  for (const { level, title, text, place } of annotations)
    annotate(level, text, { title, ...(place ? { place } : {}) });
  const { text, left } = writeComment(publication, surroundings, { remark });
  if (summarySize() !== undefined) appendSummary(`${text}\n`);
  return { published: true, url: '', inline: 0, dropped: publication.belowMinimum + left };
}

/** A report that is not published is lost work, so publish waits longer for GitHub than other steps do. */
export const PATIENCE = { mostTries: 5, mostWaitMs: 120_000 };

interface PullTask {
  inputs: PublishInputs;
  publication: Publication;
  event: GithubEvent;
  surroundings: Surroundings;
  env: NodeJS.ProcessEnv;
  cancel: AbortSignal;
}

async function writeToPull({
  inputs,
  publication,
  event,
  surroundings,
  env,
  cancel,
}: PullTask): Promise<Outcome> {
  const repository = parseRepository(env['GITHUB_REPOSITORY'] ?? '');
  if (!repository) throw new RunFailure('invalid-input', 'GITHUB_REPOSITORY is not owner/name.');
  const target = chooseTarget(inputs.pullNumber, event, publication.pullRequest);
  const limits = PATIENCE;
  const connection = { token: inputs.token, apiUrl: apiUrlOf(env), repository, cancel, limits, tell: info };
  const api = openPullRequests(connectGithub(connection));
  const { number, pull } = await findPull(api, target, event);
  const viewer = await api.viewer();
  const key = digest('key', inputs.key);
  if (inputs.as === 'comment') {
    const { text, left } = writeComment(publication, surroundings, {
      opening: writeMarker({ kind: 'comment', key }),
    });
    const { url, what } = await publishSticky(api, { number, key, body: text }, viewer);
    info(`The comment on #${number} is ${what}: ${url}`);
    return { published: true, url, inline: 0, dropped: publication.belowMinimum + left };
  }
  const reviewed = publication.head ?? (pullOf(event) === number ? event.head : undefined);
  const task = { number, pull, key, event: inputs.event, publication, surroundings, reviewed };
  const review = await publishReview(api, task, viewer);
  for (const remark of review.notes) info(remark);
  info(review.isUnchanged ? `Nothing new since ${review.url}` : `The review of #${number}: ${review.url}`);
  const dropped = publication.belowMinimum + review.left;
  return { published: true, url: review.url, inline: review.inline, dropped };
}

/**
 * The pull request to write to. The input of the workflow's author comes first, then the event. A number that only
 * the report names is a claim: it holds only if `commit`, which the event vouches for, is a commit of that pull
 * request. So a report can only choose among the pull requests that contain the commit.
 */
export type Target =
  { kind: 'known'; number: number } | { kind: 'claimed'; number: number; commit: string } | { kind: 'none' };

export function chooseTarget(
  given: number | undefined,
  event: Pick<GithubEvent, 'pull' | 'head'>,
  named: number | undefined,
): Target {
  const known = given ?? pullOf(event);
  if (known !== undefined) return { kind: 'known', number: known };
  if (named === undefined || event.head === undefined) return { kind: 'none' };
  return { kind: 'claimed', number: named, commit: event.head };
}

/** The pull request of the event. After a CI run it counts only if the run was about its current head. */
const pullOf = ({ pull, head }: Pick<GithubEvent, 'pull' | 'head'>): number | undefined =>
  pull?.head === head ? pull?.number : undefined;

/** Reads the pull request to write to, and checks a number that only the report claims. */
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
  if (target.kind === 'known' || pull.head === target.commit) return { number, pull };
  if ((await api.commits(number)).includes(target.commit)) return { number, pull };
  const message =
    `the report names #${number}, but the commit of this event (${target.commit.slice(0, 12)}) is not part of it, ` +
    'so the report is not believed; set pr-number.';
  throw invalidInput([{ input: 'pr-number', message }]);
}
