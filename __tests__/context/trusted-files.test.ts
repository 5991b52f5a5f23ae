import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTrusted } from '../../src/context/trusted-files.js';
import { readGithubEvent } from '../../src/github/event.js';
import { git } from '../sandbox/layer/scratch-repository.js';
import { startGitServer, type GitServer } from './git-server.js';
import { checkout, commit, makeScene, request, tip, type Scene } from './history-scenes.js';

let scene: Scene;
let server: GitServer;
/** An older commit of main, the tips of main, of a branch and of the main of a fork, and a commit the fork took from main. */
let old: string, main: string, branch: string, forked: string;
let fork: Scene;

beforeAll(async () => {
  scene = makeScene();
  old = commit(scene.origin, { 'AGENTS.md': 'old main' });
  for (let step = 0; step < 60; step += 1) commit(scene.origin, {});
  main = commit(scene.origin, { 'AGENTS.md': 'main' });
  git(scene.origin, 'checkout', '-q', '-b', 'feature');
  branch = commit(scene.origin, { 'AGENTS.md': 'feature' });
  git(scene.origin, 'checkout', '-q', 'main');
  const folder = join(scene.folder, 'stranger');
  mkdirSync(folder);
  cpSync(scene.origin, join(folder, 'project'), { recursive: true });
  fork = { ...scene, origin: join(folder, 'project') };
  forked = commit(fork.origin, { 'AGENTS.md': 'fork' });
  server = await startGitServer(scene.folder);
});
afterAll(() => server.close());

const repository = { full_name: 'acme/project', default_branch: 'main' };
interface Case {
  clone: string;
  name?: string;
  payload?: object;
  env?: Record<string, string>;
  choice?: 'auto' | 'base';
  unreachable?: boolean;
}
/** Which rules are seen, or that there are none. */
async function rulesIn({ clone, name = 'schedule', payload = {}, env = {}, choice, unreachable }: Case) {
  const variables = { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: '/event', ...env };
  const history = request(clone, unreachable ? undefined : server.url);
  const trusted = await readTrusted({
    event: readGithubEvent(variables, () => JSON.stringify({ repository, ...payload })),
    history: { ...history, env: { ...history.env, ...env } },
    choice: choice ?? 'auto',
    read: async (store, at) => (await store.ask(['show', `${at}:AGENTS.md`])).toString('utf8'),
  });
  if (trusted.kind === 'missing') return `none: ${trusted.why}`;
  return trusted.kind === 'checkout' ? `checkout ${git(clone, 'show', 'HEAD:AGENTS.md')}` : trusted.files;
}
const ref = (name: string, sha: string) => ({ GITHUB_REF: name, GITHUB_SHA: sha });

describe.each([1, 0])('in a clone of depth %d, rules and settings come from', (depth) => {
  const at = (name: string, from = scene) => checkout(from, `refs/heads/${name}`, depth);

  it('the checkout, if the runner says that it is the newest commit of the default branch', async () => {
    const env = ref('refs/heads/main', main);
    expect(await rulesIn({ clone: at('main'), env, unreachable: true })).toBe('checkout main');
    // The word of the runner is about one commit, and about the branch that is the default.
    const dispatched = { clone: at('feature'), name: 'workflow_dispatch' };
    expect(await rulesIn({ ...dispatched, env })).toBe('main');
    expect(await rulesIn({ ...dispatched, env: ref('refs/heads/feature', branch) })).toBe('main');
    expect(await rulesIn({ ...dispatched, env: ref('refs/tags/main', branch) })).toBe('main');
  });

  it('the checkout, if git finds its commit on the default branch', async () => {
    expect(await rulesIn({ clone: at('main') })).toBe('checkout main');
    git(scene.origin, 'branch', '-f', 'older', `${main}~3`);
    expect(await rulesIn({ clone: at('older'), name: 'release' })).toBe('checkout old main');
  });

  it('the default branch, if the main of a fork is checked out, whatever the checkout calls it', async () => {
    const clone = at('main', fork);
    expect(tip(clone)).toBe(forked);
    git(clone, 'remote', 'add', 'origin', `${server.url}/acme/project`);
    for (const name of ['refs/heads/main', 'refs/remotes/origin/main', 'refs/remotes/origin/HEAD'])
      git(clone, 'update-ref', name, forked);
    git(clone, 'checkout', '-q', 'main');
    const env = ref('refs/heads/main', main);
    const run = (from: object) => ({
      workflow_run: { id: 1, head_sha: forked, head_branch: 'main', ...from },
    });
    const head = { head_repository: { full_name: 'stranger/project' } };
    for (const [name, payload] of [
      ['workflow_run', run(head)],
      ['workflow_dispatch', {}],
      ['schedule', {}],
      ['issue_comment', { issue: { number: 3, title: 'An issue' } }],
      ['push', { ref: 'refs/heads/main', before: old, after: main }],
    ] as const)
      expect([name, await rulesIn({ clone, name, payload, env })]).toEqual([name, 'main']);
  });

  it('the default branch or the base of the pull request, after a run for a branch of this repository', async () => {
    const clone = at('feature');
    const env = ref('refs/heads/main', main);
    const run = { id: 1, head_sha: branch, head_branch: 'feature', head_repository: repository };
    expect(await rulesIn({ clone, name: 'workflow_run', payload: { workflow_run: run }, env })).toBe('main');
    const mention = { number: 7, head: { sha: branch }, base: { sha: old } };
    const payload = { workflow_run: { ...run, pull_requests: [mention] } };
    expect(await rulesIn({ clone, name: 'workflow_run', payload, env })).toBe('old main');
  });

  it('the base of a pull request, never from its head', async () => {
    const sides = {
      base: { ref: 'main', sha: old },
      head: { ref: 'feature', sha: branch, repo: repository },
    };
    const payload = { pull_request: { number: 7, title: 'x', ...sides } };
    for (const name of ['pull_request', 'pull_request_target', 'pull_request_review'])
      expect(await rulesIn({ clone: at('feature'), name, payload })).toBe('old main');
    const gone = { pull_request: { ...payload.pull_request, base: { ref: 'main', sha: 'a'.repeat(40) } } };
    expect(await rulesIn({ clone: at('feature'), name: 'pull_request', payload: gone })).toMatch(
      /^none: .*set fetch-depth: 0/,
    );
  });

  it('the default branch if the base is asked for and there is no pull request', async () => {
    const env = ref('refs/heads/main', main);
    expect(await rulesIn({ clone: at('main'), env, choice: 'base' })).toBe('main');
  });

  it('nowhere if the default branch cannot be fetched', async () => {
    const env = ref('refs/heads/feature', branch);
    expect(await rulesIn({ clone: at('feature'), env, unreachable: true })).toMatch(
      /^none: the default branch could not be fetched: /,
    );
  });
});

it('an old commit of the default branch is proven only where the clone has the history', async () => {
  git(scene.origin, 'branch', '-f', 'ancient', old);
  const at = (depth: number) => checkout(scene, 'refs/heads/ancient', depth);
  expect(await rulesIn({ clone: at(0) })).toBe('checkout old main');
  expect(await rulesIn({ clone: at(1) })).toBe('main');
});
