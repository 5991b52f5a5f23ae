import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { WRITE_TOKEN } from '../github/stateful-fake.js';
import { writeReport } from './publish-step.js';
import { built, runStep, type StepResult } from './step.js';
import { git, makeFolder, writeTree } from './workspace.js';

export const PROPOSE = parse(readFileSync('propose/action.yml', 'utf8')) as {
  inputs: Record<string, { default?: string; description: string }>;
  outputs: Record<string, { description: string }>;
  runs: { using: string; main: string };
};

export interface ProposeStep {
  /** The checkout. */
  workspace: string;
  /** Written to a file that becomes the input `patch-file`, unless `inputs` names another. */
  patch?: string | undefined;
  report?: unknown;
  inputs?: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string | undefined>>;
  api: string;
}

/** Runs the built propose step in a child as the runner does, after a push to main of acme/project. */
export function runPropose({ workspace, patch, report, inputs, env, api }: ProposeStep): Promise<StepResult> {
  const defaults = Object.entries(PROPOSE.inputs).map(([name, input]) => [
    name,
    input.default === '${{ github.token }}' ? WRITE_TOKEN : (input.default ?? ''),
  ]);
  return runStep({
    entry: built(join('propose', PROPOSE.runs.main)),
    workspace,
    inputs: {
      ...(Object.fromEntries(defaults) as Record<string, string>),
      'patch-file': patch === undefined ? '' : writePatch(patch),
      'report-file': report === undefined ? '' : writeReport(report),
      ...inputs,
    },
    env: {
      GITHUB_API_URL: api,
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_REPOSITORY: 'acme/project',
      GITHUB_RUN_ID: '99',
      GITHUB_EVENT_NAME: 'push',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_WORKFLOW_REF: 'acme/project/.github/workflows/update-docs.yml@refs/heads/main',
      GITHUB_JOB: 'propose',
      ...env,
    },
  });
}

function writePatch(patch: string): string {
  const path = join(makeFolder('patch'), 'changes.patch');
  writeFileSync(path, patch, 'latin1');
  return path;
}

/** The patch that these changes of a checkout make, in git's own words. The checkout is put back. */
export function patchOf(workspace: string, change: Readonly<Record<string, string>> | (() => void)): string {
  if (typeof change === 'function') change();
  else writeTree(workspace, change);
  git(workspace, 'add', '--all');
  const patch = git(workspace, 'diff', '--cached', '--binary', '--full-index', '-M', 'HEAD');
  git(workspace, 'reset', '--quiet', '--hard');
  return patch;
}
