import { afterAll, beforeAll } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verification } from '../../src/report/model.js';
import { startRoutes } from '../context/routes.js';
import type { Api } from '../github/api-server.js';
import { fakeAgent } from './fake-agent.js';
import { runStep } from './step.js';
import { git, makeFolder, makeWorkspace } from './workspace.js';

/** What GitHub says about the CI run: its log can be read once it is set. */
let log = '';
/** Other runs of the same workflow, the log of the run on the default branch, and pull requests. */
export const github = { runs: [] as object[], pulls: [] as object[], baseLog: '' };
let api: Api;
const REPO = '/repos/acme/project';
beforeAll(async () => {
  api = await startRoutes({
    [`GET ${REPO}/collaborators/mary/permission`]: {
      body: { permission: 'write', user: { login: 'mary', type: 'User' } },
    },
    [`GET ${REPO}/actions/runs/3/attempts/1/jobs`]: {
      body: {
        total_count: 1,
        jobs: [{ id: 21, run_id: 3, name: 'build', conclusion: 'failure', steps: [] }],
      },
    },
    [`GET ${REPO}/actions/jobs/21/logs`]: () => ({ body: log }),
    [`GET ${REPO}/check-runs/21/annotations`]: { body: [] },
    [`GET ${REPO}/actions/workflows/9/runs`]: ({ query }) => {
      const some = github.runs.filter(
        (run) => (run as { head_branch: string }).head_branch === query.get('branch'),
      );
      return { body: { total_count: some.length, workflow_runs: some } };
    },
    [`GET ${REPO}/pulls`]: () => ({ body: github.pulls }),
    [`GET ${REPO}/actions/runs/2/attempts/1/jobs`]: {
      body: {
        total_count: 1,
        jobs: [{ id: 22, run_id: 2, name: 'build', conclusion: 'failure', steps: [] }],
      },
    },
    [`GET ${REPO}/actions/jobs/22/logs`]: () => ({ body: github.baseLog }),
    [`GET ${REPO}/check-runs/22/annotations`]: { body: [] },
  });
});
afterAll(() => api.close());

const account = { login: 'mary', id: 11, type: 'User' };
const repository = { id: 1001, name: 'project', full_name: 'acme/project', default_branch: 'main' };

/** A small project with a test that fails. */
const TEST = [
  "import { test } from 'node:test';",
  "import assert from 'node:assert';",
  "import { sum } from './sum.js';",
  "test('adds two numbers', () => {",
  '  assert.equal(sum(1, 2), 3);',
  '});',
  '',
].join('\n');
export const PROJECT = {
  '.gitignore': 'node_modules/\nout/\n',
  'package.json': '{"type":"module","scripts":{"test":"node --test"}}\n',
  'sum.js': 'export const sum = (a, b) => a - b;\n',
  'sum.test.js': TEST,
};
export const FIX = "writeFileSync('sum.js', 'export const sum = (a, b) => a + b;\\n');";

export const timed = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `2026-01-01T08:00:01.0000000Z ${line}\n`)
    .join('');

/** What a runner with this project would have printed. */
export function logOf(workspace: string, script = 'npm test'): string {
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: workspace, encoding: 'utf8' });
  return timed(`${stdout}${stderr}\n##[error]Process completed with exit code 1.`);
}

export interface Case {
  files?: Record<string, string>;
  /** What is there besides, as steps before this one leave it. */
  prepare?: (workspace: string) => void;
  log?: (workspace: string) => string;
  env?: Record<string, string>;
  inputs?: Record<string, string>;
}

/** Runs an agent that does `body` after the CI run of the project failed. */
export async function repair(body: string, { files = PROJECT, prepare, inputs = {}, ...more }: Case = {}) {
  const workspace = makeWorkspace(files);
  prepare?.(workspace);
  log = (more.log ?? logOf)(workspace);
  const event = join(makeFolder('event'), 'event.json');
  const commit = git(workspace, 'rev-parse', 'HEAD').trim();
  const workflowRun = {
    ...{ id: 3, name: 'CI', event: 'push', run_attempt: 1, head_sha: commit },
    ...{ workflow_id: 9, head_branch: 'feature' },
    ...{ head_repository: repository, actor: account, triggering_actor: account, pull_requests: [] },
  };
  const payload = { action: 'completed', workflow_run: workflowRun, repository, sender: account };
  writeFileSync(event, JSON.stringify(payload));
  const agent = fakeAgent(`
    const { mkdirSync, readFileSync: read, renameSync, rmSync, utimesSync, writeFileSync } = await import('node:fs');
    init(); ${body}; say('Repaired.'); finish('Repaired.');`);
  const step = await runStep({
    workspace,
    inputs: { 'cli-path': agent.path, context: 'auto', preset: 'fix-ci', verify: 'npm test', ...inputs },
    env: {
      ...{ GITHUB_EVENT_NAME: 'workflow_run', GITHUB_EVENT_PATH: event, GITHUB_REPOSITORY: 'acme/project' },
      ...{ GITHUB_ACTOR: 'mary', GITHUB_TRIGGERING_ACTOR: 'mary', GITHUB_API_URL: api.url },
      ...more.env,
    },
  });
  const report = JSON.parse(readFileSync(step.outputs.get('report-file') ?? '', 'utf8')) as {
    verification: Verification;
    skipped?: { code: string; reason: string };
    failureKey?: string;
  };
  const page = readFileSync(step.outputs.get('report-html') ?? '', 'utf8');
  const verdict = [step.outputs.get('failure-reason'), step.outputs.get('verification')];
  return { step, workspace, report, page, verdict, starts: agent.sightings() };
}
