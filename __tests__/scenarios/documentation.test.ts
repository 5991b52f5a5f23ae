import { describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeAgent } from './fake-agent.js';
import { runStep } from './step.js';
import { git, makeFolder, makeWorkspace, writeTree } from './workspace.js';

const PROJECT = {
  'README.md': '# Project\n\nCall `loadAll()` with `--depth`.\n',
  'src/load.js': 'export const loadAll = (depth) => walk(depth);\nconst walk = (level) => level + 1;\n',
  'src/walk.js': 'const unseen = 1;\nconsole.log(unseen);\n',
};
const account = { login: 'mary', id: 11, type: 'User' };
const repository = { id: 1001, name: 'project', full_name: 'acme/project', default_branch: 'main' };

/** Runs the preset docs after a push of these files. */
async function pushed(
  files: Record<string, string>,
  inputs: Record<string, string> = {},
  script = `init(); say('Nothing to do.'); finish('Nothing to do.');`,
) {
  const workspace = makeWorkspace(PROJECT);
  const before = git(workspace, 'rev-parse', 'HEAD').trim();
  writeTree(workspace, files);
  git(workspace, 'add', '--all');
  git(workspace, 'commit', '--quiet', '--message', 'change');
  const after = git(workspace, 'rev-parse', 'HEAD').trim();
  const event = join(makeFolder('event'), 'event.json');
  const payload = { ref: 'refs/heads/main', before, after, repository, sender: account };
  writeFileSync(event, JSON.stringify(payload));
  const agent = fakeAgent(script);
  const step = await runStep({
    workspace,
    inputs: { 'cli-path': agent.path, context: 'auto', preset: 'docs', prompt: '', ...inputs },
    env: {
      ...{ GITHUB_EVENT_NAME: 'push', GITHUB_EVENT_PATH: event, GITHUB_REPOSITORY: 'acme/project' },
      ...{ GITHUB_REF: 'refs/heads/main', GITHUB_SHA: after, GITHUB_ACTOR: 'mary' },
    },
  });
  const [status, skipped] = [step.outputs.get('status'), step.outputs.get('skipped')];
  return { step, outcome: [status, skipped, agent.sightings().length] };
}

const UNSEEN = { 'src/walk.js': 'const unseen = 2;\nconsole.log(unseen);\n' };

describe('the documentation of a change', () => {
  it('starts no agent if no document describes what changed, and says what was compared', async () => {
    const { step, outcome } = await pushed(UNSEEN);
    expect([step.errors, outcome]).toEqual([[], ['success', 'nothing-documented', 0]]);
    expect(step.summary).toMatch(/compared with 1 document \(README\.md\)/);
    expect(step.stdout).toContain('No agent is started');
  });

  it.each<[string, Record<string, string>]>([
    ['a documented name changed', { 'src/load.js': PROJECT['src/load.js'].replace('depth)', 'depth, 2)') }],
    ['a public name is new', { 'src/more.js': 'export const more = 1;\n' }],
    ['an image changed', { ...UNSEEN, 'docs/a.png': '\u0000\u0001' }],
  ])('starts one if %s', async (_, files) => {
    expect((await pushed(files)).outcome).toEqual(['success', '', 1]);
  });

  it.each<[string, Record<string, string>]>([
    ['a prompt', { prompt: 'Bring the documents up to date.' }],
    ['instructions', { instructions: 'The design is described in words.' }],
    ['a context', { context: 'diff' }],
  ])('starts one if the workflow asks for more with %s', async (_, inputs) => {
    expect((await pushed(UNSEEN, inputs)).outcome).toEqual(['success', '', 1]);
  });
});

const SEEN = { 'src/load.js': PROJECT['src/load.js'].replace('depth)', 'depth, 2)') };
const write = (path: string, text: string, more = '') => `
const { writeFileSync } = await import('node:fs');
init(); ${more} writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(text)}); say('Done.'); finish('Done.');`;
const evidence = (step: Awaited<ReturnType<typeof pushed>>['step']) => step.outputs.get('verification') ?? '';

describe('what is checked of a change of the documents', () => {
  it('fails a run whose links lead nowhere, after one repair, and says which', async () => {
    const { step, outcome } = await pushed(SEEN, {}, write('README.md', 'See [more](more.md#x).\n'));
    expect(outcome).toEqual(['failure', '', 2]);
    expect([step.outputs.get('failure-reason'), evidence(step)]).toEqual(['verification-failed', 'failed']);
    expect(step.summary).toContain('Links of the changed documents');
    expect(step.errors.join()).toContain('README.md:1: more.md#x: more.md does not exist');
  });

  it('passes one that mends its links, and shows it', async () => {
    const again = `if (process.argv.includes('--resume')) {
      writeFileSync('README.md', 'See [the code](src/load.js).\\n'); say('Mended.'); finish('Mended.'); process.exit(0);
    }`;
    const { step, outcome } = await pushed(SEEN, {}, write('README.md', 'See [more](more.md#x).\n', again));
    expect([outcome, evidence(step)]).toEqual([['success', '', 2], 'passed']);
    expect(step.summary).toMatch(/Links of the changed documents.*✅/);
  });

  it('says nothing of links with verify: none, nor of those that were broken before', async () => {
    const broken = write('README.md', 'See [more](more.md#x).\n');
    const { step, outcome } = await pushed(SEEN, { verify: 'none' }, broken);
    expect([outcome, evidence(step)]).toEqual([['success', '', 1], 'none']);
    const old = await pushed(
      { ...SEEN, 'docs/old.md': '[gone](gone.md)\n' },
      {},
      write('docs/old.md', '# Old\n\n[gone](gone.md)\n'),
    );
    expect([old.outcome, evidence(old.step)]).toEqual([['success', '', 1], 'passed']);
  });

  it('counts only what a build of the documents says besides what it said before', async () => {
    const build = (name: string) =>
      `echo "error: ${name} is old" && grep -l BAD *.md | sed "s/$/: error: bad/"; exit 1`;
    const verify = `${build('a')}\ntest -e README.md`;
    const good = await pushed(SEEN, { verify }, write('README.md', '# Good\n'));
    expect([good.outcome, evidence(good.step)]).toEqual([['success', '', 1], 'passed']);
    expect(good.step.summary).toMatch(/failed just as before the change/);
    expect(good.step.summary).toMatch(/as before the change.*\n.*test -e README\.md.*✅.*✅/);
    const bad = await pushed(SEEN, { verify }, write('README.md', '# BAD\n'));
    expect([bad.outcome, evidence(bad.step)]).toEqual([['failure', '', 2], 'failed']);
  });
});
