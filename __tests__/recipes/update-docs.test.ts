import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { play, story, worlds } from './play.js';
import { DEPENDABOT, fork } from './world.js';
import { STRANGER } from '../github/stateful-fake.js';

const start = worlds();
const FILES = { 'README.md': '# Project\n', 'src/a.ts': 'export const a = 1;\n' };
const WRITES = `
const { writeFileSync, mkdirSync } = await import('node:fs');
init();
mkdirSync('docs', { recursive: true });
writeFileSync('docs/a.md', '# a\\n');
say('Described a.'); finish('Described a.');`;
/** A branch name that would run commands if it were pasted into a script. */
const HOSTILE = 'fix/$(touch${IFS}pwned)`touch${IFS}pwned`";touch${IFS}pwned;"\'x';

describe('update-docs.yml', () => {
  it('documents what was merged, in a pull request of its own', async () => {
    const world = await start(FILES);
    const before = world.git('rev-parse', 'main');
    const merged = world.commit({
      branch: 'main',
      files: { 'src/a.ts': 'export const a = 2;\nexport const added = 3;\n' },
    });
    const run = await play('update-docs', world.events.push(before), { world, agent: WRITES });
    expect([run.results, story(run)]).toEqual([{ agent: 'success', propose: 'success' }, expect.any(String)]);
    const [pull] = world.state.pulls;
    expect(pull).toMatchObject({ base: 'main', branch: `cursor-agent/docs-${merged}` });
    expect(pull?.body).toContain('Described a.');
    expect(world.state.refused).toEqual([]);
    expect(world.git('diff', '--name-status', `main..${pull?.branch ?? ''}`)).toBe('A\tdocs/a.md');
    expect(world.git('rev-parse', `${pull?.branch ?? ''}~1`)).toBe(merged);
    // The agent was told what changed, and may only write documentation.
    const [seen] = run.agent.sightings();
    expect(seen?.stdin).toContain('+export const a = 2;');
    expect(JSON.stringify(seen?.cliJson)).toContain('Shell(*)');
  });

  it('is not started by a change of the documentation alone, so never by itself', async () => {
    const world = await start(FILES);
    const before = world.git('rev-parse', 'main');
    world.commit({ branch: 'main', files: { 'docs/b.md': '# b\n', 'README.md': '# New\n' } });
    const run = await play('update-docs', world.events.push(before), { world, agent: WRITES });
    expect(run.triggered).toBe(false);
  });

  it('documents an open change on its own branch, whatever that is called', async () => {
    const world = await start(FILES);
    world.commit({ branch: HOSTILE, files: { 'src/a.ts': 'export const a = 3;\n' } });
    const pull = world.openPull({
      branch: HOSTILE,
      title: '"; touch pwned; echo $(touch pwned) `touch pwned`',
    });
    const event = world.events.pullRequest(pull, 'labeled', { label: 'update-docs' });
    const run = await play('update-docs', event, { world, agent: WRITES });
    expect([run.results, story(run)]).toEqual([{ agent: 'success', propose: 'success' }, expect.any(String)]);
    expect(world.state.pulls[1]).toMatchObject({ base: HOSTILE });
    expect(run.jobs.some(({ workspace }) => existsSync(join(workspace, 'pwned')))).toBe(false);
  });

  it('loses no push: each has a change of its own', async () => {
    const world = await start(FILES);
    const push = async (content: string) => {
      const before = world.git('rev-parse', 'main');
      world.commit({ branch: 'main', files: { 'src/a.ts': content } });
      const event = world.events.push(before);
      return (await play('update-docs', event, { world, agent: WRITES, jobs: [] })).groups;
    };
    const groups = [...(await push('1\n')), ...(await push('2\n')), ...(await push('3\n'))];
    expect(new Set(groups.map(({ group }) => group)).size).toBe(3);
  });

  it('does nothing for a push of Dependabot, which has no secrets', async () => {
    const world = await start(FILES);
    const before = world.git('rev-parse', 'main');
    world.commit({ branch: 'main', files: { 'src/a.ts': '2\n' } });
    const event = world.events.push(before, 'main', DEPENDABOT);
    const run = await play('update-docs', event, { world, agent: WRITES });
    expect(run.results).toEqual({ agent: 'skipped', propose: 'skipped' });
  });

  it('does nothing for another label, nor for a fork', async () => {
    const world = await start(FILES);
    world.commit({ branch: 'x', files: { 'src/a.ts': '' }, repository: fork.repository });
    const pull = world.openPull({ branch: 'x', ...fork });
    for (const label of ['bug', 'update-docs']) {
      const event = world.events.pullRequest(pull, 'labeled', { label });
      const run = await play('update-docs', event, { world, agent: WRITES });
      expect(run.results).toEqual({ agent: 'skipped', propose: 'skipped' });
    }
  });

  it('refuses a label that somebody without write access has set', async () => {
    const world = await start(FILES);
    world.commit({ branch: 'x', files: { 'src/a.ts': '' } });
    const event = world.events.pullRequest(world.openPull({ branch: 'x' }), 'labeled', {
      label: 'update-docs',
      by: STRANGER,
    });
    const run = await play('update-docs', event, { world, agent: WRITES });
    expect(run.results).toEqual({ agent: 'failure', propose: 'skipped' });
    expect(run.agent.sightings()).toEqual([]);
  });
});
