import { describe, expect, it } from '@jest/globals';
import { play, story, worlds } from './play.js';
import { DEPENDABOT, fork, RENOVATE, type World } from './world.js';

const start = worlds();
const FILES = { 'README.md': '# Project\n', 'src/a.js': 'export const a = 1\n' };
const FIXES = `
const { writeFileSync } = await import('node:fs');
init();
writeFileSync('src/a.js', 'export const a = 2;\\n');
say('The test wanted 2.'); finish('The test wanted 2.');`;
const LOG = '2026-01-01T08:00:00.0000000Z ##[error]expected 2, got 1\n';

const today = () => new Date().toISOString().replace(/\.\d+/, '');

/** A branch whose CI has failed. */
async function failed(branch = 'feature'): Promise<World> {
  const world = await start(FILES);
  world.commit({ branch, files: { 'src/b.js': 'b\n' } });
  world.state.logs = { '77': LOG };
  world.state.runs = [{ conclusion: null, createdAt: today() }];
  return world;
}
const ended = (conclusion: string, count: number, createdAt = today()) =>
  Array.from({ length: count }, () => ({ conclusion, createdAt }));

describe('fix-ci.yml', () => {
  it('proposes a repair against the branch, and updates it after the next failure', async () => {
    const world = await failed();
    const head = world.git('rev-parse', 'feature');
    const run = await play('fix-ci', world.events.workflowRun('feature'), { world, agent: FIXES });
    expect([run.results, story(run)]).toEqual([{ agent: 'success', propose: 'success' }, expect.any(String)]);
    const [pull] = world.state.pulls;
    expect(pull).toMatchObject({ base: 'feature', title: 'Repair CI', author: { type: 'Bot' } });
    expect(pull?.branch).toMatch(/^cursor-agent\/fix-ci-/);
    expect(pull?.body).toContain('The test wanted 2.');
    expect(world.git('diff', '--name-status', `feature..${pull?.branch ?? ''}`)).toBe('M\tsrc/a.js');
    expect(world.git('rev-parse', 'feature')).toBe(head);
    expect(run.agent.sightings()[0]?.stdin).toContain('expected 2, got 1');
    expect(world.state.refused).toEqual([]);

    // The same failure is not repaired twice.
    const same = await play('fix-ci', world.events.workflowRun('feature'), { world, agent: FIXES });
    expect([same.results, story(same)]).toEqual([
      { agent: 'success', propose: 'skipped' },
      expect.stringContaining('pull request #1'),
    ]);
    expect(same.agent.sightings()).toEqual([]);

    const next = world.commit({ branch: 'feature', files: { 'src/c.js': 'c\n' } });
    world.state.logs = { '77': LOG.replace('got 1', 'got nothing') };
    const again = await play('fix-ci', world.events.workflowRun('feature'), { world, agent: FIXES });
    expect([again.results, story(again)]).toEqual([
      { agent: 'success', propose: 'success' },
      expect.any(String),
    ]);
    expect(world.state.pulls).toHaveLength(1);
    expect(world.git('rev-parse', `${pull?.branch ?? ''}~1`)).toBe(next);
  });

  it('runs the failed command itself, and the pull request shows that it passes now', async () => {
    const world = await failed();
    const shown = [
      '##[group]Run grep -q "a = 2" src/a.js',
      '\u001b[36;1mgrep -q "a = 2" src/a.js\u001b[0m',
      'shell: /usr/bin/bash -e {0}',
    ];
    const lines = [...shown, '##[endgroup]', '##[error]expected 2, got 1'];
    world.state.logs = { '77': lines.map((line) => `2026-01-01T08:00:01.0000000Z ${line}\n`).join('') };
    const event = world.events.workflowRun('feature');
    const run = await play('fix-ci', event, { world, agent: FIXES });
    expect([run.results, story(run)]).toEqual([{ agent: 'success', propose: 'success' }, expect.any(String)]);
    const body = world.state.pulls[0]?.body ?? '';
    expect(body).toContain('1 command passed on the changed code.');
    expect(body).toContain('grep -q');

    world.state.pulls = [];
    const useless = FIXES.replace('a = 2', 'a = 3');
    const failing = await play('fix-ci', event, { world, agent: useless });
    expect([failing.results, story(failing)]).toEqual([
      { agent: 'failure', propose: 'skipped' },
      expect.stringContaining('verification-failed'),
    ]);
    expect(world.state.pulls).toEqual([]);
  });

  it('opens a draft for a repair that passes only with the test that it changed, and names that', async () => {
    const world = await failed();
    const check = 'grep -q "a = 2" src/a.js || { echo "Error: a is not 2 here"; exit 1; }\n';
    world.commit({ branch: 'feature', files: { 'check.test.sh': check } });
    const shown = ['##[group]Run sh check.test.sh', '\u001b[36;1msh check.test.sh\u001b[0m'];
    const lines = [...shown, 'shell: /usr/bin/bash -e {0}', '##[endgroup]', 'Error: a is not 2 here'];
    world.state.logs = { '77': lines.map((line) => `2026-01-01T08:00:01.0000000Z ${line}\n`).join('') };
    const agent = `
      const { writeFileSync } = await import('node:fs');
      init(); writeFileSync('check.test.sh', 'true\\n'); say('It passes.'); finish('It passes.');`;
    const run = await play('fix-ci', world.events.workflowRun('feature'), { world, agent });
    expect([run.results, story(run)]).toEqual([{ agent: 'success', propose: 'success' }, expect.any(String)]);
    const [pull] = world.state.pulls;
    expect(pull?.draft).toBe(true);
    expect(pull?.body).toContain('Before | After | With the original tests');
    expect(pull?.body).toContain('<code>check.test.sh</code>');
    expect(pull?.body).toContain('Error: a is not 2 here');
  });

  it.each<[string, Parameters<World['events']['workflowRun']>]>([
    ['a run that passed', ['feature', { conclusion: 'success' }]],
    ['a run that was cancelled', ['feature', { conclusion: 'cancelled' }]],
    ['a branch of a fork', ['main', { repository: fork.repository, event: 'pull_request' }]],
    ['a run that a comment or a schedule started', ['feature', { event: 'issue_comment' }]],
    ['a branch of Dependabot', ['feature', { by: DEPENDABOT, actor: DEPENDABOT, event: 'pull_request' }]],
    ['a branch of Dependabot that a person runs again', ['feature', { actor: DEPENDABOT }]],
    ['a push of another bot', ['feature', { by: RENOVATE, actor: RENOVATE }]],
  ])('does nothing for %s', async (_, [branch, options]) => {
    const world = await failed(branch === 'main' ? 'feature' : branch);
    const run = await play('fix-ci', world.events.workflowRun(branch, options), { world, agent: FIXES });
    expect(run.results).toEqual({ agent: 'skipped', propose: 'skipped' });
    expect(run.agent.sightings()).toEqual([]);
  });

  it('is started neither by another workflow nor for its own branches', async () => {
    const world = await failed('cursor-agent/fix-ci-1');
    const own = world.events.workflowRun('cursor-agent/fix-ci-1');
    expect((await play('fix-ci', own, { world, agent: FIXES })).triggered).toBe(false);
    const other = world.events.workflowRun('main');
    (other.payload['workflow_run'] as { name: string }).name = 'Fix CI';
    expect((await play('fix-ci', other, { world, agent: FIXES })).triggered).toBe(false);
  });

  it.each<[string, (world: World) => void]>([
    ['a tag, which has no branch to propose to', ({ git }) => git('tag', 'v1', 'feature')],
    [
      'a commit that is no longer the newest',
      (world) => world.commit({ branch: 'v1', files: { 'src/new.js': '' }, from: 'feature' }),
    ],
  ])('repairs nothing after the failure of %s', async (_, prepare) => {
    const world = await failed();
    const sha = world.git('rev-parse', 'feature');
    prepare(world);
    const run = await play('fix-ci', world.events.workflowRun('v1', { sha }), { world, agent: FIXES });
    expect([run.results, story(run)]).toEqual([{ agent: 'success', propose: 'skipped' }, expect.any(String)]);
    expect(run.agent.sightings()).toEqual([]);
  });

  it('counts the runs of a day, of which those that were skipped do not count, however many there are', async () => {
    const world = await failed();
    world.state.runs = [
      ...[...ended('skipped', 150), { conclusion: null, createdAt: today() }, ...ended('failure', 9)],
      ...ended('success', 20, '2026-01-01T08:00:00Z'),
    ];
    const event = world.events.workflowRun('feature');
    const last = await play('fix-ci', event, { world, agent: FIXES, jobs: ['agent'] });
    expect([last.log, last.agent.sightings().length]).toEqual([
      expect.stringContaining('This is run 10 of 10 today.'),
      1,
    ]);
    world.state.runs.push(...ended('failure', 1));
    const none = await play('fix-ci', event, { world, agent: FIXES });
    expect(none.log).toContain('This is run 11 of 10 today.');
    expect(none.agent.sightings()).toEqual([]);
    expect(world.state.pulls).toEqual([]);
  });

  it('is not stopped by a run of CI that passes, and the newest failure waits', async () => {
    const world = await failed();
    const groups = async (conclusion: string) => {
      const event = world.events.workflowRun('feature', { conclusion });
      return (await play('fix-ci', event, { world, agent: FIXES, jobs: [] })).groups;
    };
    expect(await groups('success')).toEqual([]);
    // Without `queue` GitHub lets one run wait, and that is the newest.
    expect(await groups('failure')).toEqual([{ group: 'fix-ci-feature' }]);
  });

  it('pushes nothing of an agent that changes a workflow', async () => {
    const world = await failed();
    const agent = `
      const { writeFileSync, mkdirSync } = await import('node:fs');
      init(); mkdirSync('.github/workflows', { recursive: true });
      writeFileSync('.github/workflows/evil.yml', 'on: push\\n'); say('x'); finish('x');`;
    const run = await play('fix-ci', world.events.workflowRun('feature'), { world, agent });
    expect(run.results).toEqual({ agent: 'failure', propose: 'skipped' });
    expect(world.state.pulls).toEqual([]);
  });
});
