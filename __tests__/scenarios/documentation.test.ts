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
async function pushed(files: Record<string, string>, inputs: Record<string, string> = {}) {
  const workspace = makeWorkspace(PROJECT);
  const before = git(workspace, 'rev-parse', 'HEAD').trim();
  writeTree(workspace, files);
  git(workspace, 'add', '--all');
  git(workspace, 'commit', '--quiet', '--message', 'change');
  const after = git(workspace, 'rev-parse', 'HEAD').trim();
  const event = join(makeFolder('event'), 'event.json');
  const payload = { ref: 'refs/heads/main', before, after, repository, sender: account };
  writeFileSync(event, JSON.stringify(payload));
  const agent = fakeAgent(`init(); say('Nothing to do.'); finish('Nothing to do.');`);
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
