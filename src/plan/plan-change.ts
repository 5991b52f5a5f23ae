import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numstatByGit } from '../context/git-change.js';
import { readGithubEvent, type Commits } from '../github/event.js';
import { writePath } from '../git/path-line.js';
import { ExplainedError, messageOf } from '../core/errors.js';
import { readNumstat, type ChangedFile } from './changed-file.js';
import { writeMatrix } from './matrix.js';
import { PLAN_INPUTS, parsePlanInputs, type PlanInputs } from './plan-inputs.js';
import { plannedCommits } from './planned-commits.js';
import { selectFiles, type Selection } from './selection.js';
import { shareOut, weightOf, type Shard } from './shards.js';
import { getInput, info, printGroup, setOutput, setSecret } from '../core/runner.js';

/** The plan step, top to bottom: inputs, changed files, shards, outputs. */
export async function planChange(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<void> {
  const inputs = readInputs();
  const commits = plannedCommits(inputs, readGithubEvent(env));
  const files = await readFiles(commits, { env, token: inputs.githubToken, cancel });
  const selection = selectFiles(files, inputs.excludes);
  const shards = shareOut(selection.files, inputs.limits);
  tellOutputs(shards, selection);
  tellLog(shards, selection);
}

function readInputs(): PlanInputs {
  const raw = Object.fromEntries(PLAN_INPUTS.map((name) => [name, getInput(name)]));
  if (raw['github-token']) setSecret(raw['github-token']);
  const inputs = parsePlanInputs(raw as Parameters<typeof parsePlanInputs>[0]);
  if ('problems' in inputs) throw new ExplainedError(inputs.problems.join('\n'));
  return inputs;
}

interface Means {
  env: NodeJS.ProcessEnv;
  token: string | undefined;
  cancel: AbortSignal;
}

async function readFiles(commits: Commits, { env, token, cancel }: Means): Promise<ChangedFile[]> {
  const workspace = env['GITHUB_WORKSPACE'] || process.cwd();
  const holding = mkdtempSync(join(env['RUNNER_TEMP'] || tmpdir(), 'cursor-agent-plan-'));
  try {
    const request = { directory: workspace, workspace, holding, env, token, cancel };
    const { text, notes } = await numstatByGit(request, commits);
    notes.forEach(info);
    return readNumstat(text);
  } catch (error) {
    throw new ExplainedError(
      `The files of the change up to ${commits.head.slice(0, 10)} could not be had: ${messageOf(error)}. ` +
        'It takes an actions/checkout step before this one, and a github-token that may read the repository ' +
        '(contents: read) to fetch the commits a shallow clone lacks; with fetch-depth: 0 it lacks none.',
      { cause: error },
    );
  } finally {
    rmSync(holding, { recursive: true, force: true });
  }
}

/** The list is for people; it must not use up what the matrix needs. */
const MOST_SKIPPED = 500;

function tellOutputs(shards: readonly Shard[], { files, skipped }: Selection): void {
  const matrix = writeMatrix(shards);
  if (matrix.kind === 'too-long') {
    throw new ExplainedError(
      `The names of ${files.length} files take ${matrix.characters} characters, more than GitHub takes as an ` +
        'output. Leave some out with exclude, or split the change.',
    );
  }
  setOutput('matrix', matrix.json);
  setOutput('shards', String(shards.length));
  setOutput('has-work', String(shards.length > 0));
  setOutput('files', String(files.length));
  setOutput('skipped', String(skipped.length));
  setOutput('skipped-files', JSON.stringify(skipped.slice(0, MOST_SKIPPED).map(({ path }) => path)));
}

function tellLog(shards: readonly Shard[], { files, skipped }: Selection): void {
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
