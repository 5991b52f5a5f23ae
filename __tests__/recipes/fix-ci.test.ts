import { describe, expect, it } from '@jest/globals';
import { play, story, worlds } from './play.js';
import { fork, type World } from './world.js';

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

describe('fix-ci.yml', () => {
  it('proposes a repair against the branch, with the evidence', async () => {
    const world = await failed();
    const head = world.git('rev-parse', 'feature');
    const run = await play('fix-ci', world.events.workflowRun('feature'), { world, agent: FIXES });
    expect([run.results, story(run)]).toEqual([{ agent: 'success', propose: 'success' }, expect.any(String)]);
    const [pull] = world.state.pulls;
    expect(pull).toMatchObject({ base: 'feature', title: `Repair CI of ${head.slice(0, 10)}` });
    expect(pull?.branch).toMatch(/^cursor\/fix-ci-\d+-1$/);
    expect(pull?.body).toContain(
      `CI failed on ${head}: ${world.surroundings.serverUrl}/acme/project/actions/runs/4711`,
    );
    expect(pull?.body).toContain('src/a.js | 2 +-');
    expect(world.git('diff', '--name-status', `feature..${pull?.branch ?? ''}`)).toBe('M\tsrc/a.js');
    expect(world.git('rev-parse', 'feature')).toBe(head);
    expect(world.state.published.comments[0]?.body).toContain('The test wanted 2.');
    expect(run.agent.sightings()[0]?.stdin).toContain('expected 2, got 1');
  });

  it.each<[string, Parameters<World['events']['workflowRun']>]>([
    ['a run that passed', ['feature', { conclusion: 'success' }]],
    ['a run that was cancelled', ['feature', { conclusion: 'cancelled' }]],
    ['its own branch', ['cursor/fix-ci-1-1', {}]],
    ['a branch of a fork', ['main', { repository: fork.repository, event: 'pull_request' }]],
    ['a run that a comment or a schedule started', ['feature', { event: 'issue_comment' }]],
  ])('does nothing for %s', async (_, [branch, options]) => {
    const world = await failed(branch === 'main' ? 'feature' : branch);
    const run = await play('fix-ci', world.events.workflowRun(branch, options), { world, agent: FIXES });
    expect(run.results).toEqual({ agent: 'skipped', propose: 'skipped' });
    expect(run.agent.sightings()).toEqual([]);
  });

  it('is not started by another workflow', async () => {
    const world = await failed();
    const event = world.events.workflowRun('feature');
    (event.payload['workflow_run'] as { name: string }).name = 'Fix CI';
    expect((await play('fix-ci', event, { world, agent: FIXES })).triggered).toBe(false);
  });

  it('stops when the tries for a branch are used up, open or closed, and starts again another day', async () => {
    const world = await failed();
    for (const number of [1, 2]) {
      const branch = `cursor/fix-ci-${number}-1`;
      world.commit({ branch, from: 'feature', files: { [`${number}.js`]: '' } });
      world.openPull({
        branch,
        base: 'feature',
        state: number === 1 ? 'closed' : 'open',
        createdAt: today(),
      });
    }
    const spent = await play('fix-ci', world.events.workflowRun('feature'), { world, agent: FIXES });
    expect(spent.results).toEqual({ agent: 'success', propose: 'skipped' });
    expect(spent.log).toContain('2 of 2 tries for this branch');
    expect(spent.agent.sightings()).toEqual([]);

    world.state.pulls[0]!.createdAt = '2026-01-01T08:00:00Z';
    const next = await play('fix-ci', world.events.workflowRun('feature'), { world, agent: FIXES });
    expect(next.results).toEqual({ agent: 'success', propose: 'success' });
  });

  it('stops when the runs of a day are used up, of which those that did nothing do not count', async () => {
    const world = await failed();
    const ended = (conclusion: string, count: number, createdAt = today()) =>
      Array.from({ length: count }, () => ({ conclusion, createdAt }));
    world.state.runs = [
      ...[{ conclusion: null, createdAt: today() }, ...ended('failure', 10), ...ended('skipped', 20)],
      ...ended('success', 20, '2026-01-01T08:00:00Z'),
    ];
    const run = await play('fix-ci', world.events.workflowRun('feature'), { world, agent: FIXES });
    expect(run.log).toContain('11 of 10 runs');
    expect(run.agent.sightings()).toEqual([]);
    expect(world.state.pulls).toEqual([]);
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
