import { describe, expect, it } from '@jest/globals';
import { MARY, STRANGER } from '../github/stateful-fake.js';
import { play, story, worlds } from './play.js';
import type { World } from './world.js';

const start = worlds();
const FILES = { 'README.md': '# Project\n', 'src/a.js': 'boom\n' };
const FIXES = `
const { writeFileSync } = await import('node:fs');
init(); writeFileSync('src/a.js', 'quiet\\n'); say('It no longer says boom.'); finish('It no longer says boom.');`;
const today = () => new Date().toISOString().replace(/\.\d+/, '');
const labelled = async (count = 1): Promise<World> => {
  const world = await start(FILES);
  world.state.runs = Array.from({ length: count }, () => ({ conclusion: null, createdAt: today() }));
  return world;
};

describe('issue-to-pr.yml', () => {
  it('opens a pull request that fixes the issue, which the agent knows as it was when it was labelled', async () => {
    const world = await labelled();
    const run = await play('issue-to-pr', world.events.issueLabeled('cursor'), { world, agent: FIXES });
    expect([run.results, story(run)]).toEqual([{ agent: 'success', propose: 'success' }, expect.any(String)]);
    expect(world.state.pulls).toMatchObject([{ base: 'main', branch: 'cursor-agent/issue-31' }]);
    expect(world.state.pulls[0]?.body).toContain('\nFixes #31\n');
    expect(world.state.pulls[0]?.body).toContain('It no longer says boom.');
    // Only the event is read: the API of the tests has no issues.
    expect(run.agent.sightings()[0]?.stdin).toContain('It says boom.');
    expect(world.state.refused).toEqual([]);
  });

  it.each<[string, number, Parameters<World['events']['issueLabeled']>, string]>([
    ['another label', 1, ['bug'], 'skipped'],
    ['a label that a template gave to a stranger’s issue', 1, ['cursor', { by: STRANGER }], 'success'],
    ['somebody without write access', 1, ['cursor', { by: STRANGER, author: MARY }], 'success'],
    ['the eleventh run of a day', 11, ['cursor'], 'success'],
  ])('does nothing for %s', async (_, count, [label, options], result) => {
    const world = await labelled(count);
    const run = await play('issue-to-pr', world.events.issueLabeled(label, options), { world, agent: FIXES });
    expect(run.results).toEqual({ agent: result, propose: 'skipped' });
    expect([run.agent.sightings(), world.state.pulls]).toEqual([[], []]);
  });

  it('works for a maintainer’s own issue whose membership is private, and counts no runs of strangers', async () => {
    const world = await labelled();
    const strangers = Array.from({ length: 30 }, () => ({
      conclusion: 'success',
      createdAt: today(),
      by: STRANGER,
    }));
    world.state.runs.push(...strangers);
    const event = world.events.issueLabeled('cursor', { author: MARY, association: 'CONTRIBUTOR' });
    const run = await play('issue-to-pr', event, { world, agent: FIXES });
    expect(run.results).toEqual({ agent: 'success', propose: 'success' });
  });

  it('proposes nothing if nothing was changed', async () => {
    const world = await labelled();
    const agent = `init(); say('Nothing to do.'); finish('Nothing to do.');`;
    const run = await play('issue-to-pr', world.events.issueLabeled('cursor'), { world, agent });
    expect(run.results).toEqual({ agent: 'success', propose: 'skipped' });
  });
});
