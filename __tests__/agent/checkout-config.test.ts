import { afterEach, describe, expect, it } from '@jest/globals';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { classify, findConfig } from '../../src/agent/checkout-config.js';
import { arrangeConfig, chooseRules } from '../../src/agent/project-rules.js';
import { makeFolder, removeFolders, writeTree } from '../scenarios/workspace.js';

afterEach(removeFolders);

describe('classify', () => {
  it.each([
    ['.cursor/cli.json', 'configuration'],
    ['a/b/.cursor/hooks.json', 'configuration'],
    ['.cursor/mcp.json', 'configuration'],
    ['.cursor/sandbox.json', 'configuration'],
    ['.cursor/permissions.json', 'configuration'],
    ['.cursor/what-comes-next.json', 'configuration'],
    ['.CURSOR/Hooks.JSON', 'configuration'],
    ['.claude/settings.json', 'configuration'],
    ['.claude/settings.local.json', 'configuration'],
    ['.clido/config.toml', 'configuration'],
    ['AGENTS.md', 'rules'],
    ['sub/CLAUDE.md', 'rules'],
    ['CLAUDE.local.md', 'rules'],
    ['.cursorrules', 'rules'],
    ['.cursor/rules/style.mdc', 'rules'],
    ['.cursor/commands/x.md', 'rules'],
    ['.claude/agents/x.md', 'rules'],
    ['src/cursor/cli.json', undefined],
    ['docs/agents.md.txt', undefined],
    ['README.md', undefined],
    ['my.cursor/x.json', undefined],
  ])('%s is %s', (path, kind) => {
    expect(classify(path)).toBe(kind);
  });
});

describe('findConfig', () => {
  it('finds it at every depth, and follows no link', () => {
    const root = makeFolder();
    const outside = makeFolder();
    writeTree(outside, { 'hooks.json': 'x', 'deep/.cursor/cli.json': 'x' });
    writeTree(root, {
      '.cursor/cli.json': '',
      'a/b/.cursor/hooks.json': '',
      'a/AGENTS.md': '',
      'src/x.ts': '',
      '.git/AGENTS.md': '',
      'node_modules/p/AGENTS.md': '',
    });
    symlinkSync(outside, join(root, 'a', '.claude'));
    symlinkSync(outside, join(root, 'linked'));
    expect(findConfig(root)).toEqual([
      { path: '.cursor/cli.json', kind: 'configuration' },
      { path: 'a/.claude', kind: 'configuration' },
      { path: 'a/AGENTS.md', kind: 'rules' },
      { path: 'a/b/.cursor/hooks.json', kind: 'configuration' },
    ]);
  });
});

describe('project rules', () => {
  it.each([
    ['auto', 'pull_request', 'base'],
    ['auto', 'pull_request_review_comment', 'base'],
    ['auto', 'push', 'head'],
    ['auto', undefined, 'head'],
    ['head', 'pull_request', 'head'],
    ['none', 'push', 'none'],
  ] as const)('%s on %s are those of %s', (asked, event, expected) => {
    expect(chooseRules(asked, event)).toBe(expected);
  });

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
  it('are none where the base cannot be had, and that is said', () => {
    const arrangement = arrangeConfig({ choice: 'base', found, base: { missing: 'no such commit' }, own });
    expect(arrangement).toMatchObject({ setAside: ['.cursor/hooks.json', 'AGENTS.md'], files: own });
    expect(arrangement.note).toContain('no such commit');
  });
});
