import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findGitFolders } from '../../../src/agent/isolation/git-folders.js';
import { git } from './stand.js';

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
    expect(folders).toEqual(
      expect.arrayContaining([
        { path: join(outer, '.git'), is: 'folder' },
        { path: join(outer, 'middle', '.git'), is: 'file' },
        { path: join(outer, 'middle', 'deps', 'inner', '.git'), is: 'file' },
      ]),
    );
    const modules = join(outer, '.git', 'modules', 'a', 'name');
    expect(configs.sort()).toEqual(
      [join(outer, '.git'), modules, join(modules, 'modules', 'deps', 'inner')].map((at) =>
        join(at, 'config'),
      ),
    );
  });

  it('is that of every repository side by side, and of the one around', () => {
    const around = repository('around');
    const [one, two] = [repository('around', 'workspace', 'one'), repository('around', 'workspace', 'two')];
    expect(
      findGitFolders(join(around, 'workspace'))
        .folders.map(({ path }) => path)
        .sort(),
    ).toEqual([around, one, two].map((folder) => join(folder, '.git')).sort());
  });

  it('is nothing where there is no repository', () => {
    mkdirSync(join(root, 'empty'));
    expect(findGitFolders(join(root, 'empty')).configs.filter((path) => path.startsWith(root))).toEqual([]);
  });
});
