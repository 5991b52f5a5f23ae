import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { appendFileSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_KINDS, KINDS, openLayer, type LayerKind } from './scratch-layer.js';
import {
  cleanClone,
  copyOf,
  git,
  picture,
  policyOf,
  put,
  scratchFolder,
  scratchRepository,
  withoutGit,
} from './scratch-repository.js';

describe.each(KINDS)('what changed in a layer by %s', (kind) => {
  it('is nothing after a run that changed nothing, even one that looked with git', () => {
    const layer = openLayer(kind, scratchRepository(), { policy: policyOf('review') });
    layer.act(
      `git -c safe.directory='*' status; cat README.md; touch README.md; cp src/main.ts x; mv x src/main.ts`,
    );
    const found = layer.inspect();
    expect(found).toMatchObject({
      changes: [],
      violations: [],
      inspection: { ignored: 0, allowed: [], refused: [] },
    });
    expect(found.patch()).toEqual({ omitted: [], text: '' });
  });

  it('is reported as added, modified, deleted, renamed, linked or executable, with line counts', () => {
    const layer = openLayer(kind, scratchRepository());
    layer.act(`printf 'a\\nb\\n' > src/new.ts; printf '\\0\\1' > data.bin; echo 'export const c = 3;' >> src/main.ts
      rm README.md; mv docs/guide.md docs/manual.md; ln -s main.ts src/alias.ts; chmod 755 src/tool.sh`);
    const found = layer.inspect();
    const text = (added: number, removed: number) => ({ kind: 'text', added, removed });
    expect(found.changes).toMatchObject([
      { status: 'deleted', path: 'README.md', lines: text(0, 1) },
      { status: 'added', path: 'data.bin', lines: { kind: 'binary' } },
      { status: 'renamed', from: 'docs/guide.md', path: 'docs/manual.md', lines: text(0, 0) },
      { status: 'symlink', path: 'src/alias.ts', lines: text(1, 0) },
      { status: 'modified', path: 'src/main.ts', lines: text(1, 0) },
      { status: 'added', path: 'src/new.ts', lines: text(2, 0) },
      { status: 'mode', path: 'src/tool.sh', lines: text(0, 0) },
    ]);
    expect(found.changes).toHaveLength(7);
    expect(found.violations).toEqual(['src/tool.sh: it was made executable']);
  });

  it('does not include what git stores as before, such as other line endings', () => {
    const root = scratchRepository({
      '.gitattributes': '*.md text eol=crlf\n',
      'a.md': 'a\r\nb\r\n',
      'b.md': 'a\r\nb\r\n',
    });
    const layer = openLayer(kind, root);
    layer.act(`printf 'a\\nb\\n' > a.md; printf 'a\\nc\\n' > b.md`);
    const found = layer.inspect();
    expect(found.changes).toMatchObject([{ path: 'b.md', lines: { added: 1, removed: 1 } }]);
    found.apply();
  });

  it('includes what an earlier run wrote, also after a fresh start, and never writes through a link', () => {
    const root = scratchRepository();
    const outside = scratchFolder();
    symlinkSync(outside, join(root, 'linked'));
    const layer = openLayer(kind, root, {
      policy: policyOf('docs'),
      carried: { 'docs/guide.md': 'carried\n', 'docs/more/new.md': 'new\n', 'linked/x.md': 'out\n' },
    });
    layer.act('cat docs/guide.md > README.md; test ! -e linked/x.md');
    const files = () => layer.inspect().changes.map(({ path, status }) => `${status} ${path}`);
    const carried = ['modified docs/guide.md', 'added docs/more/new.md'];
    expect(files()).toEqual(['modified README.md', ...carried]);
    expect(layer.inspect().violations).toEqual([]);
    layer.opened.renew();
    expect(files()).toEqual(carried);
    expect(readdirSync(outside)).toEqual([]);
  });

  it('is found even if the index of the checkout says to overlook it', () => {
    const root = scratchRepository();
    git(root, 'update-index', '--assume-unchanged', 'src/main.ts');
    git(root, 'update-index', '--skip-worktree', 'README.md');
    appendFileSync(join(root, 'src/main.ts'), 'mine\n');
    const layer = openLayer(kind, root, { policy: policyOf('docs') });
    layer.act('echo evil >> src/main.ts; echo more >> README.md');
    const found = layer.inspect();
    expect(found.changes).toMatchObject([
      { path: 'README.md', lines: { added: 1, removed: 0 } },
      { path: 'src/main.ts', lines: { added: 1, removed: 0 } },
    ]);
    expect(found.violations).toEqual(['src/main.ts: no Write rule allows it; Write(src/main.ts) would']);
  });
});

/** Changes two files, and compares the applied changes with a copy to which the patch was applied. */
function changeAndApply(kind: LayerKind, root: string, directory = root): void {
  const before = copyOf(root);
  const layer = openLayer(kind, root, { directory });
  layer.act('echo changed > README.md; echo new > new.txt');
  const found = layer.inspect();
  expect(found.violations).toEqual([]);
  expect(found.paths).toHaveLength(2);
  git(before, 'apply', '--binary', found.patch().file ?? '');
  found.apply();
  expect(picture(before, withoutGit)).toEqual(picture(root, withoutGit));
  found.inspection.close();
  layer.opened.close();
}

describe.each(KINDS)('a layer by %s works', (kind) => {
  it('in a shallow clone', () => {
    const source = scratchRepository();
    appendFileSync(join(source, 'README.md'), 'more\n');
    git(source, 'commit', '-qam', 'second');
    const root = join(scratchFolder(), 'clone');
    git(source, 'clone', '-q', '--depth', '1', `file://${source}`, root);
    changeAndApply(kind, root);
  });

  it('in a sparse clone without the content of other files, whose server cannot be reached', () => {
    const source = scratchRepository({
      '.gitattributes': '*.txt text\n',
      'README.md': 'top\n',
      'in/.gitattributes': '*.md text\n',
      'in/README.md': 'in\n',
      'out/.gitattributes': '* text\n',
      'out/a.md': 'out\n',
    });
    git(source, 'config', 'uploadpack.allowFilter', 'true');
    const root = join(scratchFolder(), 'clone');
    git(source, 'clone', '-q', '--filter=blob:none', '--sparse', `file://${source}`, root);
    git(root, 'sparse-checkout', 'set', 'in');
    rmSync(source, { recursive: true });
    expect(git(root, 'rev-list', '--objects', '--missing=print', 'HEAD').match(/^\?/gm)).toHaveLength(2);
    changeAndApply(kind, root);
    changeAndApply(kind, root, join(root, 'in'));
    const layer = openLayer(kind, root);
    layer.act('mkdir out; echo mine > out/a.md; echo new > out/b.md');
    const found = layer.inspect();
    expect(found.violations).toEqual([
      'out/a.md: it cannot be in a patch: git has a file there, whose content is not in this clone',
    ]);
    expect(found.patch()).toMatchObject({ omitted: [], text: expect.stringContaining('out/b.md') });
  });

  it('in a work tree of another clone, whose repository stays as it is', () => {
    const source = scratchRepository();
    const root = join(scratchFolder(), 'tree');
    git(source, 'worktree', 'add', '-q', root, '-b', 'side');
    const before = picture(source, { folders: true });
    changeAndApply(kind, root);
    expect(picture(source, { folders: true })).toEqual(before);
  });

  it('in a repository without commits, with and without an index', () => {
    const root = join(scratchFolder(), 'empty');
    mkdirSync(root);
    git(root, 'init', '-q');
    put(root, { 'README.md': 'untracked\n' });
    changeAndApply(kind, root);
    git(root, 'add', 'README.md');
    const layer = openLayer(kind, root);
    layer.act('echo again >> README.md');
    expect(layer.inspect().paths).toEqual(['README.md']);
  });

  it('from a folder below the top, which is as far as relative patterns reach', () => {
    const root = scratchRepository({ 'a/README.md': 'a\n', 'b/README.md': 'b\n', 'README.md': 'top\n' });
    changeAndApply(kind, root, join(root, 'a'));
    const layer = openLayer(kind, root, { directory: join(root, 'a'), policy: policyOf('docs') });
    layer.act('echo mine > README.md; mkdir docs; echo mine > docs/x.txt; echo theirs > ../b/README.md');
    const found = layer.inspect();
    expect(found.violations).toEqual([
      'b/README.md: it is outside the working directory, and no Write rule allows it',
    ]);
    found.apply();
  });

  it('with a split index and with names in SHA-256', () => {
    const split = scratchRepository();
    git(split, 'update-index', '--split-index');
    changeAndApply(kind, split);
    const long = join(scratchFolder(), 'long');
    mkdirSync(long);
    git(long, 'init', '-q', '--object-format=sha256');
    put(long, { 'README.md': 'x\n' });
    git(long, 'add', '-A');
    git(long, 'commit', '-qm', 'start');
    changeAndApply(kind, long);
  });
});

describe.each(ALL_KINDS)('other repositories in a layer by %s', (kind) => {
  it('are there, but what is changed in them is a violation', () => {
    const inner = scratchRepository();
    const root = scratchRepository();
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'lib');
    git(root, 'commit', '-qm', 'with submodule');
    put(root, { 'vendor/README.md': 'v\n' });
    git(join(root, 'vendor'), 'init', '-q');
    git(join(root, 'vendor'), 'config', 'http.extraheader', 'c2VjcmV0');
    changeAndApply(kind, root);
    const layer = openLayer(kind, root);
    layer.act(`echo changed > lib/src/main.ts; echo changed > vendor/README.md; echo evil >> vendor/.git/hooks/pre-push
      ! grep -q c2VjcmV0 vendor/.git/config; rm -rf lib/docs; test -e lib/.git`);
    const found = layer.inspect();
    const belongs = (owner: string) => `it belongs to the submodule or repository ${owner}, not to this one`;
    expect(found.violations).toEqual([
      `lib/docs/guide.md: ${belongs('lib')}`,
      `lib/src/main.ts: ${belongs('lib')}`,
      'vendor/.git/hooks/pre-push: it belongs to another git repository inside this one',
      `vendor/README.md: ${belongs('vendor')}`,
    ]);
    expect(found.inspection.allowed).toEqual([]);
  });

  it.each([
    ['written into', 'echo x > lib/new', ['lib/new']],
    ['replaced by a file', 'rmdir lib; echo x > lib', ['lib']],
    ['replaced by a link', 'rmdir lib; ln -s docs lib', ['lib']],
    ['made a repository of another origin', 'mkdir lib/.git; echo x > lib/.git/HEAD', ['lib/.git/HEAD']],
    ['joined by a repository', 'mkdir x; echo "gitdir: ../.git" > x/.git; rmdir lib', ['x/.git']],
    ['joined by one that is gone again', 'mkdir -p x/.git; echo x > x/.git/HEAD; rm -r x/.git', []],
  ])('that are not checked out can be %s in no way that passes', (_, script, paths) => {
    const outer = scratchRepository();
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', scratchRepository(), 'lib');
    git(outer, 'commit', '-qm', 'with submodule');
    const layer = openLayer(kind, cleanClone(outer));
    layer.act(script);
    const found = layer.inspect();
    expect(found.violations.map((text) => text.split(':')[0])).toEqual(paths);
    expect(found.inspection.allowed).toEqual([]);
  });

  it('can be removed or replaced in no way that passes', () => {
    const root = scratchRepository();
    put(root, {
      'vendor/a': 'v\n',
      'vendor/.git/HEAD': 'ref: x\n',
      'vendor/.git/objects/x': '',
      'vendor/.git/refs/x': '',
    });
    const layer = openLayer(kind, root);
    layer.act('rm -rf vendor; mkdir vendor; echo mine > vendor/a');
    const found = layer.inspect();
    expect(found.violations.map((text) => text.split(':')[0])).toEqual([
      ...['vendor/.git/HEAD', 'vendor/.git/objects/x', 'vendor/.git/refs/x', 'vendor/a'],
    ]);
  });
});

describe('a copy of a large checkout', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('says what takes long: the copy, and each search of it and of the checkout', () => {
    let nowMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 6000));
    const said = new Set<string>();
    const layer = openLayer('copy', scratchRepository(), { onProgress: (work) => said.add(work) });
    expect([...said]).toEqual(['Copying the checkout', 'Recording the checkout']);
    said.clear();
    layer.opened.changes();
    layer.opened.tampering();
    expect([...said]).toEqual(['Searching the copy for changes', 'Searching the checkout']);
    said.clear();
    layer.opened.watch()();
    expect([...said]).toEqual(['Searching the copy', 'Searching the checkout']);
  });
});
