import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { startGitServer, type GitServer } from '../context/git-server.js';
import { checkout, makeScene, type Scene } from '../context/history-scenes.js';
import { removeScratch } from '../sandbox/layer/scratch-repository.js';
import { PLAN_INPUTS } from '../../src/plan/plan-change.js';
import type { MatrixEntry } from '../../src/plan/shards.js';
import { eventOf } from './publish-step.js';
import { built, GITHUB_TOKEN, runStep } from './step.js';
import { makeFolder, removeFolders } from './workspace.js';

const PLAN = parse(readFileSync('plan/action.yml', 'utf8')) as {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, unknown>;
  runs: { main: string };
};

let scene: Scene;
let server: GitServer;
beforeAll(async () => {
  scene = makeScene();
  server = await startGitServer(scene.folder);
});
afterEach(() => {
  server.requests.length = 0;
  removeFolders();
});
afterAll(async () => {
  await server.close();
  removeScratch();
});

interface Case {
  event: [string, unknown];
  workspace: string;
  inputs?: Record<string, string>;
  env?: Record<string, string>;
}

const plan = async ({ event, workspace, inputs = {}, env = {} }: Case) => {
  const defaults = Object.entries(PLAN.inputs).map(([name, input]) => [
    name,
    input.default === '${{ github.token }}' ? GITHUB_TOKEN : (input.default ?? ''),
  ]);
  const step = await runStep({
    entry: built(join('plan', PLAN.runs.main)),
    workspace,
    inputs: { ...(Object.fromEntries(defaults) as Record<string, string>), ...inputs },
    env: { GITHUB_REPOSITORY: 'acme/project', GITHUB_SERVER_URL: server.url, ...eventOf(...event), ...env },
  });
  const matrix = step.outputs.get('matrix');
  const { include } = JSON.parse(matrix ?? '{"include": []}') as { include: MatrixEntry[] };
  return { step, files: include.flatMap(({ files }) => files.split('\n')) };
};

const pullRequest = (): [string, unknown] => {
  const side = (ref: string, sha: string) => ({ ref, sha, repo: { full_name: 'acme/project' } });
  const pull = { number: 7, title: 'x', base: side('main', scene.base), head: side('change', scene.head) };
  return ['pull_request', { pull_request: pull }];
};

/** What the branch changed, without the binary file; the odd name as a JSON string. */
const CHANGED = ['a.txt', 'gone.txt', 'new name.txt', '"é \\"quoted\\"\\t.txt"'];

describe('plan', () => {
  it('has the inputs that it reads', () => {
    expect(Object.keys(PLAN.inputs)).toEqual(PLAN_INPUTS);
  });

  it.each([
    ['the merge commit alone', 'refs/pull/7/merge', 1],
    ['the head alone', 'refs/pull/7/head', 1],
    ['everything', 'refs/pull/7/head', 0],
  ])('shares the change of a pull request out from a checkout of %s', async (_name, ref, depth) => {
    const { step, files } = await plan({ event: pullRequest(), workspace: checkout(scene, ref, depth) });
    expect(step.errors).toEqual([]);
    expect(step.code).toBe(0);
    expect(files).toEqual(CHANGED);
    expect(step.outputs.get('skipped-files')).toBe('["picture.bin"]');
    expect(new Set(step.outputs.keys())).toEqual(new Set(Object.keys(PLAN.outputs)));
    expect(server.requests.length > 0).toBe(depth === 1);
    // The runner is told to mask the token; besides that it is nowhere, and nothing is left behind.
    expect(step.stdout.split(GITHUB_TOKEN)).toHaveLength(2);
    expect(step.stdout).toContain(`::add-mask::${GITHUB_TOKEN}`);
    expect(readdirSync(step.temp)).toEqual([]);
  });

  it('knows a new branch, and what was pushed', async () => {
    const push = (before: string, after: string, ref: string): [string, unknown] => [
      'push',
      { ref, before, after, repository: { full_name: 'acme/project', default_branch: 'main' } },
    ];
    const fresh = await plan({
      event: push('0'.repeat(40), scene.head, 'refs/heads/change'),
      workspace: checkout(scene, 'refs/heads/change', 1),
    });
    expect(fresh.files).toEqual(CHANGED);
    const pushed = await plan({
      event: push(scene.parted, scene.base, 'refs/heads/main'),
      workspace: checkout(scene, 'refs/heads/main', 1),
    });
    expect(pushed.files).toEqual(['main.txt', 'more.txt']);
  });

  it('takes base and head where the event does not say', async () => {
    const workspace = checkout(scene, 'refs/pull/7/merge', 1);
    const comment: [string, unknown] = ['issue_comment', { issue: { number: 7, pull_request: {} } }];
    const without = await plan({ event: comment, workspace });
    expect(without.step.code).toBe(1);
    expect(without.step.errors).toEqual([expect.stringMatching(/issue_comment.*inputs base and head/)]);
    const inputs = { base: scene.base, head: scene.head };
    expect((await plan({ event: comment, workspace, inputs })).files).toEqual(CHANGED);
    expect((await plan({ event: ['schedule', {}], workspace, inputs })).files).toEqual(CHANGED);
  });

  it('refuses an input that it does not have, together with what else is wrong', async () => {
    const workspace = checkout(scene, 'refs/pull/7/merge', 1);
    const { step } = await plan({
      event: pullRequest(),
      workspace,
      inputs: { 'max-shard': '3', 'max-shards': 'x', other: 'y' },
    });
    expect(step.errors).toEqual([
      expect.stringMatching(/max-shard: is not an input; did you mean max-shards\?\nmax-shards: "x" given/),
    ]);
    expect(step.stdout).toContain('Not inputs of this action, so they are ignored: "other".');
  });

  it('says what it takes where commits cannot be had', async () => {
    const workspace = checkout(scene, 'refs/pull/7/merge', 1);
    const env = { GITHUB_SERVER_URL: 'http://127.0.0.1:9' };
    const { step } = await plan({ event: pullRequest(), workspace, env });
    expect(step.code).toBe(1);
    expect(step.errors).toEqual([expect.stringMatching(/git fetch failed.*contents: read.*fetch-depth: 0/s)]);
    const bare = await plan({ event: pullRequest(), workspace: makeFolder('empty') });
    expect(bare.step.errors).toEqual([expect.stringMatching(/not a git repository.*actions\/checkout/s)]);
  });
});
