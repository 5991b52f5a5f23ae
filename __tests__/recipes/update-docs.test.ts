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
    expect(pull).toMatchObject({ base: 'main', branch: 'cursor-agent/docs-main' });
    expect(pull?.body).toContain('Described a.');
    expect(world.state.refused).toEqual([]);
    expect(world.git('diff', '--name-status', `main..${pull?.branch ?? ''}`)).toBe('A\tdocs/a.md');
    expect(world.git('rev-parse', `${pull?.branch ?? ''}~1`)).toBe(merged);
    // The agent was told what changed, and may only write documentation.
    const [seen] = run.agent.sightings();
    expect(seen?.stdin).toContain('+export const a = 2;');
    expect(JSON.stringify(seen?.cliJson)).toContain('Shell(*)');
  });

  it('says which code shows each statement, and what to look at first', async () => {
    const world = await start(FILES);
    const before = world.git('rev-parse', 'main');
    world.commit({ branch: 'main', files: { 'src/a.ts': 'export const retries = 3;\n' } });
    const claim = (line: number, quote: string) => ({
      ...{ document: 'docs/a.md', startLine: line, endLine: line, reason: 'as @mary wanted' },
      source: { path: 'src/a.ts', startLine: 1, endLine: 1, quote },
    });
    const changes = [claim(1, 'retries = 3'), claim(2, 'retries = 4')];
    const answer = JSON.stringify(JSON.stringify({ summary: 'Described retries.', changes }));
    const agent = `
const fs = await import('node:fs');
init(); fs.mkdirSync('docs');
fs.writeFileSync('docs/a.md', 'It tries 3 times.\\nOr 4 times.\\nOr once.\\n');
say(${answer}); finish(${answer});`;
    const run = await play('update-docs', world.events.push(before), { world, agent });
    expect([run.results, story(run)]).toEqual([DONE, expect.any(String)]);
    expect(run.agent.sightings()[0]?.stdin).toContain('never a document. Copy `quote` from there exactly.');
    const body = world.state.pulls[0]?.body ?? '';
    expect(body).toMatch(
      /Look at these first:\n>\n> - <code>docs\/a\.md:2<\/code>: its quote is not in src\/a\.ts/,
    );
    expect(body).toMatch(/> - <code>docs\/a\.md:3<\/code>: the agent does not say what shows it/);
    expect(body).toMatch(
      /<code>docs\/a\.md:1<\/code> \| .* \| <code>src\/a\.ts:1<\/code><br><code>retries &#61; 3<\/code>/,
    );
    expect(body).toContain('Described retries.');
    expect(body).not.toContain('@mary');
    expect(body.indexOf('Look at these first')).toBeLessThan(body.indexOf('Described retries.'));
    const { summary = '' } = run.job('agent').steps.find(({ id }) => id === 'agent') ?? {};
    expect(summary).toMatch(
      /Sources of the changed statements[^]*docs\/a\.md:2[^]*retries[^]*Described retries\./,
    );
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

  it('loses no push: each waits for the one before it', async () => {
    const world = await start(FILES);
    const push = async (content: string) => {
      const before = world.git('rev-parse', 'main');
      world.commit({ branch: 'main', files: { 'src/a.ts': content } });
      const event = world.events.push(before);
      return (await play('update-docs', event, { world, agent: WRITES, jobs: [] })).groups;
    };
    const groups = [...(await push('1\n')), ...(await push('2\n')), ...(await push('3\n'))];
    expect(new Set(groups.map(({ group }) => group)).size).toBe(1);
    expect(groups.map(({ queue }) => queue)).toEqual(['max', 'max', 'max']);
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

/** Writes these documents, after it made sure that others are as they should be. */
const documents = (files: Record<string, string>, found: Record<string, string> = {}) => `
const fs = await import('node:fs');
init();
for (const [path, text] of Object.entries(${JSON.stringify(found)}))
  if (fs.readFileSync(path, 'utf8') !== text) throw new Error(path + ' is not there');
fs.mkdirSync('docs', { recursive: true });
for (const [path, text] of Object.entries(${JSON.stringify(files)})) fs.writeFileSync(path, text);
say('Done.'); finish('Done.');`;
const FAILS = `init(); fail('The model is not there.'); process.exit(1);`;

/** A main branch that is pushed to, with a run of the recipe for each push. */
async function standing() {
  const world = await start(FILES);
  const push = async (files: Record<string, string>, agent: string) => {
    const before = world.git('rev-parse', 'main');
    const commit = world.commit({ branch: 'main', files });
    return { before, commit, run: await play('update-docs', world.events.push(before), { world, agent }) };
  };
  const branch = (name = BRANCH) => world.git('rev-parse', name);
  const changes = (name = BRANCH) => world.git('diff', '--name-status', `main..${name}`).split('\n').sort();
  const comments = () => world.state.published.comments.map(({ body }) => body);
  return { world, push, branch, changes, comments };
}
const BRANCH = 'cursor-agent/docs-main';
const A = { 'docs/a.md': '# a\n' };
const DONE = { agent: 'success', propose: 'success' };
const NOT_PROPOSED = { agent: 'success', propose: 'skipped' };
const named = (name: string) => ({ [`src/${name}.ts`]: `export const ${name} = 1;\n` });

describe('the one pull request that pushes add to', () => {
  it('keeps what earlier pushes put there, on the newest base, and survives runs that do nothing', async () => {
    const { world, push, branch, changes } = await standing();
    const first = await push(named('a1'), documents(A));
    expect([first.run.results, story(first.run)]).toEqual([DONE, expect.any(String)]);
    const second = await push(named('b1'), documents({ 'docs/b.md': '# b\n' }, A));
    expect([second.run.results, story(second.run)]).toEqual([DONE, expect.any(String)]);
    expect(world.state.pulls).toMatchObject([{ branch: BRANCH, state: 'open' }]);
    expect(world.state.pulls[0]?.body).toContain(`everything since ${first.before.slice(0, 7)}`);
    expect(changes()).toEqual(['A\tdocs/a.md', 'A\tdocs/b.md']);
    expect(branch(`${BRANCH}~1`)).toBe(second.commit);
    // The agent was told everything since the first base, and what it continues.
    const [seen] = second.run.agent.sightings();
    expect(seen?.stdin).toMatch(/\+export const a1 = 1;[^]*\+export const b1 = 1;/);
    expect(seen?.stdin).toContain('Your result replaces the content of pull request #1');
    const now = branch();
    const skipped = await push({ 'src/c.js': 'walk(1);\n' }, documents({}));
    expect([skipped.run.results, skipped.run.agent.sightings().length]).toEqual([NOT_PROPOSED, 0]);
    const failed = await push(named('d1'), FAILS);
    expect(failed.run.results).toEqual({ agent: 'failure', propose: 'skipped' });
    expect(branch()).toBe(now);
    // An agent that finds nothing to add brings the pull request to the newest base.
    const third = await push(named('e1'), documents({}, { ...A, 'docs/b.md': '# b\n' }));
    expect([third.run.results, story(third.run)]).toEqual([DONE, expect.any(String)]);
    expect(third.run.agent.sightings()[0]?.stdin).toContain('+export const d1 = 1;');
    expect([changes(), branch(`${BRANCH}~1`)]).toEqual([['A\tdocs/a.md', 'A\tdocs/b.md'], third.commit]);
    expect(world.state.refused).toEqual([]);
  });

  it('is continued by an isolated agent, too', async () => {
    const { world, push, changes } = await standing();
    await push(named('a1'), documents(A));
    const before = world.git('rev-parse', 'main');
    world.commit({ branch: 'main', files: named('b1') });
    const agent = documents({ 'docs/b.md': '# b\n' }, A);
    const run = await play('update-docs', world.events.push(before), { world, agent, isolated: true });
    expect([run.results, story(run)]).toEqual([DONE, expect.any(String)]);
    expect(changes()).toEqual(['A\tdocs/a.md', 'A\tdocs/b.md']);
  });

  it('leaves what a person pushed as it is, and goes on in another one', async () => {
    const { world, push, branch, changes, comments } = await standing();
    await push(named('a1'), documents(A));
    const theirs = world.commit({ branch: BRANCH, files: { 'docs/a.md': '# A, in better words\n' } });
    const next = await push(named('b1'), documents({ 'docs/b.md': '# b\n' }));
    expect([next.run.results, story(next.run)]).toEqual([DONE, expect.any(String)]);
    expect(branch()).toBe(theirs);
    expect(world.state.pulls).toMatchObject([{ state: 'open' }, { branch: `${BRANCH}-2`, state: 'open' }]);
    expect(changes(`${BRANCH}-2`)).toEqual(['A\tdocs/b.md']);
    expect(comments()).toEqual([expect.stringContaining('in #2')]);
    const later = await push(named('c1'), documents({ 'docs/c.md': '# c\n' }, { 'docs/b.md': '# b\n' }));
    expect([later.run.results, story(later.run)]).toEqual([DONE, expect.any(String)]);
    expect(world.state.pulls).toHaveLength(2);
    expect([branch(), comments().length]).toEqual([theirs, 1]);
    expect(changes(`${BRANCH}-2`)).toEqual(['A\tdocs/b.md', 'A\tdocs/c.md']);
  });

  it('overwrites nothing that a person pushes while the agent works', async () => {
    const { world, push, branch } = await standing();
    await push(named('a1'), documents(A));
    const before = world.git('rev-parse', 'main');
    world.commit({ branch: 'main', files: named('b1') });
    let theirs = '';
    const run = await play('update-docs', world.events.push(before), {
      world,
      agent: documents({ 'docs/b.md': '# b\n' }, A),
      afterJob: (id) => {
        if (id === 'agent') theirs = world.commit({ branch: BRANCH, files: { 'docs/a.md': '# mine\n' } });
      },
    });
    expect(run.results).toEqual({ agent: 'success', propose: 'failure' });
    expect(run.log).toContain('was changed while the agent worked');
    expect(branch()).toBe(theirs);
  });

  it('is closed once the base has all of it, and not before', async () => {
    const { world, push, comments } = await standing();
    const B = { 'docs/b.md': '# b\n' };
    await push(named('a1'), documents({ ...A, ...B }));
    const part = await push({ ...named('b1'), ...A }, documents({}, { ...A, ...B }));
    expect([part.run.results, story(part.run)]).toEqual([DONE, expect.any(String)]);
    expect(world.state.pulls).toMatchObject([{ state: 'open' }]);
    const all = await push({ ...named('c1'), ...B }, documents({}, { ...A, ...B }));
    expect([all.run.results, story(all.run)]).toEqual([DONE, expect.any(String)]);
    expect(world.state.pulls).toMatchObject([{ state: 'closed' }]);
    expect(comments()).toEqual([expect.stringContaining('already has everything')]);
    // The next change gets a pull request of its own.
    await push(named('d1'), documents({ 'docs/d.md': '# d\n' }));
    expect(world.state.pulls).toMatchObject([{ state: 'closed' }, { branch: BRANCH, state: 'open' }]);
  });

  it('says which of its changes the base made impossible to take over, and stays open', async () => {
    const { world, push, branch } = await standing();
    await push(named('a1'), documents({ 'README.md': '# Project A\n' }));
    const next = await push(
      { ...named('b1'), 'README.md': '# Project B\n' },
      documents({ 'docs/b.md': '# b\n' }),
    );
    expect([next.run.results, story(next.run)]).toEqual([DONE, expect.any(String)]);
    expect(next.run.agent.sightings()[0]?.stdin).toContain('+# Project A');
    expect(world.state.pulls[0]?.body).toContain(
      'Check that nothing is missing:\n>\n> - <code>README.md</code>',
    );
    const now = branch();
    const none = await push({ ...named('c1'), 'docs/b.md': '# B\n' }, documents({}));
    expect([none.run.results, branch()]).toEqual([NOT_PROPOSED, now]);
    expect(world.state.pulls).toMatchObject([{ state: 'open' }]);
  });
});
