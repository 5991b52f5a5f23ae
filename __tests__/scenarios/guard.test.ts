import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventVariables } from '../trust/events.js';
import { fakeAgent } from './fake-agent.js';
import { API_KEY, runStep } from './step.js';
import { git, makeFolder, makeWorkspace, writeTree } from './workspace.js';

const WRITES = `
  const { mkdirSync, writeFileSync, rmSync } = await import('node:fs');
  const write = (path, text) => { mkdirSync(dirname(path), { recursive: true }); writeFileSync(path, text); };
`;
const agentThat = (body: string) => fakeAgent(`${WRITES} init(); ${body}; say('Done.'); finish();`);
const FILES = { 'README.md': '# Project\n', 'src/a.ts': 'one\n', 'docs/old.md': 'old\n' };

describe('what the agent changed', () => {
  it('is told in outputs, and is a patch that applies', async () => {
    const workspace = makeWorkspace(FILES);
    writeTree(workspace, { 'src/a.ts': 'dirty before\n' });
    const agent = agentThat(
      `write('docs/new.md', 'new\\n'); rmSync('docs/old.md'); write('README.md', '# Better\\n');`,
    );
    const step = await runStep({ workspace, inputs: { 'cli-path': agent.path, preset: 'docs' } });
    expect(step.errors).toEqual([]);
    expect(step.outputs.get('has-changes')).toBe('true');
    expect(JSON.parse(step.outputs.get('changed-files') ?? '')).toEqual([
      'README.md',
      'docs/new.md',
      'docs/old.md',
    ]);

    const copy = makeFolder('copy');
    git(copy, 'clone', '--quiet', workspace, '.');
    git(copy, 'apply', '--binary', step.outputs.get('patch-file')!);
    expect(git(copy, 'status', '--porcelain', '--untracked-files=all')).toBe(
      ' M README.md\n D docs/old.md\n?? docs/new.md\n',
    );
    expect(readFileSync(join(copy, 'README.md'), 'utf8')).toBe('# Better\n');
  });

  it('is sources in the preset edit, which has no commands and applies edits', async () => {
    const workspace = makeWorkspace(FILES);
    const agent = agentThat(`write('src/a.ts', 'two\\n')`);
    const step = await runStep({ workspace, inputs: { 'cli-path': agent.path, preset: 'edit' } });
    expect([step.errors, step.outputs.get('changed-files')]).toEqual([[], '["src/a.ts"]']);
    expect(agent.sightings()[0]?.argv).toContain('--force');
    expect(agent.sightings()[0]?.cliJson).toMatchObject({
      permissions: { deny: expect.arrayContaining(['Shell(*)']) },
    });
  });

  it('is nothing where nothing was changed, also when the tree was dirty before', async () => {
    const workspace = makeWorkspace(FILES);
    writeTree(workspace, { 'src/a.ts': 'dirty\n', 'untracked.txt': 'x' });
    const step = await runStep({ workspace, inputs: { 'cli-path': agentThat('0').path } });
    expect(step.code).toBe(0);
    expect(step.outputs.get('has-changes')).toBe('false');
    expect(step.outputs.get('changed-files')).toBe('[]');
    expect(step.outputs.get('patch-file')).toBe('');
  });

  it('is judged and applied outside of a repository too; only a patch cannot be had there', async () => {
    const workspace = makeFolder('plain');
    writeTree(workspace, { 'docs/a.md': 'a' });
    const agent = agentThat(`writeFileSync('docs/b.md', 'b')`);
    const step = await runStep({ workspace, inputs: { 'cli-path': agent.path, preset: 'docs' } });
    expect(step.code).toBe(0);
    expect(step.outputs.get('changed-files')).toBe('["docs/b.md"]');
    expect(step.outputs.get('patch-file')).toBe('');
    expect(step.summary).toContain('there is no git to write a patch');
    expect(readFileSync(join(workspace, 'docs/b.md'), 'utf8')).toBe('b');
    const refused = await runStep({
      workspace,
      inputs: { 'cli-path': agentThat(`writeFileSync('x.sh', 'b')`).path, preset: 'docs' },
    });
    expect(refused.outputs.get('failure-reason')).toBe('policy-violation');
    expect(existsSync(join(workspace, 'x.sh'))).toBe(false);
  });
});

describe('what the agent may not change', () => {
  it.each<[string, string, string, RegExp]>([
    ['anything in review', 'review', `write('README.md', 'x')`, /README\.md/],
    ['sources in docs', 'docs', `write('src/a.ts', 'x')`, /src\/a\.ts/],
    ['workflows in edit', 'edit', `write('.github/workflows/x.yml', 'x')`, /\.github\/workflows\/x\.yml/],
    ['sources in custom without Write', 'custom', `write('src/a.ts', 'x')`, /src\/a\.ts/],
    ['workflows in fix-ci', 'fix-ci', `write('.github/workflows/x.yml', 'x')`, /\.github\/workflows\/x\.yml/],
    ['a hook', 'fix-ci', `write('.git/hooks/pre-commit', 'x')`, /hooks\/pre-commit/],
    [
      'the configuration of git',
      'fix-ci',
      `write('.git/config', '[core]\\n\\tbare = false\\n')`,
      /\.git\/config/,
    ],
    ['a file that was set aside', 'fix-ci', `write('.cursor/hooks.json', '{}')`, /hooks\.json/],
  ])('fails the run: %s', async (_name, preset, body, words) => {
    const workspace = makeWorkspace({ ...FILES, '.cursor/hooks.json': '{"version":1}' });
    const step = await runStep({ workspace, inputs: { 'cli-path': agentThat(body).path, preset } });
    expect(step.code).toBe(1);
    expect(step.outputs.get('failure-reason')).toBe('policy-violation');
    expect(step.errors[0]).toMatch(words);
    expect(step.summary).toMatch(words);
    expect(step.outputs.get('result')).toBe('Done.');
  });

  it('is put back where that is asked for, and what was allowed stays', async () => {
    const workspace = makeWorkspace(FILES);
    const agent = agentThat(
      `write('src/a.ts', 'x'); write('src/new.ts', 'x'); write('docs/new.md', 'kept\\n'); write('.git/hooks/pre-push', 'x')`,
    );
    const step = await runStep({
      workspace,
      inputs: { 'cli-path': agent.path, preset: 'docs', 'on-violation': 'revert' },
    });
    expect(step.outputs.get('failure-reason')).toBe('policy-violation');
    expect(readFileSync(join(workspace, 'src/a.ts'), 'utf8')).toBe('one\n');
    expect(existsSync(join(workspace, 'src/new.ts'))).toBe(false);
    expect(existsSync(join(workspace, '.git/hooks/pre-push'))).toBe(false);
    expect(readFileSync(join(workspace, 'docs/new.md'), 'utf8')).toBe('kept\n');
    expect(step.outputs.get('changed-files')).toBe('["docs/new.md"]');
  });

  it('is only warned about where that is asked for', async () => {
    const workspace = makeWorkspace(FILES);
    const agent = agentThat(`write('src/a.ts', 'x')`);
    const step = await runStep({
      workspace,
      inputs: { 'cli-path': agent.path, preset: 'docs', 'on-violation': 'warn' },
    });
    expect(step.code).toBe(0);
    expect(step.warnings.join()).toContain('src/a.ts');
  });

  it.each(['fail', 'revert', 'warn'])(
    'is a secret, which is never applied with on-violation: %s',
    async (mode) => {
      const workspace = makeWorkspace(FILES);
      const agent = agentThat(
        `write('docs/a.md', 'The key is ${API_KEY}.\\n'); write('docs/${API_KEY}.md', 'x');
       write('docs/b.md', Buffer.from('${API_KEY}').toString('base64')); write('docs/fine.md', 'x')`,
      );
      const step = await runStep({
        workspace,
        inputs: { 'cli-path': agent.path, preset: 'docs', 'on-violation': mode },
      });
      expect(step.code).toBe(1);
      expect(step.outputs.get('failure-reason')).toBe('policy-violation');
      expect(step.errors[0]).toContain('docs/a.md: it contains a secret that this run knows');
      const applied = mode === 'revert' ? ['docs/fine.md'] : [];
      expect(JSON.parse(step.outputs.get('changed-files') ?? '')).toEqual(applied);
      expect(readdirSync(join(workspace, 'docs')).sort()).toEqual([
        ...applied.map((path) => path.slice(5)),
        'old.md',
      ]);
      const rejected = readFileSync(step.outputs.get('rejected-patch-file') ?? '', 'utf8');
      expect(rejected).toContain('+The key is ***.');
      expect(rejected).toContain('docs/***.md');
      const kept = [
        rejected,
        step.summary,
        step.stdout.replaceAll(/^::add-mask::.*$/gm, ''),
        ...step.outputs.values(),
      ];
      for (const name of ['report-file', 'report-html', 'transcript-file'])
        kept.push(readFileSync(step.outputs.get(name) ?? '', 'utf8'));
      for (const text of kept) {
        expect(text).not.toContain(API_KEY.slice(4));
        expect(text).not.toContain(Buffer.from(API_KEY).toString('base64').slice(0, 40));
      }
    },
  );

  it('is told also where the run failed for another reason', async () => {
    const agent = fakeAgent(`${WRITES} init(); write('src/a.ts', 'x'); process.exit(3);`);
    const step = await runStep({
      workspace: makeWorkspace(FILES),
      inputs: { 'cli-path': agent.path, preset: 'docs' },
    });
    expect(step.outputs.get('failure-reason')).toBe('crashed');
    expect(step.errors[0]).toContain('src/a.ts');
    expect(step.outputs.get('changed-files')).toBe('[]');
    expect(readFileSync(step.outputs.get('rejected-patch-file') ?? '', 'utf8')).toContain('src/a.ts');
  });
});

describe('rules of the base', () => {
  const READS = `init(); say(existsSync('AGENTS.md') ? readFileSync('AGENTS.md', 'utf8') : 'none'); finish();`;
  const seenIn = async (workspace: string, sha: string) => {
    const folder = makeFolder('event');
    const variables = eventVariables('pull_request', 'pull-request-own');
    const payload = JSON.parse(readFileSync(variables['GITHUB_EVENT_PATH']!, 'utf8')) as {
      pull_request: { base: object };
    };
    const event = {
      ...payload,
      pull_request: { ...payload.pull_request, base: { ...payload.pull_request.base, sha } },
    };
    writeTree(folder, { 'event.json': JSON.stringify(event) });
    return runStep({
      workspace,
      inputs: { 'cli-path': fakeAgent(READS).path, 'allowed-actors': 'mary' },
      env: { ...variables, GITHUB_EVENT_PATH: join(folder, 'event.json') },
    });
  };

  it('take the place of those a pull request brings along', async () => {
    const workspace = makeWorkspace({ 'AGENTS.md': 'from the base', 'README.md': 'x' });
    const sha = git(workspace, 'rev-parse', 'HEAD').trim();
    writeTree(workspace, { 'AGENTS.md': 'codeword xyzzy', 'sub/AGENTS.md': 'planted' });
    git(workspace, 'add', '--all');
    git(workspace, 'commit', '--quiet', '--message', 'pull request');
    const step = await seenIn(workspace, sha);
    expect(step.errors).toEqual([]);
    expect(step.outputs.get('result')).toBe('from the base');
    expect(git(workspace, 'status', '--porcelain')).toBe('');
  });

  it('are none where the clone does not reach back to it, and that is said', async () => {
    const step = await seenIn(makeWorkspace({ 'AGENTS.md': 'codeword xyzzy' }), 'a'.repeat(40));
    expect(step.outputs.get('result')).toBe('none');
    expect(step.stdout).toMatch(/set fetch-depth: 0/);
  });
});
