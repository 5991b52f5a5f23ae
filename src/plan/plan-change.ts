import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numstatByGit } from '../context/git-change.js';
import { ExplainedError, messageOf } from '../core/errors.js';
import { invalidInput } from '../core/input-shapes.js';
import { getInput, info, printGroup, setOutput, setSecret } from '../core/runner.js';
import { writePath } from '../git/path-line.js';
import { readGithubEvent, type Commits, type GithubEvent } from '../github/event.js';
import { readNumstat, selectFiles, type ChangedFile, type Selection } from './changed-files.js';
import { PLAN_INPUTS, parsePlanInputs, type PlanInputs } from './plan-inputs.js';
import { splitIntoShards, weightOf, writeMatrix, type Shard } from './shards.js';

/** The plan step, top to bottom: inputs, changed files, shards, outputs. */
export async function planChange(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<void> {
  const inputs = readInputs();
  const commits = plannedCommits(inputs, readGithubEvent(env));
  const files = await readFiles(commits, { env, token: inputs.githubToken, cancel });
  const selection = selectFiles(files, inputs.excludes);
  const shards = splitIntoShards(selection.files, inputs.limits);
  writeOutputs(shards, selection);
  writeLog(shards, selection);
}

function readInputs(): PlanInputs {
  const raw = Object.fromEntries(PLAN_INPUTS.map((name) => [name, getInput(name)])) as Record<
    (typeof PLAN_INPUTS)[number],
    string
  >;
  if (raw['github-token'] !== '') setSecret(raw['github-token']);
  const inputs = parsePlanInputs(raw);
  if ('problems' in inputs) throw invalidInput(inputs.problems);
  return inputs;
}

const REMEDY = 'Set the inputs base and head, or use another event.';

/** The change to split up: the one that the inputs name, or the change of the event. */
export function plannedCommits(
  { base, head }: Pick<PlanInputs, 'base' | 'head'>,
  event: Pick<GithubEvent, 'name' | 'change'>,
): Commits {
  if (base !== undefined && head !== undefined) return { kind: 'known', base, head, history: 'forked' };
  const commits = event.change?.commits;
  const what = event.name === '' ? 'A run without an event' : `This ${event.name} event`;
  if (!commits) {
    throw new ExplainedError(
      `${what} is not about a change, unlike pull requests, merge groups and pushes to a branch. ${REMEDY}`,
    );
  }
  if (commits.kind === 'of-pull')
    throw new ExplainedError(`${what} names its pull request, but not the commits. ${REMEDY}`);
  return commits;
}

interface Access {
  env: NodeJS.ProcessEnv;
  token: string | undefined;
  cancel: AbortSignal;
}

async function readFiles(commits: Commits, { env, token, cancel }: Access): Promise<ChangedFile[]> {
  const workspace = env['GITHUB_WORKSPACE'] || process.cwd();
  const holding = mkdtempSync(join(env['RUNNER_TEMP'] || tmpdir(), 'cursor-agent-plan-'));
  try {
    const request = { directory: workspace, workspace, holding, env, token, cancel };
    const { text, notes } = await numstatByGit(request, commits);
    notes.forEach(info);
    return readNumstat(text);
  } catch (error) {
    throw new ExplainedError(
      `Could not list the changed files up to ${commits.head.slice(0, 10)}: ${messageOf(error)}. ` +
        'Add an actions/checkout step before this one. If the clone is shallow, github-token must be able to read ' +
        'the repository (contents: read) to fetch the missing commits; with fetch-depth: 0 none are missing.',
      { cause: error },
    );
  } finally {
    rmSync(holding, { recursive: true, force: true });
  }
}

/** The list is for people. It must leave room for the matrix. */
const MOST_SKIPPED = 500;

function writeOutputs(shards: readonly Shard[], { files, skipped }: Selection): void {
  const matrix = writeMatrix(shards);
  if (matrix.kind === 'too-long') {
    throw new ExplainedError(
      `The names of ${files.length} files have ${matrix.characters} characters, which is more than GitHub allows ` +
        'in an output. Leave some files out with exclude, or split the change.',
    );
  }
  setOutput('matrix', matrix.json);
  setOutput('shards', String(shards.length));
  setOutput('has-work', String(shards.length > 0));
  setOutput('files', String(files.length));
  setOutput('skipped', String(skipped.length));
  setOutput('skipped-files', JSON.stringify(skipped.slice(0, MOST_SKIPPED).map(({ path }) => path)));
}

function writeLog(shards: readonly Shard[], { files, skipped }: Selection): void {
  info(`${files.length} changed files in ${shards.length} shards, ${skipped.length} left out.`);
  shards.forEach((shard, index) => {
    const title = `Shard ${index + 1} of ${shards.length}: ${shard.length} files, weight ${weightOf(shard)}`;
    printGroup(
      title,
      shard.map(({ path, lines }) => `${writePath(path)} (${lines} lines)`),
    );
  });
  if (skipped.length > 0)
    printGroup(
      'Left out',
      skipped.map(({ path, why }) => `${writePath(path)} ${why}`),
    );
}
