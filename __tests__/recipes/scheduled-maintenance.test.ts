import { describe, expect, it } from '@jest/globals';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { play, story, worlds } from './play.js';

const start = worlds();
const FILES = { 'README.md': '# Project\n', 'src/a.ts': 'export const a = 1;\n', 'package.json': '{}\n' };
const EDITS = `
const { writeFileSync } = await import('node:fs');
init();
writeFileSync('src/a.ts', '// The first letter.\\nexport const a = 1;\\n');
say('Said what a is. Ask @mary.'); finish('Said what a is. Ask @mary.');`;

const add = (path: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;

describe('scheduled-maintenance.yml', () => {
  it('opens a pull request with what the agent did', async () => {
    const world = await start(FILES);
    const run = await play('scheduled-maintenance', world.events.schedule(), { world, agent: EDITS });
    expect([run.results, story(run)]).toEqual([{ agent: 'success', propose: 'success' }, expect.any(String)]);

    const [pull, ...others] = world.state.pulls;
    expect(others).toEqual([]);
    expect(pull).toMatchObject({ base: 'main', author: { type: 'Bot' } });
    expect(pull?.branch).toMatch(/^cursor-agent\/maintenance-\d+$/);
    expect(world.git('diff', '--unified=0', `main..${pull?.branch ?? ''}`)).toMatch(
      /^diff --git a\/src\/a\.ts b\/src\/a\.ts\nindex .*\n--- a\/src\/a\.ts\n\+\+\+ b\/src\/a\.ts\n@@ -0,0 \+1 @@\n\+\/\/ The first letter\.$/,
    );
    expect(pull?.body).toContain('Said what a is.');
    expect(pull?.body).toContain('Ask `@mary`.');
    expect(world.state.refused).toEqual([]);
    // The job with the key has no token that can write, and the job that writes never gets the key.
    const [seen] = run.agent.sightings();
    expect(JSON.stringify(seen?.env)).not.toMatch(/ghs_|GITHUB_|GH_TOKEN/);
  });

  it('begins nothing new while the last one is open', async () => {
    const world = await start(FILES);
    world.commit({ branch: 'cursor-agent/maintenance-7', files: { 'src/b.ts': '' } });
    world.openPull({ branch: 'cursor-agent/maintenance-7' });
    const run = await play('scheduled-maintenance', world.events.schedule(), { world, agent: EDITS });
    expect(run.results).toEqual({ agent: 'success', propose: 'skipped' });
    expect(run.agent.sightings()).toEqual([]);
    expect(world.state.pulls).toHaveLength(1);
  });

  it('opens nothing where the agent changed nothing', async () => {
    const world = await start(FILES);
    const agent = `init(); say('Nothing worth it.'); finish('Nothing worth it.');`;
    const run = await play('scheduled-maintenance', world.events.schedule(), { world, agent });
    expect(run.results).toEqual({ agent: 'success', propose: 'skipped' });
    expect(world.git('for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('refs/heads/main');
  });

  it('hands a task over as text, whatever is in it', async () => {
    const world = await start(FILES);
    const task = 'Look at `touch pwned` and $(touch pwned); "${{ secrets.CURSOR_API_KEY }}"';
    const run = await play('scheduled-maintenance', world.events.dispatch({ task }), { world, agent: EDITS });
    expect(run.results['agent']).toBe('success');
    expect(run.agent.sightings()[0]?.stdin).toContain(task);
    expect(run.jobs.some(({ workspace }) => existsSync(join(workspace, 'pwned')))).toBe(false);
  });

  it('fails where the agent changed what it may not, and pushes nothing', async () => {
    const world = await start(FILES);
    const agent = EDITS.replace("'src/a.ts'", "'package.json'");
    const run = await play('scheduled-maintenance', world.events.schedule(), { world, agent });
    expect(run.results).toEqual({ agent: 'failure', propose: 'skipped' });
    expect(run.job('agent').steps.find(({ id }) => id === 'agent')?.outputs['failure-reason']).toBe(
      'policy-violation',
    );
    expect(world.state.pulls).toEqual([]);
  });
});

/** What a compromised first job could hand over. */
it.each(['.github/workflows/x.yml', 'package.json', 'docs/.npmrc', 'docs/AGENTS.md'])(
  'pushes nothing of a patch that changes %s',
  async (path) => {
    const world = await start(FILES);
    const run = await play('scheduled-maintenance', world.events.schedule(), {
      world,
      agent: EDITS,
      afterJob: (id, artifacts) => {
        if (id === 'agent') writeFileSync(join(artifacts, 'agent', 'changes.patch'), add(path));
      },
    });
    expect(run.results).toEqual({ agent: 'success', propose: 'failure' });
    expect(world.git('for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('refs/heads/main');
    expect(world.state.pulls).toEqual([]);
  },
);
