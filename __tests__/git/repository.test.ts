import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findGitFolders,
  findRepository,
  followDotGit,
  nestedGitFiles,
  readHead,
  withoutCredentials,
} from '../../src/git/repository.js';
import { git } from '../sandbox/namespace/stand.js';

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

describe('the commit that is checked out', () => {
  const headOf = (folder: string) => readHead(findRepository(folder) ?? { gitFolder: '', commonFolder: '' });
  const askGit = (folder: string) => git(folder, 'rev-parse', 'HEAD').trim();

  it('is what git says: on a branch, packed, detached, in a worktree', () => {
    const folder = repository('project');
    const first = askGit(folder);
    expect(headOf(folder)).toBe(first);
    git(folder, 'pack-refs', '--all');
    expect(headOf(folder)).toBe(first);
    git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'second');
    expect(headOf(folder)).toBe(askGit(folder));
    git(folder, 'worktree', 'add', '--quiet', '-b', 'side', '../side', first);
    expect(headOf(join(root, 'side'))).toBe(first);
    git(folder, 'checkout', '--quiet', '--detach', first);
    expect(headOf(folder)).toBe(first);
  });

  it('is unknown if there is none, and nothing outside is read', () => {
    const folder = repository('project');
    for (const text of [
      'ref: refs/heads/none',
      'ref: refs/../../secret',
      'nonsense',
      'ref: refs/heads/loop',
    ]) {
      writeFileSync(join(folder, '.git', 'refs', 'heads', 'loop'), 'ref: refs/heads/loop');
      writeFileSync(join(folder, '.git', 'HEAD'), text);
      writeFileSync(join(root, 'secret'), 'a'.repeat(40));
      expect(headOf(folder)).toBeUndefined();
    }
  });
});

describe('where a .git leads', () => {
  it.each([
    ['gitdir: ../real\n', '/work/real'],
    ['gitdir: /else/where\r\n\n', '/else/where'],
    ['gitdir: with\na line break', '/work/checkout/with\na line break'],
    ['# a comment\ngitdir: ../real\n', undefined],
    ['gitdir: ', undefined],
  ])('is what git reads in a file with %j', (text, gitFolder) => {
    const files = new Map([['/work/checkout/.git', text]]);
    const found = followDotGit('/work/checkout/.git', (path) => files.get(path));
    expect(found).toEqual(gitFolder && { gitFolder, commonFolder: gitFolder });
  });

  it('includes the folder that a worktree shares with others', () => {
    const files = new Map([['/clone/.git/commondir', '../common\n']]);
    expect(followDotGit('/clone/.git', (path) => files.get(path))).toEqual({
      gitFolder: '/clone/.git',
      commonFolder: '/clone/common',
    });
  });

  it('is found through a link to such a file, in all searches', () => {
    const main = repository('main');
    const tree = join(root, 'tree');
    mkdirSync(tree);
    writeFileSync(join(root, 'pointer'), `gitdir: ${join(main, '.git')}\n`);
    symlinkSync(join(root, 'pointer'), join(tree, '.git'));
    expect(findRepository(tree)).toMatchObject({ root: tree, gitFolder: join(main, '.git') });
    expect(findGitFolders(tree).configs).toEqual([join(main, '.git', 'config')]);
  });
});

describe('where git stores what belongs to a checkout', () => {
  it('is the .git of an ordinary one, with the files that can hold credentials', () => {
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

  it('includes the repository around the folder, and none of those below it', () => {
    const around = repository('around');
    repository('around', 'workspace', 'one');
    const paths = findGitFolders(join(around, 'workspace')).folders.map(({ path }) => path);
    expect(paths).toEqual([join(around, '.git')]);
  });

  it('is nothing without a repository', () => {
    mkdirSync(join(root, 'empty'));
    expect(findGitFolders(join(root, 'empty')).configs.filter((path) => path.startsWith(root))).toEqual([]);
  });
});

describe('what holds credentials in another repository of the checkout', () => {
  it('is its configuration and its credential files, and those of its submodules', () => {
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

  it('is nothing if .git is a file or a link, because the repository it leads to is handled on its own', () => {
    const main = repository('main');
    const tree = join(root, 'tree');
    git(main, 'worktree', 'add', '--quiet', tree);
    symlinkSync(join(main, '.git'), join(root, 'linked'));
    for (const entry of [join(tree, '.git'), join(root, 'linked')]) {
      expect(nestedGitFiles(entry)).toEqual({ configs: [], credentials: [] });
    }
  });
});

const SECRET = 'c2VjcmV0';

describe('a git configuration for the agent', () => {
  it('keeps what git needs', () => {
    const config =
      '[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = sha256\n' +
      '[remote "origin"]\n\turl = https://github.com/some/project\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n' +
      '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n';
    expect(withoutCredentials(config)).toBe(config);
  });

  it.each([
    [
      'a header of actions/checkout',
      `[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic ${SECRET}`,
    ],
    ['a section and a setting in one line', `[http] extraheader = ${SECRET}`],
    ['a token in the address', `[remote "origin"]\n\turl = https://x-access-token:${SECRET}@github.com/a/b`],
    ['a token as the user', `[remote "origin"]\n\turl = https://${SECRET}@github.com/a/b`],
    ['a password with an at sign', `[remote "origin"]\n\turl = https://u:p@${SECRET}@github.com/a/b`],
    ['a token in the query', `[submodule "s"]\n\turl = https://github.com/a/b?access_token=${SECRET}`],
    ['a rewritten address', `[url "https://${SECRET}@github.com/"]\n\tinsteadOf = https://github.com/`],
    ['an address as a name', `[remote "https://${SECRET}@github.com/"]\n\tfetch = x`],
    ['a helper', `[credential]\n\thelper = "!echo password=${SECRET}"`],
    ['a section by another case', `[HTTP "x"]\n\tExtraHeader = ${SECRET}`],
    ['a section with a dot', `[http.https://github.com/]\n\textraheader = ${SECRET}`],
    ['a setting that goes on in the next line', `[core]\n\teol = \\\n${SECRET}`],
    ['a comment', `[core]\n\t# ${SECRET}\n\t; ${SECRET}`],
    ['a file to include', `[includeIf "gitdir:/w/.git"]\n\tpath = /t/git-credentials-${SECRET}.config`],
  ])('drops %s', (_, config) => {
    expect(withoutCredentials(`${config}\n[core]\n\tbare = false\n`)).not.toContain(SECRET);
    expect(withoutCredentials(`${config}\n[core]\n\tbare = false\n`)).toContain('bare = false');
  });

  it('contains only settings that are known, whatever it is made from', () => {
    const known =
      /^(\[(core|extensions|remote|branch|submodule)( "[^\n]*")?\]|\t[A-Za-z][A-Za-z0-9-]* = [^\n]*)$/i;
    const piece = fc.constantFrom(
      '[core]',
      '[',
      ']',
      '"',
      '\\',
      '\n',
      ' = ',
      'bare',
      'url',
      '[remote "a"]',
      SECRET,
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const lines = withoutCredentials(pieces.join('')).split('\n').slice(0, -1);
        expect(lines.filter((line) => !known.test(line))).toEqual([]);
      }),
    );
  });
});
