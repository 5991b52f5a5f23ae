import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arrangeConfig, findConfig, setAsideList } from '../../src/permissions/checkout-config.js';
import { makeFolder, writeTree } from '../scenarios/workspace.js';

const entry = (name: string, kind: 'file' | 'folder') => ({
  name,
  isDirectory: () => kind === 'folder',
  isSymbolicLink: () => false,
});

function caught(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}

describe('findConfig', () => {
  it('finds it at every depth, and follows no link', () => {
    const root = makeFolder();
    const outside = makeFolder();
    writeTree(outside, { 'hooks.json': 'x', 'deep/.cursor/cli.json': 'x' });
    writeTree(root, {
      '.cursor/cli.json': '',
      'a/b/.cursor/hooks.json': '',
      'a/AGENTS.md': '',
      'a/.Agents/skills/x.md': '',
      'src/x.ts': '',
      '.git/AGENTS.md': '',
      'node_modules/p/AGENTS.md': '',
    });
    symlinkSync(outside, join(root, 'a', '.claude'));
    symlinkSync(outside, join(root, 'linked'));
    expect(findConfig(root).config).toEqual([
      { path: '.cursor/cli.json', kind: 'configuration' },
      { path: 'a/.Agents/skills/x.md', kind: 'rules' },
      { path: 'a/.claude', kind: 'configuration' },
      { path: 'a/AGENTS.md', kind: 'rules' },
      { path: 'a/b/.cursor/hooks.json', kind: 'configuration' },
      { path: 'node_modules/p/AGENTS.md', kind: 'rules' },
    ]);
  });

  it.each(['.cursor', '.claude', '.agents', '.codex', '.clido', '.CODEX'])(
    'takes a link at the place of %s for configuration',
    (name) => {
      const root = makeFolder();
      symlinkSync(makeFolder(), join(root, name));
      expect(findConfig(root).config).toEqual([{ path: name, kind: 'configuration' }]);
    },
  );

  it('finds what configures an agent in a dot folder of any name, and leaves the rest of it', () => {
    const root = makeFolder();
    writeTree(root, {
      '.grok/skills/x/SKILL.md': '',
      '.grok/skills/x/run.sh': '',
      '.next-one/hooks.json': '',
      '.next-one/notes.md': '',
      'a/.roo/agents/x.md': '',
      '.github/agents/x.md': '',
      '.storybook/main.ts': '',
      'node_modules/p/.grok/agents/x.md': '',
    });
    expect(findConfig(root).config).toEqual([
      { path: '.grok/skills/x/SKILL.md', kind: 'rules' },
      { path: '.next-one/hooks.json', kind: 'configuration' },
      { path: 'a/.roo/agents/x.md', kind: 'rules' },
    ]);
  });

  it('takes a link that leads to such a thing for configuration, and no other', () => {
    const root = makeFolder();
    writeTree(root, {
      'evil/skills/x/SKILL.md': '',
      'evil/x/SKILL.md': '',
      'plain/a.md': '',
      '.roo/agents/.keep': '',
      '.kiro/keep': '',
    });
    symlinkSync('evil', join(root, '.grok'));
    symlinkSync('../evil', join(root, '.kiro/skills'));
    symlinkSync('../../plain', join(root, '.roo/agents/team'));
    symlinkSync('plain', join(root, '.config'));
    symlinkSync('evil', join(root, '.venv'));
    symlinkSync('plain/a.md', join(root, '.notes'));
    symlinkSync('nowhere', join(root, '.broken'));
    expect(findConfig(root).config).toEqual([
      { path: '.grok', kind: 'configuration' },
      { path: '.kiro/skills', kind: 'configuration' },
      { path: '.roo/agents/team', kind: 'configuration' },
    ]);
  });

  it('lists every .git, whether folder, file or link, and does not enter it', () => {
    const root = makeFolder();
    writeTree(root, {
      '.git/.cursor/hooks.json': '',
      'module/.git': 'gitdir: elsewhere',
      'node_modules/p/.git/config': '',
      'a/.gitignore': '',
    });
    mkdirSync(join(root, 'a/b'));
    symlinkSync(makeFolder(), join(root, 'a/b/.git'));
    expect(findConfig(root)).toEqual({
      config: [],
      gitEntries: ['.git', 'a/b/.git', 'module/.git', 'node_modules/p/.git'],
    });
  });

  it('stops at no number of folders', () => {
    const list = (folder: string) =>
      folder === '/w'
        ? [
            entry('.cursor', 'folder'),
            ...Array.from({ length: 100_001 }, (_, at) => entry(`f${at}`, 'folder')),
          ]
        : folder === '/w/.cursor'
          ? [entry('hooks.json', 'file')]
          : [];
    expect(findConfig('/w', { disk: { list, isOurs: () => true } }).config).toEqual([
      { path: '.cursor/hooks.json', kind: 'configuration' },
    ]);
  });

  it('enters folders whose names are not valid UTF-8, and fails if it finds something there', () => {
    const root = makeFolder();
    const odd = Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]);
    mkdirSync(odd);
    writeFileSync(Buffer.concat([odd, Buffer.from('/a.txt')]), '');
    expect(findConfig(root)).toEqual({ config: [], gitEntries: [] });
    mkdirSync(Buffer.concat([odd, Buffer.from('/.cursor')]));
    writeFileSync(Buffer.concat([odd, Buffer.from('/.cursor/hooks.json')]), '');
    expect(() => findConfig(root)).toThrow(/caf\ufffd\/\.cursor\/hooks\.json.*not valid UTF-8.*[Rr]ename/);
  });

  it('fails if a path is too long to be opened', () => {
    const root = makeFolder();
    const name = 'd'.repeat(200);
    execFileSync('bash', ['-c', `for i in $(seq 25); do mkdir ${name} && cd ${name}; done`], { cwd: root });
    expect(() => findConfig(root)).toThrow(/ENAMETOOLONG/);
    execFileSync('rm', ['-rf', name], { cwd: root });
  });
});

describe('a folder that cannot be read', () => {
  const found = (code: string, isOurs: boolean) => {
    const list = (folder: string) => {
      if (folder === '/w') return [entry('closed', 'folder'), entry('AGENTS.md', 'file')];
      throw Object.assign(new Error(`${code}: told by the system`), { code });
    };
    return findConfig('/w', { disk: { list, isOurs: () => isOurs } });
  };
  const rest = { config: [{ path: 'AGENTS.md', kind: 'rules' }], gitEntries: [] };

  it.each([
    ['ENOENT', true],
    ['EACCES', false],
    ['EPERM', false],
  ])('is passed over on %s where it is ours: %s', (code, isOurs) => {
    expect(found(code, isOurs)).toEqual(rest);
  });

  it.each([
    ['EACCES', true],
    ['EPERM', true],
    ['EIO', false],
    ['ENAMETOOLONG', true],
  ])('fails the run on %s where it is ours: %s', (code, isOurs) => {
    const failure = caught(() => found(code, isOurs));
    expect(failure).toMatchObject({ reason: 'invalid-input' });
    expect(failure).toHaveProperty(
      'message',
      expect.stringMatching(`/w/closed cannot be read \\(${code}\\)`),
    );
  });
});

describe('project rules', () => {
  const found = [
    { path: '.cursor/hooks.json', kind: 'configuration' },
    { path: 'AGENTS.md', kind: 'rules' },
  ] as const;
  const own = { '.cursor/cli.json': 'ours' };
  const base = { files: { 'AGENTS.md': Buffer.from('base'), '.cursor/cli.json': Buffer.from('never') } };

  it('of the head stay, configuration never does', () => {
    expect(arrangeConfig({ choice: 'head', found, base: undefined, own })).toEqual({
      setAside: ['.cursor/hooks.json'],
      files: own,
    });
  });
  it('of the base take the place of the others, and never of our own file', () => {
    expect(arrangeConfig({ choice: 'base', found, base, own })).toEqual({
      setAside: ['.cursor/hooks.json', 'AGENTS.md'],
      files: { 'AGENTS.md': Buffer.from('base'), '.cursor/cli.json': 'ours' },
    });
  });
  it('are none if the base is not available, and a note says so', () => {
    const arrangement = arrangeConfig({ choice: 'base', found, base: { missing: 'no such commit' }, own });
    expect(arrangement).toMatchObject({ setAside: ['.cursor/hooks.json', 'AGENTS.md'], files: own });
    expect(arrangement.note).toContain('no such commit');
  });

  it('lists a folder once if nothing in it stays', () => {
    const files = [
      { path: '.clido/a', kind: 'configuration' },
      { path: '.clido/b/c', kind: 'configuration' },
      { path: 'a/.cursor/hooks.json', kind: 'configuration' },
      { path: 'a/.cursor/hooks/x.sh', kind: 'configuration' },
      { path: 'a/.cursor/hooks/y.sh', kind: 'configuration' },
      { path: 'a/.cursor/rules/x.mdc', kind: 'rules' },
      { path: 'a/AGENTS.md', kind: 'rules' },
      { path: 'b/.claude', kind: 'configuration' },
    ] as const;
    expect(setAsideList(files, 'head')).toEqual([
      ...['.clido', 'a/.cursor/hooks.json', 'a/.cursor/hooks', 'b/.claude'],
    ]);
    expect(setAsideList(files, 'none')).toEqual(['.clido', 'a/.cursor', 'a/AGENTS.md', 'b/.claude']);
    expect(setAsideList(files, 'none', ['.clido/a', 'b/.claude/x'])).toEqual([
      ...['.clido/a', '.clido/b', 'a/.cursor', 'a/AGENTS.md', 'b/.claude'],
    ]);
  });
});
