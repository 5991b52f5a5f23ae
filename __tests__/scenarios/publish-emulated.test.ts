import { afterEach, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { copyBare, gitIn } from '../github/mirror.js';
import { OPERATIONS } from '../github/operations.js';
import { serveEmulator, type EmulatedServer } from '../github/emulated-server.js';
import { READ_TOKEN, STRANGER } from '../github/stateful-fake.js';
import { finding, reportWith, reviewReport } from '../publish/reports.js';
import { pullRequestEvent, runPublish } from './publish-step.js';
import { git, makeFolder, makeWorkspace, removeFolders, writeTree } from './workspace.js';

/**
 * The publish step on the emulator (see github/emulator.ts), which knows comments and check runs. Reviews with comments
 * on lines are not among what it can do, so the other tests of publish have a server of ours.
 */
let github: EmulatedServer;
afterEach(async () => {
  removeFolders();
  await github.close();
});

/** A pull request of a stranger, and a way to publish on it. */
async function start() {
  const workspace = makeWorkspace();
  git(workspace, 'switch', '--quiet', '--create', 'feature');
  writeTree(workspace, { 'src/pay.ts': 'a line\n'.repeat(20) });
  git(workspace, 'add', '--all');
  git(workspace, 'commit', '--quiet', '--message', 'feature');
  const bare = copyBare(workspace, join(makeFolder('bare'), 'project.git'));
  gitIn(bare, ['update-ref', 'refs/heads/main', 'feature~1']);
  github = await serveEmulator(bare, { operations: OPERATIONS.publish });
  await github.emulated.send();
  const stranger = github.emulated.as(STRANGER);
  await stranger('POST', '/pulls', { title: 'Pay', head: 'feature', base: 'main' });
  const [base = '', head = ''] = ['main', 'feature'].map((name) => gitIn(bare, ['rev-parse', name]));
  const change = { base, head, pullRequest: 1 };
  const publish = (findings: ReturnType<typeof finding>[] | undefined, inputs: Record<string, string> = {}) =>
    runPublish({
      report: findings ? reviewReport(findings, { change }) : reportWith({ change }),
      ...{ inputs, api: github.url, env: pullRequestEvent(1) },
    });
  const comments = async () =>
    (await github.owner('GET', '/issues/1/comments')) as unknown as {
      user: { login: string };
      body: string;
    }[];
  return { head, publish, stranger, comments };
}
const TITLE = 'The card number is logged';

describe('publish on the emulator, as a comment', () => {
  it('writes one, updates it, leaves it alone when nothing changed, and never touches a forged one', async () => {
    const { publish, stranger, comments } = await start();
    const first = await publish(undefined);
    expect([first.code, first.errors]).toEqual([0, []]);
    const [ours] = await comments();
    expect(ours).toMatchObject({
      user: { login: 'github-actions[bot]' },
      body: expect.stringContaining('All is well.') as unknown,
    });
    expect(first.outputs.get('url')).toMatch(/^https:\/\/github\.example\/acme\/project\/(issues|pull)\/1#/);

    const forged = ours?.body ?? '';
    await stranger('POST', '/issues/1/comments', { body: forged });
    const before = github.writes().length;
    await publish(undefined);
    expect(github.writes()).toHaveLength(before);

    await publish([finding()]);
    expect(await comments()).toMatchObject([
      { body: expect.stringContaining(TITLE) as unknown },
      { user: { login: 'stranger' }, body: forged },
    ]);
    await publish(undefined, { key: 'other' });
    expect(await comments()).toHaveLength(3);
  });

  it('names the permission that its token lacks, and writes nothing', async () => {
    const { publish, comments } = await start();
    const step = await publish(undefined, { 'github-token': READ_TOKEN });
    expect(step.code).toBe(1);
    expect(step.errors.join('\n')).toContain('pull-requests: write');
    expect(await comments()).toEqual([]);
  });
});

describe('publish on the emulator, as a check run', () => {
  it('is the verdict of the commit: failed by a finding that exists, written once, and passed without one', async () => {
    const { head, publish } = await start();
    const checks = async () =>
      (await github.owner('GET', `/commits/${head}/check-runs?filter=all`)) as unknown as {
        check_runs: Record<string, unknown>[];
      };
    const inputs = { as: 'check', 'fail-on-severity': 'high' };
    const step = await publish([finding(), finding({ path: 'src/none.ts', title: 'Nowhere' })], inputs);
    expect([step.code, step.errors]).toEqual([0, []]);
    const failed = { head_sha: head, conclusion: 'failure', output: { annotations_count: 1 } };
    expect((await checks()).check_runs).toMatchObject([failed]);
    await publish([finding(), finding({ path: 'src/none.ts', title: 'Nowhere' })], inputs);
    expect((await checks()).check_runs).toMatchObject([failed]);
    const passed = await publish([], inputs);
    expect([passed.code, passed.errors]).toEqual([0, []]);
    const all = (await checks()).check_runs.map(({ conclusion }) => conclusion);
    expect(all.sort()).toEqual(['failure', 'success']);
  });
});
