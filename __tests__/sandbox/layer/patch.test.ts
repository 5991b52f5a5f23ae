import { describe, expect, it } from '@jest/globals';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { KINDS, openLayer, type Seen } from './scratch-layer.js';
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

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

/** Stored with CRLF in the index, although the attributes say `text=auto`, because it was added before them. */
function repositoryOfAllKinds(...init: string[]): string {
  const root = join(scratchFolder(), 'repository');
  mkdirSync(root);
  git(root, 'init', '-q', '-b', 'main', ...init);
  put(root, { 'auto/kept.txt': 'one\r\ntwo\r\n' });
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'before attributes');
  put(root, {
    '.gitattributes': [
      '/crlf/** text eol=crlf',
      '/auto/** text=auto',
      '/ident/** ident',
      '/wide/** text working-tree-encoding=UTF-16LE-BOM',
      '/large/** filter=lfs diff=lfs merge=lfs -text',
      '',
    ].join('\n'),
    'crlf/a.txt': 'one\r\ntwo\r\nthree\r\n',
    'auto/a.txt': 'one\ntwo\n',
    'ident/a.txt': '$Id$\none\n',
    'wide/a.txt': utf16('one\ntwo\n'),
    'large/a.bin': 'version https://git-lfs.github.com/spec/v1\n',
    'plain/image.bin': Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 251)),
    'plain/moved.txt': 'a\nb\nc\nd\ne\nf\ng\n',
    'plain/end.txt': 'one\ntwo',
    'plain/mixed.txt': 'one\r\ntwo\nthree\r',
    'plain/tool.sh': '#!/bin/sh\n',
    'plain/gone.txt': 'gone\n',
  });
  chmodSync(join(root, 'plain/tool.sh'), 0o755);
  symlinkSync('end.txt', join(root, 'plain/link'));
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'start');
  return root;
}

const CHANGES = `
  printf 'one\\r\\n2\\r\\nthree\\r\\n' > crlf/a.txt; printf 'new\\r\\n' > crlf/new.txt
  printf 'one\\r\\ntwo\\r\\nthree\\r\\n' > auto/kept.txt; printf 'one\\n2\\n' > auto/a.txt; printf 'n\\n' > auto/new.txt
  printf 'two\\n' >> ident/a.txt
  printf '\\377\\376o\\0n\\0e\\0\\n\\0002\\0\\n\\0' > wide/a.txt
  printf '\\001\\002\\000' >> plain/image.bin; head -c 5000 /dev/zero > plain/new.bin
  mv plain/moved.txt plain/elsewhere.txt; echo h >> plain/elsewhere.txt
  printf 'one\\n2' > plain/end.txt; printf 'one\\r\\n2\\nthree\\r' > plain/mixed.txt
  printf '#!/bin/sh\\nexit\\n' > plain/new.sh; chmod 755 plain/new.sh; echo exit >> plain/tool.sh
  rm plain/gone.txt; ln -sfn mixed.txt plain/link; : > plain/empty; rm plain/mixed.txt; ln -s end.txt plain/mixed.txt`;

const NO_POINTER = 'git stores it with LFS, and it is not an LFS pointer; filters are not run here';
const CHECKED_OUT_OTHERWISE =
  'git would check it out with other content than the agent left (ident or working-tree-encoding of .gitattributes)';
const pointer = (digit: string) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${digit.repeat(64)}\nsize 12\n`;

/** Applies the patch to the same commit, and what is allowed to the checkout. Both must be the same. */
function expectPatchIsApplied(root: string, clone: string, found: Seen): void {
  const { file, omitted } = found.patch();
  expect(omitted).toEqual([]);
  if (file !== undefined) git(clone, 'apply', '--index', '--whitespace=nowarn', file);
  found.apply();
  expect(picture(root, withoutGit)).toEqual(picture(clone, withoutGit));
}

describe.each(KINDS)('what git would convert, in a layer by %s', (kind) => {
  it('hides nothing that is applied: the text in $Id$ is not the agent’s', () => {
    const origin = scratchRepository({
      '.gitattributes': '*.js ident\n',
      'a.js': '// $Id$\n',
      'b.js': '// $Id$\n',
      'c.js': '$Id$\n',
    });
    const [root, clone] = [cleanClone(origin), cleanClone(origin)];
    expect(readFileSync(join(root, 'a.js'), 'utf8')).toMatch(/Id: [0-9a-f]{40} /);
    const layer = openLayer(kind, root);
    layer.act(`echo '$Id: */ steal(); /* $' > a.js; echo 'b();' >> b.js; printf '$Id: x $\nc\n' > c.js
      echo '$Id: evil() $' > new.js; cp b.js copy.js`);
    const found = layer.inspect();
    expect(found.violations).toEqual(
      ['a.js', 'c.js', 'new.js'].map((path) => `${path}: ${CHECKED_OUT_OTHERWISE}`),
    );
    expect(found.inspection.allowed.map(({ path }) => path).sort()).toEqual(['b.js', 'copy.js']);
    expectPatchIsApplied(root, clone, found);
    // Also with `warn`, which applies everything, only what people can read in the patch is applied.
    const { allowed, refused } = found.inspection;
    found.apply([...allowed, ...refused]);
    expect(JSON.stringify(picture(root, withoutGit))).not.toContain(Buffer.from('evil').toString('base64'));
    for (const name of ['a.js', 'c.js', 'new.js'])
      expect(readFileSync(join(root, name), 'utf8')).not.toMatch(/steal|x|evil/);
  });

  it('is a violation where it changes nothing for git, but was not as git checks it out', () => {
    const root = cleanClone(scratchRepository({ '.gitattributes': '*.js ident\n', 'a.js': '// $Id$\n' }));
    const layer = openLayer(kind, root);
    layer.act(`echo '// $Id: steal() $' > a.js`);
    const found = layer.inspect();
    expect(found.violations).toEqual([`a.js: ${CHECKED_OUT_OTHERWISE}`]);
    expect(found.changes).toEqual([]);
  });

  it('is applied in the encoding of the checkout, and must be text in it', () => {
    const origin = scratchRepository({
      '.gitattributes': '*.txt text working-tree-encoding=UTF-16\n*.csv working-tree-encoding=UTF-7\n',
      'a.txt': utf16('one\n'),
      'b.txt': utf16('one\n'),
      'a.csv': 'one\n',
    });
    const [root, clone] = [cleanClone(origin), cleanClone(origin)];
    const layer = openLayer(kind, root);
    layer.act(`printf '\\377\\376o\\0\\r\\0\\n\\0' > a.txt; printf '\\377\\376t\\0\\n\\0' > b.txt
      printf '+ADwAcwA+\\n' > a.csv`);
    const found = layer.inspect();
    expect(found.violations).toEqual([`a.csv: ${CHECKED_OUT_OTHERWISE}`]);
    expectPatchIsApplied(root, clone, found);
  });

  it('is applied with the line endings of the checkout, and other ones are no violation', () => {
    const origin = scratchRepository({
      '.gitattributes': '*.bat text eol=crlf\n*.sh text eol=lf\n',
      'a.bat': 'one\r\n',
      'b.sh': 'one\n',
    });
    const [root, clone] = [cleanClone(origin), cleanClone(origin)];
    const layer = openLayer(kind, root);
    layer.act(`printf 'one\ntwo\n' > a.bat; printf 'one\r\ntwo\r\n' > b.sh; printf 'x\ny\r\n' > new.bat`);
    const found = layer.inspect();
    expect(found.violations).toEqual([]);
    expectPatchIsApplied(root, clone, found);
    expect(readFileSync(join(root, 'new.bat'), 'utf8')).toBe('x\r\ny\r\n');
  });

  it('is a violation where a filter would convert it, except for LFS pointers and what is deleted', () => {
    const origin = scratchRepository({
      '.gitattributes': '*.bin filter=lfs -text\n*.enc filter=crypt\n*.ipynb filter=strip\n',
      ...Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`${name}.bin`, pointer('1')])),
      'a.enc': 'cipher\n',
      'a.ipynb': '{}\n',
    });
    const [root, clone] = [cleanClone(origin), cleanClone(origin)];
    const canary = join(scratchFolder(), 'canary');
    for (const name of ['clean', 'smudge', 'process'])
      git(root, 'config', `filter.crypt.${name}`, `touch ${canary}; cat`);
    // As `git lfs pull` leaves them: the real content, where git has a pointer.
    put(root, { 'c.bin': 'real\n', 'd.bin': 'real\n', 'e.bin': 'real\n' });
    const layer = openLayer(kind, root);
    layer.act(`printf '${pointer('2').replaceAll('\n', '\\n')}' | tee a.bin > c.bin; cp c.bin new.bin
      rm b.bin d.bin; echo other > e.bin; echo real > raw.bin; printf '${pointer('2').replaceAll('\n', '\\n')}evil();\n' > x.bin
      echo other > a.enc; echo '{ }' > a.ipynb`);
    const found = layer.inspect();
    expect(found.violations).toEqual([
      'a.enc: git stores it through the filter crypt, and filters are not run here',
      `e.bin: ${NO_POINTER}`,
      `raw.bin: ${NO_POINTER}`,
      `x.bin: ${NO_POINTER}`,
    ]);
    const { file = '' } = found.patch();
    git(clone, 'apply', '--index', file);
    found.apply();
    git(clone, 'rm', '-q', '--cached', 'e.bin');
    const files = (folder: string) =>
      picture(folder, { skip: (path) => path === '.git' || path === 'e.bin' });
    expect(files(root)).toEqual(files(clone));
    expect(existsSync(canary)).toBe(false);
  });

  it('follows the attributes that the change itself leaves', () => {
    const root = cleanClone(scratchRepository({ 'a.js': 'a\n' }));
    const layer = openLayer(kind, root, { policy: policyOf('fix-ci', ['Write(**/.gitattributes)']) });
    layer.act(`echo '*.js ident' > .gitattributes; echo '*.bin filter=lfs' >> .gitattributes
      echo '$Id: evil() $' > a.js; echo real > a.bin`);
    expect(layer.inspect().violations).toEqual([`a.bin: ${NO_POINTER}`, `a.js: ${CHECKED_OUT_OTHERWISE}`]);
  });

  it('follows no attributes that are not part of what is applied, because they are refused or ignored', () => {
    const origin = scratchRepository({
      '.gitignore': 'notes/.gitattributes\n',
      '.gitattributes': 'docs/old.md working-tree-encoding=UTF-16\n',
      'docs/a.md': 'a\n',
      'docs/old.md': utf16('old\n'),
      'notes/a.md': 'a\n',
      'notes/b.md': 'b\n',
    });
    const [root, clone] = [cleanClone(origin), cleanClone(origin)];
    const layer = openLayer(kind, root, { policy: policyOf('custom', ['Write(**/*.md)']) });
    layer.act(`printf 'docs/new.md working-tree-encoding=UTF-16\\n' > .gitattributes
      printf '\\377\\376e\\0\\n\\0' > docs/new.md; echo b | tee docs/a.md > docs/old.md
      printf 'a.md working-tree-encoding=UTF-16\\n' > notes/.gitattributes
      printf '\\377\\376e\\0\\n\\0' > notes/a.md; echo c > notes/b.md`);
    const found = layer.inspect();
    expect(found.inspection.allowed.map(({ path }) => path).sort()).toEqual(['docs/a.md', 'notes/b.md']);
    expectPatchIsApplied(root, clone, found);
  });
});

describe.each(KINDS)('the patch of a layer by %s', (kind) => {
  it.each<[string, { init?: string[]; settings?: string[] }]>([
    ['SHA-1', {}],
    ['core.autocrlf', { settings: ['core.autocrlf=true'] }],
    ['SHA-256', { init: ['--object-format=sha256'] }],
  ])(
    'applies with --index on a clean clone, whatever git does to files, with %s',
    (_, { init = [], settings = [] }) => {
      const origin = repositoryOfAllKinds(...init);
      const [root, clone] = [cleanClone(origin, ...settings), cleanClone(origin, ...settings)];
      const layer = openLayer(kind, root, { policy: policyOf('fix-ci', ['Write(**/.gitattributes)']) });
      expect(layer.inspect().changes).toEqual([]);
      layer.act(`${CHANGES}; echo other > large/a.bin; echo new > large/b.bin`);
      const found = layer.inspect();
      expect(found.violations).toEqual(
        ['large/a.bin', 'large/b.bin'].map((path) => `${path}: ${NO_POINTER}`),
      );
      const patch = found.patch();
      expect(patch.omitted).toEqual([]);
      git(clone, 'apply', '--index', '--whitespace=nowarn', patch.file ?? '');
      expect(
        git(clone, 'status', '--porcelain', '--untracked-files=all').replaceAll(/^[AMDRT] .*\n/gm, ''),
      ).toBe('');
      found.apply();
      // What is applied is what git checks out, byte by byte.
      expect(picture(root, withoutGit)).toEqual(picture(clone, withoutGit));
      git(root, 'add', '-A');
      expect(git(root, 'write-tree')).not.toBe(git(origin, 'rev-parse', 'HEAD^{tree}'));
      expect(git(root, 'write-tree')).toBe(git(clone, 'write-tree'));
    },
  );

  it('leaves a file out that must not be shown, names it, and still applies', () => {
    const root = scratchRepository({
      'a.txt': 'a\n',
      'b.txt': 'SECRET\nb\n',
      'old.txt': 'SECRET\n'.repeat(9),
      z: 'z\n',
    });
    const layer = openLayer(kind, root);
    layer.act(`echo more >> a.txt; echo more >> b.txt; mv old.txt new.txt; echo more >> new.txt; echo more >> z
      printf 'SECRET\\0' > c.bin; ln -s SECRET link; printf 'fine\\0' > d.bin; echo x > SECRET.txt`);
    const found = layer.inspect();
    const { omitted, text, file } = found.patch(undefined, (shown) => !shown.includes('SECRET'));
    expect(omitted.map(({ path }) => path).sort()).toEqual([
      'SECRET.txt',
      'b.txt',
      'c.bin',
      'link',
      'new.txt',
      'old.txt',
    ]);
    expect(text).not.toContain('SECRET');
    const clone = cleanClone(root);
    git(clone, 'apply', '--index', file ?? '');
    expect(git(clone, 'status', '--porcelain')).toBe('M  a.txt\nA  d.bin\nM  z\n');
  });

  it('is not written where all of it must not be shown', () => {
    const layer = openLayer(kind, scratchRepository());
    layer.act('echo SECRET > a.txt');
    expect(layer.inspect().patch(undefined, () => false)).toMatchObject({
      omitted: [{ path: 'a.txt' }],
      text: '',
    });
  });
});

describe('a part of the patch that must not be shown', () => {
  const leak = (before: Record<string, string>, script: string) => {
    const layer = openLayer('copy', scratchRepository({ 'base.txt': 'base\n', ...before }));
    layer.act(script);
    const found = layer.inspect();
    return found.patch(undefined, (shown) => !shown.includes('SECRET'));
  };

  it('is found behind a file whose lines look like those of a patch', () => {
    const { omitted, text } = leak({}, `printf 'x\\rdiff --git a/q b/q\\n' > a.txt; echo SECRET > z.txt`);
    expect(omitted.map(({ path }) => path)).toEqual(['z.txt']);
    expect(text).not.toContain('SECRET');
  });

  it('is found behind a file that became a link, for which git writes two parts', () => {
    const { omitted, text } = leak(
      { 'a.txt': 'a\n' },
      `rm a.txt; ln -s base.txt a.txt; echo x > b.txt; echo SECRET > z.txt`,
    );
    expect(omitted.map(({ path }) => path)).toEqual(['z.txt']);
    expect(text).toContain('b.txt');
    expect(text).not.toContain('SECRET');
  });

  it('is found in what a binary file held under its former name', () => {
    const before = `SECRET\0\n${Array.from({ length: 200 }, (_, at) => `line ${at}`).join('\0\n')}`;
    const { omitted, text } = leak({ 'a.bin': before }, `tail -n +2 a.bin > b.bin; rm a.bin`);
    expect(omitted.map(({ path }) => path).sort()).toEqual(['a.bin', 'b.bin']);
    expect(text).toBe('');
  });

  it('is found where only the rest of the patch shows it', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n');
    const { text } = leak(
      { 'one/a.txt': `${lines}\nSECRET\n`, 'two/a.txt': `${lines}\nother\n` },
      `mkdir x y; mv one/a.txt x/a.txt; mv two/a.txt y/a.txt; echo SECRET >> y/a.txt`,
    );
    expect(text).not.toContain('SECRET');
  });
});

describe('a patch', () => {
  it('carries large binary files byte by byte, past any buffer', () => {
    const noise = Buffer.from(Buffer.alloc(3_000_000).map((_, at) => (at * 7919 + (at >> 8)) % 251));
    const root = scratchRepository({ 'image.bin': noise });
    const before = copyOf(root);
    const layer = openLayer('copy', root);
    layer.act('tac image.bin > x; mv x image.bin; tail -c 2999995 image.bin > other.bin');
    const found = layer.inspect();
    git(before, 'apply', '--binary', found.patch().file ?? '');
    found.apply();
    expect(picture(before, withoutGit)).toEqual(picture(root, withoutGit));
  });

  it('starts from the files as they were, dirty or untracked', () => {
    const root = scratchRepository();
    put(root, { 'src/main.ts': 'dirty before\n', 'notes.txt': 'untracked before\n', 'left.txt': 'left\n' });
    const before = copyOf(root);
    const layer = openLayer('copy', root);
    layer.act('echo by the agent >> src/main.ts; echo by the agent >> notes.txt');
    const found = layer.inspect();
    expect(found.paths).toEqual(['notes.txt', 'src/main.ts']);
    const { file, text } = found.patch();
    expect(text).not.toContain('+dirty before');
    git(before, 'apply', '--binary', file ?? '');
    found.apply();
    expect(picture(before, withoutGit)).toEqual(picture(root, withoutGit));
  });

  it('without changes is not written, and an older one is removed', () => {
    const layer = openLayer('copy', scratchRepository());
    layer.act('echo x > x');
    const found = layer.inspect();
    const { file = '' } = found.patch();
    expect(readFileSync(file, 'utf8')).toContain('+x');
    expect(found.patch([])).toEqual({ omitted: [], text: '' });
    expect(existsSync(file)).toBe(false);
  });
});
