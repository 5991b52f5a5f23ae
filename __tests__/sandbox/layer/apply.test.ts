import { afterEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { fromText, joinBytes } from '../../../src/git/paths.js';
import { applyChanges, removeStaging } from '../../../src/sandbox/layer/apply-changes.js';
import type { FileState, LayerChange } from '../../../src/permissions/layer-change.js';
import { anyChanges, anyCheckout, asScript } from './any-changes.js';
import { KINDS, openLayer, UMASK } from './scratch-layer.js';
import {
  copyOf,
  git,
  picture,
  policyOf,
  put,
  scratchFolder,
  scratchRepository,
  withoutGit,
} from './scratch-repository.js';

const canMount = process.platform === 'linux' && process.getuid?.() === 0;

const ABSENT: FileState = { kind: 'absent' };
const PLAIN: FileState = { kind: 'file', executable: false, privileged: false, bytes: 1 };
const change = (path: string, after: FileState = PLAIN, before: FileState = ABSENT): LayerChange => ({
  path,
  before,
  after,
});

/** Where a change leaves its file, below a folder. */
const below = (folder: string) => (one: LayerChange) => joinBytes(fromText(folder), one.path);

/** A checkout and the files of a layer, both in ordinary folders. */
function makeFolders(checkout: Record<string, string>, written: Record<string, string>) {
  const folder = scratchFolder();
  const [to, from] = [join(folder, 'checkout'), join(folder, 'written')];
  for (const one of [to, from]) mkdirSync(one);
  put(to, checkout);
  put(from, written);
  return { to, from };
}

/** Changes that could not be made must leave nothing behind. */
function expectRefused(to: string, from: string, changes: LayerChange[], words: string | RegExp): void {
  const before = picture(to, { folders: true });
  expect(() => {
    applyChanges({ changes, sourceOf: below(from), to: fromText(to) });
  }).toThrow(words);
  expect(picture(to, { folders: true })).toEqual(before);
}

describe('changes that cannot all be made', () => {
  const removals = [change('gone', ABSENT, PLAIN), change('deep/er/gone', ABSENT, PLAIN)];
  const first = [change('a'), change('new/folder/b')];
  const files = {
    a: 'old',
    gone: 'gone',
    'deep/er/gone': 'gone',
    'deep/stays': 's',
    'full/ignored.log': 'x',
  };
  const written = {
    a: 'new',
    'new/folder/b': 'b',
    'linked/x': 'x',
    'stays/x': 'x',
    full: 'x',
    'deep/stays/x': 'x',
  };

  it.each<[string, LayerChange, string]>([
    ['behind a link of the checkout', change('linked/x'), 'linked is not a folder'],
    ['behind a file of the checkout', change('deep/stays/x'), 'deep/stays is not a folder'],
    ['in the place of a folder with other files', change('full'), 'a folder with other files in it'],
    ['without a file to copy', change('missing'), 'neither a file nor a link'],
    ['without a link to copy', change('a', { kind: 'link' }), 'EINVAL'],
    ['of a pipe', change('a', { kind: 'special' }), 'may not be written'],
    ['of more than 100 MiB', change('a', { ...PLAIN, bytes: 104_857_601 }), 'may not be written'],
    ['into .git', change('.git/hooks/pre-push'), 'may not be written'],
    ['into what is .git elsewhere', change('sub/GIT~1/config'), 'may not be written'],
    ['out of the checkout', change('../a'), 'may not be written'],
    ['with an absolute path', change('/etc/a'), 'may not be written'],
  ])('are none: %s', (_, last, words) => {
    const { to, from } = makeFolders(files, written);
    const outside = scratchFolder();
    symlinkSync(outside, join(to, 'linked'));
    mkdirSync(join(to, 'empty'));
    chmodSync(join(to, 'deep/er'), 0o711);
    expectRefused(to, from, [...removals, ...first, last], words);
    expect(readdirSync(outside)).toEqual([]);
  });

  it('do not remove behind a link what is not in the checkout', () => {
    const { to, from } = makeFolders({}, {});
    const outside = scratchFolder();
    put(outside, { x: 'theirs' });
    symlinkSync(outside, join(to, 'linked'));
    applyChanges({ changes: [change('linked/x', ABSENT, PLAIN)], sourceOf: below(from), to: fromText(to) });
    expect(readdirSync(outside)).toEqual(['x']);
  });

  it('replace a link, and not what it leads to', () => {
    const { to, from } = makeFolders({}, { linked: 'x' });
    const outside = scratchFolder();
    put(outside, { x: 'theirs' });
    symlinkSync(join(outside, 'x'), join(to, 'linked'));
    applyChanges({ changes: [change('linked')], sourceOf: below(from), to: fromText(to) });
    expect(readFileSync(join(outside, 'x'), 'utf8')).toBe('theirs');
    expect(lstatSync(join(to, 'linked')).mode & 0o7777).toBe(0o666 & ~UMASK);
  });
});

describe('files that are staged', () => {
  /** Applies a change of two files, and returns where there was something new while they were staged. */
  function watchStaging(root: string, folders: readonly string[], spare?: string): string[] {
    const { from } = makeFolders({}, { a: 'new', b: 'new' });
    const before = folders.map((folder) => new Set(readdirSync(folder)));
    const seen = new Set<string>();
    const sourceOf = (one: LayerChange) => {
      folders.forEach((folder, at) => {
        if (readdirSync(folder).some((name) => !before[at]?.has(name))) seen.add(folder);
      });
      return below(from)(one);
    };
    const to = fromText(root);
    applyChanges({
      changes: [change('a'), change('b')],
      sourceOf,
      to,
      ...(spare === undefined ? {} : { spare }),
    });
    expect(readFileSync(join(root, 'b'), 'utf8')).toBe('new');
    rmSync(join(root, 'a'));
    rmSync(join(root, 'b'));
    folders.forEach((folder, at) => {
      expect(new Set(readdirSync(folder))).toEqual(before[at]);
    });
    return [...seen];
  }

  it('are in the repository folder, also in that of a work tree, where git does not look', () => {
    const root = scratchRepository();
    const tree = join(scratchFolder(), 'tree');
    git(root, 'worktree', 'add', '-q', tree);
    const spare = scratchFolder();
    expect(watchStaging(root, [root, join(root, '.git'), spare], spare)).toEqual([join(root, '.git')]);
    const own = join(root, '.git/worktrees/tree');
    expect(watchStaging(tree, [tree, own, spare], spare)).toEqual([own]);
  });

  it('are in a folder of the run without a repository, and in the checkout only if there is no other', () => {
    const [root, spare] = [scratchFolder(), scratchFolder()];
    expect(watchStaging(root, [root, spare], spare)).toEqual([spare]);
    expect(watchStaging(root, [root])).toEqual([root]);
    put(root, { '.git': 'gitdir: nowhere\n' });
    expect(watchStaging(root, [root, spare], spare)).toEqual([spare]);
  });

  it('are not where they cannot be moved from', () => {
    if (!canMount) return;
    const root = scratchRepository();
    const dotGit = join(root, '.git');
    const spare = scratchFolder();
    execFileSync('mount', ['-n', '--bind', dotGit, dotGit]);
    try {
      watchStaging(root, [root], spare);
      execFileSync('mount', ['-n', '-t', 'tmpfs', 'other', dotGit]);
      expect(watchStaging(root, [root, dotGit, spare], spare)).toEqual([spare]);
      execFileSync('umount', ['-n', dotGit]);
    } finally {
      execFileSync('umount', ['-n', dotGit]);
    }
  });

  it('are removed after a run that was killed, and nothing else is', () => {
    const root = scratchRepository();
    put(root, {
      '.git/.cursor-agent-0123456789abcdef/old-1': 'x',
      '.cursor-agent-0123456789abcdef/mine': 'x',
    });
    const before = picture(root);
    removeStaging(root);
    delete before['.git/.cursor-agent-0123456789abcdef/old-1'];
    expect(picture(root, { folders: true })).not.toHaveProperty(['.git/.cursor-agent-0123456789abcdef']);
    expect(picture(root)).toEqual(before);
    removeStaging(scratchFolder());
  });
});

(canMount ? describe : describe.skip)('a disk that is full', () => {
  let mounted = '';
  const mountSmall = (options: string): string => {
    mounted = scratchFolder();
    execFileSync('mount', ['-n', '-t', 'tmpfs', '-o', options, 'small', mounted]);
    return mounted;
  };
  afterEach(() => {
    execFileSync('umount', ['-n', mounted]);
  });

  it.each(KINDS)('leaves a checkout under a layer by %s as it was', (kind) => {
    const root = join(mountSmall('size=4m'), 'repository');
    mkdirSync(root);
    git(root, 'init', '-q');
    put(root, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'start');
    const layer = openLayer(kind, root);
    layer.act(
      'rm a.txt; echo more >> b.txt; mkdir new; head -c 3000000 /dev/urandom > new/1; cp new/1 new/2',
    );
    const found = layer.inspect();
    expect(found.inspection.allowed).toHaveLength(4);
    expectRefused(root, layer.opened.written, found.inspection.allowed, 'ENOSPC');
    layer.opened.close();
  });

  it('leaves the checkout as it was when only a folder cannot be made', () => {
    const root = join(mountSmall('size=4m,nr_inodes=200'), 'checkout');
    put(root, { gone: 'gone', a: 'a', b: 'b' });
    const { from } = makeFolders({}, { a: 'new', 'one/x': 'x', 'two/x': 'x', 'three/x': 'x' });
    const changes = [
      change('gone', ABSENT),
      change('a'),
      change('one/x'),
      change('two/x'),
      change('three/x'),
    ];
    // Room for the staging folder, four files in it, and two more folders.
    for (let left = statfsSync(root).ffree; left > 1 + 4 + 2; left -= 1)
      writeFileSync(join(root, `filler-${left}`), '');
    expectRefused(root, from, changes, 'ENOSPC');
  });

  it('leaves the checkout as it was when a folder in it is another file system', () => {
    const root = mountSmall('size=4m');
    put(root, { gone: 'gone', a: 'a' });
    const { to, from } = makeFolders({ gone: 'gone', a: 'a' }, { a: 'new', 'mounted/x': 'x' });
    mkdirSync(join(to, 'mounted'));
    execFileSync('mount', ['-n', '--bind', root, join(to, 'mounted')]);
    try {
      expectRefused(to, from, [change('gone', ABSENT, PLAIN), change('a'), change('mounted/x')], 'EXDEV');
    } finally {
      execFileSync('umount', ['-n', join(to, 'mounted')]);
    }
  });
});

describe.each(KINDS)('what is applied of a layer by %s', (kind) => {
  it('keeps the modes of files and folders that were there', () => {
    const root = scratchRepository();
    const modes = {
      'README.md': 0o600,
      'src/main.ts': 0o664,
      'src/tool.sh': 0o700,
      docs: 0o2750,
      src: 0o700,
    };
    for (const [path, mode] of Object.entries(modes)) chmodSync(join(root, path), mode);
    const layer = openLayer(kind, root);
    layer.act(`for f in README.md src/main.ts src/tool.sh; do cp $f x; rm $f; echo more >> x; mv x $f; done
      chmod 777 README.md src/main.ts; chmod 644 README.md src/main.ts; chmod 755 src/tool.sh
      rm docs/guide.md; echo other > docs/other.md; chmod 777 docs
      echo new > new.txt; chmod 666 new.txt; echo '#!/bin/sh' > new.sh; chmod 777 new.sh`);
    const found = layer.inspect();
    expect(found.violations).toEqual([]);
    found.apply();
    for (const [path, mode] of Object.entries(modes))
      expect(lstatSync(join(root, path)).mode & 0o7777).toBe(mode);
    expect(lstatSync(join(root, 'new.txt')).mode & 0o7777).toBe(0o666 & ~UMASK);
    expect(lstatSync(join(root, 'new.sh')).mode & 0o7777).toBe(0o777 & ~UMASK);
  });

  it('leaves what was not chosen, and no empty folder behind', () => {
    const root = scratchRepository({ 'a/b/c': 'c\n', 'x/y': 'y\n', z: 'z\n' });
    put(root, { 'x/.keep/me': 'k' });
    const layer = openLayer(kind, root);
    layer.act('rm -rf a x; echo new > z; echo more > new');
    const found = layer.inspect();
    found.apply(found.inspection.allowed.filter(({ path }) => path !== 'new' && path !== 'x/.keep/me'));
    expect(readdirSync(root).sort()).toEqual(['.git', 'x', 'z']);
    expect(existsSync(join(root, 'x/.keep/me'))).toBe(true);
  });

  it('works without git', () => {
    const root = scratchFolder();
    put(root, { 'a.txt': 'a\n', 'deep/b': 'b\n' });
    const layer = openLayer(kind, root, { withoutGit: true });
    layer.act('rm -rf deep; echo more >> a.txt; mkfifo pipe; mkdir c; echo c > c/.git');
    const found = layer.inspect();
    expect(found.paths).toEqual(['a.txt', 'c/.git', 'deep/b', 'pipe']);
    expect(found.violations).toHaveLength(2);
    expect(found.patch().omitted).toContainEqual({
      path: 'a.txt',
      reason: 'there is no git to write a patch',
    });
    found.apply();
  });
});

/** Git refuses some patches that replace a moved link by a folder. No other reason counts. */
function applyPatch(folder: string, file: string): boolean {
  try {
    git(folder, 'apply', '--binary', '--whitespace=nowarn', file);
    return true;
  } catch (error) {
    expect(String(error)).toContain('is beyond a symbolic link');
    return false;
  }
}

describe('any sequence of changes', () => {
  const template = anyCheckout();
  const withoutModes = (folder: string) =>
    Object.fromEntries(
      Object.entries(picture(folder, withoutGit)).map(([at, text]) => [at, text.replace(/^\d+ /, '')]),
    );

  it.each(KINDS)('on a layer by %s has the same end as in a plain copy of the checkout', (kind) => {
    const policy = policyOf('custom', ['Write(**)']);
    let applied = 0;
    fc.assert(
      fc.property(anyChanges, (folders) => {
        const script = asScript(folders);
        const [root, plain, patched] = [copyOf(template), copyOf(template), copyOf(template)];
        const layer = openLayer(kind, root, { policy });
        layer.act(script);
        execFileSync('sh', ['-euc', script], { cwd: plain });
        const found = layer.inspect();
        // A link can lead in circles here. Nothing else is a violation.
        expect(found.violations.filter((text) => !text.endsWith('leads in circles'))).toEqual([]);
        const all = [...found.inspection.refused, ...found.inspection.allowed];
        const { file, omitted } = found.patch(all);
        expect(omitted).toEqual([]);
        found.apply(all);
        expect(withoutModes(root)).toEqual(withoutModes(plain));
        // Git does not replace an empty folder by a file.
        for (const index of folders.keys())
          rmSync(join(patched, String(index), 'd/d/empty'), { recursive: true });
        if (file === undefined || applyPatch(patched, file))
          expect(withoutModes(patched)).toEqual(withoutModes(plain));
        applied += all.length;
        found.inspection.close();
        layer.opened.close();
        for (const folder of [root, plain, patched]) rmSync(dirname(folder), { recursive: true });
      }),
      { numRuns: 3, endOnFailure: true },
    );
    expect(applied).toBeGreaterThan(30);
  });
});
