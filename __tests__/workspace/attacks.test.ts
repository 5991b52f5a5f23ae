import { afterAll, describe, expect, it } from '@jest/globals';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { changedFiles } from '../../src/guard/changes.js';
import {
  git,
  picture,
  policyOf,
  put,
  removeScratch,
  scratchFolder,
  scratchRepository,
  told,
  watch,
} from './scratch-repository.js';

afterAll(removeScratch);

/** Runs the attack under a policy that allows every path, reverts, and compares with the state before. */
function attack(root: string, act: (root: string) => void): string[] {
  const watched = watch(root);
  const before = picture(root, isOutside);
  act(root);
  const inspection = watched.inspect();
  expect(inspection.violations).not.toEqual([]);
  expect(watched.revert(inspection)).toEqual([]);
  expect(watched.inspect().violations).toEqual([]);
  expect(picture(root, isOutside)).toEqual(before);
  return told(inspection);
}

/** New loose objects do nothing and stay. */
const isOutside = (path: string) => path === '.git/objects';

describe('.git', () => {
  it('sees a planted hook and a changed one', () => {
    const root = scratchRepository();
    put(root, { '.git/hooks/pre-push': '#!/bin/sh\n' });
    const act = () => {
      put(root, { '.git/hooks/pre-commit': '#!/bin/sh\necho hi\n', '.git/hooks/pre-push': 'evil\n' });
    };
    expect(attack(root, act)).toEqual([
      '.git/hooks/pre-push: a git hook was changed, which later git commands would run',
      '.git/hooks/pre-commit: a git hook was added, which later git commands would run',
    ]);
  });

  it('sees a hook that only became executable', () => {
    const root = scratchRepository();
    put(root, { '.git/hooks/pre-push': '#!/bin/sh\n' });
    const act = () => {
      chmodSync(join(root, '.git/hooks/pre-push'), 0o755);
    };
    expect(attack(root, act)).toEqual([
      '.git/hooks/pre-push: a git hook was changed, which later git commands would run',
    ]);
  });

  it('sees a changed configuration', () => {
    const act = (root: string) => {
      git(root, 'config', 'core.sshCommand', 'evil');
      put(root, { '.git/config.worktree': '[core]\n' });
    };
    expect(attack(scratchRepository(), act)).toEqual([
      '.git/config: git’s configuration was changed, which can run programs',
      '.git/config.worktree: git’s configuration was added, which can run programs',
    ]);
  });

  it('sees moved, new, deleted and packed references', () => {
    const root = scratchRepository();
    git(root, 'branch', 'gone');
    const found = attack(root, () => {
      git(root, 'commit', '-q', '--allow-empty', '-m', 'by the agent');
      git(root, 'tag', 'v1');
      git(root, 'branch', '-D', 'gone');
    });
    expect(found).toEqual(
      expect.arrayContaining([
        '.git/refs/heads/main: the reference refs/heads/main was changed',
        '.git/refs/tags/v1: the reference refs/tags/v1 was added',
        '.git/refs/heads/gone: the reference refs/heads/gone was deleted',
      ]),
    );
    expect(attack(root, () => git(root, 'pack-refs', '--all'))).toEqual(
      expect.arrayContaining(['.git/packed-refs: the packed references were added']),
    );
  });

  it('sees HEAD on another branch', () => {
    const root = scratchRepository();
    git(root, 'branch', 'side');
    const act = () => {
      writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/side\n');
    };
    expect(attack(root, act)).toEqual([
      '.git/HEAD: HEAD was changed: another commit or branch is checked out',
    ]);
  });

  it('sees staging, and a gitlink staged as a submodule', () => {
    const root = scratchRepository();
    const head = git(root, 'rev-parse', 'HEAD').trim();
    expect(
      attack(root, () => git(root, 'update-index', '--add', '--cacheinfo', `160000,${head},docs/sub`)),
    ).toEqual(['.git/index: the index was changed: docs/sub was staged as a submodule']);
    expect(attack(root, () => git(root, 'rm', '-q', '--cached', 'README.md'))).toEqual([
      '.git/index: the index was changed: README.md was taken out of it',
    ]);
  });

  it.each([['--assume-unchanged'], ['--skip-worktree']])('is not blinded by %s', (flag) => {
    const root = scratchRepository();
    const watched = watch(root, policyOf('docs'));
    git(root, 'update-index', flag, 'src/main.ts');
    appendFileSync(join(root, 'src/main.ts'), 'evil\n');
    expect(git(root, 'status', '--porcelain')).toBe('');
    const inspection = watched.inspect();
    expect(told(inspection)).toEqual([
      '.git/index: the index was changed: src/main.ts was marked so that git overlooks its changes',
      'src/main.ts: no Write rule allows it',
    ]);
    expect(changedFiles(inspection)).toEqual(['src/main.ts']);
    expect(watched.revert(inspection)).toEqual([]);
    expect(watched.inspect()).toMatchObject({ changes: [], violations: [] });
  });

  it('is not blinded by a flag that was set before', () => {
    const root = scratchRepository();
    git(root, 'update-index', '--assume-unchanged', 'src/main.ts');
    appendFileSync(join(root, 'src/main.ts'), 'mine\n');
    const watched = watch(root);
    expect(watched.inspect().changes).toEqual([]);
    appendFileSync(join(root, 'src/main.ts'), 'evil\n');
    expect(watched.inspect().changes).toMatchObject([
      { path: 'src/main.ts', lines: { added: 1, removed: 0 } },
    ]);
  });

  it('uses the ignore rules as they were', () => {
    const root = scratchRepository();
    const watched = watch(root);
    appendFileSync(join(root, '.git/info/exclude'), '/hidden.txt\n');
    appendFileSync(join(root, '.gitignore'), '/hidden-too.txt\n');
    put(root, { 'hidden.txt': 'x\n', 'hidden-too.txt': 'x\n' });
    const inspection = watched.inspect();
    expect(changedFiles(inspection)).toEqual(['.gitignore', 'hidden-too.txt', 'hidden.txt']);
    expect(told(inspection)).toEqual([
      '.git/info/exclude: git’s rules on what to ignore or convert were changed',
    ]);
  });

  it('sees a new pack and an object that is no longer what it is called', () => {
    const root = scratchRepository();
    const watched = watch(root);
    const id = git(root, 'rev-parse', 'HEAD:src/main.ts').trim();
    const object = join(root, '.git/objects', id.slice(0, 2), id.slice(2));
    chmodSync(object, 0o644);
    writeFileSync(object, deflateSync(Buffer.from('blob 5\0evil\n')));
    chmodSync(object, 0o444);
    put(root, { '.git/objects/pack/pack-1.idx': 'x' });
    appendFileSync(join(root, 'src/main.ts'), 'evil\n');
    const inspection = watched.inspect();
    expect(told(inspection)).toEqual([
      `.git/objects/${id.slice(0, 2)}/${id.slice(2)}: the object store was changed`,
      '.git/objects/pack/pack-1.idx: the object store was added to',
    ]);
    expect(inspection.omitted.map(({ path }) => path)).toEqual(['src/main.ts']);
  });

  it('takes objects that git only met again for untouched, packed or not', () => {
    const root = scratchRepository();
    const content = readFileSync(join(root, 'src/main.ts'));
    const watched = watch(root);
    put(root, { 'copy.ts': content });
    git(root, 'hash-object', '-w', 'copy.ts');
    expect(watched.inspect().violations).toEqual([]);
    git(root, 'repack', '-adq');
    const packed = watch(root);
    const pack = readdirSync(join(root, '.git/objects/pack')).map((name) =>
      join(root, '.git/objects/pack', name),
    );
    for (const path of pack) utimesSync(path, 1, 1);
    expect(packed.inspect().violations).toEqual([]);
    const path = pack.find((name) => name.endsWith('.pack')) ?? '';
    const bytes = readFileSync(path);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    chmodSync(path, 0o644);
    writeFileSync(path, bytes);
    chmodSync(path, 0o444);
    expect(told(packed.inspect())).toEqual([expect.stringContaining('.pack: the object store was changed')]);
  });

  it('sees .git replaced by a file, and moves the real one back', () => {
    const root = scratchRepository();
    const found = attack(root, () => {
      renameSync(join(root, '.git'), join(root, 'elsewhere'));
      writeFileSync(join(root, '.git'), `gitdir: ${join(root, 'elsewhere')}\n`);
      put(root, { 'elsewhere/hooks/pre-push': 'evil\n' });
    });
    expect(found).toEqual([
      '.git: it was replaced by something else',
      '.git: the repository’s own folder was replaced, moved or deleted',
    ]);
    expect(git(root, 'status', '--porcelain')).toBe('');
  });

  it('says so when .git is gone and cannot be put back', () => {
    const root = scratchRepository();
    const watched = watch(root);
    rmSync(join(root, '.git'), { recursive: true });
    appendFileSync(join(root, 'README.md'), 'more\n');
    const inspection = watched.inspect();
    expect(told(inspection)).toContain('.git: the repository’s own folder was replaced, moved or deleted');
    expect(inspection.changes.map(({ path }) => path)).toEqual(['README.md']);
    expect(watched.revert(inspection).map(({ path }) => path)).toEqual(['.git', '.git']);
  });

  it('sees the .git file of a work tree point elsewhere', () => {
    const source = scratchRepository();
    const root = join(scratchFolder(), 'tree');
    git(source, 'worktree', 'add', '-q', root, '-b', 'side');
    const found = attack(root, () => {
      writeFileSync(join(root, '.git'), `gitdir: ${scratchFolder()}\n`);
    });
    expect(found).toEqual(['.git: it was replaced by something else']);
  });
});

describe('files', () => {
  it('sees a change whose size and time were put back', () => {
    const root = scratchRepository();
    utimesSync(join(root, 'src/main.ts'), 1000, 1000);
    git(root, 'status');
    const watched = watch(root, policyOf('docs'));
    const path = join(root, 'src/main.ts');
    const { atimeMs, mtimeMs } = statSync(path);
    writeFileSync(path, readFileSync(path, 'utf8').replace('a = 1', 'a = 6'));
    utimesSync(path, atimeMs / 1000, mtimeMs / 1000);
    expect(told(watched.inspect())).toEqual(['src/main.ts: no Write rule allows it']);
  });

  it('sees a repository made inside this one, and takes it away again', () => {
    const found = attack(scratchRepository(), (root) => {
      mkdirSync(join(root, 'docs/sub'));
      git(join(root, 'docs/sub'), 'init', '-q');
      put(root, { 'docs/.GIT/config': '[core]\n' });
      put(root, { 'src/.git': 'gitdir: ../elsewhere\n' });
    });
    expect(found.sort()).toEqual([
      'docs/.GIT: a git repository was made inside this one',
      'docs/sub/.git: a git repository was made inside this one',
      'src/.git: it belongs to another git repository inside this one',
    ]);
  });

  it('sees a file made executable, also on the way to another name', () => {
    const root = scratchRepository();
    expect(
      attack(root, () => {
        chmodSync(join(root, 'src/tool.sh'), 0o755);
      }),
    ).toEqual(['src/tool.sh: it was made executable']);
    const watched = watch(root);
    renameSync(join(root, 'docs/guide.md'), join(root, 'docs/guide.sh'));
    chmodSync(join(root, 'docs/guide.sh'), 0o755);
    expect(told(watched.inspect())).toEqual([
      'docs/guide.sh: it was renamed and made executable, or no longer so',
    ]);
  });

  it('sees links that lead out, also by way of another link or to something missing', () => {
    const found = attack(scratchRepository(), (root) => {
      symlinkSync('/etc', join(root, 'docs/etc'));
      symlinkSync('docs/etc', join(root, 'hop'));
      symlinkSync('../../not/there', join(root, 'docs/dangling'));
      symlinkSync('.git/config', join(root, 'settings'));
      symlinkSync('circle', join(root, 'circle'));
    });
    expect(found.sort()).toEqual(
      [
        'circle: it is a link that leads in circles',
        'docs/dangling: it is a link that leads out of the repository',
        'docs/etc: it is a link that leads out of the repository',
        'hop: it is a link that leads out of the repository',
        'settings: it is a link that leads into .git',
      ].sort(),
    );
  });

  it('puts a folder back that became a link, without writing through the link', () => {
    const outside = scratchFolder();
    put(outside, { 'main.ts': 'theirs\n' });
    const root = scratchRepository();
    const watched = watch(root, policyOf('docs'));
    const before = picture(root, isOutside);
    rmSync(join(root, 'src'), { recursive: true });
    symlinkSync(outside, join(root, 'src'));
    expect(watched.revert(watched.inspect())).toEqual([]);
    expect(picture(root, isOutside)).toEqual(before);
    expect(readdirSync(outside)).toEqual(['main.ts']);
    expect(readFileSync(join(outside, 'main.ts'), 'utf8')).toBe('theirs\n');
  });

  it('sees real paths behind a linked folder that was there before', () => {
    const root = scratchRepository();
    symlinkSync('../src', join(root, 'docs/code'));
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'link');
    const watched = watch(root, policyOf('docs'));
    put(root, { 'docs/code/evil.ts': 'evil\n' });
    expect(told(watched.inspect())).toEqual(['src/evil.ts: no Write rule allows it']);
  });

  it('is not fooled by case, by other Unicode spellings or by unseen code points', () => {
    const root = scratchRepository();
    const watched = watch(root, policyOf('fix-ci', [], ['Write(secr\u00e9t/**)']));
    put(root, {
      '.GITHUB/workflows/ci.yml': 'on: push\n',
      '.gith\u200cub/workflows/ci.yml': 'on: push\n',
      'secre\u0301t/a.txt': 'a\n',
      'packages/a/AGENTS.MD': 'obey\n',
      'src/fine.ts': 'fine\n',
    });
    expect(told(watched.inspect()).sort()).toEqual(
      [
        '.GITHUB/workflows/ci.yml: the rule Write(**/.github/**) forbids it',
        '.gith\u200cub/workflows/ci.yml: the rule Write(**/.github/**) forbids it',
        'packages/a/AGENTS.MD: the rule Write(**/AGENTS.md) forbids it',
        'secre\u0301t/a.txt: the rule Write(secr\u00e9t/**) forbids it',
      ].sort(),
    );
  });

  it('sees a link that puts files where they may not be written', () => {
    const root = scratchRepository();
    const watched = watch(root, policyOf('fix-ci', [], ['Write(deploy/prod/**)']));
    put(root, { 'docs/gh/workflows/ci.yml': 'on: push\n', 'docs/d/prod/x': 'x\n' });
    symlinkSync('docs/gh', join(root, '.github'));
    symlinkSync('docs/d', join(root, 'deploy'));
    expect(told(watched.inspect()).sort()).toEqual([
      '.github: it is a link that puts docs/gh/workflows/ci.yml where it may not be written, at .github/workflows/ci.yml',
      'deploy: it is a link that puts docs/d/prod/x where it may not be written, at deploy/prod/x',
    ]);
  });

  it('counts a rename as both paths', () => {
    const root = scratchRepository();
    const watched = watch(root, policyOf('docs', ['Write(docs/**)']));
    renameSync(join(root, 'src/main.ts'), join(root, 'docs/main.ts'));
    const inspection = watched.inspect();
    expect(inspection.changes).toMatchObject([
      { status: 'renamed', from: 'src/main.ts', path: 'docs/main.ts' },
    ]);
    expect(told(inspection)).toEqual(['src/main.ts: no Write rule allows it']);
    expect(watched.revert(inspection)).toEqual([]);
    expect(existsSync(join(root, 'src/main.ts')) && existsSync(join(root, 'docs/main.ts'))).toBe(true);
  });

  it('sees what is neither file nor link, and never waits for it', () => {
    const found = attack(scratchRepository(), (root) => {
      execFileSync('mkfifo', [join(root, 'src/pipe')]);
    });
    expect(found).toEqual(['src/pipe: it is neither a file nor a link']);
  });

  it('takes a name that is no UTF-8 for a violation', () => {
    const found = attack(scratchRepository(), (root) => {
      writeFileSync(Buffer.concat([Buffer.from(`${root}/a`), Buffer.from([0xff])]), 'x');
    });
    expect(found).toEqual(['a\ufffd: its name is not valid UTF-8, so that it cannot be written down']);
  });

  it('allows no change at all in the preset review, whatever else is allowed', () => {
    const root = scratchRepository();
    const watched = watch(root, policyOf('review', ['Write(docs/**)']));
    put(root, { 'docs/new.md': 'x\n', 'build/x': 'x\n' });
    expect(told(watched.inspect())).toEqual([
      'docs/new.md: the preset review allows no change at all',
      'build/x: the preset review allows no change at all',
    ]);
  });
});

describe('programs', () => {
  it('never runs a filter, a diff driver, a monitor or a hook, planted before or by the agent', () => {
    const root = scratchRepository();
    const canary = join(dirname(root), 'canary');
    const trap = join(dirname(root), 'trap');
    writeFileSync(trap, `#!/bin/sh\necho ran >> ${canary}\ncat\n`, { mode: 0o755 });
    const plant = () => {
      for (const name of [
        ...['filter.trap.clean', 'filter.trap.smudge', 'filter.trap.process', 'diff.trap.command'],
        ...['diff.trap.textconv', 'core.fsmonitor', 'diff.external', 'core.pager', 'core.sshCommand'],
      ]) {
        git(root, 'config', name, trap);
      }
      put(root, {
        '.gitattributes': '* filter=trap diff=trap\n',
        '.git/info/attributes': '* filter=trap diff=trap\n',
      });
      for (const hook of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction']) {
        writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\n${trap} </dev/null\n`, { mode: 0o755 });
      }
      rmSync(canary, { force: true });
    };
    plant();
    utimesSync(join(root, 'src/main.ts'), 1, 1);
    const watched = watch(root, policyOf('docs'));
    plant();
    put(root, { 'src/main.ts': 'evil\n', 'docs/new.md': 'new\n', 'README.md': '# Other\n' });
    const inspection = watched.inspect();
    expect(changedFiles(inspection)).toEqual(['README.md', 'docs/new.md', 'src/main.ts']);
    expect(watched.revert(inspection)).toEqual([]);
    expect(existsSync(canary)).toBe(false);
    // The trap is real: ordinary git walks into it.
    git(root, 'status');
    expect(existsSync(canary)).toBe(true);
  });

  it('writes nothing into .git', () => {
    const root = scratchRepository();
    const before = picture(root);
    const watched = watch(root);
    put(root, { 'src/new.ts': 'x\n' });
    watched.inspect();
    rmSync(join(root, 'src/new.ts'));
    expect(picture(root)).toEqual(before);
  });
});
