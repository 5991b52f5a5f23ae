import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from './error-message.js';
import { changeOf, type Change } from './plan/event-change.js';
import { writeMatrix, writePath } from './plan/matrix.js';
import { PLAN_INPUTS, parsePlanInputs, type PlanInputs } from './plan/plan-inputs.js';
import { readChange } from './plan/read-change.js';
import { selectFiles, type Selection } from './plan/selection.js';
import { shareOut, weightOf, type Shard } from './plan/shards.js';
import { error as printError, getInput, info, printGroup, setOutput } from './runner.js';

/** The plan step, top to bottom: inputs, changed files, shards, outputs. The only place of it that fails the step. */
export function planChange(env: NodeJS.ProcessEnv): void {
  try {
    const inputs = readInputs();
    const selection = selectFiles(readFiles(inputs, env), inputs.excludes);
    const shards = shareOut(selection.files, inputs.limits);
    tellOutputs(shards, selection);
    tellLog(shards, selection);
  } catch (error) {
    printError(messageOf(error), 'The change could not be shared out');
    process.exitCode = 1;
  }
}

function readInputs(): PlanInputs {
  const raw = Object.fromEntries(PLAN_INPUTS.map((name) => [name, getInput(name)]));
  const inputs = parsePlanInputs(raw as Parameters<typeof parsePlanInputs>[0]);
  if ('problems' in inputs) throw new Error(inputs.problems.join('\n'));
  return inputs;
}

function readFiles({ base, head }: PlanInputs, env: NodeJS.ProcessEnv) {
  const given: Change | undefined =
    base === undefined || head === undefined ? undefined : { base, head, sinceParting: true };
  const change = given ?? changeOf(readEvent(env['GITHUB_EVENT_PATH']));
  if (!change) {
    throw new Error(
      'The event is about no change (no pull request, no push to a branch that was there before). ' +
        'Give the inputs base and head, or run this on another event.',
    );
  }
  const holding = mkdtempSync(join(env['RUNNER_TEMP'] || tmpdir(), 'cursor-agent-plan-'));
  try {
    const workspace = env['GITHUB_WORKSPACE'] || process.cwd();
    return readChange(change, { workspace, holding, path: env['PATH'] });
  } finally {
    rmSync(holding, { recursive: true, force: true });
  }
}

function readEvent(path: string | undefined): unknown {
  try {
    return JSON.parse(readFileSync(path ?? '', 'utf8'));
  } catch {
    return undefined;
  }
}

/** The list is for people; it must not use up what the matrix needs. */
const MOST_SKIPPED = 500;

function tellOutputs(shards: readonly Shard[], { files, skipped }: Selection): void {
  const matrix = writeMatrix(shards);
  if (matrix.kind === 'too-long') {
    throw new Error(
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
