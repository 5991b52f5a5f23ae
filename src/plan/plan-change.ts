import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { numstatByGit } from '../context/git-change.js';
import { ExplainedError, messageOf } from '../core/errors.js';
import {
  choice,
  ifGiven,
  parseStepInputs,
  ignorePatterns,
  readStepInputs,
  token,
  wholeNumber,
  type InputProblem,
} from '../core/input-shapes.js';
import { info, printGroup, setOutput } from '../core/runner.js';
import { GENERATED_FILES } from '../git/diff.js';
import { writePath } from '../git/paths.js';
import { readGithubEvent, type Commits, type GithubEvent } from '../github/event.js';
import { COMMIT_ID, shortCommit } from '../text/format.js';
import {
  readNumstat,
  selectFiles,
  splitIntoShards,
  weightOf,
  writeMatrix,
  type SizedFile,
  type Selection,
  type Shard,
} from './shards.js';

/** GitHub creates at most this many jobs from one matrix. */
const MAX_SHARDS = 256;

const commit = ifGiven(
  z.string().check(z.regex(COMMIT_ID, 'use a full commit id, such as ${{ github.sha }}')),
);

/** Every input of plan/action.yml by its name. */
const PlanSchema = z.object({
  'max-shards': wholeNumber(MAX_SHARDS),
  'files-per-shard': wholeNumber(100_000),
  'lines-per-shard': wholeNumber(100_000_000),
  exclude: ignorePatterns,
  'default-excludes': choice('true', 'true', 'false'),
  base: commit,
  head: commit,
  'github-token': token,
});
type PlanInput = keyof typeof PlanSchema.shape;
export const PLAN_INPUTS = Object.keys(PlanSchema.shape) as PlanInput[];

type PlanInputs = ReturnType<typeof toInputs>;

/** Parses the raw strings. Returns the inputs, or every problem at once. */
export function parsePlanInputs(
  raw: Readonly<Record<PlanInput, string>>,
): PlanInputs | { problems: InputProblem[] } {
  const problems: InputProblem[] = [];
  if ((raw.base === '') !== (raw.head === '')) {
    const message = 'give both, or neither to use the commits of the event.';
    problems.push({ input: 'base, head', message });
  }
  const parsed = parseStepInputs(PlanSchema, raw, problems);
  return 'problems' in parsed ? parsed : toInputs(parsed.data);
}

function toInputs(data: z.output<typeof PlanSchema>) {
  return {
    limits: {
      maxShards: data['max-shards'] ?? 16,
      filesPerShard: data['files-per-shard'] ?? 25,
      sizePerShard: data['lines-per-shard'] ?? 1500,
    },
    excludes: [...(data['default-excludes'] === 'true' ? GENERATED_FILES : []), ...data.exclude],
    /** These two replace the commits of the event. */
    base: data.base,
    head: data.head,
    /** Fetches the commits that a shallow clone lacks. */
    githubToken: data['github-token'],
  };
}

/** The plan step, top to bottom: inputs, changed files, shards, outputs. */
export async function planChange(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<void> {
  const inputs = readStepInputs(PLAN_INPUTS, parsePlanInputs);
  const commits = plannedCommits(inputs, readGithubEvent(env));
  const files = await readFiles(commits, { env, token: inputs.githubToken, cancel });
  const selection = selectFiles(files, inputs.excludes);
  const shards = splitIntoShards(selection.files, inputs.limits);
  writeOutputs(shards, selection);
  writeLog(shards, selection);
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

interface PlanAccess {
  env: NodeJS.ProcessEnv;
  token: string | undefined;
  cancel: AbortSignal;
}

async function readFiles(commits: Commits, { env, token, cancel }: PlanAccess): Promise<SizedFile[]> {
  const workspace = env['GITHUB_WORKSPACE'] || process.cwd();
  const scratch = mkdtempSync(join(env['RUNNER_TEMP'] || tmpdir(), 'cursor-agent-plan-'));
  try {
    const request = { directory: workspace, workspace, scratch, env, token, cancel };
    const { text, notes } = await numstatByGit(request, commits);
    notes.forEach(info);
    return readNumstat(text);
  } catch (error) {
    throw new ExplainedError(
      `Could not list the changed files up to ${shortCommit(commits.head)}: ${messageOf(error)}. ` +
        'Add an actions/checkout step before this one. If the clone is shallow, github-token must be able to read ' +
        'the repository (contents: read) to fetch the missing commits; with fetch-depth: 0 none are missing.',
      { cause: error },
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The list is for people. It must leave room for the matrix. */
const MAX_SKIPPED = 500;

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
  setOutput('skipped-files', JSON.stringify(skipped.slice(0, MAX_SKIPPED).map(({ path }) => path)));
}

function writeLog(shards: readonly Shard[], { files, skipped }: Selection): void {
  info(`${files.length} changed files in ${shards.length} shards, ${skipped.length} left out.`);
  shards.forEach((shard, index) => {
    const title = `Shard ${index + 1} of ${shards.length}: ${shard.length} files, weight ${weightOf(shard)}`;
    printGroup(
      title,
      shard.map(({ path, size }) => `${writePath(path)} (${size} lines)`),
    );
  });
  if (skipped.length > 0)
    printGroup(
      'Left out',
      skipped.map(({ path, why }) => `${writePath(path)} ${why}`),
    );
}
