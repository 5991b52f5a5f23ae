import { readFileSync } from 'node:fs';
import { messageOf } from '../core/error-message.js';
import { FAILURES, RunFailure } from '../core/failure.js';
import { invalidInput } from '../core/input-shapes.js';
import { connectGithub, GithubRefusal, type Github, type Pull } from './api.js';
import { writeComment } from './comment-body.js';
import type { Surroundings } from './layout.js';
import { lineAnnotations } from './line-annotations.js';
import { digest, writeMarker } from './marker.js';
import { chooseTarget, readOccasion, type Occasion, type Target } from './occasion.js';
import { mergeReports, type Publication } from './publication.js';
import { type Shard, readReports, redactShards } from './read-reports.js';
import { parsePublishInputs, PUBLISH_INPUTS, type PublishInputs } from './publish-inputs.js';
import { publishReview } from './publish-review.js';
import { publishSticky } from './sticky-comment.js';
import {
  annotate,
  appendSummary,
  error as printError,
  getInput,
  info,
  setOutput,
  setSecret,
  summarySize,
  warning,
} from '../core/runner.js';

/** What came of it. */
interface Outcome {
  published: boolean;
  url: string;
  inline: number;
  dropped: number;
}
const NOTHING: Outcome = { published: false, url: '', inline: 0, dropped: 0 };

/** The publish step, top to bottom: inputs, reports, pull request, GitHub. The only place of it that fails the step. */
export async function publishReport(env: NodeJS.ProcessEnv): Promise<void> {
  let outcome = NOTHING;
  try {
    outcome = await carryOut(env);
  } catch (error) {
    printError(inWords(error), 'The report could not be published');
    process.exitCode = 1;
  }
  setOutput('published', String(outcome.published));
  setOutput('url', outcome.url);
  setOutput('inline-comments', String(outcome.inline));
  setOutput('dropped-findings', String(outcome.dropped));
}

async function carryOut(env: NodeJS.ProcessEnv): Promise<Outcome> {
  const inputs = readPublishInputs();
  const shards = redactShards(readShards(inputs), inputs.token);
  const publication = mergeReports(shards, inputs);
  const occasion = readOccasion(env, (path) => readFileSync(path, 'utf8'));
  const surroundings = surroundingsOf(env, occasion);
  if (inputs.as === 'annotations') return tellHere(publication, surroundings, '');
  try {
    return await tellGithub({ inputs, publication, occasion, surroundings, env });
  } catch (error) {
    if (!(error instanceof GithubRefusal) || !error.isReadOnly) throw error;
    const why =
      'github-token can only read here, as it does for pull requests from forks, so this is shown as annotations ' +
      'and in the job summary. To have it on the pull request, publish from a workflow_run, or give the job ' +
      '"permissions: pull-requests: write".';
    warning(why, 'Cursor Agent: not published');
    return { ...tellHere(publication, surroundings, `*${why}*`), published: false };
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

/** Some reports of many may be bad, and are told as such; if all are, there is nothing to tell. */
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

function surroundingsOf(env: NodeJS.ProcessEnv, { agentRunId }: Occasion): Surroundings {
  const server = (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, '');
  const repositoryUrl = `${server}/${env['GITHUB_REPOSITORY'] ?? ''}`;
  const run = agentRunId ?? env['GITHUB_RUN_ID'] ?? '';
  return { repositoryUrl, runUrl: `${repositoryUrl}/actions/runs/${run}` };
}

/** Annotations and the job summary: what needs no token. */
function tellHere(publication: Publication, surroundings: Surroundings, remark: string): Outcome {
  const { annotations } = lineAnnotations(publication);
  for (const { level, title, text, place } of annotations)
    annotate(level, text, { title, ...(place ? { place } : {}) });
  const { text, left } = writeComment(publication, surroundings, { remark });
  if (summarySize() !== undefined) appendSummary(`${text}\n`);
  return { published: true, url: '', inline: 0, dropped: publication.belowMinimum + left };
}

interface Telling {
  inputs: PublishInputs;
  publication: Publication;
  occasion: Occasion;
  surroundings: Surroundings;
  env: NodeJS.ProcessEnv;
}

async function tellGithub({ inputs, publication, occasion, surroundings, env }: Telling): Promise<Outcome> {
  const [owner = '', repo = '', ...rest] = (env['GITHUB_REPOSITORY'] ?? '').split('/');
  if (owner === '' || repo === '' || rest.length > 0)
    throw new RunFailure('invalid-input', 'GITHUB_REPOSITORY is not owner/name.');
  const target = chooseTarget(inputs.pullNumber, occasion, publication.pullRequest);
  const apiUrl = env['GITHUB_API_URL'] || 'https://api.github.com';
  const github = await connectGithub({ token: inputs.token, apiUrl, owner, repo, tell: info });
  const { number, pull } = await findPull(github, target, occasion);
  const viewer = await github.viewer();
  const key = digest('key', inputs.key);
  if (inputs.as === 'comment') {
    const { text, left } = writeComment(publication, surroundings, {
      opening: writeMarker({ kind: 'comment', key }),
    });
    const { url, what } = await publishSticky(github, { number, key, body: text }, viewer);
    info(`The comment on #${number} is ${what}: ${url}`);
    return { published: true, url, inline: 0, dropped: publication.belowMinimum + left };
  }
  const reviewed = publication.head ?? (occasion.pullNumber === number ? occasion.head : undefined);
  const { event } = inputs;
  const task = { number, pull, key, event, publication, surroundings, reviewed };
  const review = await publishReview(github, task, viewer);
  for (const remark of review.notes) info(remark);
  info(review.isUnchanged ? `Nothing new since ${review.url}` : `The review of #${number}: ${review.url}`);
  const dropped = publication.belowMinimum + review.left;
  return { published: true, url: review.url, inline: review.inline, dropped };
}

/** The pull request to write to; one that only the report names has to have the commit of the event. */
async function findPull(
  github: Github,
  target: Target,
  { event }: Occasion,
): Promise<{ number: number; pull: Pull }> {
  if (target.kind === 'none') {
    const message = `the event ${event || '(none)'} is not about one pull request; set pr-number, or use as: annotations.`;
    throw invalidInput([{ input: 'pr-number', message }]);
  }
  const { number } = target;
  const pull = await github.pull(number);
  if (target.kind === 'known' || pull.head === target.commit) return { number, pull };
  if ((await github.commits(number)).includes(target.commit)) return { number, pull };
  const message =
    `the report names #${number}, but the commit of this event (${target.commit.slice(0, 12)}) is not part of it, ` +
    'so the report is not believed; set pr-number.';
  throw invalidInput([{ input: 'pr-number', message }]);
}

function inWords(error: unknown): string {
  if (error instanceof GithubRefusal) return error.message;
  if (error instanceof RunFailure) {
    const { what, remedy } = FAILURES[error.reason];
    return `${what} ${remedy}\n${error.detail}`;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
  return `${FAILURES.internal.what} ${FAILURES.internal.remedy}\n${stack}`;
}
