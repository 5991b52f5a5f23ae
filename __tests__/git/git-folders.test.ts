import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findGitFolders, nestedGitFiles } from '../../src/git/git-folders.js';
import { git } from '../isolation/stand.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'git-folders-')));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function repository(...names: readonly string[]): string {
  const folder = join(root, ...names);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'file'), 'text');
  git(folder, 'init', '--quiet');
  git(folder, 'add', 'file');
  git(folder, 'commit', '--quiet', '-m', 'first');
  return folder;
}

describe('where git keeps what belongs to a checkout', () => {
  it('is the .git of a plain one, with what may hold credentials', () => {
    const folder = repository('plain');
    writeFileSync(join(folder, '.git', 'my-credentials'), 'secret');
    expect(findGitFolders(folder)).toEqual({
      folders: [{ path: join(folder, '.git'), is: 'folder' }],
      configs: [join(folder, '.git', 'config')],
      credentials: [join(folder, '.git', 'my-credentials')],
    });
  });

  it('is also the real folder of a worktree, and the one it shares', () => {
    const main = repository('main');
    const tree = join(root, 'tree');
    git(main, 'worktree', 'add', '--quiet', tree);
    expect(findGitFolders(tree)).toEqual({
      folders: [
        { path: join(tree, '.git'), is: 'file' },
        { path: join(main, '.git', 'worktrees', 'tree'), is: 'folder' },
        { path: join(main, '.git'), is: 'folder' },
      ],
      configs: [join(main, '.git', 'config')],
      credentials: [],
    });
  });

  it('is also what belongs to submodules, and to submodules of those', () => {
    const inner = repository('inner');
    const middle = repository('middle');
    git(middle, 'submodule', '--quiet', 'add', inner, 'deps/inner');
    git(middle, 'commit', '--quiet', '-m', 'with a submodule');
    const outer = repository('outer');
    git(outer, 'submodule', '--quiet', 'add', '--name', 'a/name', middle, 'middle');
    git(outer, 'submodule', '--quiet', 'update', '--init', '--recursive');
    const { folders, configs } = findGitFolders(outer);
    expect(folders).toEqual([{ path: join(outer, '.git'), is: 'folder' }]);
    const modules = join(outer, '.git', 'modules', 'a', 'name');
    expect(configs.sort()).toEqual(
      [join(outer, '.git'), modules, join(modules, 'modules', 'deps', 'inner')].map((at) =>
        join(at, 'config'),
      ),
    );
  });

  it('is that of the repository around, and none of those below', () => {
    const around = repository('around');
    repository('around', 'workspace', 'one');
    const paths = findGitFolders(join(around, 'workspace')).folders.map(({ path }) => path);
    expect(paths).toEqual([join(around, '.git')]);
  });

  it('is nothing where there is no repository', () => {
    mkdirSync(join(root, 'empty'));
    expect(findGitFolders(join(root, 'empty')).configs.filter((path) => path.startsWith(root))).toEqual([]);
  });
});

describe('what holds credentials in another repository of the checkout', () => {
  it('is its configuration and its files of credentials, and those of its submodules', () => {
    const inner = repository('inner');
    const nested = repository('checkout', 'node_modules', 'nested');
    git(nested, 'submodule', '--quiet', 'add', '--name', 'a/name', inner, 'inner');
    const modules = join(nested, '.git', 'modules', 'a', 'name');
    writeFileSync(join(nested, '.git', '.git-credentials'), 'secret');
    writeFileSync(join(modules, 'config.worktree'), '[core]\n');
    expect(nestedGitFiles(join(nested, '.git'))).toEqual({
      configs: [join(nested, '.git', 'config'), join(modules, 'config'), join(modules, 'config.worktree')],
      credentials: [join(nested, '.git', '.git-credentials')],
    });
  });

  it('is nothing where .git is a file or a link, which leads to a repository that is looked at by itself', () => {
    const main = repository('main');
    const tree = join(root, 'tree');
    git(main, 'worktree', 'add', '--quiet', tree);
    symlinkSync(join(main, '.git'), join(root, 'linked'));
    for (const entry of [join(tree, '.git'), join(root, 'linked')]) {
      expect(nestedGitFiles(entry)).toEqual({ configs: [], credentials: [] });
    }
  });
});
