import { afterEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { readChange } from '../../src/plan/read-change.js';
import { git, makeFolder, makeWorkspace, removeFolders, writeTree } from '../scenarios/workspace.js';

afterEach(removeFolders);

/** Two branches that parted: the change is what happened on one of them. */
function parted() {
  const workspace = makeWorkspace({ 'a.ts': 'a\n', 'b.ts': 'b\n' });
  git(workspace, 'switch', '--quiet', '--create', 'change');
  writeTree(workspace, { 'a.ts': 'A\nA\n', 'new/c.ts': 'c\n' });
  git(workspace, 'add', '--all');
  git(workspace, 'commit', '--quiet', '--message', 'change');
  const head = git(workspace, 'rev-parse', 'HEAD').trim();
  git(workspace, 'switch', '--quiet', 'main');
  writeTree(workspace, { 'b.ts': 'B\n' });
  git(workspace, 'commit', '--quiet', '--all', '--message', 'meanwhile');
  return { workspace, head, base: git(workspace, 'rev-parse', 'HEAD').trim() };
}
const places = (workspace: string) => ({
  workspace,
  holding: makeFolder('holding'),
  path: process.env['PATH'],
});

describe('readChange', () => {
  it('has what happened on the branch since it parted', () => {
    const { workspace, base, head } = parted();
    expect(readChange({ base, head, sinceParting: true }, places(workspace))).toEqual([
      { path: 'a.ts', lines: 3, binary: false },
      { path: 'new/c.ts', lines: 1, binary: false },
    ]);
  });

  it('has every difference where one commit followed the other', () => {
    const { workspace, base, head } = parted();
    const files = readChange({ base, head, sinceParting: false }, places(workspace));
    expect(files.map(({ path }) => path)).toEqual(['a.ts', 'b.ts', 'new/c.ts']);
  });

  it('runs nothing that the checkout configures', () => {
    const { workspace, base, head } = parted();
    const planted = join(makeFolder('planted'), 'pwned');
    git(workspace, 'config', 'diff.external', `touch ${planted}`);
    git(workspace, 'config', 'core.fsmonitor', `touch ${planted}`);
    readChange({ base, head, sinceParting: true }, places(workspace));
    expect(() => execFileSync('ls', [planted], { stdio: 'ignore' })).toThrow();
  });

  it('says what to do where the clone is too shallow', () => {
    const { workspace, base } = parted();
    const change = { base, head: 'a'.repeat(40), sinceParting: true };
    expect(() => readChange(change, places(workspace))).toThrow(
      /Set fetch-depth: 0 in the actions\/checkout step/,
    );
  });

  it('says what to do where there is no repository', () => {
    const change = { base: 'a'.repeat(40), head: 'b'.repeat(40), sinceParting: true };
    expect(() => readChange(change, places(makeFolder('empty')))).toThrow(/Add an actions\/checkout step/);
  });
});
