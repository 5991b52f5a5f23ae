import { afterAll, describe, expect, it } from '@jest/globals';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { changedFiles } from '../../src/guard/changes.js';
import { takeSnapshot } from '../../src/guard/snapshot.js';
import { inspectChanges } from '../../src/guard/inspect.js';
import {
  copyOf,
  git,
  GIT,
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

const skipGit = (path: string) => path === '.git';

describe('what changed', () => {
  it('says nothing of a run that changed nothing, even one that looked with git', () => {
    const root = scratchRepository();
    const watched = watch(root, policyOf('review'));
    git(root, 'status');
    const inspection = watched.inspect();
    expect(inspection).toEqual({
      kind: 'inspected',
      changes: [],
      violations: [],
      patch: { kind: 'none' },
      omitted: [],
    });
  });

  it('tells added, modified, deleted, renamed, linked and executable apart, with lines', () => {
    const root = scratchRepository();
    const watched = watch(root);
    put(root, { 'src/new.ts': 'a\nb\n', 'data.bin': Buffer.from([0, 1, 2, 255]) });
    appendFileSync(join(root, 'src/main.ts'), 'export const c = 3;\n');
    rmSync(join(root, 'README.md'));
    renameSync(join(root, 'docs/guide.md'), join(root, 'docs/manual.md'));
    symlinkSync('main.ts', join(root, 'src/alias.ts'));
    chmodSync(join(root, 'src/tool.sh'), 0o755);
    const inspection = watched.inspect();
    const text = (added: number, removed: number) => ({ kind: 'text', added, removed });
    expect(inspection.changes).toEqual([
      { status: 'deleted', path: 'README.md', lines: text(0, 1), ignored: false },
      { status: 'added', path: 'data.bin', lines: { kind: 'binary' }, ignored: false },
      {
        status: 'renamed',
        from: 'docs/guide.md',
        path: 'docs/manual.md',
        lines: text(0, 0),
        ignored: false,
      },
      { status: 'symlink', path: 'src/alias.ts', lines: text(1, 0), ignored: false },
      { status: 'modified', path: 'src/main.ts', lines: text(1, 0), ignored: false },
      { status: 'added', path: 'src/new.ts', lines: text(2, 0), ignored: false },
      { status: 'mode', path: 'src/tool.sh', lines: text(0, 0), ignored: false },
    ]);
    expect(changedFiles(inspection)).toEqual([
      'README.md',
      'data.bin',
      'docs/guide.md',
      'docs/manual.md',
      'src/alias.ts',
      'src/main.ts',
      'src/new.ts',
      'src/tool.sh',
    ]);
    expect(told(inspection)).toEqual(['src/tool.sh: it was made executable']);
  });

  it('does not blame the agent for what was dirty before, but sees a further change to it', () => {
    const root = scratchRepository();
    appendFileSync(join(root, 'src/main.ts'), 'dirty before\n');
    put(root, { 'notes.txt': 'untracked before\n', 'left.txt': 'untracked and left\n' });
    const before = copyOf(root);
    const watched = watch(root);
    expect(watched.inspect().changes).toEqual([]);
    appendFileSync(join(root, 'src/main.ts'), 'by the agent\n');
    appendFileSync(join(root, 'notes.txt'), 'by the agent\n');
    expect(changedFiles(watched.inspect())).toEqual(['notes.txt', 'src/main.ts']);
    expect(readFileSync(watched.patchFile, 'utf8')).not.toContain('+dirty before');
    git(before, 'apply', '--binary', watched.patchFile);
    expect(picture(before, skipGit)).toEqual(picture(root, skipGit));
  });

  it('takes a file that was touched, rewritten alike or moved away and back for unchanged', () => {
    const root = scratchRepository();
    put(root, { 'build/out.js': 'ignored\n', '.cursor/cli.json': '{}' });
    writeFileSync(join(root, '.git/info/exclude'), '.cursor/\n');
    const watched = watch(root);
    for (const name of ['src/main.ts', '.cursor/cli.json']) {
      const content = readFileSync(join(root, name));
      renameSync(join(root, name), join(root, 'aside'));
      rmSync(join(root, 'aside'));
      writeFileSync(join(root, name), content);
    }
    expect(watched.inspect()).toMatchObject({ changes: [], violations: [] });
  });

  it('watches what git ignores, and leaves it out of patch and list', () => {
    const root = scratchRepository();
    put(root, { 'build/old.js': 'old\n' });
    const watched = watch(root, policyOf('docs'));
    put(root, { 'build/old.js': 'new\n', 'build/evil.js': 'evil\n', 'docs/more.md': 'fine\n' });
    const inspection = watched.inspect();
    expect(inspection.changes.filter(({ ignored }) => ignored).map(({ path }) => path)).toEqual([
      'build/evil.js',
      'build/old.js',
    ]);
    expect(changedFiles(inspection)).toEqual(['docs/more.md']);
    expect(told(inspection)).toEqual([
      'build/old.js: no Write rule allows it',
      'build/evil.js: no Write rule allows it',
    ]);
    expect(readFileSync(watched.patchFile, 'utf8')).not.toContain('evil');
  });

  it('says plainly that a folder is no repository', () => {
    const directory = scratchFolder();
    const policy = policyOf('docs');
    const snapshot = takeSnapshot({ directory, policy, git: GIT, folder: join(scratchFolder(), 'guard') });
    put(directory, { 'a.txt': 'a' });
    expect(inspectChanges(snapshot, { policy, patchFile: join(scratchFolder(), 'p') })).toEqual({
      kind: 'not-a-repository',
      directory,
    });
  });

  it('leaves a file above the limit out of the patch and says so', () => {
    const root = scratchRepository();
    const policy = policyOf('fix-ci');
    const limits = { fileBytes: 1000, neededBytes: 1000, otherBytes: 0, otherFiles: 0 };
    const folder = scratchFolder();
    const snapshot = takeSnapshot({ directory: root, policy, git: GIT, folder, limits });
    put(root, { 'large.txt': 'x'.repeat(1001), 'small.txt': 'x\n' });
    const inspection = inspectChanges(snapshot, { policy, patchFile: join(folder, 'p') });
    expect(inspection).toMatchObject({ omitted: [{ path: 'large.txt' }] });
    expect(changedFiles(inspection)).toEqual(['large.txt', 'small.txt']);
    expect(readFileSync(join(folder, 'p'), 'utf8')).not.toContain('large.txt');
  });
});

describe('files behind a filter', () => {
  it('are watched and can be put back, but stay out of a patch that git would filter again', () => {
    const root = scratchRepository();
    git(root, 'config', 'filter.shout.clean', 'tr a-z A-Z');
    put(root, { '.gitattributes': '*.big filter=shout\n', 'a.big': 'large\n', 'b.big': 'large\n' });
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'filtered');
    expect(git(root, 'show', 'HEAD:a.big')).toBe('LARGE\n');
    const before = copyOf(root);
    const watched = watch(root, policyOf('docs'));
    expect(watched.inspect().changes).toEqual([]);
    put(root, { 'a.big': 'other\n', 'README.md': 'changed\n' });
    const inspection = watched.inspect();
    expect(changedFiles(inspection)).toEqual(['README.md', 'a.big']);
    expect(inspection.omitted).toEqual([
      { path: 'a.big', reason: 'git keeps it through a filter (such as LFS), which is not run' },
    ]);
    git(before, 'apply', '--binary', watched.patchFile);
    expect(watched.revert(inspection)).toEqual([]);
    expect(picture(root, skipGit)).toEqual(picture(before, skipGit));
  });
});

describe('every kind of checkout', () => {
  const changeAndApply = (root: string, before: string, directory = root) => {
    const watched = watch(directory);
    put(directory, { 'README.md': 'changed\n', 'new.txt': 'new\n' });
    const inspection = watched.inspect();
    expect(inspection.violations).toEqual([]);
    expect(changedFiles(inspection)).toHaveLength(2);
    git(before, 'apply', '--binary', watched.patchFile);
    expect(picture(before, skipGit)).toEqual(picture(root, skipGit));
  };

  it('works in a shallow clone', () => {
    const source = scratchRepository();
    appendFileSync(join(source, 'README.md'), 'more\n');
    git(source, 'commit', '-qam', 'second');
    const root = join(scratchFolder(), 'clone');
    git(source, 'clone', '-q', '--depth', '1', `file://${source}`, root);
    changeAndApply(root, copyOf(root));
  });

  it('works in a work tree of another clone, whose repository it guards too', () => {
    const source = scratchRepository();
    const root = join(scratchFolder(), 'tree');
    git(source, 'worktree', 'add', '-q', root, '-b', 'side');
    const before = join(scratchFolder(), 'before');
    git(source, 'worktree', 'add', '-q', before, 'main', '-f');
    changeAndApply(root, before);
    const watched = watch(root);
    git(root, 'commit', '-qam', 'by the agent');
    expect(told(watched.inspect())).toEqual(
      expect.arrayContaining([
        '.git/refs/heads/side: the reference refs/heads/side was changed',
        expect.stringMatching(/^\.git\/worktrees\/tree\/index: the index was changed: README\.md was staged/),
      ]),
    );
  });

  it('works in a repository without commits, with and without an index', () => {
    const root = join(scratchFolder(), 'empty');
    mkdirSync(root);
    git(root, 'init', '-q');
    put(root, { 'README.md': 'untracked\n' });
    changeAndApply(root, copyOf(root));
    git(root, 'add', 'README.md');
    const watched = watch(root);
    appendFileSync(join(root, 'README.md'), 'again\n');
    expect(changedFiles(watched.inspect())).toEqual(['README.md']);
  });

  it('works from a folder below the root, which is as far as relative patterns reach', () => {
    const root = scratchRepository({ 'a/README.md': 'a\n', 'b/README.md': 'b\n', 'README.md': 'top\n' });
    changeAndApply(root, copyOf(root), join(root, 'a'));
    const watched = watch(join(root, 'a'), policyOf('docs'));
    put(root, { 'a/README.md': 'mine\n', 'a/docs/x.txt': 'mine\n', 'b/README.md': 'not mine\n' });
    expect(told(watched.inspect())).toEqual([
      'b/README.md: it is outside the working directory, and no Write rule allows it',
    ]);
  });

  it('works with a submodule that was there, and takes changes inside it for violations', () => {
    const inner = scratchRepository();
    const root = scratchRepository();
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'lib');
    git(root, 'commit', '-qm', 'with submodule');
    changeAndApply(root, copyOf(root));
    const watched = watch(root);
    put(root, { 'lib/src/main.ts': 'changed\n' });
    expect(told(watched.inspect())).toEqual([
      'lib/src/main.ts: it belongs to the submodule or repository lib, not to this one',
    ]);
    git(join(root, 'lib'), 'commit', '-qam', 'inside');
    const after = watched.inspect();
    expect(told(after)).toEqual(
      expect.arrayContaining(['.git/modules/lib/refs/heads/main: the reference refs/heads/main was changed']),
    );
    expect(watched.revert(after)).toEqual([]);
    expect(watched.inspect().violations).toEqual([]);
    expect(git(join(root, 'lib'), 'status', '--porcelain')).toBe('');
  });

  it('works with a split index, with names in SHA-256 and with line ends that git converts', () => {
    const split = scratchRepository();
    git(split, 'update-index', '--split-index');
    changeAndApply(split, copyOf(split));
    const long = join(scratchFolder(), 'long');
    mkdirSync(long);
    git(long, 'init', '-q', '--object-format=sha256');
    put(long, { 'README.md': 'x\n' });
    git(long, 'add', '-A');
    git(long, 'commit', '-qm', 'start');
    changeAndApply(long, copyOf(long));
    const crlf = scratchRepository({ '.gitattributes': '*.md text eol=crlf\n', 'README.md': 'a\r\nb\r\n' });
    const before = copyOf(crlf);
    const watched = watch(crlf);
    put(crlf, { 'README.md': 'a\r\nc\r\n' });
    expect(watched.inspect().changes).toMatchObject([{ lines: { added: 1, removed: 1 } }]);
    git(before, 'apply', '--binary', watched.patchFile);
    expect(picture(before, skipGit)).toEqual(picture(crlf, skipGit));
  });
});
